"""Printed scales: ends, divisions and the law that ties values to places on the sweep.

Laws: linear, a power (square-root flow, moving iron), logarithmic, and piecewise linear by `knots` (expanded or
compressed parts, a jump after the rest mark, sides of a compound scale with different divisions).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from synth.errors import SpecError


class Graduation(NamedTuple):
    """One tick: its value and rank, 2 for a major tick, 1 for a middle one, 0 for the others."""

    value: float
    rank: int


@dataclass(frozen=True, slots=True)
class Scale:
    """A printed scale.

    The law is one of: `exponent` (fraction = part ** exponent; 1 is linear), `logarithmic`, or `knots`: pairs of
    (part of the span, fraction of the sweep) from (0, 0) to (1, 1) with straight pieces between them. `printed` are
    the values of the major ticks where they do not stand every `major_step`, `parts` the divisions of each interval
    between majors where they differ. Raises SpecError where ends, knots or majors do not increase.
    """

    minimum: float
    maximum: float
    major_step: float
    minors: int
    start_deg: float
    sweep_deg: float
    clockwise: bool = True
    exponent: float = 1.0
    unit: str | None = None
    unit_text: str | None = None
    multiplier: float | None = None
    logarithmic: bool = False
    knots: tuple[tuple[float, float], ...] = ()
    printed: tuple[float, ...] = ()
    parts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.minimum < self.maximum:
            raise SpecError(f"a scale must increase, got {self.minimum:g} to {self.maximum:g}")
        if self.logarithmic and self.minimum <= 0:
            raise SpecError(f"a logarithmic scale starts above 0, got {self.minimum:g}")
        if self.knots:
            steps = pairwise(self.knots)
            if self.knots[0] != (0.0, 0.0) or self.knots[-1] != (1.0, 1.0) or any(a >= c or b >= d for (a, b), (c, d) in steps):
                raise SpecError(f"knots must increase from (0, 0) to (1, 1), got {self.knots}")
        if self.printed and (list(self.printed) != sorted(set(self.printed)) or len(self.printed) < 2):
            raise SpecError(f"major values must increase, got {self.printed}")
        if self.parts and len(self.parts) != len(self.majors()) - 1:
            raise SpecError(f"{len(self.parts)} divided intervals do not fit {len(self.majors())} major ticks")

    @property
    def span(self) -> float:
        return self.maximum - self.minimum

    @property
    def is_linear(self) -> bool:
        """Whether two ends say everything; else the truth lists the marks (`scale_points`)."""
        return self.exponent == 1.0 and not self.logarithmic and not self.knots

    @property
    def end_deg(self) -> float:
        return self.angle_at(1.0)

    def angle_at(self, fraction: float) -> float:
        """Angle in [0, 360) at a fraction of the sweep."""
        turn = self.sweep_deg * fraction
        return (self.start_deg + turn if self.clockwise else self.start_deg - turn) % 360.0

    def fraction_of(self, value: float) -> float:
        """Fraction of the sweep at a value (in printed units) of the scale; linear below the start."""
        part = (value - self.minimum) / self.span
        if self.knots:
            return _along(self.knots, part, 0, 1)
        if self.logarithmic:
            decades = math.log(self.maximum / self.minimum)
            return (value / self.minimum - 1.0) / decades if part < 0 else math.log(value / self.minimum) / decades
        return part if self.exponent == 1.0 or part < 0 else part**self.exponent

    def value_at(self, fraction: float) -> float:
        """Value in printed units at a fraction of the sweep: the inverse of `fraction_of`."""
        if self.logarithmic:
            decades = math.log(self.maximum / self.minimum)
            return self.minimum * (1.0 + decades * fraction if fraction < 0 else math.exp(decades * fraction))
        if self.knots:
            part = _along(self.knots, fraction, 1, 0)
        else:
            part = fraction if self.exponent == 1.0 or fraction < 0 else fraction ** (1.0 / self.exponent)
        return self.minimum + part * self.span

    def majors(self) -> tuple[float, ...]:
        """Values of the major ticks, increasing; a logarithmic scale has 1, 2 and 5 of each decade."""
        if self.printed:
            return self.printed
        if self.logarithmic:
            return _decades(self.minimum, self.maximum)
        count = round(self.span / self.major_step)
        return tuple(self.minimum + i * self.major_step for i in range(count + 1))

    def graduations(self) -> tuple[Graduation, ...]:
        """All ticks in order. With an even number of parts the middle one ranks above the others, as on most faces."""
        return _graduations(self)

    def ticks(self) -> tuple[float, ...]:
        """Values of all ticks, majors included."""
        return tuple(tick.value for tick in self.graduations())

    @property
    def minor_step(self) -> float:
        return self.major_step / self.minors

    def step_at(self, value: float) -> float:
        """Distance in printed units between the two ticks around a value, of the nearest two beyond the ends."""
        ticks = self.ticks()
        after = min(max(bisect_right(ticks, value), 1), len(ticks) - 1)
        return ticks[after] - ticks[after - 1]

    def spread_at(self, fraction: float, half: float) -> float:
        """Half of the printed units that lie within `half` of the sweep to both sides: what an angle's doubt is worth."""
        return 0.5 * (self.value_at(fraction + half) - self.value_at(fraction - half))


def _along(knots: tuple[tuple[float, float], ...], x: float, source: int, target: int) -> float:
    """Straight pieces through the knots, from coordinate `source` to `target`; the outer pieces go on beyond the ends."""
    index = min(max(bisect_right([knot[source] for knot in knots], x), 1), len(knots) - 1)
    low, high = knots[index - 1], knots[index]
    return low[target] + (x - low[source]) * (high[target] - low[target]) / (high[source] - low[source])


def _decades(low: float, high: float) -> tuple[float, ...]:
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    values = [round(lead * 10.0**power, 12 - power) for power in range(first, last + 1) for lead in (1.0, 2.0, 5.0)]
    return tuple(v for v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9))


@lru_cache(maxsize=512)
def _graduations(scale: Scale) -> tuple[Graduation, ...]:
    majors = scale.majors()
    found: list[Graduation] = []
    for index, (low, high) in enumerate(pairwise(majors)):
        count = _parts(scale, index, low, high)
        found.append(Graduation(low, 2))
        for i in range(1, count):
            middle = count % 2 == 0 and count > 2 and i == count // 2
            found.append(Graduation(low + i * (high - low) / count, 1 if middle else 0))
    return (*found, Graduation(majors[-1], 2))


def _parts(scale: Scale, index: int, low: float, high: float) -> int:
    """Divisions between two majors: on a logarithmic scale units of the decade (2 to 5 in 3, 5 to 10 in 5)."""
    if scale.parts:
        return scale.parts[index]
    if scale.logarithmic and scale.minors > 1:
        unit = 10.0 ** math.floor(math.log10(low) + 1e-9)
        whole = round((high - low) / unit)
        return whole * 2 if whole < 4 and scale.minors > 4 else max(whole, 1)
    return scale.minors
