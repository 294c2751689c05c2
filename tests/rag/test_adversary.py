"""Writers that lie: whatever comes back, the report says what the templates say, or the same in other order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.articles import Language
from rag.pipeline import Pipeline, Run
from rag.prompt import Task
from rag.verify import check_rewrite
from rag.writer import Draft
from tests.rag.builders import SmallKnowledge, make_chunk, make_facts, make_photo, make_reading

TEXTS = {
    "f": "The formula: `pressure = (pointer angle - 30) / 2.5`.",
    "u": "The unit of pressure is MPa.",
    "a": "The pointer angle is counted from 6 o'clock, clockwise. "
    "The formula is valid for pointer angles from 30 to 330 degrees.",
    "l": "| State | Pressure | What to do |\n|---|---|---|\n| Warning | above 80 to 100 MPa | Reduce the load. |",
    "c": "| Lamp | Meaning |\n|---|---|\n| Green | Pressure normal |",
    "m": "| Position | Mode | Meaning |\n|---|---|---|\n| 3 | Manual | By hand. |",
    "e": "1. Press the button.",
    "r": "The measuring range is 0 to 120 MPa.",
}
KNOWLEDGE = SmallKnowledge(make_facts(), [make_chunk(id, text) for id, text in TEXTS.items()])
PHOTO = make_photo(make_reading(model="T-1", pointer_angle=255.0, warning_light_color="green", mode_dial_position=3))


@dataclass
class Liar:
    """A writer that does to every sentence what a test wants."""

    change: Callable[[str], Any]
    name: str = "liar"
    languages: tuple[Language, ...] = ("en", "zh")

    def write(self, task: Task) -> Draft:
        return Draft(tuple(self.change(text) for text in task.sentences), sent=("prompt",))


def run(change: Callable[[str], Any], language: Language = "en") -> Run:
    return Pipeline(KNOWLEDGE, Liar(change)).run(PHOTO, language)


def said(result: Run) -> list[str]:
    assert result.inspection.report is not None
    return [one.text for one in result.inspection.report.statements]


TEMPLATES = {language: said(Pipeline(KNOWLEDGE).run(PHOTO, language)) for language in ("en", "zh")}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: None,
        lambda text: "I am sorry, I cannot help with that.",
        lambda text: text + " Stop the pump at once.",
        lambda text: text + " 立即停泵。",
        lambda text: text.replace("90", "91").replace("255", "256").replace("80", "81").replace("3", "4"),
        lambda text: text.replace("MPa", "bar").replace("°", " bar"),
        lambda text: text.replace("green", "red").replace("绿", "红"),
        lambda text: text.replace(" is ", " is not ").replace("为", "不为").replace(" stands ", " never stands "),
        lambda text: text.upper() + "!!!" + text,
        lambda text: text[: len(text) // 2],
        lambda text: text[::-1],
        lambda text: text * 3,
        lambda text: "<script>alert(1)</script>",
        lambda text: "The value is 0 MPa.",
        lambda text: "\x00\x1b[31m",
    ],
)
def test_a_lie_never_reaches_the_report(change: Callable[[str], Any], language: Language) -> None:
    result = run(change, language)
    # A sentence that a change left untouched is still the template's.
    assert said(result) == TEMPLATES[language]
    assert all(one.problems for one in result.trace.replaced)


def test_a_lie_is_counted_and_noted() -> None:
    result = run(lambda text: "The value is 0 MPa.")
    assert len(result.trace.replaced) == result.trace.rewritten > 0
    assert result.inspection.report is not None
    assert "refused by the check" in result.inspection.report.markdown
    assert "The value is 0" not in " ".join(said(result))


def test_too_few_and_too_many_sentences_do_no_harm() -> None:
    class Short(Liar):
        def write(self, task: Task) -> Draft:
            return Draft(task.sentences[:1])

    class Long(Liar):
        def write(self, task: Task) -> Draft:
            return Draft((*task.sentences, "And the value is 0 MPa."))

    for writer in (Short(str), Long(str)):
        assert said(Pipeline(KNOWLEDGE, writer).run(PHOTO)) == TEMPLATES["en"]


def test_shuffled_sentences_are_refused() -> None:
    class Shuffled(Liar):
        def write(self, task: Task) -> Draft:
            return Draft(tuple(reversed(task.sentences)))

    assert said(Pipeline(KNOWLEDGE, Shuffled(str)).run(PHOTO)) == TEMPLATES["en"]


def test_the_contracts_own_sentences_are_never_given_to_a_writer() -> None:
    asked: list[str] = []
    unknown = make_photo(make_reading(model="T-1", warning_light_color="yellow"))
    Pipeline(KNOWLEDGE, Liar(lambda text: asked.append(text) or text)).run(unknown)  # type: ignore[func-returns-value]
    assert asked == ["The warning light is yellow."]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=120))
def test_any_text_of_a_writer_is_checked(text: str) -> None:
    for one, planned in zip(said(run(lambda _: text)), TEMPLATES["en"], strict=True):
        assert one == planned or check_rewrite(one, planned).supported


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(list(range(11))))
def test_any_order_of_a_sentences_words_keeps_its_numbers_in_order(order: list[int]) -> None:
    planned = "The value lies in the warning range, above 80 to 100 MPa."
    words = planned.rstrip(".").split()
    text = " ".join(words[index] for index in order) + "."
    if check_rewrite(text, planned).supported:
        assert text.index("80") < text.index("100")
        assert "100 MPa" in text


# What readers ask of a report, by kind of difficulty: each pair is a sentence and a wrong answer to it.
STRESS = {
    "numeric": ("The reading is 42.88 MPa.", "The reading is 428.8 MPa."),
    "numeric, unit": ("The reading is 42.88 MPa.", "The reading is 42.88 kPa."),
    "comparative": ("The pressure is above 100 MPa.", "The pressure is below 100 MPa."),
    "comparative, ends": ("The range is 80 to 100 MPa.", "The range is 100 to 80 MPa."),
    "conditional": ("Shut down if the lamp is red.", "Shut down."),
    "conditional, exchanged": ("Turn it when the lamp is green, not red.", "Turn it when the lamp is red, not green."),
    "negative": ("Do not start the unit again before the checks.", "Start the unit again before the checks."),
    "negative, moved": ("Do not start the unit; check it.", "Start the unit; do not check it."),
    "multi-hop": ("Red means over-pressure, see section 5.2.", "Red means over-pressure, see section 4.2."),
    "multi-hop, cut": ("Red means over-pressure, see section 5.2.", "Red means over-pressure."),
    "数值": ("读数为 42.88 MPa。", "读数为 4.288 MPa。"),
    "比较": ("压力高于 100 MPa。", "压力低于 100 MPa。"),
    "条件": ("红灯时停机。", "停机。"),
    "否定": ("检查前不得再次启动。", "检查前再次启动。"),
    "多跳": ("红灯表示超压，见第 5.2 节。", "红灯表示超压，见第 4.2 节。"),
}


@pytest.mark.parametrize("kind", STRESS)
def test_stress_table(kind: str) -> None:
    right, wrong = STRESS[kind]
    assert check_rewrite(right, right).supported
    assert not check_rewrite(wrong, right).supported
