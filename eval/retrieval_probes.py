"""All retrieval probes over a set of test queries: one search a query, and what each probe says of its passages.

They answer different questions. A hit says that the fragment is there, anchor relevance that the passages are about the
question, coverage that they state the facts; the second can be high where the third is low, and a mean of them would hide it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from eval.anchors_relevance import INSTRUMENTS, AnchorRelevance, DomainWeights, HeatMap, heat_map, score_anchors
from eval.context_relevance import ContextJudge, ContextRelevance, score_context
from eval.coverage import Coverage, score_coverage
from eval.mvfu import FactLibrary
from eval.query_set import QueryCase
from eval.retrieval import DEPTH, RetrievalMeans, RetrievalScores, mean_retrieval, passage_of, score_retrieval, wanted_by
from eval.score import Mean, mean_score
from knowledge.search import KnowledgeBase
from vision.fields import Contract

CONTEXT = 3
"""Passages that a writer gets: relevance and coverage are of these, the rank of a hit is of `DEPTH`."""


@dataclass(frozen=True)
class Probes:
    """What the probes need beside passages."""

    library: FactLibrary
    judge: ContextJudge
    weights: DomainWeights = INSTRUMENTS


class ProbeRow(Contract):
    """One query under all probes. `heat` is the anchor relevance of all passages looked at."""

    id: str
    slice: str
    retrieval: RetrievalScores
    anchor_relevance: AnchorRelevance
    fact_coverage: Coverage
    context_relevance: ContextRelevance
    heat: AnchorRelevance


class ProbeMeans(Contract):
    """Means of several queries, each with stderr, n and what was not scorable."""

    retrieval: RetrievalMeans
    anchor_relevance: Mean
    fact_coverage: Mean
    context_relevance: Mean


class ProbeCard(Contract):
    """All queries together, by slice, and where along the list of passages the noise begins.

    `about_but_empty`: ids of queries whose passages pass anchor relevance and fail coverage.
    """

    overall: ProbeMeans
    slices: dict[str, ProbeMeans]
    heat: HeatMap
    about_but_empty: tuple[str, ...]
    judge: str
    knowledge_version: str


def probe_queries(knowledge: KnowledgeBase, cases: Iterable[QueryCase], probes: Probes) -> Iterator[ProbeRow]:
    """Each query asked once and judged by every probe, in order."""
    for case in cases:
        plan = knowledge.plan(case.text)
        passages = [passage_of(hit.chunk) for hit in knowledge.search(case.text, model=case.model, k=DEPTH)]
        context = passages[:CONTEXT]
        model = case.model or (plan.models[0] if len(plan.models) == 1 else None)
        # Relevance is to the question as it was understood: a mended typo is no anchor that passages lack.
        asked = plan.text if model is None or model in plan.models else f"{model}: {plan.text}"
        yield ProbeRow(
            id=case.id,
            slice=case.slice,
            retrieval=score_retrieval(case.text, passages, wanted_by(case)),
            anchor_relevance=score_anchors(asked, context, probes.weights),
            fact_coverage=score_coverage(case.text, context, probes.library, model, case.language),
            context_relevance=score_context(asked, context, probes.judge),
            heat=score_anchors(asked, passages, probes.weights),
        )


def probe_card(rows: Sequence[ProbeRow], judge: str, knowledge_version: str) -> ProbeCard:
    """The card of rows."""
    slices = sorted({row.slice for row in rows})
    return ProbeCard(
        overall=_means(rows),
        slices={name: _means([row for row in rows if row.slice == name]) for name in slices},
        heat=heat_map((row.heat for row in rows), DEPTH),
        about_but_empty=tuple(
            row.id
            for row in rows
            if row.anchor_relevance.score.state == "supported" and row.fact_coverage.score.state == "unsupported"
        ),
        judge=judge,
        knowledge_version=knowledge_version,
    )


def _means(rows: Sequence[ProbeRow]) -> ProbeMeans:
    return ProbeMeans(
        retrieval=mean_retrieval(row.retrieval for row in rows),
        anchor_relevance=mean_score(row.anchor_relevance.score for row in rows),
        fact_coverage=mean_score(row.fact_coverage.score for row in rows),
        context_relevance=mean_score(row.context_relevance.score for row in rows),
    )
