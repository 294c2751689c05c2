"""What wraps every request: an id, limits on its body and its time, counting, and the last safety net."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid
from collections.abc import Collection
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.trace import request_context
from serve.api.lifecycle import Lifecycle
from serve.api.metrics import Metrics
from serve.api.problems import ProblemError, problem_response

logger = logging.getLogger("gauge.http")

REQUEST_ID_HEADER = "X-Request-ID"
SAFE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
ALWAYS_ANSWERED = frozenset({"/health", "/ready", "/metrics"})
"""Asked by whoever watches the server, also while it ends."""

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; img-src 'self' blob: data:; style-src 'self'; script-src 'self';"
    " connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}


class BodyTooLarge(HTTPException):
    """The request's body is longer than allowed; an HTTPException so that the form parser lets it through."""

    def __init__(self, limit_bytes: int) -> None:
        detail = f"the request is larger than the limit of {limit_bytes / 2**20:.3g} MiB"
        super().__init__(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, {"Connection": "close"})


class BodyTooSlow(HTTPException):
    """The request's body did not arrive in time."""

    def __init__(self, limit_s: float) -> None:
        detail = f"the request did not arrive within {limit_s:g} s"
        super().__init__(HTTPStatus.REQUEST_TIMEOUT, detail, {"Connection": "close"})


class Gatekeeper:
    """Gives each request its id, counts its body and its time, and answers what nobody foresaw without telling internals.

    `hosts` are the names under which the server may be asked, None for any: a page of another site whose name was bent to
    this machine asks under that site's name.
    """

    def __init__(
        self,
        app: ASGIApp,
        max_body_bytes: int,
        max_body_s: float,
        lifecycle: Lifecycle,
        metrics: Metrics,
        hosts: Collection[str] | None = None,
    ) -> None:
        self.app = app
        self.max_body_bytes = max_body_bytes
        self.max_body_s = max_body_s
        self.lifecycle = lifecycle
        self.metrics = metrics
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _request_id(Headers(scope=scope).get(REQUEST_ID_HEADER))
        scope.setdefault("state", {})["request_id"] = request_id
        status, began = 0, time.perf_counter()

        # HEAD is GET without the body (RFC 9110, 9.3.2); routes need not know it.
        head_only = scope["method"] == "HEAD"
        if head_only:
            scope = {**scope, "method": "GET"}

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if head_only and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            if message["type"] == "http.response.start":
                status = int(message["status"])
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID_HEADER] = request_id
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        self.lifecycle.begin()
        try:
            with request_context(request_id):
                refusal = self._refusal(scope)
                if refusal is not None:
                    answer = problem_response(request_id, refusal.status, refusal.kind, refusal.detail, refusal.headers)
                    await answer(scope, receive, send_with_headers)
                    return
                await self.app(scope, self._counting(scope, receive), send_with_headers)
        except Exception:
            logger.exception("request %s failed", request_id)
            if status:
                raise
            detail = "the server failed; its log knows why under the request id"
            answer = problem_response(request_id, HTTPStatus.INTERNAL_SERVER_ERROR, "internal", detail)
            await answer(scope, receive, send_with_headers)
        finally:
            self.lifecycle.end()
            self.metrics.count_request(_method(scope), _route(scope), status, time.perf_counter() - began)

    def _refusal(self, scope: Scope) -> ProblemError | None:
        """Why a request is not even looked at."""
        if self.lifecycle.is_stopping and scope["path"] not in ALWAYS_ANSWERED:
            headers = {"Retry-After": "10", "Connection": "close"}
            return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "stopping", "the server is ending; ask again soon", headers)
        host = Headers(scope=scope).get("host", "").lower()
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if self.hosts is not None and name not in self.hosts:
            detail = "the server listens to this machine alone and was asked under another name"
            return ProblemError(HTTPStatus.MISDIRECTED_REQUEST, "other-host", detail)
        return None

    def _counting(self, scope: Scope, receive: Receive) -> Receive:
        declared = Headers(scope=scope).get("content-length", "")
        received, whole = 0, False
        deadline = asyncio.get_running_loop().time() + self.max_body_s

        async def receive_within_limit() -> Message:
            nonlocal received, whole
            if declared.isdigit() and int(declared) > self.max_body_bytes:
                raise BodyTooLarge(self.max_body_bytes)
            if whole:
                return await receive()  # Nothing but the client's going away comes now, whenever that is.
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError as error:
                raise BodyTooSlow(self.max_body_s) from error
            received += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if received > self.max_body_bytes:
                raise BodyTooLarge(self.max_body_bytes)
            return message

        return receive_within_limit


def _request_id(given: str | None) -> str:
    """The client's own id where it is harmless in a log, else a new one."""
    return given if given and SAFE_ID.fullmatch(given) else uuid.uuid4().hex


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"


def _route(scope: Scope) -> str:
    """The pattern of the route that answered, never the address: ids would make a series each."""
    return str(getattr(scope.get("route"), "path", "none"))
