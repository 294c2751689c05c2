"""Context relevance: how close the first passages are to the question, as a cross-encoder or as vectors see it.

The source draws three passages at random; here it is the first three, so that the same retrieval gives the same score. Below
the bound retrieval has failed, and an answer written from these passages is not worth judging for its faithfulness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from eval.retrieval import Passage
from eval.scorable import context_fault, question_fault
from eval.score import NAN, Number, Score, graded, not_scorable
from knowledge.embedder import Embedder
from knowledge.questions import clean_question
from knowledge.rerank import Reranker
from vision.fields import Contract


@dataclass(frozen=True)
class ContextOptions:
    """`first`: passages that are looked at. `reranker_passes` is the source's bound for a cross-encoder's mean.

    `vector_passes` is the one for the packaged embedder's cosines: of 100 development queries 95 % with three passages drawn at
    random stay below it, and 10 % with their retrieved ones.
    """

    first: int = 3
    reranker_passes: float = 0.6
    vector_passes: float = 0.24


class ContextRelevance(Contract):
    """`score` is the mean over the first passages, `passages` their own scores, `judge` the model that gave them."""

    score: Score
    passages: tuple[Number, ...]
    judge: str

    @property
    def retrieval_failed(self) -> bool:
        """Whether the context is too far from the question to judge an answer by it."""
        return self.score.state != "supported"


class ContextJudge(Protocol):
    """Anything that scores passages against a question in [0, 1]."""

    @property
    def name(self) -> str: ...

    @property
    def passes(self) -> float: ...

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]: ...


@dataclass(frozen=True)
class CrossEncoderJudge:
    """A cross-encoder (`GAUGE_RERANKER`): reads question and passage together."""

    name: str
    reranker: Reranker
    passes: float = ContextOptions.reranker_passes

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """The reranker's scores."""
        return self.reranker.score(question, passages)


class VectorJudge:
    """The text embedder: cosine of question and passage, negative ones as 0. Vectors of texts seen before are kept."""

    def __init__(self, embedder: Embedder, passes: float = ContextOptions.vector_passes, kept: int = 8192) -> None:
        self.name = embedder.name
        self.passes = passes
        self._vector = lru_cache(maxsize=kept)(lambda text: embedder.encode([text])[0])

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Cosines in [0, 1]."""
        asked = self._vector(question)
        return [float(np.clip(asked @ self._vector(passage), 0.0, 1.0)) for passage in passages]


def score_context(
    question: str, passages: Sequence[Passage], judge: ContextJudge, options: ContextOptions = ContextOptions()
) -> ContextRelevance:
    """Context relevance of one question. Not scorable without passages, or where the judge gives no number."""
    fault = question_fault(question) or context_fault([passage.text for passage in passages])
    texts = [f"{passage.title}\n{passage.text}" if passage.title else passage.text for passage in passages[: options.first]]
    values = list(judge.score(clean_question(question), texts)) if fault is None else []
    if fault is None and not all(0.0 <= value <= 1.0 for value in values):
        fault = f"{judge.name} gave {min(values)} to {max(values)}, no scores in [0, 1]"
    if fault is not None:
        return ContextRelevance(score=not_scorable(fault), passages=(), judge=judge.name)
    mean = sum(values) / len(values) if values else NAN
    reason = f"mean of the first {len(values)} by {judge.name}, passes from {judge.passes:g}"
    return ContextRelevance(score=graded(min(mean, 1.0), judge.passes, reason), passages=tuple(values), judge=judge.name)
