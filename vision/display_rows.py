"""Rows of digits on a display or counter, read by the digit reader at the places that a detector or the model gives.

A text detector knows where something stands even where it cannot read segments; its boxes are tighter or looser than
the digits, and a model's points may go round drums instead of their digits. So each place is read at several heights,
and a row counts as read where two looks give it and no two give another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.digit_reader import DIGITS, DigitReader
from vision.fields import DIGITS_PATTERN, MAX_DIGITS
from vision.line_crop import DIGITS_SHAPE, MIN_HEIGHT_PX, LineImage, LinePlace, can_be_cut
from vision.line_reader import LineReading, character_places, text_log_probs
from vision.numerals import Look
from vision.text_strips import TextPatch

DIGITS_OF_BOX = (0.6, 0.72, 0.85, 0.98)
"""Height of the digits to that of the detector's box around them."""
BOX_OF_DIGITS = 1.3
NAMED_LOOKS = ((0.68, 0.0), (0.82, 0.0), (0.96, 0.0), (1.1, 0.0))
"""Height to that of a place which a model's points give, and shift across in heights; drums are higher than their digits."""
FURTHER_LOOKS = ((0.58, 0.0), (0.8, -0.22), (0.8, 0.22), (1.3, 0.0))
"""Taken where the first ones do not agree: the place may be off."""
SCAN_STEP, SCAN_REACH = 0.4, 6.0
"""In heights of the main row: how finely and how far further rows are looked for above and below it."""
SCAN_HEIGHT = 0.8
SCANNED_FROM, SCAN_SURE = 0.3, 0.7
BEYOND_DOUBT, TURNED_SHARE = 0.9, 0.5
"""Confidence from which a row is doubted no more; what is left of a lower one where it reads better upside down."""
ROOM_FOR_A_DIGIT, DIGIT_WIDTH = 1.3, 0.8
"""In distances between characters; width of a lone digit with its space to its height."""
MIN_NAMED_RATIO = 0.35
"""Width to height of a place that can be a row: the narrowest is a lone 1."""
MAX_BOX_RATIO = 12.0
MIN_TEXT_SHARE = 0.1
MIN_CONFIDENCE = 0.2
LOOKS_THAT_AGREE = 2


class RowReading(NamedTuple):
    """The digits at one place, the probability that looks give them, and where they stand.

    `room_before` and `room_behind` are the distances from the place's ends to the middle of the first and of the last
    character, in distances between characters: about a half where the place holds these digits and no more.
    """

    text: str
    confidence: float
    place: LinePlace
    room_before: float = 0.5
    room_behind: float = 0.5

    @property
    def is_part(self) -> bool:
        """Whether the place has room for a further digit behind these, or before them: there a display may have blanks."""
        before = self.room_before > ROOM_FOR_A_DIGIT and self.confidence < BEYOND_DOUBT
        return before or self.room_behind > ROOM_FOR_A_DIGIT


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


def box_of_place(place: LinePlace) -> TextPatch:
    """The box that a detector would draw around a row whose digits stand at the place."""
    return TextPatch(place.center, place.width_px, BOX_OF_DIGITS * place.height_px, place.angle_deg)


def read_rows(reader: DigitReader, image: LineImage, boxes: Sequence[TextPatch]) -> tuple[RowReading | None, ...]:
    """For each box its digits; None where the looks do not agree on any."""
    looks = [
        [LinePlace(box.center, share * box.height_px, box.width_px, box.angle_deg) for share in DIGITS_OF_BOX] for box in boxes
    ]
    wanted = [[place for place in places if can_be_cut(place)] for places in looks]
    readings = iter(reader.read_lines(image, [place for places in wanted for place in places]))
    return tuple(agreed_row([next(readings) for _ in places]) for places in wanted)


def read_named_row(reader: DigitReader, image: LineImage, place: LinePlace, *, sure: float) -> RowReading | None:
    """The digits of a row whose place a model gives, looked at again where the first looks are less than `sure`.

    Where they read better upside down, the photo may be: that takes half of the confidence away.
    """
    row = _read_near(reader, image, place, sure)
    if row is None or row.confidence >= BEYOND_DOUBT:
        return row
    turned = _read_near(reader, image, place._replace(angle_deg=place.angle_deg + 180.0), sure)
    doubted = turned is not None and turned.text != row.text and turned.confidence > row.confidence
    return row._replace(confidence=TURNED_SHARE * row.confidence) if doubted else row


