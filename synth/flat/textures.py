"""Surfaces: noise with the spectrum of real ones, and what is made of it. All (side, side, 3) uint8 RGB."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.draw import any_color
from synth.spec import Color

Image = NDArray[np.uint8]
Rng = np.random.Generator
BANK_SIDE = 448


def cloud(rng: Rng, amount: float, finest: int = 256, stretch: int = 1, steepness: float = 0.62) -> NDArray[np.float32]:
    """(side, side, 1) noise in which coarse shapes are strong and fine ones weak, as on walls and machines."""
    total = np.zeros((BANK_SIDE, BANK_SIDE), np.float32)
    cells, weight = 3, 1.0
    while cells <= finest:
        field = rng.standard_normal((cells, max(2, cells // stretch))).astype(np.float32)
        total += np.float32(weight) * cv2.resize(field, (BANK_SIDE, BANK_SIDE), interpolation=cv2.INTER_CUBIC)
        cells, weight = cells * 2, weight * steepness
    return (total * np.float32(amount))[..., None]


def surface(rng: Rng, color: Color, amount: float, finest: int = 256, stretch: int = 1) -> Image:
    """A colour with uneven light and grain."""
    base = np.asarray(color, np.float32) + cloud(rng, amount, finest, stretch)
    levels: Image = np.clip(base, 0, 255).astype(np.uint8)
    return levels


def muted(rng: Rng, low: float = 15, high: float = 170) -> Color:
    """A colour as painted machines and rooms have it: dark rather than pale, seldom saturated."""
    color, level, part = any_color(rng), float(rng.uniform(low, high)), float(rng.uniform(0.0, 0.75)) ** 1.6
    top = max(color)
    red, green, blue = (int(min(255.0, part * c * level * 1.6 / top + (1 - part) * level)) for c in color)
    return red, green, blue


def warm(rng: Rng, low: float = 40, high: float = 210) -> Color:
    """Between tungsten light and daylight."""
    level, heat = float(rng.uniform(low, high)), float(rng.uniform(0.0, 0.5))
    return int(level), int(level * (1 - 0.28 * heat)), int(level * (1 - 0.75 * heat))


def light_from(rng: Rng, picture: Image, strength: float) -> Image:
    """The picture with one side in the dark."""
    turn = float(rng.uniform(0, 2 * np.pi))
    axis = np.linspace(-0.7, 0.7, BANK_SIDE, dtype=np.float32)
    ramp = 0.5 + np.cos(turn) * axis[None, :] / 1.4 + np.sin(turn) * axis[:, None] / 1.4
    shade = np.clip(255 * (1 - strength * ramp), 0, 255).astype(np.uint8)
    shaded: Image = cv2.multiply(picture, cv2.cvtColor(shade, cv2.COLOR_GRAY2RGB), scale=1 / 255)
    return shaded
