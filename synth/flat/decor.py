"""Draws what stands on panels and boards beside the instruments: tell-tales, screens, hoods, ducts, keys, cables."""

from __future__ import annotations

import math

import numpy as np

from synth.devices import Decor
from synth.flat.pen import Pen, lighten, linear, radial, rgba
from synth.fonts import SYMBOL_SAFE
from synth.spec import Color

BLACK: Color = (0, 0, 0)
WHITE: Color = (255, 255, 255)
WORDS = ("ABS", "ECO", "4WD", "D", "P", "N", "SRS", "EPC", "TRAC", "BRAKE", "OIL")


def draw_decor(pen: Pen, item: Decor) -> None:
    """Draw one thing in the units of the plane that is set."""
    _DRAWERS[item.kind](pen, item, np.random.default_rng(item.seed))


def _telltale(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    """A small sign: a triangle, a battery, a lamp, a letter; `tall` above 0 means that it is lit."""
    x, y, size, color = item.x, item.y, item.size, item.color
    if item.tall > 0:
        pen.disc(x, y, size * 2.2, color, 0.25, size * 0.9)
    kind = int(rng.integers(6))
    if kind == 0:
        pen.polygon([(x, y - size), (x + size, y + size * 0.8), (x - size, y + size * 0.8)], color)
        pen.box(x - size * 0.1, y - size * 0.4, x + size * 0.1, y + size * 0.45, BLACK)
    elif kind == 1:
        pen.box(x - size, y - size * 0.6, x + size, y + size * 0.7, color, 0.3, stroke=size * 0.22)
        pen.box(x - size * 0.7, y - size * 0.95, x - size * 0.3, y - size * 0.6, color)
        pen.box(x + size * 0.3, y - size * 0.95, x + size * 0.7, y - size * 0.6, color)
    elif kind == 2:
        pen.circle(x, y, size * 0.75, color, size * 0.22)
        pen.text("!", x, y, size * 1.2, SYMBOL_SAFE, color)
    elif kind == 3:
        pen.text(WORDS[int(rng.integers(len(WORDS)))], x, y, size * 1.1, SYMBOL_SAFE, color)
    elif kind == 4:
        for k in range(3):
            pen.segments([(x - size, y + (k - 1) * size * 0.5), (x - size * 0.2, y + (k - 1) * size * 0.5)], color, size * 0.2)
        pen.arc(x, y, size * 0.7, 180, 180, color, size * 0.3)
    else:
        side = 1 if rng.random() < 0.5 else -1
        upper = [(x, y - size), (x, y - size * 0.4), (x - side * size, y - size * 0.4)]
        lower = [(x - side * size, y + size * 0.4), (x, y + size * 0.4), (x, y + size)]
        pen.polygon([(x + side * size, y), *upper, *lower], color)


def _hood(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    """The board of a cluster under its hood: round at the ends, shaded towards the top."""
    x, y, wide, tall, color = item.x, item.y, item.size, item.tall, item.color
    trim = lighten(color, float(rng.uniform(0.03, 0.3)))
    corner = tall * float(rng.uniform(0.3, 0.95))
    if rng.random() < 0.75:
        _dashboard(pen, item, rng)
    pen.box(x - wide * 1.12, y - tall * 1.3, x + wide * 1.12, y + tall * 1.25, BLACK, corner, 0.75, 6)
    edge = linear((x, y - tall * 1.2), (x, y + tall), [rgba(lighten(trim, 0.12)), rgba(trim), rgba(lighten(trim, -0.4))])
    pen.box(x - wide * 1.07, y - tall * 1.18, x + wide * 1.07, y + tall * 1.14, trim, corner, shader=edge)
    shade = linear((x, y - tall), (x, y + tall), [rgba(lighten(color, -0.5)), rgba(color), rgba(lighten(color, 0.06))])
    pen.box(x - wide, y - tall, x + wide, y + tall, color, corner * 0.8, shader=shade)


def _dashboard(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    """The car around a cluster: a dashboard with its seams and vents, and the upper rim of the wheel before it."""
    x, y, wide, tall = item.x, item.y, item.size, item.tall
    level = float(rng.uniform(18, 150)) if rng.random() < 0.8 else float(rng.uniform(150, 215))
    tone: Color = (int(level), int(level * rng.uniform(0.93, 1.0)), int(level * rng.uniform(0.82, 1.03)))
    top, low = y - tall * float(rng.uniform(1.7, 3.2)), y + 4.5 * wide
    shade = linear((x, top), (x, y + 2.0 * tall), [rgba(lighten(tone, f)) for f in (0.22, 0.0, -0.35, -0.55)])
    pen.box(x - 4 * wide, top, x + 4 * wide, low, tone, 12, shader=shade)
    pen.box(x - 4 * wide, top, x + 4 * wide, top + 2.5, lighten(tone, 0.3), 2, 0.5)
    seam = y + tall * float(rng.uniform(1.35, 1.7))
    pen.segments([(x - 4 * wide, seam), (x + 4 * wide, seam)], lighten(tone, -0.7), 1.0)
    if rng.random() < 0.6:  # below the board: it never hides a dial
        radius = wide * float(rng.uniform(1.0, 1.6))
        middle, grip = y + tall * 1.5 + radius + wide * float(rng.uniform(0.02, 0.3)), wide * float(rng.uniform(0.1, 0.17))
        dark = lighten(tone, -0.55)
        for part, color in ((1.0, lighten(dark, -0.4)), (0.8, dark), (0.25, lighten(dark, 0.25))):
            pen.circle(x, middle, radius, color, grip * part)
        pen.box(x - 0.45 * wide, middle - 0.72 * radius, x + 0.45 * wide, middle + radius, dark, 0.12 * wide)


def _glow(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    """Stray light of an illuminated dial on its surroundings."""
    light = [rgba(item.color, 0.22), rgba(item.color, 0.1), rgba(item.color, 0.0)]
    pen.disc(item.x, item.y, item.size * 1.2, item.color, shader=radial(item.x, item.y, item.size * 1.2, light, [0.0, 0.7, 1.0]))


def _screen(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    """A screen with a picture and words, nothing to be read."""
    x, y, wide, tall = item.x, item.y, item.size, item.tall
    pen.box(x - wide, y - tall, x + wide, y + tall, item.color, 1.5)
    light = tuple(int(v) for v in rng.uniform(120, 255, 3))
    ink: Color = (light[0], light[1], light[2])
    pen.box(x - wide, y - tall, x + wide, y - tall * 0.72, lighten(item.color, 0.2))
    pen.text(WORDS[int(rng.integers(len(WORDS)))], x, y - tall * 0.85, tall * 0.2, SYMBOL_SAFE, ink)
    pen.box(x - wide * 0.3, y - tall * 0.4, x + wide * 0.3, y + tall * 0.6, ink, wide * 0.15, 0.5)
    pen.box(x - wide * 0.2, y - tall * 0.15, x + wide * 0.2, y + tall * 0.1, item.color, 1.0, 0.8)
    pen.text("km  D  ECO"[int(rng.integers(0, 6)) :], x, y + tall * 0.82, tall * 0.18, SYMBOL_SAFE, ink)


def _duct(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    """A slotted cable duct across a panel."""
    x, y, wide, tall = item.x, item.y, item.size, item.tall
    pen.box(x - wide, y - tall + 1.5, x + wide, y + tall + 1.5, BLACK, alpha=0.3, blur=1.5)
    shade = linear((x, y - tall), (x, y + tall), [rgba(lighten(item.color, f)) for f in (0.1, 0.0, -0.25)])
    pen.box(x - wide, y - tall, x + wide, y + tall, item.color, shader=shade)
    across = wide > tall
    length, step = (wide, 5.0) if across else (tall, 5.0)
    ends = []
    at = -length + step
    while at < length:
        if across:
            ends += [(x + at, y - tall), (x + at, y - tall * 0.5), (x + at, y + tall * 0.5), (x + at, y + tall)]
        else:
            ends += [(x - wide, y + at), (x - wide * 0.5, y + at), (x + wide * 0.5, y + at), (x + wide, y + at)]
        at += step
    pen.segments(ends, lighten(item.color, -0.5), 1.4)


def _screw(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    x, y, size = item.x, item.y, item.size
    pen.disc(x, y, size, item.color)
    turn = float(rng.uniform(0, math.pi))
    dx, dy = size * 0.7 * math.cos(turn), size * 0.7 * math.sin(turn)
    pen.segments([(x - dx, y - dy), (x + dx, y + dy)], lighten(item.color, -0.6), size * 0.3)


def _line(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    """A groove or a door's edge."""
    pen.box(item.x - item.size, item.y - item.tall, item.x + item.size, item.y + item.tall, lighten(item.color, -0.5))
    pen.box(item.x - item.size, item.y + item.tall, item.x + item.size, item.y + item.tall + 0.5, lighten(item.color, 0.35))


def _push(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    """A push button in its metal ring: a mushroom or a flush cap; no lamp."""
    x, y, size = item.x, item.y, item.size
    pen.disc(x + 1, y + 2, size, BLACK, 0.4, 1.5)
    rim = linear((x - size, y - size), (x + size, y + size), [rgba((225, 225, 228)), rgba((150, 150, 155)), rgba((90, 90, 95))])
    pen.disc(x, y, size, (160, 160, 165), shader=rim)
    cap = radial(
        x - size * 0.25,
        y - size * 0.3,
        size,
        [rgba(lighten(item.color, 0.25)), rgba(item.color), rgba(lighten(item.color, -0.4))],
    )
    pen.disc(x, y, size * 0.74, item.color, shader=cap)
    if item.text:
        pen.text(item.text, x, y, size * 0.5, SYMBOL_SAFE, WHITE if sum(item.color) < 420 else BLACK)


def _cable(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    points = [(item.x + float(rng.normal(0, item.size * 0.25)), item.y + item.tall * k / 6) for k in range(7)]
    pen.polyline(points, lighten(item.color, -0.3), item.size * 0.9)
    pen.polyline([(x - item.size * 0.12, y) for x, y in points], lighten(item.color, 0.2), item.size * 0.35)


def _pole(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    """A metal tube with a foot, seen from the side."""
    x, y, wide, tall = item.x, item.y, item.size, item.tall
    shine = [rgba(lighten(item.color, f)) for f in (-0.55, 0.1, 0.5, -0.1, -0.6)]
    pen.box(x - wide, y - tall, x + wide, y + tall, item.color, shader=linear((x - wide, 0), (x + wide, 0), shine))
    foot = wide * 2.2
    pen.box(x - foot, y + tall - 5, x + foot, y + tall, item.color, 1.5, shader=linear((x - foot, 0), (x + foot, 0), shine))


def _slab(pen: Pen, item: Decor, rng: np.random.Generator) -> None:
    """A plain plate: a screen's frame, a screen that shows nothing readable, a cap."""
    x, y, wide, tall = item.x, item.y, item.size, item.tall
    shade = linear((x - wide, y - tall), (x + wide, y + tall), [rgba(lighten(item.color, f)) for f in (0.12, 0.0, -0.15)])
    pen.box(x - wide, y - tall, x + wide, y + tall, item.color, 1.5, shader=shade)


_DRAWERS = {
    "slab": _slab,
    "pole": _pole,
    "telltale": _telltale,
    "hood": _hood,
    "glow": _glow,
    "screen": _screen,
    "duct": _duct,
    "screw": _screw,
    "line": _line,
    "push": _push,
    "cable": _cable,
}
