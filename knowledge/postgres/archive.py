"""Publications in PostgreSQL, whole or not there: a version is written in one transaction and never changed.

The lexical route stays SQLite's full-text index: chunks and their words lie in a file below the home, made from what
PostgreSQL holds of the version where a home does not have it yet. Removing such a file loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from sqlite3 import connect

from knowledge.articles import Chunk
from knowledge.corpora import corpus_version, read_corpora
from knowledge.edition import Edition, build_edition
from knowledge.embedder import Embedder
from knowledge.index import content_hash
from knowledge.manifest import DATABASE, Manifest, PublishError, knowledge_root, read_manifest, sha256_of
from knowledge.postgres.books import PostgresFacts, PostgresPassages, PostgresVectors
from knowledge.postgres.server import Connection, server_at
from knowledge.postgres.tables import SCHEMA, SUMMARY, TEXT, Kept, Tables
from knowledge.publication import Parts, open_words
from knowledge.publish import building, seal, write_words, writing
from knowledge.timeline import DocumentEntry

_BATCH = 500


class PostgresArchive:
    """Publications in the tables of one schema; below `home` lie the files of words and the remembered vectors."""

    def __init__(self, home: Path, address: str, shelf: str = "", schema: str = SCHEMA) -> None:
        self.home = home
        self.server = server_at(address)
        self.tables = Tables(schema, shelf)

    def publish(self, corpus: Path | Sequence[Path], embedder: Embedder) -> str:
        """See `Archive.publish`."""
        with writing(self.home, corpus):
            version = corpus_version(corpus, embedder)
            if not self.server.run(lambda connection: self._take_up(connection, version)):
                root = knowledge_root(self.home)
                edition = build_edition(version, read_corpora(corpus), embedder, root, self.server.run(self._earlier))
                self.server.run(lambda connection: self._keep(connection, edition))
        return version

    def current(self) -> str:
        """See `Archive.current`."""
        version = self.server.run(self.tables.current)
        if version is None:
            raise PublishError(f"nothing is published in {self.server.place}: open the knowledge base with a corpus first")
        return version

    def open(self, version: str) -> Parts:
        """See `Archive.open`."""
        kept = self.server.run(lambda connection: self.tables.find(connection, version))
        if kept is None:
            raise PublishError(f"version {version!r} is not whole in {self.server.place}: publish the corpus again")
        words = open_words(self._words(kept))
        book = self.server, self.tables, kept.number, version
        vectors = partial(PostgresVectors, *book, vectors=kept.vectors)
        return Parts(
            place=f"version {version} in {self.server.place}",
            manifest=kept.manifest,
            words=words,
            vectors=lambda rows: vectors(rows=rows),
            passages=PostgresPassages(*book),
            facts=PostgresFacts(*book),
            close=words.close,
        )

    def _take_up(self, connection: Connection, version: str) -> bool:
        """Whether the version is whole already; it is then current. Where it was, nothing is written: a reader may do this."""
        kept = self.tables.find(connection, version)
        if kept is not None and self.tables.current(connection) != version:
            self.tables.make_current(connection, kept.number)
        return kept is not None

    def _earlier(self, connection: Connection) -> tuple[DocumentEntry, ...]:
        version = self.tables.current(connection)
        kept = self.tables.find(connection, version) if version else None
        return kept.manifest.documents if kept else ()

    def _keep(self, connection: Connection, edition: Edition) -> None:
        """Write an edition, unless another process was quicker."""
        tables = self.tables
        with connection.transaction():
            tables.lock(connection)
            if self._take_up(connection, edition.manifest.version):
                return
            number = tables.begin(connection, edition.manifest)
            tables.add_chunks(connection, number, edition.chunks)
            tables.add_vectors(connection, number, TEXT, edition.texts)
            tables.add_vectors(connection, number, SUMMARY, edition.summaries)
            tables.add_passages(connection, number, edition.passages)
            for article, chunks in edition.articles:
                tables.add_facts(connection, number, article, chunks)
            tables.finish(connection, number)
            tables.make_current(connection, number)

    def _words(self, kept: Kept) -> Path:
        """The folder with the chunks and words of a version, made from the database where it is not whole here."""
        folder = knowledge_root(self.home) / "words" / kept.manifest.version
        if _whole_words(folder) is None:
            try:
                self.server.run(lambda connection: self._build_words(connection, kept, folder))
            except OSError as error:
                raise PublishError(f"cannot write {folder}: {error}; choose a home that can be written") from error
        return folder

    def _build_words(self, connection: Connection, kept: Kept, folder: Path) -> None:
        with building(folder, _whole_words) as fresh:
            with closing(connect(fresh / DATABASE)) as db, db:
                write_words(db, self._chunks(connection, kept))
            seal(fresh, kept.manifest.model_copy(update={"files": {DATABASE: sha256_of(fresh / DATABASE)}}))

    def _chunks(self, connection: Connection, kept: Kept) -> Iterator[Chunk]:
        query = self.tables.sql("SELECT sha256, content::text FROM {schema}.chunks WHERE number = %s ORDER BY row")
        count = 0
        with connection.transaction(), connection.cursor("chunks") as cursor:
            cursor.itersize = _BATCH
            for sha, content in cursor.execute(query, (kept.number,)):
                chunk = Chunk.model_validate_json(content)
                if content_hash(chunk) != sha:
                    raise PublishError(
                        f"row {count} of {kept.manifest.version} is not the chunk that was embedded: publish again"
                    )
                count += 1
                yield chunk
        if count != kept.manifest.chunks:
            raise PublishError(f"version {kept.manifest.version} was removed from {self.server.place} while it was read")


def _whole_words(folder: Path) -> Manifest | None:
    return read_manifest(folder, (DATABASE,))
