"""Claims: an effect has its interval, a verdict follows from the interval alone, and groups are no independent draws."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.probe_scores import Measured
from eval.reproductions.claims import FEW, Claim, Paired, claims_text, judge_effect, mean_effect, paired_effect, point
from eval.score import EvalError


def test_an_effect_is_the_difference_on_the_same_cases() -> None:
    effect = paired_effect(Paired([False] * 40, [True] * 30 + [False] * 10), rounds=200)
    assert effect.value == pytest.approx(0.75)
    assert 0 < effect.low <= 0.75 <= effect.high <= 1


def test_no_difference_at_all_is_an_effect_of_exactly_nothing() -> None:
    effect = paired_effect(Paired([True, False] * 20, [True, False] * 20), rounds=50)
    assert (effect.value, effect.low, effect.high) == (0, 0, 0)
    assert judge_effect(effect, 40) == "does not hold"


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.01, 0.3, "holds"), (-0.1, 0.3, "not shown"), (-0.3, -0.01, "does not hold"), (-0.3, 0.0, "does not hold")],
)
def test_the_verdict_follows_from_the_interval(low: float, high: float, verdict: str) -> None:
    assert judge_effect(Measured(value=0.1, low=low, high=high), FEW) == verdict
    assert judge_effect(Measured(value=0.1, low=low, high=high), FEW - 1) == "not shown"


def test_nothing_measured_shows_nothing() -> None:
    effect = mean_effect([])
    assert math.isnan(effect.value)
    assert judge_effect(effect, 0) == "not shown"


def test_cases_of_one_group_widen_the_interval() -> None:
    before, after = [False] * 40, [True] * 20 + [False] * 20
    alone = paired_effect(Paired(before, after), rounds=300)
    grouped = paired_effect(Paired(before, after, [n // 10 for n in range(40)]), rounds=300)
    assert grouped.value == alone.value
    assert grouped.high - grouped.low > 1.5 * (alone.high - alone.low)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_turned_round_an_effect_changes_its_sign(pairs: list[tuple[bool, bool]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    there, back = paired_effect(Paired(one, other), rounds=20), paired_effect(Paired(other, one), rounds=20)
    assert there.value == pytest.approx(-back.value)
    assert (there.low, there.high) == (pytest.approx(-back.high), pytest.approx(-back.low))


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(EvalError, match="no pairs"):
        paired_effect(Paired([True], [True, False]))
    with pytest.raises(EvalError, match="groups"):
        mean_effect([0.1, 0.2], ["a"])


def test_the_page_says_everything() -> None:
    claim = Claim(
        row="D8",
        claim="more passages, more invention",
        source="12 %, 57 %",
        subject="a small model, 12 questions",
        points=(point("k = 1", "not borne out", [True, False]), point("k = 5", "not borne out", [])),
        effect_of="k = 5 less k = 1",
        effect=Measured(value=0.25, low=-0.1, high=0.5),
        verdict="not shown",
        said="Too few.",
        cases=("q1: CRS 0.9",),
    )
    text = claims_text([claim])
    for part in ("D8", "57 %", "0.25 [-0.1, 0.5]", "not shown", "k = 1", "50.0 %", "(1/2)", "Too few.", "\n- q1: CRS 0.9"):
        assert part in text, part
    assert Claim.model_validate_json(claim.model_dump_json()) == claim
