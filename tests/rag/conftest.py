"""The shipped corpus, published once for the room's tests with the packaged embedder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from knowledge.search import KnowledgeBase
from rag.pipeline import Pipeline

# How long one example takes depends on what else the machine does.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def corpus_kb() -> Iterator[KnowledgeBase]:
    """The knowledge base of the shipped corpus. Publications are named by their content, so they may stay between runs."""
    base = KnowledgeBase.open(Path(__file__).parents[2] / ".gauge" / "tests")
    yield base
    base.close()


@pytest.fixture(scope="session")
def pipeline(corpus_kb: KnowledgeBase) -> Pipeline:
    """The chain with the template writer."""
    return Pipeline(corpus_kb)
