"""Generated publications in PostgreSQL, for timing: in tables of their own, which are removed afterwards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from knowledge.articles import Chunk
from knowledge.embedder import Vectors
from knowledge.manifest import Manifest, knowledge_root
from knowledge.postgres.archive import PostgresArchive
from knowledge.postgres.tables import TEXT

SCHEMA = "gauge_knowledge_bench"


@contextmanager
def bench_archive(home: Path, database: str) -> Iterator[PostgresArchive]:
    """An empty archive at an address, removed when the block is left. A search there takes one core, as one here does."""
    archive = PostgresArchive(home, database, schema=SCHEMA)
    drop = archive.tables.sql("DROP SCHEMA IF EXISTS {schema} CASCADE")
    archive.server.run(lambda connection: connection.execute(drop))
    archive.server.run(lambda connection: connection.execute("SET max_parallel_workers_per_gather = 0"))
    try:
        yield archive
    finally:
        archive.server.run(lambda connection: connection.execute(drop))


def write_generated(
    archive: PostgresArchive, manifest: Manifest, vectors: Vectors, passages: Iterable[Vectors], chunks: Iterable[Chunk]
) -> None:
    """Write a generated version as any other is written, and its file of words."""
    tables = archive.tables

    def write(connection: Any) -> None:
        with connection.transaction():
            tables.lock(connection)
            number = tables.begin(connection, manifest)
            tables.add_chunks(connection, number, chunks)
            tables.add_vectors(connection, number, TEXT, vectors)
            tables.add_passages(connection, number, passages)
            tables.finish(connection, number)

    archive.server.run(write)
    archive.open(manifest.version).close()


def disk_mb(archive: PostgresArchive) -> float:
    """Megabytes of the tables with their indexes, and of the files of words."""
    query = "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE relnamespace = %s::regnamespace AND relkind = 'r'"
    found = archive.server.run(lambda connection: connection.execute(query, (SCHEMA,)).fetchone())
    files = sum(path.stat().st_size for path in (knowledge_root(archive.home) / "words").rglob("*") if path.is_file())
    return (float(found[0]) if found else math.nan) / 2**20 + files / 2**20


def server_s(archive: PostgresArchive) -> float:
    """Seconds of processor that the server's process for this connection has taken; NaN where it is not on this machine."""
    found = archive.server.run(lambda connection: connection.execute("SELECT pg_backend_pid()").fetchone())
    try:
        process = psutil.Process(int(found[0]) if found else 0)
        if "postgres" not in process.name():
            return math.nan
        times = process.cpu_times()
    except psutil.Error:
        return math.nan
    return float(np.sum([times.user, times.system]))
