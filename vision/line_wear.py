"""What happens to a line of print on its way to the reader: places a little off, other light, less sharpness, noise, glare."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fields import Contract
from vision.line_crop import LinePlace, Pixels


class LineJitter(Contract):
    """Errors of places and of light; lengths as shares of the letters' height.

    `slant` and `stretch` are deviations of the shear along the line and of the logarithm of its width; `shade_share` is that
    of faint print under reflections.
    """

    height_low: float = 0.7
    height_high: float = 1.6
    along: float = 0.35
    across: float = 0.16
    angle_deg: float = 5.0
    invert_share: float = 0.3
    blur_share: float = 0.4
    coarse_share: float = 0.3
    noise_share: float = 0.4
    glare_share: float = 0.15
    slant: float = 0.0
    stretch: float = 0.0
    tint_share: float = 0.0
    shade_share: float = 0.0


def jittered(rng: np.random.Generator, place: LinePlace, jitter: LineJitter, *, sure: bool = True) -> LinePlace:
    """The place as somebody else would state it: a little off, too large or too small, turned."""
    low, high = (jitter.height_low, jitter.height_high) if sure else (0.85, 1.2)
    height = place.height_px * float(np.exp(rng.uniform(math.log(low), math.log(high))))
    along = float(np.clip(rng.normal(0.0, jitter.along), -0.9, 0.9)) * place.height_px
    across = float(np.clip(rng.normal(0.0, jitter.across), -0.35, 0.35)) * place.height_px
    turn = math.radians(place.angle_deg)
    x = place.center[0] + along * math.cos(turn) - across * math.sin(turn)
    y = place.center[1] + along * math.sin(turn) + across * math.cos(turn)
    if rng.random() < 0.5:  # a heat map knows its places to a cell
        x, y = round(x), round(y)
    width = place.width_px * float(np.exp(rng.uniform(-0.25, 0.35)))
    angle = place.angle_deg + float(np.clip(rng.normal(0.0, jitter.angle_deg), -12.0, 12.0))
    return LinePlace((x, y), height, width, angle)


def worn(rng: np.random.Generator, crop: Pixels, jitter: LineJitter) -> Pixels:
    """The crop in another light, less sharp, coarser, with noise; leaning and tinted where the jitter says so."""
    picture: NDArray[Any] = crop.astype(np.float32)
    height, width = crop.shape[:2]
    if jitter.slant or jitter.stretch:
        picture = _sheared(picture, float(rng.normal(0.0, jitter.slant)), float(np.exp(rng.normal(0.0, jitter.stretch))))
    if crop.ndim == 3 and rng.random() < jitter.tint_share:
        gray = picture.mean(axis=2, keepdims=True)
        picture = (gray + float(rng.uniform(0.0, 1.0)) * (picture - gray)) * np.exp(rng.normal(0.0, 0.2, 3)).astype(np.float32)
    if rng.random() < jitter.coarse_share:
        factor = float(rng.uniform(0.4, 0.9))
        small = cv2.resize(picture, (max(8, round(width * factor)), max(6, round(height * factor))), interpolation=cv2.INTER_AREA)
        picture = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    if rng.random() < jitter.blur_share:
        sigmas = rng.uniform(0.2, 1.5, 2)
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(sigmas[0]), sigmaY=float(sigmas[1])), np.float32)
    if rng.random() < jitter.invert_share:
        picture = 255.0 - picture
    if rng.random() < 0.5:
        picture = 255.0 * (np.clip(picture, 0, 255) / 255.0) ** float(np.exp(rng.uniform(-0.5, 0.5)))
    if rng.random() < jitter.glare_share:
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        radius = rng.uniform(8.0, 60.0)
        columns, rows = np.arange(width)[None, :], np.arange(height)[:, None]
        spot = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * radius**2))
        spot = spot if crop.ndim == 2 else spot[..., None]
        picture = picture + (255.0 - picture) * spot * float(rng.uniform(0.2, 0.85))
    if rng.random() < 0.5:
        contrast = float(rng.uniform(0.25, 1.0))
        picture = contrast * picture + float(rng.uniform(0.0, 255.0 * (1.0 - contrast)))
    if rng.random() < jitter.noise_share:
        # Against the contrast that is left: what nobody could see teaches nothing.
        spread = float(rng.uniform(0.02, 0.4)) * float(picture.std()) + 1.0
        picture = picture + rng.normal(0.0, spread, picture.shape)
    if jitter.shade_share and rng.random() < jitter.shade_share:
        picture = _shaded(rng, picture)
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def _shaded(rng: np.random.Generator, picture: NDArray[Any]) -> NDArray[Any]:
    """Faint print with light over it that has an edge, as behind a window that reflects: the edge outweighs the print."""
    height, width = picture.shape[:2]
    columns, rows = np.arange(width)[None, :] - width / 2.0, np.arange(height)[:, None] - height / 2.0
    faint = float(np.exp(rng.uniform(math.log(0.08), math.log(0.6))))
    light = np.zeros((height, width))
    for _ in range(int(rng.integers(1, 3))):
        turn, offset, soft_px = rng.uniform(0.0, 2.0 * math.pi), rng.uniform(-0.4, 0.4) * width, np.exp(rng.uniform(-0.7, 3.5))
        across = (columns - offset) * math.cos(turn) + rows * math.sin(turn)
        light += rng.uniform(0.5, 3.0) / (1.0 + np.exp(-np.clip(across / soft_px, -30.0, 30.0)))
    light = (light - light.mean()) * faint * float(picture.std())
    base = float(np.clip(picture.mean(), 40.0, 215.0))
    result: NDArray[Any] = base + faint * (picture - picture.mean()) + (light if picture.ndim == 2 else light[..., None])
    return result


def _sheared(picture: NDArray[Any], slant: float, stretch: float) -> NDArray[Any]:
    height, width = picture.shape[:2]
    x, y = width / 2.0, height / 2.0
    matrix = np.array([[stretch, slant, x - stretch * x - slant * y], [0.0, 1.0, 0.0]])
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(picture, matrix, (width, height), flags=how, borderMode=cv2.BORDER_REPLICATE), np.float32)
