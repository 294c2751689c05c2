"""A refused sentence is asked for once more with the reasons, then the template stands, whatever the writer does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from rag.verify import repair

PLANNED = ("The reading is 42.88 MPa.", "The lamp is red.", "Close the valve.")
LIES = ("The reading is 42.98 MPa.", "The lamp is green.", "Open the valve.")


class Again:
    """Answers the second question, and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = answers
        self.asked: list[tuple[list[int], list[str]]] = []

    def __call__(self, numbers: Sequence[int], reasons: Sequence[str]) -> Sequence[str | None]:
        self.asked.append((list(numbers), list(reasons)))
        return self.answers


def test_what_holds_is_kept_and_nothing_is_asked_again() -> None:
    again = Again()
    done = repair(PLANNED, ("The reading is 428.8 bar.", None, "You must close the valve."), again)
    assert done.texts == ("The reading is 428.8 bar.", PLANNED[1], "You must close the valve.")
    assert (done.refused, done.replaced, again.asked) == ((), (), [])


def test_refused_sentences_get_one_more_chance_with_the_reasons() -> None:
    again = Again("The lamp is green.", "The valve must be closed.")
    done = repair(PLANNED, (PLANNED[0], LIES[1], LIES[2]), again)
    assert done.texts == (PLANNED[0], PLANNED[1], "The valve must be closed.")
    assert done.replaced == (1,)
    ((numbers, reasons),) = again.asked
    assert numbers == [1, 2]
    assert "green" in reasons[0]
    assert [one.index for one in done.refused] == [1, 2, 1]
    assert done.problems(1)
    assert done.problems(0) == ()


@pytest.mark.parametrize("answers", [(), (None, None, None), ("",), ("x", "y", "z", "and one too many")])
def test_whatever_comes_back_every_sentence_has_a_text(answers: tuple[Any, ...]) -> None:
    done = repair(PLANNED, LIES, Again(*answers))
    assert done.texts == PLANNED
    assert done.replaced == (0, 1, 2)


def test_a_writer_that_raises_costs_nothing_but_its_words() -> None:
    def again(numbers: Sequence[int], reasons: Sequence[str]) -> Sequence[str | None]:
        raise TimeoutError("the server is slow")

    done = repair(PLANNED, LIES, again)
    assert done.texts == PLANNED
    assert done.replaced == (0, 1, 2)


def test_without_a_second_chance_the_template_stands_at_once() -> None:
    assert repair(PLANNED, LIES).texts == PLANNED
    assert repair((), ()).texts == ()
