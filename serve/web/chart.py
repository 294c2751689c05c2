"""A place's readings over time as an SVG: values with their intervals, the manual's limits, and what was not read.

Plain numbers for a template: nothing here is text from a photo, and every place lies inside the drawing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

from knowledge.facts import LimitLevel, ModelFacts
from rag.queries import format_number
from serve.store.reports import PlaceReading
from serve.web.strip import bands_in
from vision.units import compatible, convert

WIDTH, HEIGHT = 720.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 704.0, 14.0, 216.0
UNREAD_Y = 206.0
REACH = 25.0
"""A limit is drawn where it lies within so many spans of the data, and left to the table where it is further off."""
DAY_S = 86400.0
TINY = 1e-290
"""Spans below are none: their steps would be below what a float holds."""


class Dot(NamedTuple):
    """A value at its moment, with the ends of its interval."""

    x: float
    y: float
    low_y: float
    high_y: float
    report: str
    text: str


class Cross(NamedTuple):
    """A moment at which nothing was read."""

    x: float
    report: str
    text: str


class Limit(NamedTuple):
    """A border between two bands of the manual; the level is that of the graver side."""

    level: LimitLevel
    y: float
    text: str


class Mark(NamedTuple):
    """A number or a date beside an axis."""

    at: float
    text: str


class Chart(NamedTuple):
    """One kind of instrument of a place, all values in `unit`."""

    kind: str
    model: str | None
    unit: str | None
    dots: tuple[Dot, ...]
    crosses: tuple[Cross, ...]
    limits: tuple[Limit, ...]
    rows: tuple[Mark, ...]
    columns: tuple[Mark, ...]
    line: str


class _Value(NamedTuple):
    reading: PlaceReading
    value: float
    low: float
    high: float


def build_charts(history: Sequence[PlaceReading], facts_of: Mapping[str, ModelFacts]) -> tuple[Chart, ...]:
    """One chart for each kind, model and unit with a value; `facts_of` are the manuals in force, by model.

    Where a photo shows two instruments of one kind and model nobody knows which is which from photo to photo: those are
    left to the table.
    """
    told = tuple(one for one in history if one.report not in _ambiguous(history))
    charts = [
        _chart(kind, model, values, [one for one in told if one.kind == kind and one.value is None], facts_of.get(model or ""))
        for (kind, model), of_kind in _by_kind(told).items()
        for values in _by_unit(of_kind)
    ]
    return tuple(sorted(charts, key=lambda chart: -len(chart.dots)))


def _ambiguous(history: Sequence[PlaceReading]) -> frozenset[str]:
    counts = Counter((one.report, one.kind, one.model) for one in history)
    return frozenset(report for (report, _, _), count in counts.items() if count > 1)


def _by_kind(history: Sequence[PlaceReading]) -> dict[tuple[str, str | None], list[PlaceReading]]:
    found: dict[tuple[str, str | None], list[PlaceReading]] = {}
    for one in history:
        if one.value is not None:
            found.setdefault((one.kind, one.model), []).append(one)
    return found


def _by_unit(history: Sequence[PlaceReading]) -> list[list[_Value]]:
    """Values that can be shown together, in the newest one's unit."""
    groups: list[tuple[str | None, list[_Value]]] = []
    for one in reversed(history):
        unit = next((unit for unit, _ in groups if _together(one.unit, unit)), one.unit)
        group = next((values for own, values in groups if own == unit), None)
        if group is None:
            group = []
            groups.append((unit, group))
        group.append(_converted(one, unit))
    return [values[::-1] for _, values in groups]


def _together(first: str | None, second: str | None) -> bool:
    return first == second or (first is not None and second is not None and compatible(first, second))


def _converted(one: PlaceReading, unit: str | None) -> _Value:
    assert one.value is not None
    ends = (one.value, one.low if one.low is not None else one.value, one.high if one.high is not None else one.value)
    if unit is not None and one.unit is not None and one.unit != unit:
        ends = (convert(ends[0], one.unit, unit), convert(ends[1], one.unit, unit), convert(ends[2], one.unit, unit))
    return _Value(one.model_copy(update={"unit": unit}), *ends)


