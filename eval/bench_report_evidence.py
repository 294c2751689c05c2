"""Context distillation on the knowledge base's test queries: what it keeps, what it costs, and how often it judges right."""

from __future__ import annotations

from collections.abc import Sequence

from eval.bench_knowledge import half_of
from eval.query_set import QueryCase
from eval.score import Number, Share, share_true
from eval.tables import percent
from knowledge.search import KnowledgeBase
from rag.distill import distil, intent_scores
from rag.evidence import EvidenceOptions, arrange
from rag.queries import Query
from rag.tokens import estimate_tokens
from vision.fields import Contract

SOURCE_ACCURACY, SOURCE_SHORTER = 0.94, 0.37
"""Accuracy of the classifier and loss of length in the source documents (500 labels, a trained model of theirs)."""


class Distillation(Contract):
    """Over the held-out half of the queries. `judged_right`: hits whose intent lies on the right side of the bound;
    `answer_found`, `answer_kept`: answerable queries with an answer among the hits, and among the chunks kept;
    `chunks_kept` is a mean; `tokens_before`, `tokens_after`: mean length of all hits, and of what goes before a model."""

    queries: int
    judged_right: Share
    answer_found: Share
    answer_kept: Share
    chunks_kept: Number
    tokens_before: Number
    tokens_after: Number

    @property
    def shorter(self) -> float:
        """Share of the length that is saved, in [0, 1]."""
        return 1.0 - self.tokens_after / self.tokens_before


def measure_distillation(kb: KnowledgeBase, cases: Sequence[QueryCase], options: EvidenceOptions | None = None) -> Distillation:
    """Distil the hits of every held-out query among `cases`, as the product does, without the facts' own chunks."""
    options = options or EvidenceOptions()
    right: list[bool] = []
    found: list[bool] = []
    kept: list[bool] = []
    chunks, before, after, queries = 0, 0, 0, 0
    for case in cases:
        if half_of(case) != "held out":
            continue
        hits = tuple(kb.search(case.text, model=case.model, k=options.search_k))
        query = as_query(case)
        intents = intent_scores(query, hits)
        answers = {hit.chunk.id for hit in hits if any(place.holds(hit.chunk) for place in (*case.answers, *case.via))}
        right += [(intents[hit.chunk.id] > options.min_intent) == (hit.chunk.id in answers) for hit in hits]
        pieces = arrange(distil(query, hits, (), options), options, {})
        queries += 1
        chunks += len(pieces)
        before += sum(estimate_tokens(hit.chunk.text) for hit in hits)
        after += sum(estimate_tokens(piece.sent) for piece in pieces)
        if case.answers:
            found.append(any(case.answered_by(hit.chunk) for hit in hits))
            kept.append(any(case.answered_by(piece.chunk) for piece in pieces))
    mean = [total / queries if queries else float("nan") for total in (chunks, before, after)]
    return Distillation(
        queries=queries,
        judged_right=share_true(right),
        answer_found=share_true(found),
        answer_kept=share_true(kept),
        chunks_kept=mean[0],
        tokens_before=mean[1],
        tokens_after=mean[2],
    )


def as_query(case: QueryCase) -> Query:
    """A test query as the template engine would ask it."""
    return Query(
        name=case.query_name or case.id,
        text=case.text,
        language=case.language,
        instrument=1,
        field="kind",
        semantic_type=case.semantic_type,
    )


def distillation_text(measured: Distillation) -> str:
    """One line for people, with the source documents' numbers."""
    return (
        f"Distilled contexts of {measured.queries} held-out queries: hits judged right {percent(measured.judged_right)} "
        f"(source {100 * SOURCE_ACCURACY:.0f} %), answer among the hits {percent(measured.answer_found)}, among the "
        f"{measured.chunks_kept:.2f} chunks kept {percent(measured.answer_kept)}, {100 * measured.shorter:.0f} % shorter "
        f"(source {100 * SOURCE_SHORTER:.0f} %)."
    )
