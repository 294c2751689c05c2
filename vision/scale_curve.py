"""From numerals to a continuous scale: angle as a smooth function of value, with its uncertainty.

A linear scale seen at an angle, about a slightly wrong pivot, with numerals set beside their ticks, is
linear plus a smooth deviation plus noise. That is a Gaussian process (Rasmussen and Williams, Gaussian
Processes for Machine Learning, 2006, eq. 2.25, 2.26 and 2.30) whose amplitude and noise are taken from
a few steps by marginal likelihood. Scales that are not linear are interpolated between their numerals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

AMPLITUDES_DEG = (0.7, 2.0, 5.0, 10.0)
NOISES_DEG = (0.6, 1.2, 2.4, 4.0)
LENGTH_DEG = 75.0
"""Tilt and a shifted pivot change the angle once or twice a turn, so over about a quarter of the turn."""
OFFSET_SD_DEG = 60.0
SLOPE_SD = 0.5
TICK_SD_DEG = 6.0
"""Of a scale's end located in the picture: the median error of the shipped weights on real photos is six degrees."""


class CurveValue(NamedTuple):
    """Value at an angle: estimate, the standard deviation in degrees of the curve there, degrees per unit of value."""

    value: float
    sd_deg: float
    slope_deg: float


class ScaleCurve(Protocol):
    """Monotone map between value and unwrapped angle (degrees, growing along the scale's own direction)."""

    def angle_at(self, value: float) -> float:
        """Angle in degrees of a value."""

    def value_at(self, angle_deg: float) -> CurveValue:
        """Value at an angle in degrees."""


class TickPoint(NamedTuple):
    """A value whose mark itself was located (an end of the scale), at an unwrapped angle in degrees."""

    value: float
    angle_deg: float


class SmoothCurve:
    """Linear scale with a smooth deviation; fitted on construction.

    Numerals stand beside their marks, off by a smooth share `placement_deg` that they have in common with
    their neighbours; `ticks` are located marks and free of it.
    """

    def __init__(
        self,
        values: Sequence[float],
        angles_deg: Sequence[float],
        weights: Sequence[float] | None = None,
        *,
        placement_deg: float = 0.0,
        ticks: Sequence[TickPoint] = (),
    ) -> None:
        count = len(values)
        self._angles = np.asarray([*angles_deg, *(tick.angle_deg for tick in ticks)], float)
        weight = np.ones(count) if weights is None else np.asarray(weights, float)
        self.slope, self.offset = robust_line(np.asarray(values, float), self._angles[:count])
        self._inputs = self.offset + self.slope * np.asarray([*values, *(tick.value for tick in ticks)], float)  # degrees
        self._residuals = self._angles - self._inputs
        self._spread = np.concatenate([1.0 / np.clip(weight, 0.25, 1.0), np.full(len(ticks), (TICK_SD_DEG / NOISES_DEG[1]) ** 2)])
        self._beside = np.concatenate([np.full(count, placement_deg), np.zeros(len(ticks))])
        self._count = count
        best = -math.inf
        for amplitude in AMPLITUDES_DEG:
            for noise in NOISES_DEG:
                evidence = self._evidence(amplitude, noise)
                if evidence > best:
                    best, self.amplitude_deg, self.noise_deg = evidence, amplitude, noise
        matrix = self._seen(self.amplitude_deg, self.noise_deg)
        self._inverse = np.linalg.inv(matrix)
        self._alpha = self._inverse @ self._residuals

    def _covariance(self, first: Floats, second: Floats, amplitude: float) -> Floats:
        center = float(self._inputs.mean())
        trend = OFFSET_SD_DEG**2 + SLOPE_SD**2 * np.outer(first - center, second - center)
        return np.asarray(amplitude**2 * _alike(first, second) + trend)

    def _seen(self, amplitude: float, noise: float) -> Floats:
        """Covariance of what was seen: the scale itself, the numerals' common offset, and noise."""
        spread = self._spread.copy()
        spread[: self._count] *= noise**2
        spread[self._count :] *= NOISES_DEG[1] ** 2
        own = self._covariance(self._inputs, self._inputs, amplitude) + np.diag(spread)
        return np.asarray(own + np.outer(self._beside, self._beside) * _alike(self._inputs, self._inputs))

    def _evidence(self, amplitude: float, noise: float) -> float:
        """Log marginal likelihood, with a mild preference for little deviation and an honest noise."""
        matrix = self._seen(amplitude, noise)
        _, logdet = np.linalg.slogdet(matrix)
        fit = float(self._residuals @ np.linalg.solve(matrix, self._residuals))
        prior = -0.5 * (math.log(amplitude / 2.0) / 1.0) ** 2 - 0.5 * (math.log(noise / 1.2) / 0.5) ** 2
        return -0.5 * fit - 0.5 * float(logdet) + prior

    def _predict(self, inputs: Floats) -> tuple[Floats, Floats]:
        cross = self._covariance(inputs, self._inputs, self.amplitude_deg)  # (m, n)
        own = np.diag(self._covariance(inputs, inputs, self.amplitude_deg))
        variance = own - np.einsum("mn,nk,mk->m", cross, self._inverse, cross)
        return inputs + cross @ self._alpha, np.sqrt(np.clip(variance, 0.0, None))

    def angle_at(self, value: float) -> float:
        """Angle in degrees of a value."""
        return float(self._predict(np.array([self.offset + self.slope * value]))[0][0])

    def residuals_deg(self) -> Floats:
        """Of the numerals about the curve, in degrees."""
        return np.asarray(self._angles - self._predict(self._inputs)[0])[: self._count]

    def value_at(self, angle_deg: float) -> CurveValue:
        """Value at an angle, by bisection on the fitted curve."""
        low, high = angle_deg - 60.0, angle_deg + 60.0
        for _ in range(40):
            middle = 0.5 * (low + high)
            if float(self._predict(np.array([middle]))[0][0]) < angle_deg:
                low = middle
            else:
                high = middle
        at = 0.5 * (low + high)
        around, sd = self._predict(np.array([at - 2.0, at, at + 2.0]))
        local = max(0.2, float(around[2] - around[0]) / 4.0) * self.slope
        return CurveValue((at - self.offset) / self.slope, float(sd[1]), local)


