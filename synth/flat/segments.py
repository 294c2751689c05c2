"""Characters of displays as polygons and dots: seven and fourteen segments, 5x7 matrices; own shapes, no font."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeVar

import skia

from synth.display import PITCH, POINTS, WIDTH, text_extent
from synth.errors import SpecError
from synth.flat.pen import Pen
from synth.spec import Color, Vec

Glyph = TypeVar("Glyph")

__all__ = ["DOTS", "LIT", "LIT14", "draw_dots", "draw_segments", "text_extent", "unwritable"]

LIT: dict[str, str] = {
    "0": "abcdef",
    "1": "bc",
    "2": "abdeg",
    "3": "abcdg",
    "4": "bcfg",
    "5": "acdfg",
    "6": "acdefg",
    "7": "abc",
    "8": "abcdefg",
    "9": "abcdfg",
    "-": "g",
    "_": "d",
    "=": "dg",
    " ": "",
    "A": "abcefg",
    "b": "cdefg",
    "C": "adef",
    "c": "deg",
    "d": "bcdeg",
    "E": "adefg",
    "F": "aefg",
    "G": "acdef",
    "H": "bcefg",
    "h": "cefg",
    "I": "ef",
    "i": "c",
    "J": "bcde",
    "L": "def",
    "n": "ceg",
    "o": "cdeg",
    "O": "abcdef",
    "P": "abefg",
    "q": "abcfg",
    "r": "eg",
    "S": "acdfg",
    "s": "acdfg",
    "t": "defg",
    "U": "bcdef",
    "u": "cde",
    "y": "bcdfg",
    "+": "g",
}
"""Segments of each character: a top, b and c right, d bottom, e and f left, g middle."""

LIT14: dict[str, str] = {
    **{char: segments.replace("g", "gh") for char, segments in LIT.items()},
    "M": "bcefik",
    "N": "bcefin",
    "K": "efgkn",
    "V": "eflk",
    "W": "bcefln",
    "X": "ikln",
    "Y": "ikm",
    "Z": "adkl",
    "T": "ajm",
    "I": "adjm",
    "R": "abefghn",
    "D": "abcdjm",
    "B": "abcdhjm",
    "G": "acdefh",
    "+": "ghjm",
    "S": "acdfgh",
}
"""Fourteen segments: g and h halve the middle, i j k are the upper diagonals and upright, l m n the lower ones."""

DOTS: dict[str, tuple[int, ...]] = {
    "0": (14, 17, 19, 21, 25, 17, 14),
    "1": (4, 12, 4, 4, 4, 4, 14),
    "2": (14, 17, 1, 2, 4, 8, 31),
    "3": (31, 2, 4, 2, 1, 17, 14),
    "4": (2, 6, 10, 18, 31, 2, 2),
    "5": (31, 16, 30, 1, 1, 17, 14),
    "6": (6, 8, 16, 30, 17, 17, 14),
    "7": (31, 1, 2, 4, 8, 8, 8),
    "8": (14, 17, 17, 14, 17, 17, 14),
    "9": (14, 17, 17, 15, 1, 2, 12),
    "-": (0, 0, 0, 31, 0, 0, 0),
    "+": (0, 4, 4, 31, 4, 4, 0),
    " ": (0,) * 7,
    "A": (14, 17, 17, 31, 17, 17, 17),
    "B": (30, 17, 17, 30, 17, 17, 30),
    "C": (14, 17, 16, 16, 16, 17, 14),
    "D": (28, 18, 17, 17, 17, 18, 28),
    "E": (31, 16, 16, 30, 16, 16, 31),
    "F": (31, 16, 16, 30, 16, 16, 16),
    "G": (14, 17, 16, 23, 17, 17, 15),
    "H": (17, 17, 17, 31, 17, 17, 17),
    "I": (14, 4, 4, 4, 4, 4, 14),
    "L": (16, 16, 16, 16, 16, 16, 31),
    "N": (17, 17, 25, 21, 19, 17, 17),
    "O": (14, 17, 17, 17, 17, 17, 14),
    "P": (30, 17, 17, 30, 16, 16, 16),
    "R": (30, 17, 17, 30, 20, 18, 17),
    "S": (15, 16, 16, 14, 1, 1, 30),
    "T": (31, 4, 4, 4, 4, 4, 4),
    "U": (17, 17, 17, 17, 17, 17, 14),
    "V": (17, 17, 17, 17, 17, 10, 4),
    "_": (0, 0, 0, 0, 0, 0, 31),
    "=": (0, 0, 31, 0, 31, 0, 0),
    "b": (16, 16, 22, 25, 17, 17, 30),
    "r": (0, 0, 22, 25, 16, 16, 16),
    "o": (0, 0, 14, 17, 17, 17, 14),
    "n": (0, 0, 22, 25, 17, 17, 17),
}
"""Seven rows of five dots each, the leftmost dot the highest bit."""


def _diagonal(start: Vec, end: Vec, half: float) -> list[Vec]:
    (x, y), (u, v) = start, end
    return [(x - half, y), (x + half, y), (u + half, v), (u - half, v)]


@lru_cache(maxsize=1024)
def _segment(name: str, stroke: float, gap: float, slant: float) -> tuple[Vec, ...]:
    """Outline of one segment in digit heights: x right from the cell's left edge, y down from the top."""
    half, right, middle, bottom = stroke / 2, WIDTH, 0.5, 1.0
    centre, thin = right / 2, stroke * 0.42
    levels = {"a": half, "g": middle, "d": bottom - half, "G": middle, "h": middle}
    if name in levels:
        y = levels[name]
        left_end, right_end = half + gap, right - half - gap
        if name == "G":
            right_end = centre - gap
        elif name == "h":
            left_end = centre + gap
        shape = [(left_end, y), (left_end + half, y - half), (right_end - half, y - half)]
        shape += [(right_end, y), (right_end - half, y + half), (left_end + half, y + half)]
    elif name in "ijklmn":
        top, low = stroke + gap, middle - half - gap
        if name in "lmn":
            top, low = middle + half + gap, bottom - stroke - gap
        inner, outer = thin + gap, stroke + thin + gap
        ends = {
            "i": ((outer, top), (centre - inner, low)),
            "k": ((right - outer, top), (centre + inner, low)),
            "l": ((centre - inner, top), (outer, low)),
            "n": ((centre + inner, top), (right - outer, low)),
        }
        shape = _diagonal(*ends.get(name, ((centre, top), (centre, low))), thin)
    else:
        x = half if name in "fe" else right - half
        top, low = (half + gap, middle - gap) if name in "fb" else (middle + gap, bottom - half - gap)
        shape = [
            (x, top),
            (x + half, top + half),
            (x + half, low - half),
            (x, low),
            (x - half, low - half),
            (x - half, top + half),
        ]
    return tuple((x + slant * (0.5 - y), y) for x, y in shape)


