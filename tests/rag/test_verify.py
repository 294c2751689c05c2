"""The check catches what a writer may do to a sentence: invent, change, drop, join; in English and Chinese."""

from __future__ import annotations

import pytest

from rag.verify import Number, check_rewrite, check_support, find_numbers

READING = "The reading is 42.88 MPa, between 42.08 and 43.68 MPa."
LAMP = "According to the manual, the red warning light means: Over-pressure or sensor fault."
NEGATED = "Do not rely on the lamp; check the supply as described in section 6.3."
MODE = "Position 3 of the mode selector is Manual: The operator controls the pump by hand."
READING_ZH = "读数为 42.88 MPa，区间为 42.08 至 43.68 MPa。"
NEGATED_ZH = "不得依赖指示灯；按第 6.3 节检查电源。"


@pytest.mark.parametrize("text", [READING, LAMP, NEGATED, MODE, READING_ZH, NEGATED_ZH])
def test_the_sentence_itself_holds(text: str) -> None:
    assert check_rewrite(text, text).supported


@pytest.mark.parametrize(
    ("text", "planned"),
    [
        (
            "It is a reading of 42.88 MPa, between 42.08 MPa and 43.68 MPa.",
            "The reading is 42.88 MPa, between 42.08 MPa and 43.68 MPa.",
        ),
        ("The red warning light, according to the manual, means over-pressure or sensor fault.", LAMP),
        ("The operator controls the pump by hand: position 3 of the mode selector is manual.", MODE),
        ("读数是 42.88 MPa，区间是 42.08 至 43.68 MPa。", READING_ZH),
        ("The value is ８０ MPa.", "The value is 80 MPa."),
        ("The value is 80.0 MPa.", "The value is 80 MPa."),
    ],
)
def test_other_wording_of_the_same_holds(text: str, planned: str) -> None:
    verdict = check_rewrite(text, planned)
    assert verdict.supported, verdict.problems


@pytest.mark.parametrize(
    ("text", "planned", "problem"),
    [
        ("The reading is 42.98 MPa, between 42.08 and 43.68 MPa.", READING, "numbers"),
        ("The reading is 42.88 MPa.", READING, "numbers"),
        ("The reading is 42.88 MPa, between 42.08 and 43.68 MPa, section 5.2.", READING, "sections"),
        ("The reading is 43.68 MPa, between 42.08 and 42.88 MPa.", READING, "numbers"),
        ("The reading is 42.88 bar, between 42.08 and 43.68 bar.", READING, "numbers"),
        ("The reading is 42.88, between 42.08 and 43.68.", READING, "numbers"),
        ("The reading is 42.88 kPa, between 42.08 and 43.68 MPa.", READING, "numbers"),
        ("The temperature is 42.88 MPa, between 42.08 and 43.68 MPa.", READING, "new words"),
        ("Rely on the lamp; check the supply as described in section 6.3.", NEGATED, "negation"),
        ("Rely on the lamp; do not check the supply as described in section 6.3.", NEGATED, "another way"),
        ("Do not rely on the lamp.", NEGATED, "sections"),
        ("According to the manual, the red warning light means: Over-pressure.", LAMP, "lost words"),
        ("According to the manual, the green warning light means: Over-pressure or sensor fault.", LAMP, "new words: green"),
        ("The operator controls the pump by hand.", MODE, "numbers"),
        ("Position 2 of the mode selector is Manual: The operator controls the pump by hand.", MODE, "numbers"),
        ("The gauge XYZ-3000 is read.", "The gauge XYZ-2000 is read.", "names"),
        ("Open valve V3.", "Open valve V1.", "names"),
        ("The two lamps are red.", "The lamps are red.", "new numbers: 2"),
        ("The warning light is red. It is dangerous.", "The warning light is red.", "new words"),
        ("Position 3 of the mode selector is Manual: The pump controls the operator by hand.", MODE, "another way"),
        (
            "Turn it only when the lamp is red, never when it is green.",
            "Turn it only when the lamp is green, never when it is red.",
            "condition",
        ),
        ("Open the relief valve, close the supply valve.", "Close the relief valve, open the supply valve.", "another way"),
        ("红灯时停机，绿灯时启动。", "绿灯时停机，红灯时启动。", ""),
        ("The warning light is red", "The warning light is red.", "end"),
        ("", "The warning light is red.", "lost"),
        ("读数为 42.98 MPa，区间为 42.08 至 43.68 MPa。", READING_ZH, "numbers"),
        ("读数为 42.88 bar，区间为 42.08 至 43.68 bar。", READING_ZH, "numbers"),
        ("读数为 42.88 兆帕，区间为 42.08 至 43.68 千帕。", READING_ZH, "numbers"),
        ("依赖指示灯；按第 6.3 节检查电源。", NEGATED_ZH, "negation"),
        ("依赖指示灯；不得按第 6.3 节检查电源。", NEGATED_ZH, "another way"),
        ("不得依赖指示灯；按第 6.3 节检查水源。", NEGATED_ZH, "new"),
        ("不得依赖指示灯；按第 6.3 节检查。", NEGATED_ZH, "lost"),
        ("电源检灯依赖指示得不查；按第 6.3 节。", NEGATED_ZH, ""),
    ],
)
def test_what_a_writer_may_do_wrong_is_caught(text: str, planned: str, problem: str) -> None:
    verdict = check_rewrite(text, planned)
    assert not verdict.supported
    assert any(problem in one for one in verdict.problems), verdict.problems


