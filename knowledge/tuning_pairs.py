"""Pairs of texts that mean the same, for tuning the embedder to the domain.

They come from the synonym graph, from the manuals (a heading and its passage) and from logged questions with what was found
for them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from knowledge.articles import Chunk, KnowledgeError
from knowledge.index import embedding_text
from knowledge.synonyms import SynonymGraph, shipped_graph


class TuneError(KnowledgeError):
    """Too few pairs, or a folder that cannot be written; the message says which."""


class Pair(NamedTuple):
    """Two texts that mean the same; `source` says where the pair comes from."""

    first: str
    second: str
    source: str


def synonym_pairs(graph: SynonymGraph | None = None) -> list[Pair]:
    """Words of one meaning: the first English one with each other one, Chinese ones too."""
    graph = graph or shipped_graph()
    return [Pair(concept.gloss, word, "synonyms") for concept in graph.concepts for word in (*concept.en[1:], *concept.zh)]


def heading_pairs(chunks: Sequence[Chunk]) -> list[Pair]:
    """Headings asked as questions, and their passages."""
    return [
        Pair(f"{chunk.section_title} {' '.join(chunk.models)}".strip(), embedding_text(chunk), "manuals")
        for chunk in chunks
        if chunk.section_title and len(chunk.text) > 40
    ]


def logged_pairs(log: Path, text_of: Callable[[str], str | None]) -> list[Pair]:
    """Questions of the usage log with the passage found first for them; `text_of` gives a chunk's text, None if it is gone."""
    import sqlite3
    from contextlib import closing

    if not log.is_file():
        return []
    try:
        with closing(sqlite3.connect(f"{log.resolve().as_uri()}?mode=ro", uri=True)) as db:
            rows = db.execute(
                "SELECT DISTINCT query, chunk FROM searches JOIN hits ON hits.search = searches.id WHERE rank = 1"
            ).fetchall()
    except sqlite3.Error as error:
        raise TuneError(f"{log} cannot be read: {error}; remove it to start a new log") from error
    return [Pair(query, text, "log") for query, chunk in rows if query != "inspection" and (text := text_of(chunk)) is not None]


def split_pairs(pairs: Sequence[Pair], share: float) -> tuple[list[Pair], list[Pair]]:
    """Pairs to learn from and pairs held out, by a hash of the first text: all pairs of one word fall on one side."""
    held = [int(hashlib.sha256(pair.first.casefold().encode()).hexdigest()[:8], 16) / 2**32 < share for pair in pairs]
    return [p for p, out in zip(pairs, held, strict=True) if not out], [p for p, out in zip(pairs, held, strict=True) if out]
