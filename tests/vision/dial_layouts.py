"""Synthetic faces: printed texts laid out on known scales, for the tests of the numeral witness."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from vision.fields import Point
from vision.numerals import PrintedText
from vision.scale_view import DialGeometry

PIVOT = (300.0, 310.0)
BLACK = (25.0, 25.0, 25.0)
RED = (190.0, 30.0, 35.0)

Shape = Callable[[Point], Point]


def printed(
    text: str,
    center: Point,
    *,
    height: float = 24.0,
    color: tuple[float, float, float] = BLACK,
    confidence: float = 0.98,
    angle_deg: float = 0.0,
) -> PrintedText:
    """One text with evenly spread characters."""
    width = 0.6 * height * max(1, len(text))
    turn = math.radians(angle_deg)
    offsets = [(number + 0.5) / len(text) - 0.5 for number in range(len(text))]
    places = tuple((center[0] + width * o * math.cos(turn), center[1] + width * o * math.sin(turn)) for o in offsets)
    return PrintedText(text, center, height, width, angle_deg, confidence, color, places)


def at_angle(angle_deg: float, radius: float, pivot: Point = PIVOT) -> Point:
    """The point `radius` from the pivot, `angle_deg` clockwise from 6 o'clock."""
    turn = math.radians(angle_deg)
    return pivot[0] - radius * math.sin(turn), pivot[1] + radius * math.cos(turn)


def linear(low: float, high: float, start_deg: float, sweep_deg: float) -> Callable[[float], float]:
    """Angle of a value on a linear scale; a negative sweep runs counter-clockwise."""
    return lambda value: start_deg + sweep_deg * (value - low) / (high - low)


def face(
    angle_of: Callable[[float], float],
    values: Sequence[float],
    *,
    radius: float = 200.0,
    label: Callable[[float], str] = lambda value: f"{value:g}",
    noise: np.random.Generator | None = None,
    noise_px: float = 2.0,
    shape: Shape = lambda point: point,
    height: float = 24.0,
    color: tuple[float, float, float] = BLACK,
) -> list[PrintedText]:
    """Numerals of a scale, each a little off its place."""
    texts = []
    for value in values:
        x, y = at_angle(angle_of(value), radius)
        if noise is not None:
            x, y = x + noise.normal(0.0, noise_px), y + noise.normal(0.0, noise_px)
        texts.append(printed(label(value), shape((x, y)), height=height, color=color))
    return texts


def needle_at(angle_deg: float, *, shape: Shape = lambda point: point, ends: tuple[float, float] | None = None) -> DialGeometry:
    """The dial's points with the needle at an angle; `ends` in degrees where they are known."""
    located = [shape(at_angle(end, 230.0)) for end in ends] if ends is not None else [None, None]
    return DialGeometry(shape(PIVOT), shape(at_angle(angle_deg, 170.0)), located[0], located[1])


def tilt(ratio: float, direction_deg: float) -> Shape:
    """A dial seen at an angle: squeezed to `ratio` along a direction about the pivot."""
    turn = math.radians(direction_deg)
    ux, uy = math.cos(turn), math.sin(turn)

    def squeeze(point: Point) -> Point:
        dx, dy = point[0] - PIVOT[0], point[1] - PIVOT[1]
        less = (ratio - 1.0) * (dx * ux + dy * uy)
        return point[0] + less * ux, point[1] + less * uy

    return squeeze
