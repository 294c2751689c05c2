"""What a question asks for, from names and from free text in both languages."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from knowledge.articles import Article
from knowledge.chunks import build_chunks
from knowledge.facts import LampFact, ModeFact, ModelFacts, UnitFact
from knowledge.intents import detect_intent, gives_cause, gives_data, score_facts


@pytest.mark.parametrize(
    ("query", "topics", "color", "position"),
    [
        ("gauge_calibration_formula", ("formula",), None, None),
        ("unit_declaration", ("unit",), None, None),
        ("warning_light_color_meaning_red", ("lamp",), "red", None),
        ("mode_dial_meaning_3", ("mode",), None, 3),
        ("emergency_shutdown_procedure", ("emergency",), None, None),
        ("What does the amber lamp of the XYZ-2000 mean?", ("lamp",), "yellow", None),
        ("meaning of mode selector position 5 of XYZ-2000", ("mode",), None, 5),
        ("XYZ-2000 警示灯红色的含义", ("lamp",), "red", None),
        ("模式旋钮第 4 档是什么", ("mode",), None, 4),
        ("BT-160 的单位声明：读数采用的单位", ("unit",), None, None),
        ("紧急停机怎么做", ("emergency",), None, None),
        ("压力的正常范围和报警值", ("limits",), None, None),
        ("error code Er2", ("codes",), None, None),
        ("accuracy and measuring range", ("value_range", "accuracy"), None, None),
        ("where the pointer angle starts and in which direction it runs", ("angle_frame",), None, None),
        ("pointer angles between which the scale is valid", ("angle_range",), None, None),
        ("who cleans the glass", (), None, None),
        ("", (), None, None),
    ],
)
def test_intents(query: str, topics: tuple[str, ...], color: str | None, position: int | None) -> None:
    intent = detect_intent(query)
    assert (intent.topics, intent.color, intent.position) == (topics, color, position)


@pytest.mark.parametrize(
    ("query", "codes", "level", "action", "stop"),
    [
        ("the display says E2", ("2",), None, False, False),
        ("Er3 came up: which keys restore the settings", ("3",), None, False, False),
        ("steps to stop the press in an alarm", (), "alarm", True, True),
        ("normal, warning and alarm values", (), "alarm", False, False),
        ("报警以后怎么停机", (), "alarm", True, True),
        ("预警与报警", (), None, False, False),
        ("meaning of the red lamp", (), None, False, False),
    ],
)
def test_what_is_to_be_done(query: str, codes: tuple[str, ...], level: str | None, action: bool, stop: bool) -> None:
    intent = detect_intent(query)
    assert (intent.codes, intent.level, intent.action, intent.stop) == (codes, level, action, stop)


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("bar or MPa?", True),
        ("Is it in psi?", True),
        ("Celsius or Fahrenheit?", True),
        ("cubic metres or litres on the FQ-160?", True),
        ("Percent of what?", True),
        ("读数是 bar 还是 MPa", True),
        ("How many amps can it carry?", False),
        ("It is off by half a bar, can it be mended?", False),
        ("How large may the error be in MPa?", False),
        ("How quickly does the KW-60 settle?", False),
        ("is 95 MPa too much", False),
    ],
)
def test_a_unit_without_a_number_is_asked_for(query: str, asked: bool) -> None:
    assert ("unit" in detect_intent(query).topics) is asked


@pytest.mark.parametrize(
    ("query", "cause"),
    [
        ("Why is the needle shaking?", True),
        ("The pointer hangs, what is wrong?", True),
        ("What does that tell me?", True),
        ("指针抖动是什么原因", True),
        ("How often is it checked?", False),
        ("多久校准一次", False),
    ],
)
def test_a_question_after_a_cause_is_known(query: str, cause: bool) -> None:
    assert detect_intent(query).cause is cause


@pytest.mark.parametrize(
    "text", ["The helix is broken.", "Tap it, because the levers stick.", "A dull edge shows that it is worn.", "说明密封磨损"]
)
def test_a_cause_is_found_in_a_passage(text: str) -> None:
    assert gives_cause(text)


@pytest.mark.parametrize(
    ("query", "datum"),
    [
        ("Which thread does the CV-1 have?", True),
        ("How much current does it draw?", True),
        ("最大过载是多少", True),
        ("What do I do now?", False),
        ("Why does it shake, and how much?", False),
        ("What is the accuracy?", False),
        ("Is it waterproof?", False),
    ],
)
def test_a_question_after_a_property_is_known(query: str, datum: bool) -> None:
    assert detect_intent(query).datum is datum


def test_tables_of_properties_are_told_from_others(make_article: Callable[..., Article]) -> None:
    tables = {"Item": True, "State": False, "Code": False, "Lamp colour": False}
    for head, data in tables.items():
        (chunk,) = build_chunks(make_article(f"# T\n\n## 1 A\n\n| {head} | Value |\n|---|---|\n| Red | 1 |\n| Off | 2 |\n"))
        assert gives_data(chunk) is data, head


def test_no_cause_where_none_is_given() -> None:
    assert not gives_cause("Wipe the glass with a soft cloth.")


@pytest.mark.parametrize(
    ("query", "stop"),
    [
        ("How do I stop the mill?", True),
        ("shut the pump down, how", True),
        ("when is the transformer taken off the grid", True),
        ("What do I do before I take the meter off?", False),
        ("the motor is switched off, how can I adjust the zero", False),
    ],
)
def test_only_what_is_brought_to_a_halt_is_stopped(query: str, stop: bool) -> None:
    assert detect_intent(query).stop is stop


def test_a_number_in_a_model_is_no_position() -> None:
    assert detect_intent("mode of the RS-5").position is None
    assert detect_intent("position 2.5 of the mode dial").position is None


def facts() -> ModelFacts:
    return ModelFacts(
        model="M",
        language="en",
        document="d",
        version="1",
        unit=UnitFact(chunk="u", text="", quantity="pressure", unit="bar"),
        lamps=(LampFact(chunk="l", text="", color="red", meaning="stop"),),
        modes=(ModeFact(chunk="m", text="", position=1, name="Off", meaning="off"),),
    )


def test_scores_name_the_chunk_that_states_the_fact() -> None:
    assert score_facts(detect_intent("unit_declaration"), facts()) == {"u": 1.0}
    assert score_facts(detect_intent("unit of the red lamp"), facts()) == {"u": 1.0, "l": 1.0}
    assert score_facts(detect_intent("gauge_calibration_formula"), facts()) == {}
    assert score_facts(detect_intent("nothing"), facts()) == {}


def test_a_colour_or_position_that_is_not_there_scores_low() -> None:
    assert score_facts(detect_intent("warning_light_color_meaning_green"), facts()) == {"l": 0.3}
    assert score_facts(detect_intent("mode_dial_meaning_1"), facts()) == {"m": 1.0}
    assert score_facts(detect_intent("mode_dial_meaning_4"), facts()) == {"m": 0.3}
