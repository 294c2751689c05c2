"""Retrieval probe: does the wanted fragment stand among the passages found, how far up, and in the document with the last word?

Anchors are key fragments, named by document, section and a pattern of the answering words: the set survives another way of
cutting, and any system's passages can be scored. What C's source calls "Precision@5" is a hit rate; it is `hit_at_5` here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from eval.query_set import Answer, QueryCase
from eval.scorable import context_fault, question_fault
from eval.score import NAN, Mean, Number, Score, graded, mean_score, not_scorable, supported, unsupported
from knowledge.articles import Chunk, Hit
from vision.fields import Contract

DEPTH = 10
"""Passages that are looked at; a fragment further down counts as not found."""
NEAR = 5
MRR_PASSES = 0.7
GAP_STOPS = 0.15
"""Hits less authoritative hits: above this share answers rest on documents without the last word."""


class Passage(Contract):
    """A retrieved text of any system. `document`, `section` and `title` are None where the system does not tell them.

    `title` is what stands above the text (document, heading, models): what it is about without saying it again.
    """

    text: str
    document: str | None = None
    section: str | None = None
    title: str | None = None


class RetrievalScores(Contract):
    """One question. `rank` (from 1) is that of the first passage with a wanted fragment, None where there is none.

    `reciprocal_rank` = 1 / rank, 0 without a rank; its state is that of a hit.
    """

    hit: Score
    hit_at_5: Score
    authoritative_hit: Score
    reciprocal_rank: Score
    rank: int | None


class RetrievalMeans(Contract):
    """Means over questions, each with stderr, n and what was not scorable. `mrr` is the mean reciprocal rank.

    `authority_gap` = hit - authoritative hit; `stop` where it is above `GAP_STOPS`.
    """

    hit: Mean
    hit_at_5: Mean
    authoritative_hit: Mean
    mrr: Mean
    authority_gap: Number
    stop: bool


class Searching(Protocol):
    """What this probe needs of a knowledge base."""

    def search(self, query: str, *, model: str | None = ..., language: str | None = ..., k: int = ...) -> Sequence[Hit]: ...


class Wanted(NamedTuple):
    """The fragments of which any one answers, and the document that has the last word."""

    answers: tuple[Answer, ...]
    authority: str | None


def passage_of(chunk: Chunk) -> Passage:
    """A chunk of the knowledge base as a passage: the manual's own words, without what was injected."""
    title = " ".join((chunk.title, chunk.section_title, *chunk.models))
    return Passage(text=chunk.verbatim, document=chunk.document, section=chunk.section, title=title)


def wanted_by(case: QueryCase) -> Wanted:
    """What answers a test query."""
    return Wanted(case.answers, case.authority)


def score_retrieval(question: str, passages: Sequence[Passage], wanted: Wanted, depth: int = DEPTH) -> RetrievalScores:
    """Hit, hit at 5, authoritative hit and reciprocal rank of one question over its first `depth` passages.

    Nothing found is a miss: retrieval was asked and brought nothing. Not scorable are an empty question and one that no
    document answers; the authoritative hit also where the system does not name its documents.
    """
    fault = question_fault(question)
    if fault is None and not wanted.answers:
        fault = "no fragment answers the question: it is not one that retrieval could hit"
    if fault is not None:
        nothing = not_scorable(fault)
        return RetrievalScores(hit=nothing, hit_at_5=nothing, authoritative_hit=nothing, reciprocal_rank=nothing, rank=None)
    kept = passages[:depth]
    places = [place for place, passage in enumerate(kept, 1) if any(_holds(answer, passage) for answer in wanted.answers)]
    rank = places[0] if places else None
    miss = context_fault([passage.text for passage in kept]) or f"no wanted fragment among {len(kept)} passages"
    found = f"the fragment stands in passage {rank}"
    return RetrievalScores(
        hit=supported(found) if rank else unsupported(miss),
        hit_at_5=supported(found) if rank and rank <= NEAR else unsupported(found if rank else miss),
        authoritative_hit=_authoritative(kept, wanted, miss if rank is None else None),
        reciprocal_rank=graded(1 / rank, MRR_PASSES, found) if rank else unsupported(miss),
        rank=rank,
    )


def _authoritative(passages: Sequence[Passage], wanted: Wanted, miss: str | None) -> Score:
    if wanted.authority is None:
        return not_scorable("the question names no document with the last word")
    if not any(passage.document for passage in passages) and passages:
        return not_scorable("the passages do not say which documents they are from")
    last = [answer for answer in wanted.answers if answer.document == wanted.authority]
    for place, passage in enumerate(passages, 1):
        if passage.document == wanted.authority and any(_holds(answer, passage) for answer in last):
            return supported(f"{wanted.authority} answers in passage {place}")
    return unsupported(miss or f"the fragment was found, not in {wanted.authority}")


def _holds(answer: Answer, passage: Passage) -> bool:
    """Whether a passage is the place. A place that the system does not tell is left open; the words must stand there."""
    return (
        passage.document in (None, answer.document)
        and (answer.section == "" or passage.section in (None, answer.section))
        and answer.stands_in(passage.text)
    )


def ask(knowledge: Searching, case: QueryCase) -> RetrievalScores:
    """One test query put to a knowledge base and scored."""
    hits = knowledge.search(case.text, model=case.model, k=DEPTH)
    return score_retrieval(case.text, [passage_of(hit.chunk) for hit in hits], wanted_by(case))


def mean_retrieval(scores: Iterable[RetrievalScores]) -> RetrievalMeans:
    """Means of several questions; the gap is over those whose authoritative hit is scorable."""
    rows = list(scores)
    gap = mean_score(row.hit for row in rows if row.authoritative_hit.state != "not_scorable")
    authoritative = mean_score(row.authoritative_hit for row in rows)
    difference = gap.value - authoritative.value if authoritative.n else NAN
    return RetrievalMeans(
        hit=mean_score(row.hit for row in rows),
        hit_at_5=mean_score(row.hit_at_5 for row in rows),
        authoritative_hit=authoritative,
        mrr=mean_score(row.reciprocal_rank for row in rows),
        authority_gap=difference,
        stop=difference > GAP_STOPS,
    )
