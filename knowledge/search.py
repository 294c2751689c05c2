"""The knowledge base: one question, three routes (dense, lexical, structured), one ranking.

Fusion weights are 4 : 3 : 3. The fused score is weighted by the document's authority; chunks in another
language than the question's step back; of a translated passage and of near-duplicates one is kept; what the
best hits refer to comes along. A question that names one model is never answered from another one's manual.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from knowledge import lexical
from knowledge.articles import Chunk, Hit, KnowledgeError, Language, SemanticType, Status
from knowledge.catalog import Catalog, Mask
from knowledge.chunks import find_references
from knowledge.embedder import PACKAGED, CachedEmbedder, Embedder, Vectors, load_embedder
from knowledge.facts import LimitFact, ModelFacts
from knowledge.fusion import ROUTES, Fusion, RouteName, RouteScore, SearchOptions, fuse, ranked
from knowledge.index import DenseIndex, embedding_text
from knowledge.intents import called_sections, score_facts
from knowledge.publish import DATABASE, VECTORS, Manifest, PublishError, current_folder, default_corpora, publish, read_manifest
from knowledge.queryplan import ModelNames, QueryPlan, plan_query
from knowledge.rerank import Reranker
from knowledge.spelling import Speller
from knowledge.structured import load_facts
from knowledge.timeline import ANSWERING, Moment, day_of, in_force
from vision.units import compatible, convert

LANGUAGES: tuple[Language, ...] = ("en", "zh")
OVERVIEW = "overview"
"""Concept of headings under which a manual introduces itself: such a passage touches everything and answers little."""
STOP_SCORE = 0.6
"""Structured score of the emergency procedure where a question asks how to stop without calling it an emergency."""
__all__ = ["Fusion", "KnowledgeBase", "SearchError", "SearchOptions"]


class SearchError(KnowledgeError):
    """A question that cannot be asked; the message names the offending argument."""


class _Scope(NamedTuple):
    """What a question may be answered from: rows, and the models they are limited to (None: no limit)."""

    allowed: Mask
    models: tuple[str, ...] | None
    documents: frozenset[str]


class KnowledgeBase:
    """A published corpus, opened for questions. Safe to share between threads."""

    def __init__(
        self,
        folder: Path,
        embedder: Embedder,
        options: SearchOptions | None = None,
        as_of: Moment | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        manifest = read_manifest(folder)
        if manifest is None:
            raise PublishError(f"{folder} is not a whole publication: publish the corpus again")
        if manifest.embedder != embedder.name:
            raise PublishError(
                f"{folder} was built with the embedder {manifest.embedder!r}, not {embedder.name!r}: publish again"
            )
        self.manifest: Manifest = manifest
        self.options = options or SearchOptions()
        self.as_of = as_of
        self.reranker = reranker
        self._embedder = CachedEmbedder(embedder)
        self._lock = threading.RLock()
        self._db = sqlite3.connect(
            f"{(folder / DATABASE).resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        self._catalog = Catalog(self._db)
        self._index = DenseIndex.load(folder / VECTORS, self._catalog.rows)
        self._statistics = lexical.TermStatistics(self._db, self._catalog.rows)
        self._facts: dict[tuple[str, Language, frozenset[str]], ModelFacts | None] = {}
        self._forces: dict[tuple[Moment, frozenset[Status]], frozenset[str]] = {}

    @classmethod
    def open(
        cls,
        home: Path,
        corpus: Path | None = None,
        *,
        embedder: Embedder | str = PACKAGED,
        as_of: Moment | None = None,
        options: SearchOptions | None = None,
        reranker: Reranker | None = None,
    ) -> KnowledgeBase:
        """The knowledge base of a corpus (the shipped one by default), published under `home` first where needed.

        `as_of` asks as of a moment: what was in force then answers; today by default.
        Raises ArticleError where the corpus does not hold, EmbedderError where the embedder cannot be loaded.
        """
        encoder = load_embedder(embedder) if isinstance(embedder, str) else embedder
        folder = publish(Path(home), Path(corpus) if corpus else default_corpora(Path(home)), encoder)
        return cls(folder, encoder, options, as_of, reranker)

    @classmethod
    def open_current(
        cls,
        home: Path,
        *,
        embedder: Embedder | str = PACKAGED,
        as_of: Moment | None = None,
        options: SearchOptions | None = None,
        reranker: Reranker | None = None,
    ) -> KnowledgeBase:
        """What was published last under `home`, without looking at any corpus. Raises PublishError where nothing was."""
        encoder = load_embedder(embedder) if isinstance(embedder, str) else embedder
        return cls(current_folder(Path(home)), encoder, options, as_of, reranker)

    def close(self) -> None:
        """Release the database."""
        self._db.close()

    @property
    def version(self) -> str:
        """Version of the publication; it changes with every change of the corpus, the embedder or the chunking."""
        return self.manifest.version

    @cached_property
    def _names(self) -> ModelNames:
        return ModelNames(self.models())

    @cached_property
    def _words(self) -> Mapping[str, int]:
        with self._lock:
            return self._statistics.words()

    @cached_property
    def _speller(self) -> Speller:
        return Speller(self._words)

    @cached_property
    def _models(self) -> tuple[str, ...]:
        return self._catalog.models(self._catalog.of_documents(self._documents(self._now(), ANSWERING)))

    def models(self) -> tuple[str, ...]:
        """Ids of all models that a document in force is about, sorted."""
        return self._models

    def canonical_model(self, model: str) -> str | None:
        """The known id that a spelling stands for (case, spaces and hyphens forgiven), or None."""
        return self._names.known(model) if lexical.model_key(model) else None

    def chunk(self, id: str) -> Chunk:
        """The chunk with an id, whatever its status. Raises SearchError where there is none."""
        with self._lock:
            row = self._catalog.row_of(id)
            if row is None:
                raise SearchError(f"no chunk {id!r} in the knowledge base version {self.version}")
            return self._catalog.chunk(row)

    def chunks(self) -> tuple[Chunk, ...]:
        """All chunks in force, in the corpus's order."""
        mask = self._catalog.of_documents(self._documents(self._now(), ANSWERING))
        with self._lock:
            return tuple(self._catalog.chunk(int(row)) for row in np.flatnonzero(mask))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Vectors (N, D) of some chunks. Raises SearchError for an unknown id."""
        with self._lock:
            rows = [self._catalog.row_of(id) for id in ids]
        if None in rows:
            raise SearchError(f"no chunk {ids[rows.index(None)]!r} in the knowledge base version {self.version}")
        return self._index.vectors([row for row in rows if row is not None])

    def facts(self, model: str, language: str = "en") -> ModelFacts | None:
        """Facts of a model from its manual in force in `language` (else in the other one); None for an unknown model."""
        known = self.canonical_model(model)
        return None if known is None else self._facts_of(known, _language(language), self._documents(self._now(), ANSWERING))

    def plan(self, query: str) -> QueryPlan:
        """How a question is understood: what was cleaned and mended, which models, topics and values it names."""
        return plan_query(query, self._names, self._speller, self._words)

    def embed(self, text: str) -> Vectors:
        """Unit vector (D,) of a question, remembered: a search for it then costs no embedding."""
        return self._embedder.query(text)

    def prepare(self, queries: Sequence[str]) -> None:
        """Embed the questions that were not asked before in one batch, so that each search finds its vector ready."""
        if self.options.dense > 0:
            self._embedder.prepare([text for text in (self.plan(query).text for query in queries) if text])

    def sections(self, document: str, numbers: Sequence[str]) -> tuple[Chunk, ...]:
        """Chunks of some sections of a document, in reading order; empty where it has none of them."""
        with self._lock:
            return tuple(self._catalog.chunk(row) for row in self._catalog.sections(document, numbers))

    def search(
        self,
        query: str,
        *,
        model: str | None = None,
        language: str | None = None,
        k: int = 3,
        semantic_type: str | None = None,
        as_of: Moment | None = None,
        include: Collection[Status] = ANSWERING,
    ) -> list[Hit]:
        """The `k` best chunks in force, best first.

        `model` limits the search to that model's documents and the general ones; for an unknown model, or where the
        question itself names another one, only the general ones are left. `language` (else the query's own script) is
        preferred, not required; `semantic_type` is required where given. `as_of` asks as of another moment, `include`
        lets drafts or archived documents answer. An empty list where nothing fits.
        """
        if k < 1:
            raise SearchError(f"k must be at least 1, got {k}")
        if semantic_type is not None and semantic_type not in SemanticType.__args__:  # type: ignore[attr-defined]
            raise SearchError(f"unknown semantic type {semantic_type!r}; known: {', '.join(SemanticType.__args__)}")  # type: ignore[attr-defined]
        plan = self.plan(query)
        if not plan.text:
            return []
        preferred = _language(language) if language else plan.language
        scope = self._scope(plan, model, semantic_type, self._documents(as_of or self._now(), include))
        if not scope.allowed.any():
            return []
        vector = self.embed(plan.text) if self.options.dense > 0 else None
        with self._lock:
            hits = self._rank(plan, vector, scope, preferred)
            hits = self._rerank(plan, self._distinct(hits, preferred))
            return self._linked(plan, hits, scope, preferred)[:k]

    def _now(self) -> Moment:
        return self.as_of or datetime.now(UTC).date()

    def _documents(self, moment: Moment, include: Collection[Status]) -> frozenset[str]:
        """Ids of the documents that answer at a moment."""
        key = day_of(moment), frozenset(include)
        if key not in self._forces:
            if len(self._forces) > 64:
                self._forces.clear()
            self._forces[key] = in_force(self.manifest.documents, moment, include)
        return self._forces[key]

    def _facts_of(self, model: str, language: Language, documents: frozenset[str]) -> ModelFacts | None:
        key = model, language, documents
        if key not in self._facts:
            if len(self._facts) > 2000:
                self._facts.clear()
            with self._lock:
                self._facts[key] = load_facts(self._db, model, language, day_of(self._now()), documents)
        return self._facts[key]

    def _scope(self, plan: QueryPlan, model: str | None, semantic_type: str | None, documents: frozenset[str]) -> _Scope:
        models: tuple[str, ...] | None = None
        if model is not None:
            known = self.canonical_model(model)
            others = bool(plan.strangers) or any(named != known for named in plan.models)
            # The other model's trap: what is asked about model A must not be answered from the manual of model B.
            models = (known,) if known is not None and (known in plan.models or not others) else ()
        elif plan.models or plan.strangers:
            models = plan.models
        allowed = self._catalog.of_documents(documents)
        if models is not None:
            allowed = allowed & self._catalog.of_models(models)
        if semantic_type is not None:
            allowed = allowed & self._catalog.of_type(semantic_type)
        return _Scope(allowed, models, documents)

    def _rank(self, plan: QueryPlan, vector: Vectors | None, scope: _Scope, preferred: Language) -> list[Hit]:
        options = self.options
        near: dict[int, float] = {}
        if vector is not None:
            near = self._index.search(vector, scope.allowed, options.candidates, summaries=options.summaries)
        words: dict[int, float] = {}
        if options.lexical > 0:
            limit = () if scope.models is None else (*scope.models, None)
            words = lexical.search_terms(self._db, self._statistics, plan.terms, scope.allowed, limit)
        stated = self._structured(plan, scope, near.keys() | words.keys()) if options.structured > 0 else {}
        routes: dict[RouteName, dict[int, RouteScore]] = dict(
            zip(ROUTES, (ranked(near), ranked(words), ranked(stated)), strict=True)
        )
        hits: list[Hit] = []
        for row, score in fuse(routes, options).items():
            score *= float(self._catalog.authority[row])
            if scope.models:
                score *= options.general if self._catalog.general[row] else 1.0
            elif scope.models is None:
                score *= 1.0 if self._catalog.general[row] else options.specific
            if self._catalog.language(row) != preferred:
                score *= options.other_language
            if OVERVIEW in self._statistics.heading_of(row) and OVERVIEW not in plan.terms:
                score *= options.overview
            if score >= options.least_score:
                hits.append(self._hit(row, score, routes))
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.id))

    def _hit(self, row: int, score: float, routes: Mapping[RouteName, Mapping[int, RouteScore]]) -> Hit:
        found = {route: scores.get(row) for route, scores in routes.items()}
        scores = {route: one.score for route, one in found.items() if one is not None}
        ranks = {f"{route}_rank": one.rank for route, one in found.items() if one is not None}
        return Hit.model_validate({"chunk": self._catalog.chunk(row), "score": score, **scores, **ranks})

    def _structured(self, plan: QueryPlan, scope: _Scope, candidates: Collection[int]) -> dict[int, float]:
        scores: dict[int, float] = {}

        def note(row: int | None, score: float) -> None:
            if row is not None and score > 0 and scope.allowed[row]:
                scores[row] = max(score, scores.get(row, 0.0))

        for model in (scope.models or ())[:3]:
            for language in LANGUAGES:
                facts = self._facts_of(model, language, scope.documents)
                if facts is None or facts.language != language:
                    continue
                for id, score in score_facts(plan.intent, facts).items():
                    note(self._catalog.row_of(id), score)
                for limit in _limits_met(plan, facts):
                    note(self._catalog.row_of(limit.chunk), self.options.limit)
                if facts.emergency is not None and plan.intent.stop and plan.intent.action:
                    note(self._catalog.row_of(facts.emergency.chunk), STOP_SCORE)
        asked = frozenset(plan.terms)
        whole = self._statistics.weigh(asked)
        self._statistics.load(candidates)
        for row in candidates:
            heading = self._statistics.heading_of(row)
            met = self._statistics.weigh(heading & asked)
            if met:
                # Of the heading and of the question: "Filling" is not yet an answer to a question that mentions the filling.
                note(row, self.options.heading * met / math.sqrt(self._statistics.weigh(heading) * whole))
        return scores

    def _distinct(self, hits: Sequence[Hit], preferred: Language) -> list[Hit]:
        """Hits without translations of each other and without near-duplicates; order is kept."""
        spoken = {_passage(hit.chunk) for hit in hits if hit.chunk.language == preferred}
        kept: list[Hit] = []
        for hit in hits[: self.options.candidates]:
            translated = hit.chunk.language != preferred and _passage(hit.chunk) in spoken
            if not translated and not any(self._same(hit.chunk, other.chunk) for other in kept):
                kept.append(hit)
        return kept

    def _same(self, first: Chunk, second: Chunk) -> bool:
        if first.models != second.models:
            return False
        a, b = (self._statistics.terms_of(self._catalog.row_of(chunk.id) or 0) for chunk in (first, second))
        return len(a & b) > self.options.duplicate * len(a | b)

    def _rerank(self, plan: QueryPlan, hits: list[Hit]) -> list[Hit]:
        if self.reranker is None or not hits:
            return hits
        head, tail = hits[: self.options.reranked], hits[self.options.reranked :]
        judged = self.reranker.score(plan.text, [embedding_text(hit.chunk) for hit in head])
        weight = self.options.rerank_weight
        mixed = [
            hit.model_copy(update={"score": (1 - weight) * hit.score + weight * value, "reranked": value})
            for hit, value in zip(head, judged, strict=True)
        ]
        mixed.sort(key=lambda hit: (-hit.score, hit.chunk.id))
        # What the reranker did not see stays behind what it did.
        least = min(hit.score for hit in mixed)
        return mixed + [hit.model_copy(update={"score": min(hit.score, least)}) for hit in tail]

    def _linked(self, plan: QueryPlan, hits: list[Hit], scope: _Scope, preferred: Language) -> list[Hit]:
        """Hits with what the first of them refer to: the lamp's meaning brings its emergency procedure along.

        Twice: the procedure may send its reader on to the conditions of a restart.
        """
        if self.options.link <= 0:
            return hits
        for _ in range(2):
            hits = self._follow(plan, hits, scope, preferred)
        return hits

    def _follow(self, plan: QueryPlan, hits: list[Hit], scope: _Scope, preferred: Language) -> list[Hit]:
        by_id = {hit.chunk.id: hit for hit in hits}
        called = self._called(plan, scope)
        for parent in hits[:2]:
            own = called.get(parent.chunk.id, ())
            for row in self._catalog.sections(parent.chunk.document, parent.chunk.refers_to):
                chunk = self._catalog.chunk(row)
                if not scope.allowed[row] or chunk.id == parent.chunk.id or self._catalog.language(row) != preferred:
                    continue
                known = by_id.get(chunk.id)
                if (known is not None and known.linked_from is not None) or parent.linked_from == chunk.id:
                    continue
                share = self.options.called_link if chunk.section in own else self.options.link
                score = (known.score if known else 0.0) + share * parent.score
                if self._leads_on(plan, parent.chunk, chunk, called=chunk.section in own):
                    score = max(score, parent.score * 1.001)
                elif known is None or known.score < parent.score:
                    score = min(score, parent.score * 0.999)
                hit = known or Hit(chunk=chunk, score=0.0)
                by_id[chunk.id] = hit.model_copy(update={"score": min(1.0, score), "linked_from": parent.chunk.id})
        return sorted(by_id.values(), key=lambda hit: (-hit.score, hit.chunk.id))

    def _called(self, plan: QueryPlan, scope: _Scope) -> dict[str, tuple[str, ...]]:
        """Chunk id -> sections that the row which the question is about sends its reader to."""
        found: dict[str, tuple[str, ...]] = {}
        for model in (scope.models or ())[:3]:
            for language in LANGUAGES:
                facts = self._facts_of(model, language, scope.documents)
                if facts is not None:
                    met = [(limit.chunk, find_references(limit.text)) for limit in _limits_met(plan, facts)]
                    for id, sections in (*called_sections(plan.intent, facts), *met):
                        found[id] = (*found.get(id, ()), *sections)
        return found

    def _leads_on(self, plan: QueryPlan, parent: Chunk, target: Chunk, *, called: bool) -> bool:
        """Whether what a hit refers to answers more of the question than the hit itself."""
        wanted = set(plan.terms)
        rows = [self._catalog.row_of(chunk.id) or 0 for chunk in (parent, target)]
        first, second = (self._statistics.coverage(wanted, row) for row in rows)
        both = self._statistics.weigh(wanted & (self._statistics.terms_of(rows[0]) | self._statistics.terms_of(rows[1])))
        gain = both / max(self._statistics.weigh(wanted), 1e-9) - first
        if called and plan.two_step:
            return True
        if called and plan.intent.action:
            return target.semantic_type == "procedure" or gain > 0.4 * self.options.gain
        return gain >= self.options.gain and second > first

    def with_options(self, **changes: object) -> SearchOptions:
        """The options with some of them changed; set `options` to it to search that way."""
        return replace(self.options, **changes)  # type: ignore[arg-type]


def _limits_met(plan: QueryPlan, facts: ModelFacts) -> list[LimitFact]:
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


def _language(language: str) -> Language:
    for known in LANGUAGES:
        if language == known:
            return known
    raise SearchError(f"unknown language {language!r}; known: {', '.join(LANGUAGES)}")
