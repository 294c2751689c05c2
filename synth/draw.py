"""Small tools of the sampler: weighted choice, chance, colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from synth.spec import Color

T = TypeVar("T")
K = TypeVar("K", bound=str)
Rng = np.random.Generator


def chance(rng: Rng, share: float) -> bool:
    return bool(rng.random() < share)


def pick(rng: Rng, items: Sequence[T]) -> T:
    return items[int(rng.integers(len(items)))]


def weighted(rng: Rng, weights: Mapping[K, float]) -> K:
    """A key drawn in proportion to its weight."""
    names = list(weights)
    shares = np.array([weights[n] for n in names], np.float64)
    return names[int(rng.choice(len(names), p=shares / shares.sum()))]


def between(rng: Rng, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def near(rng: Rng, color: Color, spread: float = 8.0) -> Color:
    """A colour close to the given one."""
    red, green, blue = (int(np.clip(c + rng.normal(0, spread), 0, 255)) for c in color)
    return red, green, blue


def gray(rng: Rng, low: float, high: float, tint: float = 4.0) -> Color:
    """A nearly neutral colour between two levels."""
    level = int(rng.uniform(low, high))
    return near(rng, (level, level, level), tint)


def any_color(rng: Rng) -> Color:
    red, green, blue = (int(c) for c in rng.integers(10, 245, 3))
    return red, green, blue


def luma(color: Color) -> float:
    return 0.3 * color[0] + 0.59 * color[1] + 0.11 * color[2]


HUES: dict[str, Color] = {
    "red": (205, 35, 35),
    "orange": (240, 110, 30),
    "yellow": (235, 200, 40),
    "green": (40, 150, 70),
    "blue": (35, 80, 170),
    "white": (240, 240, 238),
    "black": (20, 20, 22),
}
