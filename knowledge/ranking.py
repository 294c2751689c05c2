"""One question against a publication: what it may be answered from, three routes, and one order of their findings.

The fused score is weighted by the document's authority; chunks in another language than the question's and documents of
another scope step back; of a translated passage and of near-duplicates one is kept.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from knowledge import lexical
from knowledge.articles import Chunk, Hit, Language
from knowledge.catalog import Mask
from knowledge.embedder import Vectors
from knowledge.facts import LimitFact, ModelFacts
from knowledge.fusion import ROUTES, RouteName, RouteScore, SearchOptions, fuse, ranked
from knowledge.intents import gives_cause, gives_data, score_facts
from knowledge.publication import Publication
from knowledge.queryplan import QueryPlan
from vision.units import compatible, convert

LANGUAGES: tuple[Language, ...] = ("en", "zh")
OVERVIEW = "overview"
"""Concept of headings under which a manual introduces itself: such a passage touches everything and answers little."""
STOP_SCORE = 0.6
"""Structured score of the emergency procedure where a question asks how to stop without calling it an emergency."""
MOST_MODELS = 3
"""Models of a question whose facts are looked at."""


class Scope(NamedTuple):
    """What a question may be answered from: rows, the models they are limited to (None: no limit), documents in force."""

    allowed: Mask
    models: tuple[str, ...] | None
    documents: frozenset[str]


class QuestionVectors(NamedTuple):
    """Unit vectors (D,) of a question as asked and of it without the models it names."""

    whole: Vectors
    bare: Vectors


class Ranking:
    """The ranking of one question. Its methods read the publication: hold its lock."""

    def __init__(
        self, publication: Publication, options: SearchOptions, plan: QueryPlan, scope: Scope, preferred: Language
    ) -> None:
        self.publication = publication
        self.options = options
        self.plan = plan
        self.scope = scope
        self.preferred = preferred
        self.catalog = publication.catalog
        self.statistics = publication.statistics

    def rank(self, vectors: QuestionVectors | None) -> list[Hit]:
        """Hits of the routes, best first; without vectors the dense route is left out."""
        near = self._dense(vectors) if vectors is not None else {}
        words = self._lexical() if self.options.lexical > 0 else {}
        stated = self._structured(near.keys() | words.keys()) if self.options.structured > 0 else {}
        routes: dict[RouteName, dict[int, RouteScore]] = dict(
            zip(ROUTES, (ranked(near), ranked(words), ranked(stated)), strict=True)
        )
        scored = ((row, score * self._standing(row)) for row, score in fuse(routes, self.options).items())
        hits = [self._hit(row, score, routes) for row, score in scored if score >= self.options.least_score]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.id))

    def distinct(self, hits: Sequence[Hit]) -> list[Hit]:
        """Hits without translations of each other and without near-duplicates; order is kept."""
        spoken = {_passage(hit.chunk) for hit in hits if hit.chunk.language == self.preferred}
        kept: list[Hit] = []
        for hit in hits[: self.options.candidates]:
            translated = hit.chunk.language != self.preferred and _passage(hit.chunk) in spoken
            if not translated and not any(self._same(hit.chunk, other.chunk) for other in kept):
                kept.append(hit)
        return kept

    def model_facts(self) -> Iterator[ModelFacts]:
        """Facts of the models that the question is about, in both languages."""
        for model in (self.scope.models or ())[:MOST_MODELS]:
            for language in LANGUAGES:
                facts = self.publication.facts(model, language, self.scope.documents)
                if facts is not None and facts.language == language:
                    yield facts

    def _dense(self, vectors: QuestionVectors) -> dict[int, float]:
        options, allowed = self.options, self.scope.allowed
        near = self.publication.near(vectors.whole, allowed, options.candidates, summaries=options.summaries)
        if options.passages > 0:
            inner = self.publication.passages(near, vectors.bare)
            near = {row: (1 - options.passages) * cosine + options.passages * inner[row] for row, cosine in near.items()}
        return {row: min(1.0, cosine / options.same_cosine) for row, cosine in near.items()}

    def _lexical(self) -> dict[int, float]:
        limit = () if self.scope.models is None else (*self.scope.models, None)
        return lexical.search_terms(self.publication.db, self.statistics, self.plan.terms, self.scope.allowed, limit)

    def _structured(self, candidates: Collection[int]) -> dict[int, float]:
        scores: dict[int, float] = {}

        def note(row: int | None, score: float) -> None:
            if row is not None and score > 0 and self.scope.allowed[row]:
                scores[row] = max(score, scores.get(row, 0.0))

        plan, row_of = self.plan, self.catalog.row_of
        for facts in self.model_facts():
            for id, score in score_facts(plan.intent, facts).items():
                note(row_of(id), score)
            for limit in limits_met(plan, facts):
                note(row_of(limit.chunk), self.options.limit)
            if facts.emergency is not None and plan.intent.stop and plan.intent.action:
                note(row_of(facts.emergency.chunk), STOP_SCORE)
        asked = frozenset(plan.terms)
        whole = self.statistics.weigh(asked)
        self.statistics.load(candidates)
        for row in candidates:
            heading = self.statistics.heading_of(row)
            met = self.statistics.weigh(heading & asked)
            if met:
                # Of the heading and of the question: "Filling" is not yet an answer to a question that mentions the filling.
                note(row, self.options.heading * met / math.sqrt(self.statistics.weigh(heading) * whole))
        for row in candidates if plan.intent.cause or plan.intent.datum else ():
            chunk = self.catalog.chunk(row)
            if plan.intent.cause and gives_cause(chunk.verbatim):
                note(row, scores.get(row, 0.0) + self.options.cause)
            if plan.intent.datum and gives_data(chunk):
                note(row, scores.get(row, 0.0) + self.options.datum)
        return scores

    def _standing(self, row: int) -> float:
        """What a chunk's score is multiplied with for its document's authority, scope and language."""
        options = self.options
        standing = float(self.catalog.authority[row])
        if self.scope.models:
            standing *= options.general if self.catalog.general[row] else 1.0
        elif self.scope.models is None:
            standing *= 1.0 if self.catalog.general[row] else options.specific
        if self.catalog.language(row) != self.preferred:
            standing *= options.other_language
        if OVERVIEW in self.statistics.heading_of(row) and OVERVIEW not in self.plan.terms:
            standing *= options.overview
        return standing

    def _hit(self, row: int, score: float, routes: Mapping[RouteName, Mapping[int, RouteScore]]) -> Hit:
        found = {route: scores.get(row) for route, scores in routes.items()}
        scores = {route: one.score for route, one in found.items() if one is not None}
        ranks = {f"{route}_rank": one.rank for route, one in found.items() if one is not None}
        return Hit.model_validate({"chunk": self.catalog.chunk(row), "score": score, **scores, **ranks})

    def _same(self, first: Chunk, second: Chunk) -> bool:
        if first.models != second.models:
            return False
        a, b = (self.statistics.terms_of(self.catalog.row_of(chunk.id) or 0) for chunk in (first, second))
        return len(a & b) > self.options.duplicate * len(a | b)


def limits_met(plan: QueryPlan, facts: ModelFacts) -> list[LimitFact]:
    """Limits that a value of the question falls under."""
    return [
        limit
        for quantity in plan.quantities
        for limit in facts.limits
        if limit.unit is not None
        and (quantity.unit is None or compatible(quantity.unit, limit.unit))
        and limit.holds(convert(quantity.value, quantity.unit or limit.unit, limit.unit))
    ]


def _passage(chunk: Chunk) -> tuple[str, str, str]:
    """What two translations of one passage share: document ids differ only in their ending `-en` or `-zh`."""
    return chunk.document.removesuffix(f"-{chunk.language}"), chunk.section, chunk.semantic_type
