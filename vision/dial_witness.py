"""The numeral witness on a crop: one look, and further looks only where the first did not suffice.

What a first look misses is mostly known from what it found: a lone zero, a numeral under the needle, a
numeral in glare. So the places where the scale must go on are read directly; then the whole crop at a
finer size; then turned by quarters, for dials photographed sideways.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.fields import Point
from vision.line_crop import LinePlace
from vision.line_reader import LineReader
from vision.needle_line import NeedleLine, refine_needle
from vision.numeral_places import missed_numerals, numerals_either_way, reading_angle
from vision.numerals import FINE_SIDE_PX, NumeralReader, PrintedText
from vision.plane import clock_angle
from vision.printed_numbers import find_numbers
from vision.printed_units import find_units
from vision.scale_parts import printed_step, unwrap
from vision.scale_view import DialGeometry
from vision.scale_witness import ScaleWitness, fit_curve, read_scale
from vision.text_strips import Pixels, TextPatch
from vision.unit_lines import UnitFinder
from vision.unit_search import units_seen_otherwise
from vision.unit_witness import SeenUnit

SURE = 0.6
"""Confidence from which no further look is taken for the value's sake."""
DOUBTFUL = 0.5
SIDEWAYS_TRUST = 0.6
UNSEEN_NEEDLE_TRUST = 0.45
MIN_TURNED_NUMBERS = 3
SURE_TEXT, MIN_UPRIGHT = 0.85, 2
SAME_UPSIDE_DOWN = "01689-."
"""Characters that are read as such ones upside down too."""
QUARTER_TURNS_DEG = (90.0, 270.0, 180.0)
NEIGHBOURS = 2
"""Printed steps to each side of the needle whose numerals should have been read."""
NARROW = 0.44
"""A level number's box is at least this share of its height wide, a digit."""
PATCH_SCALES = (1.1, 1.5)
LEAST_GAIN = 0.05
"""Of confidence, for which doubtful readings are taken in: by less they may do so by chance."""
DIGIT_WIDTH = 0.62
"""Of a digit's box to its height, spacing included."""
TARGETED_TRUST = 0.9


class DialWitness(NamedTuple):
    """What the numerals say, all texts read, and the needle as the second look found it; pixels of the crop.

    `units` are those that the line reader added to the texts of the packaged OCR; `geometry` has the needle as found.
    """

    scale: ScaleWitness
    texts: tuple[PrintedText, ...]
    needle: NeedleLine
    units: tuple[SeenUnit, ...] = ()
    geometry: DialGeometry | None = None


def witness_dial(
    reader: NumeralReader,
    crop: Pixels,
    geometry: DialGeometry,
    units: UnitFinder | None = None,
    unit_places: Sequence[LinePlace] = (),
    numeral_places: Sequence[Point] = (),
) -> DialWitness:
    """The dial's value by its numerals; crop (uint8 RGB) and geometry in the same pixels.

    `units` looks for printed units that the OCR missed, at `unit_places` and where units usually stand, and its line
    reader for numerals that it missed at `numeral_places`.

    The needle is looked at again first. Where no stroke stands out near the hint the value is less sure, for
    then the hint may be a tail, a shadow or nothing. Raises NumeralError where crop or geometry are not usable.
    """
    needle = refine_needle(crop, geometry.pivot, geometry.needle_tip)
    seen = geometry._replace(pivot=needle.pivot, needle_tip=needle.tip)
    look = reader.look(crop)
    if units is not None:
        missed = missed_numerals(units.lines, crop, look.texts, numeral_places, seen.pivot)
        look = look._replace(texts=(*look.texts, *missed))
    found = () if units is None else units.missed_units(crop, look, seen.pivot, unit_places)
    ends = [unit.instead for unit in found if unit.instead is not None]
    texts = (*(text for text in look.texts if text not in ends), *(unit.text for unit in found))
    scale, texts, seen_finer = _all_looks(
        reader, crop, seen, texts, needle.sd_deg, None if units is None else units.lines, numeral_places
    )
    if scale.value is not None and scale.unit is None and not find_units(texts):
        found_units = units_seen_otherwise(reader, crop, texts, seen_finer=seen_finer)
        scale, texts = _with_units(seen, scale, texts, found_units, needle.sd_deg)
    if not needle.found:
        scale = scale._replace(confidence=UNSEEN_NEEDLE_TRUST * scale.confidence)
    return DialWitness(scale, texts, needle, tuple(unit.seen for unit in found), seen)