def _alike(first: Floats, second: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * ((first[:, None] - second[None, :]) / LENGTH_DEG) ** 2))


class PiecewiseCurve:
    """Straight between neighbouring numerals; outside, as steep as the outermost pair."""

    def __init__(self, values: Sequence[float], angles_deg: Sequence[float]) -> None:
        order = np.argsort(np.asarray(angles_deg, float))
        self._values, self._angles = np.asarray(values, float)[order], np.asarray(angles_deg, float)[order]

    def angle_at(self, value: float) -> float:
        """Angle in degrees of a value."""
        rising = self._values[-1] > self._values[0]
        values = self._values if rising else self._values[::-1]
        angles = self._angles if rising else self._angles[::-1]
        at = int(np.clip(np.searchsorted(values, value) - 1, 0, len(values) - 2))
        slope = (angles[at + 1] - angles[at]) / (values[at + 1] - values[at])
        return float(angles[at] + slope * (value - values[at]))

    def value_at(self, angle_deg: float) -> CurveValue:
        """Value at an angle; the deviation is what the bend of the neighbouring pieces leaves open."""
        last = len(self._angles) - 2
        at = int(np.clip(np.searchsorted(self._angles, angle_deg) - 1, 0, last))
        steps = np.diff(self._values) / np.diff(self._angles)  # value per degree
        value = float(self._values[at] + steps[at] * (angle_deg - self._angles[at]))
        neighbours = [steps[k] for k in (at - 1, at + 1) if 0 <= k <= last]
        bend = max((abs(math.log(float(n / steps[at]))) for n in neighbours), default=0.0)
        inside = np.clip((angle_deg - self._angles[at]) / (self._angles[at + 1] - self._angles[at]), -1.0, 2.0)
        gap = float(self._angles[at + 1] - self._angles[at])
        # A quadratic through three numerals leaves the straight line by bend * t (1 - t) / 2 of the gap.
        sd = 1.0 + 0.5 * bend * abs(float(inside * (1.0 - inside))) * gap
        return CurveValue(value, sd, float(1.0 / steps[at]))


def robust_line(values: Floats, angles_deg: Floats) -> tuple[float, float]:
    """Slope and offset of angle over value by the median of pair slopes (Theil 1950, Sen 1968)."""
    first, second = np.triu_indices(len(values), 1)
    apart = values[second] - values[first]
    usable = np.abs(apart) > 1e-12
    slope = float(np.median((angles_deg[second] - angles_deg[first])[usable] / apart[usable]))
    return slope, float(np.median(angles_deg - slope * values))
