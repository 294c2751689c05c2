"""A dial's value from two witnesses of its scale: the printed numerals, and the Donut's own scale.

Both need the needle, which is the Donut's: its tip and pivot as points in the photo. Where the two witnesses agree
the confidence rises; where they differ the reading says so, and the better supported one is used or none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from vision.calibration import Calibration
from vision.dial_witness import DialWitness, witness_dial
from vision.fields import EvidencePoints, GaugeFields, ScalePoint, angle_fraction, sweep_deg
from vision.numerals import NumeralReader
from vision.plane import clock_angle
from vision.scale_end import at_stop, beyond_numerals, dial_roll, is_clock, upright_angle
from vision.scale_range import ScaleRange, scale_range
from vision.scale_view import DialGeometry
from vision.scale_witness import ScaleWitness
from vision.signals import dial_signals, least_half, looks_half
from vision.text_crop import TextCrop, text_crop
from vision.unit_lines import UnitFinder
from vision.units import multiplied_unit

if TYPE_CHECKING:
    from vision.judge import Evidence, Value

MIN_NUMERALS_CONFIDENCE = 0.25
"""Below it few numerals, and these unevenly, support a value; above it all signals together decide (`vision.support`)."""
MIN_PRINTED_SCALE_CONFIDENCE = 0.75
MIN_UNIT_CONFIDENCE = 0.95
PRINTED_UNIT_CONFIDENCE = 0.9
"""Of a unit that was read as text: 91 of 100 were right on drawn pictures."""
MIN_SPELLED_END = 0.9
"""Confidence of an end of the scale that the Donut alone has spelled."""
AGREEMENT_OF_SPAN = 0.05
MIN_SWEEP_DEG = 30.0
POINTS_NEAR_TOKEN_DEG = 15.0
PRINTED_SCALE_HALF_OF_SPAN = 0.02
MIN_FLIP_CONFIDENCE = 0.3
FLIP_DEG = (120.0, 240.0)
"""A disagreement of about half a turn: one of the two looks took the tail for the tip."""
MIN_TEXT_CROP_PX = 8
MIN_ROLL_DEG = 6.0
"""Of a dial in the photo: below it lines of print are read level, for the roll itself is not known better."""


class _OwnScale(NamedTuple):
    """The Donut's reading of the scale: value, span, confidence."""

    value: float
    span: float
    confidence: float


def points_fraction(points: EvidencePoints, clockwise: bool) -> float | None:
    """Fraction of the sweep at the needle, from the points alone; None where one of them was not found."""
    if points.pivot is None or points.needle_tip is None or points.scale_start is None or points.scale_end is None:
        return None
    needle, start, end = (clock_angle(points.pivot, p) for p in (points.needle_tip, points.scale_start, points.scale_end))
    if sweep_deg(start, end, clockwise) < MIN_SWEEP_DEG:
        return None
    return angle_fraction(needle, start, end, clockwise)


