"""The numeral witness: a dial's value from its printed numbers and its needle, the scale being unknown.

Only the needle's place among the numerals counts, so everything is measured in the photo's own plane
about the pivot: no upright direction, no known scale, no assumption that the scale is linear.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from vision.fields import Point
from vision.numerals import NumeralError, PrintedText
from vision.printed_numbers import UnitMark, find_numbers, find_units
from vision.scale_curve import CurveValue, PiecewiseCurve, ScaleCurve, SmoothCurve
from vision.scale_fit import ScaleCandidate, clock_angle, completeness, find_scales, place_numbers, printed_step
from vision.scale_units import PrintedScale, assign_units
from vision.units import multiplied_unit

POINTING_SD_DEG = 1.5
"""Of the needle's direction where the caller does not know better."""
INTERVAL_SDS = 2.0
MAX_BEYOND_STEPS = 1.2
"""Printed steps beyond the outermost numeral read: one lost end numeral, and a stop a little further."""
MIN_CONFIDENCE = 0.3
REACH_MARGIN_DEG = 6.0


class DialGeometry(NamedTuple):
    """Points of a dial in the pixels of the image that was read; ends where they are known."""

    pivot: Point
    needle_tip: Point
    scale_start: Point | None = None
    scale_end: Point | None = None


class ScalePlace(NamedTuple):
    """A value and where it lies: degrees clockwise from 6 o'clock in the image plane."""

    angle_deg: float
    value: float


class ScaleWitness(NamedTuple):
    """What the printed numbers say. `value` is as printed (`multiplier` belongs to the unit); None with a `reason`.

    `value_low` to `value_high` holds the true value with about 95 %; `confidence` (0 to 1) is that of the
    value being within its interval: how many numerals agree, how evenly, and what speaks against them.
    """

    value: float | None
    value_low: float | None = None
    value_high: float | None = None
    unit: str | None = None
    multiplier: float | None = None
    confidence: float = 0.0
    reason: str | None = None
    clockwise: bool | None = None
    linear: bool = True
    scale_points: tuple[ScalePlace, ...] = ()
    numerals: tuple[PrintedNumeral, ...] = ()
    others: tuple[ScaleWitness, ...] = ()

    @property
    def printed_unit(self) -> str | None:
        """The unit that the value carries, with its multiplier (`x1000 r/min`)."""
        return multiplied_unit(self.unit, self.multiplier)


class PrintedNumeral(NamedTuple):
    """A numeral that the value rests on: its text, what it stands for, and its centre in pixels."""

    text: str
    value: float
    center: Point


def read_scale(texts: Sequence[PrintedText], geometry: DialGeometry, *, pointing_sd_deg: float = POINTING_SD_DEG) -> ScaleWitness:
    """The value at the needle from the printed texts. Never raises on what is printed; abstains with a reason.

    Raises NumeralError where pivot and needle tip are the same point or not finite.
    """
    if not all(math.isfinite(v) for v in (*geometry.pivot, *geometry.needle_tip)) or geometry.pivot == geometry.needle_tip:
        raise NumeralError(f"pivot and needle tip must be two finite points, got {geometry.pivot} and {geometry.needle_tip}")
    numbers = find_numbers(texts)
    if len(numbers) < 3:
        return ScaleWitness(None, reason=f"only {len(numbers)} numbers were read on the face")
    scales = find_scales(place_numbers(numbers, geometry.pivot))
    if not scales:
        shown = ", ".join(number.text for number in numbers[:8])
        return ScaleWitness(None, reason=f"the numbers read do not form one scale: {shown}")
    units = find_units(texts)
    printed = assign_units(scales, units, texts)
    witnesses = [_read_one(scale, geometry, pointing_sd_deg) for scale in printed]
    return _choose(witnesses, units)


def _choose(witnesses: Sequence[ScaleWitness], units: Sequence[UnitMark]) -> ScaleWitness:
    """The best supported scale that the needle is on; the others stay as witnesses beside it."""
    ranked = sorted(witnesses, key=_rank, reverse=True)
    best, others = ranked[0], tuple(ranked[1:])
    return best._replace(others=others)


def _rank(witness: ScaleWitness) -> float:
    if witness.value is None:
        return -1.0 + 0.01 * len(witness.numerals)
    return witness.confidence + (0.15 if witness.unit is not None else 0.0)


