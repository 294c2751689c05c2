"""Square views of a photo: what the model looks at, and the way back to the photo's pixels.

The read task sees a square around the instrument's box with some margin; the locate task sees the whole photo in
a square. Both are one affine map, so training can turn, shift and scale the view without a second resampling.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fields import Box, Point

Pixels = NDArray[np.uint8]
READ_MARGIN = 0.12
"""Margin around the box on each side, as a share of the box's longer side."""


@dataclass(frozen=True)
class View:
    """A square of `side` pixels of the photo around `center`, turned by `roll_deg` (clockwise), as seen at `size` pixels."""

    center: Point
    side: float
    size: int
    roll_deg: float = 0.0

    @property
    def matrix(self) -> NDArray[np.float64]:
        """(2, 3) affine map from photo pixels to view pixels."""
        scale = self.size / self.side
        angle = np.deg2rad(self.roll_deg)
        cos, sin = np.cos(angle) * scale, np.sin(angle) * scale
        cx, cy = self.center
        half = self.size / 2.0
        return np.array([[cos, -sin, half - cos * cx + sin * cy], [sin, cos, half - sin * cx - cos * cy]])

    def to_view(self, point: Point) -> Point:
        """Photo pixels -> fractions of the view."""
        x, y = self.matrix @ (point[0], point[1], 1.0)
        return float(x) / self.size, float(y) / self.size

    def to_photo(self, point: Point) -> Point:
        """Fractions of the view -> photo pixels."""
        x, y = cv2.invertAffineTransform(self.matrix) @ (point[0] * self.size, point[1] * self.size, 1.0)
        return float(x), float(y)


def read_view(box: Box, size: int, margin: float = READ_MARGIN) -> View:
    """The view of the read task: a square about the box, with its margin."""
    x0, y0, x1, y1 = box
    side = max(x1 - x0, y1 - y0, 1.0) * (1.0 + 2.0 * margin)
    return View(((x0 + x1) / 2.0, (y0 + y1) / 2.0), side, size)


def whole_view(width: int, height: int, size: int) -> View:
    """The view of the locate task: the whole photo, centred in a square."""
    return View((width / 2.0, height / 2.0), float(max(width, height)), size)


def cut(image: Pixels, view: View) -> Pixels:
    """The view as an image (size, size, 3); what lies outside the photo is mid gray.

    A view much smaller than its source is taken from a reduced copy, so that fine marks are averaged, not skipped.
    """
    shrink = view.side / view.size
    if shrink >= 2.0:
        factor = 1.0 / float(2 ** int(np.log2(shrink)))
        size = (max(1, round(image.shape[1] * factor)), max(1, round(image.shape[0] * factor)))
        reduced = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        fx, fy = reduced.shape[1] / image.shape[1], reduced.shape[0] / image.shape[0]
        matrix = view.matrix @ np.array([[1 / fx, 0, 0], [0, 1 / fy, 0], [0, 0, 1]])
        source = reduced
    else:
        matrix, source = view.matrix, image
    # Pixel centres lie at half integers in the map, at integers for OpenCV.
    matrix = matrix.copy()
    matrix[:, 2] += 0.5 * (matrix[:, 0] + matrix[:, 1]) - 0.5
    flat = cv2.warpAffine(
        source,
        matrix,
        (view.size, view.size),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(127, 127, 127),
    )
    return np.ascontiguousarray(flat, dtype=np.uint8)
