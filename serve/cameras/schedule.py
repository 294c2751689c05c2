"""When a camera is asked: every so many seconds, or as a cron line says. Steps of the clock neither stop nor double it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cronsim import CronSim, CronSimError

STEP_S = 60.0
"""A clock that goes back further than this was set; less is how clocks are slewed."""


def cron_problem(line: str) -> str | None:
    """What is wrong with a cron line, None where it fires some day."""
    try:
        next(CronSim(line, datetime.now(UTC)))
    except (CronSimError, StopIteration) as error:
        return f"cron {line!r} is no schedule that ever fires: {error or 'no date is like that'}"
    return None


@dataclass(frozen=True)
class Schedule:
    """`every_s` in steady seconds, or `cron` in the local time of this machine."""

    every_s: float | None = None
    cron: str | None = None

    def wait_s(self, now: datetime, last: datetime | None, steady_since_last_s: float | None) -> float:
        """Seconds until the next picture, 0 where it is due.

        `now` and `last` (the last due moment) are aware datetimes; `steady_since_last_s` is what a clock that cannot be
        set counted since the last picture, None before the first.
        """
        if self.every_s is not None:
            return 0.0 if steady_since_last_s is None else max(0.0, self.every_s - steady_since_last_s)
        assert self.cron is not None
        start = now if last is None or now < last - timedelta(seconds=STEP_S) else last
        return max(0.0, (self._next(start) - now).total_seconds())

    def due(self, now: datetime, last: datetime | None) -> datetime:
        """The moment that a picture taken at `now` stands for: the next one is looked for after it."""
        return now if last is None or now < last - timedelta(seconds=STEP_S) else max(now, last)

    def _next(self, start: datetime) -> datetime:
        moment = next(CronSim(self.cron, start))
        assert isinstance(moment, datetime)
        return moment
