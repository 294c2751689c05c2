"""Errors over HTTP as RFC 9457 problem details: one shape, the request's id in each, no internals in any."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from knowledge.manifest import DatabaseFault
from serve.store.errors import NotFoundError, QuotaError, RefusedError, StoreError
from serve.store.idempotency import InProgressError
from vision.fields import Contract
from vision.photos import PhotoError, PhotoProblem

logger = logging.getLogger("gauge.http")

PROBLEM_TYPE = "application/problem+json"
MOST_COMPLAINTS = 10
MOST_SAID = 200
"""Characters of the place and of the text of one complaint: a request may have thousands of wrong fields with long names."""
STATUS_OF_PHOTO: dict[PhotoProblem, int] = {
    "too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "not_an_image": HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "empty": HTTPStatus.UNPROCESSABLE_ENTITY,
    "damaged": HTTPStatus.UNPROCESSABLE_ENTITY,
    "missing": HTTPStatus.UNPROCESSABLE_ENTITY,
    "folder": HTTPStatus.UNPROCESSABLE_ENTITY,
    "unreadable": HTTPStatus.UNPROCESSABLE_ENTITY,
}


class Problem(Contract):
    """Problem details of RFC 9457, with the id under which the server's log knows the request."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    request_id: str


class ProblemError(Exception):
    """Answered as a problem; `kind` becomes the problem's type, a name that clients can branch on."""

    def __init__(self, status: int, kind: str, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.headers = headers or {}


def photo_problem(error: PhotoError) -> ProblemError:
    """The answer to a photo that cannot be opened: 413, 415 or 422 with the command line's own words."""
    return ProblemError(STATUS_OF_PHOTO[error.problem], f"photo-{error.problem.replace('_', '-')}", str(error))


def store_problem(error: StoreError) -> ProblemError:
    """The answer to what the store says."""
    if isinstance(error, NotFoundError):
        return ProblemError(HTTPStatus.NOT_FOUND, "not-found", str(error))
    if isinstance(error, RefusedError):
        return ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "refused", str(error))
    if isinstance(error, InProgressError):
        return ProblemError(HTTPStatus.CONFLICT, "in-progress", str(error), {"Retry-After": "2"})
    if isinstance(error, QuotaError) and error.retry_after_s is not None:
        return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, "quota", str(error), {"Retry-After": str(error.retry_after_s)})
    if isinstance(error, QuotaError):
        return ProblemError(HTTPStatus.INSUFFICIENT_STORAGE, "quota", str(error))
    logger.error("%s", error)
    detail = f"nothing can be kept now: {error.public}"
    return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "store", detail, {"Retry-After": "5"})


def problem_response(request_id: str, status: int, kind: str, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """A problem as a response."""
    problem = Problem(
        type=f"urn:gaugerag:problem:{kind}" if kind else "about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        request_id=request_id,
    )
    return JSONResponse(problem.model_dump(), status, headers=headers, media_type=PROBLEM_TYPE)


def request_id_of(request: Request) -> str:
    """The request's id, given by the middleware."""
    return str(request.state.request_id)


def add_problem_handlers(app: FastAPI) -> None:
    """Answer every error of the framework and of this room as a problem."""

    @app.exception_handler(ProblemError)
    async def on_problem(request: Request, error: ProblemError) -> JSONResponse:
        logger.info("%s: %d %s", request_id_of(request), error.status, error.detail)
        return problem_response(request_id_of(request), error.status, error.kind, error.detail, error.headers)

    @app.exception_handler(StoreError)
    async def on_store_error(request: Request, error: StoreError) -> JSONResponse:
        return await on_problem(request, store_problem(error))

    @app.exception_handler(DatabaseFault)
    async def on_manuals_away(request: Request, error: DatabaseFault) -> JSONResponse:
        # The message names hosts and users of the house: it is for the log.
        logger.error("%s: %s", request_id_of(request), error)
        detail = "the manuals cannot be asked now: their database does not answer"
        problem = ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "manuals", detail, {"Retry-After": "5"})
        return await on_problem(request, problem)

    @app.exception_handler(HTTPException)
    async def on_http_error(request: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers or {})
        return problem_response(request_id_of(request), error.status_code, "", _told(error, headers), headers)

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        complaints = [_complaint(one) for one in error.errors()]
        more = [f"and {len(complaints) - MOST_COMPLAINTS} more"] if len(complaints) > MOST_COMPLAINTS else []
        detail = "; ".join(complaints[:MOST_COMPLAINTS] + more)
        return problem_response(request_id_of(request), HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-request", detail)


def _told(error: HTTPException, headers: dict[str, str]) -> str:
    """The detail of an error, in more words than its title where it has no more."""
    if error.detail == "There was an error parsing the body":
        return "the body cannot be read: it is no valid JSON or form, or nested too deeply, or a number in it is too long"
    if error.detail != HTTPStatus(error.status_code).phrase:
        return str(error.detail)
    if error.status_code == HTTPStatus.NOT_FOUND:
        return "there is nothing at this address; /openapi.json lists all that there is"
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        known = headers.get("allow") or headers.get("Allow") or "other methods"
        return f"this address answers {known}; /openapi.json lists all that there is"
    return str(error.detail)


def _complaint(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"] if part != "body") or "body"
    said = str(error["msg"])
    if "Expected UploadFile" in said:
        said = "it was sent as text; send it as a file, with a file name"
    return f"{where[:MOST_SAID]}: {said[:MOST_SAID]}"


def problem_docs(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What /openapi.json says of a route's problems."""
    return {
        status: {"model": Problem, "description": HTTPStatus(status).phrase, "content": {PROBLEM_TYPE: {}}} for status in statuses
    }
