"""Boxes of text cut out level: the strips that the OCR's recogniser reads, and the colour of the ink in them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.fields import Point

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

TALL_RATIO = 1.15
"""From here on a box may hold two digits lying sideways: it is read in three ways."""


class TextPatch(NamedTuple):
    """A place to read at: centre and size in pixels, direction of reading clockwise from the x axis."""

    center: Point
    width_px: float
    height_px: float
    angle_deg: float = 0.0


class Strip(NamedTuple):
    """A text box cut out level: the pixels, and the corner and axes that lead back into the image."""

    pixels: Pixels  # (H, W, 3)
    origin: Floats  # (2,)
    along: Floats  # (2,), full width of the strip in the image
    down: Floats  # (2,), full height of the strip in the image


def cut_box(picture: Pixels, box: Floats) -> list[Strip]:
    """The box cut out level, and where it is tall also turned by a quarter both ways."""
    along, down = (box[1] + box[2] - box[0] - box[3]) / 2.0, (box[3] + box[2] - box[0] - box[1]) / 2.0
    origin = box.mean(axis=0) - (along + down) / 2.0
    flat = Strip(_level(picture, origin, along, down), origin, along, down)
    if np.hypot(*down) < TALL_RATIO * np.hypot(*along):
        return [flat]
    turned = Strip(np.ascontiguousarray(np.rot90(flat.pixels)), origin + along, down, -along)
    upward = Strip(np.ascontiguousarray(np.rot90(flat.pixels, -1)), origin + down, -down, along)
    # A quarter turn either way: text that runs down or up, beside a narrow digit that stands upright.
    return [flat, turned, upward]


def cut_patch(crop: Pixels, patch: TextPatch) -> Strip:
    turn = math.radians(patch.angle_deg)
    along = patch.width_px * np.array([math.cos(turn), math.sin(turn)])
    down = patch.height_px * np.array([-math.sin(turn), math.cos(turn)])
    origin = np.asarray(patch.center) - (along + down) / 2.0
    return Strip(_level(crop, origin, along, down), origin, along, down)


def _level(picture: Pixels, origin: Floats, along: Floats, down: Floats) -> Pixels:
    """The parallelogram at `origin` cut out upright."""
    import cv2

    width, height = max(4, round(float(np.hypot(*along)))), max(4, round(float(np.hypot(*down))))
    matrix = np.column_stack([along / width, down / height, origin]).astype(float)
    how = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(picture, matrix, (width, height), flags=how, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def patch_color(crop: Pixels, patch: TextPatch) -> tuple[float, float, float]:
    """Mean colour of the ink in a patch, RGB."""
    return ink_color(cut_patch(crop, patch).pixels)


def ink_color(pixels: Pixels) -> tuple[float, float, float]:
    """Mean colour of the ink: the smaller side of Otsu's threshold on luminance."""
    import cv2

    gray = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
    _, mask = cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    ink = mask > 0 if 2 * int((mask > 0).sum()) <= mask.size else mask == 0
    if not ink.any():
        ink = np.ones_like(ink)
    mean = pixels[ink].mean(axis=0)
    return float(mean[0]), float(mean[1]), float(mean[2])
