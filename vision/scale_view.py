"""Points of a dial, and the plane in which a tilted dial is round again.

Seen from a distance, tilt squeezes a dial along one direction. Stretching the picture back about the
pivot undoes it; the direction and the ratio need not be known exactly, for the curve through the
numerals takes up what is left.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from vision.fields import Point
from vision.plane import clock_angle
from vision.printed_numbers import NumberMark


class DialGeometry(NamedTuple):
    """Points of a dial in the pixels of the image that was read; ends where they are known."""

    pivot: Point
    needle_tip: Point
    scale_start: Point | None = None
    scale_end: Point | None = None


class View(NamedTuple):
    """Stretch by `ratio` along `direction_deg` (clockwise from the x axis) about the pivot."""

    ratio: float
    direction_deg: float

    def of_point(self, point: Point, pivot: Point) -> Point:
        """Where an image point lies in this view."""
        return _stretch(point, pivot, self.ratio, self.direction_deg)

    def point_in_image(self, point: Point, pivot: Point) -> Point:
        """The image point that lies at `point` in this view."""
        return _stretch(point, pivot, 1.0 / self.ratio, self.direction_deg)

    def angle_in_image(self, angle_deg: float) -> float:
        """A direction of this view (degrees clockwise from 6 o'clock) as seen in the image, in [0, 360)."""
        turn = math.radians(angle_deg)
        return clock_angle((0.0, 0.0), self.point_in_image((-math.sin(turn), math.cos(turn)), (0.0, 0.0)))

    def of_mark(self, mark: NumberMark, pivot: Point) -> NumberMark:
        """A mark moved into this view; its letters keep their size, for they only tell families apart."""
        return mark if self.ratio == 1.0 else mark._replace(center=self.of_point(mark.center, pivot))

    def of_geometry(self, geometry: DialGeometry) -> DialGeometry:
        """The dial's points in this view."""
        start, end = geometry.scale_start, geometry.scale_end
        return DialGeometry(
            geometry.pivot,
            self.of_point(geometry.needle_tip, geometry.pivot),
            None if start is None else self.of_point(start, geometry.pivot),
            None if end is None else self.of_point(end, geometry.pivot),
        )


IDENTITY = View(1.0, 0.0)
TILTS = tuple(View(ratio, direction) for ratio in (1.25, 1.55) for direction in (0.0, 45.0, 90.0, 135.0))
"""Tilts of about 37 and 50 degrees, to the four sides."""


def _stretch(point: Point, pivot: Point, ratio: float, direction_deg: float) -> Point:
    turn = math.radians(direction_deg)
    ux, uy = math.cos(turn), math.sin(turn)
    dx, dy = point[0] - pivot[0], point[1] - pivot[1]
    extra = (ratio - 1.0) * (dx * ux + dy * uy)
    return pivot[0] + dx + extra * ux, pivot[1] + dy + extra * uy
