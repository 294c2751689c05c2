"""Scores that can say "not scorable": means, shares and their intervals, without torch.

A score is a number in [0, 1] or NaN. NaN means that there was nothing to judge; it is never counted as 0
or as 1, it is counted apart. In JSON it is `null`, and the reason stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, model_validator

from vision.fields import Contract

State = Literal["supported", "unsupported", "not_scorable"]
Z_95 = 1.959963984540054
NAN = math.nan


class EvalError(ValueError):
    """Root of this room's errors: input that cannot be scored as asked."""


def _null_to_nan(value: Any) -> Any:
    return NAN if value is None else value


def _nan_to_null(value: float) -> float | None:
    return value if math.isfinite(value) else None


Number = Annotated[float, BeforeValidator(_null_to_nan), PlainSerializer(_nan_to_null, return_type=float | None)]
"""A float whose NaN ("nothing to measure") is `null` in JSON and comes back as NaN."""


class Score(Contract):
    """One judged thing: `value` in [0, 1], or NaN exactly where the state is `not_scorable`."""

    value: Number
    state: State
    reason: str

    @model_validator(mode="after")
    def _state_follows_value(self) -> Score:
        if math.isnan(self.value) != (self.state == "not_scorable"):
            raise ValueError(f"state {self.state!r} does not go with value {self.value}")
        if not math.isnan(self.value) and not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a score lies in [0, 1], got {self.value}")
        return self


def supported(reason: str) -> Score:
    """A full score."""
    return Score(value=1.0, state="supported", reason=reason)


def unsupported(reason: str) -> Score:
    """A zero score: judged, and found wanting."""
    return Score(value=0.0, state="unsupported", reason=reason)


def graded(value: float, passes_at: float, reason: str) -> Score:
    """A score between: supported from `passes_at` on. A NaN says that nothing could be judged, and why."""
    if math.isnan(value):
        return not_scorable(reason)
    return Score(value=value, state="supported" if value >= passes_at else "unsupported", reason=reason)


def not_scorable(reason: str) -> Score:
    """No score: there was nothing to judge."""
    return Score(value=NAN, state="not_scorable", reason=reason)


class Mean(Contract):
    """Mean of the scorable values with its standard error; `not_scorable` counts what was left out."""

    value: Number
    stderr: Number
    n: int
    not_scorable: int


class Share(Contract):
    """`hits` of `n` with a 95 % Wilson interval; value and interval are NaN where n is 0."""

    value: Number
    low: Number
    high: Number
    hits: int
    n: int


def mean_of(values: Iterable[float]) -> Mean:
    """Mean over the values that are not NaN; stderr is NaN below two of them."""
    given = list(values)
    kept = np.array([value for value in given if not math.isnan(value)], dtype=float)
    left_out = len(given) - len(kept)
    if not len(kept):
        return Mean(value=NAN, stderr=NAN, n=0, not_scorable=left_out)
    stderr = float(kept.std(ddof=1) / math.sqrt(len(kept))) if len(kept) > 1 else NAN
    return Mean(value=float(kept.mean()), stderr=stderr, n=len(kept), not_scorable=left_out)


def mean_score(scores: Iterable[Score]) -> Mean:
    """Mean of judged things; the ones that are not scorable are counted, never averaged in."""
    return mean_of(score.value for score in scores)


def share_of(hits: int, n: int) -> Share:
    """Share with its Wilson score interval (E. B. Wilson, JASA 22, 1927). Raises EvalError unless 0 <= hits <= n."""
    if not 0 <= hits <= n:
        raise EvalError(f"a share needs 0 <= hits <= n, got {hits} of {n}")
    if n == 0:
        return Share(value=NAN, low=NAN, high=NAN, hits=0, n=0)
    p = hits / n
    spread = Z_95 * math.sqrt(p * (1 - p) / n + Z_95**2 / (4 * n**2))
    centre, scale = p + Z_95**2 / (2 * n), 1 + Z_95**2 / n
    # The exact ends of the interval at p = 0 and 1, where rounding would leave it a hair short of p.
    low = 0.0 if hits == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if hits == n else min(1.0, (centre + spread) / scale)
    return Share(value=p, low=low, high=high, hits=hits, n=n)


def share_true(flags: Iterable[bool]) -> Share:
    """Share of flags that hold."""
    given = list(flags)
    return share_of(sum(given), len(given))


def percentile(values: Sequence[float], percent: float) -> float:
    """Percentile (0..100) of the values; NaN where there are none."""
    return float(np.percentile(np.asarray(values, dtype=float), percent)) if len(values) else NAN


def median(values: Sequence[float]) -> float:
    """Median of the values; NaN where there are none."""
    return percentile(values, 50.0)


def bootstrap_interval(
    rng: np.random.Generator,
    n: int,
    statistic: Callable[[np.ndarray[Any, np.dtype[np.int64]]], float],
    rounds: int = 1000,
    level: float = 0.95,
) -> tuple[float, float]:
    """Percentile bootstrap interval of `statistic(indices)` over `n` items drawn with replacement.

    Rounds in which the statistic is NaN (a resample with one class only) are left out; NaN ends where none is left.
    """
    draws = [statistic(rng.integers(0, n, n)) for _ in range(rounds)] if n else []
    kept = [draw for draw in draws if not math.isnan(draw)]
    tail = (1 - level) / 2 * 100
    return percentile(kept, tail), percentile(kept, 100 - tail)


def calibration_error(confidences: Sequence[float], right: Sequence[bool], bins: int = 10) -> float:
    """Expected calibration error over equal-width bins (Guo et al., ICML 2017): 0 is honest, NaN without answers."""
    if not confidences:
        return NAN
    confidence, truth = np.asarray(confidences, dtype=float), np.asarray(right, dtype=float)
    bin_of = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [abs(confidence[bin_of == b].sum() - truth[bin_of == b].sum()) for b in range(bins)]
    return float(sum(gaps) / len(confidence))


def area_under_roc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Probability that a positive scores above a negative, ties half; NaN with one class only.

    By the rank sum (Hanley and McNeil, Radiology 143, 1982).
    """
    values, truth = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    positives, negatives = int(truth.sum()), int((~truth).sum())
    if not positives or not negatives:
        return NAN
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(counts) - (counts - 1) / 2
    rank_sum = float(mean_rank[inverse][truth].sum())
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)
