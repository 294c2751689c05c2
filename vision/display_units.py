"""The unit of a display's main number: printed in the window, beside it or on the case.

The OCR reads words; the line reader sees units in the boxes that the OCR could not read, at the places that the model's
map shows, and behind the number. On a display with several rows each may have its own: what stands on the number's own
line is its unit, and what stands on another row's line is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from vision.display_rows import BOX_OF_DIGITS
from vision.fields import Point
from vision.line_crop import LineImage, LinePlace, Pixels
from vision.line_reader import LineReader
from vision.numerals import Look
from vision.printed_units import find_units
from vision.text_strips import TextPatch
from vision.unit_places import places_around, places_of_boxes
from vision.unit_witness import find_unit_lines

ON_LINE = 0.75
"""Of the number's height: how far above or below its middle a unit on its line may stand."""
LINE_REACH = 6.0
"""Heights of the number between it and a unit on its line."""
BEHIND_SIZES, BEHIND_LEVELS, BEHIND_GAPS = (0.38, 0.62), (-0.28, 0.05, 0.32), (0.2, 0.7, 1.4)
"""Where a unit behind a number may stand, in heights of its digits: letters' height, level, gap."""
UNIT_WIDTH = 2.0
SURE_ELSEWHERE = 0.95
"""Least confidence of the line reader in a unit that does not stand on the number's line."""


class PlacedUnit(NamedTuple):
    """A unit and where it is printed, in pixels of the crop."""

    unit: str
    center: Point


def printed_units(
    crop: Pixels,
    looks: Sequence[Look],
    lines: LineReader | None,
    number: TextPatch | None = None,
    places: Sequence[LinePlace] = (),
) -> list[PlacedUnit]:
    """Every unit that the looks at the crop have as text, or that the line reader sees.

    It looks into the first look's other boxes, at `places` and behind the number.
    """
    found = [PlacedUnit(mark.unit, mark.center) for look in looks for mark in find_units(look.texts)]
    if lines is None:
        return found
    boxes = places_of_boxes(looks[0].texts, looks[0].unread) if looks else []
    behind = [] if number is None else places_behind(number)
    asked = [*boxes, *behind, *(around for place in places for around in places_around(place))]
    seen = find_unit_lines(lines, LineImage(crop), asked) if asked else ()
    return found + [
        PlacedUnit(unit.unit, unit.place.center)
        for unit in seen
        if unit.multiplier == 1.0 and (unit.confidence >= SURE_ELSEWHERE or _on_line(unit.place.center, number))
    ]


def places_behind(number: TextPatch) -> list[LinePlace]:
    """Places on the number's line behind its last digit, at the sizes and levels at which units are printed there."""
    height, turn = number.height_px / BOX_OF_DIGITS, math.radians(number.angle_deg)
    places = []
    for size in BEHIND_SIZES:
        for level in BEHIND_LEVELS:
            for gap in BEHIND_GAPS:
                along = 0.5 * number.width_px + (gap + 0.5 * UNIT_WIDTH * size) * height
                x, y = along * math.cos(turn), along * math.sin(turn)
                down = level * height
                center = (number.center[0] + x - down * math.sin(turn), number.center[1] + y + down * math.cos(turn))
                places.append(LinePlace(center, size * height, UNIT_WIDTH * size * height, number.angle_deg))
    return places


def unit_of_number(units: Sequence[PlacedUnit], number: TextPatch | None, others: Sequence[TextPatch] = ()) -> str | None:
    """The one unit on the number's line, else the only one that is on no line of the `others`; None where several differ."""
    beside = {unit.unit for unit in units if _on_line(unit.center, number)}
    if beside:
        return beside.pop() if len(beside) == 1 else None
    names = {unit.unit for unit in units if not any(_on_line(unit.center, other) for other in others)}
    return names.pop() if len(names) == 1 else None


def _on_line(center: Point, number: TextPatch | None) -> bool:
    if number is None:
        return False
    turn = math.radians(number.angle_deg)
    x, y = center[0] - number.center[0], center[1] - number.center[1]
    along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    apart = abs(along) - 0.5 * number.width_px
    return abs(across) <= ON_LINE * number.height_px and apart <= LINE_REACH * number.height_px
