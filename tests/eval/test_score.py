"""Scores, means, shares: NaN is never a number here, and the intervals hold what they say."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from eval.score import (
    EvalError,
    Mean,
    Score,
    area_under_roc,
    bootstrap_interval,
    calibration_error,
    mean_of,
    mean_score,
    median,
    not_scorable,
    percentile,
    share_of,
    share_true,
    supported,
    unsupported,
)

SCORES = st.sampled_from([supported("a"), unsupported("b"), not_scorable("c")])


def test_three_states_and_nothing_between_them() -> None:
    assert (supported("x").value, unsupported("x").value) == (1.0, 0.0)
    assert math.isnan(not_scorable("empty").value)
    with pytest.raises(ValidationError, match="does not go with"):
        Score(value=0.0, state="not_scorable", reason="")
    with pytest.raises(ValidationError, match="does not go with"):
        Score(value=math.nan, state="supported", reason="")
    with pytest.raises(ValidationError, match="lies in"):
        Score(value=1.2, state="supported", reason="")


def test_nan_is_null_in_json_and_comes_back() -> None:
    text = not_scorable("a refusal").model_dump_json()
    assert json.loads(text) == {"value": None, "state": "not_scorable", "reason": "a refusal"}
    assert math.isnan(Score.model_validate_json(text).value)
    assert not_scorable("x").model_dump()["value"] is None


@given(st.lists(SCORES, max_size=30))
def test_mean_ignores_what_is_not_scorable(scores: list[Score]) -> None:
    mean = mean_score(scores)
    kept = [score.value for score in scores if score.state != "not_scorable"]
    assert mean.n == len(kept)
    assert mean.n + mean.not_scorable == len(scores)
    if kept:
        assert mean.value == pytest.approx(sum(kept) / len(kept))
        assert 0 <= mean.value <= 1
    else:
        assert math.isnan(mean.value)


def test_stderr_is_that_of_the_textbook() -> None:
    mean = mean_of([1.0, 2.0, 3.0, 4.0, math.nan])
    assert mean.value == 2.5
    assert mean.stderr == pytest.approx(math.sqrt(5 / 3) / 2)
    assert (mean.n, mean.not_scorable) == (4, 1)
    assert math.isnan(mean_of([1.0]).stderr)
    assert Mean.model_validate_json(mean_of([]).model_dump_json()).n == 0


def test_wilson_against_published_numbers() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    for hits, n, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        share = share_of(hits, n)
        assert share.low == pytest.approx(low, abs=5e-5)
        assert share.high == pytest.approx(high, abs=5e-5)


@given(st.integers(0, 500), st.integers(0, 500))
def test_wilson_holds_the_share_and_stays_in_range(first: int, second: int) -> None:
    hits, n = min(first, second), max(first, second)
    share = share_of(hits, n)
    if n == 0:
        assert math.isnan(share.value)
        assert math.isnan(share.low)
        return
    assert 0 <= share.low <= share.value <= share.high <= 1
    mirrored = share_of(n - hits, n)
    assert mirrored.low == pytest.approx(1 - share.high)


def test_impossible_shares_are_refused() -> None:
    for hits, n in [(3, 2), (-1, 2)]:
        with pytest.raises(EvalError, match=f"{hits} of {n}"):
            share_of(hits, n)
    assert share_true([True, False, True]).hits == 2


def test_percentiles_of_nothing_are_nan() -> None:
    assert math.isnan(median([]))
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert percentile([0.0, 10.0], 95) == pytest.approx(9.5)


def test_calibration_error_is_zero_for_honest_and_large_for_boastful() -> None:
    assert calibration_error([0.75] * 4, [True, True, True, False]) == pytest.approx(0.0)
    assert calibration_error([1.0] * 4, [False] * 4) == pytest.approx(1.0)
    assert calibration_error([0.9, 0.9, 0.1, 0.1], [True, True, False, False]) == pytest.approx(0.1)
    assert math.isnan(calibration_error([], []))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_calibration_error_stays_in_range(answers: list[tuple[float, bool]]) -> None:
    error = calibration_error([a for a, _ in answers], [b for _, b in answers])
    assert 0 <= error <= 1 + 1e-12


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=25))
def test_area_under_roc_counts_pairs(items: list[tuple[int, bool]]) -> None:
    scores, truth = [float(a) for a, _ in items], [b for _, b in items]
    above = [a for a, b in items if b]
    below = [a for a, b in items if not b]
    area = area_under_roc(scores, truth)
    if not above or not below:
        assert math.isnan(area)
        return
    wins = sum((a > b) + 0.5 * (a == b) for a in above for b in below)
    assert area == pytest.approx(wins / (len(above) * len(below)))


def test_bootstrap_is_deterministic_and_narrows() -> None:
    few, many = np.arange(20) % 2, np.arange(2000) % 2
    first = bootstrap_interval(np.random.default_rng(0), 20, lambda rows: float(few[rows].mean()), rounds=200)
    again = bootstrap_interval(np.random.default_rng(0), 20, lambda rows: float(few[rows].mean()), rounds=200)
    wide = bootstrap_interval(np.random.default_rng(0), 2000, lambda rows: float(many[rows].mean()), rounds=200)
    assert first == again
    assert first[0] < 0.5 < first[1]
    assert wide[1] - wide[0] < first[1] - first[0]
    assert all(math.isnan(end) for end in bootstrap_interval(np.random.default_rng(0), 0, lambda rows: 1.0))
    assert all(math.isnan(end) for end in bootstrap_interval(np.random.default_rng(0), 3, lambda rows: math.nan, rounds=3))
