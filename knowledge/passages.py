"""Passages: the sentences, steps and table rows of a chunk, each with a vector of its own beside the chunk's.

A chunk of several facts has a vector that is near to all of them and close to none. The dense route finds chunks by their
own vectors and then looks at how near the nearest passage is. Passages stand behind their heading and without the model's
name, which every passage of a manual would share; they are compared with the question as it reads without that name.
Vectors are kept as 16-bit floats, one record a chunk (here in SQLite), and are read for the candidates only.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from knowledge.articles import Chunk
from knowledge.dense import cosines
from knowledge.embedder import Vectors
from knowledge.sentences import Block, parse_table, split_blocks, split_sentences
from knowledge.statements import row_text

_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)、])\s+")
_BATCH = 500


def passage_texts(chunk: Chunk) -> tuple[str, ...]:
    """What is embedded for the passages of a chunk, in reading order; at least one."""
    passages = [text for block in split_blocks(chunk.text) for text in _block_passages(block) if text]
    return tuple(f"{chunk.section_title}: {text}" for text in passages) or (chunk.section_title or chunk.text,)


def _block_passages(block: Block) -> Iterable[str]:
    table = parse_table(block.text) if block.kind == "table" else None
    if table is not None:
        return [row_text(table, row) for row in table.rows]
    if block.kind == "list":
        return [_ITEM.sub("", line).strip() for line in block.text.splitlines()]
    return split_sentences(block.text)


def create_table(db: sqlite3.Connection) -> None:
    """An empty table of passage vectors; `row` is the chunk's row."""
    db.execute("CREATE TABLE passages (row INTEGER PRIMARY KEY, vectors BLOB NOT NULL)")


def add_passages(db: sqlite3.Connection, vectors: Iterable[Vectors]) -> None:
    """Keep the passage vectors (P, D) of each chunk, in row order."""
    db.executemany("INSERT INTO passages VALUES (?, ?)", enumerate(map(pack_vectors, vectors)))


def pack_vectors(vectors: Vectors) -> bytes:
    """The record of a chunk's passage vectors (P, D)."""
    return vectors.astype(np.float16).tobytes()


def split_vectors(chunks: Sequence[Chunk], vectors: Vectors) -> Iterable[Vectors]:
    """Vectors of all passages (N, D), put together chunk by chunk again."""
    start = 0
    for chunk in chunks:
        end = start + len(passage_texts(chunk))
        yield vectors[start:end]
        start = end


class PassageBook(Protocol):
    """Passage vectors of the chunks of one publication."""

    def records(self, rows: Collection[int]) -> Iterator[tuple[int, bytes]]:
        """The rows that are asked for, each with its record."""
        ...


class SqlitePassages:
    """The passage vectors in a publication's own file."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def records(self, rows: Collection[int]) -> Iterator[tuple[int, bytes]]:
        """The rows that are asked for, each with its record."""
        wanted = list(rows)
        for start in range(0, len(wanted), _BATCH):
            part = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(part))
            yield from self._db.execute(f"SELECT row, vectors FROM passages WHERE row IN ({marks})", part)  # noqa: S608 (marks only)


def nearest_passages(book: PassageBook, rows: Collection[int], query: Vectors) -> dict[int, float]:
    """Row -> cosine in [0, 1] of the passage of that chunk nearest to the unit vector `query` (D,)."""
    found: dict[int, float] = {}
    for row, record in book.records(rows):
        vectors = np.frombuffer(record, np.float16).reshape(-1, len(query)).astype(np.float32)
        found[int(row)] = float(np.clip(cosines(vectors, query).max(), 0.0, 1.0))
    return found
