"""The three routes' view of a version in PostgreSQL: vectors, passages and facts, asked for with one statement each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, LiteralString

import numpy as np
import numpy.typing as npt
from psycopg.types.json import Jsonb

from knowledge.articles import Language
from knowledge.dense import Nominees
from knowledge.embedder import Vectors
from knowledge.facts import ModelFacts
from knowledge.index import FEW
from knowledge.manifest import PublishError
from knowledge.postgres.server import Server
from knowledge.postgres.tables import SUMMARY, TEXT, Tables

_NEAREST: LiteralString = "SELECT row, embedding FROM {schema}.vectors WHERE number = %(number)s AND part = %(part)s"
_ORDER: LiteralString = " ORDER BY embedding <#> %(query)s LIMIT %(count)s"


class PostgresBook:
    """One version. Whatever is asked for and not found was removed under the reader's hands, and that is an error."""

    def __init__(self, server: Server, tables: Tables, number: int, version: str) -> None:
        self._server = server
        self._tables = tables
        self._number = number
        self._version = version

    def _fetch(self, text: LiteralString, **values: Any) -> list[tuple[Any, ...]]:
        query = self._tables.sql(text)
        values["number"] = self._number
        return self._server.run(lambda connection: connection.cursor(binary=True).execute(query, values).fetchall())

    def _whole(self, found: int, wanted: int) -> None:
        if found != wanted:
            raise PublishError(
                f"{wanted - found} records of version {self._version} are missing in {self._server.place}: "
                "it was removed while it was read; open the knowledge base again"
            )


class PostgresVectors(PostgresBook):
    """Vectors in pgvector, searched exactly."""

    def __init__(self, server: Server, tables: Tables, number: int, version: str, rows: int, vectors: int) -> None:
        super().__init__(server, tables, number, version)
        self.rows = rows
        self.summarised = vectors == 2 * rows > 0
        first = self._fetch("SELECT vector_dims(embedding) FROM {schema}.vectors WHERE number = %(number)s LIMIT 1")
        self.dimension = int(first[0][0]) if first else 0

    def nominate(self, query: Vectors, mask: npt.NDArray[np.bool_], count: int, *, summaries: bool) -> Nominees:
        """The `count` rows of the mask whose texts (or summaries) are nearest to `query` (D,), in any order."""
        text: LiteralString = _NEAREST
        values: dict[str, Any] = {"part": SUMMARY if summaries else TEXT, "query": query, "count": count}
        allowed = int(mask.sum())
        if allowed <= FEW * self.rows:
            text += " AND row = ANY(%(rows)s::integer[])"
            values["rows"] = np.flatnonzero(mask).tolist()
        elif allowed < self.rows:
            # A bit a chunk is a small message however many chunks there are.
            text += " AND get_bit(%(mask)s::bytea, row) = 1"
            values["mask"] = np.packbits(mask, bitorder="little").tobytes()
        found = self._fetch(text + _ORDER, **values)
        self._whole(len(found), count)
        return Nominees(np.asarray([row for row, _ in found], np.int64), _stack([vector for _, vector in found], self.dimension))

    def vectors(self, rows: Sequence[int]) -> Vectors:
        """Stored vectors (N, D) of the texts of some rows."""
        found = dict(
            self._fetch(
                "SELECT row, embedding FROM {schema}.vectors"
                " WHERE number = %(number)s AND part = %(part)s AND row = ANY(%(rows)s::integer[])",
                part=TEXT,
                rows=list(rows),
            )
        )
        self._whole(len(found), len(set(rows)))
        return _stack([found[row] for row in rows], self.dimension)


class PostgresPassages(PostgresBook):
    """Passage vectors: the very records of the other archive, so that the same arithmetic is done on the same bits."""

    def records(self, rows: Collection[int]) -> Iterator[tuple[int, bytes]]:
        """The rows that are asked for, each with its record."""
        found = self._fetch(
            "SELECT row, vectors FROM {schema}.passages WHERE number = %(number)s AND row = ANY(%(rows)s::integer[])",
            rows=list(rows),
        )
        self._whole(len(found), len(set(rows)))
        yield from found


class PostgresFacts(PostgresBook):
    """Facts as JSONB, found through their index."""

    def load(self, model: str, language: Language, within: Collection[str]) -> ModelFacts | None:
        """Facts of a model from its manual among some documents, as `FactBook` says."""
        found = self._fetch(
            "SELECT content::text FROM {schema}.facts WHERE number = %(number)s AND content @> %(model)s"
            " AND content ->> 'kind' IS NOT NULL AND document = ANY(%(within)s::text[])"
            ' ORDER BY (language = %(language)s) DESC, authority DESC, effective_date DESC, document COLLATE "C" LIMIT 1',
            model=Jsonb({"model": model}),
            within=list(within),
            language=language,
        )
        return ModelFacts.model_validate_json(found[0][0]) if found else None


def _stack(vectors: Sequence[Any], dimension: int) -> Vectors:
    return np.asarray([vector.to_numpy() for vector in vectors], np.float32).reshape(len(vectors), dimension)
