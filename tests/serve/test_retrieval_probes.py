"""`gauge eval retrieval` and `gauge eval facts`: tables, JSON, the home's own facts, bad input in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.mvfu import SHIPPED_LIBRARY, read_library
from knowledge.search import KnowledgeBase
from serve import library
from serve.commands import retrieval_probes
from tests.serve.conftest import Gauge
from tests.serve.doubles import HashEmbedder

QUERY = {
    "id": "q-1",
    "slice": "english",
    "language": "en",
    "text": "What does the red lamp of the XYZ-2000 mean?",
    "answers": [{"document": "xyz-2000-en", "section": "4.1", "anchor": "sensor fault"}],
    "authority": "xyz-2000-en",
}
EXPERT = {
    "id": "pump-a-en:place",
    "kind": "claim",
    "language": "en",
    "subject": "pump A",
    "predicate": "stands in",
    "object": "hall 2",
    "statement": "Pump A stands in hall 2.",
    "document": "plant-plan-en",
    "section": "1",
    "version": "3",
    "origin": "expert",
}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the shipped manuals are published behind a light embedder, once for this file."""
    home = tmp_path_factory.mktemp("published")
    KnowledgeBase.open(home, embedder=HashEmbedder()).close()
    return home


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, published: Path) -> Path:
    """The home of the run."""
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(retrieval_probes, "open_knowledge", lambda _: KnowledgeBase.open(published, embedder=HashEmbedder()))
    monkeypatch.setattr(library, "load_embedder", lambda _: HashEmbedder())
    return tmp_path / "home"


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    path = tmp_path / "queries.jsonl"
    path.write_text(json.dumps(QUERY) + "\n" + json.dumps({**QUERY, "id": "q-2", "text": "???"}) + "\n", encoding="utf-8")
    return path


def test_queries_of_ones_own_are_scored_and_a_bad_one_is_not_scorable(gauge: Gauge, queries: Path) -> None:
    (card,) = gauge("eval", "retrieval", "--queries", queries, "--json").objects()
    hit = card["slices"]["english"]["retrieval"]["hit"]
    assert (hit["value"], hit["n"], hit["not_scorable"]) == (1.0, 1, 1)
    assert card["overall"]["fact_coverage"]["n"] == 1
    assert card["judge"] == "double-hash"


def test_the_tables_name_every_probe(gauge: Gauge, queries: Path) -> None:
    answer = gauge("eval", "retrieval", "--queries", queries, "--limit", "1", "--domain", "law")
    assert answer.code == 0
    for word in ("MRR", "CRS", "FCR", "authoritative", "noise", "| english | 1 | 1 ± - (1) |"):
        assert word in answer.out


def test_the_library_is_shown_and_holds_the_shipped_facts(gauge: Gauge, home: Path) -> None:
    (state,) = gauge("eval", "facts", "--extend", "--json").objects()
    assert state["facts"] == len(read_library(SHIPPED_LIBRARY))
    assert (state["added"], state["changed"]) == ([], [])
    assert not (home / "facts.jsonl").exists()


def test_an_experts_fact_joins_the_homes_own_file_once(gauge: Gauge, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "expert.jsonl"
    path.write_text(json.dumps(EXPERT), encoding="utf-8")
    first = gauge("eval", "facts", "--add", path)
    assert "1 added" in first.out
    assert "pump-a-en:place: pump A stands in hall 2." in first.out
    assert [fact.id for fact in read_library(home / "facts.jsonl")] == ["pump-a-en:place"]
    (again,) = gauge("eval", "facts", "--add", path, "--json").objects()
    assert again["added"] == []
    assert again["facts"] == len(read_library(SHIPPED_LIBRARY)) + 1


@pytest.mark.parametrize(
    ("args", "text", "line"),
    [
        (["retrieval", "--queries"], "{", "not a QueryCase"),
        (["facts", "--add"], json.dumps({**EXPERT, "document": ""}), "not a fact with its source: document"),
        (["facts", "--add"], None, "cannot be read"),
        (["retrieval", "--queries"], None, "cannot be read"),
    ],
)
def test_bad_input_is_one_line(gauge: Gauge, tmp_path: Path, args: list[str], text: str | None, line: str) -> None:
    path = tmp_path / "bad.jsonl"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    answer = gauge("eval", *args, path)
    assert answer.code == 1
    assert line in answer.err
    assert answer.err.count("\n") == 1
