"""What wraps every request: an id, a limit on the body while it streams in, and the last safety net."""

from __future__ import annotations

import logging
import re
import uuid
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.trace import request_context
from serve.api.problems import problem_response

logger = logging.getLogger("gauge.http")

REQUEST_ID_HEADER = "X-Request-ID"
SAFE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; img-src blob:; style-src 'self'; script-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}


class BodyTooLarge(HTTPException):
    """The request's body is longer than allowed; an HTTPException so that the form parser lets it through."""

    def __init__(self, limit_bytes: int) -> None:
        detail = f"the request is larger than the limit of {limit_bytes / 2**20:.3g} MiB"
        super().__init__(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, {"Connection": "close"})


class Gatekeeper:
    """Gives each request its id, counts its body, and answers what nobody foresaw without telling internals."""

    def __init__(self, app: ASGIApp, max_body_bytes: int) -> None:
        self.app = app
        self.max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _request_id(Headers(scope=scope).get(REQUEST_ID_HEADER))
        scope.setdefault("state", {})["request_id"] = request_id
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID_HEADER] = request_id
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            with request_context(request_id):
                await self.app(scope, self._counting(scope, receive), send_with_headers)
        except Exception:
            logger.exception("request %s failed", request_id)
            if started:
                raise
            detail = "the server failed; its log knows why under the request id"
            answer = problem_response(request_id, HTTPStatus.INTERNAL_SERVER_ERROR, "internal", detail)
            await answer(scope, receive, send_with_headers)

    def _counting(self, scope: Scope, receive: Receive) -> Receive:
        declared = Headers(scope=scope).get("content-length", "")
        received = 0

        async def receive_within_limit() -> Message:
            nonlocal received
            if declared.isdigit() and int(declared) > self.max_body_bytes:
                raise BodyTooLarge(self.max_body_bytes)
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.max_body_bytes:
                raise BodyTooLarge(self.max_body_bytes)
            return message

        return receive_within_limit


def _request_id(given: str | None) -> str:
    """The client's own id where it is harmless in a log, else a new one."""
    return given if given and SAFE_ID.fullmatch(given) else uuid.uuid4().hex
