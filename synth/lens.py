"""The lens: where a pixel of the ideal pinhole picture lands once the lens has bent it, and back.

One radial term, after Brown (1966), "Decentering distortion of lenses": r' = r (1 + k r^2), with r in units of half
the picture's diagonal. Truth and renderers use this one function, so labels stay on what is seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.spec import Vec

Points = NDArray[np.float64]


def bend(points: list[Vec], distortion: float, width: int, height: int) -> list[Vec]:
    """Where ideal pixels are seen; `distortion` is k, positive pincushion, negative barrel, 0 none."""
    if distortion == 0.0 or not points:
        return points
    center, half = _frame(width, height)
    at = (np.asarray(points, np.float64) - center) / half
    bent = at * (1.0 + distortion * (at**2).sum(-1, keepdims=True))
    return [(float(x), float(y)) for x, y in bent * half + center]


def unbend(pixels: Points, distortion: float, width: int, height: int) -> Points:
    """Ideal pixels (..., 2) that are seen at `pixels`: what a renderer samples. Inverse of `bend` by fixed-point steps."""
    if distortion == 0.0:
        return pixels
    center, half = _frame(width, height)
    seen = (pixels - center) / half
    ideal = seen.copy()
    for _ in range(12):
        ideal = seen / (1.0 + distortion * (ideal**2).sum(-1, keepdims=True))
    inverse: Points = ideal * half + center
    return inverse


def _frame(width: int, height: int) -> tuple[Points, float]:
    return np.array([width / 2, height / 2]), float(np.hypot(width, height) / 2)
