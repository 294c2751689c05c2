"""The dense route's law, whoever keeps the vectors: which chunks are nearest to a question, with what score, in what order.

A store (FAISS, PostgreSQL) only nominates the vectors nearest by its own arithmetic, some more than are wanted. Their
cosines are then computed here, in one way and row by row, so that two stores that hold the same vectors give the same
scores to the last bit. Chunks of one score stand in the order of their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from knowledge.articles import KnowledgeError
from knowledge.embedder import Vectors

Rows = npt.NDArray[np.int64]
SPARE = 8
"""Nominees beyond those wanted: two stores may round neighbours into different orders."""
ROUNDING = 1e-5
"""Two float32 sums of a cosine's products never differ by as much, in whatever order they are added."""


class IndexFault(KnowledgeError):
    """An index that is damaged or does not belong to its chunks."""


class Nominees(NamedTuple):
    """Rows (N,) of chunks and their stored vectors (N, D)."""

    rows: Rows
    vectors: Vectors


class Vectorbook(Protocol):
    """Unit vectors of chunks: one for the text of each, and as many for their summaries where they were indexed."""

    rows: int

    @property
    def dimension(self) -> int:
        """Length D of a vector."""
        ...

    @property
    def summarised(self) -> bool:
        """Whether summaries are indexed too."""
        ...

    def nominate(self, query: Vectors, mask: npt.NDArray[np.bool_], count: int, *, summaries: bool) -> Nominees:
        """The `count` rows of the mask whose texts (or summaries) are nearest to `query` (D,), in any order."""
        ...

    def vectors(self, rows: Sequence[int]) -> Vectors:
        """Stored vectors (N, D) of the texts of some rows."""
        ...


def search_vectors(
    book: Vectorbook, query: Vectors, allowed: npt.NDArray[np.bool_] | Sequence[int], k: int, *, summaries: bool = True
) -> dict[int, float]:
    """Row -> cosine clipped to [0, 1] of the `k` nearest allowed rows to the unit vector `query` (D,), nearest first.

    `allowed` is a mask over the rows, or the rows. A chunk counts as near as the nearer of its text and its summary.
    Raises IndexFault where the query's vector has another length.
    """
    if query.shape != (book.dimension,):
        raise IndexFault(f"a query vector of shape {query.shape} does not fit an index of dimension {book.dimension}")
    mask = np.zeros(book.rows, np.bool_)
    mask[allowed if isinstance(allowed, np.ndarray) else list(allowed)] = True
    count = int(mask.sum())
    if not count or k < 1:
        return {}
    scores: dict[int, float] = {}
    for part in (False, True) if summaries and book.summarised else (False,):
        for row, score in _nearest(book, query, mask, min(k, count), count, part):
            scores[row] = max(score, scores.get(row, 0.0))
    best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:k]
    return dict(best)


def _nearest(
    book: Vectorbook, query: Vectors, mask: npt.NDArray[np.bool_], k: int, count: int, summaries: bool
) -> list[tuple[int, float]]:
    wanted = min(k + SPARE, count)
    while True:
        rows, vectors = book.nominate(query, mask, wanted, summaries=summaries)
        scores = cosines(vectors, query)
        order = np.lexsort((rows, -scores))
        # What was not nominated may still be as near as the last one wanted: then ask for more, so that the rows decide.
        if wanted >= count or len(rows) < wanted or scores[order[k - 1]] - scores.min() > ROUNDING:
            return [(int(rows[n]), float(np.clip(scores[n], 0.0, 1.0))) for n in order[:k]]
        wanted = min(2 * wanted, count)


def cosines(vectors: Vectors, query: Vectors) -> npt.NDArray[np.float64]:
    """Cosines (N,) of unit vectors (N, D) with `query` (D,); that of a row does not depend on the rows beside it."""
    # A matrix product would: BLAS sums a row in an order that follows from its place.
    return np.asarray((vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1), np.float64)
