"""The dense route: a FAISS inner-product index over unit vectors, rows parallel to the chunks.

Row n of the index is chunk n of the published list; the content hash of what was embedded is kept beside
it, so that an index that does not belong to its chunks is noticed instead of answering with the wrong text.
Behind the chunks' rows may stand as many again, the vectors of their summaries: found there, the chunk is returned.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from knowledge.articles import Chunk
from knowledge.dense import IndexFault, Nominees, search_vectors
from knowledge.embedder import Vectors

__all__ = ["DenseIndex", "IndexFault", "content_hash", "embedding_text", "embedding_texts", "summary_text"]

FEW = 0.2
"""Up to this share of allowed rows it is quicker to gather their vectors than to have FAISS skip the others."""


def embedding_text(chunk: Chunk) -> str:
    """What is embedded for a chunk: its place in one line, then its text. The model's name is in the title."""
    return f"{chunk.title}. {chunk.section_title}\n{chunk.text}"


def summary_text(chunk: Chunk) -> str:
    """A line that says what a chunk is about: models, heading, and the head of its first line."""
    opening = chunk.text.lstrip("|-*# \n").split("\n", 1)[0][:60].strip()
    return f"{' '.join(chunk.models)} {chunk.section_title}: {opening}".strip()


def embedding_texts(chunks: Sequence[Chunk]) -> list[str]:
    """What is embedded for many chunks: their texts, then their summaries."""
    return [embedding_text(chunk) for chunk in chunks] + [summary_text(chunk) for chunk in chunks]


def content_hash(chunk: Chunk) -> str:
    """Hash of what was embedded."""
    return hashlib.sha256(embedding_text(chunk).encode()).hexdigest()


class DenseIndex:
    """Unit vectors in FAISS's IndexFlatIP: the inner product is the cosine."""

    def __init__(self, index: Any, rows: int | None = None) -> None:
        self._index = index
        self.rows = int(index.ntotal) if rows is None else rows
        self._matrix: Vectors | None = None

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
        """The index in a file. Raises IndexFault where it cannot be read or has neither `rows` rows nor twice as many."""
        import faiss

        try:
            index = faiss.read_index(str(path))
        except RuntimeError as error:
            raise IndexFault(f"{path} is not a FAISS index: {error}") from error
        if index.ntotal not in (rows, 2 * rows):
            raise IndexFault(f"{path} holds {index.ntotal} vectors for {rows} chunks")
        return cls(index, rows)

    def save(self, path: Path) -> None:
        """Write the index to a file; the publisher makes the folder appear at once."""
        import faiss

        faiss.write_index(self._index, str(path))

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def summarised(self) -> bool:
        """Whether summaries are indexed too."""
        return len(self) == 2 * self.rows > 0

    @property
    def dimension(self) -> int:
        """Length D of a vector."""
        return int(self._index.d)

    @property
    def matrix(self) -> Vectors:
        """All vectors (N, D), in the memory of the index itself; read-only."""
        if self._matrix is None:
            import faiss

            flat = faiss.rev_swig_ptr(self._index.get_xb(), len(self) * self.dimension)
            self._matrix = flat.reshape(len(self), self.dimension)
            self._matrix.flags.writeable = False
        return self._matrix

    def search(
        self, query: Vectors, allowed: npt.NDArray[np.bool_] | Sequence[int], k: int, *, summaries: bool = True
    ) -> dict[int, float]:
        """The `k` nearest allowed rows: see `knowledge.dense.search_vectors`."""
        return search_vectors(self, query, allowed, k, summaries=summaries)

    def nominate(self, query: Vectors, mask: npt.NDArray[np.bool_], count: int, *, summaries: bool) -> Nominees:
        """The `count` rows of the mask whose texts (or summaries) are nearest to `query` (D,), in any order."""
        first = self.rows if summaries else 0
        rows = np.flatnonzero(mask)
        if len(rows) > FEW * self.rows:
            import faiss

            wide = np.zeros(len(self), np.bool_)
            wide[first : first + self.rows] = mask
            selector = faiss.IDSelectorBitmap(np.packbits(wide, bitorder="little"))  # type: ignore[call-arg,arg-type]  # the Python wrapper takes the array alone
            # faiss's wrapper accepts keywords that its own annotations do not know.
            parameters: Any = faiss.SearchParameters
            parameters = parameters(sel=selector)
            _, ids = self._index.search(query[None, :], count, params=parameters)
            rows = ids[0][ids[0] >= 0] - first
        elif count < len(rows):
            rows = rows[np.argpartition(-(self.matrix[first + rows] @ query), count - 1)[:count]]
        return Nominees(rows, self.matrix[first + rows])

    def vectors(self, rows: Sequence[int]) -> Vectors:
        """Stored vectors (N, D) of some rows."""
        return np.asarray(self.matrix[list(rows)], np.float32).reshape(len(rows), self.dimension)
