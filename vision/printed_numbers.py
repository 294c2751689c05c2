"""From printed text to numbers: what each piece of text may stand for.

OCR of a face loses signs, decimal points and lone zeros in known ways, so a number is a short list of
alternatives with weights; which one is meant is decided by the scale that they form together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.fields import Point
from vision.number_alternatives import Alternative, number_alternatives
from vision.numerals import PrintedText
from vision.printed_units import Color, find_multiplier, plain_text
from vision.units import find_unit

EMBEDDED_WEIGHT = 0.5
"""Of a number glued to letters: `PSi100` may be a numeral, `EN837` is none."""
LONE_ZERO_WEIGHT = 0.5
SURE_OF_LOST_POINT = 0.7
MAX_DIGIT_COUNT = 5

_LOOKALIKES = str.maketrans("OoQDlI|", "0000111")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)")
_LOST_POINT = re.compile(r"(?!00+[1689]$)0\d*[1-9]\d*")
"""A leading zero without its point; but 0009 is 6000 upside down."""
_DATE_OR_TIME = re.compile(r"\d+\s*[:/]\s*\d+|\d{4}[-.]\d{1,2}[-.]\d{1,2}|\d+[-.]\d+[-.]\d+")


class NumberMark(NamedTuple):
    """A number on the face: where it is, what it may be, and how it looks (lengths in pixels)."""

    text: str
    center: Point
    height_px: float
    confidence: float
    color: Color
    alternatives: tuple[Alternative, ...]
    angle_deg: float = 0.0

    @property
    def value(self) -> float:
        """The value as read."""
        return self.alternatives[0].value


def find_numbers(texts: Sequence[PrintedText]) -> tuple[NumberMark, ...]:
    """Every number of the printed texts that a numeral could be; dates, times and multipliers are left out."""
    marks: list[NumberMark] = []
    for text in texts:
        plain = plain_text(text.text)
        if _DATE_OR_TIME.search(plain) or find_multiplier(plain) is not None:
            continue
        for start, end in _words(text, plain):
            marks.extend(_numbers_of_word(text, plain, start, end))
    return tuple(_with_lost_points(marks))


def _with_lost_points(marks: Sequence[NumberMark]) -> list[NumberMark]:
    """Where `05` shows that the face's points are lost in reading, `15` beside it may as well be 1.5 as 15."""
    pointless = {len(mark.text) for mark in marks if _LOST_POINT.fullmatch(mark.text) and mark.confidence >= SURE_OF_LOST_POINT}
    return [
        mark._replace(alternatives=number_alternatives(mark.text, point_is_lost=True))
        if len(mark.text) in pointless and mark.text.isdigit()
        else mark
        for mark in marks
    ]


def _words(text: PrintedText, plain: str) -> list[tuple[int, int]]:
    """Spans of `plain` without spaces, also cut where the characters stand clearly further apart."""
    spans = [match.span() for match in re.finditer(r"\S+", plain)]
    words: list[tuple[int, int]] = []
    for start, end in spans:
        cut = _widest_gap(text, plain, start, end)
        words.extend([(start, end)] if cut is None else [(start, cut), (cut, end)])
    return words


def _widest_gap(text: PrintedText, plain: str, start: int, end: int) -> int | None:
    """Where two numbers were read as one word ("100150"): the gap between digits that stands out, else None."""
    if end - start < 4 or not re.fullmatch(r"[+-]?[0-9OoQD]+", plain[start:end]) or len(text.character_centers) != len(plain):
        return None
    centers = np.asarray(text.character_centers[start:end])
    gaps = np.hypot(*np.diff(centers, axis=0).T)
    widest = int(gaps.argmax())
    others = np.delete(gaps, widest)
    if 0 < widest < len(gaps) - 1 and gaps[widest] > 1.5 * np.median(others) and gaps[widest] > 1.25 * others.max():
        return start + widest + 1
    return None


def _numbers_of_word(text: PrintedText, plain: str, start: int, end: int) -> list[NumberMark]:
    word = plain[start:end]
    repaired = _repair(word)
    marks: list[NumberMark] = []
    for match in _NUMBER.finditer(repaired):
        token = match.group()
        if len(re.sub(r"\D", "", token)) > MAX_DIGIT_COUNT:
            continue
        before, after = repaired[: match.start()], repaired[match.end() :]
        weight = _neighbour_weight(before, after) * (LONE_ZERO_WEIGHT if not re.search(r"\d", word) else 1.0)
        if weight == 0.0:
            continue
        places = text.character_centers[start + match.start() : start + match.end()]
        center = text.center if token == plain.strip() or not places else _mean_point(places)
        marks.append(
            NumberMark(
                text=token,
                center=center,
                height_px=min(text.height_px, text.width_px) if abs(text.angle_deg) > 60 else text.height_px,
                confidence=text.confidence * weight,
                color=text.color,
                alternatives=number_alternatives(token),
                angle_deg=text.angle_deg,
            )
        )
    return marks


def _repair(word: str) -> str:
    """Letters that stand for digits, only where the word is otherwise a number, or is a lone zero."""
    if word in ("O", "o", "Q", "D"):
        return "0"
    letters = re.sub(r"[^A-Za-z|]", "", word)
    if letters and re.search(r"\d", word) and all(letter in "OoQDlI|" for letter in letters):
        return word.translate(_LOOKALIKES)
    return word


def _neighbour_weight(before: str, after: str) -> float:
    """1 for a number that stands alone, less where letters touch it, 0 where it is part of a code."""
    before, after = before.strip("()[]{}'\"`.,:;!~_=*"), after.strip("()[]{}'\"`.,:;!~_=*-°")
    if not before and not after:
        return 1.0
    if re.search(r"\d", before) or re.search(r"\d", after):
        return 0.0
    return EMBEDDED_WEIGHT if len(before) <= 3 or len(before) > 6 or find_unit(before) else 0.25


def _mean_point(points: Sequence[Point]) -> Point:
    mean = np.mean(np.asarray(points), axis=0)
    return float(mean[0]), float(mean[1])
