"""Heavy work off the event loop: a few photos at a time, a few more waiting, the rest told to come back."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import TypeVar

import anyio
import anyio.to_thread

from serve.api.problems import ProblemError

T = TypeVar("T")

RETRY_AFTER_S = 5


class Workers:
    """At most `concurrency` calls run at the same time and at most `max_waiting` wait for their turn."""

    def __init__(self, concurrency: int, max_waiting: int) -> None:
        self.limiter = anyio.CapacityLimiter(concurrency)
        self.most = concurrency + max_waiting
        self.admitted = 0

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work` in a thread. Raises ProblemError (503) where too many wait already."""
        if self.admitted >= self.most:
            detail = f"{self.admitted} requests are being worked on or waiting; try again in some seconds"
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "busy", detail, {"Retry-After": str(RETRY_AFTER_S)})
        self.admitted += 1
        try:
            return await anyio.to_thread.run_sync(work, limiter=self.limiter)
        finally:
            self.admitted -= 1
