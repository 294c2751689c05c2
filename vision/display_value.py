"""A display's value from two witnesses: the digits read where they stand, and the Donut's own.

Digits that both give are stated; digits of one alone only where it is very sure; digits that differ are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vision.digit_reader import DigitReader
from vision.digits import DigitsWitness, read_display
from vision.display_folds import is_folded, unfolded
from vision.display_units import printed_units, unit_of_number
from vision.fields import Box, Channel, GaugeFields
from vision.line_reader import LineReader
from vision.numerals import NumeralReader
from vision.signals import display_signals
from vision.text_crop import TextCrop, text_crop
from vision.text_strips import TextPatch

if TYPE_CHECKING:
    from vision.judge import Evidence, Value

MIN_SEEN_CONFIDENCE = 0.6
MIN_DONUT_CONFIDENCE = 0.9
DOUBTED_BY_DONUT = 0.7
"""Confidence of the Donut's own digits from which they count against others that are not sure themselves."""

CUT_FROM, CUT_ROOM = 0.1, 1.0
"""In heights of the row's box: how near to the crop's edge it may be cut, and how much more is then looked at."""
MAX_CUT_DEG = 30.0


def last_digit(text: str) -> float:
    """What one step of the last digit shown is worth: 0.1 for 56.1, 1 for 819."""
    decimals = text.partition(".")[2]
    return float(10.0 ** -len(decimals))


def display_value(
    evidence: Evidence,
    fields: GaugeFields,
    confidence: Mapping[str, float],
    numerals: NumeralReader,
    text_side_px: int,
    lines: LineReader | None = None,
    digits: DigitReader | None = None,
) -> Value:
    """The value of a display or counter, or the reason why none is stated."""
    from vision.judge import Value

    own, own_sure = fields.digital_readout, confidence.get("digital_readout", 0.0)
    crop = text_crop(evidence.image, evidence.box, text_side_px)
    if min(crop.pixels.shape[:2]) < 8:
        return Value(None, reason="the display is too small in the photo for its digits to be read", fields=fields)
    seen = _look(evidence, crop, numerals, digits)
    wider = without_cut(evidence.box, crop, seen.place, evidence.image.shape[1])
    if wider is not None:
        crop = text_crop(evidence.image, wider, text_side_px)
        seen = _look(evidence, crop, numerals, digits)
    places = [crop.place_to_crop(place) for place in evidence.unit_places]
    units = printed_units(crop.pixels, seen.looks, lines, seen.place, places)
    seen = seen._replace(unit=unit_of_number(units, seen.place, seen.others))
    if is_folded(seen):
        seen = unfolded(seen, {found.unit for found in units})
    unit = seen.unit
    if unit is None and confidence.get("unit", 0.0) >= MIN_DONUT_CONFIDENCE:
        unit = fields.unit
    stated = fields.model_copy(update={"digital_readout": None, "unit": unit, "channels": further_rows(seen) or fields.channels})
    signals = display_signals(evidence, crop, seen, own, own_sure)
    if seen.text is not None and own == seen.text:
        text, sure, remark = seen.text, 1.0 - (1.0 - seen.confidence) * (1.0 - own_sure), None
    elif seen.text is not None and seen.confidence >= MIN_SEEN_CONFIDENCE and own_sure < DOUBTED_BY_DONUT:
        text, sure, remark = seen.text, seen.confidence, None
    elif seen.text is None and own is not None and own_sure >= MIN_DONUT_CONFIDENCE and not seen.rows:
        text, sure, remark = own, own_sure, f"read by the model alone; {seen.reason}"
    elif seen.text is not None and own is not None:
        return Value(None, reason=f"two looks at the digits disagree: {own} and {seen.text}", fields=stated)
    else:
        return Value(None, reason=seen.reason or "the digits could not be made out", fields=stated)
    try:
        value = float(text)
    except ValueError:
        return Value(None, reason=f"what the display shows is not a number: {text}", fields=stated)
    half = last_digit(text) / 2.0
    shown = stated.model_copy(update={"digital_readout": text})
    known = {"digital_readout": round(sure, 4)}
    return Value(value, value - half, value + half, unit, "digits", sure, remark, shown, confidences=known, signals=signals)


def _look(evidence: Evidence, crop: TextCrop, numerals: NumeralReader, digits: DigitReader | None) -> DigitsWitness:
    row = None if evidence.row_place is None else crop.place_to_crop(evidence.row_place)
    return read_display(numerals, crop.pixels, digits, row)


def without_cut(box: Box, crop: TextCrop, row: TextPatch | None, image_width: int) -> Box | None:
    """The box with more room at the sides where its crop may cut the row while the image goes on; None where it does not.

    A locator's box is a few pixels off, and a display without a case has its first digit at the edge.
    """
    if row is None or abs(row.angle_deg) > MAX_CUT_DEG:
        return None
    near, room = CUT_FROM * row.height_px, CUT_ROOM * row.height_px / crop.scale
    right = crop.left + crop.pixels.shape[1] / crop.scale
    cut_left = row.center[0] - 0.5 * row.width_px < near and crop.left >= 1.0
    cut_right = row.center[0] + 0.5 * row.width_px > crop.pixels.shape[1] - near and right <= image_width - 1.0
    if not cut_left and not cut_right:
        return None
    return (box[0] - room if cut_left else box[0], box[1], box[2] + room if cut_right else box[2], box[3])


def further_rows(seen: DigitsWitness) -> tuple[Channel, ...]:
    """The rows beside the main one as channels, counted from the top; none where the main number is not among them."""
    if seen.text not in seen.rows:
        return ()
    main = seen.rows.index(seen.text)
    return tuple(
        Channel(label=f"row {number + 1}", digital_readout=text) for number, text in enumerate(seen.rows) if number != main
    )
