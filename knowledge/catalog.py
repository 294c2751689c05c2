"""What a search needs of every chunk without reading it: a few columns, taken from the chunks' JSON by SQLite.

The chunks themselves are read when they are found; a hundred thousand of them need not be in memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from knowledge.articles import AUTHORITY_WEIGHTS, Chunk, Language
from knowledge.index import content_hash
from knowledge.manifest import PublishError

Mask = npt.NDArray[np.bool_]
_COLUMNS = "'$.document', '$.language', '$.semantic_type', '$.authority', '$.section', '$.models'"
_KEPT = 4096


class Catalog:
    """Columns over the chunks' rows: masks for filters, and the chunk of a row on demand."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        documents: list[str] = []
        types: list[str] = []
        chinese: list[bool] = []
        weights: list[float] = []
        self._by_model: dict[str, list[int]] = {}
        self._general: list[int] = []
        self._by_section: dict[tuple[str, str], list[int]] = {}
        query = f"SELECT row, json_extract(content, {_COLUMNS}) FROM chunks ORDER BY row"  # noqa: S608 (constants only)
        for expected, (row, columns) in enumerate(self._rows(query)):
            if row != expected:
                raise PublishError(f"row {expected} of the index is missing: publish again")
            document, language, semantic_type, authority, section, models = json.loads(columns)
            documents.append(document)
            types.append(semantic_type)
            chinese.append(language == "zh")
            weights.append(AUTHORITY_WEIGHTS[authority])
            self._by_section.setdefault((document, section), []).append(row)
            for model in models:
                self._by_model.setdefault(model, []).append(row)
            if not models:
                self._general.append(row)
        self.rows = len(documents)
        self.general: Mask = np.zeros(self.rows, np.bool_)
        self.general[self._general] = True
        self._names, codes = np.unique(np.asarray(documents, dtype=np.str_), return_inverse=True)
        self._documents = codes.reshape(-1)
        self._types = np.asarray(types, dtype=np.str_)
        self._chinese = np.asarray(chinese, np.bool_)
        self.authority = np.asarray(weights, np.float64)
        self.chunk: Callable[[int], Chunk] = lru_cache(maxsize=_KEPT)(self._read)
        self._in_force: dict[frozenset[str], Mask] = {}

    def _rows(self, query: str) -> Iterable[tuple[int, str]]:
        try:
            return self._db.execute(query).fetchall()
        except sqlite3.DatabaseError as error:
            raise PublishError(f"the chunks of the index cannot be read: {error}; publish again") from error

    def _read(self, row: int) -> Chunk:
        sha, content = self._db.execute("SELECT sha256, content FROM chunks WHERE row = ?", (int(row),)).fetchone()
        chunk = Chunk.model_validate_json(content)
        if content_hash(chunk) != sha:
            raise PublishError(f"row {row} of the index is not the chunk that was embedded")
        return chunk

    def row_of(self, id: str) -> int | None:
        """The row of a chunk's id, or None."""
        found = self._db.execute("SELECT row FROM chunks WHERE id = ?", (id,)).fetchone()
        return int(found[0]) if found else None

    def weigh(self, weights: Mapping[str, float]) -> None:
        """Let documents count with other weights than their authority's; 0 leaves the authority's, for what is in history."""
        for document, weight in weights.items():
            if weight > 0:
                self.authority[self.of_documents(frozenset({document}))] = weight

    def of_documents(self, documents: frozenset[str]) -> Mask:
        """Mask of the chunks of some documents."""
        if documents not in self._in_force:
            named = np.asarray([name in documents for name in self._names], np.bool_)
            mask: Mask = named[self._documents] if self.rows else np.zeros(0, np.bool_)
            if len(self._in_force) > 64:
                self._in_force.clear()
            self._in_force[documents] = mask
        return self._in_force[documents]

    def of_models(self, models: Iterable[str]) -> Mask:
        """Mask of the chunks about any of the models, and of those about every instrument."""
        mask = np.zeros(self.rows, np.bool_)
        mask[self._general] = True
        for model in models:
            mask[self._by_model.get(model, [])] = True
        return mask

    def of_type(self, semantic_type: str) -> Mask:
        """Mask of the chunks of a semantic type."""
        return np.asarray(self._types == semantic_type, np.bool_)

    def models(self, mask: Mask) -> tuple[str, ...]:
        """Models that a chunk of the mask is about, sorted."""
        return tuple(sorted(model for model, rows in self._by_model.items() if mask[rows].any()))

    def language(self, row: int) -> Language:
        """Language of a chunk."""
        return "zh" if self._chinese[row] else "en"

    def sections(self, document: str, numbers: Collection[str]) -> list[int]:
        """Rows of some sections of a document, in order."""
        return sorted(row for number in numbers for row in self._by_section.get((document, number), ()))
