"""The value: right, off by how much, abstained, made up, and how honest its confidence and interval are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from eval.matching import Pair
from eval.score import NAN, Mean, Number, Share, calibration_error, mean_of, percentile, share_of, share_true
from eval.values import inside, number_fits, value_fits, value_in_unit
from vision.fields import Contract, InstrumentReading
from vision.samples import InstrumentTruth


class ValueScore(Contract):
    """Values of many instruments; never read `right` without `abstained` and `made_up` beside it.

    `right`, `right_any_unit`, `abstained`: shares of the instruments that have a true value. `made_up`: of
    all values given, those whose truth has none (no number on the instrument, or no instrument there).
    `answered_right`: of the answers, those right. `span_error`: |error| / span of the answers on a scale.
    `interval_holds`: of the answers, those whose [value_low, value_high] holds the true value.
    """

    right: Share
    right_any_unit: Share
    abstained: Share
    made_up: Share
    answered_right: Share
    span_error: Mean
    span_error_p95: Number
    calibration_error: Number
    interval_holds: Share


class Answer(NamedTuple):
    """One value given where there is a true one.

    `right`: in the accepted interval and its unit right, a missing unit being wrong. `claim`: what the reading itself says
    is true, which is what its `value_confidence` is the probability of: the value in the accepted interval or the truth in
    the stated one, and the unit right if one is stated. A reading without a unit claims the number that is printed.
    """

    right: bool
    right_any_unit: bool
    span_error: float
    confidence: float
    holds: bool
    claim: bool


def judge_value(truth: InstrumentTruth, reading: InstrumentReading) -> Answer | None:
    """The value of a matched pair, or None where the reading gives none. The truth must have a value."""
    if reading.value is None or truth.value is None:
        return None
    low = truth.value if truth.value_low is None else truth.value_low
    high = truth.value if truth.value_high is None else truth.value_high
    right = value_fits(reading.value, reading.unit, low, high, truth.unit)
    number_right = number_fits(reading.value, reading.unit, low, high, truth.unit)
    holds = _interval_holds(truth, reading)
    return Answer(
        right=right,
        right_any_unit=number_right,
        span_error=_span_error(truth, reading),
        confidence=reading.value_confidence,
        holds=holds,
        claim=right or holds or (reading.unit is None and (number_right or _printed_holds(truth, reading))),
    )


def _printed_holds(truth: InstrumentTruth, reading: InstrumentReading) -> bool:
    """Whether the stated interval holds the true number as printed."""
    low, high = reading.value_low, reading.value_high
    return truth.value is not None and low is not None and high is not None and inside(truth.value, low, high)


def _span_error(truth: InstrumentTruth, reading: InstrumentReading) -> float:
    """Error over span after conversion; as printed where the units do not convert, since the number is then the error."""
    scale_min, scale_max = truth.fields.scale_min, truth.fields.scale_max
    if reading.value is None or truth.value is None or scale_min is None or scale_max is None or scale_min == scale_max:
        return NAN
    converted = value_in_unit(reading.value, reading.unit, truth.unit)
    value = reading.value if converted is None else converted
    return abs(value - truth.value) / abs(scale_max - scale_min)


def _interval_holds(truth: InstrumentTruth, reading: InstrumentReading) -> bool:
    if truth.value is None or reading.value_low is None or reading.value_high is None:
        return False
    low = value_in_unit(reading.value_low, reading.unit, truth.unit)
    high = value_in_unit(reading.value_high, reading.unit, truth.unit)
    if low is None or high is None:
        return False
    return inside(truth.value, min(low, high), max(low, high))


def score_values(pairs: Sequence[Pair]) -> ValueScore:
    """All values of the pairs, missing and made-up ones included."""
    answers: list[Answer] = []
    known = given = made_up = 0
    for truth, reading, _, _ in pairs:
        has_truth = truth is not None and truth.value is not None
        known += has_truth
        if reading is None or reading.value is None:
            continue
        given += 1
        answer = judge_value(truth, reading) if truth is not None else None
        if answer is None:
            made_up += 1
        else:
            answers.append(answer)
    right = sum(answer.right for answer in answers)
    span_errors = [answer.span_error for answer in answers if not math.isnan(answer.span_error)]
    return ValueScore(
        right=share_of(right, known),
        right_any_unit=share_of(sum(answer.right_any_unit for answer in answers), known),
        abstained=share_of(known - len(answers), known),
        made_up=share_of(made_up, given),
        answered_right=share_of(right, len(answers)),
        span_error=mean_of(span_errors),
        span_error_p95=percentile(span_errors, 95.0),
        calibration_error=calibration_error([a.confidence for a in answers], [a.right for a in answers]),
        interval_holds=share_true(answer.holds for answer in answers),
    )