def dial_value(
    evidence: Evidence,
    fields: GaugeFields,
    confidence: Mapping[str, float],
    calibration: Calibration,
    numerals: NumeralReader,
    text_side_px: int,
    units: UnitFinder | None = None,
) -> Value:
    """The value of a dial, or the reason why none is stated."""
    from vision.judge import Value

    points = evidence.points
    if points.pivot is None or points.needle_tip is None:
        return Value(None, reason="the needle was not found on the dial", fields=fields)
    if math.dist(points.pivot, points.needle_tip) < 2.0:
        return Value(None, reason="needle tip and pivot fall together", fields=fields)
    crop = text_crop(evidence.image, evidence.box, text_side_px)
    seen = _numeral_witness(crop, evidence, fields, numerals, units)
    if seen is None:
        return Value(None, reason="the dial is too small in the photo for its numbers to be read", fields=fields)
    points = points.model_copy(update={"needle_tip": crop.to_image(seen.needle.tip), "pivot": crop.to_image(seen.needle.pivot)})
    angle = _needle_angle(points, fields, confidence, seen, calibration)
    stated = fields if angle is None else fields.model_copy(update={"pointer_angle": angle.degrees})
    known = None if angle is None else {"pointer_angle": angle.confidence}
    common = Value(None, fields=stated, texts=seen.texts, points=points, confidences=known)
    if is_clock(seen.scale):
        return common._replace(reason="this looks like a clock; clocks are not read")
    witness = at_stop(beyond_numerals(seen.scale), points)
    own = _own_scale(points, fields, confidence)
    unit = _unit(witness, own, fields, confidence)
    if witness.unit is not None:
        known = {**(known or {}), "unit": _printed_confidence(witness.unit, seen)}
    stated, ends = _with_ends(stated, fields, confidence, seen, own)
    stated = _with_marks(stated, seen, dial_roll(fields, points))
    known = {**(known or {}), **ends}
    needle_px = math.dist(seen.needle.pivot, seen.needle.tip) / crop.scale
    common = common._replace(
        fields=stated.model_copy(update={"unit": unit}),
        confidences=known,
        signals=dial_signals(evidence, crop, seen, witness, own),
        least_half=least_half(witness, needle_px),
    )
    flipped = _contradicts_token(points, fields, confidence)
    if flipped is not None:
        return common._replace(reason=flipped)
    if witness.value is not None and witness.confidence >= MIN_NUMERALS_CONFIDENCE:
        sure, remark = _with_second_witness(witness, own)
        # A stroke that was found is measured by itself; a needle known by the looks alone is as sure as they agree.
        spread = evidence.point_spread.get("needle_tip", 0.0) / max(needle_px, 1.0)
        looks = 0.0 if seen.needle.found else looks_half(witness, math.degrees(spread))
        low = witness.value if witness.value_low is None else witness.value_low
        high = witness.value if witness.value_high is None else witness.value_high
        return common._replace(
            value=witness.value,
            low=witness.value - math.hypot(witness.value - low, looks),
            high=witness.value + math.hypot(high - witness.value, looks),
            unit=multiplied_unit(unit, witness.multiplier or fields.scale_multiplier),
            source="numerals",
            confidence=sure,
            reason=remark,
        )
    reason = witness.reason or f"the printed numbers support no value (confidence {witness.confidence:.2f})"
    if own is None or own.confidence < MIN_PRINTED_SCALE_CONFIDENCE:
        return common._replace(reason=reason)
    half = PRINTED_SCALE_HALF_OF_SPAN * own.span
    return common._replace(
        value=own.value,
        low=own.value - half,
        high=own.value + half,
        unit=multiplied_unit(unit, fields.scale_multiplier),
        source="printed_scale",
        confidence=own.confidence,
        reason=f"from the printed scale as the model reads it; {reason}",
    )


class _Angle(NamedTuple):
    """The needle's angle in the dial's own frame, and its calibrated confidence."""

    degrees: float
    confidence: float


def _needle_angle(
    points: EvidencePoints, fields: GaugeFields, confidence: Mapping[str, float], seen: DialWitness, calibration: Calibration
) -> _Angle | None:
    """The angle from the points where they are whole and near the token's; None leaves the token's angle as it is."""
    angle = upright_angle(fields, points)
    if angle is None or fields.pointer_angle is None:
        return None
    if abs((angle - fields.pointer_angle + 180.0) % 360.0 - 180.0) > POINTS_NEAR_TOKEN_DEG:
        return None
    raw = min(confidence.get(name, 0.0) for name in ("pivot", "scale_start", "scale_end")) * (1.0 if seen.needle.found else 0.5)
    return _Angle(angle, round(calibration("pointer_angle_by_points", raw), 4))


def _numeral_witness(
    crop: TextCrop, evidence: Evidence, fields: GaugeFields, numerals: NumeralReader, units: UnitFinder | None
) -> DialWitness | None:
    """What the numerals say and where the second look found the needle; None where the dial is too small for it."""
    points = evidence.points
    assert points.pivot is not None
    assert points.needle_tip is not None
    if min(crop.pixels.shape[:2]) < MIN_TEXT_CROP_PX:
        return None
    geometry = DialGeometry(
        crop.to_crop(points.pivot),
        crop.to_crop(points.needle_tip),
        None if points.scale_start is None else crop.to_crop(points.scale_start),
        None if points.scale_end is None else crop.to_crop(points.scale_end),
    )
    roll = dial_roll(fields, points)
    turned = 0.0 if roll is None or abs(roll) < MIN_ROLL_DEG else roll
    unit_places = [crop.place_to_crop(place._replace(angle_deg=place.angle_deg + turned)) for place in evidence.unit_places]
    numeral_places = [crop.to_crop(place) for place in evidence.numeral_places]
    return witness_dial(numerals, crop.pixels, geometry, units, unit_places, numeral_places)


def _with_ends(
    stated: GaugeFields, fields: GaugeFields, confidence: Mapping[str, float], seen: DialWitness, own: _OwnScale | None
) -> tuple[GaugeFields, dict[str, float]]:
    """The fields with the scale's ends as the numerals give them, and the confidences of these.

    Ends that the Donut alone spells are a habit of such faces: they are stated only where it is sure of them and the
    numerals do not say otherwise.
    """
    ends = ScaleRange() if seen.geometry is None else scale_range(seen.scale, seen.geometry, fields)
    contradicted = seen.scale.value is not None and not _same_scale(seen.scale, own)
    values: dict[str, float | None] = {}
    confidences: dict[str, float] = {}
    for name, end in (("scale_min", ends.low), ("scale_max", ends.high)):
        if end is not None:
            values[name], confidences[name] = end
        elif contradicted or confidence.get(name, 0.0) < MIN_SPELLED_END:
            values[name] = None
    return stated.model_copy(update=values), confidences


