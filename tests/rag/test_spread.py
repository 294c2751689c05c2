"""A value is never surer than what it was computed from: intervals of variables, over every formula of the manuals."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.curves import load_curve
from knowledge.facts import FormulaFact, ModelFacts
from knowledge.search import KnowledgeBase
from rag.formula import Calibration, calibrate
from rag.needle import FormulaOptions
from rag.spread import digits_span, evaluate_over, fraction_span, held_within
from tests.rag.builders import make_facts, make_reading

OPTIONS = FormulaOptions()


@given(st.floats(-20, 120), st.floats(0.001, 15))
def test_on_its_scale_an_interval_keeps_its_width_on_one_side_at_least(value: float, half_width: float) -> None:
    low, held, high = held_within(0.0, 100.0, value, half_width)
    assert 0.0 <= low <= held <= high <= 100.0
    assert max(held - low, high - held) == pytest.approx(half_width)


def test_a_place_is_as_sure_as_the_needle() -> None:
    sure = NormalDist().inv_cdf(0.975) * OPTIONS.confident_within_deg / NormalDist().inv_cdf(0.95)
    seen = make_reading(scale_fraction=0.5, start_angle=45.0, end_angle=315.0, clockwise=True, confidence={"scale_fraction": 0.9})
    assert fraction_span(seen, OPTIONS) == pytest.approx((0.5 - sure / 270, 0.5, 0.5 + sure / 270))
    # The ends not seen: a short scale is assumed, on which the same angle is more.
    unseen = make_reading(scale_fraction=0.5, confidence={"scale_fraction": 0.9})
    assert fraction_span(unseen, OPTIONS) == pytest.approx((0.5 - sure / 240, 0.5, 0.5 + sure / 240))
    # The angle's own confidence counts before that of the place.
    both = make_reading(scale_fraction=0.5, confidence={"scale_fraction": 0.9, "pointer_angle": 0.5})
    assert (fraction_span(both, OPTIONS) or (1.0,))[0] < (fraction_span(unseen, OPTIONS) or (0.0,))[0]


def test_a_place_off_the_scale_is_none() -> None:
    assert fraction_span(make_reading(), OPTIONS) is None
    assert fraction_span(make_reading(scale_fraction=1.2), OPTIONS) is None
    assert fraction_span(make_reading(scale_fraction=-0.2), OPTIONS) is None
    beside = fraction_span(make_reading(scale_fraction=-0.005), OPTIONS)
    assert beside == pytest.approx((0.0, 0.0, 3.0 / 240))


@pytest.mark.parametrize(
    ("digits", "own", "expected"),
    [
        ("56.1", {}, (56.05, 56.1, 56.15)),
        ("819", {}, (818.5, 819.0, 819.5)),
        ("5.0", {"value": 5.0, "value_low": 4.0, "value_high": 5.0}, (4.0, 5.0, 5.05)),
    ],
)
def test_digits_are_known_to_half_of_the_last_one(digits: str, own: dict[str, float], expected: tuple[float, ...]) -> None:
    given_by = {**own, "value_source": "digits"} if own else {}
    assert digits_span(make_reading("digital", digital_readout=digits, **given_by)) == pytest.approx(expected)


def test_what_is_no_number_has_no_interval() -> None:
    assert digits_span(make_reading("digital")) is None


def test_an_extreme_between_the_ends_is_met() -> None:
    hill = load_curve("100 - (angle - 50) ** 2")
    assert evaluate_over(hill, {"pointer_angle": (45.0, 46.0, 55.0)}) == pytest.approx((75.0, 84.0, 100.0))


def test_several_variables_are_taken_together() -> None:
    both = load_curve("angle * readout")
    assert evaluate_over(both, {"pointer_angle": (1.0, 2.0, 3.0), "digital_readout": (10.0, 10.0, 20.0)}) == (10.0, 20.0, 60.0)


def test_the_corner_of_a_table_is_met() -> None:
    table = load_curve("", [(0.0, 0.0), (10.1, 50.0), (20.0, 0.0)])
    assert evaluate_over(table, {"pointer_angle": (0.0, 5.0, 20.0)})[2] == 50.0


def test_a_formula_of_digits_and_place_has_a_width() -> None:
    for expression, seen in (
        ("160 * sqrt(scale fraction)", {"scale_fraction": 0.25}),
        ("readout * 2", {"digital_readout": "7"}),
    ):
        facts = make_facts(
            formula=FormulaFact(
                chunk="f", text=f"x = {expression}", quantity="x", expression=expression, variable="x", unit="MPa"
            ),
            value_range=None,
        )
        found = calibrate(make_reading("dial", **seen), facts).reading
        assert found.value is not None
        assert found.value_low is not None
        assert found.value_high is not None
        assert found.value_low < found.value < found.value_high


def place(facts: ModelFacts, share: float, confidence: float) -> Calibration:
    """A dial's needle at a share of its scale, read with a confidence."""
    points = facts.formula.points if facts.formula else ()
    low, high = (facts.angle_range.low, facts.angle_range.high) if facts.angle_range else (30.0, 330.0)
    low, high = (points[0][0], points[-1][0]) if points else (low, high)
    angle = low + share * (high - low)
    if facts.angle_frame is not None:
        origin = (facts.angle_frame.origin_hour - 6) * 30.0
        angle = origin + angle if facts.angle_frame.clockwise else origin - angle
    sure = {"pointer_angle": confidence, "scale_fraction": confidence}
    seen: dict[str, Any] = {"pointer_angle": angle % 360.0 % 360.0, "scale_fraction": share, "confidence": sure}
    if facts.kind in ("digital", "counter"):
        seen = {"digital_readout": f"{100 * share:.1f}"}
    return calibrate(make_reading(facts.kind or "dial", facts.model, **seen), facts)


def width(found: Calibration) -> float:
    assert found.reading.value_low is not None
    assert found.reading.value_high is not None
    return found.reading.value_high - found.reading.value_low


def test_every_formula_of_the_manuals_has_an_interval_that_grows_with_the_doubt(corpus_kb: KnowledgeBase) -> None:
    checked = 0
    for model in corpus_kb.models():
        facts = corpus_kb.facts(model)
        if facts is None or facts.formula is None:
            continue
        for share in (0.0, 0.03, 0.31, 0.5, 0.77, 1.0):
            sure, unsure = (place(facts, share, confidence) for confidence in (0.99, 0.4))
            if not sure.used:
                continue
            checked += 1
            assert width(sure) > 0.0, (model, share)
            if facts.kind not in ("digital", "counter"):
                assert width(unsure) > width(sure), (model, share)
    assert checked > 60
