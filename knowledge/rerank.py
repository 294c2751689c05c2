"""An optional cross-encoder: it reads question and passage together, which is slower and finer than comparing vectors.

None is packaged. Any sentence-transformers cross-encoder by hub id or folder will do (BAAI/bge-reranker-v2-m3 reads
Chinese too).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from knowledge.articles import KnowledgeError
from knowledge.embedder import no_bars, one_thread


class RerankError(KnowledgeError):
    """A reranker that cannot be loaded; the message names it."""


class Reranker(Protocol):
    """Anything that judges passages against a question."""

    def score(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """One score in [0, 1] for each passage; higher is better."""
        ...


class CrossEncoderReranker:
    """A sentence-transformers CrossEncoder with one output, loaded at the first question."""

    def __init__(self, name: str, *, max_tokens: int = 256) -> None:
        self.name = name
        self._max_tokens = max_tokens
        self._model: Any = None
        self._loading = threading.Lock()

    def _load(self) -> Any:
        with self._loading:
            if self._model is None:
                import sentence_transformers

                try:
                    with no_bars():
                        self._model = sentence_transformers.CrossEncoder(self.name, device="cpu", max_length=self._max_tokens)
                except Exception as error:
                    raise RerankError(f"cannot load the reranker {self.name!r}: {error}; give a folder, or set none") from error
                if self._model.config.num_labels != 1:
                    labels = self._model.config.num_labels
                    self._model = None
                    raise RerankError(f"the reranker {self.name!r} has {labels} outputs; one that scores has 1")
            return self._model

    def score(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """Scores in [0, 1]; raw outputs go through the logistic function."""
        if not passages:
            return ()
        import torch

        model = self._load()
        with one_thread(torch):
            pairs = [(query, passage) for passage in passages]
            raw = model.predict(pairs, activation_fn=torch.nn.Sigmoid(), show_progress_bar=False)
        return [float(np.clip(value, 0.0, 1.0)) for value in np.asarray(raw).reshape(-1)]
