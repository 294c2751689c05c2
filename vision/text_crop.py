"""The crop in which printed text is looked for: the instrument at full resolution, with the way back to the image."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from vision.crops import Pixels
from vision.fields import Box, Point
from vision.line_crop import LinePlace

MARGIN = 0.04


class TextCrop(NamedTuple):
    """Pixels around a box, scaled down to a largest side; `scale` crop pixels per image pixel."""

    pixels: Pixels
    left: float
    top: float
    scale: float

    def to_crop(self, point: Point) -> Point:
        return (point[0] - self.left) * self.scale, (point[1] - self.top) * self.scale

    def place_to_crop(self, place: LinePlace) -> LinePlace:
        """A line of print of the image in pixels of the crop."""
        return place._replace(
            center=self.to_crop(place.center), height_px=self.scale * place.height_px, width_px=self.scale * place.width_px
        )

    def to_image(self, point: Point) -> Point:
        return point[0] / self.scale + self.left, point[1] / self.scale + self.top


def text_crop(image: Pixels, box: Box, side_px: int) -> TextCrop:
    """The box with a small margin, clipped to the image, at most `side_px` on its longer side."""
    height, width = image.shape[:2]
    margin = MARGIN * max(box[2] - box[0], box[3] - box[1])
    left, top = int(max(0, box[0] - margin)), int(max(0, box[1] - margin))
    right, bottom = int(min(width, box[2] + margin + 1)), int(min(height, box[3] + margin + 1))
    pixels = image[top:bottom, left:right]
    scale = min(1.0, side_px / max(pixels.shape[:2]))
    if scale < 1.0:
        size = (max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale)))
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return TextCrop(np.ascontiguousarray(pixels, dtype=np.uint8), float(left), float(top), scale)
