"""Where print stands in the picture: lines of a face, seen through a pose and a lens."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from synth.scene import Pose
from synth.spec import Print, Vec, polar
from vision.samples import PrintedUnit

CAP_HEIGHT = 0.72
"""Height of capitals as a fraction of the font size; the fonts in use differ from it by a few per cent."""

View = Callable[[list[Vec]], list[Vec]]
"""From face units to pixels of the picture."""


def line_center(line: Print) -> tuple[Vec, float]:
    """The middle of a line in face units, and how far its letters are turned clockwise there."""
    if line.curve <= 0:
        return (line.x, line.y), line.angle_deg
    lower = math.cos(math.radians(line.angle_deg)) > 0
    return polar((line.x, line.y), line.curve, line.angle_deg), line.angle_deg if lower else line.angle_deg - 180.0


def height_px(view: View, center: Vec, height: float, turn_deg: float = 0.0) -> float:
    """Height in pixels of something `height` face units tall that stands at `center`, turned clockwise."""
    turn = math.radians(turn_deg)
    half = (-math.sin(turn) * height / 2, math.cos(turn) * height / 2)
    top, low = view([(center[0] - half[0], center[1] - half[1]), (center[0] + half[0], center[1] + half[1])])
    return math.dist(top, low)


def printed_unit(view: View, text: str, unit: str, center: Vec, size: float, turn_deg: float, primary: bool) -> PrintedUnit:
    """A unit whose letters have the font size `size`, in face units, about `center`."""
    turn = math.radians(turn_deg)
    step = (math.cos(turn), math.sin(turn))
    pixel, along = view([center, (center[0] + step[0], center[1] + step[1])])
    return PrintedUnit(
        text=text,
        unit=unit,
        center=pixel,
        height_px=round(height_px(view, center, CAP_HEIGHT * size, turn_deg), 3),
        angle_deg=round(math.degrees(math.atan2(along[1] - pixel[1], along[0] - pixel[0])), 2),
        primary=primary,
    )


def printed_units(view: View, prints: Iterable[Print]) -> tuple[PrintedUnit, ...]:
    """The units that lines of print declare, the primary scale's first. Drawn signs declare nothing."""
    found = []
    for line in prints:
        if line.declares is not None and not line.symbol:
            center, turn = line_center(line)
            found.append(printed_unit(view, line.text, line.declares, center, line.size, turn, not line.declares_second))
    return tuple(sorted(found, key=lambda one: not one.primary))


def pose_angle(pose: Pose, pivot: Vec, length: float, height: float, angle_deg: float) -> float:
    """The angle in [0, 360) at which a hand is seen on the face's plane.

    The tip stands `height` above the face at `angle_deg`; where its line of sight meets the face, the scale is read.
    """
    pixel = pose.project([polar(pivot, length, angle_deg)], height)[0]
    x, y = pose.unproject([pixel])[0]
    return math.degrees(math.atan2(-(x - pivot[0]), y - pivot[1])) % 360.0
