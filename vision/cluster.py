"""Dials side by side: a needle near its stop in a cluster may be at rest, whatever the scale says there.

The instruments of a vehicle, a tractor or a control desk are switched off together, and their needles then lie on pins
a little beyond or before the first mark. One dial alone cannot tell a pin from a small value; a neighbour makes the
case likely enough that no such value is stated for sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vision.fields import Box

if TYPE_CHECKING:
    from vision.judge import Judged

AT_STOP, NEAR_STOP = 0.005, 0.06
"""Of the span of the numerals: nearer to the first of them than this, a needle may lie on its pin; at the mark it says so."""
GAP_OF_SIDE = 0.5
"""Boxes at most this share of the larger one's side apart belong to one cluster."""
AT_MOST = 0.8
"""Confidence of a value that a resting needle may have made."""
REMARK = "the needle stands near its stop beside other dials: it may be at rest"


def are_neighbours(first: Box, second: Box) -> bool:
    """Whether two boxes lie close together for their size, or overlap."""
    gap_x = max(first[0], second[0]) - min(first[2], second[2])
    gap_y = max(first[1], second[1]) - min(first[3], second[3])
    side = max(first[2] - first[0], first[3] - first[1], second[2] - second[0], second[3] - second[1])
    return max(gap_x, gap_y) <= GAP_OF_SIDE * side


def doubt_resting_needles(judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """The readings of one photo; values of needles near their stop in a cluster get a confidence of AT_MOST at the most."""
    return tuple(_doubted(one) if _may_rest(one) and _has_neighbour(one, judged) else one for one in judged)


def _may_rest(one: Judged) -> bool:
    along = one.signals.get("along")
    return one.reading.value is not None and along is not None and AT_STOP < abs(along) <= NEAR_STOP


def _has_neighbour(one: Judged, judged: Sequence[Judged]) -> bool:
    dials = (other.reading for other in judged if other is not one and other.reading.kind == "dial")
    return any(are_neighbours(one.reading.box, other.box) for other in dials)


def _doubted(one: Judged) -> Judged:
    reading = one.reading
    if reading.value_confidence <= AT_MOST:
        return one
    reason = REMARK if reading.reason is None else f"{reading.reason}; {REMARK}"
    return one._replace(reading=reading.model_copy(update={"value_confidence": AT_MOST, "reason": reason}))
