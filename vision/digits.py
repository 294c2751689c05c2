"""The digits of a display: every row with its text, the main one first among them, from the digit reader and OCR looks.

The digit reader knows segments and drums; where it is sure it is believed. Else its row is one more look among those of
the OCR, which reads segmented digits well where their gaps are closed, and loses the point easily: so the picture is
looked at as it is and with its strokes thickened, a point is looked for in the pixels where OCR saw none, and a number
counts only where two looks agree or one is very sure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.digit_points import with_point
from vision.digit_reader import DigitReader
from vision.digit_votes import (
    SURE_NAMED,
    Shown,
    agree,
    by_place,
    goes_on,
    shown_numbers,
    shown_row,
    without_channel,
    without_loose,
)
from vision.display_rows import RowReading, box_of_place, is_plausible, read_named_row, read_rows, row_boxes, rows_beside
from vision.display_search import lone_row, search_rows
from vision.fields import Point
from vision.line_crop import LineImage, LinePlace
from vision.numerals import Look, NumeralReader, PrintedText
from vision.text_strips import Pixels, TextPatch
from vision.unit_places import is_word, within_text

MIN_HEIGHT_SHARE, MIN_ROW_SHARE = 0.7, 0.5
"""Of the tallest number's height: smaller numbers of the OCR are clocks and labels, smaller rows of the digit reader too."""
CLEARLY_LARGER = 1.22
ABOVE_SHARE = 0.8
"""Of the main number's height: what stands unread above it and is as large may be the main row itself."""
MAX_SEARCH_DEG = 30.0
"""Slope of a model's place up to which a search follows it: beyond it the place itself is wrong."""
_FIRST_LINE = re.compile(r"[1-9][0-9]{2,3}")


class DigitsWitness(NamedTuple):
    """The main number of a display as shown (leading zeros, sign and point included), or None with a `reason`.

    `rows` holds every number of about the main number's height, from top to bottom; `place` is where the main number
    stands, `others` where the other rows do;
    `looks` are the OCR's, from which its unit can be told: `unit` is left to who does so.
    """

    text: str | None
    unit: str | None = None
    confidence: float = 0.0
    reason: str | None = None
    rows: tuple[str, ...] = ()
    place: TextPatch | None = None
    others: tuple[TextPatch, ...] = ()
    looks: tuple[Look, ...] = ()


def read_display(
    reader: NumeralReader, crop: Pixels, digits: DigitReader | None = None, row_place: LinePlace | None = None
) -> DigitsWitness:
    """Read a display from its crop (uint8 RGB).

    `digits` reads every box in which a look finds something; `row_place` is where a model says the main row stands. Where
    that leaves the main number open, the picture is looked at again with thickened strokes.
    """
    size = (crop.shape[1], crop.shape[0])
    looks = [reader.look(crop)]
    if digits is None:
        looks += [reader.look(picture) for picture in thickened(crop)]
        return _of_looks(looks, crop)._replace(looks=tuple(looks))
    image = LineImage(crop, color=True)
    place = row_place if row_place is not None and is_plausible(row_place) else None
    if place is not None and any(is_word(text) and within_text(place, text) for text in looks[0].texts):
        place = None  # a label stands there, no row
    named = None if place is None else read_named_row(digits, image, place, sure=SURE_NAMED)
    boxes = row_boxes(looks, size)
    read = read_rows(digits, image, boxes)
    if named is not None and named.confidence >= SURE_NAMED:
        beside = rows_beside(digits, image, named.place)
        boxes, read = [*boxes, *(box_of_place(row.place) for row in beside)], (*read, *beside)
    witness = _of_looks(looks, crop, place, named, boxes, read)
    if witness.text is None or witness.confidence < SURE_NAMED:
        looks += [reader.look(picture) for picture in thickened(crop)]
        new = row_boxes(looks, size)[len(row_boxes(looks[:1], size)) :]
        boxes, read = [*boxes, *new], (*read, *read_rows(digits, image, new))
        witness = _of_looks(looks, crop, place, named, boxes, read)
    if witness.text is None:
        shown = [one for look in looks for one in shown_numbers(look.texts, size)]
        shown += [shown_row(row) for row in (*read, named) if row is not None]
        angle = place.angle_deg if place is not None and abs(place.angle_deg) < MAX_SEARCH_DEG else 0.0
        row = lone_row(search_rows(digits, image, angle), shown, place)
        if row is not None:
            witness = DigitsWitness(row.text, None, row.confidence, rows=(row.text,), place=box_of_place(row.place))
    return witness._replace(looks=tuple(looks))


def _of_looks(
    looks: Sequence[Look],
    crop: Pixels,
    place: LinePlace | None = None,
    named: RowReading | None = None,
    boxes: Sequence[TextPatch] = (),
    read: Sequence[RowReading | None] = (),
) -> DigitsWitness:
    texts = [tuple(with_point(text, crop) for text in look.texts) for look in looks]
    rows = [row for row in read if row is not None]
    unread = [box for box, row in zip(boxes, read, strict=True) if row is None]
    return read_digits(texts[0], (crop.shape[1], crop.shape[0]), texts[1:], rows, place, named, unread)


def thickened(crop: Pixels) -> tuple[Pixels, Pixels]:
    """The picture in grey with dark strokes thickened, and with light strokes thickened (gaps of segments close)."""
    import cv2

    gray = cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
    size = max(1, round(0.02 * min(crop.shape[:2])))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * size + 1, 2 * size + 1))
    pictures = []
    for change in (cv2.erode, cv2.dilate):
        changed = cv2.GaussianBlur(change(gray, kernel), (0, 0), max(0.6, size / 2))
        pictures.append(np.ascontiguousarray(np.repeat(np.asarray(changed, np.uint8)[..., None], 3, axis=2)))
    return pictures[0], pictures[1]


