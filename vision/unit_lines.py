"""Printed units that the packaged OCR missed, found by the line reader and handed on as printed text.

As text they take part in everything that tells which unit belongs to which scale: the ratio of dual scales, colour,
size and place. Where the OCR read another unit at the same place, or the units of a face measure different things, the
line reader's is left out: no unit is better than a wrong one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.fields import Point
from vision.line_crop import LineImage, LinePlace, Pixels
from vision.line_reader import LineReader
from vision.numerals import Look, PrintedText
from vision.printed_numbers import find_numbers
from vision.printed_units import UnitMark, find_units
from vision.scale_units import TEMPERATURES
from vision.text_strips import TextPatch, patch_color
from vision.unit_blobs import blob_places
from vision.unit_places import column_places, is_word, places_around, places_behind_titles, places_of_boxes
from vision.unit_witness import SeenUnit, find_unit_lines
from vision.units import compatible

BOX_TO_LETTERS = 1.4
"""Height of a text detector's box to that of the letters in it: texts of both kinds are compared by size."""
SAME_PLACE_HEIGHTS = 1.6
MAX_UNITS = 2
SURE_NUMBER, MIN_NUMBERS = 0.75, 3
SURE_SEARCHED, SEARCHED_LETTERS = 0.93, 3
"""Least confidence and length of a unit at a place that only its ink points at: there are many such places."""
SHORT_LINE = 5.0
LONE_LETTER = 0.95
"""Least height of a lone letter to the numerals'."""
TEMPERATURE = re.compile(r"TEMP|LIQUID|WINDING|THERM|温", re.IGNORECASE)
PRINTED = {"kgf/cm2": "kgf/cm²", "mmH2O": "mmH₂O", "inH2O": "inH₂O", "m3": "m³", "m3/h": "m³/h"}
"""With their raised digits, which are no numbers of a scale."""


class FoundUnit(NamedTuple):
    """A unit that the OCR missed, as the line reader saw it and as printed text."""

    seen: SeenUnit
    text: PrintedText


class UnitFinder:
    """Looks for units with a line reader."""

    def __init__(self, lines: LineReader) -> None:
        self.lines = lines

    def missed_units(self, crop: Pixels, look: Look, pivot: Point, places: Sequence[LinePlace] = ()) -> tuple[FoundUnit, ...]:
        """Units at `places`, in the boxes of the look and about the pivot that the look's texts do not have, best first."""
        image = LineImage(crop)
        printed = find_units(look.texts)
        kept = _not_yet_read(self._seen(image, look, asked_places(crop, look, pivot, places)), printed)
        if not kept and not printed:
            # No unit at all: a look at whatever is as high as print, for which a unit must be surer still.
            searched = self._seen(image, look, searched_places(image, look, pivot))
            warm = any(TEMPERATURE.search(text.text) for text in look.texts)
            kept = _not_yet_read([unit for unit in searched if _is_sure_word(unit, warm)], printed)
        return tuple(FoundUnit(unit, printed_unit(crop, unit)) for unit in kept)

    def _seen(self, image: LineImage, look: Look, places: Sequence[LinePlace]) -> list[SeenUnit]:
        return [unit for unit in find_unit_lines(self.lines, image, places) if _stands_alone(unit, look)] if places else []


def asked_places(crop: Pixels, look: Look, pivot: Point, places: Sequence[LinePlace] = ()) -> list[LinePlace]:
    """All places of a crop at which a unit is looked for."""
    boxes = [*places_of_boxes(look.texts, look.unread), *places_behind_titles(look.texts)]
    # Where a map names places, a blind search along the column finds little that it does not, and costs as much again.
    column = [] if places else column_places(look.texts, pivot)
    known = [around for place in places for around in (places_around(place) if _is_short(place) else (place,))]
    return [place for place in (*known, *boxes, *column) if _is_within(place, crop)]


def _is_sure_word(unit: SeenUnit, warm: bool) -> bool:
    """Screws and rivets look like `°C`, which counts on a face that speaks of temperature; three letters are no accident."""
    fits = len(unit.text) >= SEARCHED_LETTERS or (warm and unit.unit in TEMPERATURES)
    return unit.confidence >= SURE_SEARCHED and fits


def searched_places(image: LineImage, look: Look, pivot: Point) -> list[LinePlace]:
    """Places of print that nobody pointed at, told by their ink; none where too few numerals say how large print is."""
    numbers = [mark for mark in find_numbers(look.texts) if mark.confidence >= SURE_NUMBER]
    if len(numbers) < MIN_NUMBERS:
        return []
    ring = float(np.median([math.dist(mark.center, pivot) for mark in numbers]))
    height = float(np.median([mark.height_px for mark in numbers])) / BOX_TO_LETTERS
    known = [
        (text.center, text.width_px, text.height_px)
        for text in look.texts
        if is_word(text) or any(mark.confidence >= SURE_NUMBER for mark in find_numbers([text]))
    ]
    return blob_places(image, pivot, ring, height, known)


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
