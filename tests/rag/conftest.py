"""The shipped corpus, published once for the room's tests with the packaged embedder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowledge.search import KnowledgeBase
from rag.pipeline import Pipeline


@pytest.fixture(scope="session")
def corpus_kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """The knowledge base of the shipped corpus."""
    base = KnowledgeBase.open(tmp_path_factory.mktemp("home"))
    yield base
    base.close()


@pytest.fixture(scope="session")
def pipeline(corpus_kb: KnowledgeBase) -> Pipeline:
    """The chain with the template writer."""
    return Pipeline(corpus_kb)