def _all_looks(
    reader: NumeralReader,
    crop: Pixels,
    geometry: DialGeometry,
    texts: tuple[PrintedText, ...],
    pointing_sd_deg: float,
    lines: LineReader | None,
    numeral_places: Sequence[Point],
) -> tuple[ScaleWitness, tuple[PrintedText, ...], bool]:
    """The witness of the first look's texts, and further looks where they do not suffice; whether one was at the finer size."""
    witness, texts = _with_neighbours(reader, crop, geometry, texts, pointing_sd_deg)
    if lines is not None and (witness.value is None or witness.confidence < SURE):
        taken = [numeral.center for numeral in witness.numerals]
        further = numerals_either_way(lines, crop, numeral_places, geometry.pivot, taken)
        other, merged = _with_neighbours(reader, crop, geometry, merge_looks(texts, further), pointing_sd_deg)
        if other.value is not None and other.confidence > witness.confidence + LEAST_GAIN:
            witness, texts = other, merged
    seen_finer = witness.value is None or witness.confidence < SURE
    if seen_finer:
        finer = NumeralReader(FINE_SIDE_PX).read(crop)
        second, merged = _with_neighbours(reader, crop, geometry, merge_looks(texts, finer), pointing_sd_deg)
        if _is_better(second, witness):
            witness = second
        texts = merged
    sideways = looks_sideways(texts, geometry.pivot)
    unsure = witness.value is None or witness.confidence < SURE
    if sideways or (unsure and not _reads_level(texts, geometry.pivot)):
        for turn in QUARTER_TURNS_DEG:
            turned = with_units_of(texts, reader.read(crop, turn_deg=turn))
            if len(find_numbers(turned)) < MIN_TURNED_NUMBERS:
                continue
            other, seen = _with_neighbours(reader, crop, geometry, turned, pointing_sd_deg)
            if other.value is not None and other.confidence > max(witness.confidence, DOUBTFUL):
                witness, texts, sideways = other, seen, False
                if witness.confidence >= SURE:
                    break
    if sideways:  # halves of numbers may have been taken for numbers
        witness = witness._replace(confidence=SIDEWAYS_TRUST * witness.confidence)
    return witness, texts, seen_finer


def _with_units(
    geometry: DialGeometry,
    scale: ScaleWitness,
    texts: tuple[PrintedText, ...],
    found: tuple[PrintedText, ...],
    pointing_sd_deg: float,
) -> tuple[ScaleWitness, tuple[PrintedText, ...]]:
    """The witness with the units found later; as it was where there are none, or none that fits its numbers."""
    if not found:
        return scale, texts
    with_units = (*texts, *found)
    second = read_scale(with_units, geometry, pointing_sd_deg=pointing_sd_deg)
    return (second, with_units) if second.value == scale.value and second.unit is not None else (scale, texts)


def with_units_of(first: Sequence[PrintedText], turned: tuple[PrintedText, ...]) -> tuple[PrintedText, ...]:
    """A turned look that saw no unit keeps those of the first: the line reader finds units at any angle, the OCR does not."""
    return turned if find_units(turned) else (*turned, *(text for text in first if find_units([text])))


def looks_sideways(texts: Sequence[PrintedText], pivot: Point) -> bool:
    """Whether most numbers of two digits and more run up or down, or lie in boxes too narrow for them.

    A dial photographed a quarter turn round has such numbers, and their halves are read as single digits.
    """
    numbers = _long_numbers(texts)
    lying = [text for text in numbers if _is_lying(text, pivot)]
    return len(lying) >= 2 and len(lying) > 0.6 * len(numbers)


def _reads_level(texts: Sequence[PrintedText], pivot: Point) -> bool:
    """Whether enough numbers are surely read as they stand: turning the picture would show nothing new."""
    numbers = [text for text in _long_numbers(texts) if text.confidence >= SURE_TEXT and not _is_lying(text, pivot)]
    return len([text for text in numbers if not _may_be_upside_down(text.text)]) >= MIN_UPRIGHT


def _may_be_upside_down(text: str) -> bool:
    """Whether a number turned by half a turn is read as this one: 80 as 08, 60 as 09, 100 as 001."""
    return all(character in SAME_UPSIDE_DOWN for character in text)


def _long_numbers(texts: Sequence[PrintedText]) -> list[PrintedText]:
    """Numbers of two characters and more: one digit alone looks alike in several directions."""
    return [text for text in texts if len(text.text) >= 2 and any(mark.confidence > 0.3 for mark in find_numbers([text]))]


def _is_lying(text: PrintedText, pivot: Point) -> bool:
    """Numbers printed radially, upright towards the rim, are as they should be."""
    from_level = abs(unwrap(text.angle_deg, 0.0, 0.0))
    from_radial = abs(unwrap(text.angle_deg - (clock_angle(pivot, text.center) - 180.0), 0.0, 0.0))
    narrow = text.width_px < NARROW * len(text.text) * text.height_px
    return narrow or (60.0 < from_level < 120.0 and from_radial > 45.0)


def _is_better(second: ScaleWitness, first: ScaleWitness) -> bool:
    if (second.value is None) != (first.value is None):
        return second.value is not None
    return (second.confidence, second.unit is not None) >= (first.confidence - 0.02, first.unit is not None)


