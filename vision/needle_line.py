"""A second look at the needle, at full resolution: the line in the picture that the Donut's points hint at.

The Donut sees an instrument at 384 px and places pivot and tip to about two degrees. The needle itself is a
straight stroke that differs from the face on both sides, all along its length; the best such stroke near the
hint is found by sampling the picture along rays. Where no stroke stands out the hint stays as it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.fields import Point
from vision.numerals import NumeralError
from vision.scale_curve import robust_line
from vision.text_strips import Pixels

Floats = NDArray[np.float64]

REACH_DEG = 12.0
COARSE = (0.5, 0.0125)
"""Steps in degrees, and sideways in needle lengths."""
FOCUS_DEG = 5.0
"""Standard deviation of the hint: strokes further away must stand out more."""
MAX_SHIFT = 0.05
"""Of the needle's length, sideways: the pivot's own error."""
SHIFT_FOCUS = 0.03
CENTER_ROWS = np.linspace(0.25, 0.95, 48)
SIDE = 0.14
MIN_ROWS = 0.45
"""Share of the rows across the needle in which both its edges must be seen."""
MAX_SPREAD = 0.012
APART_DEG = 4.0
HALF_WIDTHS = (0.012, 0.025, 0.05)
RADII = np.linspace(0.28, 0.9, 26)
"""Along the needle: outside the hub, inside the tip."""
MIN_CONTRAST = 10.0
"""Grey levels by which the stroke must differ from both its sides over most of its length."""
MIN_LEAD = 1.15
MIN_LENGTH_PX = 24.0
HINT_SD_DEG = 3.5
LINE_SD_DEG = 1.0


class NeedleLine(NamedTuple):
    """Pivot and tip after the look, in the crop's pixels; `sd_deg` of the direction; `found` False for the hint itself."""

    pivot: Point
    tip: Point
    sd_deg: float
    found: bool


def refine_needle(crop: Pixels, pivot: Point, tip: Point) -> NeedleLine:
    """The needle near a hint in a crop (uint8 RGB). Raises NumeralError where the crop is no such image."""
    import cv2

    if crop.ndim != 3 or crop.shape[2] != 3 or crop.dtype != np.uint8:
        raise NumeralError(f"expected a uint8 RGB crop, got {crop.dtype} {crop.shape}")
    hint = NeedleLine(pivot, tip, HINT_SD_DEG, False)
    length = math.dist(pivot, tip)
    if length < MIN_LENGTH_PX:
        return hint
    smooth = cv2.GaussianBlur(crop, (0, 0), max(0.6, length / 220.0)).astype(np.float32)
    toward = math.degrees(math.atan2(tip[1] - pivot[1], tip[0] - pivot[0]))
    offsets = np.arange(-REACH_DEG, REACH_DEG + COARSE[0] / 2, COARSE[0])  # (A,)
    shifts = np.arange(-MAX_SHIFT, MAX_SHIFT + COARSE[1] / 2, COARSE[1])  # (S,)
    scores = _contrasts(smooth, pivot, toward, length, offsets, shifts)
    prior = np.exp(-0.5 * (offsets[None, :] / FOCUS_DEG) ** 2 - 0.5 * (shifts[:, None] / SHIFT_FOCUS) ** 2)
    weighted = scores * prior
    row, column = (int(index) for index in np.unravel_index(int(weighted.argmax()), weighted.shape))
    elsewhere = np.abs(offsets - offsets[column]) > APART_DEG
    rival = float(weighted[:, elsewhere].max())
    if scores[row, column] < MIN_CONTRAST or weighted[row, column] < MIN_LEAD * rival:
        return hint
    found = _centered(smooth, pivot, toward + float(offsets[column]), float(shifts[row]), length)
    return hint if found is None else found


def _centered(picture: NDArray[np.float32], pivot: Point, toward_deg: float, shift: float, length: float) -> NeedleLine | None:
    """The line through the middles of the stroke, row by row along it; None where it has no two clear edges."""
    turn = math.radians(toward_deg)
    along, across = np.array([math.cos(turn), math.sin(turn)]), _across(toward_deg)
    pixel = max(0.5 / length, 0.004)
    sideways = np.arange(-SIDE, SIDE + pixel / 2, pixel)  # (T,), in needle lengths
    start = np.asarray(pivot) + shift * length * across
    places = start + length * (CENTER_ROWS[:, None, None] * along + sideways[None, :, None] * across)  # (R, T, 2)
    colors = _at(picture, places[..., 0], places[..., 1])  # (R, T, 3)
    middles = [_middle(row, sideways) for row in colors]
    rows = np.array([r for r, m in zip(CENTER_ROWS, middles, strict=True) if m is not None])
    offs = np.array([m for m in middles if m is not None])
    if len(rows) < MIN_ROWS * len(CENTER_ROWS):
        return None
    slope, offset = robust_line(rows, offs)
    spread = float(np.median(np.abs(offs - offset - slope * rows)))
    if spread > MAX_SPREAD:
        return None
    first = start + offset * length * across
    last = first + length * (along + slope * across)
    sd = math.hypot(LINE_SD_DEG, math.degrees(2.0 * spread))
    return NeedleLine((float(first[0]), float(first[1])), (float(last[0]), float(last[1])), sd, True)