MANUAL = (
    "The unit of pressure is MPa.\nThe measuring range is 0 to 120 MPa.\n| Off | No supply voltage | Do not rely on the lamp. |"
)
MANUAL_ZH = "压力的单位为 MPa。\n测量范围为 0 至 120 MPa。\n不得依赖指示灯。"


@pytest.mark.parametrize(
    ("text", "fixed", "supported"),
    [
        ("The measuring range is 0 to 120 MPa.", "", True),
        ("The measuring range is 0 to 1200 bar.", "", True),  # the same range in another unit
        ("The measuring range is 0 to 120 bar.", "", False),
        ("The measuring range is 0 to 130 MPa.", "", False),
        ("The accuracy is 0 to 120 MPa.", "", False),
        ("For this light the manual says: Do not rely on the lamp.", "For this light the manual says: ", True),
        ("For this light the manual says: Rely on the lamp.", "For this light the manual says: ", False),
        ("The gauge XYZ-9 measures pressure.", "The gauge measures", False),
        ("测量范围为 0 至 120 MPa。", "", True),
        ("测量范围为 0 至 120 bar。", "", False),
        ("测量范围为 0 至 130 MPa。", "", False),
        ("对于该灯色，说明书要求：依赖指示灯。", "对于该灯色，说明书要求：", False),
        ("对于该灯色，说明书要求：不得依赖指示灯。", "对于该灯色，说明书要求：", True),
    ],
)
def test_support_by_the_cited_text(text: str, fixed: str, supported: bool) -> None:
    verdict = check_support(text, [MANUAL, MANUAL_ZH], fixed)
    assert verdict.supported is supported, verdict.problems


def test_a_negation_that_no_source_holds_is_added() -> None:
    verdict = check_support("The unit of pressure is not MPa.", ["The unit of pressure is MPa."])
    assert not verdict.supported
    assert "negation" in verdict.problems[0]


def test_nothing_cited_supports_nothing() -> None:
    assert not check_support("The lamp is red.", []).supported
    assert not check_support("The lamp is red.", ["  "]).supported


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("137.2°", [Number("137.2", "°")]),
        ("137.2 degrees", [Number("137.2", "°")]),
        ("137.2 度", [Number("137.2", "°")]),
        ("20 °C to 60℃", [Number("20", "°C"), Number("60", "°C")]),
        ("-20 to 60 °C", [Number("-20", "°C"), Number("60", "°C")]),
        ("(angle - 30) / 2.5", [Number("30", None), Number("2.5", None)]),
        ("XYZ-2000 and V1", []),
        ("section 5.2", [Number("5.2", None)]),
        ("position 3 of the dial", [Number("3", None)]),
        ("3 in a row", [Number("3", None)]),
        ("第5.2节", [Number("5.2", None)]),
        ("１２.5MPa", [Number("12.5", "MPa")]),
        ("1.6 % of the span", [Number("1.6", "%")]),
        ("x1000 r/min", []),
    ],
)
def test_numbers_with_their_units(text: str, numbers: list[Number]) -> None:
    assert list(find_numbers(text)) == numbers
