"""One word for a state, never better than the evidence."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from knowledge.facts import LEVELS, LampFact
from rag.diagnosis import Diagnosis
from rag.status import STATUSES, assess, lamp_levels
from rag.templates import sentence
from tests.rag.builders import make_facts, make_reading

VALUE = {"value": 5.0, "value_low": 4.9, "value_high": 5.1, "value_source": "numerals", "unit": "MPa"}


def found(least: Any, most: Any) -> Diagnosis:
    return Diagnosis("limit_within", least=least, most=most)


@pytest.mark.parametrize(
    ("least", "most", "status"),
    [
        ("normal", "normal", "normal"),
        ("warning", "warning", "attention"),
        ("alarm", "alarm", "alarm"),
        ("normal", "warning", "undecided"),
        ("warning", "alarm", "undecided"),
        ("warning", None, "attention"),
        (None, "alarm", "undecided"),
        (None, None, "not_judged"),
    ],
)
def test_bounds_give_the_state(least: Any, most: Any, status: str) -> None:
    assert assess(make_reading(**VALUE), make_facts(), [found(least, most)]).status == status


LEVELS_OR_NONE = (None, *LEVELS)


def test_a_further_finding_never_makes_it_better() -> None:
    pairs = [
        (a, b) for a, b in product(LEVELS_OR_NONE, LEVELS_OR_NONE) if a is None or b is None or LEVELS.index(a) <= LEVELS.index(b)
    ]
    reading = make_reading(**VALUE)
    for one, other in product(pairs, pairs):
        alone = assess(reading, make_facts(), [found(*one)])
        both = assess(reading, make_facts(), [found(*one), found(*other)])
        if alone.least is not None:
            assert both.least is not None
            assert both.most is not None
            assert alone.most is not None
            assert LEVELS.index(both.least) >= LEVELS.index(alone.least)
            assert LEVELS.index(both.most) >= LEVELS.index(alone.most)


def test_doubt_leaves_everything_above_open() -> None:
    reading = make_reading(**VALUE)
    assert assess(reading, make_facts(), [found("normal", "normal")], doubted=True).status == "undecided"
    assert assess(reading, make_facts(), [found("alarm", "alarm")], doubted=True).status == "alarm"


def test_what_was_not_read_has_no_state() -> None:
    abstained = make_reading(status="abstained", reason="glare", pointer_angle=3.0)
    for reading in (abstained, make_reading(pointer_angle=3.0), make_reading("digital")):
        assert assess(reading, make_facts()).status == "not_read"


def test_a_green_lamp_does_not_stand_for_a_value_that_is_missing() -> None:
    reading = make_reading(pointer_angle=3.0, warning_light_color="green")
    green = LampFact(chunk="c", text="Green; No action", color="green", meaning="Normal", action="No action needed.")
    assert assess(reading, make_facts(lamps=(green,)), (), "green").status == "undecided"


def test_a_red_lamp_says_nothing_about_where_a_knob_stands() -> None:
    red = LampFact(chunk="c", text="Red; Section 5.2", color="red", meaning="Fault", action="Shut down, section 5.2.")
    facts = make_facts(lamps=(red,))
    assert assess(make_reading("selector", mode_dial_position=3), facts, (), "red").status == "not_judged"
    assert assess(make_reading(**VALUE), facts, (), "red").status == "alarm"


@pytest.mark.parametrize(
    ("color", "action", "text", "expected"),
    [
        ("red", "Shut down, section 5.2.", "Red; Shut down, section 5.2.", ("alarm", "alarm")),
        ("red", "", "Red; Blocked", ("warning", "alarm")),
        ("yellow", "Reduce the load.", "Yellow", ("warning", "warning")),
        ("yellow", "", "Yellow", ("normal", "alarm")),
        ("green", "No action needed.", "Green", ("normal", "normal")),
        ("green", "None.", "Green", ("normal", "normal")),
        ("green", "无需处理。", "绿", ("normal", "normal")),
        ("green", "Keep clear.", "Green", ("warning", "warning")),
        ("green", "", "Green", (None, None)),
        ("off", "Check the supply.", "Off", ("warning", "warning")),
        ("off", "", "Off", (None, None)),
    ],
)
def test_what_a_lamp_proves_is_what_the_manual_wants_done(color: Any, action: str, text: str, expected: Any) -> None:
    assert lamp_levels(color, LampFact(chunk="c", text=text, color=color, meaning="", action=action)) == expected


@pytest.mark.parametrize(
    ("color", "expected"),
    [("red", ("warning", "alarm")), ("yellow", ("normal", "alarm")), ("green", (None, None)), ("off", (None, None))],
)
def test_a_colour_without_a_manual_is_never_good_news(color: Any, expected: Any) -> None:
    assert lamp_levels(color, None) == expected


@pytest.mark.parametrize("status", STATUSES)
def test_every_state_has_its_words(status: str) -> None:
    assert sentence(f"status_{status}", "en") != sentence(f"status_{status}", "zh")
