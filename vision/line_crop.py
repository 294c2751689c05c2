"""A line of print at a known place, cut out level and grey for the line reader.

Places come from anywhere: a heat map, the boxes of a text detector, a display's points, a grid on the face. They are
a little off, so the crop keeps a margin around the letters and the reader is trained on such errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fields import Point

Pixels = NDArray[np.uint8]

SIDE_MARGIN_PX = 6.0
MIN_HEIGHT_PX, MAX_HEIGHT_PX = 3.0, 4096.0


class LineError(ValueError):
    """An image or a place that no line can be read from."""


class CropShape(NamedTuple):
    """How lines are cut out: `letter_px` is the letters' height within the crop, the rest margin for places that are off."""

    height_px: int
    letter_px: float
    widths_px: tuple[int, ...]
    color: bool = False


PRINT_SHAPE = CropShape(32, 16.0, (96, 160))
DIGITS_SHAPE = CropShape(32, 20.0, (112, 192), color=True)
"""Of rows of digits: a point is a tenth as high as its digits, and the drums behind it differ in colour alone."""


class LinePlace(NamedTuple):
    """Where a line of letters stands: centre, height of its capitals or digits and width, in pixels of the image.

    `angle_deg` is the direction of reading, clockwise from the x axis to the right.
    """

    center: Point
    height_px: float
    width_px: float
    angle_deg: float = 0.0


class LineImage:
    """An image with its halves, quarters ...: crops of large letters are taken from a smaller one, free of aliases."""

    def __init__(self, image: Pixels, *, color: bool = False) -> None:
        """`image` is uint8, RGB (H, W, 3) or grey (H, W); kept grey, or in colour. Raises LineError where it is neither."""
        if image.dtype != np.uint8 or image.ndim not in (2, 3) or min(image.shape[:2]) < 4:
            raise LineError(f"expected a uint8 RGB or grey image of at least 4 x 4 px, got {image.dtype} {image.shape}")
        if color:
            kept = image if image.ndim == 3 else np.repeat(image[..., None], 3, axis=2)
        else:
            kept = image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), np.uint8)
        self.color = color
        self._levels: list[Pixels] = [np.ascontiguousarray(kept)]

    def level(self, number: int) -> Pixels:
        """The image halved `number` times, or as often as it goes."""
        while len(self._levels) <= number and min(self._levels[-1].shape[:2]) >= 8:
            last = self._levels[-1]
            half = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
            self._levels.append(np.asarray(cv2.resize(last, half, interpolation=cv2.INTER_AREA), np.uint8))
        return self._levels[min(number, len(self._levels) - 1)]


def crop_scale(place: LinePlace, width_px: int, shape: CropShape = PRINT_SHAPE) -> float:
    """Crop pixels per image pixel: the letters at their height, smaller where the line would not fit."""
    return min(shape.letter_px / place.height_px, (width_px - 2.0 * SIDE_MARGIN_PX) / max(place.width_px, 1.0))


def crop_width(place: LinePlace, shape: CropShape = PRINT_SHAPE) -> int:
    """The narrowest crop that takes the line at full height, else the widest."""
    needed = place.width_px * shape.letter_px / place.height_px + 2.0 * SIDE_MARGIN_PX
    return next((width for width in shape.widths_px if needed <= width), shape.widths_px[-1])


def can_be_cut(place: LinePlace) -> bool:
    """Whether the place is finite and its letters are of a size that can be read: places in small pictures often are not."""
    numbers = (*place.center, place.height_px, place.width_px, place.angle_deg)
    return all(math.isfinite(number) for number in numbers) and MIN_HEIGHT_PX <= place.height_px <= MAX_HEIGHT_PX


def line_crop(image: LineImage, place: LinePlace, width_px: int, shape: CropShape = PRINT_SHAPE) -> Pixels:
    """The line level in the middle of a crop of the shape's height and `width_px`, grey or in colour as the image is.

    Beyond the image the edge is repeated. Raises LineError for a place that is not finite or has no size.
    """
    if not can_be_cut(place):
        raise LineError(f"a line needs a finite place and a height of at least {MIN_HEIGHT_PX} px, got {place}")
    scale = crop_scale(place, width_px, shape)
    number = max(0, math.floor(math.log2(1.0 / scale) + 0.25)) if scale < 1.0 else 0
    picture = image.level(number)
    ratio_x, ratio_y = picture.shape[1] / image.level(0).shape[1], picture.shape[0] / image.level(0).shape[0]
    turn = math.radians(place.angle_deg)
    cos, sin = math.cos(turn) / scale, math.sin(turn) / scale
    # From pixels of the crop to pixels of the picture, centres of pixels at +0.5.
    axes = np.array([[cos * ratio_x, -sin * ratio_x], [sin * ratio_y, cos * ratio_y]])
    middle = np.array([width_px / 2.0 - 0.5, shape.height_px / 2.0 - 0.5])
    center = np.array([place.center[0] * ratio_x - 0.5, place.center[1] * ratio_y - 0.5])
    matrix = np.column_stack([axes, center - axes @ middle])
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (width_px, shape.height_px)
    return np.asarray(cv2.warpAffine(picture, matrix, size, flags=how, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def place_of_corners(corners: Sequence[Point]) -> LinePlace:
    """The place of a line from its four corners, clockwise from its own top left."""
    if len(corners) != 4:
        raise LineError(f"a line has four corners, got {len(corners)}")
    top_left, top_right, low_right, low_left = (np.asarray(corner, float) for corner in corners)
    along = (top_right + low_right - top_left - low_left) / 2.0
    down = (low_left + low_right - top_left - top_right) / 2.0
    center = (top_left + top_right + low_right + low_left) / 4.0
    return LinePlace(
        (float(center[0]), float(center[1])),
        float(np.hypot(*down)),
        float(np.hypot(*along)),
        math.degrees(math.atan2(along[1], along[0])),
    )


def place_of_points(left: Point, right: Point, top: Point) -> LinePlace:
    """The place of a row from the middles of its left and right side and of its top side."""
    along = (right[0] - left[0], right[1] - left[1])
    width = math.hypot(*along)
    if width == 0.0:
        raise LineError(f"a row needs two ends, got {left} twice")
    center = ((left[0] + right[0]) / 2.0, (left[1] + right[1]) / 2.0)
    off = abs((top[0] - center[0]) * along[1] - (top[1] - center[1]) * along[0]) / width
    return LinePlace(center, 2.0 * off, width, math.degrees(math.atan2(along[1], along[0])))
