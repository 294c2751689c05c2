"""A value against the earlier readings of the same instrument: change, slope, jump. Robust arithmetic, no model.

The slope is that of Theil (1950) and Sen (1968): the median over all pairs, which a third of wrong readings cannot turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import combinations
from statistics import median
from typing import NamedTuple

from knowledge.articles import Language
from knowledge.facts import LimitLevel
from rag.diagnosis import Diagnosis, interval_of
from rag.history import Past, PastReading
from rag.limits import Interval, convert_interval
from rag.queries import format_number
from rag.templates import sentence
from vision.fields import InstrumentReading
from vision.units import compatible

LEAST_FOR_SLOPE = 4
"""Readings, the present one included, from which on a slope is said."""
AGREEING = 0.75
"""Share of pairs that must rise for a rise, so that noise around a level is not called a trend."""
SCATTER = 3.0
"""A jump is further from the expected value than this many robust standard deviations (1.4826 MAD)."""
HOUR, DAY = 3600.0, 86400.0


class Point(NamedTuple):
    """One reading: seconds, value and half width in the present reading's unit."""

    seconds: float
    value: float
    half: float


def judge_trend(reading: InstrumentReading, past: Past | None, language: Language) -> tuple[Diagnosis, ...]:
    """Findings against the earlier readings. Empty where there is no value, or where it is not known which instrument it is."""
    interval = interval_of(reading)
    if past is None or interval is None or reading.value is None:
        return ()
    earlier = [one for one in past.readings if _comparable(one, reading)]
    if not earlier:
        return (Diagnosis("trend_none" if not past.readings else "trend_other_unit", earlier=True),)
    last = earlier[-1]
    unit = reading.unit
    start = earlier[0].taken_at
    points = [_point(one, unit, start) for one in earlier]
    now = Point((_aware(past.taken_at, start) - start).total_seconds(), reading.value, (interval.high - interval.low) / 2)
    slots = {"last": _text(last), "count": str(len(earlier)), "since": _day(last.taken_at)}
    workings = (*(_text(one) for one in earlier), *slots.values())
    jump = _jumped(points, now)
    changed = not _interval(last, unit).touches(interval)
    name = "trend_jump" if jump else "trend_changed" if changed else "trend_same"
    found = [_finding(name, slots, workings, least="warning" if jump else None)]
    # What has jumped has no slope: the line through it would be the jump's.
    return (*found, *(() if jump else _slope([*points, now], unit, workings, language)))


def _comparable(past: PastReading, reading: InstrumentReading) -> bool:
    if past.unit is None or reading.unit is None:
        return past.unit == reading.unit
    return compatible(past.unit, reading.unit)


def _interval(past: PastReading, unit: str | None) -> Interval:
    """The earlier interval in the present unit."""
    own = Interval(past.low, past.high)
    return own if unit is None or past.unit in (None, unit) else convert_interval(own, past.unit or unit, unit)


def _point(past: PastReading, unit: str | None, start: datetime) -> Point:
    low, high = _interval(past, unit)
    value = _interval(past._replace(low=past.value, high=past.value), unit).low
    return Point((past.taken_at - start).total_seconds(), value, (high - low) / 2)


def theil_sen(points: Sequence[Point]) -> float | None:
    """Median slope (per second) over all pairs at different moments; None where there is no such pair."""
    slopes = [(b.value - a.value) / (b.seconds - a.seconds) for a, b in combinations(points, 2) if b.seconds != a.seconds]
    return median(slopes) if slopes else None


def _jumped(points: Sequence[Point], now: Point) -> bool:
    """Whether the value lies off the line of the earlier ones by more than their scatter and both half widths explain."""
    if len(points) < LEAST_FOR_SLOPE - 1:
        return False
    slope = theil_sen(points) or 0.0
    level = median(one.value - slope * one.seconds for one in points)
    scatter = 1.4826 * median(abs(one.value - slope * one.seconds - level) for one in points)
    off = abs(now.value - (level + slope * now.seconds))
    return off > SCATTER * scatter + now.half + median(one.half for one in points)


def _slope(points: Sequence[Point], unit: str | None, workings: tuple[str, ...], language: Language) -> tuple[Diagnosis, ...]:
    """A rise or fall over all readings that is larger than their half widths; else that there is none."""
    slope = theil_sen(points)
    if len(points) < LEAST_FOR_SLOPE or slope is None:
        return ()
    pairs = [b.value - a.value for a, b in combinations(points, 2) if b.seconds != a.seconds]
    agreeing = sum(1 for step in pairs if step * slope > 0) / len(pairs)
    length = points[-1].seconds - points[0].seconds
    slots = {"count": str(len(points))}
    if agreeing < AGREEING or abs(slope) * length <= 2 * median(one.half for one in points):
        return (_finding("trend_steady", slots, (*workings, *slots.values())),)
    seconds, per = (DAY, "per_day") if length >= 2 * DAY else (HOUR, "per_hour")
    rate = format_number(float(f"{abs(slope) * seconds:.3g}"))
    slots |= {"rate": f"{rate} {unit or ''}".strip(), "per": sentence(per, language)}
    return (_finding("trend_rising" if slope > 0 else "trend_falling", slots, (*workings, *slots.values())),)


def _finding(name: str, slots: dict[str, str], workings: tuple[str, ...], *, least: LimitLevel | None = None) -> Diagnosis:
    return Diagnosis(name, (), slots, least, workings=workings, earlier=True)


def _aware(moment: datetime, like: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=like.tzinfo)


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M")


def _text(past: PastReading) -> str:
    """An earlier value with the decimals of its interval."""
    return f"{format_number(past.value, (past.high - past.low) / 2)} {past.unit or ''}".strip()
