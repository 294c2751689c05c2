"""Reports on every model of the shipped manuals, normal, in alarm and not read: all are faithful and can be read."""

from __future__ import annotations

import pytest

from knowledge.articles import Language
from knowledge.search import KnowledgeBase
from rag.pipeline import Pipeline
from rag.readability import judge_report
from tests.rag.model_states import STATES, State, photo_in_state


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_report_passes(pipeline: Pipeline, corpus_kb: KnowledgeBase, language: Language, state: State) -> None:
    failing: dict[str, tuple[str, ...]] = {}
    statuses: list[str] = []
    for model in corpus_kb.models():
        facts = corpus_kb.facts(model, language)
        assert facts is not None
        document = pipeline.run(photo_in_state(facts, state), language).document
        assert document is not None
        verdict = judge_report(document)
        statuses.append(next(section.headline.status for section in document.sections if section.headline))
        if not verdict.passed:
            failing[model] = verdict.reasons
    assert not failing
    # The states are what they are called, or the sweep would prove little.
    words = {"normal": ("normal", "正常"), "alarm": ("alarm", "报警"), "abstained": ("not read", "未读数")}[state]
    assert sum(status.startswith(words) for status in statuses) > (0.3 if state != "abstained" else 0.99) * len(statuses)
