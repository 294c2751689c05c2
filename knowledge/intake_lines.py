"""Lines of a PDF page: words gathered to lines in reading order, and running headers and footers recognised."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_MARGIN = 0.12
"""Running lines stand in the top or bottom eighth of a page."""
_REPEATED = 0.6
_PAGE_NUMBER = re.compile(r"^\W*(?:page|第)?\s*\d+\s*(?:(?:of|/|of the)\s*\d+|页.*)?\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class TextLine:
    """One line: its text, place (points from the page's left and top), size of its letters in points, and weight."""

    text: str
    left: float
    top: float
    bottom: float
    size: float
    bold: bool


def page_columns(words: Sequence[dict[str, Any]], gutter: float | None) -> list[list[TextLine]]:
    """Lines of each column of a page, from top to bottom, the left column first."""
    if gutter is None:
        return [_lines(words)]
    left = [word for word in words if word["x1"] <= gutter]
    return [_lines(left), _lines([word for word in words if word["x1"] > gutter])]


def find_gutter(words: Sequence[dict[str, Any]], width: float) -> float | None:
    """The middle of an upright white band with a good part of the words on either side, or None."""
    if len(words) < 40:
        return None
    for percent in range(40, 61, 2):
        x = width * percent / 100
        if any(word["x0"] < x + 5 and word["x1"] > x - 5 for word in words):
            continue
        left = sum(word["x1"] <= x for word in words)
        rows = [{round(w["top"] / 6) for w in words if (w["x1"] <= x) == side} for side in (True, False)]
        # Both sides must be full of lines, else it is an indented list or the gap beside a picture.
        if 0.25 <= left / len(words) <= 0.75 and min(len(r) for r in rows) >= 6:
            return x
    return None


def _lines(words: Sequence[dict[str, Any]]) -> list[TextLine]:
    rows: list[list[dict[str, Any]]] = []
    for word in sorted(words, key=lambda w: (w["bottom"], w["x0"])):
        if rows and abs(rows[-1][0]["bottom"] - word["bottom"]) <= 0.4 * float(word["size"]):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_line(sorted(row, key=lambda w: w["x0"])) for row in rows]


def _line(row: list[dict[str, Any]]) -> TextLine:
    sizes = Counter({round(float(word["size"]), 1): 0 for word in row})
    for word in row:
        sizes[round(float(word["size"]), 1)] += len(word["text"])
    bold = sum(len(w["text"]) for w in row if re.search(r"bold|black|heavy", str(w["fontname"]), re.IGNORECASE))
    text = join_words([word["text"] for word in row])
    top, bottom = min(w["top"] for w in row), max(w["bottom"] for w in row)
    letters = sum(len(w["text"]) for w in row)
    return TextLine(text, float(row[0]["x0"]), float(top), float(bottom), sizes.most_common(1)[0][0], bold > letters / 2)


def join_words(words: Sequence[str]) -> str:
    """Words with the spaces that their script wants: none between two Chinese characters."""
    text = ""
    for word in words:
        wide = bool(text) and _wide(text[-1]) and _wide(word[0])
        text += word if wide or not text else f" {word}"
    return text


def _wide(char: str) -> bool:
    return "\u3000" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef"


def without_running_lines(pages: Sequence[list[TextLine]], heights: Sequence[float]) -> list[list[TextLine]]:
    """Pages without the lines that repeat at the top or bottom (numbers may count up) and without bare page numbers."""
    seen: Counter[tuple[str, int]] = Counter()
    for lines, height in zip(pages, heights, strict=True):
        seen.update({_key(line) for line in lines if _in_margin(line, height)})
    least = max(2, _REPEATED * len(pages))
    return [
        [
            line
            for line in lines
            if not (_in_margin(line, height) and (seen[_key(line)] >= least or _PAGE_NUMBER.match(line.text)))
        ]
        for lines, height in zip(pages, heights, strict=True)
    ]


def _in_margin(line: TextLine, height: float) -> bool:
    return line.bottom < _MARGIN * height or line.top > (1 - _MARGIN) * height


def _key(line: TextLine) -> tuple[str, int]:
    return re.sub(r"\d+", "#", line.text), round(line.top / 6)
