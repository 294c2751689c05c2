"""Forms as browsers send them."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import Request
from starlette.datastructures import FormData

from serve.api.problems import ProblemError


async def read_form(request: Request, max_files: int, max_fields: int) -> FormData:
    """The form of a request. Raises ProblemError (400) for a text encoding that it does not keep to."""
    try:
        return await request.form(max_files=max_files, max_fields=max_fields)
    except (ValueError, IndexError) as error:  # Some of Python's codecs raise more than UnicodeError.
        detail = "the form's text is not in the character set that it names; send it as UTF-8"
        raise ProblemError(HTTPStatus.BAD_REQUEST, "invalid-request", detail) from error
