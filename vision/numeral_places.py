"""Numerals that the packaged OCR missed, read by the line reader where the Donut's map sees numerals.

A text detector misses lone digits, numbers beside a needle and small print; the map knows where numerals stand but not
what they say. Three looks at each such place must mostly agree on a number; what they say then takes part as printed
text like any other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from vision.fields import Point
from vision.joint_numerals import PlacedReadings, read_together
from vision.line_crop import LineImage, LinePlace, Pixels, can_be_cut
from vision.line_reader import LineReader, LineReading, character_places
from vision.numerals import PrintedText
from vision.plane import clock_angle
from vision.printed_numbers import NumberMark, find_numbers
from vision.scale_parts import unwrap
from vision.text_strips import TextPatch, patch_color
from vision.unit_lines import BOX_TO_LETTERS
from vision.unit_places import places_around

COVERED_HEIGHTS = 0.9
"""A number whose centre lies this near to a place, in box heights, is the one that stands there."""
SURE_NUMBER = 0.6
MIN_AGREED, MIN_BEST = 0.5, 0.6
"""Mean confidence over the looks, and confidence of the best look, from which a number is taken as read."""
EITHER_WAY_AGREED = 0.35
"""The same where a scale has still to bear the number out."""
HEIGHTS_OF_RING = (0.09, 0.13)
"""Heights of numerals in distances from the pivot, where none was read."""
LETTER_WIDTH = 0.7
WIDEST_LETTERS = 3.0
MIN_PLACES = 2
MIN_NUMERALS, ENOUGH_SHARE = 3, 0.6
"""With fewer numerals, or a smaller share of their places, read one by one, they are read together."""
_NUMBER = re.compile(r"-?(?:\d{1,5}|\d{1,4}\.\d{1,3}|\.\d{1,2})")


def missed_numerals(
    lines: LineReader, crop: Pixels, texts: Sequence[PrintedText], places: Sequence[Point], pivot: Point
) -> tuple[PrintedText, ...]:
    """Numbers at those of the places (pixels of the crop) where `texts` have none."""
    marks = [mark for mark in find_numbers(texts) if mark.confidence >= SURE_NUMBER]
    open_places = [place for place in places if not any(_covers(mark, place) for mark in marks)]
    if not open_places or len(places) < MIN_PLACES:
        return ()
    ring = float(np.median([math.dist(place, pivot) for place in places]))
    known = [mark for mark in marks if any(_covers(mark, place) for place in places)]
    heights = [mark.height_px / BOX_TO_LETTERS for mark in known]
    sizes = [float(np.median(heights))] if len(heights) > 1 else [share * ring for share in HEIGHTS_OF_RING]
    image = LineImage(crop)
    angles = [reading_angle(known, center, pivot) for center in open_places]
    looks = _looks(lines, image, open_places, sizes, angles)
    agreed = [_agreed(readings, len(sizes)) for readings in looks]
    found = [_printed(crop, *best) for best in agreed if best is not None]
    if len(known) + len(found) >= max(MIN_NUMERALS, ENOUGH_SHARE * len(places)):
        return tuple(found)
    together = _together(crop, open_places, looks, known, pivot)
    if not together and len(known) < 2:  # whether numbers stand upright or towards the rim is not known here
        radial = [float(unwrap(clock_angle(pivot, center) - 180.0, 0.0, 0.0)) for center in open_places]
        together = _together(crop, open_places, _looks(lines, image, open_places, sizes, radial), known, pivot)
    return together or tuple(found)


def numerals_either_way(
    lines: LineReader, crop: Pixels, places: Sequence[Point], pivot: Point, taken: Sequence[Point]
) -> tuple[PrintedText, ...]:
    """What may stand at places that no scale has `taken` the number of, read level and turned with the dial.

    Less sure than `missed_numerals`: a reading counts only as far as a scale bears it out.
    """
    if len(places) < MIN_PLACES:
        return ()
    ring = float(np.median([math.dist(place, pivot) for place in places]))
    near = COVERED_HEIGHTS * BOX_TO_LETTERS * max(HEIGHTS_OF_RING) * ring
    open_places = [place for place in places if all(math.dist(place, other) > near for other in taken)]
    image = LineImage(crop)
    sizes = [share * ring for share in HEIGHTS_OF_RING]
    radial = [float(unwrap(clock_angle(pivot, center) - 180.0, 0.0, 0.0)) for center in open_places]
    found: list[PrintedText] = []
    for angles in ([0.0] * len(open_places), radial):
        for readings in _looks(lines, image, open_places, sizes, angles):
            best = _agreed(readings, len(sizes), EITHER_WAY_AGREED)
            if best is not None:
                found.append(_printed(crop, *best))
    return tuple(found)


def _looks(
    lines: LineReader, image: LineImage, centers: Sequence[Point], sizes: Sequence[float], angles: Sequence[float]
) -> list[tuple[LineReading, ...]]:
    """What the looks at each place read: three at each size."""
    asked: list[LinePlace] = []
    owner: list[int] = []
    for index, (center, angle) in enumerate(zip(centers, angles, strict=True)):
        for size in sizes:
            for place in places_around(LinePlace(center, size, WIDEST_LETTERS * LETTER_WIDTH * size, angle)):
                if can_be_cut(place):
                    asked.append(place)
                    owner.append(index)
    readings = lines.read_lines(image, asked) if asked else ()
    return [tuple(r for r, own in zip(readings, owner, strict=True) if own == index) for index in range(len(centers))]


def _together(
    crop: Pixels,
    centers: Sequence[Point],
    looks: Sequence[tuple[LineReading, ...]],
    known: Sequence[NumberMark],
    pivot: Point,
) -> tuple[PrintedText, ...]:
    """Numerals at the open places that only one even scale explains, those that were read before among them."""
    placed = [PlacedReadings(center, readings) for center, readings in zip(centers, looks, strict=True) if readings]
    placed += [PlacedReadings(mark.center, (), ((mark.text, mark.confidence),)) for mark in known]
    found = []
    for numeral in read_together(placed, pivot):
        readings = placed[numeral.place].readings
        if not readings:
            continue
        alike = [reading for reading in readings if reading.text == numeral.text]
        reading = max(alike or readings, key=lambda reading: reading.confidence)
        found.append(_printed(crop, reading._replace(text=numeral.text), numeral.confidence, located=bool(alike)))
    return tuple(found)


def reading_angle(marks: Sequence[NumberMark], center: Point, pivot: Point) -> float:
    """Direction of reading at a place: level where the numbers are level, else turned with the dial as they are."""
    if not marks:
        return 0.0
    level = np.median([abs(unwrap(mark.angle_deg, 0.0, 0.0)) for mark in marks])
    turned = np.median([abs(unwrap(mark.angle_deg - (clock_angle(pivot, mark.center) - 180.0), 0.0, 0.0)) for mark in marks])
    return float(unwrap(clock_angle(pivot, center) - 180.0, 0.0, 0.0)) if turned < level else 0.0


def _covers(mark: NumberMark, place: Point) -> bool:
    return math.dist(mark.center, place) <= COVERED_HEIGHTS * mark.height_px


def _agreed(readings: Sequence[LineReading], sizes: int, least: float = MIN_AGREED) -> tuple[LineReading, float] | None:
    """The number that the looks at one place agree on, by its best look, with the looks' confidence; None without one."""
    totals: dict[str, float] = {}
    for reading in readings:
        if _NUMBER.fullmatch(reading.text):
            totals[reading.text] = totals.get(reading.text, 0.0) + reading.confidence
    if not totals:
        return None
    text = max(totals, key=lambda one: totals[one])
    best = max((reading for reading in readings if reading.text == text), key=lambda reading: reading.confidence)
    agreed = min(1.0, totals[text] * sizes / len(readings))
    return (best, agreed) if agreed >= least and best.confidence >= MIN_BEST else None


def _printed(crop: Pixels, reading: LineReading, confidence: float, *, located: bool = True) -> PrintedText:
    """The number as printed text, at the middle of its characters, or of its place where it was not read freely."""
    place = reading.place
    turn = math.radians(place.angle_deg)
    along = character_places(reading) if located else (0.0,) * len(reading.text)
    points = tuple((place.center[0] + x * math.cos(turn), place.center[1] + x * math.sin(turn)) for x in along)
    center = (float(np.mean([x for x, _ in points])), float(np.mean([y for _, y in points])))
    if math.dist(center, place.center) > place.height_px:  # further than the map errs: these are other letters' places
        center, points = place.center, tuple(place.center for _ in reading.text)
    height, width = BOX_TO_LETTERS * place.height_px, (LETTER_WIDTH * len(reading.text) + 0.4) * place.height_px
    color = patch_color(crop, TextPatch(center, width, height, place.angle_deg))
    return PrintedText(reading.text, center, height, width, place.angle_deg, confidence, color, points)
