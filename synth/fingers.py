"""Fingers that reach into the picture: where they lie, for the renderers that draw them and the truth that they hide."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from synth.draw import Rng
from synth.scene import GaugeScene
from synth.spec import Vec


class Finger(NamedTuple):
    """A thick stroke with round ends, in pixels: from its tip to a point outside the picture."""

    tip: Vec
    far: Vec
    thickness: float


def finger_rng(scene: GaugeScene) -> Rng:
    """The generator that fixes a scene's fingers."""
    return np.random.default_rng([scene.seed, 99])


def sample_fingers(rng: Rng, width: int, height: int) -> tuple[Finger, ...]:
    """One to three fingers or a thumb from an edge of the picture."""
    side = float(rng.uniform(0, 2 * math.pi))
    found = []
    for _ in range(int(rng.integers(1, 4))):
        turn = side + float(rng.normal(0, 0.35))
        reach = min(width, height) * float(rng.uniform(0.36, 0.46))
        tip = (width / 2 + reach * math.cos(turn), height / 2 + reach * math.sin(turn))
        far = (width / 2 + 3 * reach * math.cos(turn + 0.15), height / 2 + 3 * reach * math.sin(turn + 0.15))
        found.append(Finger(tip, far, min(width, height) * float(rng.uniform(0.08, 0.13))))
    return tuple(found)


def covers(finger: Finger, point: Vec) -> bool:
    """Whether a point of the picture lies under the finger."""
    (x0, y0), (x1, y1) = finger.tip, finger.far
    dx, dy = x1 - x0, y1 - y0
    along = min(max(((point[0] - x0) * dx + (point[1] - y0) * dy) / (dx * dx + dy * dy), 0.0), 1.0)
    return math.hypot(point[0] - x0 - along * dx, point[1] - y0 - along * dy) <= finger.thickness / 2
