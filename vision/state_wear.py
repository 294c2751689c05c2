"""What light, lens and what stands before it do to crops of lamps and selectors in training."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import Pixels
from vision.fields import Contract


class StateJitter(Contract):
    """Errors of boxes (deviations, as shares of the box's longer side or of a logarithm) and of light, as shares of crops.

    A share `wild_share` of the boxes is off by `wild` times as much.
    """

    shift: float = 0.035
    size: float = 0.1
    wild_share: float = 0.0
    wild: float = 2.5
    roll_deg: float = 4.0
    exposure_share: float = 0.5
    coarse_share: float = 0.2
    blur_share: float = 0.25
    noise_share: float = 0.25
    glare_share: float = 0.12
    cover_share: float = 0.12


def worn_state(rng: np.random.Generator, crop: Pixels, jitter: StateJitter, noise: NDArray[np.float32]) -> Pixels:
    """The crop in a somewhat different light, coarser, less sharp, with noise, glare or something over a part of it.

    `noise` is a store of normal numbers, at least twice as long as the crop.
    """
    size = crop.shape[0]
    picture = crop
    if rng.random() < jitter.coarse_share:
        small = max(12, round(size * math.exp(rng.uniform(math.log(0.14), math.log(0.8)))))
        reduced = cv2.resize(picture, (small, small), interpolation=cv2.INTER_AREA)
        picture = np.asarray(cv2.resize(reduced, (size, size), interpolation=cv2.INTER_LINEAR), np.uint8)
    if rng.random() < jitter.blur_share:
        sigmas = np.exp(rng.uniform(math.log(0.4), math.log(3.0))) * np.exp(rng.normal(0.0, 0.3, 2))
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(sigmas[0]), sigmaY=float(sigmas[1])), np.uint8)
    if rng.random() < jitter.exposure_share:
        levels = np.arange(256, dtype=np.float32) / 255.0
        gains = math.exp(rng.normal(0.0, 0.15)) * np.exp(rng.normal(0.0, 0.05, 3))
        gamma, contrast = math.exp(rng.normal(0.0, 0.2)), math.exp(rng.normal(0.0, 0.15))
        curve = (np.clip(levels[:, None] * gains, 0.0, 1.0) ** gamma - 0.5) * contrast + 0.5
        table = np.asarray(np.clip(255.0 * curve, 0, 255), np.uint8).reshape(256, 1, 3)
        picture = np.asarray(cv2.LUT(picture, table), np.uint8)
    if rng.random() < jitter.glare_share:
        picture = _with_glare(rng, picture)
    if rng.random() < jitter.cover_share:
        picture = _covered(rng, picture)
    if rng.random() < jitter.noise_share:
        start = int(rng.integers(0, len(noise) - picture.size))
        grain = noise[start : start + picture.size].reshape(picture.shape) * float(rng.uniform(2.0, 16.0))
        picture = np.asarray(np.clip(picture + grain, 0, 255), np.uint8)
    return picture


def _with_glare(rng: np.random.Generator, picture: Pixels) -> Pixels:
    size = picture.shape[0]
    x, y = rng.uniform(0.1, 0.9, 2) * size
    radius = rng.uniform(0.06, 0.3) * size
    columns, rows = np.arange(size, dtype=np.float32)[None, :], np.arange(size, dtype=np.float32)[:, None]
    spot = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * radius**2))[..., None] * float(rng.uniform(0.3, 1.0))
    return np.asarray(np.clip(picture + (255.0 - picture) * spot, 0, 255), np.uint8)


def _covered(rng: np.random.Generator, picture: Pixels) -> Pixels:
    """A plain stripe or patch over a part: a cable, a finger, an edge."""
    size = picture.shape[0]
    covered = picture.copy()
    middle, turn = rng.uniform(0.0, 1.0, 2) * size, rng.uniform(0.0, math.pi)
    along, across = rng.uniform(0.15, 0.9) * size, rng.uniform(0.05, 0.3) * size
    rotated = cv2.boxPoints(((float(middle[0]), float(middle[1])), (float(along), float(across)), float(math.degrees(turn))))
    color = tuple(int(level) for level in rng.integers(0, 256, 3))
    cv2.fillPoly(covered, [np.asarray(rotated, np.int32)], color)
    return covered
