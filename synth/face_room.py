"""Where print finds room on a face: what is there already, as boxes and points, and places looked for by wish."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synth.dial import numerals
from synth.draw import Rng
from synth.fonts import advance
from synth.spec import DialSpec, Print, Scale, ScaleArt, Vec, polar

Rect = tuple[float, float, float, float]

LINE_PITCH = 1.12
"""Distance of the lines of a block in font sizes."""
HALF_HEIGHT = 0.5
"""Half the height that a line takes, in font sizes: capitals reach 0.37 about their middle, tails of letters 0.58 down."""


class Spot(NamedTuple):
    """Middle and font size of a block of lines that found room."""

    x: float
    y: float
    size: float


def text_extent(text: str, size: float, font: str, condensed: float = 1.0, tracking: float = 0.0) -> float:
    """Measured width of a text in face units."""
    return size * (advance(text, font) * condensed + tracking * max(0, len(text) - 1))


def print_box(line: Print) -> Rect:
    """Bounding box of a straight line of print, its frame included; a turned one gets the box around its turned box."""
    if line.symbol:
        half = (0.6 * line.size, 0.6 * line.size)
    elif line.vertical:
        half = (0.55 * line.size, 0.55 * LINE_PITCH * line.size * len(line.text))
    else:
        wide = text_extent(line.text, line.size, line.font, line.condensed, line.tracking)
        half = (0.5 * wide + abs(line.slant) * 0.4 * line.size, HALF_HEIGHT * line.size)
    if line.frame != "none":
        grow = 0.6 if "oval" in line.frame or line.frame in ("circle", "rhomb") else 0.35
        half = (half[0] + grow * line.size, half[1] + 0.25 * line.size)
    turn = math.radians(line.angle_deg)
    cos, sin = abs(math.cos(turn)), abs(math.sin(turn))
    wide, tall = half[0] * cos + half[1] * sin, half[0] * sin + half[1] * cos
    return line.x - wide, line.y - tall, line.x + wide, line.y + tall


def numeral_boxes(scale: Scale, art: ScaleArt, pivot: Vec) -> list[Rect]:
    """Boxes of a scale's numerals as they are drawn, from measured widths."""
    found = []
    for number in numerals(scale, art, pivot):
        wide, tall = 0.5 * text_extent(number.text, number.size, art.font, art.condensed), 0.4 * number.size
        if art.numerals_rotated:
            turn = math.radians(number.angle_deg)
            cos, sin = abs(math.cos(turn)), abs(math.sin(turn))
            wide, tall = wide * cos + tall * sin, wide * sin + tall * cos
        x, y = number.center
        found.append((x - wide, y - tall, x + wide, y + tall))
    return found


def _ring(scale: Scale, art: ScaleArt, pivot: Vec) -> NDArray[np.float64]:
    """Points over the band of a scale's ticks, dense enough that no line of print slips between them."""
    sweep = scale.sweep_deg if scale.clockwise else -scale.sweep_deg
    count = max(6, int(abs(scale.sweep_deg) * math.radians(1) * art.radius / 3.5))
    turns = np.radians(scale.start_deg + np.linspace(0, sweep, count))
    radii = (art.radius, art.radius - 0.5 * art.major_length, art.radius - art.major_length)
    return np.concatenate([np.stack([pivot[0] - r * np.sin(turns), pivot[1] + r * np.cos(turns)], axis=1) for r in radii])


def _line_boxes(line: Print) -> list[Rect]:
    """Boxes of a line of print: one, or one for each letter along a curve."""
    if line.curve <= 0:
        return [print_box(line)]
    turn = math.degrees(1.04 * text_extent(line.text, line.size, line.font, line.condensed) / line.curve)
    count, half = max(2, len(line.text)), 0.55 * line.size
    places = [polar((line.x, line.y), line.curve, line.angle_deg + turn * (k / (count - 1) - 0.5)) for k in range(count)]
    return [(x - half, y - half, x + half, y + half) for x, y in places]


