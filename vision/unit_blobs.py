"""Places where small print may stand, by the ink itself: for units that neither the text detector nor a heat map points at.

A line reader that is shown the right place reads units surely; what is missed is the place: a small `psi` beside the last
numeral, a C with its ring above it, letters set along an arc. Ink that is set off from its surroundings, as high as print
is and near its like, is such a place. Numerals, words that were read and everything larger (needle, arcs) are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fields import Point
from vision.line_crop import MIN_HEIGHT_PX, LineImage, LinePlace
from vision.plane import clock_angle

HEIGHTS = (0.3, 1.9)
"""Height of a word's ink to that of the numerals' digits."""
PART_HEIGHTS = (0.12, 2.2)
MAX_WORD_WIDTH, MIN_WORD_WIDTH = 7.0, 0.5
"""In heights."""
JOIN_ALONG, JOIN_ACROSS = 0.5, 0.3
"""In heights of digits: gaps within a word, and between a letter and its ring."""
REACH = 1.2
"""Of the ring of numerals about the pivot: beyond it nothing is printed on the face."""
WINDOW_HEIGHTS, MIN_CONTRAST, CONTRAST_OF_SPREAD = 2.5, 7.0, 0.12
SHARES = (0.7, 0.85, 1.0)
"""Height of capitals to that of the ink: letters with descenders or a ring above them, and plain ones."""
MAX_BLOBS = 16
TURNED_FROM_DEG, TURNED_TO_DEG = 14.0, 80.0
"""Letters set along an arc about the pivot are turned by this much at least, and not so much that they stand on their heads."""

Mask = NDArray[np.uint8]


def blob_places(
    image: LineImage, pivot: Point, ring_px: float, digit_px: float, known: Sequence[tuple[Point, float, float]]
) -> list[LinePlace]:
    """Places of print within the ring of numerals, those of the likeliest height first.

    `digit_px` is the height of the numerals' digits, `known` are centre, width and height of boxes whose text was read.
    All in pixels of the image.
    """
    if digit_px < MIN_HEIGHT_PX or ring_px < 2.0 * digit_px:
        return []
    words = [
        word
        for ink in _inks(image.level(0), digit_px)
        for word in _words(_without(ink, known), digit_px)
        if math.dist(_middle(word), pivot) <= REACH * ring_px
    ]
    likeliest = sorted(words, key=lambda word: abs(math.log(_height(word) / digit_px)))[:MAX_BLOBS]
    return [place for word in likeliest for place in _places(word, pivot, digit_px)]


def _inks(gray: NDArray[np.uint8], digit_px: float) -> tuple[Mask, Mask]:
    """What is darker, and what is lighter, than its surroundings."""
    size = 2 * round(0.5 * WINDOW_HEIGHTS * digit_px) + 1
    off = cv2.subtract(gray.astype(np.float32), cv2.blur(gray, (size, size)).astype(np.float32))
    least = max(MIN_CONTRAST, CONTRAST_OF_SPREAD * float(gray.std()) * 2.0)
    return np.asarray(off < -least, np.uint8), np.asarray(off > least, np.uint8)


def _without(ink: Mask, known: Sequence[tuple[Point, float, float]]) -> Mask:
    ink = ink.copy()
    for (x, y), width, height in known:
        left, top = max(0, int(x - width / 2)), max(0, int(y - height / 2))
        ink[top : max(0, int(y + height / 2) + 1), left : max(0, int(x + width / 2) + 1)] = 0
    return ink


def _words(ink: Mask, digit_px: float) -> list[NDArray[Any]]:
    """Ink of the parts of each word, as points (N, 2) of x and y."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    low, high = PART_HEIGHTS[0] * digit_px, PART_HEIGHTS[1] * digit_px
    heights, widths, areas = stats[:, cv2.CC_STAT_HEIGHT], stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_AREA]
    letters = (heights >= low) & (heights <= high) & (widths <= MAX_WORD_WIDTH * digit_px) & (areas >= 3)
    letters[0] = False
    mask = np.asarray(letters[labels], np.uint8)
    kernel = np.ones((max(1, round(JOIN_ACROSS * digit_px)), max(1, round(JOIN_ALONG * digit_px))), np.uint8)
    count, joined, stats, _ = cv2.connectedComponentsWithStats(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel), connectivity=8)
    words = []
    for number in range(1, count):
        x, y, width, height = stats[number, :4]
        if not (HEIGHTS[0] * digit_px <= max(height, 0.3 * width) and height <= 2.0 * HEIGHTS[1] * digit_px):
            continue
        if width > MAX_WORD_WIDTH * digit_px or width < MIN_WORD_WIDTH * min(height, digit_px):
            continue
        rows, columns = np.nonzero(mask[y : y + height, x : x + width] & (joined[y : y + height, x : x + width] == number))
        if len(rows) >= 6:
            words.append(np.column_stack([columns + x, rows + y]).astype(float))
    return words


def _places(word: NDArray[Any], pivot: Point, digit_px: float) -> list[LinePlace]:
    """The word as if it were level, and as if it ran along an arc about the pivot."""
    turns = [0.0]
    above = (clock_angle(pivot, _middle(word)) - 180.0 + 180.0) % 360.0 - 180.0
    below = (clock_angle(pivot, _middle(word)) + 180.0) % 360.0 - 180.0
    turns += [turn for turn in (above, below) if TURNED_FROM_DEG <= abs(turn) <= TURNED_TO_DEG]
    places = []
    for turn in turns:
        along = np.array([math.cos(math.radians(turn)), math.sin(math.radians(turn))])
        across = np.array([-along[1], along[0]])
        spans = [(float((word @ axis).min()), float((word @ axis).max()) + 1.0) for axis in (along, across)]
        (left, right), (top, low) = spans
        height = low - top
        if not HEIGHTS[0] * digit_px <= height <= HEIGHTS[1] * digit_px:
            continue
        center = 0.5 * (left + right) * along + 0.5 * (top + low) * across
        for share in SHARES:
            # What stands above the capitals (a ring) shifts their middle down; descenders shift it up, and the reader bears it.
            place = LinePlace((float(center[0]), float(center[1])), share * height, right - left, turn)
            if place.height_px >= MIN_HEIGHT_PX:
                places.append(place)
    return places


def _middle(word: NDArray[Any]) -> Point:
    x, y = 0.5 * (word.min(axis=0) + word.max(axis=0))
    return float(x), float(y)


def _height(word: NDArray[Any]) -> float:
    return float(word[:, 1].max() - word[:, 1].min() + 1.0)
