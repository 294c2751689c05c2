"""Chunks of the shipped manuals, cut in memory: laws of this room are checked over all of them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import knowledge
from knowledge.articles import Chunk, read_corpus
from knowledge.chunks import build_chunks


@lru_cache(maxsize=1)
def corpus_chunks() -> tuple[Chunk, ...]:
    """All of them, both languages."""
    folder = Path(str(knowledge.__file__)).parent / "corpus"
    return tuple(chunk for article in read_corpus(folder) for chunk in build_chunks(article))
