"""Claims about retrieval, on chains whose outcome is known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from eval.mvfu import SHIPPED_LIBRARY, read_library
from eval.planted_faults import Base
from eval.query_set import Answer, QueryCase
from eval.reproductions.quoting import Found, answers, is_right, quote
from eval.reproductions.retrieval import LEVELS, err_lifts_far, quoting, relevance_gate, relevant_without_facts
from eval.retrieval import Passage, Wanted

OWN = Passage(text="The relay is green. Check the oil level every 6 months.", document="ab-1-en")
OTHERS = tuple(Passage(text=f"The case is made of steel and has {n} screws.", document="cd-2-en") for n in range(2, 6))


def found(number: int) -> Found:
    answer = Answer(document="ab-1-en", anchor="every 6 months")
    case = QueryCase(
        id=f"q{number}", slice="english", language="en", text="How often is the oil level checked?", answers=(answer,),
        authority="ab-1-en",
    )  # fmt: skip
    passages = (OWN, *OTHERS)
    base = Base(case, Wanted((answer,), "ab-1-en"), passages, "Check the oil level every 6 months.", frozenset({"ab-1-en"}), None)
    return Found(base, passages, OTHERS)


FOUND = [found(n) for n in range(20)]


def shares(claim: Any, what: str) -> list[float]:
    return [one.share.value for one in claim.points if one.what == what]


def test_the_quoting_writer_takes_what_fits_best_and_nothing_else() -> None:
    question = FOUND[0].base.case.text
    assert quote(question, [OWN, *OTHERS]) == "Check the oil level every 6 months."
    assert quote(question, OTHERS) in {passage.text for passage in OTHERS}
    assert quote(question, []) == ""
    assert is_right(FOUND[0].base.case, "It is checked every 6 months.")
    assert answers(FOUND[0].base.case, OWN)
    assert not any(answers(FOUND[0].base.case, passage) for passage in OTHERS)


def test_a_writer_that_quotes_is_faithful_whatever_it_is_given() -> None:
    claim = err_lifts_far(FOUND, quoting, "quotes", seed=1)
    assert shares(claim, "FAR") == [1.0] * len(LEVELS)
    assert claim.verdict == "does not hold"
    # What retrieval loses, the answer loses: right answers are as many as questions with their exact passage.
    assert shares(claim, "answer right") == pytest.approx([0.7, 0.85, 0.95, 1.0])
    assert claim == err_lifts_far(FOUND, quoting, "quotes", seed=1)


def test_a_writer_that_invents_without_the_passage_makes_the_claim_hold() -> None:
    def inventing(cases: Sequence[QueryCase], contexts: Sequence[Sequence[Passage]]) -> list[str]:
        known = "Check the oil level every 6 months."
        return [known if OWN in context else "Check the oil level every 99 weeks." for context in contexts]

    claim = err_lifts_far(FOUND, inventing, "invents", seed=1)
    assert claim.effect.value == 1
    assert claim.verdict == "holds"
    assert shares(claim, "FAR") == sorted(shares(claim, "FAR"))
    assert "7.0 points here" in claim.said


def test_answers_that_cannot_be_scored_are_no_cases() -> None:
    claim = err_lifts_far(FOUND, lambda cases, contexts: [""] * len(cases), "silent", seed=1)
    assert all(one.share.n == 0 for one in claim.points)
    assert claim.verdict == "not shown"


class Judge:
    """Relevant is what speaks of oil or of the case."""

    name, passes = "words", 0.5

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        return [1.0 if "oil" in text else 0.6 if "case" in text else 0.0 for text in passages]


def test_the_gate_is_seen_on_all_three_kinds_of_context() -> None:
    chunk = SimpleNamespace(verbatim="Tides.", document="x", section="1", title="t", section_title="s", models=())
    kb: Any = SimpleNamespace(chunks=lambda: (chunk,) * 3)
    claim = relevance_gate(kb, FOUND, Judge(), seed=1)
    at = {(one.setting, one.what): one.share.value for one in claim.points}
    assert at["the answer among the first three", "stopped"] == 0
    assert at["the answer held back", "stopped"] == 0, "about the question, and without the answer"
    assert at["three passages of anything", "stopped"] == 1
    assert claim.verdict == "does not hold"
    assert "something else: +100 points" in claim.said
    assert "lets 20 of 20 through" in claim.said


ROW = "| Lamp colour | Meaning | Action |\n|---|---|---|\n| Red | Over-pressure or sensor fault | Stop the pump. |"
ABOUT = "The red lamp of the XYZ-2000 has a meaning that the lamp table explains."


class Shelf:
    """A knowledge base that finds the same passages for every question."""

    def __init__(self, *texts: str) -> None:
        title = {"title": "XYZ-2000 Manual", "section_title": "Red lamp", "models": ("XYZ-2000",)}
        self._hits = [
            SimpleNamespace(chunk=SimpleNamespace(verbatim=text, document="xyz-2000-en", section="4", **title)) for text in texts
        ]

    def plan(self, query: str) -> Any:
        return SimpleNamespace(models=("XYZ-2000",), text=query)

    def search(self, query: str, *, model: str | None = None, k: int = 3) -> Any:
        return self._hits[:k]


LAMP = QueryCase(
    id="lamp", slice="english", language="en", text="What does the red lamp of the XYZ-2000 mean?",
    answers=(Answer(document="xyz-2000-en", anchor="Over-pressure"),), authority="xyz-2000-en",
)  # fmt: skip


def test_relevant_passages_without_the_facts_are_found_and_shown() -> None:
    library = read_library(SHIPPED_LIBRARY)
    shelf: Any = Shelf(ABOUT, ABOUT, ABOUT, ROW)
    assert relevant_without_facts(shelf, [LAMP], library, depth=4).verdict == "not shown", "one case shows nothing"
    claim = relevant_without_facts(shelf, [LAMP] * 20, library, depth=4, shown=40)
    assert [one.share.hits for one in claim.points] == [20, 20]
    assert claim.effect.value == 1
    assert claim.verdict == "holds"
    found, held_back = claim.cases[0], claim.cases[20]
    assert found.startswith("as found, lamp")
    assert held_back.startswith("facts held back, lamp")
    assert "xyz-2000-en:lamp:red" in found


def test_where_the_facts_are_found_they_are_held_back() -> None:
    library = read_library(SHIPPED_LIBRARY)
    shelf: Any = Shelf(ROW, ABOUT)
    claim = relevant_without_facts(shelf, [LAMP], library, depth=4)
    assert [one.share.hits for one in claim.points] == [0, 1]
    assert len(claim.cases) == 1
    assert "0 of the product's own searches" in claim.said
    nothing: Any = Shelf()
    assert relevant_without_facts(nothing, [LAMP], library, depth=4).verdict == "not shown"