class FaceRoom:
    """Free room on a face. Lengths in face units; boxes once taken stay taken."""

    def __init__(self, spec: DialSpec) -> None:
        case = spec.case
        self.round = case.shape == "round"
        self.half = 100.0 - case.bezel - case.ring - 2.0
        self.tall = (100.0 * case.aspect - case.bezel - case.ring) - 2.0
        self.x, self.y = spec.pivot
        boxes: list[Rect] = []
        rings = []
        for scale, art in ((spec.scale, spec.art), *spec.further_scales):
            boxes += numeral_boxes(scale, art, spec.pivot)
            rings.append(_ring(scale, art, spec.pivot))
        hub = max(spec.needle.hub, spec.reset_knob, 4.0) + 1.0
        boxes.append((self.x - hub, self.y - hub, self.x + hub, self.y + hub))
        boxes += [(x - r, y - r, x + r, y + r) for x, y, r in spec.screws]
        for line in spec.prints:
            boxes += _line_boxes(line)
        if spec.inner is not None:
            one = spec.inner
            boxes.append((one.x - one.half_width, one.y - one.half_height, one.x + one.half_width, one.y + one.half_height))
        if spec.skirt is not None:
            boxes.append((-100.0, spec.skirt - 1.0, 100.0, 100.0))
        if spec.cover > 0:
            boxes.append((self.x - spec.cover - 2, self.y - spec.cover - 2, 100.0, 100.0))
        for zone in spec.zones:
            turn = spec.scale.sweep_deg * (zone.end - zone.start) * (1 if spec.scale.clockwise else -1)
            angles = np.radians(spec.scale.angle_at(zone.start) + np.linspace(0, turn, 2 + int(abs(turn) / 4)))
            for radius in (zone.inner, 0.5 * (zone.inner + zone.outer), zone.outer):
                rings.append(np.stack([self.x - radius * np.sin(angles), self.y + radius * np.cos(angles)], axis=1))
        self._points = np.concatenate(rings)
        self._boxes = np.array(boxes, np.float64)
        self.fixed = len(boxes)

    def inside(self, box: Rect) -> bool:
        """Whether a box lies on the face."""
        x0, y0, x1, y1 = box
        if not self.round:
            return x0 > -self.half and x1 < self.half and y0 > -self.tall and y1 < self.tall
        far_x, far_y = max(-x0, x1), max(-y0, y1) * self.half / self.tall
        return far_x * far_x + far_y * far_y < self.half * self.half

    def free(self, box: Rect) -> bool:
        """Whether a box lies on the face and clear of everything on it."""
        if not self.inside(box):
            return False
        x0, y0, x1, y1 = box
        rects = self._boxes
        if ((rects[:, 0] < x1) & (rects[:, 2] > x0) & (rects[:, 1] < y1) & (rects[:, 3] > y0)).any():
            return False
        xs, ys = self._points[:, 0], self._points[:, 1]
        return not ((xs > x0) & (xs < x1) & (ys > y0) & (ys < y1)).any()

    def take(self, box: Rect) -> None:
        self._boxes = np.concatenate([self._boxes, [box]])

    def place(
        self, rng: Rng, wish: str, widths: Sequence[float], size: float, least: float, tries: int = 5, margin: float = 0.0
    ) -> Spot | None:
        """Room for a block of lines, each `widths` font sizes wide, taken at once; None where there is none.

        Looks at places of the wish, then with smaller letters, down to a font size of `least`.
        """
        while size >= least:
            wide = 0.5 * size * max(widths) + 0.6 + margin * size
            tall = size * (HALF_HEIGHT + 0.5 * LINE_PITCH * (len(widths) - 1)) + 0.3 + margin * size
            for _ in range(tries):
                x, y = self._wish(rng, wish)
                box = (x - wide, y - tall, x + wide, y + tall)
                if self.free(box):
                    self.take(box)
                    return Spot(x, y, size)
            size *= 0.8
        return None

    def search(self, widths: Sequence[float], size: float, least: float, margin: float = 0.0) -> Spot:
        """Room for what must be printed: the whole face is looked through, from the pivot outwards; at last the least bad."""
        spots = [(self.x + i * 7.0, self.y + j * 5.0) for i in range(-12, 13) for j in range(-20, 21)]
        spots.sort(key=lambda spot: math.hypot(spot[0] - self.x, 0.8 * (spot[1] - self.y - 20)))
        while size >= least:
            wide = 0.5 * size * max(widths) + 0.4 + margin * size
            tall = size * (HALF_HEIGHT + 0.5 * LINE_PITCH * (len(widths) - 1) + margin)
            for x, y in spots:
                box = (x - wide, y - tall, x + wide, y + tall)
                if self.free(box):
                    self.take(box)
                    return Spot(x, y, size)
            size *= 0.75
        return Spot(self.x, self.y + 0.35 * self.half, least)

    def _wish(self, rng: Rng, wish: str) -> Vec:
        u, v = float(rng.random()), float(rng.random())
        half, x, y = self.half, self.x, self.y
        if wish == "below":
            return x + (u - 0.5) * 0.05 * half, y + (0.14 + 0.6 * v) * half
        if wish == "above":
            return x + (u - 0.5) * 0.05 * half, y - (0.14 + 0.6 * v) * half
        if wish == "bottom":
            return (u - 0.5) * 0.04 * half, (0.55 + 0.42 * v) * self.tall
        if wish == "top":
            return (u - 0.5) * 0.04 * half, -(0.45 + 0.5 * v) * self.tall
        if wish in ("end", "start"):
            side = 1.0 if wish == "end" else -1.0
            return side * (0.25 + 0.45 * u) * half, (0.4 + 0.5 * v) * self.tall
        if wish == "corner":
            return (-1 if u < 0.5 else 1) * (0.45 + 0.9 * abs(u - 0.5)) * half, (-1 if v < 0.4 else 1) * (
                0.6 + 0.35 * u
            ) * self.tall
        if wish == "top left":
            return -(0.5 + 0.4 * u) * half, -(0.5 + 0.4 * v) * self.tall
        if wish == "side":
            return x + (-1 if u < 0.5 else 1) * (0.2 + 0.6 * abs(u - 0.5)) * half, y + (v - 0.35) * 0.7 * half
        return (2 * u - 1) * 0.8 * half, (2 * v - 1) * 0.8 * self.tall

    def place_arc(self, center: Vec, radius: float, middle_deg: float, width: float, size: float) -> bool:
        """Whether letters along a circle have room; taken at once where they do."""
        turn = math.degrees(width / radius)
        count = max(2, math.ceil(width / (0.9 * size)))
        half = 0.55 * size
        spots = [polar(center, radius, middle_deg + turn * (k / (count - 1) - 0.5)) for k in range(count)]
        boxes = [(x - half, y - half, x + half, y + half) for x, y in spots]
        if not all(self.free(box) for box in boxes):
            return False
        self._boxes = np.concatenate([self._boxes, np.array(boxes)])
        return True