def _with_marks(stated: GaugeFields, seen: DialWitness, roll: float | None) -> GaugeFields:
    """The fields with the marks of a scale that is not linear, in the dial's own frame, where its roll is known."""
    if seen.scale.linear or seen.scale.candidate is None or roll is None:
        return stated
    marks = tuple(
        ScalePoint(angle=round((mark.angle_deg - roll) % 360.0, 3) % 360.0, value=mark.value) for mark in seen.scale.scale_points
    )
    return stated.model_copy(update={"scale_points": marks})


def _printed_confidence(unit: str, seen: DialWitness) -> float:
    """Of a printed unit: its own where the line reader alone saw it, else that of text that the OCR read."""
    return max((one.confidence for one in seen.units if one.unit == unit), default=PRINTED_UNIT_CONFIDENCE)


def _unit(witness: ScaleWitness, own: _OwnScale | None, fields: GaugeFields, confidence: Mapping[str, float]) -> str | None:
    """The unit as printed text first; the Donut's own where it is sure; otherwise none, never a guess.

    A Donut that takes the numbers for another scale has not read this face: its unit does not count then.
    """
    if witness.unit is not None:
        return witness.unit
    if fields.unit is None or confidence.get("unit", 0.0) < MIN_UNIT_CONFIDENCE:
        return None
    return fields.unit if witness.value is None or _same_scale(witness, own) else None


def _same_scale(witness: ScaleWitness, own: _OwnScale | None) -> bool:
    """Whether the Donut's own scale gives the value that the numerals give."""
    return witness.value is not None and own is not None and abs(own.value - witness.value) <= AGREEMENT_OF_SPAN * own.span


def _own_scale(points: EvidencePoints, fields: GaugeFields, confidence: Mapping[str, float]) -> _OwnScale | None:
    if fields.scale_min is None or fields.scale_max is None or fields.scale_min == fields.scale_max:
        return None
    fraction = points_fraction(points, fields.clockwise is not False)
    if fraction is None:
        fraction = fields.scale_fraction
    if fraction is None or not -0.1 <= fraction <= 1.1:
        return None
    span = fields.scale_max - fields.scale_min
    sure = min(confidence.get("scale_min", 0.0), confidence.get("scale_max", 0.0), confidence.get("scale_fraction", 0.0))
    return _OwnScale(fields.scale_min + fraction * span, abs(span), sure)


def _contradicts_token(points: EvidencePoints, fields: GaugeFields, confidence: Mapping[str, float]) -> str | None:
    """The needle's points against the fraction token: far apart, one of them took the tail for the tip."""
    fraction = points_fraction(points, fields.clockwise is not False)
    if fraction is None or fields.scale_fraction is None or confidence.get("scale_fraction", 0.0) < MIN_FLIP_CONFIDENCE:
        return None
    if fields.start_angle is None or fields.end_angle is None:
        return None
    turn = abs(fraction - fields.scale_fraction) * sweep_deg(fields.start_angle, fields.end_angle, fields.clockwise is not False)
    if not FLIP_DEG[0] <= turn <= FLIP_DEG[1]:
        return None
    return f"two looks at the needle disagree ({fraction:.0%} and {fields.scale_fraction:.0%} of the scale)"


def _with_second_witness(witness: ScaleWitness, own: _OwnScale | None) -> tuple[float, str | None]:
    """Confidence of the numerals' value in the light of the Donut's own, and what to say about a difference."""
    if own is None or own.confidence < 0.5:
        return witness.confidence, None
    assert witness.value is not None
    values = [place.value for place in witness.scale_points]
    span = max(own.span, max(values) - min(values)) if values else own.span
    difference = abs(witness.value - own.value)
    for other in witness.others:
        # The Donut may have read the dial's other scale: compare in its unit where both are known.
        if other.value is not None and abs(other.value - own.value) < difference:
            difference = abs(other.value - own.value)
            span = own.span
    if difference <= AGREEMENT_OF_SPAN * span:
        return 1.0 - (1.0 - witness.confidence) * (1.0 - 0.6 * own.confidence), None
    remark = f"the model's own reading of the scale gives {own.value:.4g}, the printed numbers {witness.value:.4g}"
    return witness.confidence * (1.0 - 0.4 * own.confidence), remark
