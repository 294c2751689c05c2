"""Which printed numbers form a scale: consensus over the numbers on a face.

A face carries one or two scales, and besides them serial numbers, dates and class marks. Two numbers
propose a linear scale (clockwise or counter-clockwise); the numbers that lie where it puts them support
it, if they also lie on the same ring about the pivot. Scales that are not linear are grown numeral by
numeral. What supports no scale is left alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.fields import Point
from vision.printed_numbers import NumberMark
from vision.scale_curve import robust_line

Floats = NDArray[np.float64]

PAIR_TOLERANCE_DEG = 9.0
"""How far perspective may move a numeral from where two others put it on a linear scale."""
RING_RATIO = 1.45
"""Distances from the pivot within one scale: tilt and a wrong pivot spread them, a second scale is further off."""
HEIGHT_RATIO = 2.2
MIN_STEP_DEG = 5.0
MAX_STEP_DEG = 150.0
MAX_SWEEP_DEG = 359.0
COUNTER_CLOCKWISE_PRIOR = 0.93
MAX_BEND = math.log(3.5)
"""Steepness of a non-linear scale may change by this factor from one numeral to the next."""
MAX_SCALES = 4


class PlacedNumber(NamedTuple):
    """A mark as seen from the pivot: direction (degrees clockwise from 6 o'clock) and distance (px)."""

    mark: NumberMark
    angle_deg: float
    radius_px: float


class ScaleNumeral(NamedTuple):
    """A mark with the value it has on a scale; `angle_deg` is unwrapped and grows with the value."""

    place: PlacedNumber
    value: float
    weight: float
    angle_deg: float


class ScaleCandidate(NamedTuple):
    """Numerals, in order of value, that form one scale; `linear` False where it was grown step by step."""

    numerals: tuple[ScaleNumeral, ...]
    clockwise: bool
    linear: bool
    score: float

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(numeral.value for numeral in self.numerals)


def clock_angle(pivot: Point, point: Point) -> float:
    """Direction from `pivot` to `point` in degrees clockwise from 6 o'clock, in [0, 360)."""
    return math.degrees(math.atan2(-(point[0] - pivot[0]), point[1] - pivot[1])) % 360.0


def place_numbers(marks: Sequence[NumberMark], pivot: Point) -> tuple[PlacedNumber, ...]:
    """The marks as seen from the pivot."""
    return tuple(PlacedNumber(mark, clock_angle(pivot, mark.center), math.dist(pivot, mark.center)) for mark in marks)


def find_scales(placed: Sequence[PlacedNumber]) -> tuple[ScaleCandidate, ...]:
    """The scales of a face, best supported first; empty where no three numbers agree."""
    remaining = list(placed)
    scales: list[ScaleCandidate] = []
    while len(remaining) >= 3 and len(scales) < MAX_SCALES:
        best = _best_linear(remaining)
        grown = _best_grown(remaining)
        if (
            grown is not None
            and (best is None or len(grown.numerals) >= len(best.numerals) + 2)
            and _is_explained(grown, remaining)
        ):
            best = grown
        if best is None:
            break
        scales.append(best)
        used = {id(numeral.place) for numeral in best.numerals if numeral.value != 0.0}
        remaining = [place for place in remaining if id(place) not in used]
    return tuple(scales)


class _Table(NamedTuple):
    """All alternatives of all marks as columns."""

    owner: NDArray[np.intp]
    value: Floats
    weight: Floats
    angle: Floats
    radius: Floats
    height: Floats


def _table(placed: Sequence[PlacedNumber]) -> _Table:
    rows = [
        (
            index,
            alternative.value,
            alternative.weight * max(0.2, place.mark.confidence),
            place.angle_deg,
            place.radius_px,
            place.mark.height_px,
        )
        for index, place in enumerate(placed)
        for alternative in place.mark.alternatives
    ]
    columns = np.asarray(rows, float).T
    return _Table(columns[0].astype(np.intp), *columns[1:])


def _best_linear(placed: Sequence[PlacedNumber]) -> ScaleCandidate | None:
    table = _table(placed)
    best: ScaleCandidate | None = None
    strong = np.flatnonzero(table.weight >= 0.2)
    for first in strong:
        for second in strong:
            if table.owner[first] >= table.owner[second] or table.value[first] == table.value[second]:
                continue
            if not _alike(table, int(first), int(second)):
                continue
            apart = (table.angle[second] - table.angle[first]) % 360.0
            for sweep in (apart, apart - 360.0):
                if abs(sweep) < MIN_STEP_DEG:
                    continue
                candidate = _support(table, placed, int(first), sweep / (table.value[second] - table.value[first]))
                if candidate is not None and (best is None or candidate.score > best.score + 1e-9):
                    best = candidate
    return best


def _alike(table: _Table, first: int, second: int) -> bool:
    radius = table.radius[[first, second]]
    height = table.height[[first, second]]
    return bool(radius.max() <= RING_RATIO * radius.min() and height.max() <= HEIGHT_RATIO * height.min())


def _support(table: _Table, placed: Sequence[PlacedNumber], anchor: int, slope: float) -> ScaleCandidate | None:
    """The marks that a line through `anchor` with `slope` (degrees clockwise per unit) explains."""
    expected = table.angle[anchor] + slope * (table.value - table.value[anchor])  # unwrapped, clockwise
    off = (table.angle - expected + 180.0) % 360.0 - 180.0
    ring = np.maximum(table.radius, table.radius[anchor]) <= RING_RATIO * np.minimum(table.radius, table.radius[anchor])
    size = np.maximum(table.height, table.height[anchor]) <= HEIGHT_RATIO * np.minimum(table.height, table.height[anchor])
    near = (np.abs(off) <= PAIR_TOLERANCE_DEG) & ring & size & (np.abs(expected - table.angle[anchor]) < 360.0)
    if np.unique(table.owner[near]).size < 3:
        return None
    gain = np.where(near, table.weight * (1.0 - 0.5 * (off / PAIR_TOLERANCE_DEG) ** 2), 0.0)
    chosen: dict[int, int] = {}
    by_value: dict[float, int] = {}
    for row in sorted(np.flatnonzero(near), key=lambda row: -gain[row]):
        owner, value = int(table.owner[row]), float(table.value[row])
        if owner not in chosen and value not in by_value:
            chosen[owner] = by_value[value] = int(row)
    rows = _within_one_turn(sorted(by_value.values(), key=lambda row: table.value[row]), expected, gain)
    if len(rows) < 3:
        return None
    clockwise = slope > 0
    direction = 1.0 if clockwise else -1.0
    numerals = tuple(
        ScaleNumeral(
            placed[int(table.owner[row])],
            float(table.value[row]),
            float(table.weight[row]),
            direction * float(expected[row] + off[row]),
        )
        for row in rows
    )
    if any(b.angle_deg - a.angle_deg < MIN_STEP_DEG / 2 for a, b in zip(numerals, numerals[1:], strict=False)):
        numerals = _drop_crowded(numerals)
        if len(numerals) < 3:
            return None
    support = sum(gain[row] for row in rows)
    score = support * math.sqrt(completeness([n.value for n in numerals])) * (1.0 if clockwise else COUNTER_CLOCKWISE_PRIOR)
    if not MIN_STEP_DEG <= _angular_step(numerals) <= MAX_STEP_DEG:
        return None
    return ScaleCandidate(numerals, clockwise, True, float(score))


def _within_one_turn(rows: list[int], expected: Floats, gain: Floats) -> list[int]:
    """The best supported stretch of rows (in order of value) that spans less than a full turn."""
    best: list[int] = []
    best_gain = 0.0
    for start in range(len(rows)):
        stretch = [row for row in rows[start:] if abs(expected[row] - expected[rows[start]]) <= MAX_SWEEP_DEG]
        total = float(sum(gain[row] for row in stretch))
        if total > best_gain:
            best, best_gain = stretch, total
    return best


def _drop_crowded(numerals: tuple[ScaleNumeral, ...]) -> tuple[ScaleNumeral, ...]:
    """Of two numerals at nearly one angle (out of order, or one place read twice) keep the heavier."""
    kept: list[ScaleNumeral] = []
    for numeral in numerals:
        if kept and numeral.angle_deg - kept[-1].angle_deg < MIN_STEP_DEG / 2:
            if numeral.weight > kept[-1].weight:
                kept[-1] = numeral
        else:
            kept.append(numeral)
    return tuple(kept)


def printed_step(values: Sequence[float]) -> float:
    """The step that the numerals of a scale are printed in: the largest that divides all differences.

    Values come from print with few digits, so this is Euclid's algorithm with a tolerance of a hundredth
    of the smallest difference.
    """
    ordered = sorted(values)
    differences = [b - a for a, b in zip(ordered, ordered[1:], strict=False) if b > a]
    tolerance = 0.01 * min(differences)
    step = differences[0]
    for difference in differences[1:]:
        first, second = max(step, difference), min(step, difference)
        while second > tolerance:
            first, second = second, first - second * round(first / second)
            second = abs(second)
        step = first
    return step


def completeness(values: Sequence[float]) -> float:
    """Share of the printed steps between the outermost numerals that were read, in (0, 1]."""
    return min(1.0, len(values) / (round((max(values) - min(values)) / printed_step(values)) + 1))


def _angular_step(numerals: Sequence[ScaleNumeral]) -> float:
    values = np.asarray([numeral.value for numeral in numerals])
    slope, _ = robust_line(values, np.asarray([numeral.angle_deg for numeral in numerals]))
    return slope * printed_step(list(values))


def _best_grown(placed: Sequence[PlacedNumber]) -> ScaleCandidate | None:
    """The longest scale that changes its steepness smoothly, with values as read."""
    best: ScaleCandidate | None = None
    for direction in (1.0, -1.0):
        for first in placed:
            for second in placed:
                chain = _grow(placed, first, second, direction)
                if len(chain) < 4:
                    continue
                score = sum(c.weight for c in chain) * (1.0 if direction > 0 else COUNTER_CLOCKWISE_PRIOR) - 0.2 * _bends(chain)
                if best is None or score > best.score + 1e-9:
                    best = ScaleCandidate(tuple(chain), direction > 0, False, score)
    return best


def _grow(placed: Sequence[PlacedNumber], first: PlacedNumber, second: PlacedNumber, direction: float) -> list[ScaleNumeral]:
    """Upwards from two lowest neighbours, always to the nearest mark that continues the scale."""
    step = direction * (second.angle_deg - first.angle_deg) % 360.0
    if second.mark.value <= first.mark.value or not MIN_STEP_DEG <= step <= 90.0 or not _same_ring(first, second):
        return []
    chain = [_as_read(first, direction * first.angle_deg), _as_read(second, direction * first.angle_deg + step)]
    while True:
        last, before = chain[-1], chain[-2]
        slope = (last.angle_deg - before.angle_deg) / (last.value - before.value)
        following: tuple[float, ScaleNumeral] | None = None
        for place in placed:
            if place.mark.value <= last.value or not _same_ring(last.place, place):
                continue
            gap = (direction * place.angle_deg - last.angle_deg) % 360.0
            angle = last.angle_deg + gap
            if not MIN_STEP_DEG <= gap <= 90.0 or angle - chain[0].angle_deg > MAX_SWEEP_DEG:
                continue
            bend = abs(math.log(gap / (place.mark.value - last.value) / slope))
            if bend <= MAX_BEND and (following is None or gap < following[0]):
                following = (gap, _as_read(place, angle))
        if following is None:
            return chain
        chain.append(following[1])


def _as_read(place: PlacedNumber, angle_deg: float) -> ScaleNumeral:
    return ScaleNumeral(place, place.mark.value, place.mark.alternatives[0].weight * place.mark.confidence, angle_deg)


def _same_ring(first: PlacedNumber, second: PlacedNumber) -> bool:
    radius = sorted((first.radius_px, second.radius_px))
    height = sorted((first.mark.height_px, second.mark.height_px))
    return radius[1] <= 1.3 * radius[0] and height[1] <= 1.8 * height[0]


def _bends(chain: Sequence[ScaleNumeral]) -> float:
    slopes = [(b.angle_deg - a.angle_deg) / (b.value - a.value) for a, b in zip(chain, chain[1:], strict=False)]
    return sum(abs(math.log(b / a)) for a, b in zip(slopes, slopes[1:], strict=False))


def _is_explained(candidate: ScaleCandidate, placed: Sequence[PlacedNumber]) -> bool:
    """A grown scale has many freedoms: it must use most of the numbers of its ring within its sweep."""
    radii = [numeral.place.radius_px for numeral in candidate.numerals]
    ring = [
        place for place in placed if 0.85 * min(radii) <= place.radius_px <= 1.15 * max(radii) and place.mark.confidence > 0.5
    ]
    return len(candidate.numerals) >= 0.75 * len(ring)
