"""The accuracy class: arithmetic of the span, and what a wider interval or a near limit means."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.facts import AccuracyFact, RangeFact
from rag.accuracy import judge_accuracy, permitted_error
from rag.diagnosis import judge_value
from rag.limits import Interval, convert_interval
from rag.status import assess
from tests.rag.builders import make_facts, make_reading

CLASS = AccuracyFact(chunk="r", text="The accuracy class is 1.6.", percent_of_span=1.6)


def facts(**changes: Any) -> Any:
    return make_facts(**{"accuracy": CLASS, **changes})


def judge(low: float, high: float, unit: str | None = "MPa", **changes: Any) -> list[Any]:
    reading = make_reading(value=(low + high) / 2, value_low=low, value_high=high, unit=unit, value_source="numerals")
    known = facts(**changes)
    return list(judge_accuracy(reading, known, judge_value(reading, known, "en"), "en"))


def test_the_manuals_own_figure() -> None:
    assert permitted_error(facts(), "MPa") == pytest.approx(1.92)
    (finding,) = judge(40.0, 41.0)
    assert finding.name == "accuracy_class"
    assert finding.slots == {"error": "1.92", "unit": "MPa", "percent": "1.6", "span": "120"}
    assert finding.workings == ("1.6 % x 120 MPa = 1.92 MPa",)
    assert [fact.chunk for fact in finding.facts] == ["r", "r"]


@settings(deadline=None)
@given(st.sampled_from(["bar", "kPa", "psi", "kgf/cm2", "x0.1 MPa"]))
def test_the_error_scales_with_the_unit(unit: str) -> None:
    span = convert_interval(Interval(0.0, 1.92), "MPa", unit)
    assert permitted_error(facts(), unit) == pytest.approx(span.high - span.low)


def test_an_offset_between_units_is_no_error() -> None:
    warm = facts(value_range=RangeFact(chunk="r", text="", low=0, high=100, unit="°C"))
    assert permitted_error(warm, "°C") == pytest.approx(1.6)
    assert permitted_error(warm, "°F") == pytest.approx(1.6 * 1.8)
    assert permitted_error(warm, "K") == pytest.approx(1.6)


@pytest.mark.parametrize(
    ("changes", "unit"),
    [({"accuracy": None}, "MPa"), ({"value_range": None}, "MPa"), ({}, "°C"), ({}, None)],
)
def test_nothing_is_said_without_class_range_or_unit(changes: Any, unit: Any) -> None:
    assert judge(40.0, 41.0, unit, **changes) == []


def test_an_interval_wider_than_the_class_is_said() -> None:
    assert [one.name for one in judge(38.0, 42.1)] == ["accuracy_class", "accuracy_wider"]
    assert judge(38.0, 42.1)[1].slots["half_width"] == "2.05"
    assert [one.name for one in judge(38.1, 41.9)] == ["accuracy_class"]


@pytest.mark.parametrize(
    ("low", "high", "near"),
    [(78.0, 79.0, "warning"), (60.0, 61.0, None), (98.5, 99.0, "alarm"), (81.0, 82.0, None), (101.0, 102.0, None)],
)
def test_a_limit_within_the_permitted_error(low: float, high: float, near: str | None) -> None:
    found = [one.slots["level_name"] for one in judge(low, high) if one.name == "accuracy_near"]
    assert found == ([near] if near else [])


def test_near_a_limit_is_a_reason_to_look() -> None:
    reading = make_reading(value=78.5, value_low=78, value_high=79, unit="MPa", value_source="numerals")
    placed = judge_value(reading, facts(), "en")
    assert assess(reading, facts(), placed).status == "normal"
    assert assess(reading, facts(), (*placed, *judge_accuracy(reading, facts(), placed, "en"))).status == "attention"


def test_a_straddling_interval_needs_no_second_word() -> None:
    assert [one.name for one in judge(79.5, 80.5)] == ["accuracy_class"]
