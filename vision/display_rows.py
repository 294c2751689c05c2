"""Rows of digits on a display or counter, read by the line reader at the places that the OCR's detector found.

The OCR knows where something stands even where it cannot read segments; its boxes are tighter or looser than the
digits, so each is read at several heights, and a row counts as read where the looks agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vision.fields import DIGITS_PATTERN, MAX_DIGITS
from vision.line_crop import MIN_HEIGHT_PX, LineImage, LinePlace, Pixels, can_be_cut
from vision.line_reader import LineReader, LineReading
from vision.numerals import Look, PrintedText, TextPatch

DIGITS_OF_BOX = (0.68, 0.8, 0.94)
"""Height of the digits to that of the detector's box around them."""
MAX_BOX_RATIO = 12.0
MIN_TEXT_SHARE = 0.1
MIN_CONFIDENCE = 0.35
POINT_LOOKS = ((0.92, 0.0), (1.0, 0.0), (1.1, 0.04))
"""Factor of the height and shift across in heights, for a place that a model's points give."""


class RowReading(NamedTuple):
    """Digits that most looks at one place agree on, and the mean probability that they give them."""

    text: str
    confidence: float
    place: LinePlace


def row_boxes(looks: Sequence[Look], crop_size: tuple[float, float]) -> list[TextPatch]:
    """The boxes of several looks at one crop in which a row of digits may stand, each place once."""
    boxes: list[TextPatch] = []
    for look in looks:
        patches = [TextPatch(text.center, text.width_px, text.height_px, text.angle_deg) for text in look.texts]
        for patch in (*patches, *look.unread):
            fits = 0.3 * patch.height_px <= patch.width_px <= MAX_BOX_RATIO * patch.height_px and abs(patch.angle_deg) < 50.0
            large = patch.height_px >= MIN_TEXT_SHARE * min(crop_size) and patch.height_px * DIGITS_OF_BOX[0] >= MIN_HEIGHT_PX
            if fits and large and not any(_same(patch, known) for known in boxes):
                boxes.append(patch)
    return boxes


def _same(first: TextPatch, second: TextPatch) -> bool:
    """Whether two boxes are the same but for a few pixels."""
    near = 0.15 * min(first.height_px, second.height_px)
    return (
        abs(first.center[0] - second.center[0]) < near
        and abs(first.center[1] - second.center[1]) < near
        and abs(first.width_px - second.width_px) < 3.0 * near
        and abs(first.height_px - second.height_px) < 2.0 * near
    )


def read_rows(reader: LineReader, crop: Pixels, boxes: Sequence[TextPatch]) -> tuple[RowReading | None, ...]:
    """For each box its digits, None where the looks do not agree on any."""
    image = LineImage(crop)
    places = [
        LinePlace(box.center, share * box.height_px, box.width_px, box.angle_deg) for box in boxes for share in DIGITS_OF_BOX
    ]
    readings = reader.read_lines(image, places) if places else ()
    count = len(DIGITS_OF_BOX)
    return tuple(agreed_row(readings[number * count : (number + 1) * count]) for number in range(len(boxes)))


def read_row(reader: LineReader, crop: Pixels, place: LinePlace) -> RowReading | None:
    """The digits of a row whose place is known; None where the looks do not agree."""
    places = [
        place._replace(height_px=factor * place.height_px, center=(place.center[0], place.center[1] + shift * place.height_px))
        for factor, shift in POINT_LOOKS
    ]
    return agreed_row(reader.read_lines(crop, [looked for looked in places if can_be_cut(looked)]))


def agreed_row(readings: Sequence[LineReading]) -> RowReading | None:
    """The digits with the most probability over all looks, where it is at least half of what there could be."""
    weight: dict[str, float] = {}
    for reading in readings:
        text = reading.text.rstrip(".")
        if re.fullmatch(DIGITS_PATTERN, text) and len(text) <= MAX_DIGITS:
            weight[text] = weight.get(text, 0.0) + reading.confidence
    if not weight:
        return None
    best = max(weight, key=lambda text: weight[text])
    confidence = weight[best] / len(readings)
    if confidence < MIN_CONFIDENCE or weight[best] < 0.6 * sum(weight.values()):
        return None
    place = max((r for r in readings if r.text.rstrip(".") == best), key=lambda r: r.confidence).place
    return RowReading(best, confidence, place)


def as_printed(row: RowReading, box: TextPatch) -> PrintedText:
    """The row as a text of the box in which it was read, to be held against what the OCR read there."""
    centers = tuple(box.center for _ in row.text)
    return PrintedText(row.text, box.center, box.height_px, box.width_px, box.angle_deg, row.confidence, (0.0, 0.0, 0.0), centers)
