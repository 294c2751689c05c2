"""How well a probe's numbers tell faithful texts from unfaithful ones: AUROC, F1 and balanced accuracy with intervals.

Groups with an even place in the order of names are what may be tuned on; what is reported first is the other half. Bounds
are the medians over several bootstrap seeds, drawn over groups, because texts with the same sources are no independent draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from eval.score import NAN, EvalError, Number, area_under_roc, bootstrap_interval, median
from vision.fields import Contract

Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Rows = np.ndarray[Any, np.dtype[np.int64]]

FLOOR = "overlap floor"
NEUTRAL = 0.5
"""Where a probe finds nothing to judge, its rank is the middle: neither for nor against."""
SEEDS = (0, 1, 2)


class Measured(Contract):
    """A figure with its 95 % bootstrap interval; NaN where one class is missing."""

    value: Number
    low: Number
    high: Number


class ProbeScore(Contract):
    """One probe on one set of labelled texts.

    `auroc` of "faithful" over all, over the half that was tuned on, and over the half held out. `gain` is the held-out AUROC
    less the floor's on the same texts, drawn in pairs. `threshold`: below it a text is called unfaithful, chosen for F1 of
    "unfaithful" on the tuned half; `f1` and `balanced_accuracy` are what it gives on the other one.
    """

    probe: str
    auroc: Measured
    tuned: Measured
    held_out: Measured
    gain: Measured
    threshold: Number
    f1: Measured
    balanced_accuracy: Measured
    not_scorable: int


class Labelled:
    """Labels and groups of texts, and the halves that the groups fall into."""

    def __init__(self, faithful: Sequence[bool], groups: Sequence[str]) -> None:
        if len(faithful) != len(groups):
            raise EvalError(f"{len(faithful)} labels for {len(groups)} groups")
        self.faithful: Flags = np.array(faithful, dtype=bool)
        names = sorted(set(groups))
        given = np.array(groups)
        by_name = {name: np.flatnonzero(given == name) for name in names}
        self.even = [by_name[name] for name in names[::2]]
        self.odd = [by_name[name] for name in names[1::2]]

    @property
    def all(self) -> list[Rows]:
        """The rows of every group, those of even groups first."""
        return self.even + self.odd


def score_probes(raw: Mapping[str, Sequence[float]], labelled: Labelled, rounds: int) -> tuple[ProbeScore, ...]:
    """Scores of probes by name, in order; `FLOOR` must be among them."""
    values = {name: with_neutral(numbers) for name, numbers in raw.items()}
    return tuple(_score(name, numbers, values[FLOOR], raw[name], labelled, rounds) for name, numbers in values.items())


def with_neutral(raw: Sequence[float]) -> Floats:
    """The numbers with `NEUTRAL` where nothing could be judged."""
    return np.array([NEUTRAL if math.isnan(value) else value for value in raw], dtype=float)


def _score(name: str, values: Floats, floor: Floats, raw: Sequence[float], labelled: Labelled, rounds: int) -> ProbeScore:
    truth = labelled.faithful

    def auroc(rows: Rows) -> float:
        return area_under_roc(list(values[rows]), list(truth[rows]))

    def gain(rows: Rows) -> float:
        return auroc(rows) - area_under_roc(list(floor[rows]), list(truth[rows]))

    tuned = joined(labelled.even)
    threshold = best_threshold(values[tuned], truth[tuned])
    f1, balanced = (
        measure(labelled.odd, lambda rows, which=which: at_threshold(values[rows], truth[rows], threshold)[which], rounds)  # type: ignore[misc]
        for which in (0, 1)
    )
    return ProbeScore(
        probe=name,
        auroc=measure(labelled.all, auroc, rounds),
        tuned=measure(labelled.even, auroc, rounds),
        held_out=measure(labelled.odd, auroc, rounds),
        gain=measure(labelled.odd, gain, rounds),
        threshold=threshold if math.isfinite(threshold) else NAN,
        f1=f1,
        balanced_accuracy=balanced,
        not_scorable=sum(math.isnan(value) for value in raw),
    )


def joined(groups: Sequence[Rows]) -> Rows:
    """The rows of several groups as one array."""
    return np.concatenate(groups) if groups else np.zeros(0, dtype=np.int64)


def measure(groups: Sequence[Rows], statistic: Callable[[Rows], float], rounds: int) -> Measured:
    """A statistic of the rows of all groups, with the bounds' medians over the bootstrap seeds."""

    def resampled(picked: Rows) -> float:
        return statistic(joined([groups[i] for i in picked]))

    bounds = [bootstrap_interval(np.random.default_rng(seed), len(groups), resampled, rounds) for seed in SEEDS]
    lows, highs = zip(*bounds, strict=True)
    return Measured(value=statistic(joined(groups)) if groups else NAN, low=median(lows), high=median(highs))


def best_threshold(values: Floats, faithful: Flags) -> float:
    """The threshold below which texts are called unfaithful with the best F1."""
    marks = [*np.unique(values), math.inf]
    return float(max(marks, key=lambda mark: np.nan_to_num(at_threshold(values, faithful, float(mark))[0])))


def at_threshold(values: Floats, faithful: Flags, threshold: float) -> tuple[float, float]:
    """F1 of "unfaithful" and balanced accuracy; NaN where one class is missing."""
    called = values < threshold
    hits, misses = int((called & ~faithful).sum()), int((~called & ~faithful).sum())
    false, passed = int((called & faithful).sum()), int((~called & faithful).sum())
    if not hits + misses or not false + passed:
        return NAN, NAN
    return 2 * hits / (2 * hits + misses + false), (hits / (hits + misses) + passed / (false + passed)) / 2
