"""The value against limits: where it lies, where it cannot be decided, and lamps that tell another story."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge.facts import LimitFact
from rag.diagnosis import band_text, judge_value, touched_bands
from tests.rag.builders import make_facts, make_reading


def value(low: float, high: float, unit: str | None = "MPa") -> Any:
    return make_reading(value=(low + high) / 2, value_low=low, value_high=high, unit=unit, value_source="printed_scale")


def names(low: float, high: float, lamp: Any = None, unit: str = "MPa") -> list[str]:
    return [finding.name for finding in judge_value(value(low, high, unit), make_facts(), lamp, "en")]


@pytest.mark.parametrize(
    ("low", "high", "level"),
    [(10, 12, "normal"), (0, 0, "normal"), (79, 80, "normal"), (80.1, 99, "warning"), (100.1, 110, "alarm"), (150, 160, "alarm")],
)
def test_an_interval_within_one_band(low: float, high: float, level: str) -> None:
    (finding,) = judge_value(value(low, high), make_facts(), None, "en")
    assert finding.name == "limit_within"
    assert finding.slots["level_name"] == level
    assert finding.facts[0].chunk == "l"


def test_an_interval_across_a_limit_is_not_decided() -> None:
    (finding,) = judge_value(value(79.0, 81.0), make_facts(), None, "en")
    assert finding.name == "limit_straddles"
    assert finding.slots == {"limit": "80", "unit": "MPa", "lower_level": "normal", "upper_level": "warning"}
    assert len(finding.facts) == 2


def test_an_interval_across_two_limits_names_both() -> None:
    findings = judge_value(value(70.0, 110.0), make_facts(), None, "en")
    assert [finding.slots["limit"] for finding in findings] == ["80", "100"]


def test_the_value_in_another_unit_is_converted() -> None:
    (finding,) = judge_value(value(900.0, 950.0, "bar"), make_facts(), None, "en")
    assert finding.slots["level_name"] == "warning"


def test_a_unit_of_another_quantity_is_said() -> None:
    (finding,) = judge_value(value(20.0, 21.0, "°C"), make_facts(), None, "en")
    assert finding.name == "limit_unit_differs"
    assert finding.slots == {"unit": "°C", "limit_unit": "MPa"}


def test_no_unit_no_comparison() -> None:
    assert judge_value(value(20.0, 21.0, None), make_facts(), None, "en") == ()


def test_no_value_no_finding() -> None:
    assert judge_value(make_reading(pointer_angle=3.0), make_facts(), "green", "en") == ()


def test_no_limits_is_said() -> None:
    assert [f.name for f in judge_value(value(1, 2), make_facts(limits=()), None, "en")] == ["limit_not_stated"]


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
    finding = judge_value(value(105, 110), make_facts(), "green", "zh")[1]
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
    facts = make_facts(limits=limits)
    assert [fact.level for fact in touched_bands(facts, 150, 195)] == ["alarm"]
    assert [fact.level for fact in touched_bands(facts, 195, 196)] == ["alarm", "normal"]
    assert [fact.level for fact in touched_bands(facts, 196, 253)] == ["normal"]
    assert [fact.level for fact in touched_bands(facts, 253, 254)] == ["normal", "alarm"]
