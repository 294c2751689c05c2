"""Printed units that the packaged OCR missed, found by the line reader and handed on as printed text.

As text they take part in everything that tells which unit belongs to which scale: the ratio of dual scales, colour,
size and place. Where the OCR read another unit at the same place, or the units of a face measure different things, the
line reader's is left out: no unit is better than a wrong one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.fields import Point
from vision.line_crop import LineImage, LinePlace, Pixels
from vision.line_reader import LineReader
from vision.numerals import Look, PrintedText
from vision.printed_units import UnitMark, find_units, plain_text
from vision.text_strips import TextPatch, patch_color
from vision.unit_places import column_places, places_around, places_behind_titles, places_of_boxes
from vision.unit_witness import SeenUnit, find_unit_lines
from vision.units import compatible

BOX_TO_LETTERS = 1.4
"""Height of a text detector's box to that of the letters in it: texts of both kinds are compared by size."""
SAME_PLACE_HEIGHTS = 1.6
MAX_UNITS = 2
SHORT_LINE = 5.0
SURELY_WHOLE = 0.9
"""Least confidence of the line reader's whole unit before the OCR's shorter one gives way."""
LONE_LETTER = 0.95
"""Least height of a lone letter to the numerals'."""
PRINTED = {"kgf/cm2": "kgf/cm²", "mmH2O": "mmH₂O", "inH2O": "inH₂O", "m3": "m³", "m3/h": "m³/h"}
"""With their raised digits, which are no numbers of a scale."""


class FoundUnit(NamedTuple):
    """A unit that the OCR missed, as the line reader saw it and as printed text.

    `instead` is the OCR's text that shows only the end of it, such as the A of mA whose m the needle covers.
    """

    seen: SeenUnit
    text: PrintedText
    instead: PrintedText | None = None


class UnitFinder:
    """Looks for units with a line reader."""

    def __init__(self, lines: LineReader) -> None:
        self.lines = lines

    def missed_units(self, crop: Pixels, look: Look, pivot: Point, places: Sequence[LinePlace] = ()) -> tuple[FoundUnit, ...]:
        """Units at `places`, in the boxes of the look and about the pivot that the look's texts do not have, best first."""
        asked = asked_places(crop, look, pivot, places)
        if not asked:
            return ()
        seen = [unit for unit in find_unit_lines(self.lines, LineImage(crop), asked) if _stands_alone(unit, look)]
        ends = {unit: text for unit in seen for text in look.texts if _is_end_of(text, unit)}
        printed = find_units([text for text in look.texts if text not in ends.values()])
        return tuple(FoundUnit(unit, printed_unit(crop, unit), ends.get(unit)) for unit in _not_yet_read(seen, printed))


def asked_places(crop: Pixels, look: Look, pivot: Point, places: Sequence[LinePlace] = ()) -> list[LinePlace]:
    """All places of a crop at which a unit is looked for."""
    boxes = [*places_of_boxes(look.texts, look.unread), *places_behind_titles(look.texts)]
    # Where a map names places, a blind search along the column finds little that it does not, and costs as much again.
    column = [] if places else column_places(look.texts, pivot)
    known = [around for place in places for around in (places_around(place) if _is_short(place) else (place,))]
    return [place for place in (*known, *boxes, *column) if _is_within(place, crop)]


def _is_short(place: LinePlace) -> bool:
    """Whether further looks about the place are worth their time: those at long lines mostly see the same."""
    return place.width_px <= SHORT_LINE * place.height_px


def _is_within(place: LinePlace, crop: Pixels) -> bool:
    return bool(0.0 <= place.center[0] < crop.shape[1] and 0.0 <= place.center[1] < crop.shape[0])


def _stands_alone(unit: SeenUnit, look: Look) -> bool:
    """A lone letter is a unit only where it is as large as the numerals, as on a meter's face; else it is part of a word."""
    if len(unit.unit) > 1:
        return True
    heights = [text.height_px / BOX_TO_LETTERS for text in look.texts if text.text.strip("+-.,").isdigit()]
    return not heights or unit.place.height_px >= LONE_LETTER * float(np.median(heights))


def _is_end_of(text: PrintedText, whole: SeenUnit) -> bool:
    """Whether a text of the OCR is but the end of a unit that the line reader surely sees there: A of mA, bar of mbar."""
    letters = plain_text(text.text).strip("()[] .")
    same = [mark for mark in find_units([text]) if mark.unit != whole.unit and _overlap(whole, mark)]
    cut = len(whole.text) > len(letters) > 0 and whole.text.endswith(letters)
    return cut and whole.confidence >= SURELY_WHOLE and bool(same)


def _not_yet_read(seen: Sequence[SeenUnit], printed: Sequence[UnitMark]) -> list[SeenUnit]:
    """Without units that the OCR read, that stand where it read another, or that measure something else than its units."""
    kept: list[SeenUnit] = []
    for unit in seen:
        if unit.unit in {mark.unit for mark in printed} | {one.unit for one in kept}:
            continue
        if any(_overlap(unit, mark) for mark in printed):
            continue
        others = [mark.unit for mark in printed] or [one.unit for one in kept]
        if any(not compatible(unit.unit, other) for other in others):
            continue
        kept.append(unit)
    return kept[:MAX_UNITS]


def _overlap(unit: SeenUnit, mark: UnitMark) -> bool:
    return math.dist(unit.place.center, mark.center) < SAME_PLACE_HEIGHTS * max(unit.place.height_px, mark.height_px)


def printed_unit(crop: Pixels, unit: SeenUnit) -> PrintedText:
    """The unit as printed text, its box as large as a text detector's would be."""
    name = PRINTED.get(unit.unit, unit.unit)
    text = name if unit.multiplier == 1.0 else f"x{unit.multiplier:g} {name}"
    place = unit.place
    height, width = BOX_TO_LETTERS * place.height_px, max(1.0, 0.8 * len(text)) * place.height_px
    color = patch_color(crop, TextPatch(place.center, width, height, place.angle_deg))
    centers = tuple(place.center for _ in text)
    return PrintedText(text, place.center, height, width, place.angle_deg, unit.confidence, color, centers)
