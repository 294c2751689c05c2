"""The numeral witness: a dial's value from its printed numbers and its needle, the scale being unknown.

Only the needle's place among the numerals counts, so everything is measured in the photo's own plane
about the pivot: no upright direction, no known scale, no assumption that the scale is linear.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.fields import Point
from vision.numerals import NumeralError, PrintedText
from vision.plane import clock_angle
from vision.printed_numbers import find_numbers
from vision.printed_units import find_units
from vision.scale_choice import choose
from vision.scale_curve import CurveValue, PiecewiseCurve, ScaleCurve, SmoothCurve, TickPoint
from vision.scale_fit import find_scales, fits_badly
from vision.scale_parts import PlacedNumber, ScaleCandidate, completeness, place_numbers, printed_step, unwrap
from vision.scale_strangers import other_scale_beyond, strangers_among, strangers_on_ring
from vision.scale_units import PrintedScale, assign_units, lone_unit
from vision.scale_view import IDENTITY, TILTS, DialGeometry, View
from vision.units import multiplied_unit

POINTING_SD_DEG = 2.5
"""Of the needle's direction where the caller does not know better."""
INTERVAL_SDS = 2.0
MAX_BEYOND_STEPS = 1.2
"""Printed steps beyond the outermost numeral read: one lost end numeral, and a stop a little further."""
MIN_CONFIDENCE = 0.3
MAX_BEYOND_BENT = 0.7
"""Of the outermost gap, where the steepness itself is changing."""
PLACEMENT_SHARE = 0.2
"""Of a letter's height: numerals are set beside their ticks by eye, one side of a dial like the other."""
END_TOLERANCE_DEG = 15.0
END_TOLERANCE_STEPS = (0.25, 0.4)
EXTRAPOLATED_SD_DEG = 2.5
"""A printed step beyond the outermost numeral."""
MIN_TILTED_NUMERALS = 5
STRANGER_TRUST, MOST_STRANGERS = 0.75, 2
"""Factor of the confidence for a stranger among the numerals: a chain through two scales meets them."""


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
    candidate: ScaleCandidate | None = None
    view: View = IDENTITY

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
        read = ("no number was", "only 1 number was", "only 2 numbers were")[len(numbers)]
        return _unread(texts, f"{read} read on the face")
    straight = _read_view(texts, geometry, pointing_sd_deg, IDENTITY)
    if straight.candidate is not None and not fits_badly(straight.candidate) and straight.value is not None:
        return straight
    # A tilted dial is squeezed across its tilt: undo it in a few directions, keep what explains clearly more.
    tilted = [_read_view(texts, geometry, pointing_sd_deg, view) for view in TILTS]
    better = [witness for witness in tilted if witness.value is not None and _explains_more(witness, straight)]
    return max(better, key=lambda witness: (len(witness.numerals), witness.confidence)) if better else straight


def _explains_more(tilted: ScaleWitness, straight: ScaleWitness) -> bool:
    """Eight tilts fit anything a little better by chance: ask for more numerals, on a rounder ring."""
    if tilted.candidate is None or len(tilted.numerals) < MIN_TILTED_NUMERALS or not tilted.linear:
        return False
    if straight.candidate is None:
        return True
    more = len(tilted.numerals) > len(straight.numerals)
    return more and ring_spread(tilted.candidate) < ring_spread(straight.candidate)


def _read_view(texts: Sequence[PrintedText], geometry: DialGeometry, pointing_sd_deg: float, view: View) -> ScaleWitness:
    """The witness in a plane where the dial's tilt is undone; angles come back in the image plane."""
    placed = place_numbers(tuple(view.of_mark(mark, geometry.pivot) for mark in find_numbers(texts)), geometry.pivot)
    scales = find_scales(placed)
    if not scales:
        shown = ", ".join(place.mark.text for place in placed[:8])
        return _unread(texts, f"the numbers read do not form one scale: {shown}")
    printed = assign_units(scales, find_units(texts), placed, texts)
    seen = view.of_geometry(geometry)
    return choose([_read_one(scale, seen, pointing_sd_deg, view, placed) for scale in printed])


def _unread(texts: Sequence[PrintedText], reason: str) -> ScaleWitness:
    """No scale; a unit that is the only one of the face has been read all the same."""
    unit = lone_unit(texts)
    if unit is None:
        return ScaleWitness(None, reason=reason)
    return ScaleWitness(None, unit=unit.unit, multiplier=None if unit.multiplier == 1.0 else unit.multiplier, reason=reason)


def _read_one(
    scale: PrintedScale, geometry: DialGeometry, pointing_sd_deg: float, view: View, placed: Sequence[PlacedNumber]
) -> ScaleWitness:
    candidate = scale.candidate
    values, angles = candidate.values, candidate.angles_deg
    ticks = end_ticks(candidate, geometry)
    curve = fit_curve(candidate, ticks)
    needle = unwrap(candidate.direction * clock_angle(geometry.pivot, geometry.needle_tip), angles[0], angles[-1])
    base = ScaleWitness(
        None,
        unit=scale.unit,
        multiplier=scale.multiplier,
        clockwise=candidate.clockwise,
        linear=candidate.linear,
        scale_points=tuple(
            ScalePlace(view.angle_in_image(candidate.direction * a), v) for v, a in zip(values, angles, strict=True)
        ),
        numerals=tuple(
            PrintedNumeral(n.place.mark.text, n.value, view.point_in_image(n.place.mark.center, geometry.pivot))
            for n in candidate.numerals
        ),
        candidate=candidate,
        view=view,
    )
    at = curve.value_at(needle)
    beyond = _beyond_steps(candidate, at, needle, ticks)
    scale_text = f"{values[0]:g} to {values[-1]:g}"
    if beyond > _allowed_beyond(candidate):
        return base._replace(reason=f"the needle points {beyond:.1f} steps beyond the numerals read, {scale_text}")
    strangers = strangers_on_ring(candidate, placed)
    if beyond and other_scale_beyond(candidate, needle, strangers):
        return base._replace(reason=f"the needle points beyond the scale {scale_text}, where another one begins")
    placement = 0.0 if candidate.linear else placement_sd_deg(candidate)  # the smooth curve has it in its own deviation
    half = INTERVAL_SDS * math.hypot(at.sd_deg, pointing_sd_deg, placement, EXTRAPOLATED_SD_DEG * beyond) / at.slope_deg
    among = strangers_among(candidate, strangers)
    confidence = _confidence(candidate, curve, beyond) * STRANGER_TRUST ** min(among, MOST_STRANGERS)
    if confidence < MIN_CONFIDENCE:
        return base._replace(reason=f"too little supports the scale {scale_text}", confidence=confidence)
    return base._replace(value=at.value, value_low=at.value - half, value_high=at.value + half, confidence=confidence)


