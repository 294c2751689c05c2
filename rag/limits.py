"""Limits of a manual against a value's interval: units, touched bands and what is left unstated. Arithmetic alone."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from knowledge.articles import Language
from knowledge.facts import LEVELS, LimitFact, LimitLevel, ModelFacts, RangeFact
from rag.queries import format_number
from rag.templates import sentence
from vision.units import UnitError, compatible, convert

_NOISE = 1e-9
"""Relative error of a conversion there and back: ends closer than this are the same."""


class Interval(NamedTuple):
    """A closed interval in some unit."""

    low: float
    high: float

    def touches(self, other: Interval) -> bool:
        """Whether the two share a value."""
        return self.low <= other.high and other.low <= self.high

    def within(self, other: Interval) -> bool:
        """Whether `other` holds all of this one, rounding of a conversion forgiven."""
        slack = _NOISE * max(1.0, abs(other.low), abs(other.high))
        return other.low - slack <= self.low and self.high <= other.high + slack


def convert_interval(interval: Interval, source: str, target: str) -> Interval:
    """An interval in another unit. Raises UnitError where the two measure different things."""
    low, high = sorted(convert(end, source, target) for end in interval)
    return Interval(low, high)


def unit_of(limit: LimitFact, facts: ModelFacts) -> str | None:
    """The unit of a band: its own, else the one that the manual declares for the reading."""
    return limit.unit or (facts.unit.unit if facts.unit is not None else None)


def limits_for(facts: ModelFacts, unit: str) -> tuple[LimitFact, ...]:
    """Bands that a value in `unit` can be compared with, from low to high, all in the unit of the first of them.

    A second table of limits may be about something else: bands that measure another thing are left out.
    """
    found: list[LimitFact] = []
    target: str | None = None
    for limit in facts.limits:
        own = unit_of(limit, facts)
        if own is not None and compatible(own, unit):
            target = target or own
            found.append(_in_unit(limit, own, target))
    return tuple(sorted(found, key=lambda one: (_start(one), math.inf if one.high is None else one.high)))


def _in_unit(limit: LimitFact, source: str, target: str) -> LimitFact:
    ends = {name: end for name, end in (("low", limit.low), ("high", limit.high)) if end is not None}
    if source != target:
        ends = {name: convert(end, source, target) for name, end in ends.items()}
    return limit.model_copy(update={**ends, "unit": target})


def _start(limit: LimitFact) -> float:
    return -math.inf if limit.low is None else limit.low


def touched_bands(limits: Iterable[LimitFact], interval: Interval) -> tuple[LimitFact, ...]:
    """All bands that the closed interval, in the bands' unit, shares a value with."""
    return tuple(limit for limit in limits if _reaches(limit, interval))


def _reaches(band: LimitFact, interval: Interval) -> bool:
    below = band.high is None or _before(interval.low, band.high) or (band.high_included and _same(interval.low, band.high))
    above = band.low is None or _before(band.low, interval.high) or (band.low_included and _same(interval.high, band.low))
    return below and above


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_NOISE, abs_tol=1e-12)


def _before(one: float, other: float) -> bool:
    return one < other and not _same(one, other)


def unstated(touched: Iterable[LimitFact], interval: Interval, span: Interval | None) -> bool:
    """Whether some of the interval lies in no band. What lies off the measuring range `span` cannot be read and counts not."""
    low, high = interval
    if span is not None and interval.touches(span):
        low, high = max(low, span.low), min(high, span.high)
    bands = sorted(touched, key=_start)
    if not bands:
        return True
    first, last = bands[0], max(bands, key=lambda band: math.inf if band.high is None else band.high)
    if (first.low is not None and _before(low, first.low)) or (last.high is not None and _before(last.high, high)):
        return True
    reached = -math.inf
    for lower, upper in pairwise(bands):
        reached = max(reached, math.inf if lower.high is None else lower.high)
        if upper.low is not None and _before(reached, upper.low):
            return True
    return False


def span_of(value_range: RangeFact | None, unit: str) -> Interval | None:
    """The measuring range in `unit`; None where none is stated or it measures something else."""
    if value_range is None:
        return None
    try:
        return convert_interval(Interval(value_range.low, value_range.high), value_range.unit or unit, unit)
    except UnitError:
        return None


def levels_of(bands: Iterable[LimitFact]) -> tuple[LimitLevel, ...]:
    """The bands' levels, each once, from harmless to grave."""
    met = {band.level for band in bands}
    return tuple(level for level in LEVELS if level in met)


def border(lower: LimitFact, upper: LimitFact) -> float | None:
    """The limit between two bands: the bound of the graver one, else of the other."""
    graver_above = LEVELS.index(upper.level) > LEVELS.index(lower.level)
    ends = (upper.low, lower.high) if graver_above else (lower.high, upper.low)
    return next((end for end in ends if end is not None), None)


def band_text(band: LimitFact, unit: str, language: Language) -> str:
    """A band in words, its open and excluded ends told apart: `above 80 to 100 MPa`, `below 196 V`."""
    ends = {name: format_number(end) for name, end in (("low", band.low), ("high", band.high)) if end is not None}
    if len(ends) == 2:
        name = "band_between" if band.low_included else "band_above_to"
    elif band.low is not None:
        name = "band_from" if band.low_included else "band_above"
    else:
        name = "band_up_to" if band.high_included else "band_below"
    return sentence(name, language, unit=unit, **ends)


def level_name(level: LimitLevel, language: Language) -> str:
    """A level in words."""
    return sentence(f"level_{level}", language)
