"""How well a probability ranks values, and how many of them can be stated at which risk."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eval.score import NAN, Number
from vision.fields import Contract

Floats = NDArray[np.float64]
RISK_LEVELS = (0.99, 0.95, 0.9, 0.8)
"""Shares of stated values that shall be right."""


class RiskPoint(Contract):
    """At the probability threshold that keeps stated values right with a share of `level`: how many values are stated.

    `coverage` is the share of all instruments with a true value; NaN threshold where no threshold reaches the level.
    """

    level: float
    threshold: Number
    coverage: Number
    right: Number


def auroc(scores: Floats, right: NDArray[np.bool_]) -> float:
    """Probability that a right value scores above a wrong one, ties half; NaN where one of the two is missing."""
    good, bad = scores[right], scores[~right]
    if not len(good) or not len(bad):
        return NAN
    above = (good[:, None] > bad[None, :]).mean() + 0.5 * (good[:, None] == bad[None, :]).mean()
    return float(above)


def coverage_at(scores: Floats, right: NDArray[np.bool_], total: int, level: float) -> RiskPoint:
    """The most values that can be stated, best first, with a share of `level` of them right; equal scores go together."""
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(right[order])
    best = 0
    for count in range(1, len(order) + 1):
        last_of_ties = count == len(order) or ranked[count] < ranked[count - 1]
        if last_of_ties and hits[count - 1] >= level * count:
            best = count
    if not best or not total:
        return RiskPoint(level=level, threshold=NAN, coverage=0.0, right=NAN)
    share = float(hits[best - 1]) / best
    return RiskPoint(level=level, threshold=float(ranked[best - 1]), coverage=best / total, right=share)


def at_threshold(scores: Floats, right: NDArray[np.bool_], total: int, threshold: float) -> RiskPoint:
    """Coverage and share right of the values from a threshold on; `level` repeats the share right, 0 where none is left."""
    kept = scores >= threshold
    share = float(right[kept].mean()) if kept.any() else NAN
    coverage = float(kept.sum()) / total if total else NAN
    return RiskPoint(level=0.0 if math.isnan(share) else share, threshold=threshold, coverage=coverage, right=share)
