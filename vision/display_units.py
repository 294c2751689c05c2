"""The unit of a display's main number: printed in the window, beside it or on the case.

The OCR reads words; the line reader sees units in the boxes that the OCR could not read, at the places that the model's
map shows, and behind the number. On a display with several rows each may have its own: what stands on the number's own
line is its unit, and what stands on another row's line is not.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import product
from typing import NamedTuple

from vision.display_rows import BOX_OF_DIGITS
from vision.fields import Point
from vision.line_crop import LineImage, LinePlace, Pixels
from vision.line_reader import LineReader
from vision.numerals import Look, PrintedText
from vision.printed_units import find_units, plain_text
from vision.text_strips import TextPatch
from vision.unit_places import places_around, places_of_boxes
from vision.unit_witness import SINGLE_CHARACTERS, SeenUnit, UnitCalibration, find_unit_lines

ON_LINE = 0.75
"""Of the number's height: how far above or below its middle a unit on its line may stand."""
LINE_REACH = 6.0
"""Heights of the number between it and a unit on its line."""
BEHIND_SIZES, BEHIND_LEVELS, BEHIND_GAPS = (0.38, 0.62), (-0.28, 0.05, 0.32), (0.2, 0.7, 1.4)
"""Where a unit behind a number may stand, in heights of its digits: letters' height, level, gap."""
SMALL_SIZES, FOOT_LEVELS, FOOT_GAPS = (0.25, 0.3), (0.35, 0.4), (-0.15, 0.1, 0.5)
"""Beside tall digits a small unit stands on their foot, close behind the last one."""
UNIT_WIDTH = 2.0
HINTED_FROM = 0.4
"""Confidence of a unit behind the number from which its place is looked at more closely."""
SURE_LETTER = 0.7
"""Least confidence of the OCR in a lone letter that is a unit."""
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
    found += [letter for look in looks for letter in letters_behind(look.texts, number)]
    if lines is None:
        return found
    boxes = places_of_boxes(looks[0].texts, looks[0].unread) if looks else []
    # A detector's box on the number may end within it: half a digit with a degree sign looks like other units.
    boxes = [place for place in boxes if number is None or not within_patch(place.center, number)]
    behind = [] if number is None else places_behind(number)
    told = {unit for look in looks for unit in told_behind(look.texts, number)}
    asked = [*boxes, *behind, *(around for place in places for around in places_around(place))]
    seen = _looked_again(lines, LineImage(crop), asked, number, told) if asked else ()
    return found + [
        PlacedUnit(unit.unit, unit.place.center)
        for unit in seen
        if unit.multiplier == 1.0 and (unit.confidence >= SURE_ELSEWHERE or _on_line(unit.place.center, number))
    ]


def _looked_again(
    lines: LineReader, image: LineImage, asked: Sequence[LinePlace], number: TextPatch | None, told: Collection[str]
) -> list[SeenUnit]:
    """The units at the places asked for; where one behind the number is only half sure, also at places around it.

    A unit that the OCR has `told` behind the number needs no more than the half: these are two witnesses.
    """
    hinted = find_unit_lines(lines, image, asked, threshold=HINTED_FROM)
    near = [unit.place for unit in hinted if _on_line(unit.place.center, number) and _is_behind(unit.place.center, number)]
    closer = [*asked, *(around for place in near for around in places_around(place))]
    seen = find_unit_lines(lines, image, closer, threshold=HINTED_FROM) if near else hinted
    least = UnitCalibration.of_card(lines.card).threshold
    return [unit for unit in seen if unit.confidence >= least or (unit.unit in told and _is_behind(unit.place.center, number))]


def told_behind(texts: Sequence[PrintedText], number: TextPatch | None) -> set[str]:
    """Units in what is left of a text that begins within the number and ends behind it, surely read or not."""
    told: set[str] = set()
    for text in texts:
        if number is None or not text.text or len(text.character_centers) != len(text.text) or not _on_line(text.center, number):
            continue
        pairs = zip(text.text, text.character_centers, strict=True)
        rest = "".join(one for one, center in pairs if not within_patch(center, number) and _is_behind(center, number))
        if rest and rest != text.text:
            told |= {mark.unit for mark in find_units([text._replace(text=rest, confidence=1.0)])}
    return told


def letters_behind(texts: Sequence[PrintedText], number: TextPatch | None) -> list[PlacedUnit]:
    """Units of one letter right behind the number, however small: on a face such a letter is as large as the numerals."""
    return [
        PlacedUnit(letter, text.center)
        for text in texts
        if (letter := plain_text(text.text).strip()) in SINGLE_CHARACTERS
        and text.confidence >= SURE_LETTER
        and _on_line(text.center, number)
        and _is_behind(text.center, number)
    ]


def places_behind(number: TextPatch) -> list[LinePlace]:
    """Places on the number's line behind its last digit, at the sizes and levels at which units are printed there."""
    height, turn = number.height_px / BOX_OF_DIGITS, math.radians(number.angle_deg)
    places = []
    looks = [*product(BEHIND_SIZES, BEHIND_LEVELS, BEHIND_GAPS), *product(SMALL_SIZES, FOOT_LEVELS, FOOT_GAPS)]
    for size, level, gap in looks:
        along = 0.5 * number.width_px + (gap + 0.5 * UNIT_WIDTH * size) * height
        x, y = along * math.cos(turn), along * math.sin(turn)
        down = level * height
        center = (number.center[0] + x - down * math.sin(turn), number.center[1] + y + down * math.cos(turn))
        places.append(LinePlace(center, size * height, UNIT_WIDTH * size * height, number.angle_deg))
    return places


def unit_of_number(units: Sequence[PlacedUnit], number: TextPatch | None, others: Sequence[TextPatch] = ()) -> str | None:
    """The one unit on the number's line, else the only one that is on no line of the `others`; None where several differ.

    Units stand behind their number: what stands before it counts only where nothing does.
    """
    for behind in (True, False):
        beside = {unit.unit for unit in units if _on_line(unit.center, number) and _is_behind(unit.center, number) is behind}
        if beside:
            return beside.pop() if len(beside) == 1 else None
    names = {unit.unit for unit in units if not any(_on_line(unit.center, other) for other in others)}
    return names.pop() if len(names) == 1 else None


def within_patch(point: Point, patch: TextPatch) -> bool:
    """Whether the point lies on the patch."""
    turn = math.radians(patch.angle_deg)
    x, y = point[0] - patch.center[0], point[1] - patch.center[1]
    along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    return abs(along) < 0.5 * patch.width_px and abs(across) < 0.5 * patch.height_px


def _is_behind(center: Point, number: TextPatch | None) -> bool:
    if number is None:
        return False
    turn = math.radians(number.angle_deg)
    return (center[0] - number.center[0]) * math.cos(turn) + (center[1] - number.center[1]) * math.sin(turn) > 0.0


def _on_line(center: Point, number: TextPatch | None) -> bool:
    if number is None:
        return False
    turn = math.radians(number.angle_deg)
    x, y = center[0] - number.center[0], center[1] - number.center[1]
    along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    apart = abs(along) - 0.5 * number.width_px
    return abs(across) <= ON_LINE * number.height_px and apart <= LINE_REACH * number.height_px