def _read_one(scale: PrintedScale, geometry: DialGeometry, pointing_sd_deg: float) -> ScaleWitness:
    candidate = scale.candidate
    values, angles = [n.value for n in candidate.numerals], [n.angle_deg for n in candidate.numerals]
    curve: ScaleCurve = (
        SmoothCurve(values, angles, [n.weight for n in candidate.numerals])
        if candidate.linear
        else PiecewiseCurve(values, angles)
    )
    direction = 1.0 if candidate.clockwise else -1.0
    needle = _unwrap(direction * clock_angle(geometry.pivot, geometry.needle_tip), angles[0], angles[-1])
    at = curve.value_at(needle)
    base = ScaleWitness(
        None,
        unit=scale.unit,
        multiplier=scale.multiplier,
        clockwise=candidate.clockwise,
        linear=candidate.linear,
        scale_points=tuple(ScalePlace(direction * angle % 360.0, value) for value, angle in zip(values, angles, strict=True)),
        numerals=tuple(PrintedNumeral(n.place.mark.text, n.value, n.place.mark.center) for n in candidate.numerals),
    )
    beyond = _beyond_steps(candidate, at, needle)
    if beyond > _allowed_beyond(candidate, geometry, needle):
        return base._replace(
            reason=f"the needle points {beyond:.1f} steps beyond the numerals read, {values[0]:g} to {values[-1]:g}"
        )
    half = INTERVAL_SDS * math.hypot(at.sd_deg, pointing_sd_deg) / at.slope_deg
    confidence = _confidence(candidate, curve, beyond)
    if confidence < MIN_CONFIDENCE:
        return base._replace(reason=f"too little supports the scale {values[0]:g} to {values[-1]:g}", confidence=confidence)
    return base._replace(value=at.value, value_low=at.value - half, value_high=at.value + half, confidence=confidence)


def _unwrap(needle_deg: float, low_deg: float, high_deg: float) -> float:
    """The needle's direction on the scale's unwrapped angles: the turn that brings it nearest to the middle."""
    middle = 0.5 * (low_deg + high_deg)
    return middle + (needle_deg - middle + 180.0) % 360.0 - 180.0


def _beyond_steps(candidate: ScaleCandidate, at: CurveValue, needle_deg: float) -> float:
    """Printed steps that the needle lies outside the numerals; 0 between them."""
    values, angles = candidate.values, [n.angle_deg for n in candidate.numerals]
    if angles[0] <= needle_deg <= angles[-1]:
        return 0.0
    if candidate.linear:
        return max(values[0] - at.value, at.value - values[-1], 0.0) / printed_step(values)
    if needle_deg < angles[0]:
        return (angles[0] - needle_deg) / (angles[1] - angles[0])
    return (needle_deg - angles[-1]) / (angles[-1] - angles[-2])


def _allowed_beyond(candidate: ScaleCandidate, geometry: DialGeometry, needle_deg: float) -> float:
    """More where a known end of the scale lies beyond the needle, on its side of the numerals."""
    if not candidate.linear:
        return 0.7
    direction = 1.0 if candidate.clockwise else -1.0
    low, high = candidate.numerals[0].angle_deg, candidate.numerals[-1].angle_deg
    for end in (geometry.scale_start, geometry.scale_end):
        if end is None:
            continue
        at = _unwrap(direction * clock_angle(geometry.pivot, end), low, high)
        if at - REACH_MARGIN_DEG <= needle_deg < low or high < needle_deg <= at + REACH_MARGIN_DEG:
            return 2.0 * MAX_BEYOND_STEPS
    return MAX_BEYOND_STEPS


def _confidence(candidate: ScaleCandidate, curve: ScaleCurve, beyond: float) -> float:
    """From 0 to 1: support by number, evenness and fit, less where the value is extrapolated."""
    count = len(candidate.numerals)
    support = 1.0 - math.exp(-(sum(min(1.0, n.weight) for n in candidate.numerals) - 1.0) / 1.6)
    even = math.sqrt(completeness(candidate.values)) if candidate.linear else 0.8
    fit = 1.0
    if isinstance(curve, SmoothCurve):
        fit = math.exp(-max(0.0, curve.noise_deg - 1.2) / 6.0 - max(0.0, curve.amplitude_deg - 2.0) / 20.0)
    ring = 1.0 if count > 3 else 0.85
    return support * even * fit * ring * math.exp(-0.25 * beyond)
