"""A value on its scale, as a strip: the printed range, the manual's bands, the interval and the value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from knowledge.facts import LimitFact, LimitLevel, ModelFacts
from rag.limits import Interval, limits_for, span_of
from rag.queries import format_number
from vision.fields import InstrumentReading
from vision.units import convert

WIDTH = 1000.0
"""Length of the strip in its own units; the page scales it."""


class Band(NamedTuple):
    """A level of the manual between two places on the strip."""

    level: LimitLevel
    x: float
    width: float
    text: str


class Tick(NamedTuple):
    """A number beside the strip."""

    x: float
    text: str


class Strip(NamedTuple):
    """Places along 0..WIDTH; interval and value may lie outside the scale, then at its end."""

    bands: tuple[Band, ...]
    low_x: float
    high_x: float
    value_x: float
    ticks: tuple[Tick, ...]


def build_strip(reading: InstrumentReading, facts: ModelFacts | None) -> Strip | None:
    """The strip of a reading; None where the value or the ends of its scale are not known in the value's unit."""
    if reading.value is None or reading.value_low is None or reading.value_high is None:
        return None
    ends = _ends(reading, facts)
    if ends is None or not ends.high > ends.low:
        return None
    if not ends.low - (ends.high - ends.low) <= reading.value <= ends.high + (ends.high - ends.low):
        return None  # A value that far off its scale has no place on it.

    def place(value: float) -> float:
        return round(WIDTH * min(max((value - ends.low) / (ends.high - ends.low), 0.0), 1.0), 1)

    stated = [(one, _inside(one, ends)) for one in bands_in(facts, reading.unit)]
    shown = [(one, part) for one, part in stated if part.high > part.low]
    bands = tuple(
        Band(one.level, place(part.low), round(place(part.high) - place(part.low), 1), band_text(one)) for one, part in shown
    )
    numbers = sorted({*ends, *(edge for _, part in shown for edge in part)})
    ticks = _apart([Tick(place(number), format_number(round(number, 6))) for number in numbers])
    return Strip(bands, place(reading.value_low), place(reading.value_high), place(reading.value), ticks)


def bands_in(facts: ModelFacts | None, unit: str | None) -> tuple[LimitFact, ...]:
    """The manual's bands in `unit`, from low to high; none where the units do not go together."""
    if facts is None or unit is None:
        return ()
    return tuple(_converted(one, unit) for one in limits_for(facts, unit))


def _converted(band: LimitFact, unit: str) -> LimitFact:
    if band.unit is None or band.unit == unit:
        return band
    ends = {name: convert(end, band.unit, unit) for name, end in (("low", band.low), ("high", band.high)) if end is not None}
    return band.model_copy(update={**ends, "unit": unit})


def _ends(reading: InstrumentReading, facts: ModelFacts | None) -> Interval | None:
    """The manual's range where the value comes from its formula, else the printed ends."""
    if reading.value_source == "calibration_formula":
        return span_of(facts.value_range, reading.unit) if facts is not None and reading.unit is not None else None
    low, high = reading.fields.scale_min, reading.fields.scale_max
    if low is None or high is None or reading.value_source == "digits":
        return None
    return Interval(min(low, high), max(low, high))


def _inside(band: LimitFact, ends: Interval) -> Interval:
    """The part of a band that lies on the scale; an open end runs to the scale's own."""
    low = ends.low if band.low is None else max(band.low, ends.low)
    high = ends.high if band.high is None else min(band.high, ends.high)
    return Interval(low, high)


def band_text(one: LimitFact) -> str:
    """The ends of a band with its unit."""
    ends = [format_number(end) for end in (one.low, one.high) if end is not None]
    return f"{' – '.join(ends)} {one.unit or ''}".strip()


def _apart(ticks: Sequence[Tick]) -> tuple[Tick, ...]:
    """The first and last, and those between that leave room for their numbers."""
    kept: list[Tick] = [ticks[0]]
    for tick in ticks[1:-1]:
        if tick.x - kept[-1].x >= 70 and ticks[-1].x - tick.x >= 70:
            kept.append(tick)
    return (*kept, ticks[-1]) if len(ticks) > 1 else tuple(kept)
