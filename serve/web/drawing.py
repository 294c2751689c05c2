"""What was read, as shapes over the photo: plain numbers for an SVG whose coordinates are the photo's own pixels."""

from __future__ import annotations

import math
from typing import NamedTuple

from vision.fields import InstrumentReading, PhotoReading, Point

DOT_PARTS = 110
"""Radius of a dot: the photo's longer side in so many parts."""
BADGE_PARTS = 32


class Dot(NamedTuple):
    """A point that was read; `name` is the class that colours it."""

    name: str
    x: float
    y: float


class Line(NamedTuple):
    """The needle from pivot to tip."""

    x1: float
    y1: float
    x2: float
    y2: float


class Shape(NamedTuple):
    """One instrument: its box, its number's badge (centre), needle and points. All in pixels of the upright photo."""

    number: int
    read: bool
    x: float
    y: float
    width: float
    height: float
    badge: Point
    needle: Line | None
    dots: tuple[Dot, ...]


class Overlay(NamedTuple):
    """The drawing over a photo of `width` x `height` pixels."""

    width: int
    height: int
    dot_radius: float
    badge_radius: float
    shapes: tuple[Shape, ...]


def draw_shapes(reading: PhotoReading, width: int, height: int) -> Overlay:
    """The shapes of a reading; what lies outside of the photo is drawn at its border, large ones first.

    Order matters: a small instrument inside a large one's box stays on top and can be clicked.
    """
    side = max(width, height)
    badge = side / BADGE_PARTS
    shapes = [_shape(number, one, width, height, badge) for number, one in enumerate(reading.instruments, 1)]
    shapes.sort(key=lambda shape: -shape.width * shape.height)
    return Overlay(width, height, side / DOT_PARTS, badge, tuple(shapes))


def _shape(number: int, reading: InstrumentReading, width: int, height: int, badge: float) -> Shape:
    xs, ys = sorted((reading.box[0], reading.box[2])), sorted((reading.box[1], reading.box[3]))
    left, right = (_held(x, width) for x in xs)
    top, bottom = (_held(y, height) for y in ys)
    points = reading.points
    needle = None
    if points.pivot is not None and points.needle_tip is not None:
        needle = Line(*map(_short, (*points.pivot, *points.needle_tip)))
    named = (
        ("start", points.scale_start),
        ("end", points.scale_end),
        ("needle", points.needle_tip),
        ("needle", points.pivot),
    )
    return Shape(
        number=number,
        read=reading.status == "read",
        x=left,
        y=top,
        width=_short(right - left),
        height=_short(bottom - top),
        badge=(_short(min(max(left, badge), width - badge)), _short(min(max(top, badge), height - badge))),
        needle=needle,
        dots=tuple(Dot(name, _short(at[0]), _short(at[1])) for name, at in named if at is not None),
    )


def _held(value: float, end: int) -> float:
    return _short(min(max(value, 0.0), float(end)))


def _short(value: float) -> float:
    """Two decimals: finer is below any screen, and shorter in the page."""
    return round(value, 2) if math.isfinite(value) else 0.0
