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


PAINTS: tuple[Color, ...] = (
    (150, 150, 150),
    (196, 190, 170),
    (70, 110, 80),
    (60, 95, 140),
    (40, 70, 120),
    (150, 60, 45),
    (210, 170, 60),
    (120, 100, 80),
    (90, 120, 125),
    (160, 175, 160),
)
"""Machine greys, beige, green, blues, red oxide, safety yellow, wood brown, teal: what plants are painted with."""


def cloud(rng: Rng, amount: float, finest: int = 256, stretch: int = 1, steepness: float = 0.62) -> NDArray[np.float32]:
    """(side, side, 1) noise in which coarse shapes are strong and fine ones weak, as on walls and machines."""
    total: NDArray[np.float32] = np.zeros((3, 3), np.float32)
    cells, weight = 3, 1.0
    while cells <= finest and cells <= BANK_SIDE:
        grown = cv2.resize(total, (max(2, cells // stretch), cells), interpolation=cv2.INTER_LINEAR)
        total = grown + np.float32(weight) * rng.standard_normal(grown.shape, dtype=np.float32)
        cells, weight = cells * 2, weight * steepness
    total = cv2.resize(total, (BANK_SIDE, BANK_SIDE), interpolation=cv2.INTER_CUBIC)
    field: NDArray[np.float32] = (total * np.float32(amount))[..., None]
    return field


def surface(rng: Rng, color: Color, amount: float, finest: int = 256, stretch: int = 1) -> Image:
    """A colour with uneven light and grain."""
    base = np.asarray(color, np.float32) + cloud(rng, amount, finest, stretch)
    levels: Image = np.clip(base, 0, 255).astype(np.uint8)
    return levels


def muted(rng: Rng, low: float = 15, high: float = 170) -> Color:
    """A colour as painted machines and rooms have it: dark rather than pale, seldom saturated."""
    color: Color = PAINTS[int(rng.integers(len(PAINTS)))] if rng.random() < 0.8 else any_color(rng)
    level, part = float(rng.uniform(low, high)), float(rng.uniform(0.0, 0.9)) ** 1.3
    top = max(color)
    red, green, blue = (int(min(255.0, part * c * level * 1.5 / top + (1 - part) * level)) for c in color)
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
