"""Usage log, health of documents, and disputes between documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from knowledge.articles import Article
from knowledge.chunks import build_chunks
from knowledge.disputes import dispute_text, find_disputes
from knowledge.health import ENOUGH_SEARCHES, LOW_WEIGHT, health_text, judge_health, write_health
from knowledge.usage import Usage, UsageError, UsageLog

from .test_timeline import entry

MakeArticle = Callable[..., Article]
MOMENT = datetime(2025, 6, 1, tzinfo=UTC)


@pytest.fixture
def log(tmp_path: Path) -> UsageLog:
    return UsageLog(tmp_path / "home")


def hit(make_article: MakeArticle, document: str) -> str:
    return build_chunks(make_article("# T\n\n## 1 A\n\nText.\n", id=document))[0].id


def test_the_log_counts_findings_citations_and_opinions(make_article: MakeArticle, log: UsageLog) -> None:
    a, b = hit(make_article, "a"), hit(make_article, "b")
    log.record_search("what", [a, b], "T-1")
    log.record_search("什么", [a])
    log.record_search("deep", [a, a, a, b])
    log.record_use([a, "photo#1", "a:1:beef"])
    log.record_feedback("a", good=True)
    log.record_feedback("a", good=False, note="old")
    assert log.searches() == 3
    assert log.by_document() == {"a": Usage(3, 2, 1, 1), "b": Usage(1)}
    assert log.by_document(k=4)["b"] == Usage(2)


def test_a_log_that_is_missing_is_empty_and_one_that_is_damaged_named(log: UsageLog, make_article: MakeArticle) -> None:
    assert (log.searches(), log.by_document()) == (0, {})
    log.path.parent.mkdir(parents=True)
    log.path.write_bytes(b"no database at all" * 100)
    with pytest.raises(UsageError, match=r"usage\.sqlite"):
        log.by_document()
    log.record_search("an answer is not stopped by its log", [hit(make_article, "a")])


def test_proposals_follow_from_use(make_article: MakeArticle, log: UsageLog) -> None:
    documents = tuple(entry(name, "2024-01-01", models=(name,)) for name in ("good", "noise", "dead", "blamed"))
    documents += (entry("past", "2020-01-01", status="archived", models=("good",)), entry("draft", "2020-01-01", status="draft"))
    few = judge_health(documents, log, MOMENT)
    assert {one.proposal for one in few.documents if one.answers} == {"too few questions"}
    assert few.documents_for_80_percent is None
    good, noise, blamed = (hit(make_article, name) for name in ("good", "noise", "blamed"))
    for number in range(ENOUGH_SEARCHES):
        log.record_search(f"question {number}", [good, noise, blamed])
        log.record_use([good])
    for _ in range(3):
        log.record_feedback("blamed", good=False)
    report = judge_health(documents, log, MOMENT)
    judged = {one.document: one for one in report.documents}
    assert {name: one.proposal for name, one in judged.items()} == {
        "good": "keep",
        "noise": "lower weight",
        "dead": "move to history",
        "blamed": "review",
        "past": "keep",
        "draft": "keep",
    }
    assert (judged["noise"].proposed_weight, judged["good"].proposed_weight) == (LOW_WEIGHT, 1.0)
    assert (judged["good"].recall, judged["good"].use, judged["blamed"].opinion) == (1.0, 1.0, 0.0)
    assert judged["dead"].use is None
    assert set(report.history) == {"dead", "past"}
    assert report.documents_for_80_percent == 1
    assert report.documents[0].document == "good"
    assert "1 of 6 documents give 80 % of the citations" in health_text(report)


def test_the_report_is_written_with_plots(tmp_path: Path, make_article: MakeArticle, log: UsageLog) -> None:
    log.record_search("q", [hit(make_article, "a")])
    report = judge_health((entry("a", "2025-05-01"),), log, MOMENT)
    files = write_health(report, tmp_path / "out")
    assert {file.name for file in files} == {"health.json", "history.json", "recall_use_opinion.png", "documents.png"}
    assert json.loads(files[0].read_text())["documents"][0]["freshness"] == "stale"
    for plot in files[2:]:
        assert plot.read_bytes().startswith(b"\x89PNG")
        assert plot.stat().st_size > 5000


RANGE = "# T\n\n## 1 A\n\nThe measuring range is 0 to {} bar.\n"


def test_disputes_name_both_sources_and_what_decides(make_article: MakeArticle) -> None:
    old = make_article(RANGE.format(5), id="old", status="archived", date="2020-01-01", version="1")
    new = make_article(RANGE.format(6), id="new", date="2024-01-01", version="2")
    notice = make_article(RANGE.format(7), id="notice", date="2025-01-01").model_copy(
        update={"authority": "notice", "kind": None}
    )
    articles = (old, new, notice)
    entries = [
        entry(a.id, str(a.effective_date), status=a.status, authority=a.authority, kind=a.kind, models=a.models) for a in articles
    ]
    documents = [(article, build_chunks(article)) for article in articles]
    found = {(d.first.document, d.second.document): d for d in find_disputes(documents, entries, date(2025, 6, 1))}
    assert {pair: dispute.decision for pair, dispute in found.items()} == {
        ("old", "new"): "the newer one is in force",
        ("old", "notice"): "the newer one is in force",
        ("new", "notice"): "the more authoritative counts",
    }
    text = dispute_text(found["new", "notice"])
    assert "0 to 6 bar" in text
    assert "0 to 7 bar" in text
    assert "notice, notice, valid, from 2025-01-01" in text
    past = find_disputes(documents, entries, date(2021, 1, 1))
    assert {d.decision for d in past if d.second.document == "new"} == {"only one is in force"}


def test_agreement_other_models_and_other_languages_are_no_dispute(make_article: MakeArticle) -> None:
    one = make_article(RANGE.format(5), id="one")
    others = [
        make_article(RANGE.format(5), id="two"),
        make_article(RANGE.format(6), id="three", models="T-2"),
        make_article("# 手册\n\n## 1 甲\n\n测量范围为 0 至 6 bar。\n", id="four", language="zh"),
    ]
    documents = [(article, build_chunks(article)) for article in (one, *others)]
    entries = [entry(article.id, "2024-01-01") for article, _ in documents]
    assert find_disputes(documents, entries, date(2025, 1, 1)) == ()


def test_the_shipped_corpus_disputes_are_all_decided_by_version_or_authority(corpus: tuple[Article, ...]) -> None:
    documents = [(article, build_chunks(article)) for article in corpus if "XYZ-2000" in article.models]
    entries = [
        entry(
            a.id, str(a.effective_date), status=a.status, authority=a.authority, kind=a.kind, models=a.models, language=a.language
        )
        for a, _ in documents
    ]
    found = find_disputes(documents, entries, date(2025, 12, 1), "XYZ-2000")
    assert any(d.what == "formula" and {d.first.document, d.second.document} == {"xyz-2000-en", "xyz-2000-r1-en"} for d in found)
    assert "not decided" not in {d.decision for d in found if d.first.in_force or d.second.in_force}
