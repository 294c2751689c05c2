"""The knowledge base: one question, three routes (dense, lexical, structured), one ranking.

Fusion weights are 4 : 3 : 3. The fused score is weighted by the document's authority; chunks in another
language than the question's step back; of a translated passage and of near-duplicates one is kept.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from knowledge import lexical
from knowledge.articles import AUTHORITY_WEIGHTS, Chunk, Hit, KnowledgeError, Language, SemanticType
from knowledge.embedder import PACKAGED, CachedEmbedder, Embedder, load_embedder
from knowledge.facts import ModelFacts
from knowledge.index import DenseIndex
from knowledge.intents import detect_intent, score_facts
from knowledge.publish import (
    DATABASE,
    VECTORS,
    Manifest,
    PublishError,
    current_folder,
    default_corpora,
    publish,
    read_chunks,
    read_manifest,
)
from knowledge.questions import clean_question
from knowledge.structured import load_facts

LANGUAGES: tuple[Language, ...] = ("en", "zh")


class SearchError(KnowledgeError):
    """A question that cannot be asked; the message names the offending argument."""


@dataclass(frozen=True)
class SearchOptions:
    """Weights of the routes (they sum to 1) and of the ranking rules; the only place of these defaults."""

    dense: float = 0.4
    lexical: float = 0.3
    structured: float = 0.3
    other_language: float = 0.6
    candidates: int = 40
    duplicate: float = 0.85
    least_score: float = 0.12


class KnowledgeBase:
    """A published corpus, opened for questions. Safe to share between threads."""

    def __init__(self, folder: Path, embedder: Embedder, options: SearchOptions | None = None, as_of: date | None = None) -> None:
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
        self._embedder = CachedEmbedder(embedder)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(
            f"{(folder / DATABASE).resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        self._chunks = read_chunks(self._db)
        self._rows = {chunk.id: row for row, chunk in enumerate(self._chunks)}
        self._index = DenseIndex.load(folder / VECTORS, len(self._chunks))

    @classmethod
    def open(
        cls, home: Path, corpus: Path | None = None, *, embedder: Embedder | str = PACKAGED, as_of: date | None = None
    ) -> KnowledgeBase:
        """The knowledge base of a corpus (the shipped one by default), published under `home` first where needed.

        `as_of` hides documents that were not yet in effect on that day; today by default.
        Raises ArticleError where the corpus does not hold, EmbedderError where the embedder cannot be loaded.
        """
        encoder = load_embedder(embedder) if isinstance(embedder, str) else embedder
        return cls(publish(Path(home), Path(corpus) if corpus else default_corpora(Path(home)), encoder), encoder, as_of=as_of)

    @classmethod
    def open_current(cls, home: Path, *, embedder: Embedder | str = PACKAGED, as_of: date | None = None) -> KnowledgeBase:
        """What was published last under `home`, without looking at any corpus. Raises PublishError where nothing was."""
        return cls(current_folder(Path(home)), load_embedder(embedder) if isinstance(embedder, str) else embedder, as_of=as_of)

    def close(self) -> None:
        """Release the database."""
        self._db.close()

    @property
    def version(self) -> str:
        """Version of the publication; it changes with every change of the corpus, the embedder or the chunking."""
        return self.manifest.version

    @cached_property
    def _statistics(self) -> lexical.TermStatistics:
        return lexical.collect_statistics(self._chunks)

    @cached_property
    def _models(self) -> tuple[str, ...]:
        return tuple(sorted({model for chunk in self._chunks if self._in_force(chunk) for model in chunk.models}))

    def models(self) -> tuple[str, ...]:
        """Ids of all models that a valid document is about, sorted."""
        return self._models

    def canonical_model(self, model: str) -> str | None:
        """The known id that a spelling stands for (case, spaces and hyphens forgiven), or None."""
        key = _model_key(model)
        return next((known for known in self._models if _model_key(known) == key), None) if key else None

    def chunk(self, id: str) -> Chunk:
        """The chunk with an id, whatever its status. Raises SearchError where there is none."""
        if id not in self._rows:
            raise SearchError(f"no chunk {id!r} in the knowledge base version {self.version}")
        return self._chunks[self._rows[id]]

    def chunks(self) -> tuple[Chunk, ...]:
        """All chunks in force, in the corpus's order."""
        return tuple(chunk for chunk in self._chunks if self._in_force(chunk))

    def facts(self, model: str, language: str = "en") -> ModelFacts | None:
        """Facts of a model from its valid manual in `language` (else in the other one); None for an unknown model."""
        known = self.canonical_model(model)
        if known is None:
            return None
        with self._lock:
            return load_facts(self._db, known, _language(language), self._today())

    def search(
        self, query: str, *, model: str | None = None, language: str | None = None, k: int = 3, semantic_type: str | None = None
    ) -> list[Hit]:
        """The `k` best chunks in force, best first.

        `model` limits the search to that model's documents and the general ones; for an unknown model only
        the general ones are left. `language` (else the query's own script) is preferred, not required;
        `semantic_type` is required where given. An empty list where nothing fits.
        """
        if k < 1:
            raise SearchError(f"k must be at least 1, got {k}")
        if semantic_type is not None and semantic_type not in SemanticType.__args__:  # type: ignore[attr-defined]
            raise SearchError(f"unknown semantic type {semantic_type!r}; known: {', '.join(SemanticType.__args__)}")  # type: ignore[attr-defined]
        query = clean_question(query)
        if not query:
            return []
        preferred = _language(language) if language else _script(query)
        known = self.canonical_model(model) if model is not None else self._named_model(query)
        allowed = self._allowed(known, restricted=model is not None or known is not None, semantic_type=semantic_type)
        hits = self._fuse(query, known, allowed, preferred)
        return self._distinct(hits, preferred)[:k]

    def _today(self) -> date:
        return self.as_of or date.today()

    def _in_force(self, chunk: Chunk) -> bool:
        return chunk.status == "valid" and chunk.effective_date <= self._today()

    def _named_model(self, query: str) -> str | None:
        """The one known model that a query names; None where it names none or several."""
        words = {_model_key(word) for word in re.findall(r"[A-Za-z0-9][A-Za-z0-9./-]*", query)}
        named = [model for model in self._models if _model_key(model) in words]
        return named[0] if len(named) == 1 else None

    def _allowed(self, model: str | None, *, restricted: bool, semantic_type: str | None) -> frozenset[int]:
        return frozenset(
            row
            for row, chunk in enumerate(self._chunks)
            if self._in_force(chunk)
            and (not restricted or not chunk.models or model in chunk.models)
            and (semantic_type is None or chunk.semantic_type == semantic_type)
        )

    def _fuse(self, query: str, model: str | None, allowed: frozenset[int], preferred: Language) -> list[Hit]:
        if not allowed:
            return []
        options = self.options
        near = self._index.search(self._embedder.query(query), tuple(allowed), options.candidates)
        with self._lock:
            words = lexical.search_terms(self._db, self._statistics, query, allowed)
        stated = self._structured(query, model, allowed)
        hits: list[Hit] = []
        for row in near.keys() | words.keys() | stated.keys():
            chunk = self._chunks[row]
            fused = (
                options.dense * near.get(row, 0.0)
                + options.lexical * words.get(row, 0.0)
                + options.structured * stated.get(row, 0.0)
            )
            fused *= AUTHORITY_WEIGHTS[chunk.authority] * (1.0 if chunk.language == preferred else options.other_language)
            if fused >= options.least_score:
                # Sums of weights may end a rounding above 1, which the contract of a hit refuses.
                dense, lexical_score, structured = (
                    None if part is None else min(1.0, part) for part in (near.get(row), words.get(row), stated.get(row))
                )
                score = min(1.0, fused)
                hits.append(Hit(chunk=chunk, score=score, dense=dense, lexical=lexical_score, structured=structured))
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.id))

    def _structured(self, query: str, model: str | None, allowed: frozenset[int]) -> dict[int, float]:
        intent = detect_intent(query)
        if model is None or not intent.topics:
            return {}
        scores: dict[int, float] = {}
        for language in LANGUAGES:
            facts = self.facts(model, language)
            for id, score in (score_facts(intent, facts) if facts else {}).items():
                if self._rows[id] in allowed:
                    scores[self._rows[id]] = max(score, scores.get(self._rows[id], 0.0))
        return scores

    def _distinct(self, hits: Sequence[Hit], preferred: Language) -> list[Hit]:
        """Hits without translations of each other and without near-duplicates; order is kept."""
        spoken = {_passage(hit.chunk) for hit in hits if hit.chunk.language == preferred}
        kept: list[Hit] = []
        for hit in hits:
            translated = hit.chunk.language != preferred and _passage(hit.chunk) in spoken
            if not translated and not any(self._same(hit.chunk, other.chunk) for other in kept):
                kept.append(hit)
        return kept

    def _same(self, first: Chunk, second: Chunk) -> bool:
        a, b = (self._statistics.by_row[self._rows[chunk.id]] for chunk in (first, second))
        return first.models == second.models and len(a & b) > self.options.duplicate * len(a | b)


def _passage(chunk: Chunk) -> tuple[str, str, str]:
    """What two translations of one passage share: document ids differ only in their ending `-en` or `-zh`."""
    return chunk.document.removesuffix(f"-{chunk.language}"), chunk.section, chunk.semantic_type


def _model_key(model: str) -> str:
    return re.sub(r"[\s_/.-]+", "", model).casefold()


def _script(text: str) -> Language:
    return "zh" if re.search(r"[\u3400-\u9fff]", text) else "en"


def _language(language: str) -> Language:
    for known in LANGUAGES:
        if language == known:
            return known
    raise SearchError(f"unknown language {language!r}; known: {', '.join(LANGUAGES)}")
