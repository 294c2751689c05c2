"""Trend arithmetic: robust slope, jump, agreement; the same in every unit; nothing said that was not measured."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.history import Past, PastReading
from rag.limits import Interval, convert_interval
from rag.trend import Point, judge_trend, theil_sen
from tests.rag.builders import make_reading

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)


def past(*values: float, half: float = 0.1, unit: str | None = "MPa", step: timedelta = timedelta(hours=1)) -> Past:
    """Readings at equal steps before now."""
    count = len(values)
    return Past(
        NOW,
        tuple(PastReading(NOW - step * (count - n), v, v - half, v + half, unit) for n, v in enumerate(values)),
    )


def judge(value: float, before: Past | None, half: float = 0.1, unit: str | None = "MPa", language: Any = "en") -> list[Any]:
    own = {"value": value, "value_low": value - half, "value_high": value + half, "unit": unit, "value_source": "numerals"}
    return list(judge_trend(make_reading(**own), before, language))


def names(value: float, before: Past | None, **more: Any) -> list[str]:
    return [one.name for one in judge(value, before, **more)]


def test_without_a_known_instrument_nothing_is_said() -> None:
    assert names(5.0, None) == []
    assert judge_trend(make_reading(pointer_angle=3.0), past(1.0), "en") == ()


def test_no_earlier_readings_are_said() -> None:
    assert names(5.0, past()) == ["trend_none"]


@pytest.mark.parametrize(("then", "now"), [("°C", "MPa"), (None, "MPa"), ("MPa", None)])
def test_a_unit_that_does_not_convert_gives_no_trend(then: str | None, now: str | None) -> None:
    assert names(5.0, past(5.0, 5.0, unit=then), unit=now) == ["trend_other_unit"]


def test_values_without_units_compare_with_their_like() -> None:
    assert names(5.0, past(5.0, unit=None), unit=None) == ["trend_same"]


@pytest.mark.parametrize(
    ("value", "name"), [(5.0, "trend_same"), (5.19, "trend_same"), (5.3, "trend_changed"), (4.7, "trend_changed")]
)
def test_the_last_reading_is_compared_interval_with_interval(value: float, name: str) -> None:
    (finding,) = judge(value, past(5.0))
    assert finding.name == name
    assert finding.slots == {"last": "5 MPa", "count": "1", "since": "2026-05-10 11:00"}
    assert finding.earlier
    assert finding.least is None


def test_a_lopsided_interval_is_compared_as_it_is() -> None:
    before = Past(NOW, (PastReading(NOW - timedelta(hours=1), 5.0, 5.0, 7.0, "MPa"),))
    assert names(6.9, before) == ["trend_same"]
    assert names(4.8, before) == ["trend_changed"]


def test_a_steady_rise_has_its_slope() -> None:
    same, rising = judge(6.0, past(1.0, 2.0, 3.0, 4.0, 5.0))
    assert same.name == "trend_changed"
    assert (rising.name, rising.slots) == ("trend_rising", {"count": "6", "rate": "1 MPa", "per": "per hour"})
    assert judge(0.0, past(5.0, 4.0, 3.0, 2.0, 1.0))[1].name == "trend_falling"
    days = judge(6.0, past(1.0, 2.0, 3.0, 4.0, 5.0, step=timedelta(days=1)), language="zh")[1]
    assert days.slots["per"] == "每天"


def test_noise_within_the_intervals_is_no_trend() -> None:
    assert names(5.02, past(5.0, 5.03, 4.98, 5.01, 5.0)) == ["trend_same", "trend_steady"]


def test_one_wrong_reading_turns_no_slope() -> None:
    assert names(6.0, past(1.0, 2.0, 93.0, 4.0, 5.0))[1] == "trend_rising"


def test_a_jump_off_the_line_is_a_reason_to_look() -> None:
    (finding,) = judge(20.0, past(5.0, 5.1, 4.9, 5.0))
    assert (finding.name, finding.least) == ("trend_jump", "warning")
    assert names(20.0, past(5.0, 5.1)) == ["trend_changed"]


def test_readings_of_one_moment_have_no_slope() -> None:
    at_once = Past(NOW, tuple(PastReading(NOW, v, v, v, "MPa") for v in (1.0, 2.0, 3.0, 4.0)))
    assert theil_sen([Point(0.0, 1.0, 0.0), Point(0.0, 2.0, 0.0)]) is None
    assert names(2.0, at_once)[0] in ("trend_same", "trend_changed", "trend_jump")


SERIES = st.lists(st.floats(-50, 50).map(lambda value: round(value, 3)), min_size=1, max_size=8)


@settings(deadline=None)
@given(SERIES, st.floats(-50, 50), st.floats(0, 5), st.sampled_from(["bar", "kPa", "psi", "x0.1 MPa"]))
def test_the_unit_changes_no_finding(values: list[float], value: float, half: float, unit: str) -> None:
    before = past(*values, half=half)

    def change(one: PastReading) -> PastReading:
        low, high = convert_interval(Interval(one.low, one.high), "MPa", unit)
        middle = convert_interval(Interval(one.value, one.value), "MPa", unit).low
        return PastReading(one.taken_at, middle, min(low, middle), max(high, middle), unit)

    other = Past(NOW, tuple(change(one) for one in before.readings))
    here, there = (judge_names_with_margin(value, half, one) for one in (before, other))
    assert here is None or there is None or here == there


def judge_names_with_margin(value: float, half: float, before: Past) -> list[str] | None:
    """Names of the findings; None where a little more or less would change them, as rounding does."""
    told = [names(value, before, half=half * (1 + way) + 1e-6 * max(way, 0)) for way in (-1e-3, 0.0, 1e-3)]
    return told[1] if told[0] == told[1] == told[2] else None


@settings(deadline=None)
@given(SERIES, st.floats(-50, 50), st.floats(0, 5))
def test_a_shift_in_time_changes_nothing(values: list[float], value: float, half: float) -> None:
    before = past(*values, half=half)
    moved = Past(
        before.taken_at + timedelta(days=400),
        tuple(one._replace(taken_at=one.taken_at + timedelta(days=400)) for one in before.readings),
    )
    assert names(value, before, half=half) == names(value, moved, half=half)


@settings(deadline=None)
@given(st.lists(st.floats(-50, 50), min_size=3, max_size=8), st.floats(-3, 3))
def test_the_slope_of_a_line_is_its_own(offsets: list[float], slope: float) -> None:
    points = [Point(float(n), slope * n + offsets[0], 0.0) for n in range(len(offsets))]
    assert theil_sen(points) == pytest.approx(slope, abs=1e-6)
