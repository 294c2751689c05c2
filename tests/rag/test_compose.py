"""Writers get a second chance and no third; whatever they do, every planned sentence has a statement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from knowledge.articles import Language
from rag.compose import Composed, compose
from rag.errors import WriterError
from rag.plan import Planned
from rag.prompt import Task
from rag.trace import Stopwatch
from rag.writer import Draft, TemplateWriter

VALUE = Planned("The reading is 5 bar.", ("photo#1",), ("The reading is 5 bar.",), name="value_photo")
LAMP = Planned("The warning light is red.", ("photo#1",), ("The warning light is red.",), name="warning_light_color")
FIXED = Planned("Not stated in the documents.", ("photo#1",), ("x",), "Not stated in the documents.", rewrite=False)
PLANNED = (VALUE, LAMP, FIXED)


@dataclass
class Scripted:
    """Answers each call with the next script: texts, or an exception."""

    scripts: list[Any]
    languages: tuple[Language, ...] = ("en",)
    name: str = "scripted"
    tasks: list[Task] = field(default_factory=list)

    def write(self, task: Task) -> Draft:
        self.tasks.append(task)
        script = self.scripts[len(self.tasks) - 1]
        if isinstance(script, Exception):
            raise script
        return Draft(tuple(script), sent=(f"prompt {len(self.tasks)}",))


def composed(writer: Any, language: Language = "en") -> tuple[Composed, Stopwatch]:
    watch = Stopwatch()
    return compose(PLANNED, writer, language, (), "", watch), watch


def texts(made: Composed) -> list[str]:
    return [one.text for one in made.statements]


def test_the_template_writer_is_not_asked() -> None:
    made, _ = composed(TemplateWriter())
    assert texts(made) == [one.text for one in PLANNED]
    assert (made.calls, made.rewritten, made.replaced) == ((), 0, ())


def test_fixed_sentences_are_never_reworded() -> None:
    writer = Scripted([[VALUE.text, LAMP.text]])
    made, _ = composed(writer)
    assert writer.tasks[0].sentences == (VALUE.text, LAMP.text)
    assert made.rewritten == 2
    assert texts(made)[2] == FIXED.text


def test_a_refused_sentence_is_asked_for_again_with_the_reason() -> None:
    writer = Scripted([["The reading is 6 bar.", LAMP.text], [VALUE.text]])
    made, watch = composed(writer)
    again = writer.tasks[1]
    assert again.sentences == (VALUE.text,)
    assert len(again.complaints) == 1
    assert "6" in again.complaints[0]
    assert texts(made)[0] == VALUE.text
    assert made.replaced == ()
    assert [call.facts for call in made.calls] == [(VALUE.text, LAMP.text), (VALUE.text,)]
    assert made.sent == ("prompt 1", "prompt 2")
    assert all(spent >= 0 for spent in watch.timing_ms.values())


def test_a_sentence_refused_twice_is_the_templates() -> None:
    writer = Scripted([["The reading is 6 bar.", LAMP.text], ["The reading is 7 bar."]])
    made, _ = composed(writer)
    assert texts(made) == [one.text for one in PLANNED]
    (replaced,) = made.replaced
    assert (replaced.written, replaced.kept) == ("The reading is 7 bar.", VALUE.text)
    assert replaced.problems
    assert len(writer.tasks) == 2


@pytest.mark.parametrize("second", [WriterError("down"), RuntimeError("x"), [], [None], [""], [5]])
def test_a_second_round_that_fails_costs_nothing_more(second: Any) -> None:
    made, _ = composed(Scripted([["The reading is 6 bar.", LAMP.text], second]))
    assert texts(made) == [one.text for one in PLANNED]
    assert len(made.replaced) == 1
    assert made.notes == ()


@pytest.mark.parametrize(
    ("error", "words"),
    [(WriterError("server is down"), "server is down"), (RuntimeError("x"), "RuntimeError: x"), (ValueError(), "ValueError")],
)
def test_a_writer_that_fails_is_noted_and_kept_in_the_trace(error: Exception, words: str) -> None:
    made, _ = composed(Scripted([error]))
    assert texts(made) == [one.text for one in PLANNED]
    assert words in made.notes[0]
    assert made.calls[0].failure is not None
    assert words in made.calls[0].failure


def test_a_writer_of_another_language_is_not_asked() -> None:
    writer = Scripted([])
    made, _ = composed(writer, "zh")
    assert writer.tasks == []
    assert "scripted" in made.notes[0]
    assert made.languages == ("en",)


def test_a_writer_that_writes_too_little_or_too_much_moves_no_sentence() -> None:
    short, _ = composed(Scripted([[VALUE.text], []]))
    long, _ = composed(Scripted([[VALUE.text, LAMP.text, "The reading is 9 bar."]]))
    for made in (short, long):
        assert texts(made) == [one.text for one in PLANNED]


def test_a_long_sentence_of_a_template_is_shown_whole() -> None:
    long = Planned(f"The manual says: {'Open the valve and wait. ' * 60}", ("photo#1",), ("x",), name="lamp_action")
    made = compose((long,), TemplateWriter(), "en", (), "", Stopwatch())
    assert made.statements[0].text == long.text