def fit_curve(candidate: ScaleCandidate, ticks: Sequence[TickPoint] = ()) -> ScaleCurve:
    """The continuous scale through a candidate's numerals and its located ends."""
    if not candidate.linear:
        return PiecewiseCurve(candidate.values, candidate.angles_deg)
    weights = [n.weight for n in candidate.numerals]
    placement = placement_sd_deg(candidate)
    return SmoothCurve(candidate.values, candidate.angles_deg, weights, placement_deg=placement, ticks=ticks)


def end_ticks(candidate: ScaleCandidate, geometry: DialGeometry) -> list[TickPoint]:
    """The scale's located ends with the values they must have: the printed step nearest to each end.

    An end that lies between two printed steps, or away from the numerals, belongs to another scale of the
    face, or was located wrongly, and is left out.
    """
    if not candidate.linear:
        return []
    values, angles = candidate.values, candidate.angles_deg
    step = printed_step(values)
    curve = SmoothCurve(values, angles)
    slope = (angles[-1] - angles[0]) / (values[-1] - values[0])
    placement = placement_sd_deg(candidate)
    ends = (geometry.scale_start, geometry.scale_end)
    ticks = []
    for end, first in zip(ends, (True, False), strict=True):
        if end is None:
            continue
        outer, other = (values[0], values[-1]) if first else (values[-1], values[0])
        away = -step if first else step
        angle = candidate.direction * clock_angle(geometry.pivot, end)
        best: TickPoint | None = None
        for value in (outer, outer + away, outer + 2.0 * away):
            expected = curve.angle_at(value)
            at = unwrap(angle, expected, expected)
            # Large numerals stand far off their marks: their scale may be that far off its ends.
            steps = max(END_TOLERANCE_STEPS[0], min(END_TOLERANCE_STEPS[1], 2.5 * placement / (step * slope)))
            tolerance = min(END_TOLERANCE_DEG, steps * step * slope)
            if abs(at - expected) <= tolerance and (
                best is None or abs(at - expected) < abs(best.angle_deg - curve.angle_at(best.value))
            ):
                best = TickPoint(value, at)
        if best is not None and best.value != other:
            ticks.append(best)
    return ticks


def ring_spread(candidate: ScaleCandidate) -> float:
    """Relative spread of the numerals' distances from the pivot."""
    radii = np.asarray([n.place.radius_px for n in candidate.numerals])
    return float(radii.std() / radii.mean())


def placement_sd_deg(candidate: ScaleCandidate) -> float:
    """How far the numerals' centres may lie off their ticks all together: a share of a letter's height."""
    height = float(np.median([n.place.mark.height_px for n in candidate.numerals]))
    radius = float(np.median([n.place.radius_px for n in candidate.numerals]))
    return math.degrees(PLACEMENT_SHARE * height / radius)


def _beyond_steps(candidate: ScaleCandidate, at: CurveValue, needle_deg: float, ticks: Sequence[TickPoint]) -> float:
    """Printed steps that the needle lies outside the numerals and half of those outside them within a located end."""
    values, angles = candidate.values, candidate.angles_deg
    if angles[0] <= needle_deg <= angles[-1]:
        return 0.0
    if not candidate.linear:
        if needle_deg < angles[0]:
            return (angles[0] - needle_deg) / (angles[1] - angles[0])
        return (needle_deg - angles[-1]) / (angles[-1] - angles[-2])
    step = printed_step(values)
    low, high = (pick((*values, *(tick.value for tick in ticks))) for pick in (min, max))
    numerals = max(values[0] - at.value, at.value - values[-1], 0.0) / step
    located = max(low - at.value, at.value - high, 0.0) / step
    return located + 0.5 * (numerals - located)


def _allowed_beyond(candidate: ScaleCandidate) -> float:
    return MAX_BEYOND_STEPS if candidate.linear else MAX_BEYOND_BENT


def _confidence(candidate: ScaleCandidate, curve: ScaleCurve, beyond: float) -> float:
    """From 0 to 1: support by number, evenness and fit, less where the value is extrapolated."""
    count = len(candidate.numerals)
    support = 1.0 - math.exp(-(sum(min(1.0, n.weight) for n in candidate.numerals) - 1.0) / 1.6)
    even = math.sqrt(completeness(candidate.values)) if candidate.linear else 0.8
    fit = 1.0
    if isinstance(curve, SmoothCurve):
        fit = math.exp(-max(0.0, curve.noise_deg - 1.2) / 6.0 - max(0.0, curve.amplitude_deg - 2.0) / 20.0)
    ring = 1.0 if count > 3 else 0.85
    return support * even * fit * ring * math.exp(-0.5 * beyond)
