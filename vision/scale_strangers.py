"""Numbers on a scale's ring that are not its own: another scale begins there, or a chain runs through two."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.scale_parts import PlacedNumber, ScaleCandidate, printed_step, unwrap

SURE_NEIGHBOUR, ALIKE, SAME_RING, READ_AGAIN = 0.8, 1.8, 1.2, 0.8
"""A number of another scale on the same ring: how surely read, how like this scale's in height and distance, and how near,
in heights, to a numeral of the scale it is but another reading of that."""
OFF_STEP = 0.25
"""Of the printed step."""


def strangers_on_ring(candidate: ScaleCandidate, placed: Sequence[PlacedNumber]) -> list[float]:
    """Where on its ring, in degrees along the scale, numbers as large and as surely read stand that are not the scale's."""
    middle = 0.5 * (candidate.angles_deg[0] + candidate.angles_deg[-1])
    used = [numeral.place for numeral in candidate.numerals]
    found = []
    for place in placed:
        read_again = any(math.dist(place.mark.center, own.mark.center) < READ_AGAIN * own.mark.height_px for own in used)
        if place.mark.confidence < SURE_NEIGHBOUR or read_again:
            continue
        angle = unwrap(candidate.direction * place.angle_deg, middle, middle)
        near = min(candidate.numerals, key=lambda numeral: abs(numeral.angle_deg - angle)).place
        alike = max(place.mark.height_px, near.mark.height_px) <= ALIKE * min(place.mark.height_px, near.mark.height_px)
        on_ring = max(place.radius_px, near.radius_px) <= SAME_RING * min(place.radius_px, near.radius_px)
        if alike and on_ring:
            found.append(angle)
    return found


def strangers_among(candidate: ScaleCandidate, strangers: Sequence[float]) -> int:
    """How many of them stand between the scale's numerals, off its steps: on a step it is the scale's own, misread."""
    values, angles = candidate.values, candidate.angles_deg
    step_deg = printed_step(values) * (angles[-1] - angles[0]) / (values[-1] - values[0])
    steps = [(angle - angles[0]) / step_deg for angle in strangers if angles[0] < angle < angles[-1]]
    return sum(abs(along - round(along)) > OFF_STEP for along in steps)


def other_scale_beyond(candidate: ScaleCandidate, needle_deg: float, strangers: Sequence[float]) -> bool:
    """Whether another scale's numbers stand where the needle points beyond this one.

    So it is on the other half of a compound gauge: psi go on where inches of mercury end.
    """
    low, high = candidate.angles_deg[0], candidate.angles_deg[-1]
    reach = 2.0 * (high - low) / max(len(candidate.angles_deg) - 1, 1)
    if needle_deg > high:
        return any(high < angle <= high + reach for angle in strangers)
    return any(low - reach <= angle < low for angle in strangers)
