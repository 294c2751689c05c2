"""Fields of one photo that do not go together are named; what may go together is not called a contradiction."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge.articles import Language
from knowledge.facts import LampFact, ModeFact, ReadoutFact
from knowledge.search import KnowledgeBase
from rag.contradictions import (
    Sibling,
    find_lamp,
    judge_display,
    judge_kind,
    judge_lamp,
    judge_readout,
    judge_selector,
    judge_units,
)
from rag.diagnosis import judge_value
from rag.pipeline import Pipeline
from rag.readability import judge_report
from tests.rag.builders import make_facts, make_photo, make_reading


def valued(kind: str, value: float, half: float, unit: str | None, **fields: Any) -> Any:
    own = {"value": value, "value_low": value - half, "value_high": value + half, "unit": unit}
    return make_reading(kind, "T-1", value_source="digits" if kind == "digital" else "numerals", **own, **fields)


def lamp(color: Any, meaning: str, action: str = "") -> LampFact:
    return LampFact(chunk="c", text=f"{color}; {meaning}", color=color, meaning=meaning, action=action)


@pytest.mark.parametrize(
    ("color", "meaning", "value", "expected"),
    [
        ("green", "Pressure normal and sensor healthy", 110.0, "lamp_contradicts_high"),
        ("green", "压力正常", 110.0, "lamp_contradicts_high"),
        ("green", "Press ready for a stroke", 110.0, "lamp_beside_high"),
        ("green", "Pressure normal", 40.0, None),
        ("red", "Temperature above the alarm limit", 40.0, "lamp_contradicts_normal"),
        ("red", "Over-pressure or sensor fault", 40.0, "lamp_beside_normal"),
        ("red", "压力超过报警限值或显示表故障", 40.0, "lamp_beside_normal"),
        ("red", "Press blocked by the safety valve", 40.0, "lamp_beside_normal"),
        ("red", "Over-pressure", 110.0, None),
        ("yellow", "Valve is moving", 110.0, None),
        ("off", "No supply", 110.0, None),
    ],
)
def test_lamp_against_value(color: Any, meaning: str, value: float, expected: str | None) -> None:
    facts = make_facts(lamps=(lamp(color, meaning),))
    placed = judge_value(valued("dial", value, 0.5, "MPa"), facts, "en")
    found = judge_lamp(facts, color, placed, "en")
    assert [one.name for one in found] == ([expected] if expected else [])
    assert all(one.least == "warning" and one.facts[-1].chunk == "c" for one in found)


@pytest.mark.parametrize(("color", "value"), [("green", 80.0), ("red", 80.0)])
def test_a_straddling_value_contradicts_nothing(color: Any, value: float) -> None:
    facts = make_facts()
    assert judge_lamp(facts, color, judge_value(valued("dial", value, 1.0, "MPa"), facts, "en"), "en") == ()


def test_no_value_contradicts_nothing() -> None:
    assert judge_lamp(make_facts(), "green", (), "en") == ()
    assert judge_lamp(make_facts(), None, judge_value(valued("dial", 110, 1, "MPa"), make_facts(), "en"), "en") == ()


def test_the_only_lamp_of_the_same_model_belongs_to_the_instrument() -> None:
    dial = make_reading(model="T-1", pointer_angle=1.0)
    red = Sibling(2, make_reading("lamp", "T-1", warning_light_color="red"))
    green = Sibling(3, make_reading("lamp", "T-1", warning_light_color="green"))
    assert find_lamp(dial, [red]) == "red"
    assert find_lamp(dial, [red, green]) is None
    assert find_lamp(make_reading(model="T-1", warning_light_color="off"), [red]) == "off"
    assert find_lamp(dial, []) is None


OFF = ModeFact(chunk="m", text="1; Off; Everything is off.", position=1, name="Off", meaning="Everything is off.")
SHOWS = ModeFact(chunk="m", text="1; Off", position=1, name="Off", meaning="The electronics are off; the display still shows it.")
HAND = ModeFact(chunk="m", text="1; Manual", position=1, name="Manual", meaning="By hand.")


@pytest.mark.parametrize(("mode", "count"), [(OFF, 1), (SHOWS, 0), (HAND, 0)])
def test_a_selector_at_off_beside_lit_digits(mode: ModeFact, count: int) -> None:
    facts = make_facts(modes=(mode,))
    both = make_reading("digital", "T-1", mode_dial_position=1, digital_readout="4.2")
    assert len(judge_selector(both, facts, ())) == count
    knob = Sibling(2, make_reading("selector", "T-1", mode_dial_position=1))
    display = make_reading("digital", "T-1", digital_readout="4.2")
    assert len(judge_selector(display, facts, [knob])) == count
    assert judge_selector(display, facts, [knob, knob]) == ()
    assert judge_selector(make_reading(model="T-1", pointer_angle=1.0), facts, [knob]) == ()


def test_a_pointer_stands_where_nothing_is_switched_on() -> None:
    dial = make_reading(model="T-1", pointer_angle=90.0, mode_dial_position=1)
    assert judge_selector(dial, make_facts(modes=(OFF,)), ()) == ()


@pytest.mark.parametrize(
    ("shown", "unit", "count"),
    [(9.0, "bar", 0), (0.9, "MPa", 0), (12.0, "bar", 1), (1.2, "MPa", 1), (12.0, "°C", 0), (12.0, None, 0)],
)
def test_pointer_and_display_of_one_model(shown: float, unit: str | None, count: int) -> None:
    dial = valued("dial", 9.0, 0.5, "bar")
    display = Sibling(2, valued("digital", shown, 0.001, unit, digital_readout=str(shown)))
    found = judge_display(dial, [display])
    assert len(found) == count
    assert judge_display(display.reading, [Sibling(1, dial)]) == ()
    assert judge_display(dial, [display, display]) == ()
    assert all(one.most == "alarm" and set(one.slots.values()) == set(one.workings) for one in found)


def test_two_instruments_of_one_model_in_two_units() -> None:
    first, second = valued("dial", 9.0, 0.5, "bar"), valued("dial", 0.9, 0.05, "MPa")
    (found,) = judge_units(first, 1, [Sibling(2, second)])
    assert found.slots == {"number": "1", "other": "2", "unit": "bar", "other_unit": "MPa"}
    assert judge_units(second, 2, [Sibling(1, first)]) == ()
    assert judge_units(first, 1, [Sibling(2, first)]) == ()
    assert judge_units(first, 1, [Sibling(2, valued("dial", 20, 1, "°C"))]) == ()
    assert judge_units(first, 1, [Sibling(2, valued("dial", 20, 1, None))]) == ()


def test_digits_on_a_dial_count_only_by_the_manuals_word() -> None:
    dial = valued("dial", 9.0, 0.5, "bar", digital_readout="4711")
    assert judge_readout(dial, make_facts(readout=None)) == ()
    stated = make_facts(readout=ReadoutFact(chunk="u", text="The digits are the reading."))
    assert [one.name for one in judge_readout(dial, stated)] == ["display_contradicts_dial"]
    assert judge_readout(valued("dial", 9.0, 0.5, "bar", digital_readout="9.2"), stated) == ()


@pytest.mark.parametrize(
    ("manual", "seen"),
    [
        ("SP-3", "dial"),
        ("TD-4", "dial"),
        ("BT-160", "digital"),
        ("BT-160", "lamp"),
        ("XYZ-2000", "counter"),
        ("EM-3", "selector"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_model_of_another_kind_is_named_and_its_limits_are_not_used(
    pipeline: Pipeline, corpus_kb: KnowledgeBase, manual: str, seen: str, language: Language
) -> None:
    value = {"value": 1e3, "value_low": 999.0, "value_high": 1001.0, "value_source": "numerals", "value_confidence": 0.9}
    own = value if seen in ("dial", "digital", "counter") else {}
    shown = {"warning_light_color": "green"} if seen == "lamp" else {"mode_dial_position": 2} if seen == "selector" else {}
    run = pipeline.run(make_photo(make_reading(seen, manual, **own, **shown)), language)
    assert run.document is not None
    texts = [one.text for one in run.document.statements]
    words = "check the model" if language == "en" else "请核对型号"
    assert sum(words in text for text in texts) == 1
    assert all(one.supported for one in run.document.statements)
    assert not any("range of the manual" in text or "说明书规定的" in text for text in texts)
    headline = run.document.sections[0].headline
    assert headline is not None
    assert headline.status.startswith(("undecided", "无法判定"))
    assert judge_report(run.document).passed


@pytest.mark.parametrize(("manual", "seen"), [("XYZ-2000", "lamp"), ("RS-7", "lamp"), ("GM-6", "digital"), ("TD-4", "counter")])
def test_a_kind_that_the_manual_explains_too_is_no_contradiction(corpus_kb: KnowledgeBase, manual: str, seen: str) -> None:
    facts = corpus_kb.facts(manual)
    assert facts is not None
    assert judge_kind(make_reading(seen, manual), facts, (), "en") == ()


def test_a_display_beside_the_dial_of_its_model_is_no_contradiction(corpus_kb: KnowledgeBase) -> None:
    facts = corpus_kb.facts("BT-160")
    assert facts is not None
    display, dial = make_reading("digital", "BT-160"), make_reading("dial", "BT-160")
    assert judge_kind(display, facts, (Sibling(2, dial),), "en") == ()
    assert [one.name for one in judge_kind(display, facts, (), "en")] == ["kind_not_of_model"]