def _middle(colors: Floats, sideways: Floats) -> float | None:
    """Middle of the run of needle colour about the centre of one row across the needle: (T, 3) -> needle lengths."""
    center = len(sideways) // 2
    face = np.median(colors, axis=0)
    needle = colors[center - 1 : center + 2].mean(axis=0) - face
    contrast = float(needle @ needle)
    if contrast < 3.0 * MIN_CONTRAST**2:
        return None
    like = (colors - face) @ needle / contrast > 0.5
    if not like[center]:
        return None
    low, high = center, center
    while low > 0 and like[low - 1]:
        low -= 1
    while high < len(like) - 1 and like[high + 1]:
        high += 1
    return None if low == 0 or high == len(like) - 1 else float(sideways[low] + sideways[high]) / 2.0


def _at(picture: NDArray[np.float32], x: Floats, y: Floats) -> Floats:
    import cv2

    how = cv2.INTER_LINEAR
    return np.asarray(cv2.remap(picture, x.astype(np.float32), y.astype(np.float32), how, borderMode=cv2.BORDER_REPLICATE), float)


def _across(toward_deg: float) -> Floats:
    turn = math.radians(toward_deg)
    return np.array([-math.sin(turn), math.cos(turn)])


def _contrasts(
    picture: NDArray[np.float32], pivot: Point, toward_deg: float, length: float, offsets: Floats, shifts: Floats
) -> Floats:
    """(S, A): contrast of the stroke that starts `shifts` lengths beside the pivot and runs `offsets` degrees off."""
    step = float(offsets[1] - offsets[0])
    margin = math.ceil(math.degrees(3.6 * HALF_WIDTHS[-1] / RADII[0]) / step)
    wide = np.concatenate([offsets[0] - step * np.arange(margin, 0, -1), offsets, offsets[-1] + step * np.arange(1, margin + 1)])
    angles = np.radians(toward_deg + wide)
    result = np.zeros((len(shifts), len(offsets)))
    for row, shift in enumerate(shifts):
        origin = np.asarray(pivot) + float(shift) * length * _across(toward_deg)
        rays = sample_rays(picture, origin, angles, RADII * length)  # (R, A, 3)
        result[row] = stroke_contrast(rays, RADII, step)[margin : margin + len(offsets)]
    return result


def sample_rays(picture: NDArray[np.float32], origin: Floats, angles: Floats, radii: Floats) -> Floats:
    """The picture along rays from `origin`: (R, A, 3)."""
    x = origin[0] + radii[:, None] * np.cos(angles)[None, :]
    y = origin[1] + radii[:, None] * np.sin(angles)[None, :]
    return _at(picture, x, y)


def stroke_contrast(rays: Floats, radii: Floats, step_deg: float) -> Floats:
    """(A,): how much a stroke at each angle differs from its nearer side in colour, over most of its length.

    `rays` (R, A, 3) are colours at `radii` (R,), in needle lengths, and at angles `step_deg` apart.
    """
    sums = np.cumsum(np.concatenate([np.zeros((len(rays), 1, 3)), rays], axis=1), axis=1)  # (R, A + 1, 3)
    best = np.zeros(rays.shape[1])
    for half in HALF_WIDTHS:
        steps = [math.degrees(half / radius) / step_deg for radius in radii]
        wide = np.array([max(0, round(number)) for number in steps])
        away = np.array([round(2.4 * number) + 1 for number in steps])
        center, left, right = (_window(sums, shift, wide) for shift in (np.zeros_like(away), -away, away))
        # The stroke must differ the same way from both sides: take the smaller difference, where the signs agree.
        first, second = center - left, center - right
        agreed = np.where(first * second > 0, np.sign(first) * np.minimum(np.abs(first), np.abs(second)), 0.0)
        along = np.median(agreed, axis=0)  # (A, 3)
        best = np.maximum(best, np.sqrt((along**2).sum(axis=1) / 3.0))
    return best


def _window(sums: Floats, shift: NDArray[np.int64], half: NDArray[np.int64]) -> Floats:
    """(R, A, 3): for each row means over windows of `2 half + 1` angles around each angle plus `shift`, clipped at the ends.

    `sums` (R, A + 1, 3) are the running sums along each row.
    """
    count = sums.shape[1] - 1
    middle = np.arange(count) + shift[:, None]  # (R, A)
    low = np.clip(middle - half[:, None], 0, count - 1)
    high = np.clip(middle + half[:, None] + 1, 1, count)
    row = np.arange(len(sums))[:, None]
    return np.asarray((sums[row, high] - sums[row, low]) / np.maximum(high - low, 1)[..., None])
