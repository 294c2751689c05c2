"""A publication opened for reading: its chunks, vectors, words and facts, and which documents answer at a moment."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from knowledge.articles import Language, Status
from knowledge.catalog import Catalog, Mask
from knowledge.dense import Vectorbook, search_vectors
from knowledge.embedder import Vectors
from knowledge.facts import ModelFacts
from knowledge.index import DenseIndex
from knowledge.lexical import TermStatistics
from knowledge.manifest import DATABASE, VECTORS, Manifest, PublishError, read_manifest
from knowledge.passages import PassageBook, SqlitePassages, nearest_passages
from knowledge.structured import FactBook, SqliteFacts
from knowledge.timeline import ANSWERING, Moment, day_of, in_force
from knowledge.weights import in_history

_MOST_FORCES, _MOST_FACTS = 64, 2000


class Parts(NamedTuple):
    """What a publication is read from, wherever it is kept: `place` names it, `words` holds chunks and their words."""

    place: str
    manifest: Manifest
    words: sqlite3.Connection
    vectors: Callable[[int], Vectorbook]
    passages: PassageBook
    facts: FactBook
    close: Callable[[], None]


def open_folder(folder: Path) -> Parts:
    """The parts of a publication in a folder. Raises PublishError where it is not whole."""
    manifest = read_manifest(folder)
    if manifest is None:
        raise PublishError(f"{folder} is not a whole publication: publish the corpus again")
    db = open_words(folder)
    return Parts(
        place=str(folder),
        manifest=manifest,
        words=db,
        vectors=lambda rows: DenseIndex.load(folder / VECTORS, rows),
        passages=SqlitePassages(db),
        facts=SqliteFacts(db),
        close=db.close,
    )


def open_words(folder: Path) -> sqlite3.Connection:
    """The database of a folder that nobody writes to any more."""
    return sqlite3.connect(f"{(folder / DATABASE).resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)


class Publication:
    """What the routes of a search read from. Callers that share it between threads hold `lock` while they read."""

    def __init__(self, parts: Parts, embedder: str, weights: Mapping[str, float] | None = None) -> None:
        self.manifest: Manifest = parts.manifest
        if self.manifest.embedder != embedder:
            parts.close()
            raise PublishError(
                f"{parts.place} was built with the embedder {self.manifest.embedder!r}, not {embedder!r}: publish again"
            )
        self.lock = threading.RLock()
        self._parts = parts
        self.db = parts.words
        self.catalog = Catalog(self.db)
        self.catalog.weigh(weights or {})
        self._history = in_history(weights or {})
        self.vectors = parts.vectors(self.catalog.rows)
        self.statistics = TermStatistics(self.db, self.catalog.rows)
        self._facts: dict[tuple[str, Language, frozenset[str]], ModelFacts | None] = {}
        self._forces: dict[tuple[date, frozenset[Status]], frozenset[str]] = {}

    def close(self) -> None:
        """Release the databases."""
        self._parts.close()

    @cached_property
    def words(self) -> Mapping[str, int]:
        """All Latin words of the chunks, with the number of chunks that hold them."""
        with self.lock:
            return self.statistics.words()

    def documents(self, moment: Moment, include: Collection[Status] = ANSWERING) -> frozenset[str]:
        """Ids of the documents that answer at a moment."""
        key = day_of(moment), frozenset(include)
        if key not in self._forces:
            if len(self._forces) > _MOST_FORCES:
                self._forces.clear()
            found = in_force(self.manifest.documents, moment, include)
            self._forces[key] = found if "archived" in include else found - self._history
        return self._forces[key]

    def facts(self, model: str, language: Language, documents: frozenset[str]) -> ModelFacts | None:
        """Facts of a model from its manual among `documents`, in `language` where there is one."""
        key = model, language, documents
        if key not in self._facts:
            if len(self._facts) > _MOST_FACTS:
                self._facts.clear()
            with self.lock:
                self._facts[key] = self._parts.facts.load(model, language, documents)
        return self._facts[key]

    def near(self, vector: Vectors, allowed: Mask, k: int, *, summaries: bool) -> dict[int, float]:
        """Row -> cosine of the `k` allowed chunks nearest to `vector`."""
        return search_vectors(self.vectors, vector, allowed, k, summaries=summaries)

    def passages(self, rows: Collection[int], vector: Vectors) -> dict[int, float]:
        """Row -> cosine of the chunk's passage nearest to `vector`."""
        return nearest_passages(self._parts.passages, rows, vector)
