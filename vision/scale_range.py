"""The ends of a scale, as printed: from its numerals, where they lie, and where the Donut sees the scale end.

The numerals know the values, the Donut's points know where the scale stops. An outermost numeral that lies at its end
is the end; one that was not read follows from the step of the others, if the end lies where the step puts it. What the
Donut spells of the ends is a habit of such faces as much as a reading: it only confirms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from vision.fields import GaugeFields, Point
from vision.plane import clock_angle
from vision.scale_curve import ScaleCurve
from vision.scale_parts import ScaleCandidate, printed_step, unwrap
from vision.scale_view import DialGeometry
from vision.scale_witness import ScaleWitness, fit_curve

MAX_STEPS_OUT = 2
"""Numerals in a row that may be missing at an end: of more, the step itself is in doubt."""
TOLERANCE_OF_STEP = 0.42
MAX_TOLERANCE_DEG = 18.0
MAX_SWEEP_DEG = 345.0
"""Of a scale with a numeral that was not read: scales that close the circle print their ends in one place."""
READ, EXTENDED, CONFIRMED, ZERO = 0.92, 0.8, 0.88, 0.8
"""Confidence of an end: its numeral lies there; it follows from the step; the Donut spells it too; a scale starts at 0."""
AGREEMENT_GAIN = 0.7
"""What the Donut's own end takes away of the doubt where it is the same."""


class ScaleEnd(NamedTuple):
    """The value printed at an end of a scale, and the confidence in it, 0 to 1."""

    value: float
    confidence: float


class ScaleRange(NamedTuple):
    """The ends of a scale as printed; None where one is not known."""

    low: ScaleEnd | None = None
    high: ScaleEnd | None = None


def scale_range(witness: ScaleWitness, geometry: DialGeometry, spelled: GaugeFields) -> ScaleRange:
    """The ends of the scale that the witness read; `geometry` in the witness's pixels.

    `spelled` are the Donut's own fields. Nothing is known of a scale of which no numerals were read.
    """
    candidate = witness.candidate
    if candidate is None:
        return ScaleRange()
    seen = witness.view.of_geometry(geometry)
    curve = fit_curve(candidate)
    start, end = seen.scale_start, seen.scale_end
    if _is_swapped(candidate, curve, seen):
        start, end = end, start
    low = _end(candidate, curve, seen.pivot, start, spelled.scale_min, lower=True)
    high = _end(candidate, curve, seen.pivot, end, spelled.scale_max, lower=False)
    if low is not None and high is not None and curve.angle_at(high.value) - curve.angle_at(low.value) > MAX_SWEEP_DEG:
        # Nearly a turn: an end that was not read is one too many.
        low = low if low.value == candidate.values[0] else None
        high = high if high.value == candidate.values[-1] else None
    return ScaleRange(low, high)


def _end(
    candidate: ScaleCandidate, curve: ScaleCurve, pivot: Point, place: Point | None, spelled: float | None, *, lower: bool
) -> ScaleEnd | None:
    """One end: the outermost numeral, or one of the next that the scale must print, where the end was located."""
    further = _possible(candidate, lower=lower)
    outer = further[0]
    agreed = next((value for value in further if spelled is not None and _same(value, spelled)), None)
    located = None if place is None else _at(candidate, curve, pivot, place, further)
    if located is None:
        if agreed is not None:
            return ScaleEnd(agreed, CONFIRMED)
        return ScaleEnd(0.0, ZERO) if lower and outer == 0.0 else None
    confidence = READ if located == outer else EXTENDED
    if lower and located != outer and agreed != located and _is_one_above_zero(candidate, located):
        return None  # hardly a scale starts there: its first gap is short, or its start was seen too high
    if agreed == located:
        confidence = 1.0 - (1.0 - confidence) * (1.0 - AGREEMENT_GAIN)
    return ScaleEnd(located, round(confidence, 4))


def _is_one_above_zero(candidate: ScaleCandidate, value: float) -> bool:
    return _same(value, printed_step(candidate.values))


def _is_swapped(candidate: ScaleCandidate, curve: ScaleCurve, seen: DialGeometry) -> bool:
    """Whether the Donut took the end for the start, as it does where a scale runs the unusual way round."""
    if seen.scale_start is None or seen.scale_end is None:
        return False
    lows, highs = (_possible(candidate, lower=lower) for lower in (True, False))
    at = {
        (bound, name): _at(candidate, curve, seen.pivot, place, values) is not None
        for bound, values in (("low", lows), ("high", highs))
        for name, place in (("start", seen.scale_start), ("end", seen.scale_end))
    }
    straight, crossed = (at["low", "start"] or at["high", "end"]), (at["low", "end"] and at["high", "start"])
    return crossed and not straight


def _possible(candidate: ScaleCandidate, *, lower: bool) -> list[float]:
    """The outermost numeral, then what a linear scale prints beyond it; nothing further is known of the others."""
    values = candidate.values
    outer = values[0 if lower else -1]
    if not candidate.linear:
        return [outer]
    away = -printed_step(values) if lower else printed_step(values)
    further = [round(outer + count * away, 9) for count in range(1, MAX_STEPS_OUT + 1)]
    # A scale that does not go below zero where it was read hardly does so where it was not.
    return [outer, *(value for value in further if value >= 0.0 or outer < 0.0)]


def _at(candidate: ScaleCandidate, curve: ScaleCurve, pivot: Point, place: Point, values: list[float]) -> float | None:
    """The value whose mark lies at the place; None where none does, or where two might."""
    angle = candidate.direction * clock_angle(pivot, place)
    outer = values[0]
    expected = curve.angle_at(outer)
    at = unwrap(angle, expected, expected)
    gap = _gap_deg(candidate, curve, outer)
    opposite = candidate.angles_deg[-1] if outer == candidate.values[0] else candidate.angles_deg[0]
    marks = {value: curve.angle_at(value) for value in values}
    off = {v: abs(at - mark) for v, mark in marks.items() if v == outer or abs(mark - opposite) <= MAX_SWEEP_DEG}
    best = min(off, key=lambda value: off[value])
    tolerance = min(TOLERANCE_OF_STEP * gap, MAX_TOLERANCE_DEG)
    return best if off[best] <= tolerance else None


def _gap_deg(candidate: ScaleCandidate, curve: ScaleCurve, outer: float) -> float:
    """Degrees between the outermost numeral and the next printed step."""
    values, angles = candidate.values, candidate.angles_deg
    if not candidate.linear:
        return angles[1] - angles[0] if outer == values[0] else angles[-1] - angles[-2]
    step = printed_step(values)
    inner = outer + step if outer == values[0] else outer - step
    return abs(curve.angle_at(outer) - curve.angle_at(inner))


def _same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-6, abs_tol=1e-9)