def read_digits(
    texts: Sequence[PrintedText],
    crop_size: tuple[float, float],
    further_looks: Sequence[Sequence[PrintedText]] = (),
    rows: Sequence[RowReading] = (),
    place: LinePlace | None = None,
    named: RowReading | None = None,
    unread: Sequence[TextPatch] = (),
) -> DigitsWitness:
    """The main number of a display; `crop_size` is (width, height) in the pixels of the texts.

    It is the row at `place`, which a model names, or the one with the largest digits, or the top one of several as
    large; `named` is what the digit reader reads at `place`, `rows` what it reads elsewhere. Abstains with a reason where
    nothing was read, where looks contradict each other, and where something as large stands unread above the number.
    """
    printed = [text for look in (texts, *further_looks) for text in look]
    everything = [shown for look in (texts, *further_looks) for shown in shown_numbers(look, crop_size)]
    everything += [shown_row(row) for row in rows]
    everything += [] if named is None else [shown_row(named, named=True)]
    everything = without_loose(everything)
    if not everything:
        return DigitsWitness(None, reason="no digits were read on the display")
    best = max(shown.confidence for shown in everything)
    tallest = max(shown.height_px for shown in everything if shown.confidence >= 0.6 * best)
    least = {False: MIN_HEIGHT_SHARE * tallest, True: MIN_ROW_SHARE * tallest}
    tall = [shown for shown in everything if shown.named or shown.height_px >= least[shown.by_row]]
    groups = without_channel(by_place(tall))
    agreed = [agree(group) for group in groups]
    read = tuple(one.text for one in agreed if one.text is not None)
    main = _main_row(groups, place)
    if main is None:
        return DigitsWitness(None, reason="the main row of digits could not be read", rows=read)
    group = groups[main]
    text, confidence, by_row = agreed[main]
    stands = _place(group)
    others = tuple(_place(other) for other in groups if other is not group)
    if text is None:
        seen = ", ".join(dict.fromkeys(shown.text for shown in group))
        reason = f"the looks at the display disagree: {seen}"
        return DigitsWitness(None, None, confidence, reason, read, stands, others)
    if named is not None and named.is_part and named.text == text:
        return DigitsWitness(None, None, 0.3, f"the row has room for more than {text}", read, stands, others)
    if not by_row and goes_on(group, printed):
        return DigitsWitness(None, None, 0.3, f"beside {text} stands more that could not be read", read, stands, others)
    sides = _unread_sides(stands, unread, groups, printed)
    if len(groups) == 1 and _holds_a_row_below(_place([shown for shown in group if shown.by_row] or group), unread):
        sides.add("below")
    if place is None and "above" in sides:
        return DigitsWitness(None, None, 0.3, f"above {text} stands a row that could not be read", read, stands, others)
    if len(groups) == 1 and "below" in sides and _FIRST_LINE.fullmatch(text):
        return DigitsWitness(None, None, 0.3, f"below {text} stands a row that may be a part of it", read, stands, others)
    return DigitsWitness(text, None, confidence, rows=read, place=stands, others=others)


def _main_row(groups: Sequence[Sequence[Shown]], named: LinePlace | None) -> int | None:
    """The row at the place that a model names, None where nothing was read there; else the top one of the largest."""
    if named is not None:
        for index, group in enumerate(groups):
            place = _place(group)
            across, down = abs(place.center[0] - named.center[0]), abs(place.center[1] - named.center[1])
            if across < 0.5 * place.width_px and down < 0.5 * place.height_px:
                return index
        return None
    heights = [float(np.median([shown.height_px for shown in group])) for group in groups]
    return next(index for index, height in enumerate(heights) if CLEARLY_LARGER * height >= max(heights))


def _place(group: Sequence[Shown]) -> TextPatch:
    """Where the number of a group stands: its widest look."""
    widest = max(group, key=lambda shown: shown.width_px)
    return TextPatch(widest.center, widest.width_px, widest.height_px, widest.angle_deg)


def _unread_sides(
    main: TextPatch, unread: Sequence[TextPatch], groups: Sequence[Sequence[Shown]], printed: Sequence[PrintedText]
) -> set[str]:
    """Where a box as large as the main number's stands in which no look read a number or a word: above it, below it."""
    sides: set[str] = set()
    for box in unread:
        down = box.center[1] - main.center[1]
        over = abs(box.center[0] - main.center[0]) < 0.5 * (box.width_px + main.width_px)
        known = any(_holds(box, shown.center) for group in groups for shown in group)
        word = any(_holds(box, text.center) and is_word(text) for text in printed)
        if abs(down) > 0.7 * main.height_px and box.height_px >= ABOVE_SHARE * main.height_px and over and not known and not word:
            sides.add("below" if down > 0 else "above")
    return sides


def _holds_a_row_below(row: TextPatch, unread: Sequence[TextPatch]) -> bool:
    """Whether a box goes round the row and as much again below it: a detector joins rows that stand close."""
    around = [box for box in unread if _holds(box, row.center)]
    return any(box.center[1] + 0.5 * box.height_px >= row.center[1] + 1.5 * row.height_px for box in around)


def _holds(box: TextPatch, point: Point) -> bool:
    return abs(box.center[0] - point[0]) < 0.5 * box.width_px and abs(box.center[1] - point[1]) < 0.5 * box.height_px