def _chart(
    kind: str, model: str | None, values: Sequence[_Value], unread: Sequence[PlaceReading], facts: ModelFacts | None
) -> Chart:
    unit = values[-1].reading.unit
    moments = [one.reading.created for one in values] + [one.created for one in unread]
    start, end = min(moments), max(moments)
    borders = [] if facts is None else _borders(facts, unit, values)
    low = min([one.low for one in values] + [at for _, at in borders])
    high = max([one.high for one in values] + [at for _, at in borders])
    steps = nice_steps(low, high)
    bottom, top = min(low, steps[0]), max(high, steps[-1])

    def x_of(moment: float) -> float:
        return round(
            (LEFT + RIGHT) / 2 if end == start else LEFT + 12 + (RIGHT - LEFT - 24) * (moment - start) / (end - start), 1
        )

    def y_of(value: float) -> float:
        share = 0.5 if top == bottom else (value - bottom) / (top - bottom)
        return round(UNREAD_Y - 14 - (UNREAD_Y - 14 - TOP) * share, 1)

    dots = tuple(
        Dot(
            x_of(one.reading.created), y_of(one.value), y_of(one.low), y_of(one.high), one.reading.report,
            f"{stamp(one.reading.created)}: {value_text(one.value, one.low, one.high, unit)}",
        )
        for one in values
    )  # fmt: skip
    return Chart(
        kind=kind,
        model=model,
        unit=unit,
        dots=dots,
        crosses=tuple(Cross(x_of(one.created), one.report, stamp(one.created)) for one in unread),
        limits=tuple(Limit(level, y_of(at), format_number(round(at, 6))) for level, at in borders),
        rows=tuple(Mark(y_of(step), format_number(round(step, 9))) for step in steps),
        columns=_columns(start, end, x_of(start), x_of(end)),
        line=" ".join(f"{dot.x:g},{dot.y:g}" for dot in dots),
    )


def _borders(facts: ModelFacts, unit: str | None, values: Sequence[_Value]) -> list[tuple[LimitLevel, float]]:
    """Where one level of the manual ends and a graver one begins, as far as it is near the values."""
    low, high = min(one.low for one in values), max(one.high for one in values)
    span = (high - low) or abs(high) or 1.0
    bands = bands_in(facts, unit)
    found: dict[float, LimitLevel] = {}
    for below, above in pairwise(bands):
        at = above.low if above.low is not None else below.high
        if at is None or below.level == above.level or not low - REACH * span <= at <= high + REACH * span:
            continue
        found[at] = "alarm" if "alarm" in (below.level, above.level) else "warning"
    return [(level, at) for at, level in sorted(found.items())]


def nice_steps(low: float, high: float, most: int = 5) -> tuple[float, ...]:
    """At most `most` + 1 round numbers that span [low, high]: steps of 1, 2 or 5 times a power of ten."""
    span = high - low
    if not span > max(abs(high) * 1e-9, TINY):
        half = abs(high) * 0.05 if abs(high) > TINY else 1.0
        low, high, span = low - half, high + half, 2 * half
    rough = span / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(step * number for number in range(first, last + 1))


def _columns(start: float, end: float, left: float, right: float) -> tuple[Mark, ...]:
    """Dates along the axis: both ends and the middle, to the minute within three days, else the day."""
    if start == end:
        return (Mark(left, stamp(start)),)
    short = end - start < 3 * DAY_S
    moments = [(start, left), ((start + end) / 2, (left + right) / 2), (end, right)]
    return tuple(Mark(round(at, 1), stamp(moment)[: 16 if short else 10]) for moment, at in moments)


def stamp(moment: float) -> str:
    """A moment for people, in UTC, to the minute."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")


def value_text(value: float, low: float | None, high: float | None, unit: str | None) -> str:
    """A value with as many decimals as its interval warrants, and its unit."""
    half = (high - low) / 2 if low is not None and high is not None else None
    return f"{format_number(value, half)} {unit or ''}".rstrip()
