"""The retrieval probe: anchors by content and place, three states, slices."""

from __future__ import annotations

import math

import pytest

from eval.query_set import Answer, QueryCase
from eval.retrieval import (
    DEPTH,
    Passage,
    Wanted,
    ask,
    mean_retrieval,
    passage_of,
    score_retrieval,
    wanted_by,
)
from knowledge.articles import Hit
from tests.rag.builders import make_chunk

ANSWER = Answer(document="pn-25-en", section="6.1", anchor="every 24 months")
FORUM = Answer(document="forum-en", anchor="24 months")
WANTED = Wanted((ANSWER, FORUM), "pn-25-en")
RIGHT = Passage(text="Compare it every 24 months with a reference.", document="pn-25-en", section="6.1")
OTHER = Passage(text="Clean the glass with a cloth.", document="pn-25-en", section="6.3")
POST = Passage(text="I do it after 24 months.", document="forum-en", section="")
QUESTION = "How often must it be compared?"


@pytest.mark.parametrize(("before", "rank"), [(0, 1), (1, 2), (4, 5), (5, 6), (9, 10)])
def test_rank_and_what_follows_from_it(before: int, rank: int) -> None:
    scores = score_retrieval(QUESTION, [OTHER] * before + [RIGHT], WANTED)
    assert scores.rank == rank
    assert scores.hit.state == "supported"
    assert scores.reciprocal_rank.value == pytest.approx(1 / rank)
    assert (scores.hit_at_5.state == "supported") == (rank <= 5)
    assert scores.authoritative_hit.state == "supported"


def test_a_fragment_below_the_depth_is_a_miss() -> None:
    scores = score_retrieval(QUESTION, [OTHER] * DEPTH + [RIGHT], WANTED)
    assert (scores.rank, scores.hit.value, scores.reciprocal_rank.value) == (None, 0, 0)


def test_the_right_words_in_the_wrong_place_are_no_hit() -> None:
    elsewhere = RIGHT.model_copy(update={"section": "5.1"})
    copied = RIGHT.model_copy(update={"document": "xyz-2000-en"})
    for passage in (elsewhere, copied):
        assert score_retrieval(QUESTION, [passage], Wanted((ANSWER,), "pn-25-en")).hit.state == "unsupported"


def test_a_hit_in_a_forum_is_not_authoritative() -> None:
    scores = score_retrieval(QUESTION, [POST, OTHER], WANTED)
    assert scores.hit.state == "supported"
    assert scores.authoritative_hit.state == "unsupported"
    assert "pn-25-en" in scores.authoritative_hit.reason
    both = score_retrieval(QUESTION, [POST, RIGHT], WANTED)
    assert both.rank == 1
    assert both.authoritative_hit.state == "supported"


def test_passages_without_a_place_are_judged_by_their_words() -> None:
    bare = [Passage(text=RIGHT.text)]
    scores = score_retrieval(QUESTION, bare, WANTED)
    assert scores.hit.state == "supported"
    assert scores.authoritative_hit.state == "not_scorable"


def test_nothing_retrieved_is_a_miss_and_says_so() -> None:
    for passages in ([], [Passage(text=" ")]):
        scores = score_retrieval(QUESTION, passages, WANTED)
        assert scores.hit.value == 0
        assert "empty" in scores.hit.reason
        assert scores.authoritative_hit.state == "unsupported" or passages


@pytest.mark.parametrize(("question", "wanted"), [("", WANTED), ("?!", WANTED), (QUESTION, Wanted((), None))])
def test_what_cannot_be_scored_is_nan_in_all_scores(question: str, wanted: Wanted) -> None:
    scores = score_retrieval(question, [RIGHT], wanted)
    every = (scores.hit, scores.hit_at_5, scores.authoritative_hit, scores.reciprocal_rank)
    assert {one.state for one in every} == {"not_scorable"}
    assert all(math.isnan(one.value) for one in every)


def test_means_carry_stderr_n_and_what_was_left_out() -> None:
    rows = [
        score_retrieval(QUESTION, [RIGHT], WANTED),
        score_retrieval(QUESTION, [OTHER, RIGHT], WANTED),
        score_retrieval(QUESTION, [OTHER], WANTED),
        score_retrieval("", [RIGHT], WANTED),
    ]
    means = mean_retrieval(rows)
    assert (means.hit.n, means.hit.not_scorable) == (3, 1)
    assert means.hit.value == pytest.approx(2 / 3)
    assert means.mrr.value == pytest.approx((1 + 0.5 + 0) / 3)
    assert means.hit.stderr == pytest.approx(math.sqrt(((1 / 3) ** 2 * 2 + (2 / 3) ** 2) / 2 / 3))
    assert not means.stop


def test_a_wide_gap_to_the_authority_stops() -> None:
    rows = [score_retrieval(QUESTION, [POST], WANTED)] * 2 + [score_retrieval(QUESTION, [RIGHT], WANTED)] * 8
    means = mean_retrieval(rows)
    assert means.authority_gap == pytest.approx(0.2)
    assert means.stop
    assert not mean_retrieval(rows[1:]).stop


def test_no_questions_have_no_mean() -> None:
    means = mean_retrieval([])
    assert means.hit.n == 0
    assert math.isnan(means.authority_gap)
    assert not means.stop


def test_a_case_is_asked_with_its_model_and_scored_by_its_fragments() -> None:
    asked: list[tuple[str, str | None, int]] = []
    chunk = make_chunk("c", text="Compare it every 24 months.", document="pn-25-en", section="6.1")

    class Base:
        def search(self, query: str, *, model: str | None = None, language: str | None = None, k: int = 3) -> list[Hit]:
            asked.append((query, model, k))
            return [Hit(chunk=chunk, score=0.9)]

    case = QueryCase(
        id="q", slice="english", language="en", text=QUESTION, model="PN-25", answers=(ANSWER,), authority="pn-25-en"
    )
    assert ask(Base(), case).rank == 1
    assert asked == [(QUESTION, "PN-25", DEPTH)]
    assert wanted_by(case) == Wanted((ANSWER,), "pn-25-en")


def test_injected_declarations_are_no_words_of_the_manual() -> None:
    chunk = make_chunk("c", text="p = a / 2\nThe unit of pressure is MPa.")
    chunk = chunk.model_copy(update={"injected": "The unit of pressure is MPa."})
    assert passage_of(chunk).text == "p = a / 2"
