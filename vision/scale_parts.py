"""What a printed scale is made of: numbers seen from the pivot, and numerals in order of value."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from vision.fields import Point
from vision.plane import clock_angle
from vision.printed_numbers import NumberMark

MIN_STEP_DEG = 5.0
"""Numerals of one scale stand further apart than this, or they would touch."""
MAX_STEP_DEG = 150.0
MAX_SWEEP_DEG = 359.0
MIN_INNER, MOST_STEPS_TO_END, ROUND_OFF = 3, 2.0, 0.02
"""An end off the step: how many numerals the others must be, how far it may lie, and how round it must be."""
COUNTER_CLOCKWISE_BOTH_SIGNS_PRIOR = 0.78
"""Of a scale on both sides of its zero: without signs in print only the direction tells which side is below it, and below
is to the left; with signs in print they outweigh this."""
COUNTER_CLOCKWISE_PRIOR = 0.93
"""Most scales run clockwise; this only breaks ties, such as a mirrored centre-zero scale without signs."""


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
        """Of the numerals, rising."""
        return tuple(numeral.value for numeral in self.numerals)

    @property
    def angles_deg(self) -> tuple[float, ...]:
        """Of the numerals, unwrapped, rising; clockwise angles times -1 where the scale runs the other way."""
        return tuple(numeral.angle_deg for numeral in self.numerals)

    @property
    def direction(self) -> float:
        """1 clockwise, -1 counter-clockwise: what an angle is multiplied with to grow along the scale."""
        return 1.0 if self.clockwise else -1.0


def place_numbers(marks: Sequence[NumberMark], pivot: Point) -> tuple[PlacedNumber, ...]:
    """The marks as seen from the pivot."""
    return tuple(PlacedNumber(mark, clock_angle(pivot, mark.center), math.dist(pivot, mark.center)) for mark in marks)


def unwrap(angle_deg: float, low_deg: float, high_deg: float) -> float:
    """`angle_deg` plus the whole turns that bring it nearest to the middle of `low_deg` to `high_deg`."""
    middle = 0.5 * (low_deg + high_deg)
    return middle + (angle_deg - middle + 180.0) % 360.0 - 180.0


def printed_step(values: Sequence[float]) -> float:
    """The step that the numerals of a scale are printed in: the largest that divides all differences.

    Values come from print with few digits, so this is Euclid's algorithm with a tolerance of a hundredth
    of the smallest difference. Raises ValueError where there are no two different values.
    """
    differences = [b - a for a, b in itertools.pairwise(sorted(values)) if b > a]
    if not differences:
        raise ValueError(f"a step needs two different values, got {list(values)}")
    tolerance = 0.01 * min(differences)
    step = differences[0]
    for difference in differences[1:]:
        first, second = max(step, difference), min(step, difference)
        while second > tolerance:
            first, second = second, abs(first - second * round(first / second))
        step = first
    return step


def direction_prior(clockwise: bool, values: Sequence[float]) -> float:
    """How likely scales with such values run this way round."""
    if clockwise:
        return 1.0
    return COUNTER_CLOCKWISE_BOTH_SIGNS_PRIOR if min(values) < 0.0 < max(values) else COUNTER_CLOCKWISE_PRIOR


def completeness(values: Sequence[float]) -> float:
    """Share of the printed steps between the outermost numerals that were read, in (0, 1].

    A scale may begin or end off its step, as 50, 200, 300 or -1, 0, 2, 4 do: such an end is no gap.
    """
    ordered = sorted(values)
    shares = [_read_share(ordered)]
    for first, last in ((1, 0), (0, 1), (1, 1)):
        inner = ordered[first : len(ordered) - last]
        if len(inner) >= MIN_INNER and _ends_off_step(ordered, inner):
            shares.append((_read_share(inner) * len(inner) + first + last) / len(ordered))
    return max(shares)


def _read_share(ordered: Sequence[float]) -> float:
    return min(1.0, len(ordered) / (round((ordered[-1] - ordered[0]) / printed_step(ordered)) + 1))


def _ends_off_step(ordered: Sequence[float], inner: Sequence[float]) -> bool:
    """Whether what lies outside `inner` is within two of its steps and off them by fifths or a half, as ends of scales are."""
    step = printed_step(inner)
    offs = [abs(end - near) / step for end, near in ((ordered[0], inner[0]), (ordered[-1], inner[-1])) if end != near]
    return all(
        off <= MOST_STEPS_TO_END
        and abs(off - round(off)) > ROUND_OFF
        and min(abs(off * part - round(off * part)) for part in (2.0, 5.0)) < ROUND_OFF
        for off in offs
    )
