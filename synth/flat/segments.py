"""Seven-segment digits as polygons: own shapes, no font."""

from __future__ import annotations

from functools import lru_cache

from synth.flat.pen import Pen
from synth.spec import Color, Vec

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
    " ": "",
    "b": "cdefg",
    "P": "abefg",
    "C": "adef",
    "A": "abcefg",
    "H": "bcefg",
    "L": "def",
    "E": "adefg",
    "F": "aefg",
}
WIDTH = 0.56
"""Width of a digit's cell without the space to the next, in digit heights."""


@lru_cache(maxsize=512)
def _segment(name: str, stroke: float, gap: float, slant: float) -> tuple[Vec, ...]:
    """Outline of one segment in digit heights: x right from the cell's left edge, y down from the top."""
    half, right, middle, bottom = stroke / 2, WIDTH, 0.5, 1.0
    levels = {"a": half, "g": middle, "d": bottom - half}
    if name in levels:
        y, left_end, right_end = levels[name], half + gap, right - half - gap
        shape = [
            (left_end, y),
            (left_end + half, y - half),
            (right_end - half, y - half),
            (right_end, y),
            (right_end - half, y + half),
            (left_end + half, y + half),
        ]
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


def text_extent(text: str, stroke: float) -> float:
    """Width of the digits in digit heights; a point takes no cell of its own."""
    cells = sum(1 for c in text if c != ".")
    return cells * (WIDTH + 0.16) - 0.16 + (stroke if text.endswith(".") else 0.0)


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
) -> None:
    """Draw `text` with its top left corner at (left, top); `ghost` lights every segment of every cell."""
    x = left
    for char in text:
        if char == ".":
            size = stroke * 0.62 * height
            pen.disc(x - 0.08 * height - slant * 0.5 * height, top + height - size * 0.9, size, color, alpha, blur)
            continue
        for name in "abcdefg" if ghost else LIT[char]:
            points = [
                (x + px * height, top + py * height)
                for px, py in _segment(name, round(stroke, 3), round(gap, 3), round(slant, 3))
            ]
            pen.polygon(points, color, alpha, blur)
        x += (WIDTH + 0.16) * height
