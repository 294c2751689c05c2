"""A simulated plant: dials that drift, rise above their limit and stick, seen through errors that were measured.

All is in parts of the scale. A camera has the errors of one dial that was really read; an error that was drawn stays for
some frames, because what misleads the reader once, a reflection, often does so again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serve.cameras.plausible import Seen
from serve.commands.watch_bench_frames import FrameError

LIMIT = 0.8
RISES = 4
"""How often in a week a camera's value really rises above the limit."""
RISE_S, STAY_S = 1200.0, 2400.0
STUCK_S = 8 * 3600.0


@dataclass(frozen=True)
class WeekOptions:
    """`stuck` of the cameras have a needle that sticks for eight hours; an error stays `persist` frames on average."""

    cameras: int = 10
    days: float = 7.0
    every_s: float = 60.0
    persist: float = 1.0
    stuck: int = 2
    seed: int = 10**9


class Plant(NamedTuple):
    """One camera's week: process (N,) as it was, needle (N,) as it stood, and the moments (s) between which it stuck."""

    at_s: NDArray[np.float64]
    process: NDArray[np.float64]
    needle: NDArray[np.float64]
    stuck: tuple[float, float] | None


def simulate_plant(rng: np.random.Generator, options: WeekOptions, sticks: bool) -> Plant:
    """A slow drift about 0.45 with true rises above the limit; a needle that sticks stands while the process goes on."""
    count = int(options.days * 86400 / options.every_s)
    at_s = np.arange(count, dtype=np.float64) * np.float64(options.every_s)
    drift = _drift(rng, count, options.every_s)
    whole = options.days * 86400.0
    rises = max(1, round(RISES * options.days / 7.0))
    middles = (np.arange(rises) + rng.uniform(0.25, 0.75, rises)) * whole / rises
    process = drift.copy()
    for middle in middles:
        away = np.maximum(np.abs(at_s - middle) - STAY_S / 2, 0.0) / RISE_S
        rise = np.clip(1.0 - away, 0.0, 1.0)
        process = process * (1 - rise) + (LIMIT + 0.08) * rise
    if not sticks:
        return Plant(at_s, process, process, None)
    begin = _quiet_moment(rng, middles, whole)
    stands = (at_s >= begin) & (at_s < begin + STUCK_S)
    needle = process.copy()
    if stands.any():
        needle[stands] = process[np.argmax(stands)]
    return Plant(at_s, process, needle, (begin, begin + STUCK_S))


def _drift(rng: np.random.Generator, count: int, every_s: float) -> NDArray[np.float64]:
    """An Ornstein-Uhlenbeck process with a memory of an hour and a spread of 0.05."""
    keep = float(np.exp(-every_s / 3600.0))
    kicks = rng.normal(0.0, 0.05 * np.sqrt(1 - keep**2), count)
    out, value = np.empty(count), 0.0
    for number in range(count):
        value = keep * value + kicks[number]
        out[number] = value
    return np.clip(0.45 + out, 0.2, 0.7)


def _quiet_moment(rng: np.random.Generator, middles: NDArray[np.float64], whole_s: float) -> float:
    """When the needle begins to stick: where there is room for it between two rises, else at the start."""
    edges = [0.0, *middles.tolist(), whole_s]
    room = STUCK_S + 2 * (RISE_S + STAY_S)
    fitting = [(a, b) for a, b in pairwise(edges) if b - a > room]
    if not fitting:
        return 0.0
    first, last = fitting[int(rng.integers(len(fitting)))]
    return float(rng.uniform(first + RISE_S + STAY_S, last - STUCK_S - RISE_S - STAY_S))


def see_plant(rng: np.random.Generator, plant: Plant, errors: Sequence[FrameError], persist: float) -> list[Seen | None]:
    """What the reader would have said of each frame: the needle and a measured error; None where it was not read."""
    seen: list[Seen | None] = []
    error = errors[0]
    for at_s, truth in zip(plant.at_s.tolist(), plant.needle.tolist(), strict=True):
        if not seen or rng.random() < 1.0 / persist:
            error = errors[int(rng.integers(len(errors)))]
        if error.error is None or error.half is None:
            seen.append(None)
        else:
            value = truth + error.error
            seen.append(Seen(at_s, value, value - error.half, value + error.half, error.confidence))
    return seen
