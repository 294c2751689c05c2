"""The dense route: a FAISS inner-product index over unit vectors, rows parallel to the chunks.

Row n of the index is chunk n of the published list; the content hash of what was embedded is kept beside
it, so that an index that does not belong to its chunks is noticed instead of answering with the wrong text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from knowledge.articles import Chunk, KnowledgeError
from knowledge.embedder import Vectors


class IndexFault(KnowledgeError):
    """An index that is damaged or does not belong to its chunks."""


def embedding_text(chunk: Chunk) -> str:
    """What is embedded for a chunk: its place in one line, then its text. The model's name is in the title."""
    return f"{chunk.title}. {chunk.section_title}\n{chunk.text}"


def content_hash(chunk: Chunk) -> str:
    """Hash of what was embedded."""
    return hashlib.sha256(embedding_text(chunk).encode()).hexdigest()


class DenseIndex:
    """Unit vectors in FAISS's IndexFlatIP: the inner product is the cosine."""

    def __init__(self, index: Any) -> None:
        self._index = index

    @classmethod
    def build(cls, vectors: Vectors) -> DenseIndex:
        """An index over vectors (N, D)."""
        import faiss

        index = faiss.IndexFlatIP(vectors.shape[1])
        if len(vectors):
            index.add(np.ascontiguousarray(vectors, np.float32))
        return cls(index)

    @classmethod
    def load(cls, path: Path, rows: int) -> DenseIndex:
        """The index in a file. Raises IndexFault where it cannot be read or does not have `rows` rows."""
        import faiss

        try:
            index = faiss.read_index(str(path))
        except RuntimeError as error:
            raise IndexFault(f"{path} is not a FAISS index: {error}") from error
        if index.ntotal != rows:
            raise IndexFault(f"{path} holds {index.ntotal} vectors for {rows} chunks")
        return cls(index)

    def save(self, path: Path) -> None:
        """Write the index to a file; the publisher makes the folder appear at once."""
        import faiss

        faiss.write_index(self._index, str(path))

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(self, query: Vectors, allowed: Sequence[int], k: int) -> dict[int, float]:
        """Row -> cosine clipped to [0, 1] of the `k` nearest allowed rows to the unit vector `query` (D,)."""
        import faiss

        if not allowed or k < 1 or not len(self):
            return {}
        selector = faiss.IDSelectorBatch(np.asarray(sorted(allowed), np.int64))
        # faiss's wrapper accepts keywords that its own annotations do not know.
        parameters: Any = faiss.SearchParameters
        parameters = parameters(sel=selector)
        scores, rows = self._index.search(query[None, :], min(k, len(allowed)), params=parameters)
        return {int(row): float(np.clip(score, 0.0, 1.0)) for row, score in zip(rows[0], scores[0], strict=True) if row >= 0}

    def vectors(self, rows: Sequence[int]) -> Vectors:
        """Stored vectors (N, D) of some rows."""
        dimension = int(self._index.d)
        return np.asarray([self._index.reconstruct(int(row)) for row in rows], np.float32).reshape(len(rows), dimension)
