"""Several looks at one instrument: the same picture turned and zoomed a little, and what they agree on.

A point that lies where it lies is found in every view of it; one that jumps with the view was not found. The mean over
the views is closer to the truth than one view, and what the views disagree on takes confidence away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from vision.crops import View
from vision.fields import POINT_NAMES, EvidencePoints, Point

SPREAD_OF_DIAL = 0.02
"""Distance of the views' points, as a share of the view's side, that halves their confidence."""


@dataclass(frozen=True)
class Look:
    """A change of the read view: turned by `roll_deg`, its side multiplied by `zoom`."""

    roll_deg: float
    zoom: float

    def of(self, view: View) -> View:
        return replace(view, side=view.side * self.zoom, roll_deg=view.roll_deg + self.roll_deg)


LOOKS = (Look(-7.0, 1.06), Look(7.0, 0.96))


class Places(NamedTuple):
    """The evidence points that one view gives, in pixels of the image and in the order of POINT_NAMES, and their masses."""

    points: tuple[Point, ...]
    mass: tuple[float, ...]


class Agreed(NamedTuple):
    """What the views agree on: points in the image, and for each the mass, less where the views differ.

    `spread` is the median distance of the views' points from the middle one, in pixels of the image.
    """

    points: EvidencePoints
    confidence: dict[str, float]
    spread: dict[str, float]


def agree(views: Sequence[Places]) -> Agreed:
    """The mean of the views' points, weighted by their mass; a view that stands alone against two others is left out."""
    points: dict[str, Point] = {}
    confidence: dict[str, float] = {}
    spreads: dict[str, float] = {}
    side = _extent(views[0])
    for index, name in enumerate(POINT_NAMES):
        places = np.array([view.points[index] for view in views])
        mass = np.array([view.mass[index] for view in views])
        middle = places[int(np.argmin([np.median(np.linalg.norm(places - place, axis=1)) for place in places]))]
        away = np.linalg.norm(places - middle, axis=1)
        near = away <= 2.0 * SPREAD_OF_DIAL * side
        weight = mass * near + 1e-9
        center = (places * weight[:, None]).sum(0) / weight.sum()
        points[name] = (float(center[0]), float(center[1]))
        spread = float(np.median(away[away > 0])) if len(views) > 1 and (away > 0).any() else 0.0
        spreads[name] = spread
        share = float(near.mean())
        confidence[name] = float(mass[near].mean()) * share / (1.0 + (spread / (SPREAD_OF_DIAL * side)) ** 2)
    return Agreed(EvidencePoints(**points), confidence, spreads)


def _extent(view: Places) -> float:
    """A length that goes with the instrument's size: twice the distance from the pivot to the farthest point."""
    pivot = view.points[POINT_NAMES.index("pivot")]
    return max(2.0 * max(math.dist(pivot, point) for point in view.points), 1.0)
