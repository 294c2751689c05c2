"""The tables of publications in PostgreSQL, and how a version is written: in one transaction, or not at all.

Every table is keyed by the number of the version that a row belongs to; rows never change. Vectors are searched exactly,
without an approximate index, because both archives have to give the same hits; see `knowledge.dense`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, LiteralString, NamedTuple

from psycopg import sql

from knowledge.articles import AUTHORITY_WEIGHTS, Article, Chunk
from knowledge.embedder import Vectors
from knowledge.index import content_hash
from knowledge.manifest import Manifest
from knowledge.passages import pack_vectors
from knowledge.postgres.server import Connection
from knowledge.structured import build_facts

SCHEMA = "gauge_knowledge"
"""Another layout of the tables gets another schema: a publication can always be made again from its corpus."""
TEXT, SUMMARY = 0, 1
"""Parts of a chunk that have a vector."""

# The vectors stay in their rows (MAIN): what a scan has to fetch from elsewhere takes it several times as long.
# Chunks are kept as they were written (json), facts so that they can be asked for (jsonb).
_LAYOUT: LiteralString = """
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE TABLE {schema}.versions (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, version text UNIQUE NOT NULL, manifest json NOT NULL,
    vectors bigint NOT NULL, facts bigint NOT NULL, published_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE {schema}.current (
    shelf text PRIMARY KEY, number integer NOT NULL REFERENCES {schema}.versions ON DELETE CASCADE);
CREATE TABLE {schema}.chunks (
    number integer NOT NULL REFERENCES {schema}.versions ON DELETE CASCADE, row integer NOT NULL, id text NOT NULL,
    sha256 text NOT NULL, content json NOT NULL, PRIMARY KEY (number, row), UNIQUE (number, id));
CREATE TABLE {schema}.vectors (
    number integer NOT NULL REFERENCES {schema}.versions ON DELETE CASCADE, part smallint NOT NULL, row integer NOT NULL,
    embedding vector NOT NULL, PRIMARY KEY (number, part, row));
ALTER TABLE {schema}.vectors ALTER COLUMN embedding SET STORAGE MAIN;
CREATE TABLE {schema}.passages (
    number integer NOT NULL REFERENCES {schema}.versions ON DELETE CASCADE, row integer NOT NULL, vectors bytea NOT NULL,
    PRIMARY KEY (number, row));
CREATE TABLE {schema}.facts (
    number integer NOT NULL REFERENCES {schema}.versions ON DELETE CASCADE, model text NOT NULL, document text NOT NULL,
    language text NOT NULL, status text NOT NULL, authority double precision NOT NULL, effective_date date NOT NULL,
    content jsonb NOT NULL, PRIMARY KEY (number, model, document));
CREATE INDEX ON {schema}.facts USING gin (content jsonb_path_ops);
"""
_COUNTS: LiteralString = """
SELECT number, manifest::text, vectors, facts,
    (SELECT count(*) FROM {schema}.chunks c WHERE c.number = v.number),
    (SELECT count(*) FROM {schema}.vectors e WHERE e.number = v.number),
    (SELECT count(*) FROM {schema}.passages p WHERE p.number = v.number),
    (SELECT count(*) FROM {schema}.facts f WHERE f.number = v.number)
FROM {schema}.versions v WHERE version = %s
"""


class Kept(NamedTuple):
    """A version that is whole: its number, its manifest, and how many vectors it has."""

    number: int
    manifest: Manifest
    vectors: int


class Tables:
    """The tables of one schema. Methods take a connection; those that write want it to be within a transaction.

    Versions are there for all; which of them was published last is asked of a shelf: each home has its own.
    """

    def __init__(self, schema: str = SCHEMA, shelf: str = "") -> None:
        self.schema = schema
        self.shelf = shelf

    def sql(self, text: LiteralString) -> sql.Composed:
        """A statement on these tables, which it names `{schema}.table`."""
        return sql.SQL(text).format(schema=sql.Identifier(self.schema))

    def exist(self, connection: Connection) -> bool:
        """Whether anything was ever published here."""
        # Not to_regclass: within a transaction it goes on believing that there is no schema which another has just made.
        query = "SELECT count(*) FROM pg_tables WHERE schemaname = %s AND tablename = 'current'"
        return connection.execute(query, (self.schema,)).fetchone() == (1,)

    def lock(self, connection: Connection) -> None:
        """Let no other process publish until the transaction ends, and have the tables."""
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (self.schema,))
        if not self.exist(connection):
            connection.execute(self.sql(_LAYOUT))

    def find(self, connection: Connection, version: str) -> Kept | None:
        """A version, None where it is not there or not all of it."""
        if not self.exist(connection):
            return None
        found = connection.execute(self.sql(_COUNTS), (version,)).fetchone()
        if found is None:
            return None
        number, text, vectors, facts, *counts = found
        manifest = Manifest.model_validate_json(text)
        return Kept(number, manifest, vectors) if counts == [manifest.chunks, vectors, manifest.chunks, facts] else None

    def current(self, connection: Connection) -> str | None:
        """The version published last."""
        if not self.exist(connection):
            return None
        query = self.sql("SELECT version FROM {schema}.versions JOIN {schema}.current USING (number) WHERE shelf = %s")
        found = connection.execute(query, (self.shelf,)).fetchone()
        return str(found[0]) if found else None

    def make_current(self, connection: Connection, number: int) -> None:
        """Have a version be the one published last; nothing is written where it is."""
        connection.execute(
            self.sql(
                "INSERT INTO {schema}.current (shelf, number) VALUES (%s, %s)"
                " ON CONFLICT (shelf) DO UPDATE SET number = excluded.number WHERE current.number <> excluded.number"
            ),
            (self.shelf, number),
        )

    def begin(self, connection: Connection, manifest: Manifest) -> int:
        """The number of a version that is about to be written; what was left of a damaged one goes."""
        connection.execute(self.sql("DELETE FROM {schema}.versions WHERE version = %s"), (manifest.version,))
        insert = self.sql(
            "INSERT INTO {schema}.versions (version, manifest, vectors, facts) VALUES (%s, %s, 0, 0) RETURNING number"
        )
        found = connection.execute(insert, (manifest.version, manifest.model_dump_json())).fetchone()
        assert found is not None
        return int(found[0])

    def add_chunks(self, connection: Connection, number: int, chunks: Iterable[Chunk]) -> None:
        """Keep chunks under the rows 0, 1, 2, ..."""
        rows = ((number, row, c.id, content_hash(c), c.model_dump_json()) for row, c in enumerate(chunks))
        self._copy(connection, "COPY {schema}.chunks (number, row, id, sha256, content) FROM STDIN", rows)

    def add_vectors(self, connection: Connection, number: int, part: int, vectors: Iterable[Vectors]) -> None:
        """Keep one vector (D,) a chunk for its text or its summary."""
        copy: LiteralString = "COPY {schema}.vectors (number, part, row, embedding) FROM STDIN WITH (FORMAT BINARY)"
        rows = ((number, part, row, vector) for row, vector in enumerate(vectors))
        self._copy(connection, copy, rows, types=("int4", "int2", "int4", "vector"))

    def add_passages(self, connection: Connection, number: int, vectors: Iterable[Vectors]) -> None:
        """Keep the passage vectors (P, D) of each chunk."""
        rows = ((number, row, pack_vectors(part)) for row, part in enumerate(vectors))
        self._copy(connection, "COPY {schema}.passages (number, row, vectors) FROM STDIN", rows)

    def add_facts(self, connection: Connection, number: int, article: Article, chunks: tuple[Chunk, ...]) -> None:
        """Keep the facts of one article."""
        place = (article.status, AUTHORITY_WEIGHTS[article.authority], article.effective_date)
        rows = ((number, f.model, f.document, f.language, *place, f.model_dump_json()) for f in build_facts(article, chunks))
        copy: LiteralString = (
            "COPY {schema}.facts (number, model, document, language, status, authority, effective_date, content) FROM STDIN"
        )
        self._copy(connection, copy, rows)

    def finish(self, connection: Connection, number: int) -> None:
        """Note how much was written, so that a loss is noticed, and tell the planner of it."""
        update = self.sql(
            "UPDATE {schema}.versions v SET vectors = (SELECT count(*) FROM {schema}.vectors e WHERE e.number = v.number),"
            " facts = (SELECT count(*) FROM {schema}.facts f WHERE f.number = v.number) WHERE number = %s"
        )
        connection.execute(update, (number,))
        for table in ("chunks", "vectors", "passages", "facts"):
            connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(self.schema, table)))

    def _copy(
        self, connection: Connection, text: LiteralString, rows: Iterable[tuple[Any, ...]], types: tuple[str, ...] = ()
    ) -> None:
        with connection.cursor() as cursor, cursor.copy(self.sql(text)) as copy:
            if types:
                copy.set_types(types)
            for row in rows:
                copy.write_row(row)
