"""The knowledge base: one question, three routes (dense, lexical, structured), one ranking.

Fusion weights are 4 : 3 : 3. A question that names one model is never answered from another one's manual.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import numpy as np

from knowledge.archive import open_archive
from knowledge.articles import Chunk, Hit, KnowledgeError, Language, SemanticType, Status
from knowledge.corpora import default_corpora
from knowledge.embedder import PACKAGED, CachedEmbedder, Embedder, Vectors, load_embedder
from knowledge.facts import ModelFacts
from knowledge.fusion import Fusion, SearchOptions
from knowledge.index import embedding_text
from knowledge.lexical import model_key
from knowledge.links import follow_links
from knowledge.manifest import Manifest
from knowledge.publication import Parts, Publication, open_folder
from knowledge.queryplan import ModelNames, QueryPlan, plan_query
from knowledge.ranking import LANGUAGES, QuestionVectors, Ranking, Scope
from knowledge.rerank import Reranker
from knowledge.spelling import Speller
from knowledge.timeline import ANSWERING, Moment
from knowledge.weights import WeightBook

__all__ = ["Fusion", "KnowledgeBase", "SearchError", "SearchOptions"]


class SearchError(KnowledgeError):
    """A question that cannot be asked; the message names the offending argument."""


class KnowledgeBase:
    """A published corpus, opened for questions. Safe to share between threads."""

    def __init__(
        self,
        source: Path | Parts,
        embedder: Embedder,
        options: SearchOptions | None = None,
        as_of: Moment | None = None,
        reranker: Reranker | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """`source` is the folder of a publication, or the parts that an archive opened."""
        parts = open_folder(source) if isinstance(source, Path) else source
        self._publication = Publication(parts, embedder.name, weights)
        self.options = options or SearchOptions()
        self.as_of = as_of
        self.reranker = reranker
        self._embedder = CachedEmbedder(embedder)

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
        database: str | None = None,
    ) -> KnowledgeBase:
        """The knowledge base of a corpus (the shipped one by default), published first where needed.

        Publications lie under `home`, or in the PostgreSQL server at the address `database`.
        `as_of` asks as of a moment: what was in force then answers; today by default.
        Weights that were decided on under `home` hold. Raises ArticleError where the corpus does not hold, EmbedderError
        where the embedder cannot be loaded.
        """
        encoder = load_embedder(embedder) if isinstance(embedder, str) else embedder
        archive = open_archive(Path(home), database)
        version = archive.publish(Path(corpus) if corpus else default_corpora(Path(home)), encoder)
        return cls(archive.open(version), encoder, options, as_of, reranker, WeightBook(Path(home)).weights())

    @classmethod
    def open_current(
        cls,
        home: Path,
        *,
        embedder: Embedder | str = PACKAGED,
        as_of: Moment | None = None,
        options: SearchOptions | None = None,
        reranker: Reranker | None = None,
        database: str | None = None,
    ) -> KnowledgeBase:
        """What was published last, without looking at any corpus. Raises PublishError where nothing was."""
        encoder = load_embedder(embedder) if isinstance(embedder, str) else embedder
        archive = open_archive(Path(home), database)
        return cls(archive.open(archive.current()), encoder, options, as_of, reranker, WeightBook(Path(home)).weights())

    def close(self) -> None:
        """Release the databases."""
        self._publication.close()

    @property
    def manifest(self) -> Manifest:
        """What the publication is made of."""
        return self._publication.manifest

    @property
    def version(self) -> str:
        """Version of the publication; it changes with every change of the corpus, the embedder or the chunking."""
        return self.manifest.version

    @cached_property
    def _names(self) -> ModelNames:
        return ModelNames(self.models())

    @cached_property
    def _speller(self) -> Speller:
        return Speller(self._publication.words)

    @cached_property
    def _models(self) -> tuple[str, ...]:
        catalog = self._publication.catalog
        return catalog.models(catalog.of_documents(self._in_force()))

    def models(self) -> tuple[str, ...]:
        """Ids of all models that a document in force is about, sorted."""
        return self._models

    def canonical_model(self, model: str) -> str | None:
        """The known id that a spelling stands for (case, spaces and hyphens forgiven), or None."""
        return self._names.known(model) if model_key(model) else None

    def chunk(self, id: str) -> Chunk:
        """The chunk with an id, whatever its status. Raises SearchError where there is none."""
        with self._publication.lock:
            return self._publication.catalog.chunk(self._rows([id])[0])

    def chunks(self) -> tuple[Chunk, ...]:
        """All chunks in force, in the corpus's order."""
        catalog = self._publication.catalog
        mask = catalog.of_documents(self._in_force())
        with self._publication.lock:
            return tuple(catalog.chunk(int(row)) for row in np.flatnonzero(mask))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Vectors (N, D) of some chunks. Raises SearchError for an unknown id."""
        with self._publication.lock:
            return self._publication.vectors.vectors(self._rows(ids))

    def _rows(self, ids: Sequence[str]) -> list[int]:
        rows = [(id, self._publication.catalog.row_of(id)) for id in ids]
        unknown = next((id for id, row in rows if row is None), None)
        if unknown is not None:
            raise SearchError(f"no chunk {unknown!r} in the knowledge base version {self.version}")
        return [row for _, row in rows if row is not None]

    def facts(self, model: str, language: str = "en") -> ModelFacts | None:
        """Facts of a model from its manual in force in `language` (else in the other one); None for an unknown model."""
        known = self.canonical_model(model)
        return None if known is None else self._publication.facts(known, _language(language), self._in_force())

    def plan(self, query: str) -> QueryPlan:
        """How a question is understood: what was cleaned and mended, which models, topics and values it names."""
        return plan_query(query, self._names, self._speller, self._publication.words)

    def prepare(self, queries: Sequence[str]) -> None:
        """Embed the questions that were not asked before in one batch, so that each search finds its vectors ready."""
        if self.options.dense > 0:
            plans = [plan for plan in map(self.plan, queries) if plan.text]
            self._embedder.prepare([text for plan in plans for text in (plan.text, plan.bare)])

    def sections(self, document: str, numbers: Sequence[str]) -> tuple[Chunk, ...]:
        """Chunks of some sections of a document, in reading order; empty where it has none of them."""
        catalog = self._publication.catalog
        with self._publication.lock:
            return tuple(catalog.chunk(row) for row in catalog.sections(document, numbers))

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
        scope = self._scope(plan, model, semantic_type, self._publication.documents(as_of or self._now(), include))
        if not scope.allowed.any():
            return []
        vectors = QuestionVectors(*self._embedder.prepare([plan.text, plan.bare])) if self.options.dense > 0 else None
        ranking = Ranking(self._publication, self.options, plan, scope, preferred)
        with self._publication.lock:
            hits = self._rerank(plan, ranking.distinct(ranking.rank(vectors)))
            return follow_links(ranking, hits)[:k]

    def with_options(self, **changes: object) -> SearchOptions:
        """The options with some of them changed; set `options` to it to search that way."""
        return replace(self.options, **changes)  # type: ignore[arg-type]

    def _now(self) -> Moment:
        return self.as_of or datetime.now(UTC).date()

    def _in_force(self) -> frozenset[str]:
        return self._publication.documents(self._now())

    def _scope(self, plan: QueryPlan, model: str | None, semantic_type: str | None, documents: frozenset[str]) -> Scope:
        models: tuple[str, ...] | None = None
        if model is not None:
            known = self.canonical_model(model)
            others = bool(plan.strangers) or any(named != known for named in plan.models)
            # The other model's trap: what is asked about model A must not be answered from the manual of model B.
            models = (known,) if known is not None and (known in plan.models or not others) else ()
        elif plan.models or plan.strangers:
            models = plan.models
        catalog = self._publication.catalog
        allowed = catalog.of_documents(documents)
        if models is not None:
            allowed = allowed & catalog.of_models(models)
        if semantic_type is not None:
            allowed = allowed & catalog.of_type(semantic_type)
        return Scope(allowed, models, documents)

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


def _language(language: str) -> Language:
    for known in LANGUAGES:
        if language == known:
            return known
    raise SearchError(f"unknown language {language!r}; known: {', '.join(LANGUAGES)}")
