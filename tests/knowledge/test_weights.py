"""Ranking weights decided by people: kept, applied, taken back, and refused where they make no sense."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from knowledge.health import judge_health, proposed_decisions
from knowledge.search import KnowledgeBase
from knowledge.usage import UsageLog
from knowledge.weights import WeightBook, WeightError, in_history

from .conftest import HashEmbedder, article_text
from .test_timeline import entry

MakeCorpus = Callable[..., Path]
BODY = "# T\n\n## 1 Valve\n\nThe relief valve opens at {} bar.\n"


@pytest.fixture
def book(tmp_path: Path) -> WeightBook:
    return WeightBook(tmp_path / "home")


def test_the_last_decision_holds_and_all_are_kept(book: WeightBook) -> None:
    assert (book.decisions(), book.weights()) == ((), {})
    book.decide("a", 0.3, "noise")
    book.decide("b", 0.0)
    book.decide("a", 0.5)
    assert book.weights() == {"a": 0.5, "b": 0.0}
    assert [(one.document, one.before, one.weight, one.reason) for one in book.decisions()] == [
        ("a", None, 0.3, "noise"),
        ("b", None, 0.0, ""),
        ("a", 0.3, 0.5, ""),
    ]
    assert in_history(book.weights()) == {"b"}


def test_undoing_gives_back_what_was_before(book: WeightBook) -> None:
    book.decide("a", 0.3, "noise")
    book.decide("a", 0.0)
    assert book.undo("a").weight == 0.3
    book.decide("b", 0.2)
    assert book.undo("b").weight is None
    assert book.weights() == {"a": 0.3}
    with pytest.raises(WeightError, match="'c'"):
        book.undo("c")


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_that_is_none_is_refused_and_not_kept(book: WeightBook, weight: float) -> None:
    with pytest.raises(WeightError, match="from 0 to 1"):
        book.decide("a", weight)
    assert book.decisions() == ()


def test_a_damaged_line_is_named(book: WeightBook) -> None:
    book.decide("a", 0.3)
    book.path.write_text(book.path.read_text(encoding="utf-8") + '{"document": "b"}\n', encoding="utf-8")
    with pytest.raises(WeightError, match=r"weights\.jsonl:2"):
        book.weights()


def test_decisions_change_what_answers_and_can_be_taken_back(
    make_corpus: MakeCorpus, tmp_path: Path, embedder: HashEmbedder
) -> None:
    corpus = make_corpus(
        one=article_text(BODY.format("five"), id="one-en", models="T-1"),
        two=article_text(BODY.format("nine"), id="two-en", models="T-2"),
    )
    home = tmp_path / "home"
    book = WeightBook(home)

    def found(**options: object) -> list[tuple[str, float]]:
        kb = KnowledgeBase.open(home, corpus, embedder=embedder)
        hits = kb.search("At how many bar does the relief valve open?", **options)  # type: ignore[arg-type]
        return [(hit.chunk.document, round(hit.score, 6)) for hit in hits]

    before = found()
    assert {name for name, _ in before} == {"one-en", "two-en"}
    book.decide("one-en", 0.5)
    halved = dict(found())
    assert halved["one-en"] == pytest.approx(0.5 * dict(before)["one-en"], abs=1e-5)
    assert halved["two-en"] == dict(before)["two-en"]
    book.decide("two-en", 0.0, "never used")
    assert [name for name, _ in found()] == ["one-en"]
    assert {name for name, _ in found(include=("valid", "archived"))} == {"one-en", "two-en"}
    book.undo("two-en")
    book.undo("one-en")
    assert found() == before


def test_what_the_audit_proposes_can_be_decided(tmp_path: Path, book: WeightBook) -> None:
    log = UsageLog(tmp_path / "home")
    for _ in range(20):
        log.record_search("what", ["noise:1:beef", "good:1:beef"])
    log.record_use(["good:1:beef"])
    documents = [entry(id, "2024-01-01", models=(id,)) for id in ("noise", "good", "dead")]
    moment = datetime(2025, 6, 1, tzinfo=UTC)
    for document, weight, reason in proposed_decisions(judge_health(documents, log, moment)):
        book.decide(document, weight, reason)
    assert book.weights() == {"noise": 0.1, "dead": 0.0}
    judged = {one.document: one for one in judge_health(documents, log, moment, book.weights()).documents}
    assert (judged["noise"].weight, judged["noise"].proposal, judged["dead"].answers) == (0.1, "keep", False)
    assert proposed_decisions(judge_health(documents, log, moment, book.weights())) == ()
