"""Signs that are drawn, not lettered: panel meters' symbols, conformity marks, codes, papers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from synth.errors import SpecError
from synth.flat.pen import Pen
from synth.spec import Color, Print, Vec

WHITE: Color = (242, 241, 236)
Drawer = Callable[[Pen, Print, float, np.random.Generator], None]


def draw_symbol(pen: Pen, line: Print) -> None:
    """The sign that `line.symbol` names, `line.size` high about the line's middle. Raises SpecError for an unknown one."""
    draw = SYMBOLS.get(line.symbol)
    if draw is None:
        raise SpecError(f"unknown sign {line.symbol!r}; known signs: {', '.join(SYMBOLS)}")
    pen.canvas.save()
    pen.canvas.translate(line.x, line.y)
    pen.canvas.rotate(line.angle_deg)
    draw(pen, line, line.size / 2, np.random.default_rng(line.seed))
    pen.canvas.restore()


def _width(half: float) -> float:
    return max(0.3, half * 0.16)


def _coil(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    """Moving coil: a horseshoe magnet about a rotor."""
    arc = [(half * 0.8 * math.cos(t), -half * 0.8 * math.sin(t)) for t in np.linspace(0, math.pi, 9).tolist()]
    pen.polyline([(half * 0.8, half * 0.7), *arc, (-half * 0.8, half * 0.7)], line.color, _width(half))
    pen.box(-half * 0.25, -half * 0.25, half * 0.25, half * 0.25, line.color, stroke=_width(half))


def _iron(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    """Moving iron: a coil of wire with a vane beside it."""
    wave = [
        (half * 0.35 * math.sin(2.2 * math.pi * t) - half * 0.3, half * (2 * t - 1) * 0.9) for t in np.linspace(0, 1, 15).tolist()
    ]
    pen.polyline(wave, line.color, _width(half))
    pen.segments([(half * 0.45, -half * 0.9), (half * 0.45, half * 0.9)], line.color, _width(half) * 1.6)


def _ac(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    wave = [(half * (2 * t - 1), -half * 0.35 * math.sin(2 * math.pi * t)) for t in np.linspace(0, 1, 13).tolist()]
    pen.polyline(wave, line.color, _width(half))


def _dc(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    pen.segments([(-half, -half * 0.22), (half, -half * 0.22)], line.color, _width(half))
    pen.segments([(half * k, half * 0.22) for k in (-1, -0.45, -0.25, 0.25, 0.45, 1)], line.color, _width(half))


def _upright(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    """To be mounted upright: a perpendicular."""
    pen.segments(
        [(-half * 0.8, half * 0.8), (half * 0.8, half * 0.8), (0, half * 0.8), (0, -half * 0.8)], line.color, _width(half)
    )


def _star(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    """Test voltage in kilovolts inside a star."""
    points = [
        (
            half * (1.0 if k % 2 == 0 else 0.45) * math.sin(k * math.pi / 5),
            -half * (1.0 if k % 2 == 0 else 0.45) * math.cos(k * math.pi / 5),
        )
        for k in range(11)
    ]
    pen.polyline(points, line.color, _width(half) * 0.8)
    pen.text(str(int(rng.integers(1, 5))), 0, half * 0.06, half * 0.75, line.font, line.color)


def _rectifier(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    pen.polygon([(-half * 0.6, -half * 0.6), (-half * 0.6, half * 0.6), (half * 0.5, 0)], line.color)
    pen.segments([(-half, 0), (half, 0), (half * 0.5, -half * 0.6), (half * 0.5, half * 0.6)], line.color, _width(half))


def _earth(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    ends: list[Vec] = [(0, -half), (0, half * 0.1)]
    for wide, low in ((0.9, 0.1), (0.55, 0.45), (0.2, 0.8)):
        ends += [(-half * wide, half * low), (half * wide, half * low)]
    pen.segments(ends, line.color, _width(half))


def _ce(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    for x in (-half * 0.75, half * 0.75):
        pen.arc(x + half * 0.35, 0, half * 0.75, 10, 160, line.color, _width(half) * 1.2)
    pen.segments([(half * 0.4, 0), (half * 0.95, 0)], line.color, _width(half) * 1.2)


def _ukca(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    pen.text("UK", 0, -half * 0.5, half * 1.1, line.font, line.color)
    pen.text("CA", 0, half * 0.5, half * 1.1, line.font, line.color)


def _warning(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    corners = [(0.0, -half), (half * 1.05, half * 0.85), (-half * 1.05, half * 0.85)]
    if line.fill is not None:
        pen.polygon(corners, line.fill)
    pen.polyline([*corners, corners[0]], line.color, _width(half))
    pen.box(-half * 0.09, -half * 0.35, half * 0.09, half * 0.3, line.color)
    pen.disc(0, half * 0.55, half * 0.12, line.color)


def _monogram(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    """Letters in a ring, a gear or a diamond."""
    letters = "".join(chr(65 + int(c)) for c in rng.integers(0, 26, int(rng.integers(1, 3))))
    shape = int(rng.integers(4))
    if shape == 0:
        pen.circle(0, 0, half, line.color, _width(half))
    elif shape == 1:
        pen.disc(0, 0, half, line.color)
        dark = sum(line.color) < 380
        pen.text(letters, 0, 0, half, line.font, WHITE if dark else (15, 15, 15))
        return
    elif shape == 2:
        pen.polyline([(0, -half), (half * 1.2, 0), (0, half), (-half * 1.2, 0), (0, -half)], line.color, _width(half))
    else:
        pen.circle(0, 0, half * 0.72, line.color, _width(half))
        teeth = [t * math.pi / 5 for t in range(10)]
        pen.segments(
            [(r * half * math.cos(t), r * half * math.sin(t)) for t in teeth for r in (0.75, 1.0)], line.color, half * 0.22
        )
    pen.text(letters, 0, 0, half * (1.0 if len(letters) == 1 else 0.8), line.font, line.color)


def _sun(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    pen.disc(0, 0, half * 0.4, line.color)
    turns = [k * math.pi / 4 for k in range(8)]
    pen.segments([(r * half * math.cos(t), r * half * math.sin(t)) for t in turns for r in (0.55, 1.0)], line.color, _width(half))


def _drop(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    """A drop of oil, or one struck out: use no oil."""
    low = [
        (half * 0.6 * math.cos(t), half * 0.35 + half * 0.6 * math.sin(t)) for t in np.linspace(-0.5, math.pi + 0.5, 11).tolist()
    ]
    pen.polyline([(0, -half), *low, (0, -half)], line.color, _width(half))
    if rng.random() < 0.6:
        pen.segments([(-half, -half * 0.8), (half, half)], (200, 30, 30), _width(half) * 1.5)


def _recycle(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    """A crossed-out bin."""
    pen.polyline(
        [(-half * 0.5, -half * 0.5), (-half * 0.35, half * 0.8), (half * 0.35, half * 0.8), (half * 0.5, -half * 0.5)],
        line.color,
        _width(half),
    )
    pen.segments(
        [(-half * 0.65, -half * 0.55), (half * 0.65, -half * 0.55), (-half, -half), (half, half), (half, -half), (-half, half)],
        line.color,
        _width(half),
    )


def _matrix(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    """A square code: finder edges or corners about random cells; it encodes nothing."""
    count = int(rng.integers(12, 22))
    cells = rng.random((count, count)) < 0.5
    if rng.random() < 0.5:
        for top, left in ((0, 0), (0, count - 5), (count - 5, 0)):
            cells[top : top + 5, left : left + 5] = True
            cells[top + 1 : top + 4, left + 1 : left + 4] = False
            cells[top + 2, left + 2] = True
    else:
        cells[:, 0] = cells[-1, :] = True
        cells[0, :] = np.arange(count) % 2 == 0
    pen.box(-half, -half, half, half, line.fill or WHITE)
    pitch = 1.8 * half / count
    rows, columns = np.nonzero(cells)
    ends: list[Vec] = []
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        x, y = -0.9 * half + column * pitch, -0.9 * half + (row + 0.5) * pitch
        ends += [(x, y), (x + pitch, y)]
    pen.segments(ends, line.color, pitch)


def _barcode(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    pen.box(-half * 1.15, -half * 0.62, half * 1.15, half * 0.62, line.fill or WHITE)
    x, ends = -half, []
    while x < half:
        wide = half * 0.035 * int(rng.integers(1, 4))
        for k in np.arange(0, wide, half * 0.035).tolist():
            ends += [(x + k, -half * 0.5), (x + k, half * 0.28)]
        x += wide + half * 0.035 * int(rng.integers(1, 4))
    pen.segments(ends, line.color, half * 0.037)
    pen.text("".join(str(int(d)) for d in rng.integers(0, 10, 9)), 0, half * 0.46, half * 0.24, line.font, line.color)


def _paper(pen: Pen, line: Print, half: float, rng: np.random.Generator) -> None:
    """A label's paper; `condensed` is its width over its height."""
    wide = half * line.condensed
    pen.box(-wide + 0.6, -half + 0.8, wide + 0.6, half + 0.8, (0, 0, 0), 0.8, 0.28, 0.6)
    pen.box(-wide, -half, wide, half, line.fill or WHITE, 0.8)
    pen.box(-wide, -half, wide, half, (90, 90, 90), 0.8, 0.5, stroke=0.25)


SYMBOLS: dict[str, Drawer] = {
    "coil": _coil,
    "iron": _iron,
    "ac": _ac,
    "dc": _dc,
    "upright": _upright,
    "star": _star,
    "rectifier": _rectifier,
    "earth": _earth,
    "ce": _ce,
    "ukca": _ukca,
    "warning": _warning,
    "monogram": _monogram,
    "sun": _sun,
    "drop": _drop,
    "recycle": _recycle,
    "matrix": _matrix,
    "barcode": _barcode,
    "paper": _paper,
}
