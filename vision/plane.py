"""Directions and boxes in the plane of a picture: x to the right, y down."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.fields import Point


def clock_angle(pivot: Point, point: Point) -> float:
    """Direction from `pivot` to `point` in degrees clockwise from 6 o'clock, in [0, 360)."""
    return math.degrees(math.atan2(-(point[0] - pivot[0]), point[1] - pivot[1])) % 360.0


def box_iou(first: Sequence[float], second: Sequence[float]) -> float:
    """Intersection over union of two boxes x0 y0 x1 y1, in [0, 1]; 0 for empty boxes."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    overlap = width * height
    union = box_area(first) + box_area(second) - overlap
    return min(1.0, overlap / union) if union > 0 else 0.0


def box_area(box: Sequence[float]) -> float:
    """Area in square pixels, 0 for a box turned inside out."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])