def _read_near(reader: DigitReader, image: LineImage, place: LinePlace, sure: float) -> RowReading | None:
    readings: list[LineReading] = []
    row: RowReading | None = None
    for looks in (NAMED_LOOKS, FURTHER_LOOKS):
        readings += reader.read_lines(image, [near for near in _looks_at(place, looks) if can_be_cut(near)])
        row = agreed_row(readings)
        if row is not None and row.confidence >= sure:
            break
    return row


def rows_beside(reader: DigitReader, image: LineImage, main: LinePlace) -> list[RowReading]:
    """Further rows above and below the main one, which detectors miss where segments are faint; each read on its own."""
    rows, columns = image.level(0).shape[:2]
    count = int(SCAN_REACH / SCAN_STEP)
    shifts = [SCAN_STEP * number for number in range(-count, count + 1) if abs(SCAN_STEP * number) >= 1.0]
    height = SCAN_HEIGHT * main.height_px
    wide = main._replace(width_px=max(main.width_px, 4.0 * main.height_px))
    places = _looks_at(wide, [(1.0, shift) for shift in shifts])
    asked = [
        place._replace(height_px=height)
        for place in places
        if can_be_cut(place) and 0.0 <= place.center[0] < columns and 0.4 * height <= place.center[1] < rows - 0.4 * height
    ]
    found: list[RowReading] = []
    for reading in sorted(reader.read_lines(image, asked), key=lambda reading: -reading.confidence):
        new = all(math.dist(reading.place.center, row.place.center) > 0.8 * row.place.height_px for row in found)
        if reading.text and reading.confidence >= SCANNED_FROM and new:
            row = _read_near(reader, image, reading.place, SCAN_SURE)
            if row is not None and row.confidence >= SCAN_SURE:
                found.append(row)
    return found


def _looks_at(place: LinePlace, looks: Sequence[tuple[float, float]]) -> list[LinePlace]:
    turn = math.radians(place.angle_deg)
    x, y = -math.sin(turn) * place.height_px, math.cos(turn) * place.height_px
    return [
        place._replace(center=(place.center[0] + shift * x, place.center[1] + shift * y), height_px=factor * place.height_px)
        for factor, shift in looks
    ]


def is_plausible(place: LinePlace) -> bool:
    """Whether a place that a model gives is finite and as wide as a row can be."""
    return can_be_cut(place) and place.width_px >= MIN_NAMED_RATIO * place.height_px


def agreed_row(readings: Sequence[LineReading]) -> RowReading | None:
    """The digits that the looks give with the highest probability, two of them at least where there are two.

    What two looks give to other digits takes its part away.
    """
    by_text: dict[str, LineReading] = {}
    for reading in sorted(readings, key=lambda reading: reading.confidence):
        text = reading.text.rstrip(".")
        if re.fullmatch(DIGITS_PATTERN, text) and len(text) <= MAX_DIGITS:
            by_text[text] = reading
    if not by_text:
        return None
    texts = list(by_text)
    probabilities = np.stack([np.exp(text_log_probs(r.log_probs[None], texts, DIGITS)[0]) for r in readings])
    count = min(LOOKS_THAT_AGREE, len(readings))
    support = np.sort(probabilities, axis=0)[-count:].mean(axis=0)
    best = int(support.argmax())
    rival = float(np.delete(support, best).max(initial=0.0))
    confidence = float(support[best]) * (1.0 - rival)
    if confidence < MIN_CONFIDENCE:
        return None
    reading = by_text[texts[best]]
    return RowReading(texts[best], confidence, reading.place, *_room(reading))


def _room(reading: LineReading) -> tuple[float, float]:
    places = character_places(reading, DIGITS_SHAPE)
    at = [place for place, character in zip(places, reading.text, strict=True) if character != "."]
    apart = float(np.median(np.diff(at))) if len(at) > 1 else DIGIT_WIDTH * reading.place.height_px
    half = reading.place.width_px / 2.0
    return (half + at[0]) / apart, (half - at[-1]) / apart
