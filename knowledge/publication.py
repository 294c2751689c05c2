"""A publication opened for reading: its chunks, vectors, words and facts, and which documents answer at a moment."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path

from knowledge.articles import Language, Status
from knowledge.catalog import Catalog
from knowledge.embedder import Vectors
from knowledge.facts import ModelFacts
from knowledge.index import DenseIndex
from knowledge.lexical import TermStatistics
from knowledge.manifest import DATABASE, VECTORS, Manifest, PublishError, read_manifest
from knowledge.passages import nearest_passages
from knowledge.structured import load_facts
from knowledge.timeline import ANSWERING, Moment, day_of, in_force
from knowledge.weights import in_history

_MOST_FORCES, _MOST_FACTS = 64, 2000


class Publication:
    """What the routes of a search read from. Callers that share it between threads hold `lock` while they read."""

    def __init__(self, folder: Path, embedder: str, weights: Mapping[str, float] | None = None) -> None:
        manifest = read_manifest(folder)
        if manifest is None:
            raise PublishError(f"{folder} is not a whole publication: publish the corpus again")
        if manifest.embedder != embedder:
            raise PublishError(f"{folder} was built with the embedder {manifest.embedder!r}, not {embedder!r}: publish again")
        self.manifest: Manifest = manifest
        self.lock = threading.RLock()
        self.db = sqlite3.connect(
            f"{(folder / DATABASE).resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        self.catalog = Catalog(self.db)
        self.catalog.weigh(weights or {})
        self._history = in_history(weights or {})
        self.index = DenseIndex.load(folder / VECTORS, self.catalog.rows)
        self.statistics = TermStatistics(self.db, self.catalog.rows)
        self._facts: dict[tuple[str, Language, frozenset[str]], ModelFacts | None] = {}
        self._forces: dict[tuple[date, frozenset[Status]], frozenset[str]] = {}

    def close(self) -> None:
        """Release the database."""
        self.db.close()

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
                self._facts[key] = load_facts(self.db, model, language, documents)
        return self._facts[key]

    def passages(self, rows: Collection[int], vector: Vectors) -> dict[int, float]:
        """Row -> cosine of the chunk's passage nearest to `vector`."""
        return nearest_passages(self.db, rows, vector)
