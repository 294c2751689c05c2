"""Laws of limits: conversion changes nothing, a higher value is never judged milder, an interval is judged as a whole."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.facts import LEVELS, LimitFact, ModelFacts
from rag.accuracy import judge_accuracy
from rag.diagnosis import Diagnosis, judge_value
from rag.limits import Interval, border, convert_interval, levels_of, limits_for, touched_bands, unstated
from rag.status import assess
from tests.rag.builders import make_facts, make_reading

PRESSURE = ("MPa", "kPa", "Pa", "bar", "mbar", "psi", "kgf/cm2", "inHg", "mmHg", "x0.1 MPa", "x1000 Pa")
VALUES = st.floats(-20.0, 150.0, allow_nan=False)
WIDTHS = st.floats(0.0, 40.0, allow_nan=False)


def read(low: float, high: float, unit: str | None = "MPa") -> Any:
    middle = min(max((low + high) / 2, low), high)
    return make_reading(value=middle, value_low=low, value_high=high, unit=unit, value_source="numerals")


def bands(*ends: float) -> ModelFacts:
    """Normal up to the first end, warning to the second, alarm above: no measuring range."""
    first, second = ends
    rows: list[dict[str, Any]] = [
        {"level": "normal", "high": first},
        {"level": "warning", "low": first, "high": second, "low_included": False},
        {"level": "alarm", "low": second, "low_included": False},
    ]
    limits = tuple(LimitFact(chunk="l", text="", unit="MPa", **row) for row in rows)
    return make_facts(limits=limits, value_range=None, accuracy=None)


def bounds(findings: tuple[Diagnosis, ...]) -> tuple[int, int]:
    least = [LEVELS.index(one.least) for one in findings if one.least is not None]
    most = [LEVELS.index(one.most) for one in findings if one.most is not None]
    return max(least), max(most)


@settings(deadline=None)
@given(VALUES, VALUES, WIDTHS)
def test_a_higher_value_is_never_judged_milder(one: float, other: float, width: float) -> None:
    lower, upper = sorted((one, other))
    facts = bands(50.0, 100.0)
    judged = [bounds(judge_value(read(value, value + width), facts, "en")) for value in (lower, upper)]
    assert judged[0][0] <= judged[1][0]
    assert judged[0][1] <= judged[1][1]


@settings(deadline=None)
@given(VALUES, WIDTHS, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_narrower_interval_proves_as_much_and_leaves_no_more_open(low: float, width: float, a: float, b: float) -> None:
    inner = sorted((low + a * width, low + b * width))
    outer_least, outer_most = bounds(judge_value(read(low, low + width), bands(50.0, 100.0), "en"))
    least, most = bounds(judge_value(read(*inner), bands(50.0, 100.0), "en"))
    assert outer_least <= least <= most <= outer_most


@settings(deadline=None)
@given(VALUES)
def test_a_point_lies_where_the_facts_say(value: float) -> None:
    (finding,) = judge_value(read(value, value), bands(50.0, 100.0), "en")
    stated = bands(50.0, 100.0).limit_at(value)
    assert stated is not None
    assert (finding.name, finding.least, finding.most) == ("limit_within", stated.level, stated.level)


@settings(deadline=None)
@given(VALUES, WIDTHS, st.sampled_from(PRESSURE))
def test_the_unit_of_the_reading_changes_no_judgement(low: float, width: float, unit: str) -> None:
    facts = make_facts()
    converted = convert_interval(Interval(low, low + width), "MPa", unit)
    here = judge_value(read(low, low + width), facts, "en")
    there = judge_value(read(converted.low, converted.high, unit), facts, "en")
    assert [one.name for one in there if one.name != "value_converted"] == [one.name for one in here]
    assert bounds_or_none(there) == bounds_or_none(here)


def bounds_or_none(findings: tuple[Diagnosis, ...]) -> Any:
    return [(one.least, one.most) for one in findings if one.name != "value_converted"]


@pytest.mark.parametrize("unit", PRESSURE)
@pytest.mark.parametrize("end", [80.0, 100.0])
def test_a_value_on_a_limit_stays_on_it_in_every_unit(end: float, unit: str) -> None:
    low, high = convert_interval(Interval(end, end), "MPa", unit)
    names = [one.name for one in judge_value(read(low, high, unit), make_facts(), "en") if one.name != "value_converted"]
    assert names == ["limit_within"]


@pytest.mark.parametrize(("unit", "low", "high"), [("°F", 140.0, 141.0), ("K", 333.15, 334.0), ("°C", 60.0, 61.0)])
def test_temperatures_have_another_zero(unit: str, low: float, high: float) -> None:
    rows = (
        LimitFact(chunk="l", text="", level="normal", high=59.9, unit="°C"),
        LimitFact(chunk="l", text="", level="alarm", low=59.9, low_included=False, unit="°C"),
    )
    findings = judge_value(read(low, high, unit), make_facts(limits=rows, value_range=None), "en")
    assert findings[-1].slots["level_name"] == "alarm"


@settings(deadline=None)
@given(st.lists(st.floats(-100, 100), min_size=2, max_size=6, unique=True), VALUES, WIDTHS)
def test_bands_without_gaps_leave_nothing_unstated(ends: list[float], low: float, width: float) -> None:
    ordered = sorted(ends)
    rows = [LimitFact(chunk="l", text="", level="alarm", high=ordered[0], unit="MPa")]
    for a, b in itertools.pairwise(ordered):
        rows.append(LimitFact(chunk="l", text="", level="normal", low=a, high=b, low_included=False, unit="MPa"))
    rows.append(LimitFact(chunk="l", text="", level="alarm", low=ordered[-1], low_included=False, unit="MPa"))
    limits = limits_for(make_facts(limits=tuple(rows)), "MPa")
    interval = Interval(low, low + width)
    touched = touched_bands(limits, interval)
    assert touched
    assert not unstated(touched, interval, None)


def test_a_gap_between_bands_is_seen() -> None:
    rows = (
        LimitFact(chunk="l", text="", level="normal", low=0, high=10, unit="MPa"),
        LimitFact(chunk="l", text="", level="alarm", low=20, unit="MPa"),
    )
    facts = make_facts(limits=rows, value_range=None)
    assert [one.name for one in judge_value(read(5, 25), facts, "en")] == ["limit_straddles", "limit_partly_stated"]
    assert [one.name for one in judge_value(read(12, 15), facts, "en")] == ["limit_outside_stated"]
    assert judge_value(read(5, 25), facts, "en")[0].slots["limit"] == "20"


def test_bands_in_several_units_come_in_one() -> None:
    rows = (
        LimitFact(chunk="l", text="", level="alarm", low=100, unit="bar"),
        LimitFact(chunk="l", text="", level="normal", low=0, high=10, unit="MPa"),
    )
    limits = limits_for(make_facts(limits=rows), "kPa")
    assert [(one.level, one.unit) for one in limits] == [("normal", "bar"), ("alarm", "bar")]
    assert limits[0].high == pytest.approx(100.0)
    assert limits_for(make_facts(limits=rows), "°C") == ()
    assert levels_of(limits) == ("normal", "alarm")
    assert border(*limits) == 100


@settings(deadline=None)
@given(VALUES, WIDTHS, st.sampled_from(["en", "zh"]))
def test_the_state_is_never_better_than_any_value_of_the_interval(low: float, width: float, language: Any) -> None:
    reading = read(low, low + width)
    facts = make_facts()
    placed = judge_value(reading, facts, language)
    findings = (*placed, *judge_accuracy(reading, facts, placed, language))
    state = assess(reading, facts, findings)
    worst = [facts.limit_at(min(max(end, 0.0), 1e9)) for end in (low, low + width)]
    levels = {fact.level for fact in worst if fact is not None}
    if "alarm" in levels:
        assert state.status in ("alarm", "undecided")
    if "warning" in levels:
        assert state.status != "normal"
    if state.status == "normal":
        assert levels == {"normal"}
