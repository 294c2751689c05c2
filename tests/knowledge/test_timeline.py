"""Which document answers when: versions, lineages, drafts and the age of the index."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from knowledge.manifest import read_manifest
from knowledge.publish import publish
from knowledge.search import KnowledgeBase
from knowledge.timeline import DocumentEntry, MomentError, day_of, in_force, newest, parse_moment, period

from .conftest import HashEmbedder, article_text

MakeCorpus = Callable[..., Path]


def entry(id: str, day: str, **changes: object) -> DocumentEntry:
    values = {
        "id": id,
        "version": "1",
        "effective_date": day,
        "status": "valid",
        "kind": "dial",
        "models": ("T-1",),
        "sha256": "0",
        "indexed_at": datetime(2025, 1, 1, tzinfo=UTC),
        "chunks": 1,
    }
    return DocumentEntry.model_validate(values | changes)


OLD = entry("old", "2020-01-01", status="archived")
NOW = entry("now", "2024-01-01")
NEXT = entry("next", "2030-01-01")
DRAFT = entry("draft", "2019-01-01", status="draft")
ALL = (OLD, NOW, NEXT, DRAFT)


@pytest.mark.parametrize(
    ("day", "answers"),
    [
        ("2019-12-31", set()),
        ("2020-01-01", {"old"}),
        ("2023-12-31", {"old"}),
        ("2024-01-01", {"now"}),
        ("2029-12-31", {"now"}),
        ("2030-01-01", {"next"}),
    ],
)
def test_one_version_answers_at_a_moment(day: str, answers: set[str]) -> None:
    assert in_force(ALL, date.fromisoformat(day)) == answers


def test_drafts_and_archived_answer_only_when_asked() -> None:
    day = date(2025, 1, 1)
    assert in_force(ALL, day, ("valid", "draft")) == {"now", "draft"}
    assert in_force(ALL, day, ("valid", "archived")) == {"now", "old"}


def test_an_archived_document_without_successor_never_answers() -> None:
    assert in_force((OLD,), date(2022, 1, 1)) == frozenset()
    assert period(OLD, (OLD,)) is None


@pytest.mark.parametrize(
    "other",
    [
        {"language": "zh"},
        {"authority": "notice"},
        {"models": ("T-2",)},
        {"kind": None},
        {"kind": "digital"},
        {"status": "draft"},
    ],
)
def test_another_matter_is_no_successor(other: dict[str, object]) -> None:
    documents = (NOW, entry("other", "2025-01-01", **other))
    assert "now" in in_force(documents, date(2026, 1, 1))


def test_the_version_of_an_id_follows_its_older_one_whatever_else_changed() -> None:
    documents = (entry("m@1", "2020-01-01", kind=None, models=()), entry("m", "2022-01-01", kind=None, models=(), version="2"))
    assert in_force(documents, date(2021, 1, 1)) == {"m@1"}
    assert in_force(documents, date(2023, 1, 1)) == {"m"}


def test_two_valid_rivals_of_one_day_both_answer() -> None:
    documents = (NOW, entry("rival", "2024-01-01"))
    assert in_force(documents, date(2025, 1, 1)) == {"now", "rival"}


def test_an_index_older_than_the_effective_date_is_stale() -> None:
    assert entry("a", "2025-06-01").freshness(date(2025, 7, 1)) == "stale"
    assert entry("a", "2024-06-01").freshness(date(2025, 7, 1)) == "fresh"
    assert entry("a", "2025-06-01").freshness(date(2025, 5, 1)) == "not yet in effect"


def test_newest_is_the_valid_one_with_the_latest_date() -> None:
    found = newest(ALL)
    assert found is not None
    assert found.id == "next"
    assert newest((DRAFT,)) is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-31", datetime(2024, 5, 31, 23, 59, 59, tzinfo=UTC)),
        ("2024-05-31T12:00", datetime(2024, 5, 31, 12, tzinfo=UTC)),
        ("2024-05-31T01:00:00+08:00", datetime(2024, 5, 30, 17, tzinfo=UTC)),
    ],
)
def test_moments(text: str, moment: datetime) -> None:
    assert parse_moment(text) == moment
    assert day_of(parse_moment(text)) == moment.date()


def test_a_text_that_is_no_moment_is_named() -> None:
    with pytest.raises(MomentError, match="'yesterday' is no ISO 8601"):
        parse_moment("yesterday")


def test_two_versions_of_one_id_are_published_side_by_side(tmp_path: Path, make_corpus: MakeCorpus) -> None:
    body = "# T\n\n## 1 A\n\nThe relief valve opens at {} bar.\n"
    corpus = make_corpus(
        one=article_text(body.format("five"), id="m", version="1", date="2020-01-01"),
        two=article_text(body.format("nine"), id="m", version="2", date="2024-01-01"),
    )
    manifest = read_manifest(publish(tmp_path / "home", corpus, HashEmbedder()))
    assert manifest is not None
    assert {document.id for document in manifest.documents} == {"m", "m@1"}
    base = KnowledgeBase.open(tmp_path / "home", corpus, embedder=HashEmbedder())
    told = {
        day: [hit.chunk.text for hit in base.search("relief valve", model="T-1", as_of=parse_moment(day))]
        for day in ("2019-01-01", "2021-01-01", "2025-01-01")
    }
    base.close()
    assert told["2019-01-01"] == []
    assert ["five" in text for text in told["2021-01-01"]] == [True]
    assert ["nine" in text for text in told["2025-01-01"]] == [True]
