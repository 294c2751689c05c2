"""Other hands about a pivot: strokes of another colour, or elsewhere, that could be taken for the needle.

Maximum hands, set points and tell-tales start at the same pivot as the needle. Whoever reads one of them reads a wrong
value with all the marks of a right one, so what stands beside the needle is counted, and whether it is red.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.fields import Point
from vision.needle_line import Floats, sample_rays, stroke_contrast
from vision.numerals import NumeralError
from vision.text_strips import Pixels

STEP_DEG = 0.75
APART_DEG = 9.0
"""Closer strokes are one: a needle has two edges and a shadow."""
TAIL_DEG = 14.0
"""About opposite the needle lies its own tail."""
MIN_CONTRAST = 12.0
RADII = np.linspace(0.3, 0.8, 20)
"""Along the needle, in its lengths: outside the hub, inside the numerals."""
LONG_RADII = np.linspace(0.84, 1.05, 8)
RED_LEAD = 28.0
"""Grey levels by which red must exceed green and blue."""
MIN_LENGTH_PX = 20.0
STEADY_SHARE = 0.8
OFF_FACE = 24.0
"""Grey levels by which a hand differs from the face; the face between two hands differs from both but is the face."""


class Stroke(NamedTuple):
    """A straight stroke from the pivot: degrees from the needle (clockwise in the picture), contrast in grey levels."""

    off_deg: float
    contrast: float
    red: bool
    long: bool


class Strokes(NamedTuple):
    """The needle's own stroke, None where it is not seen, and all others but its tail, strongest first."""

    needle: Stroke | None
    others: tuple[Stroke, ...]


def find_strokes(crop: Pixels, pivot: Point, tip: Point) -> Strokes:
    """All strokes about the pivot in a crop (uint8 RGB). Raises NumeralError where the crop is no such image."""
    import cv2

    if crop.ndim != 3 or crop.shape[2] != 3 or crop.dtype != np.uint8:
        raise NumeralError(f"expected a uint8 RGB crop, got {crop.dtype} {crop.shape}")
    length = math.dist(pivot, tip)
    if length < MIN_LENGTH_PX:
        return Strokes(None, ())
    picture = cv2.GaussianBlur(crop, (0, 0), max(0.6, length / 160.0)).astype(np.float32)
    toward = math.degrees(math.atan2(tip[1] - pivot[1], tip[0] - pivot[0]))
    offsets = np.arange(-180.0, 180.0, STEP_DEG)  # (A,)
    angles = np.radians(toward + offsets)
    rays = sample_rays(picture, np.asarray(pivot, float), angles, RADII * length)  # (R, A, 3)
    contrast = _around(rays, RADII)
    far = sample_rays(picture, np.asarray(pivot, float), angles, LONG_RADII * length)
    reach = _around(far, LONG_RADII)
    found = [
        Stroke(float(offsets[index]), float(contrast[index]), _is_red(rays[:, index]), bool(reach[index] >= MIN_CONTRAST))
        for index in _peaks(np.where(_off_face(rays), contrast, 0.0))
    ]
    needle = max((s for s in found if abs(s.off_deg) <= APART_DEG), key=lambda s: s.contrast, default=None)
    others = [s for s in found if abs(s.off_deg) > APART_DEG and abs(abs(s.off_deg) - 180.0) > TAIL_DEG]
    return Strokes(needle, tuple(sorted(others, key=lambda s: -s.contrast)))


def _around(rays: Floats, radii: Floats) -> Floats:
    """(R, A, 3) -> (A,): contrast of a stroke at each angle, the circle being closed."""
    margin = 40
    closed = np.concatenate([rays[:, -margin:], rays, rays[:, :margin]], axis=1)
    return stroke_contrast(closed, radii, STEP_DEG)[margin:-margin]


def _off_face(rays: Floats) -> NDArray[np.bool_]:
    """(R, A, 3) -> (A,): whether the colour differs from the face's, the median of each circle, over most radii."""
    face = np.median(rays, axis=1, keepdims=True)
    return np.asarray(np.median(np.abs(rays - face).max(axis=2), axis=0) >= OFF_FACE)


def _peaks(contrast: Floats) -> list[int]:
    """Indices of the strokes: strongest first, none near a stronger one."""
    reach = round(APART_DEG / STEP_DEG)
    count = len(contrast)
    peaks: list[int] = []
    for index in np.argsort(-contrast, kind="stable"):
        if contrast[index] < MIN_CONTRAST or len(peaks) == 8:
            break
        if all(min(abs(int(index) - peak), count - abs(int(index) - peak)) > reach for peak in peaks):
            peaks.append(int(index))
    return peaks


def _is_red(colors: NDArray[np.float64]) -> bool:
    """Whether a stroke's pixels (R, 3) are red over most of its length."""
    red = (colors[:, 0] - colors[:, 1] > RED_LEAD) & (colors[:, 0] - colors[:, 2] > RED_LEAD)
    return bool(red.mean() >= STEADY_SHARE)
