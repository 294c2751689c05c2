"""Heavy work off the event loop: a few photos at a time, a few more waiting, the rest told to come back."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TypeVar

from serve.api.problems import ProblemError

T = TypeVar("T")

RETRY_AFTER_S = 5


class Workers:
    """At most `concurrency` calls run at the same time and at most `max_waiting` wait for their turn.

    Nobody waits longer than `timeout_s` for a result. Who gives up while waiting for its turn leaves the queue; work that
    has begun is ended and keeps its place until then, for a thread cannot be stopped.
    """

    def __init__(self, concurrency: int, max_waiting: int, timeout_s: float | None = None) -> None:
        self.concurrency = concurrency
        self.most = concurrency + max_waiting
        self.timeout_s = timeout_s
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="gauge-worker")
        self._lock = threading.Condition()
        self._admitted = 0
        self._running = 0

    @property
    def running(self) -> int:
        """How many are worked on."""
        return self._running

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return max(0, self._admitted - self._running)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work` in a thread. Raises ProblemError (503) where too many wait already or it takes too long."""
        self._admit()
        future = self._pool.submit(self._in_turn, contextvars.copy_context(), work)
        future.add_done_callback(lambda _: self._count(admitted=-1))
        try:
            async with asyncio.timeout(self.timeout_s):
                return await asyncio.wrap_future(future)
        except TimeoutError as error:
            if future.done() and not future.cancelled():
                raise  # The work's own.
            detail = f"no result within {self.timeout_s:g} s; with an Idempotency-Key the same request can be sent again"
            raise _come_back("timeout", detail) from error

    def wait_idle(self, most_s: float) -> bool:
        """Wait until no request is worked on or waits, so long at the most; whether it is so. Blocks."""
        with self._lock:
            return self._lock.wait_for(lambda: self._admitted == 0, most_s)

    def close(self) -> None:
        """End what has begun and take nothing more. Blocks."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _admit(self) -> None:
        with self._lock:
            if self._admitted >= self.most:
                detail = f"{self._admitted} requests are being worked on or waiting; try again in some seconds"
                raise _come_back("busy", detail)
            self._admitted += 1

    def _in_turn(self, context: contextvars.Context, work: Callable[[], T]) -> T:
        self._count(running=1)
        try:
            return context.run(work)
        finally:
            self._count(running=-1)

    def _count(self, *, admitted: int = 0, running: int = 0) -> None:
        with self._lock:
            self._admitted += admitted
            self._running += running
            if self._admitted == 0:
                self._lock.notify_all()


def _come_back(kind: str, detail: str) -> ProblemError:
    return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, kind, detail, {"Retry-After": str(RETRY_AFTER_S)})
