"""Which printed numbers form a scale: consensus over the numbers on a face.

A face carries one or two scales, and besides them serial numbers, dates and class marks. Two numbers
propose a linear scale (clockwise or counter-clockwise); the numbers that lie where it puts them support
it, if they also lie on the same ring about the pivot. The fitted curve then takes in the numerals that
perspective had moved too far. What supports no scale is left alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.scale_curve import SmoothCurve, robust_line
from vision.scale_grow import grow_scale
from vision.scale_parts import (
    MAX_STEP_DEG,
    MAX_SWEEP_DEG,
    MIN_STEP_DEG,
    PlacedNumber,
    ScaleCandidate,
    ScaleNumeral,
    completeness,
    direction_prior,
    printed_step,
    unwrap,
)

Floats = NDArray[np.float64]

PAIR_TOLERANCE_DEG = 9.0
"""How far perspective may move a numeral from where two others put it on a linear scale."""
CURVE_TOLERANCE_DEG = 7.0
RING_RATIO = 1.45
"""Distances from the pivot within one scale: tilt and a wrong pivot spread them, a second scale is further off."""
HEIGHT_RATIO = 2.2
MAX_SCALES = 4
OFF_STEP_GAIN = 1.05
STRAIGHT_DEG = 12.0
BAD_NOISE_DEG = 2.0
BAD_BEND_DEG = 4.0
PROPOSING_WEIGHT = 0.2


def find_scales(placed: Sequence[PlacedNumber]) -> tuple[ScaleCandidate, ...]:
    """The scales of a face, best supported first; empty where no three numbers agree."""
    remaining = list(placed)
    scales: list[ScaleCandidate] = []
    while len(remaining) >= 3 and len(scales) < MAX_SCALES:
        best = _best_linear(remaining)
        if best is not None:
            best = _take_in(best, remaining)
        grown = grow_scale(remaining)
        if grown is not None:
            grown = _straightened(grown)
        if grown is not None and (best is None or _says_more(grown, best)):
            best = grown
        if best is None:
            break
        scales.append(best)
        # A zero may belong to both halves of a compound scale.
        used = {id(numeral.place) for numeral in best.numerals if numeral.value != 0.0}
        remaining = [place for place in remaining if id(place) not in used]
    return tuple(scales)


def _straightened(grown: ScaleCandidate) -> ScaleCandidate:
    """A grown scale without numbers off its step, and as a linear one where it is nearly straight (seen at an angle)."""
    numerals = _drop_off_step(list(grown.numerals))
    values, angles = np.asarray([n.value for n in numerals]), np.asarray([n.angle_deg for n in numerals])
    slope, offset = robust_line(values, angles)
    straight = float(np.abs(angles - offset - slope * values).max()) <= STRAIGHT_DEG
    return grown._replace(numerals=tuple(numerals), linear=straight)


def _says_more(grown: ScaleCandidate, linear: ScaleCandidate) -> bool:
    """A bent scale must explain more numbers than a straight one, by two, or by one where the straight one fits badly."""
    more = len(grown.numerals) - len(linear.numerals)
    keeps = {(id(n.place), n.value) for n in linear.numerals} <= {(id(n.place), n.value) for n in grown.numerals}
    return more >= 2 or (more == 1 and keeps and fits_badly(linear))


def fits_badly(candidate: ScaleCandidate) -> bool:
    """Whether a linear scale needs much bending or noise, or leaves gaps: perspective, or no linear scale at all."""
    if not candidate.linear:
        return True
    curve = SmoothCurve(candidate.values, candidate.angles_deg, [n.weight for n in candidate.numerals])
    return curve.noise_deg > BAD_NOISE_DEG or curve.amplitude_deg > BAD_BEND_DEG


class _Table(NamedTuple):
    """All alternatives of all marks as columns."""

    owner: NDArray[np.intp]
    value: Floats
    weight: Floats
    angle: Floats
    radius: Floats
    height: Floats


def _table(placed: Sequence[PlacedNumber]) -> _Table:
    rows = []
    for index, place in enumerate(placed):
        trust = max(0.2, place.mark.confidence)
        seen = (place.angle_deg, place.radius_px, place.mark.height_px)
        rows += [(index, alternative.value, alternative.weight * trust, *seen) for alternative in place.mark.alternatives]
    columns = np.asarray(rows, float).T
    return _Table(columns[0].astype(np.intp), *columns[1:])


def _best_linear(placed: Sequence[PlacedNumber]) -> ScaleCandidate | None:
    """The best supported of the lines through two marks; those that cannot win are told by their gain alone."""
    table = _table(placed)
    best: ScaleCandidate | None = None
    for anchor in np.flatnonzero(table.weight >= PROPOSING_WEIGHT).tolist():
        alike = _alike(table, anchor)
        slopes = _slopes(table, anchor, alike)
        if not len(slopes):
            continue
        _, _, gain = _explained(table, anchor, slopes, alike)  # (S, T)
        totals = gain.sum(axis=1)
        for index in np.argsort(-totals).tolist():
            if best is not None and totals[index] <= best.score:
                break
            candidate = _support(table, placed, anchor, float(slopes[index]), alike)
            if candidate is not None and (best is None or candidate.score > best.score + 1e-9):
                best = candidate
    return best


def _alike(table: _Table, anchor: int) -> NDArray[np.bool_]:
    """The rows that could stand on one ring with the anchor, printed in about the same size."""
    radius, height = table.radius / table.radius[anchor], table.height / table.height[anchor]
    ring = (radius <= RING_RATIO) & (radius >= 1.0 / RING_RATIO)
    return np.asarray(ring & (height <= HEIGHT_RATIO) & (height >= 1.0 / HEIGHT_RATIO))


def _slopes(table: _Table, anchor: int, alike: NDArray[np.bool_]) -> Floats:
    """Degrees clockwise per unit of value of every line through the anchor and a later mark, both ways round."""
    partners = alike & (table.owner > table.owner[anchor]) & (table.value != table.value[anchor])
    partners &= table.weight >= PROPOSING_WEIGHT
    apart = (table.angle[partners] - table.angle[anchor]) % 360.0
    rise = table.value[partners] - table.value[anchor]
    sweeps = np.concatenate([apart, apart - 360.0])
    return np.unique((sweeps / np.concatenate([rise, rise]))[np.abs(sweeps) >= MIN_STEP_DEG])


def _explained(table: _Table, anchor: int, slopes: Floats, alike: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """For every slope: run from the anchor and distance from it in degrees, and gain (0 where too far), each (S, T)."""
    run = slopes[:, None] * (table.value - table.value[anchor])[None, :]
    off = (table.angle - table.angle[anchor] - run + 180.0) % 360.0 - 180.0
    near = (np.abs(off) <= PAIR_TOLERANCE_DEG) & (np.abs(run) < 360.0) & alike
    return run, off, np.where(near, table.weight * (1.0 - 0.5 * (off / PAIR_TOLERANCE_DEG) ** 2), 0.0)


def _support(
    table: _Table, placed: Sequence[PlacedNumber], anchor: int, slope: float, alike: NDArray[np.bool_]
) -> ScaleCandidate | None:
    """The marks that a line through `anchor` with `slope` (degrees clockwise per unit) explains."""
    run, off, gain = (part[0] for part in _explained(table, anchor, np.array([slope]), alike))
    rows = np.flatnonzero(gain)
    if len(rows) < 3:
        return None
    chosen = _one_each(rows, table, gain)
    kept = _within_one_turn(sorted(chosen, key=lambda row: float(run[row]) * math.copysign(1.0, slope)), run, gain)
    direction = math.copysign(1.0, slope)
    numerals = _drop_crowded(
        [
            ScaleNumeral(
                placed[int(table.owner[row])],
                float(table.value[row]),
                float(table.weight[row]),
                direction * float(table.angle[anchor] + run[row] + off[row]),
            )
            for row in kept
        ]
    )
    numerals = _drop_off_step(numerals)
    if len(numerals) < 3 or not MIN_STEP_DEG <= abs(slope) * printed_step([n.value for n in numerals]) <= MAX_STEP_DEG:
        return None
    values = {numeral.value for numeral in numerals}
    support = float(sum(gain[row] for row in kept if float(table.value[row]) in values))
    score = support * direction_prior(slope > 0, sorted(values)) * math.sqrt(completeness(sorted(values)))
    return ScaleCandidate(tuple(numerals), bool(slope > 0), True, score)


def _one_each(rows: NDArray[np.intp], table: _Table, gain: Floats) -> list[int]:
    """One row a mark and one a value, the heaviest first."""
    owners: set[int] = set()
    values: set[float] = set()
    chosen: list[int] = []
    for row in sorted(rows.tolist(), key=lambda row: -gain[row]):
        owner, value = int(table.owner[row]), float(table.value[row])
        if owner not in owners and value not in values:
            owners.add(owner)
            values.add(value)
            chosen.append(row)
    return chosen


def _within_one_turn(rows: list[int], run: Floats, gain: Floats) -> list[int]:
    """The best supported stretch of rows (in order along the scale) that spans less than a full turn."""
    best: list[int] = []
    best_gain = 0.0
    for start in range(len(rows)):
        stretch = [row for row in rows[start:] if abs(run[row] - run[rows[start]]) <= MAX_SWEEP_DEG]
        total = float(sum(gain[row] for row in stretch))
        if total > best_gain:
            best, best_gain = stretch, total
    return best


def _drop_crowded(numerals: Sequence[ScaleNumeral]) -> list[ScaleNumeral]:
    """Of two numerals at nearly one angle (out of order, or one place read twice) keep the heavier."""
    kept: list[ScaleNumeral] = []
    for numeral in sorted(numerals, key=lambda numeral: numeral.value):
        if kept and numeral.angle_deg - kept[-1].angle_deg < MIN_STEP_DEG / 2:
            if numeral.weight > kept[-1].weight:
                kept[-1] = numeral
        else:
            kept.append(numeral)
    return kept if all(b.angle_deg > a.angle_deg for a, b in itertools.pairwise(kept)) else []


def _drop_off_step(numerals: list[ScaleNumeral]) -> list[ScaleNumeral]:
    """Without the numbers that are no multiple of the step the others are printed in (a result stamped on the face)."""
    kept = list(numerals)
    while len(kept) > 3:
        whole = sum(n.weight for n in kept) * math.sqrt(completeness([n.value for n in kept]))
        fewer = [kept[:index] + kept[index + 1 :] for index in range(len(kept))]
        scores = [sum(n.weight for n in part) * math.sqrt(completeness([n.value for n in part])) for part in fewer]
        best = max(range(len(fewer)), key=lambda index: scores[index])
        if scores[best] <= OFF_STEP_GAIN * whole:
            break
        kept = fewer[best]
    return kept


def _take_in(candidate: ScaleCandidate, placed: Sequence[PlacedNumber]) -> ScaleCandidate:
    """The scale with the numbers that its curve, bent by perspective, explains though a line did not."""
    curve = SmoothCurve(candidate.values, candidate.angles_deg, [n.weight for n in candidate.numerals])
    step = printed_step(candidate.values)
    low, high = candidate.values[0] - 2.0 * step, candidate.values[-1] + 2.0 * step
    used = {id(numeral.place) for numeral in candidate.numerals}
    radius = float(np.median([numeral.place.radius_px for numeral in candidate.numerals]))
    added: list[ScaleNumeral] = []
    for place in placed:
        if id(place) in used or not radius / RING_RATIO <= place.radius_px <= radius * RING_RATIO:
            continue
        for alternative in place.mark.alternatives:
            on_grid = abs((alternative.value - candidate.values[0]) / step % 1.0 - 0.5) > 0.49
            if not low <= alternative.value <= high or not on_grid or alternative.value in candidate.values:
                continue
            expected = curve.angle_at(alternative.value)
            angle = unwrap(candidate.direction * place.angle_deg, expected, expected)
            if abs(angle - expected) <= CURVE_TOLERANCE_DEG:
                weight = alternative.weight * max(0.2, place.mark.confidence)
                added.append(ScaleNumeral(place, alternative.value, weight, angle))
                break
    numerals = _drop_crowded([*candidate.numerals, *added])
    spans = numerals and numerals[-1].angle_deg - numerals[0].angle_deg <= MAX_SWEEP_DEG
    values = [numeral.value for numeral in numerals]
    if not added or not spans or len(set(values)) < len(values) or len(numerals) <= len(candidate.numerals):
        return candidate
    return candidate._replace(numerals=tuple(numerals))
