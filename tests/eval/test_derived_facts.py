"""What follows from a photo and its evidence by arithmetic: computed anew, said in both languages, nothing guessed."""

from __future__ import annotations

from typing import Any

import pytest

from eval.derived_facts import computed_value, derived_sentences, frame_angle, half_width_deg, photo_facts, read_statements
from eval.fci import score_report

RULE = "pressure = (pointer angle + 150) / 3"
BY_RULE = f"computed from the pointer angle with the manual's formula {RULE}"
FRAME = "The pointer angle is counted from 12 o'clock, clockwise, in degrees."
FORMULA = (
    f"The formula is `{RULE}`. The formula is valid for pointer angles from -150 to 150 degrees.\n\nThe unit of pressure is bar."
)
CLASS = "The measuring range is 0 to 100 bar. The accuracy class is 1.6."
LIMITS = (
    "| State | Pressure | What to do |\n|---|---|---|\n| Normal | 0 to 60 bar | None |\n| Alarm | above 80 bar | Stop the pump. |"
)
TEXTS = (FRAME, FORMULA, CLASS, LIMITS)


def dial(**changes: Any) -> dict[str, Any]:
    """A dial whose needle stands at 90 degrees from the bottom: -90 in the frame, (150 - 90) / 3 = 20 bar."""
    fields = {"kind": "dial", "pointer_angle": 90.0}
    one = {"kind": "dial", "status": "read", "fields": fields, "confidence": {"pointer_angle": 0.9}, "unit": "bar"}
    return one | {"value": 20.0, "value_low": 17.0, "value_high": 23.0, "value_source": "calibration_formula"} | changes


def judged(text: str, *instruments: dict[str, Any], texts: tuple[str, ...] = TEXTS) -> float:
    evidence = [{"chunk": f"doc:{number}:x", "text": text} for number, text in enumerate(texts)]
    citations = ["photo#1", *(one["chunk"] for one in evidence)]
    report = {"statements": [{"text": text, "citations": citations}]}
    return score_report({"reading": {"instruments": list(instruments or [dial()])}, "evidence": evidence, "report": report}).fci


def test_the_value_is_computed_from_frame_and_formula() -> None:
    stated = read_statements(TEXTS)
    assert frame_angle(dial(), stated) == -90
    assert computed_value(dial(), stated) == pytest.approx(20)
    assert stated.span is not None
    assert stated.span[1:] == (100.0, "bar")
    assert stated.percent == 1.6


@pytest.mark.parametrize("texts", [(FORMULA,), (FRAME,), (), (FRAME, FORMULA, FRAME.replace("12", "6"))])
def test_without_frame_or_formula_or_with_two_of_them_nothing_is_computed(texts: tuple[str, ...]) -> None:
    assert computed_value(dial(), read_statements(texts)) is None


def test_a_needle_where_the_formula_does_not_hold_keeps_its_angle() -> None:
    assert frame_angle(dial(fields={"pointer_angle": 0.0}), read_statements(TEXTS)) == 180
    assert frame_angle(dial(fields={}), read_statements(TEXTS)) is None


def test_the_half_width_follows_from_the_confidence() -> None:
    assert half_width_deg(dial(confidence={})) == 3
    assert half_width_deg(dial(confidence={"pointer_angle": 0.9545})) == pytest.approx(1.96, abs=0.01)
    assert half_width_deg(dial(confidence={"pointer_angle": 0.0})) == 20


@pytest.mark.parametrize(
    "text",
    [
        f"The reading is 20 bar, between 17 and 23 bar, {BY_RULE}.",
        "读数为 20 bar，区间为 17 至 23 bar，由指针角度按说明书公式 pressure = (pointer angle + 150) / 3 计算得出。",
        "In the manual's frame the pointer stands at -90° ± 2.4°; the uncertainty comes from the reader's own confidence.",
        "按说明书的角度约定，指针位于 -90° ± 2.4°；不确定度来自识别置信度。",
        "The accuracy class permits an error of 1.6 bar, that is 1.6 % of the span of 100 bar.",
        "准确度等级允许误差为 1.6 bar，即量程 100 bar 的 1.6 %。",
        "The photo's interval of ± 3 bar is wider than this error, so the photo decides less than the instrument shows.",
        "The value lies in the normal range of the manual, 0 to 60 bar.",
        "该数值处于说明书规定的正常范围（0 至 60 bar）。",
    ],
)
def test_true_arithmetic_is_borne_out(text: str) -> None:
    assert judged(text) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"The reading is 21 bar, between 17 and 23 bar, {BY_RULE}.",
        f"The reading is 20 bar, between 17 and 23 bar, {BY_RULE.replace('150', '160')}.",
        "In the manual's frame the pointer stands at 90° ± 2.4°.",
        "The accuracy class permits an error of 2.5 bar, that is 2.5 % of the span of 100 bar.",
        "The accuracy class permits an error of 1.6 bar, that is 1.6 % of the span of 160 bar.",
        "准确度等级允许误差为 1.6 bar，即量程 160 bar 的 1.6 %。",
        "The value lies in the alarm range of the manual, above 80 bar.",
        "该数值处于说明书规定的报警范围（高于 80 bar）。",
    ],
)
def test_false_arithmetic_is_not(text: str) -> None:
    assert judged(text) < 1


def test_a_value_that_does_not_come_out_of_the_formula_is_not_trusted() -> None:
    wrong = dial(value=30.0, value_low=27.0, value_high=33.0)
    assert judged("The reading is 30 bar.", wrong) == 0
    assert judged("The reading is 20 bar.", wrong) == 1
    assert judged("The reading is 30 bar.", wrong, texts=(LIMITS,)) == 1


def test_a_value_on_both_sides_of_a_limit_lies_in_no_range() -> None:
    wide = dial(value_low=10.0, value_high=70.0, value_source="printed_scale")
    said = " ".join(derived_sentences(wide, read_statements(TEXTS), [wide]))
    assert "range of the manual" not in said


def test_why_nothing_was_read_is_known_from_the_reading() -> None:
    lost = dial(status="abstained", reason="the digits are blurred", value=None, fields={"kind": "digital"})
    said = [fact.text for fact in photo_facts([lost], TEXTS)]
    assert "The reason: the digits are blurred." in said
    assert not any("range of the manual" in text for text in said)


def test_lamp_and_value_that_disagree_are_said_only_where_they_do() -> None:
    lamp = {"kind": "lamp", "status": "read", "fields": {"kind": "lamp", "warning_light_color": "red"}}
    said = " ".join(derived_sentences(dial(), read_statements(TEXTS), [dial(), lamp]))
    assert "The warning light is red although the value lies in the normal range: check both." in said
    green = {**lamp, "fields": {"kind": "lamp", "warning_light_color": "green"}}
    assert "although" not in " ".join(derived_sentences(dial(), read_statements(TEXTS), [dial(), green]))
