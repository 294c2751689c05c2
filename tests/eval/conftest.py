"""The shipped corpus for the room's tests, published once, a report that rests on it, and a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowledge.search import KnowledgeBase
from rag.pipeline import Inspection, Pipeline
from tests.eval.builders import CORPUS_HOME, Clock
from tests.rag.builders import make_photo, make_reading


@pytest.fixture(scope="session")
def kb() -> Iterator[KnowledgeBase]:
    """The knowledge base of the shipped corpus. Publications are named by their content, so they may stay between runs."""
    base = KnowledgeBase.open(CORPUS_HOME)
    yield base
    base.close()


@pytest.fixture(scope="session")
def inspection(kb: KnowledgeBase) -> Inspection:
    """The template writer's report of a gauge in its alarm range with a red lamp."""
    return Pipeline(kb).inspect(make_photo(make_reading(pointer_angle=137.2, warning_light_color="red")), "en")


@pytest.fixture
def clock() -> Clock:
    return Clock()
