"""Rows of digits that no detector and no model's point leads to: looked for with the digit reader itself.

Text detectors know print; where segments are large, faint or far apart their boxes end within the digits, or there is
none. So windows of several sizes go over the whole crop. What one reads is followed along its line until nothing more
joins it, and counts only where a window just around the whole row reads the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from vision.digit_reader import DigitReader
from vision.digit_votes import Shown
from vision.display_rows import RowReading, agreed_row
from vision.line_crop import DIGITS_SHAPE, LineImage, LinePlace, can_be_cut
from vision.line_reader import LineReading, character_places

HEIGHTS, HEIGHT_STEP = (0.11, 0.62), 1.36
"""Of the crop's shorter side: the smallest and largest digits that are looked for, and the ratio of one size to the next."""
MIN_DIGIT_PX = 9.0
WINDOW_WIDTH = 4.4
"""Width of a window to the height of its digits: as much as the reader sees at its own scale."""
STEP_ALONG, STEP_DOWN = 1.6, 0.34
"""Steps of the windows in heights of the digits."""
HINTED_FROM, STARTS = 0.25, 12
"""Confidence from which a window's digits are followed, and how many of them at most."""
SEARCH_SURE = 0.9
"""Confidence of the whole row from which it counts: nothing else leads there."""
OTHER_FROM = 0.4
"""Confidence from which a window that lies on no row that was found tells of a further one."""
GROWN_BY, SIDE = 1.5, 0.55
"""Room left at each end in distances between characters, to see whether more joins the row, and around the whole row."""
GROWN_LOOKS, WHOLE_LOOKS = (0.85, 1.0, 1.2), (0.78, 0.88, 1.0, 1.14)
MAX_GROWTHS = 4
APART = 1.75
"""Distances between characters from which the first or last one stands apart: digits of one number leave no place free."""
LONE_WIDTH = 0.85
CONTRADICTS_FROM = 0.6
"""Confidence from which another look's digits at the row, as large as it, speak against it."""
ALIKE = 0.5
"""Height to that of the largest row from which a further one leaves open which is the main one."""


class _Span(NamedTuple):
    """First and last character of a reading and the distance between characters, in pixels along its place."""

    first: float
    last: float
    apart: float


class Search(NamedTuple):
    """Rows of two or more digits, from top to bottom, each read whole and surely; and where further ones may stand."""

    rows: tuple[RowReading, ...]
    unsure: tuple[LinePlace, ...] = ()


def search_rows(reader: DigitReader, image: LineImage, angle_deg: float = 0.0) -> Search:
    """Rows of digits anywhere in the image that run in the given direction."""
    readings = reader.read_lines(image, windows(image, angle_deg))
    starts = [one for one in readings if one.confidence >= HINTED_FROM and _digits(one.text) >= 2]
    starts.sort(key=lambda one: -one.confidence * math.sqrt(_digits(one.text)))
    found: list[RowReading] = []
    followed = 0
    for start in starts:
        if followed >= STARTS:
            break
        if any(_lies_in(start.place, row.place) for row in found):
            continue
        followed += 1
        row = whole_row(reader, image, start)
        if row is not None and row.confidence >= SEARCH_SURE and not any(_lies_in(row.place, known.place) for known in found):
            found.append(row)
    hinted = [one.place for one in starts if one.confidence >= OTHER_FROM]
    unsure = tuple(place for place in hinted if not any(_lies_in(place, row.place) for row in found))
    return Search(tuple(sorted(found, key=lambda row: row.place.center[1])), unsure)


def lone_row(search: Search, shown: Sequence[Shown], named: LinePlace | None) -> RowReading | None:
    """The one large row of a display, where a search finds no other and no look says otherwise; else None.

    `named` is where a model says that the main row stands. A search sees no order among rows: of several none is taken.
    """
    if search.unsure or not search.rows:
        return None
    tallest = max(row.place.height_px for row in search.rows)
    large = [row for row in search.rows if row.place.height_px >= ALIKE * tallest]
    row = large[0]
    off = named is not None and not _lies_in(named, row.place)
    return None if len(large) > 1 or off or any(_contradicts(other, row) for other in shown) else row


def _contradicts(other: Shown, row: RowReading) -> bool:
    """Whether a look reads digits as large as the row's, there or elsewhere, that are no part of it.

    The digit reader's own earlier looks were at places that held more than the row: what they read beside it is that.
    """
    digits = row.text.replace(".", "")
    fits = other.digits in digits or (other.by_row and digits in other.digits)
    small = other.height_px < ALIKE * row.place.height_px
    return not fits and not small and other.confidence >= CONTRADICTS_FROM


