"""Where a scale ends: needles that rest on a stop beyond it, and faces that are clocks, not gauges."""

from __future__ import annotations

import itertools

import numpy as np

from vision.fields import EvidencePoints, GaugeFields
from vision.plane import clock_angle
from vision.scale_witness import ScaleWitness

AT_END_DEG = 2.0
"""A needle as near as this to an end mark, seen with the points' own error, rests there."""
SNAP_OF_STEP = 0.25
MOST_BEYOND_END_DEG = 45.0
"""How far a numeral may lie outside the end that its scale was located to have."""
ROLL_AGREEMENT_DEG = 8.0
NEAR_OF_STEP = 0.35
TRUST_BEYOND = 0.75
"""Factor of the confidence for each printed step that a value lies beyond the numerals that were read."""
CLOCK_DEG_PER_HOUR = 30.0
CLOCK_TOLERANCE_DEG = 1.2
"""Of the median: hours are 30 degrees apart, the marks of a common 0 to 10 gauge 27."""
CLOCK_SPREAD_DEG = 6.0
CLOCK_MIN_SPAN_DEG = 200.0


def upright_angle(fields: GaugeFields, points: EvidencePoints) -> float | None:
    """The needle's angle in the dial's own frame, from its points: its direction less the photo's roll.

    None where the roll is not known or the needle was not found.
    """
    roll = dial_roll(fields, points)
    if roll is None or points.pivot is None or points.needle_tip is None:
        return None
    return (clock_angle(points.pivot, points.needle_tip) - roll) % 360.0


def dial_roll(fields: GaugeFields, points: EvidencePoints) -> float | None:
    """How far the dial is turned clockwise in the photo, in degrees from -180 to 180.

    It is what turns the scale's ends, as fields know them, to where their points lie in the photo. None where a
    point or field is missing, or where the two ends disagree by more than ROLL_AGREEMENT_DEG (tilt, or a wrong end).
    """
    if points.pivot is None or points.scale_start is None or points.scale_end is None:
        return None
    if fields.start_angle is None or fields.end_angle is None:
        return None
    at_start = _turn(clock_angle(points.pivot, points.scale_start) - fields.start_angle)
    at_end = _turn(clock_angle(points.pivot, points.scale_end) - fields.end_angle)
    if abs(_turn(at_start - at_end)) > ROLL_AGREEMENT_DEG:
        return None
    return _turn(at_end + _turn(at_start - at_end) / 2.0)


def _turn(angle_deg: float) -> float:
    return (angle_deg + 180.0) % 360.0 - 180.0


def is_clock(witness: ScaleWitness) -> bool:
    """Whether the numerals are hours: 30 degrees each, clockwise, over most of the circle, from 1 to 12.

    A scale from 0 to 10 over 300 degrees has the same pitch, but a zero.
    """
    places = sorted(witness.scale_points, key=lambda place: place.value)
    if witness.clockwise is not True or len(places) < 4 or not 10 <= places[-1].value <= 12:
        return False
    if places[0].value < 1:
        return False
    turns = [
        ((second.angle_deg - first.angle_deg) % 360.0) / (second.value - first.value)
        for first, second in itertools.pairwise(places)
        if second.value > first.value
    ]
    span = (places[-1].value - places[0].value) * CLOCK_DEG_PER_HOUR
    even = all(abs(turn - CLOCK_DEG_PER_HOUR) <= CLOCK_SPREAD_DEG for turn in turns)
    return span >= CLOCK_MIN_SPAN_DEG and even and abs(float(np.median(turns)) - CLOCK_DEG_PER_HOUR) <= CLOCK_TOLERANCE_DEG


def at_stop(witness: ScaleWitness, points: EvidencePoints) -> ScaleWitness:
    """The witness with the end of the scale as its value where the needle rests on a stop just beyond that end.

    Extrapolated marks are not printed: a speedometer whose needle lies below its 0 does not show -5. The interval
    keeps reaching to where the needle points.
    """
    if witness.value is None or witness.value_low is None or witness.value_high is None or len(witness.scale_points) < 3:
        return witness
    if points.pivot is None or points.needle_tip is None:
        return witness
    needle = clock_angle(points.pivot, points.needle_tip)
    direction = -1.0 if witness.clockwise is False else 1.0
    for end, sign in ((points.scale_start, -1.0), (points.scale_end, 1.0)):
        if end is None:
            continue
        angle = clock_angle(points.pivot, end)
        beyond = sign * direction * ((needle - angle + 180.0) % 360.0 - 180.0)
        if not -AT_END_DEG < beyond < 90.0:
            continue
        printed = _printed_end(witness, angle, sign, direction)
        if printed is None:
            continue
        over = sign * (witness.value - printed) / _step(witness)
        if -NEAR_OF_STEP <= over <= 1.0:
            half = (witness.value_high - witness.value_low) / 2.0
            low, high = min(witness.value_low, printed - half), max(witness.value_high, printed + half)
            return witness._replace(value=printed, value_low=low, value_high=high)
    return witness


def beyond_numerals(witness: ScaleWitness) -> ScaleWitness:
    """A value beyond the outermost numeral read is an extrapolation: wider by half the way, and less sure."""
    if witness.value is None or witness.value_low is None or witness.value_high is None or len(witness.scale_points) < 2:
        return witness
    values = [place.value for place in witness.scale_points]
    beyond = max(min(values) - witness.value, witness.value - max(values), 0.0)
    step = _step(witness)
    if beyond <= 0.05 * step:
        return witness
    return witness._replace(
        value_low=witness.value_low - beyond / 2.0,
        value_high=witness.value_high + beyond / 2.0,
        confidence=witness.confidence * TRUST_BEYOND ** (beyond / step),
    )


def _step(witness: ScaleWitness) -> float:
    """Smallest difference between numerals that were read, in units of the scale; a tiny one where all are equal."""
    values = np.unique([place.value for place in witness.scale_points])
    return float(np.min(np.diff(values))) if len(values) > 1 else 1e-9


def _printed_end(witness: ScaleWitness, angle_deg: float, sign: float, direction: float) -> float | None:
    """The value of the scale's end mark, from the numerals nearest to it; None where it is no multiple of the step."""
    places = sorted(witness.scale_points, key=lambda place: sign * place.value, reverse=True)[:3]
    values = np.array([place.value for place in places])
    step = float(np.min(np.abs(np.diff(values))))
    if step <= 0:
        return None
    # Numerals lie on the scale's side of its end, up to a whole turn away; one on the end may lie a little beyond.
    inward = np.array([(-sign * direction * (place.angle_deg - angle_deg)) % 360.0 for place in places])
    offsets = np.where(inward > 360.0 - MOST_BEYOND_END_DEG, inward - 360.0, inward)
    _, value = np.polyfit(offsets, values, 1)
    snapped = round(float(value) / step) * step
    return snapped if abs(snapped - float(value)) <= SNAP_OF_STEP * step else None
