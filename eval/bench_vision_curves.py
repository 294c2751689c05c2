"""Curves of honesty: is a stated confidence right, what does answering less often buy, and what makes errors grow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from eval.bench_vision_cases import Case
from eval.risk import auroc
from eval.score import NAN, Number, Share, calibration_error, mean_of, percentile, share_of, share_true
from vision.fields import Contract

TARGET_RIGHT = 0.99
SURE = 0.9
TILT_EDGES_DEG = (0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 90.0)
SIZE_EDGES_PX = (0.0, 40.0, 60.0, 80.0, 120.0, 200.0, 400.0, math.inf)
LEGIBILITY_EDGES = (0.0, 0.15, 0.3, 0.5, 0.7, 0.9, 1.01)


class ReliabilityBin(Contract):
    """Answers whose confidence lies in [low, high): how sure they were on average, how often their claim is true."""

    low: float
    high: float
    n: int
    confidence: Number
    right: Share


class RiskPoint(Contract):
    """Answering only from `threshold` on: the share of instruments answered, and the share of wrong answers."""

    threshold: float
    coverage: float
    risk: float


class ErrorBin(Contract):
    """Instruments whose property lies in [low, high): how often abstained, how far off, how often right."""

    low: Number
    high: Number
    n: int
    abstained: Share
    right: Share
    span_error_mean: Number
    span_error_p95: Number


class Honesty(Contract):
    """What the confidences of the values are worth.

    A reading's `value_confidence` is the probability of what it says: that the truth lies in its interval, and that its
    unit, where it states one, is the right one (`Case.claim`). All figures count that, except the `strict_` ones: there
    the value must lie in the accepted interval with the right unit stated, so a reading without a unit is wrong.

    `auroc`: the probability that a true answer has more confidence than a wrong one. `coverage_at_99`: the largest share
    of the instruments that can be answered with 99 % of the answers true, and `threshold_at_99` from which confidence; 0
    and NaN where no threshold gives that. `sure_wrong`: of the answers with a confidence of 0.9 or more, the wrong ones.
    """

    instruments: int
    answers: int
    without_unit: int
    calibration_error: Number
    strict_calibration_error: Number
    auroc: Number
    strict_auroc: Number
    coverage_at_99: Share
    strict_coverage_at_99: Share
    threshold_at_99: Number
    risk_area: Number
    sure_wrong: Share
    strict_sure_wrong: Share
    reliability: tuple[ReliabilityBin, ...]
    risk_coverage: tuple[RiskPoint, ...]


def honesty(cases: Sequence[Case], bins: int = 10) -> Honesty:
    """The curves over instruments that show a value."""
    answers = [case for case in cases if case.answered]
    confidences = [case.confidence for case in answers]
    claims, right = [case.claim for case in answers], [case.right for case in answers]
    curve = risk_coverage(cases)
    best, strict_best = _at_99(curve), _at_99(risk_coverage(cases, lambda case: case.right))
    return Honesty(
        instruments=len(cases),
        answers=len(answers),
        without_unit=sum(case.unit is None and case.true_unit is not None for case in answers),
        calibration_error=calibration_error(confidences, claims, bins),
        strict_calibration_error=calibration_error(confidences, right, bins),
        auroc=auroc(np.array(confidences), np.array(claims, bool)),
        strict_auroc=auroc(np.array(confidences), np.array(right, bool)),
        coverage_at_99=share_of(round(best.coverage * len(cases)) if best else 0, len(cases)),
        strict_coverage_at_99=share_of(round(strict_best.coverage * len(cases)) if strict_best else 0, len(cases)),
        threshold_at_99=best.threshold if best else NAN,
        risk_area=_area(curve),
        sure_wrong=share_true(not case.claim for case in answers if case.confidence >= SURE),
        strict_sure_wrong=share_true(not case.right for case in answers if case.confidence >= SURE),
        reliability=reliability(answers, bins),
        risk_coverage=curve,
    )


def _at_99(curve: Sequence[RiskPoint]) -> RiskPoint | None:
    """The point of most coverage with at most 1 % wrong."""
    fit = [point for point in curve if point.risk <= 1.0 - TARGET_RIGHT + 1e-12]
    return fit[-1] if fit else None


def reliability(answers: Sequence[Case], bins: int = 10) -> tuple[ReliabilityBin, ...]:
    """Bins of equal width over [0, 1]; empty ones are left out."""
    found = []
    for index in range(bins):
        inside = [case for case in answers if min(int(case.confidence * bins), bins - 1) == index]
        if inside:
            mean = mean_of(case.confidence for case in inside).value
            share = share_true(case.claim for case in inside)
            found.append(ReliabilityBin(low=index / bins, high=(index + 1) / bins, n=len(inside), confidence=mean, right=share))
    return tuple(found)


def risk_coverage(cases: Sequence[Case], true: Callable[[Case], bool] = lambda case: case.claim) -> tuple[RiskPoint, ...]:
    """Risk over coverage, from the surest answers to all of them; answers of the same confidence come together."""
    answers = sorted((case for case in cases if case.answered), key=lambda case: -case.confidence)
    points, wrong = [], 0
    for index, case in enumerate(answers, 1):
        wrong += not true(case)
        if index == len(answers) or answers[index].confidence < case.confidence:
            points.append(RiskPoint(threshold=case.confidence, coverage=index / len(cases), risk=wrong / index))
    return tuple(points)


def error_bins(cases: Sequence[Case], of: Callable[[Case], float], edges: Sequence[float]) -> tuple[ErrorBin, ...]:
    """Errors against a property of the instruments; those of which it is not known are left out, and empty bins."""
    found = []
    for low, high in pairwise(edges):
        inside = [case for case in cases if low <= of(case) < high]
        if not inside:
            continue
        errors = [case.span_error for case in inside if case.answered and not math.isnan(case.span_error)]
        found.append(
            ErrorBin(
                low=low,
                high=high,
                n=len(inside),
                abstained=share_true(not case.answered for case in inside),
                right=share_true(case.right for case in inside),
                span_error_mean=mean_of(errors).value,
                span_error_p95=percentile(errors, 95.0),
            )
        )
    return tuple(found)


def _area(curve: Sequence[RiskPoint]) -> float:
    """Mean risk over the coverage that is reached (trapezoids); NaN without answers."""
    if not curve:
        return NAN
    area, before, risk = 0.0, 0.0, curve[0].risk
    for point in curve:
        area += (point.coverage - before) * (point.risk + risk) / 2
        before, risk = point.coverage, point.risk
    return area / curve[-1].coverage
