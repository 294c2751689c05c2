"""A question taken apart."""

from __future__ import annotations

import pytest

from knowledge.queryplan import ModelNames, Quantity, QueryPlan, asks_in_two_steps, find_quantities, plan_query, without_models
from knowledge.spelling import Speller

MODELS = ("XYZ-2000", "XYZ-2100", "SP-3", "VM-48", "LP-12")
WORDS = {"pressure": 9, "lamp": 9, "valve": 9, "v1": 1}


def plan(query: str) -> QueryPlan:
    return plan_query(query, ModelNames(MODELS), Speller(WORDS), WORDS)


@pytest.mark.parametrize(
    ("text", "models"),
    [
        ("lamp of the XYZ-2000", ("XYZ-2000",)),
        ("lamp of the xyz 2000?", ("XYZ-2000",)),
        ("xyz2100 的灯", ("XYZ-2100",)),
        ("XYZ-2OOO lamp", ("XYZ-2000",)),
        ("5P-3 lamp", ("SP-3",)),
        ("XYZ-2000 or VM-48", ("XYZ-2000", "VM-48")),
        ("XYZ-200", ()),
        ("the pressure is 48", ()),
    ],
)
def test_models_are_found_in_any_spelling(text: str, models: tuple[str, ...]) -> None:
    assert set(plan(text).models) == set(models)


def test_the_text_names_the_model_as_the_manuals_do() -> None:
    found = plan("Hello, what is the presure of the xyz 2OOO please?")
    assert found.text == "what is the pressure of the XYZ-2000"
    assert found.corrections
    assert "pressure" in found.terms
    assert not any("2000" in term for term in found.terms)
    assert found.language == "en"


def test_strangers_look_like_models_and_are_none() -> None:
    assert plan("formula of the ABC-9").strangers == ("ABC-9",)
    assert plan("close valve V1, IP-65, EN-837").strangers == ()
    assert plan("formula of the XYZ-2000").strangers == ()


def test_nothing_asked_is_an_empty_plan() -> None:
    assert plan("  ?! ").text == ""
    assert plan("").terms == ()


@pytest.mark.parametrize(
    ("text", "quantities"),
    [
        ("is 95 MPa too much", (Quantity(95.0, "MPa"),)),
        ("-12 inHg and 2.5 bar", (Quantity(-12.0, "inHg"), Quantity(2.5, "bar"))),
        ("PN-25 读到 22 bar", (Quantity(22.0, "bar"),)),
        ("Oil at 97 °C", (Quantity(97.0, "°C"),)),
        ("it shows 49.5, what now", (Quantity(49.5, None),)),
        ("HB-80 超过 70 但", (Quantity(70.0, None),)),
        ("XYZ-2000 lamp", ()),
        ("step 3", ()),
    ],
)
def test_quantities(text: str, quantities: tuple[Quantity, ...]) -> None:
    assert find_quantities(text) == quantities


def test_entities_and_action_are_told_apart() -> None:
    found = plan("XYZ-2000 红灯亮了，怎么停机？")
    assert (found.language, found.models, found.intent.color) == ("zh", ("XYZ-2000",), "red")
    assert found.intent.action
    assert found.intent.stop
    assert {"red", "shutdown"} <= set(found.concepts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lamp dark: which supply voltage do I check", True),
        ("Er3 came up: which keys restore the settings", True),
        ("低于 40，换热器按什么顺序停", True),
        ("red lamp, what does it mean", False),
        ("which supply does it need", False),
        ("operating limits: normal, warning and alarm values", False),
        ("calibration formula: reading from the pointer angle", False),
        ("", False),
    ],
)
def test_two_steps_are_told_from_one(text: str, expected: bool) -> None:
    assert asks_in_two_steps(text) is expected


@pytest.mark.parametrize(
    ("text", "models", "bare"),
    [
        ("Why does the PF-96 wander at low load?", ["PF-96"], "Why does the wander at low load?"),
        ("What is the range of the PF-96?", ["PF-96"], "What is the range ?"),
        ("XYZ-2000 的校准公式", ["XYZ-2000"], "校准公式"),
        ("the PF-96", ["PF-96"], "the PF-96"),
        ("how often", [], "how often"),
    ],
)
def test_the_bare_question_names_no_model_and_is_never_empty(text: str, models: list[str], bare: str) -> None:
    assert without_models(text, models) == bare
