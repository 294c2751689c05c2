"""One value from the last few: the median, in which an exact reading weighs more than a vague one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from serve.cameras.plausible import Seen
from serve.cameras.registry import Smoothing

NARROWEST = 1e-6
"""Share of a value below which an interval is not taken for narrower: a display's digits must not outweigh all others."""


class Smooth(NamedTuple):
    """A smoothed value with its interval, and how many readings it comes from."""

    value: float
    low: float
    high: float
    frames: int


def keep_recent(readings: Sequence[Seen], now_s: float, options: Smoothing) -> tuple[Seen, ...]:
    """The newest of the readings that are young enough, oldest first."""
    return tuple(one for one in readings[-options.frames :] if now_s - one.at_s <= options.seconds)


def smooth(readings: Sequence[Seen]) -> Smooth | None:
    """The weighted median of values, of lower and of upper ends; None for no readings.

    A reading weighs its confidence by the width of its interval. The interval is the median's own and does not shrink with
    the number of readings: what one picture hides, a reflection or a tilted view, the next hides as well. It holds the
    newest reading's: while an instrument moves, a median is late, and says so.
    """
    if not readings:
        return None
    weights = [_weight(one) for one in readings]
    value, low, high = (_median([getattr(one, name) for one in readings], weights) for name in ("value", "low", "high"))
    newest = readings[-1]
    return Smooth(value, min(low, newest.low), max(high, newest.high), len(readings))


def _weight(one: Seen) -> float:
    floor = NARROWEST * max(abs(one.value), 1.0)
    return max(one.confidence, 1e-3) / max(one.high - one.low, floor)


def _median(values: Sequence[float], weights: Sequence[float]) -> float:
    """The least value at which half of the weight is reached: always one that was read."""
    half, reached = sum(weights) / 2.0, 0.0
    ordered = sorted(zip(values, weights, strict=True))
    for value, weight in ordered:
        reached += weight
        if reached >= half:
            return value
    return ordered[-1][0]