def merge_looks(first: Sequence[PrintedText], second: Sequence[PrintedText]) -> tuple[PrintedText, ...]:
    """Both looks' texts; one read twice at the same place is kept once, readings that differ are both kept."""
    merged = list(first)
    for text in second:
        twins = [
            index
            for index, known in enumerate(merged)
            if known.text == text.text and math.dist(known.center, text.center) < 0.6 * max(known.height_px, text.height_px)
        ]
        if not twins:
            merged.append(text)
        elif text.confidence > merged[twins[0]].confidence:
            merged[twins[0]] = text
    return tuple(merged)


def _with_neighbours(
    reader: NumeralReader, crop: Pixels, geometry: DialGeometry, texts: tuple[PrintedText, ...], pointing_sd_deg: float
) -> tuple[ScaleWitness, tuple[PrintedText, ...]]:
    """The witness after reading at the places where numerals near the needle are missing."""
    witness = read_scale(texts, geometry, pointing_sd_deg=pointing_sd_deg)
    wanted = missing_numerals(witness, geometry)
    if not wanted:
        return witness, texts
    patches = [patch for value, center in wanted for patch in _patches(witness, value, center, geometry)]
    found = reader.read_patches(crop, patches)
    share = len(patches) // len(wanted)
    added: list[PrintedText] = []
    for number, (value, center) in enumerate(wanted):
        hits = [text for text in found[number * share : (number + 1) * share] if text is not None and _says(text, value)]
        if hits:
            best = max(hits, key=lambda text: text.confidence)
            added.append(
                best._replace(center=center if len(best.text) < 2 else best.center, confidence=TARGETED_TRUST * best.confidence)
            )
    if not added:
        return witness, texts
    texts = (*texts, *added)
    second = read_scale(texts, geometry, pointing_sd_deg=pointing_sd_deg)
    return (second, texts) if _is_better(second, witness) else (witness, texts)


def missing_numerals(witness: ScaleWitness, geometry: DialGeometry) -> list[tuple[float, Point]]:
    """Values that the scale must print near the needle and that were not read, with the places to look at."""
    candidate = witness.candidate
    if candidate is None or not candidate.linear or len(candidate.numerals) < 3:
        return []
    curve = fit_curve(candidate)
    step = printed_step(candidate.values)
    seen = witness.view.of_geometry(geometry)
    low, high = candidate.angles_deg[0], candidate.angles_deg[-1]
    needle = unwrap(candidate.direction * clock_angle(seen.pivot, seen.needle_tip), low, high)
    at = (curve.value_at(needle).value - candidate.values[0]) / step
    lowest, highest = math.floor(at) - NEIGHBOURS + 1, math.ceil(at) + NEIGHBOURS - 1
    last = round((candidate.values[-1] - candidate.values[0]) / step)
    lowest, highest = max(lowest, -NEIGHBOURS), min(highest, last + NEIGHBOURS)
    if lowest > -2 and at < 0:
        lowest = min(lowest, -1)
    read = {round((value - candidate.values[0]) / step) for value in candidate.values}
    radii = [numeral.place.radius_px for numeral in candidate.numerals]
    wanted = []
    for index in range(lowest, highest + 1):
        if index in read:
            continue
        value = round(candidate.values[0] + index * step, 9)
        angle = curve.angle_at(value)
        radius = float(np.interp(angle, candidate.angles_deg, radii))
        turn = math.radians(candidate.direction * angle)
        place = (seen.pivot[0] - radius * math.sin(turn), seen.pivot[1] + radius * math.cos(turn))
        wanted.append((value, witness.view.point_in_image(place, geometry.pivot)))
    return wanted


def _patches(witness: ScaleWitness, value: float, center: Point, geometry: DialGeometry) -> list[TextPatch]:
    """Boxes to read a value in: as high as its neighbours, turned as they are."""
    assert witness.candidate is not None
    marks = [numeral.place.mark for numeral in witness.candidate.numerals]
    height = float(np.median([mark.height_px for mark in marks]))
    letters = len(f"{value:g}".replace(".", "")) + 0.5 * ("." in f"{value:g}")
    decimals = max((len(mark.text.partition(".")[2]) for mark in marks), default=0)
    if decimals and "." not in f"{value:g}":
        letters = max(letters, 1.0)
    angle = reading_angle(marks, center, geometry.pivot)
    width = DIGIT_WIDTH * height * letters + 0.3 * height
    return [TextPatch(center, scale * width, scale * height, angle) for scale in PATCH_SCALES]


def _says(text: PrintedText, value: float) -> bool:
    """Whether the text, read for itself, is this value (a minus may be missing: it often is not printed)."""
    numbers = find_numbers([text])
    return len(numbers) == 1 and math.isclose(abs(numbers[0].value), abs(value), rel_tol=1e-6, abs_tol=1e-9)
