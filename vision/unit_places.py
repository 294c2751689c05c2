"""Where a unit may stand on a face: the boxes that a text detector found, and a coarse column of places about the pivot.

Units are as large as the numerals, a little smaller or larger, and stand above or below the pivot. A heat map of
units, where a model has one, knows better; these places serve until then and beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from vision.fields import Point
from vision.line_crop import MIN_HEIGHT_PX, LinePlace
from vision.numerals import PrintedText
from vision.printed_units import find_units, plain_text
from vision.text_strips import TextPatch

LETTERS_OF_BOX = (0.62, 0.82)
"""Height of capitals to that of the detector's box around them: tight and loose boxes."""
MAX_BOX_RATIO = 9.0
SURE_NUMBER = 0.75
COLUMN_STEP, COLUMN_SHIFTS = 0.6, (-1.1, 0.0, 1.1)
UNIT_TO_NUMERAL = 0.85
COLUMN_REACH = 1.05
MAX_STEPS = 13
WORD_CONFIDENCE, WORD_LETTERS = 0.7, 4
"""From here on a text is surely a word, or a line of words, and no unit that is printed in one."""
TITLE = re.compile(r"(TEMPERATURE|TEMP|PRESSURE|VACUUM|SPEED|FLOW|LEVEL|温度|压力|真空)\W*$", re.IGNORECASE)
BEHIND_TITLE = ((0.66, 0.4), (0.78, 0.7), (0.72, 1.0))
"""Height of letters and gap before them, in heights of the title's box: three looks at what may stand behind it."""
AROUND = ((0.85, -0.1, 0.0), (1.0, 0.1, 0.12), (1.22, 0.0, -0.12))
"""Factor of the height, shifts along and across in heights: three looks at one place."""


def places_around(place: LinePlace) -> tuple[LinePlace, ...]:
    """Three looks at a place that is known but for small errors."""
    turn = math.radians(place.angle_deg)
    cos, sin = math.cos(turn) * place.height_px, math.sin(turn) * place.height_px
    return tuple(
        LinePlace(
            (place.center[0] + along * cos - across * sin, place.center[1] + along * sin + across * cos),
            factor * place.height_px,
            place.width_px,
            place.angle_deg,
        )
        for factor, along, across in AROUND
    )


def places_of_boxes(texts: Sequence[PrintedText], unread: Sequence[TextPatch]) -> list[LinePlace]:
    """Places in the boxes that hold something else than a number that is surely read."""
    boxes = [
        TextPatch(text.center, text.width_px, text.height_px, text.angle_deg)
        for text in texts
        if not _is_number(text) and not is_word(text)
    ]
    places = []
    for box in (*boxes, *unread):
        width, height, angle = box.width_px, box.height_px, box.angle_deg
        if width < 0.5 * height:  # a box that stands upright holds a single character, or a line that runs up
            angle = 0.0
        if width > MAX_BOX_RATIO * height:
            continue
        for share in LETTERS_OF_BOX:
            if share * height >= MIN_HEIGHT_PX:
                places.append(LinePlace(box.center, share * height, min(width, 6.0 * height), angle))
    return places


def places_behind_titles(texts: Sequence[PrintedText]) -> list[LinePlace]:
    """Places right behind the name of a quantity, as in `TEMPERATURE °C`: a detector's box ends before the ring or the gap."""
    places = []
    for title in texts:
        if title.confidence < WORD_CONFIDENCE or TITLE.search(title.text) is None:
            continue
        turn = math.radians(title.angle_deg)
        for share, gap in BEHIND_TITLE:
            height = share * title.height_px
            along = 0.5 * title.width_px + gap * title.height_px + 0.7 * height
            center = (title.center[0] + along * math.cos(turn), title.center[1] + along * math.sin(turn))
            if height >= MIN_HEIGHT_PX:
                places.append(LinePlace(center, height, 2.2 * height, title.angle_deg))
    return places


def column_places(texts: Sequence[PrintedText], pivot: Point) -> list[LinePlace]:
    """Places above and below the pivot within the ring of numerals; none where fewer than three numbers were read."""
    numbers = [text for text in texts if _is_number(text)]
    if len(numbers) < 3:
        return []
    height = UNIT_TO_NUMERAL * LETTERS_OF_BOX[0] * 1.15 * float(np.median([text.height_px for text in numbers]))
    radius = float(np.median([math.dist(text.center, pivot) for text in numbers]))
    if height < MIN_HEIGHT_PX or radius < 2.0 * height:
        return []
    step = max(COLUMN_STEP * height, COLUMN_REACH * radius / MAX_STEPS)
    words = [text for text in texts if is_word(text)]
    steps = range(-int(COLUMN_REACH * radius / step), int(COLUMN_REACH * radius / step) + 1)
    places = [
        LinePlace((pivot[0] + shift * height, pivot[1] + number * step), height, 3.0 * height)
        for number in steps
        for shift in COLUMN_SHIFTS
        if abs(number * step) >= 0.5 * height
    ]
    return [place for place in places if not any(within_text(place, word) for word in words)]


def is_word(text: PrintedText) -> bool:
    """Whether the text is surely read and is a word or more that is no unit: `PRESSURE`, `EN 837-1`, a maker's name."""
    letters = re.sub(r"[^A-Za-z]", "", text.text)
    wide = len(letters) >= WORD_LETTERS or len(text.text) >= 2 * WORD_LETTERS
    return wide and text.confidence >= WORD_CONFIDENCE and not find_units([text])


def within_text(place: LinePlace, text: PrintedText) -> bool:
    """Whether the centre of the place lies within the text's box."""
    turn = math.radians(text.angle_deg)
    x, y = place.center[0] - text.center[0], place.center[1] - text.center[1]
    along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    return abs(along) <= 0.5 * text.width_px and abs(across) <= 0.5 * text.height_px


def _is_number(text: PrintedText) -> bool:
    return text.confidence >= SURE_NUMBER and re.fullmatch(r"[+-]?[0-9.,]+", plain_text(text.text).strip()) is not None
