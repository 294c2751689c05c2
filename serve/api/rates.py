"""How often somebody may ask: a moving window for each name, in memory."""

from __future__ import annotations

import time
from http import HTTPStatus
from math import ceil

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from serve.api.problems import ProblemError


class Rates:
    """One rate, such as `600/minute`, kept for each name."""

    def __init__(self, rate: str) -> None:
        self._item = parse(rate)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def spend(self, name: str, detail: str) -> None:
        """Count one. Raises ProblemError (429) above the rate."""
        if not self._limiter.hit(self._item, name):
            raise self._problem(name, detail)

    def check(self, name: str, detail: str) -> None:
        """Raises ProblemError (429) where the next one would be above the rate; counts nothing."""
        if not self._limiter.test(self._item, name):
            raise self._problem(name, detail)

    def _problem(self, name: str, detail: str) -> ProblemError:
        reset_at = self._limiter.get_window_stats(self._item, name).reset_time
        wait_s = max(1, ceil(reset_at - time.time()))
        words = f"{detail}: at most {self._item.amount} a {self._item.GRANULARITY.name}"
        return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, "rate", words, {"Retry-After": str(wait_s)})
