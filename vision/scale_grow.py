"""Scales that are not linear, grown numeral by numeral along a ring of printed numbers.

A hygrometer or a flow scale changes its steepness smoothly. From every pair of neighbours a chain is
grown upwards; the longest one that uses nearly all the numbers of its ring is the scale.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from vision.scale_parts import (
    COUNTER_CLOCKWISE_PRIOR,
    MAX_SWEEP_DEG,
    MIN_STEP_DEG,
    PlacedNumber,
    ScaleCandidate,
    ScaleNumeral,
)

MAX_BEND = math.log(3.5)
"""Steepness may change by this factor from one pair of numerals to the next."""
MAX_GAP_DEG = 90.0
BEND_COST = 0.2
RING_RATIO = 1.3
HEIGHT_RATIO = 1.8
EXPLAINED_SHARE = 0.75
MIN_NUMERALS = 4
CERTAIN = 0.5
"""Confidence from which a number must be explained: below it may be a stain or a scratch."""


def grow_scale(placed: Sequence[PlacedNumber]) -> ScaleCandidate | None:
    """The best chain of numbers as read with smoothly changing steepness; None where none uses its ring up."""
    best: ScaleCandidate | None = None
    for direction in (1.0, -1.0):
        for first, second in itertools.permutations(placed, 2):
            chain = _grow(placed, first, second, direction)
            if len(chain) < MIN_NUMERALS:
                continue
            prior = 1.0 if direction > 0 else COUNTER_CLOCKWISE_PRIOR
            score = prior * sum(numeral.weight for numeral in chain) - BEND_COST * _bends(chain)
            if best is None or score > best.score + 1e-9:
                best = ScaleCandidate(tuple(chain), direction > 0, False, score)
    return best if best is not None and _is_explained(best, placed) else None


def _grow(placed: Sequence[PlacedNumber], first: PlacedNumber, second: PlacedNumber, direction: float) -> list[ScaleNumeral]:
    """Upwards from two lowest neighbours, always to the nearest number that continues the scale."""
    step = direction * (second.angle_deg - first.angle_deg) % 360.0
    rising = second.mark.value > first.mark.value
    if not rising or not MIN_STEP_DEG <= step <= MAX_GAP_DEG or not _same_ring(first, second):
        return []
    chain = [_as_read(first, direction * first.angle_deg), _as_read(second, direction * first.angle_deg + step)]
    while True:
        last, before = chain[-1], chain[-2]
        slope = (last.angle_deg - before.angle_deg) / (last.value - before.value)
        nearest: ScaleNumeral | None = None
        for place in placed:
            if place.mark.value <= last.value or not _same_ring(last.place, place):
                continue
            gap = (direction * place.angle_deg - last.angle_deg) % 360.0
            angle = last.angle_deg + gap
            if not MIN_STEP_DEG <= gap <= MAX_GAP_DEG or angle - chain[0].angle_deg > MAX_SWEEP_DEG:
                continue
            bend = abs(math.log(gap / (place.mark.value - last.value) / slope))
            if bend <= MAX_BEND and (nearest is None or angle < nearest.angle_deg):
                nearest = _as_read(place, angle)
        if nearest is None:
            return chain
        chain.append(nearest)


def _as_read(place: PlacedNumber, angle_deg: float) -> ScaleNumeral:
    weight = place.mark.alternatives[0].weight * place.mark.confidence
    return ScaleNumeral(place, place.mark.value, weight, angle_deg)


def _same_ring(first: PlacedNumber, second: PlacedNumber) -> bool:
    radius = sorted((first.radius_px, second.radius_px))
    height = sorted((first.mark.height_px, second.mark.height_px))
    return radius[1] <= RING_RATIO * radius[0] and height[1] <= HEIGHT_RATIO * height[0]


def _bends(chain: Sequence[ScaleNumeral]) -> float:
    slopes = [(b.angle_deg - a.angle_deg) / (b.value - a.value) for a, b in itertools.pairwise(chain)]
    return sum(abs(math.log(b / a)) for a, b in itertools.pairwise(slopes))


def _is_explained(candidate: ScaleCandidate, placed: Sequence[PlacedNumber]) -> bool:
    """A grown scale has many freedoms: it must use most of the numbers of its ring."""
    radii = [numeral.place.radius_px for numeral in candidate.numerals]
    inner, outer = 0.85 * min(radii), 1.15 * max(radii)
    ring = [place for place in placed if inner <= place.radius_px <= outer and place.mark.confidence > CERTAIN]
    return len(candidate.numerals) >= EXPLAINED_SHARE * len(ring)