def windows(image: LineImage, angle_deg: float = 0.0) -> list[LinePlace]:
    """Windows of all sizes over the whole image, along the given direction."""
    rows, columns = image.level(0).shape[:2]
    height, tallest = max(MIN_DIGIT_PX, HEIGHTS[0] * min(rows, columns)), HEIGHTS[1] * min(rows, columns)
    places: list[LinePlace] = []
    while height <= tallest:
        width = min(WINDOW_WIDTH * height, float(columns))
        for y in _steps(0.5 * height, rows - 0.5 * height, STEP_DOWN * height):
            for x in _steps(0.5 * width, columns - 0.5 * width, STEP_ALONG * height):
                places.append(LinePlace((x, y), height, width, angle_deg))
        height *= HEIGHT_STEP
    return [place for place in places if can_be_cut(place)]


def whole_row(reader: DigitReader, image: LineImage, start: LineReading) -> RowReading | None:
    """The row that the reading is of, or a part of: followed to both sides until nothing more joins it; None where unsure."""
    reading = start
    for _ in range(MAX_GROWTHS):
        place = _around(reading, GROWN_BY)
        if place is None:
            return None
        looks = reader.read_lines(image, [place._replace(height_px=share * place.height_px) for share in GROWN_LOOKS])
        grown = agreed_row(looks)
        if grown is None:
            return None
        best = max((look for look in looks if look.text.rstrip(".") == grown.text), key=lambda look: look.confidence)
        if grown.text == reading.text.rstrip("."):
            return _tight(reader, image, best)
        reading = best
    return None


def _tight(reader: DigitReader, image: LineImage, reading: LineReading) -> RowReading | None:
    """The row as windows just around it read it, without what stands apart at its ends: a sign or a channel's digit."""
    first, last = connected(reading)
    place = _around(reading, SIDE, first, last)
    text = reading.text[first:last].rstrip(".")
    if place is None or _digits(text) < 2:
        return None
    row = agreed_row(reader.read_lines(image, [place._replace(height_px=share * place.height_px) for share in WHOLE_LOOKS]))
    return row if row is not None and row.text == text else None


def connected(reading: LineReading) -> tuple[int, int]:
    """Slice of the reading's text without a first and a last digit that stand apart from the others."""
    places = character_places(reading, DIGITS_SHAPE)
    digits = [index for index, character in enumerate(reading.text) if character.isdigit()]
    # A point may have a place of its own, so only digits that stand side by side tell how far apart they stand.
    steps = {a: places[b] - places[a] for a, b in pairwise(digits) if b == a + 1}
    first, last = 0, len(reading.text)
    if len(steps) < 2:
        return first, last
    usual = float(np.median(sorted(steps.values())[:-1]))
    if steps.get(digits[0], 0.0) > APART * usual:
        first = digits[1]
    if steps.get(digits[-2], 0.0) > APART * usual:
        last = digits[-1]
    return first, last


def _around(reading: LineReading, room: float, first: int = 0, last: int | None = None) -> LinePlace | None:
    """The place of the reading's characters with `room` distances between characters left at both ends."""
    span = _span(reading, first, last)
    if span is None:
        return None
    turn = math.radians(reading.place.angle_deg)
    along = (span.first + span.last) / 2.0
    x, y = reading.place.center
    center = (x + along * math.cos(turn), y + along * math.sin(turn))
    place = reading.place._replace(center=center, width_px=span.last - span.first + 2.0 * room * span.apart)
    return place if can_be_cut(place) else None


def _span(reading: LineReading, first: int, last: int | None) -> _Span | None:
    characters = list(zip(character_places(reading, DIGITS_SHAPE), reading.text, strict=True))[first:last]
    at = [place for place, character in characters if character != "."]
    if not at:
        return None
    apart = float(np.median(np.diff(at))) if len(at) > 1 else LONE_WIDTH * reading.place.height_px
    return _Span(at[0], at[-1], max(apart, 0.4 * reading.place.height_px))


def _steps(first: float, last: float, step: float) -> Sequence[float]:
    if last <= first:
        return [(first + last) / 2.0]
    return [float(value) for value in np.linspace(first, last, 1 + math.ceil((last - first) / step))]


def _digits(text: str) -> int:
    return sum(character.isdigit() for character in text)


def _lies_in(place: LinePlace, known: LinePlace) -> bool:
    """Whether the middle of a place lies on a row that is known."""
    across = abs(place.center[0] - known.center[0]) < 0.5 * (known.width_px + 0.5 * place.width_px)
    return across and abs(place.center[1] - known.center[1]) < 0.6 * max(known.height_px, place.height_px)
