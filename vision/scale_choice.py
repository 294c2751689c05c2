"""Which of a face's scales is stated: the best supported one, or the face's primary one where the two say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from vision.scale_parts import ScaleCandidate
from vision.units import UnitError, compatible, convert

if TYPE_CHECKING:
    from vision.scale_witness import ScaleWitness

DISAGREEMENT = 0.6
LARGER_NUMERALS = 1.15
"""Ratio of heights: boxes of text are that exact."""
PRIMARY_SHARE = 0.75
"""Least confidence of the face's primary scale to that of the best supported one, of which it takes the place."""
UNIT_BONUS = 0.15


def choose(witnesses: Sequence[ScaleWitness]) -> ScaleWitness:
    """The best supported scale that the needle is on; the others stay as witnesses beside it."""
    best, *others = sorted(witnesses, key=_rank, reverse=True)
    primary = [other for other in others if _agrees(best, other) is True and _is_primary(other, best)]
    if primary:  # both scales say the same: the one that the face means to be read is given
        others = [best if other is primary[0] else other for other in others]
        best = primary[0]
    for other in others:
        agrees = _agrees(best, other)
        if agrees is True:
            together = 1.0 - (1.0 - best.confidence) * (1.0 - 0.6 * other.confidence)
            best = best._replace(confidence=together)
        elif agrees is False and other.confidence > 0.6 * best.confidence:
            best = best._replace(confidence=best.confidence * DISAGREEMENT)
    return best._replace(others=tuple(others))


def _is_primary(other: ScaleWitness, best: ScaleWitness) -> bool:
    """Whether a scale has clearly larger numerals than the best supported one, or lies further out with numerals as large."""
    if other.candidate is None or best.candidate is None or other.confidence < PRIMARY_SHARE * best.confidence:
        return False
    height, radius = _size(other.candidate)
    best_height, best_radius = _size(best.candidate)
    larger = height / best_height
    return larger > LARGER_NUMERALS or (larger > 1.0 / LARGER_NUMERALS and radius > best_radius)


def _size(candidate: ScaleCandidate) -> tuple[float, float]:
    """Height of its numerals and their distance from the pivot, in pixels."""
    places = [numeral.place for numeral in candidate.numerals]
    return float(np.median([place.mark.height_px for place in places])), float(np.median([place.radius_px for place in places]))


def _rank(witness: ScaleWitness) -> float:
    if witness.value is None:
        return -1.0 + 0.01 * len(witness.numerals)
    return witness.confidence + (UNIT_BONUS if witness.unit is not None else 0.0)


def _agrees(first: ScaleWitness, second: ScaleWitness) -> bool | None:
    """Whether two scales say the same; None where they cannot be compared."""
    if first.value is None or first.value_low is None or first.value_high is None:
        return None
    if second.value is None or second.value_low is None or second.value_high is None:
        return None
    own, other = first.printed_unit, second.printed_unit
    if own is None or other is None or own == other or not compatible(own, other):
        return None
    try:
        low, middle, high = (convert(v, other, own) for v in (second.value_low, second.value, second.value_high))
    except UnitError:
        return None
    half = 0.5 * (first.value_high - first.value_low) + 0.5 * (high - low)
    return abs(middle - first.value) <= 1.5 * half
