"""Distillation measured: on hits by hand, where every number can be worked out, and on a slice of the shipped queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from eval.bench_knowledge import half_of
from eval.bench_report_evidence import as_query, distillation_text, measure_distillation
from eval.query_set import Answer, QueryCase, load_query_set
from knowledge.articles import Hit
from knowledge.search import KnowledgeBase
from rag.tokens import estimate_tokens
from tests.rag.builders import make_chunk

GOOD, PLAIN = "The unit of pressure is MPa.", "The case of the gauge is black."


def case(half: str, *, answers: bool = True) -> QueryCase:
    """A query of the wished half that the chunk `good` answers."""
    place = Answer(document="t-1-en", anchor="MPa")
    for number in range(100):
        given: dict[str, Any] = {"answers": (place,), "authority": "t-1-en"} if answers else {"note": "nothing says so"}
        made = QueryCase.model_validate(
            {"id": f"q{number}", "slice": "unit" if answers else "unanswerable", "language": "en", "text": "which unit", **given}
        )
        if half_of(made) == half:
            return made
    raise AssertionError("one of a hundred ids is of that half")


class Found:
    """A knowledge base that finds the same two chunks for every question."""

    def __init__(self, good: float, plain: float) -> None:
        self._hits = [
            Hit(chunk=make_chunk("good", GOOD), score=good, lexical=good),
            Hit(chunk=make_chunk("plain", PLAIN), score=plain, lexical=plain),
        ]

    def search(self, query: str, *, model: str | None = None, k: int = 3) -> Sequence[Hit]:
        return self._hits[:k]


def measure(found: Found, *cases: QueryCase) -> Any:
    return measure_distillation(cast(KnowledgeBase, found), cases)


def test_an_answer_that_stands_out_is_kept_alone() -> None:
    measured = measure(Found(0.9, 0.2), case("held out"))
    assert (measured.judged_right.hits, measured.judged_right.n) == (2, 2)
    assert (measured.answer_found.value, measured.answer_kept.value, measured.chunks_kept) == (1.0, 1.0, 1.0)
    assert measured.tokens_before == estimate_tokens(GOOD) + estimate_tokens(PLAIN)
    assert measured.tokens_after == estimate_tokens(GOOD)
    assert measured.shorter == pytest.approx(1 - estimate_tokens(GOOD) / (estimate_tokens(GOOD) + estimate_tokens(PLAIN)))


def test_an_answer_that_is_lost_is_counted() -> None:
    measured = measure(Found(0.1, 0.9), case("held out"))
    assert (measured.answer_found.value, measured.answer_kept.value) == (1.0, 0.0)
    assert measured.judged_right.hits == 0


def test_the_half_that_the_rule_was_fitted_on_is_left_out() -> None:
    measured = measure(Found(0.9, 0.2), case("tuned on"), case("held out", answers=False))
    assert measured.queries == 1
    assert measured.answer_kept.n == 0
    assert "1 held-out queries" in distillation_text(measured)


def test_a_query_keeps_its_words_and_its_type() -> None:
    query = as_query(case("held out"))
    assert (query.text, query.language, query.semantic_type) == ("which unit", "en", None)


def test_on_shipped_queries_contexts_shrink_and_answers_stay(kb: KnowledgeBase) -> None:
    measured = measure_distillation(kb, load_query_set()[::12])
    assert measured.queries >= 20
    assert measured.judged_right.value > 0.85
    assert measured.answer_kept.hits >= 0.85 * measured.answer_found.hits
    assert measured.shorter > 0.5
    assert measured.chunks_kept < 2.01
