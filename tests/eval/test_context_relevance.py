"""Context relevance: deterministic, three states, vectors or a cross-encoder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from eval.context_relevance import ContextOptions, CrossEncoderJudge, VectorJudge, score_context
from eval.retrieval import Passage
from knowledge.embedder import load_embedder
from tests.serve.doubles import HashEmbedder

LAMP = Passage(text="The red lamp means over-pressure.", title="XYZ-2000 Warning lamp")
GLASS = Passage(text="Clean the glass with a damp cloth.")
QUESTION = "What does the red lamp of the XYZ-2000 mean?"


class Scripted:
    """A judge that gives what it is told and keeps what it was asked."""

    name = "scripted"
    passes = 0.6

    def __init__(self, *values: float) -> None:
        self.values = values
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        self.asked.append((question, tuple(passages)))
        return self.values[: len(passages)]


def test_the_score_is_the_mean_of_the_first_three_not_of_three_drawn() -> None:
    judge = Scripted(0.9, 0.6, 0.3, 0.0)
    relevance = score_context(QUESTION, [LAMP, GLASS, GLASS, GLASS], judge)
    assert relevance.score.value == pytest.approx(0.6)
    assert relevance.passages == (0.9, 0.6, 0.3)
    assert not relevance.retrieval_failed
    assert judge.asked[0][1] == ("XYZ-2000 Warning lamp\nThe red lamp means over-pressure.", GLASS.text, GLASS.text)
    assert score_context(QUESTION, [LAMP], judge, ContextOptions(first=1)).score.value == 0.9


def test_below_the_bound_retrieval_failed() -> None:
    relevance = score_context(QUESTION, [GLASS], Scripted(0.59))
    assert relevance.retrieval_failed
    assert relevance.score.state == "unsupported"
    assert "scripted" in relevance.score.reason


class Counting(HashEmbedder):
    """An embedder that counts its texts."""

    texts = 0

    def encode(self, texts: Sequence[str]) -> Any:
        self.texts += len(texts)
        return super().encode(texts)


@pytest.mark.parametrize(("question", "passages"), [("", [LAMP]), (QUESTION, []), (QUESTION, [Passage(text="\n")])])
def test_without_question_or_context_the_judge_is_not_asked(question: str, passages: list[Passage]) -> None:
    judge = Scripted(0.9)
    relevance = score_context(question, passages, judge)
    assert relevance.score.state == "not_scorable"
    assert relevance.retrieval_failed
    assert judge.asked == []


@pytest.mark.parametrize("value", [math.nan, 1.2, -0.1, math.inf])
def test_a_judge_that_gives_no_score_is_not_scorable(value: float) -> None:
    relevance = score_context(QUESTION, [LAMP], Scripted(value))
    assert relevance.score.state == "not_scorable"
    assert "no scores" in relevance.score.reason


def test_vectors_tell_a_fitting_passage_from_another_and_are_kept() -> None:
    embedder = Counting()
    judge = VectorJudge(embedder)
    near, far = (score_context(QUESTION, [one], judge).score.value for one in (LAMP, GLASS))
    assert near > far
    before = embedder.texts
    assert score_context(QUESTION, [LAMP], judge).score.value == near
    assert embedder.texts == before


def test_the_packaged_embedder_passes_what_fits_in_both_languages() -> None:
    judge = VectorJudge(load_embedder())
    for question in (QUESTION, "XYZ-2000 的红灯表示什么？"):
        assert score_context(question, [LAMP], judge).score.state == "supported"
        assert score_context(question, [Passage(text="Thermowells slow the reading.")], judge).score.state == "unsupported"


def test_a_cross_encoder_is_asked_with_the_cleaned_question() -> None:
    scripted = Scripted(0.7)
    judge = CrossEncoderJudge("bge", scripted)
    relevance = score_context("Could you please tell me what it means? Thanks!", [LAMP], judge)
    assert (relevance.judge, judge.passes, relevance.score.state) == ("bge", 0.6, "supported")
    assert scripted.asked[0][0] == "what it means"
