"""From printed text to units and multipliers: which unit each piece of text declares.

OCR takes degree signs for letters and slashes for strokes in known ways; what it makes of them is read as the unit that
was printed. A conversion (`1 bar = 100 kPa`) or a word (`OF`) declares none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.fields import Point
from vision.numerals import PrintedText
from vision.units import MULTIPLIERS, UNITS, find_unit

Color = tuple[float, float, float]

SINGLE_LETTER_CONFIDENCE = 0.7
DEGREE_LETTER_CONFIDENCE = 0.55
SINGLE_LETTER_SHARE = 0.5
_WIDE = str.maketrans("，．：；－—–−＋（）／％０１２３４５６７８９·。", ",.:;----+()/%0123456789..")
_MULTIPLIER = re.compile(r"(?:^|[^0-9A-Za-z])[xX×*]\s?(1[0OQo]{1,5}|0[.,]0{0,2}1)(?:(?=1/min|1[bB])|(?![0-9.,]))\s*(.*)$")
_ROUND_LETTERS = str.maketrans("OQo", "000")
_LONE_MULTIPLIER = re.compile(r"[\s([]*[xX×*]\s?(?:10{1,5}|0[.,]0{0,2}1)[\s)\]]*")
LONE_MULTIPLIER_CONFIDENCE = 0.5
SAME_PLACE_HEIGHTS = 0.6
"""Two readings whose centres lie this near, in heights, are of one print."""
LONE_MULTIPLIER_HEIGHTS = 6.0
"""A factor on a line of its own belongs to the unit within this distance, in heights of the unit."""
_UNIT_THEN_FACTOR = re.compile(r"^(.*\S(?:\s+|(?<=\S{3})))[xX×*]\s?(10{2,5})$")
"""`1/min x1000`: a hundred or more after a unit is its multiplier; ten (`MPa x 10`) is mostly the start of a conversion."""


class UnitMark(NamedTuple):
    """A printed unit (canonical spelling), with the multiplier printed before it or 1."""

    unit: str
    multiplier: float
    center: Point
    height_px: float
    color: Color
    confidence: float


def plain_text(text: str) -> str:
    """Full-width characters and typographic signs as plain ones, character for character."""
    return text.translate(_WIDE)


def find_multiplier(text: str) -> float | None:
    """The factor of a text such as `x1000 r/min`, `r/min x1000` or `×100`, None where it states none."""
    plain = plain_text(text)
    after = _unit_then_factor(plain)
    if after is not None:
        return after[1]
    match = _MULTIPLIER.search(plain)
    if match is None:
        return None
    factor = float(match.group(1).replace(",", ".").translate(_ROUND_LETTERS))
    return factor if factor in MULTIPLIERS else None


def _unit_then_factor(plain: str) -> tuple[str, float] | None:
    """Unit and factor of a line such as `1/min x1000`."""
    match = _UNIT_THEN_FACTOR.fullmatch(plain.strip())
    if match is None or find_unit(match.group(1)) is None:
        return None
    return match.group(1).strip(), float(match.group(2))


def find_units(texts: Sequence[PrintedText]) -> tuple[UnitMark, ...]:
    """Every printed unit. A single letter counts only where it stands alone, is sure and as large as a numeral."""
    heights = [text.height_px for text in texts if re.fullmatch(r"[+-]?[0-9.,]+", plain_text(text.text))]
    smallest = SINGLE_LETTER_SHARE * float(np.median(heights)) if heights else 0.0
    marks: list[UnitMark] = []
    for text in texts:
        plain = plain_text(text.text)
        single = len(plain.strip("()[]{} .,:;")) == 1 and plain.strip() not in ("℃", "℉")
        after = _unit_then_factor(plain)
        if (
            _MAINS.search(plain)
            or (after is None and _CONVERSION.search(plain))
            or (plain.strip().upper() == "OF" and _is_within_words(text, texts))
        ):
            continue
        # A box wider than its one letter holds a degree sign that was not read.
        sure = DEGREE_LETTER_CONFIDENCE if text.width_px > 0.95 * text.height_px else SINGLE_LETTER_CONFIDENCE
        if single and (text.confidence < sure or text.height_px < smallest):
            continue
        factor = find_multiplier(plain)
        for unit in _units_of(plain if after is None else after[0]):
            marks.append(UnitMark(unit, factor or 1.0, text.center, text.height_px, text.color, text.confidence))
    return tuple(_with_lone_multiplier(_whole(marks), texts))


def _whole(marks: Sequence[UnitMark]) -> list[UnitMark]:
    """Without units that are but the end of another one read at the same place: the V of kV."""
    return [
        mark
        for mark in marks
        if not any(
            other.unit != mark.unit
            and other.unit.endswith(mark.unit)
            and 0.0 < math.dist(other.center, mark.center) < SAME_PLACE_HEIGHTS * max(other.height_px, mark.height_px)
            and other.confidence >= mark.confidence
            for other in marks
        )
    ]


def _with_lone_multiplier(marks: list[UnitMark], texts: Sequence[PrintedText]) -> list[UnitMark]:
    """`x100` on a line of its own, beside `RPM`: the nearest unit carries it."""
    for text in texts:
        factor = find_multiplier(text.text) if _LONE_MULTIPLIER.fullmatch(plain_text(text.text)) else None
        if factor is None or text.confidence < LONE_MULTIPLIER_CONFIDENCE or any(mark.multiplier == factor for mark in marks):
            continue
        near = [
            (math.dist(mark.center, text.center), index)
            for index, mark in enumerate(marks)
            if mark.multiplier == 1.0 and math.dist(mark.center, text.center) <= LONE_MULTIPLIER_HEIGHTS * mark.height_px
        ]
        if near:
            index = min(near)[1]
            marks[index] = marks[index]._replace(multiplier=factor)
    return marks


def _is_within_words(text: PrintedText, texts: Sequence[PrintedText]) -> bool:
    """Whether another word stands beside the text on its line: `OF` is then a word, not degrees Fahrenheit."""
    for other in texts:
        if other is text or not re.search(r"[A-Za-z]{3,}", other.text):
            continue
        apart = abs(other.center[0] - text.center[0]) - (other.width_px + text.width_px) / 2.0
        if abs(other.center[1] - text.center[1]) < 0.5 * text.height_px and apart < 2.5 * text.height_px:
            return True
    return False


def _unit_pattern() -> re.Pattern[str]:
    spellings = {spelling for unit in UNITS for spelling in (unit.name, *unit.aliases) if len(spelling) >= 2}
    ordered = sorted((re.escape(spelling) for spelling in spellings), key=len, reverse=True)
    return re.compile(rf"(?<![A-Za-z])(?:{'|'.join(ordered)})(?![A-Za-z])", re.IGNORECASE)


_UNIT = _unit_pattern()
_CONVERSION = re.compile(r"[A-Za-z]\s?[=≈]|[A-Za-z]\s?[xX×*]\s?[01]|[xX×*]\s?\d+\s?[=≈]")
"""`MPa = bar x 0.1` is a note, not the scale's unit."""
_MAINS = re.compile(r"(?<![0-9.,])(?:50|60)\s?Hz")
"""The frequency of the mains that a meter is made for."""
_STANDALONE = {
    "OC": "°C",
    "oC": "°C",
    "0C": "°C",
    "OF": "°F",
    "oF": "°F",
    "0F": "°F",
    "V": "V",
    "A": "A",
    "%": "%",
    "C": "°C",
    "c": "°C",
    "F": "°F",
}
_MISREAD = (
    (re.compile(r"[Kk][gq][fF]?\s?[/|lI1]\s?[cC][mM][2²'*°]?"), "kgf/cm2"),
    (re.compile(r"[lI1][bB][sS]?\.?\s?[/|lI1]\s?(?:in|IN|sq\.?\s?in|SQ\.?\s?IN)[2²'*\".]?"), "psi"),
    (re.compile(r"(?<![A-Za-z])[Pp][Ss5][Ii1l](?![A-Za-z])"), "psi"),
    (re.compile(r"(?<![A-Za-z])[Mm][Pp][aA](?![A-Za-z])"), "MPa"),
    (re.compile(r"(?<![A-Za-z])[Kk][Pp][aA](?![A-Za-z])"), "kPa"),
    (re.compile(r"(?<![A-Za-z])[\"']\s?[Hh][Gg](?![A-Za-z])"), "inHg"),
    (re.compile(r"(?i)cubic\s?centim\w*"), "cc"),
    (re.compile(r"(?i)inches\s?of\s?water"), "inH2O"),
    (re.compile(r"(?i)mm\s?of\s?water"), "mmH2O"),
    (re.compile(r"(?i:temp(?:erature)?)\W*C$"), "°C"),
    (re.compile(r"(?i:temp(?:erature)?)\W*F$"), "°F"),
    (re.compile(r"(?:[°º]|(?<![A-Za-z])['\"])\s?C(?![A-Za-z])|℃"), "°C"),
    (re.compile(r"(?:[°º]|(?<![A-Za-z])['\"])\s?F(?![A-Za-z])|℉"), "°F"),
)


_DEGREES = re.compile(r"[oO0*'º]\s?([CFcf])")
"""A degree sign read as a letter or digit before C or F."""


def _units_of(plain: str) -> list[str]:
    stripped = plain.strip("()[]{} .,:;")
    whole = find_unit(stripped)
    degrees = _DEGREES.fullmatch(stripped)
    if stripped in _STANDALONE:
        whole = _STANDALONE[stripped]
    elif degrees is not None:
        whole = f"°{degrees.group(1).upper()}"
    elif len(stripped) <= 1:
        whole = whole if stripped == "℃" or stripped == "℉" else None
    if whole is not None:
        return [whole]
    units: list[str] = []
    for pattern, unit in _MISREAD:
        if pattern.search(plain):
            units.append(unit)
            plain = pattern.sub(" ", plain)
    for match in _UNIT.finditer(plain):
        found = find_unit(match.group())
        if found is not None and len(match.group().strip()) >= 2:
            units.append(found)
    return list(dict.fromkeys(units))
