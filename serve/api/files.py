"""A file as an answer: always whole, and a sweep may take it away in the last moment."""

from __future__ import annotations

import os

import anyio.to_thread
from fastapi.responses import FileResponse
from starlette.types import Receive, Scope, Send

from serve.store.errors import NotFoundError


class WholeFile(FileResponse):
    """A file in one piece: a header Range is passed over, as RFC 9110 (14.2) permits. NotFoundError where it is gone."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self.set_stat_headers(await anyio.to_thread.run_sync(os.stat, self.path))
        except FileNotFoundError as error:
            raise NotFoundError("the file is not kept any more") from error
        self.headers["accept-ranges"] = "none"
        headers = [(name, value) for name, value in scope["headers"] if name != b"range"]
        await super().__call__({**scope, "headers": headers}, receive, send)