@lru_cache(maxsize=2048)
def _character(names: str, stroke: float, gap: float, slant: float) -> tuple[tuple[Vec, ...], ...]:
    return tuple(_segment(name, stroke, gap, slant) for name in names)


def draw_segments(
    pen: Pen,
    text: str,
    left: float,
    top: float,
    height: float,
    stroke: float,
    gap: float,
    slant: float,
    color: Color,
    alpha: float,
    blur: float = 0.0,
    ghost: bool = False,
    fourteen: bool = False,
) -> None:
    """Draw `text` with its top left corner at (left, top); `ghost` lights every segment of every cell."""
    look = (round(stroke, 3), round(gap, 3), round(slant, 3))
    every = "abcdefghijklmn" if fourteen else "abcdefg"
    path, x = skia.Path(), left
    for char in text:
        if char in POINTS:
            size = stroke * 0.62 * height
            spot = (x - 0.08 * height - slant * 0.5 * height, top + height - size * 0.9)
            path.addCircle(*spot, size)
            if char == ",":
                tail = [(spot[0] - size, spot[1]), (spot[0] + size, spot[1]), (spot[0] - size * 0.6, spot[1] + size * 2.6)]
                path.addPoly([skia.Point(*p) for p in tail], True)
            continue
        names = every if ghost else _glyph(LIT14 if fourteen else LIT, char, text)
        if fourteen:
            names = names.replace("g", "G")
        for shape in _character(names, *look):
            path.addPoly([skia.Point(x + px * height, top + py * height) for px, py in shape], True)
        x += PITCH * height
    path.setFillType(skia.PathFillType.kWinding)
    pen.canvas.drawPath(path, pen.paint(color, alpha, blur))


def unwritable(text: str, digit_style: str) -> str:
    """The signs of a text that a display of this style cannot write; a typeface writes everything."""
    signs = {"seven": set(LIT), "fourteen": set(LIT14), "dots": set(DOTS)}.get(digit_style)
    return "" if signs is None else "".join(c for c in text if c not in POINTS and not {c, c.swapcase()} & signs)


def _glyph(glyphs: Mapping[str, Glyph], char: str, text: str) -> Glyph:
    """The glyph of a sign, in its other case where a display has only that one. Raises SpecError naming the sign."""
    for sign in (char, char.swapcase()):
        if sign in glyphs:
            return glyphs[sign]
    raise SpecError(f"a display of this kind cannot write {char!r} (in {text!r})")


def draw_dots(
    pen: Pen,
    text: str,
    left: float,
    top: float,
    height: float,
    color: Color,
    alpha: float,
    blur: float = 0.0,
    ghost: bool = False,
    round_dots: bool = False,
    full: float = 0.86,
) -> None:
    """Draw `text` in a 5x7 matrix filling the cells of `draw_segments`; `full` is a dot's share of its pitch."""
    path, x = skia.Path(), left
    wide, tall = WIDTH * height / 5, height / 7
    for char in text:
        if char in POINTS:
            path.addRect(skia.Rect.MakeXYWH(x - 0.12 * height, top + height - tall, tall * full, tall * full))
            continue
        rows = (31,) * 7 if ghost else _glyph(DOTS, char, text)
        for row, bits in enumerate(rows):
            for column in range(5):
                if bits >> (4 - column) & 1:
                    spot = (x + wide * column, top + tall * row)
                    if round_dots:
                        path.addCircle(spot[0] + wide / 2, spot[1] + tall / 2, min(wide, tall) * full / 2)
                    else:
                        path.addRect(skia.Rect.MakeXYWH(*spot, wide * full, tall * full))
        x += PITCH * height
    pen.canvas.drawPath(path, pen.paint(color, alpha, blur))
