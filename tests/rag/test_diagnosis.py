"""The value against limits: where it lies, where it cannot be decided, and lamps that tell another story."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge.facts import LimitFact
from rag.contradictions import judge_lamp
from rag.diagnosis import judge_value
from rag.limits import Interval, band_text, limits_for, touched_bands
from tests.rag.builders import make_facts, make_reading


def value(low: float, high: float, unit: str | None = "MPa") -> Any:
    return make_reading(value=(low + high) / 2, value_low=low, value_high=high, unit=unit, value_source="printed_scale")


def names(low: float, high: float, lamp: Any = None, unit: str = "MPa") -> list[str]:
    placed = judge_value(value(low, high, unit), make_facts(), "en")
    return [finding.name for finding in (*placed, *judge_lamp(make_facts(), lamp, placed, "en"))]


@pytest.mark.parametrize(
    ("low", "high", "level"),
    [(10, 12, "normal"), (0, 0, "normal"), (79, 80, "normal"), (80.1, 99, "warning"), (100.1, 110, "alarm"), (118, 119, "alarm")],
)
def test_an_interval_within_one_band(low: float, high: float, level: str) -> None:
    (finding,) = judge_value(value(low, high), make_facts(), "en")
    assert finding.name == "limit_within"
    assert finding.slots["level_name"] == level
    assert finding.facts[0].chunk == "l"


def test_an_interval_across_a_limit_is_not_decided() -> None:
    (finding,) = judge_value(value(79.0, 81.0), make_facts(), "en")
    assert finding.name == "limit_straddles"
    assert finding.slots == {"limit": "80", "unit": "MPa", "lower_level": "normal", "upper_level": "warning"}
    assert len(finding.facts) == 2


def test_an_interval_across_two_limits_names_both() -> None:
    findings = judge_value(value(70.0, 110.0), make_facts(), "en")
    assert [finding.slots["limit"] for finding in findings] == ["80", "100"]


def test_the_value_in_another_unit_is_converted() -> None:
    converted, finding = judge_value(value(900.0, 950.0, "bar"), make_facts(), "en")
    assert converted.slots == {"value": "92.5", "value_low": "90", "value_high": "95", "unit": "MPa"}
    assert finding.slots["level_name"] == "warning"


def test_a_unit_of_another_quantity_is_said() -> None:
    (finding,) = judge_value(value(20.0, 21.0, "°C"), make_facts(), "en")
    assert finding.name == "limit_unit_differs"
    assert finding.slots == {"unit": "°C", "limit_unit": "MPa"}


def test_no_unit_no_comparison() -> None:
    (finding,) = judge_value(value(20.0, 21.0, None), make_facts(), "en")
    assert (finding.name, finding.slots) == ("limit_no_unit", {"limit_unit": "MPa"})
    bare = make_facts(unit=None, limits=(LimitFact(chunk="l", text="", level="alarm", low=5),))
    assert [one.name for one in judge_value(value(20.0, 21.0, None), bare, "en")] == ["limit_unit_not_declared"]


def test_no_value_no_finding() -> None:
    assert judge_value(make_reading(pointer_angle=3.0), make_facts(), "en") == ()


def test_no_limits_is_said() -> None:
    assert [f.name for f in judge_value(value(1, 2), make_facts(limits=()), "en")] == ["limit_not_stated"]


@pytest.mark.parametrize(
    ("low", "high", "lamp", "expected"),
    [
        (85, 90, "green", ["limit_within", "lamp_contradicts_high"]),
        (105, 110, "green", ["limit_within", "lamp_contradicts_high"]),
        (95, 105, "green", ["limit_straddles", "lamp_contradicts_high"]),
        (79, 81, "green", ["limit_straddles"]),
        (10, 20, "green", ["limit_within"]),
        (10, 20, "red", ["limit_within", "lamp_contradicts_normal"]),
        (79, 81, "red", ["limit_straddles"]),
        (105, 110, "red", ["limit_within"]),
        (10, 20, "yellow", ["limit_within"]),
        (105, 110, "off", ["limit_within"]),
    ],
)
def test_lamp_and_value_contradict_only_where_it_is_certain(low: float, high: float, lamp: Any, expected: list[str]) -> None:
    assert names(low, high, lamp) == expected


def test_the_contradiction_rests_on_band_and_lamp() -> None:
    placed = judge_value(value(105, 110), make_facts(), "zh")
    (finding,) = judge_lamp(make_facts(), "green", placed, "zh")
    assert [fact.chunk for fact in finding.facts] == ["l", "c"]
    assert finding.slots["level_name"] == "报警"


def band(**ends: Any) -> LimitFact:
    return LimitFact(chunk="l", text="", level="alarm", unit="V", **ends)


@pytest.mark.parametrize(
    ("ends", "english", "chinese"),
    [
        ({"low": 1, "high": 2}, "1 to 2 V", "1 至 2 V"),
        ({"low": 1, "high": 2, "low_included": False}, "above 1 to 2 V", "高于 1 至 2 V"),
        ({"low": 1}, "from 1 V", "不低于 1 V"),
        ({"low": 1, "low_included": False}, "above 1 V", "高于 1 V"),
        ({"high": 2}, "up to 2 V", "不高于 2 V"),
        ({"high": 2, "high_included": False}, "below 2 V", "低于 2 V"),
    ],
)
def test_bands_in_words(ends: Any, english: str, chinese: str) -> None:
    assert band_text(band(**ends), "V", "en") == english
    assert band_text(band(**ends), "V", "zh") == chinese


def test_bands_below_and_above_a_normal_range() -> None:
    limits = (
        band(high=196, high_included=False),
        LimitFact(chunk="l", text="", level="normal", low=196, high=253, unit="V"),
        band(low=253, low_included=False),
    )
    ordered = limits_for(make_facts(limits=limits), "V")

    def levels(low: float, high: float) -> list[str]:
        return [fact.level for fact in touched_bands(ordered, Interval(low, high))]

    assert levels(150, 195) == ["alarm"]
    assert levels(195, 196) == ["alarm", "normal"]
    assert levels(196, 253) == ["normal"]
    assert levels(253, 254) == ["normal", "alarm"]


def test_a_value_beyond_the_measuring_range_is_said_first() -> None:
    findings = judge_value(value(150, 160), make_facts(), "en")
    assert [one.name for one in findings] == ["range_exceeded", "limit_within"]
    assert findings[0].slots == {"low": "0", "high": "120", "unit": "MPa"}
    assert findings[0].facts[0].chunk == "r"


def test_a_low_limit_says_below() -> None:
    limits = (band(high=40, high_included=False), LimitFact(chunk="l", text="", level="normal", low=40, high=120, unit="V"))
    (finding,) = judge_value(value(39, 41, "V"), make_facts(limits=limits, value_range=None), "en")
    assert finding.name == "limit_straddles_low"
    assert finding.slots == {"limit": "40", "unit": "V", "lower_level": "alarm", "upper_level": "normal"}


@pytest.mark.parametrize(("low", "high"), [(115.0, 125.0), (119.0, 119.9)])
def test_what_no_band_covers_is_not_decided(low: float, high: float) -> None:
    limits = (LimitFact(chunk="l", text="", level="normal", low=0, high=118, unit="MPa"),)
    (finding,) = judge_value(value(low, high), make_facts(limits=limits, value_range=None), "en")
    assert finding.name == ("limit_partly_stated" if low < 118 else "limit_outside_stated")
    assert finding.most == "alarm"


def test_what_lies_off_the_scale_is_no_gap_in_the_limits() -> None:
    (finding,) = judge_value(value(-0.3, 0.5), make_facts(), "en")
    assert (finding.name, finding.slots["level_name"]) == ("limit_within", "normal")


def test_a_table_about_another_quantity_is_left_out() -> None:
    warm = LimitFact(chunk="l", text="", level="alarm", low=60, unit="°C")
    findings = judge_value(value(70, 71), make_facts(limits=(warm, *make_facts().limits)), "en")
    assert [one.slots["level_name"] for one in findings] == ["normal"]


def test_a_number_beyond_all_numbers_is_not_written_out() -> None:
    findings = judge_value(value(1e307, 1.1e307, "x1000 MPa"), make_facts(value_range=None), "en")
    assert [one.name for one in findings] == ["limit_within"]
    assert findings[0].slots["level_name"] == "alarm"
    assert not any("inf" in text for one in findings for text in one.slots.values())
