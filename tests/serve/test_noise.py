"""`gauge eval noise` and `gauge eval faults`: tables, JSON, the same for the same seed, one line for bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.search import KnowledgeBase
from serve.commands import noising
from tests.serve.conftest import Gauge
from tests.serve.doubles import HashEmbedder


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("published")
    KnowledgeBase.open(home, embedder=HashEmbedder()).close()
    return home


@pytest.fixture(autouse=True)
def manuals(monkeypatch: pytest.MonkeyPatch, published: Path) -> None:
    monkeypatch.setattr(noising, "open_manuals", lambda: KnowledgeBase.open(published, embedder=HashEmbedder()))


def test_noise_is_a_table_of_points_kinds_and_levels(gauge: Gauge) -> None:
    answer = gauge("eval", "noise", "--questions", "6")
    assert answer.code == 0, answer.err
    assert "| point | noise | level | failed |" in answer.out
    assert "| chunks | ocr | 0.7 |" in answer.out
    assert "failed at level 1" in answer.out


def test_faults_name_their_layers_the_same_every_time(gauge: Gauge) -> None:
    first = gauge("eval", "faults", "--questions", "20", "--per-fault", "2", "--json")
    assert first.code == 0, first.err
    (data,) = first.objects()
    assert data["layer"]["n"] == sum(one["layer"]["n"] for one in data["faults"]) > 0
    assert {one["fault"] for one in data["faults"]} >= {"retriever blinded", "chunk cut", "field misread"}
    assert gauge("eval", "faults", "--questions", "20", "--per-fault", "2", "--json").out == first.out
    text = gauge("eval", "faults", "--questions", "20", "--per-fault", "2").out
    assert "| retriever blinded | 100.0 %" in text
    assert "Right layer" in text


def test_noise_in_photos_goes_before_the_reader(gauge: Gauge) -> None:
    answer = gauge("eval", "noise", "--photos", "1")
    assert answer.code == 0, answer.err
    assert "| glare | 0.7 |" in answer.out
    rows = gauge("eval", "noise", "--photos", "1", "--json").objects()
    assert len(rows) == 16
    assert all(row["right"]["n"] == 1 for row in rows)


def test_too_few_questions_are_one_line(gauge: Gauge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noising, "_bases", lambda *_: [])
    answer = gauge("eval", "noise", "--questions", "1")
    assert answer.code == 1
    assert "no case whose chain works" in answer.err
    assert gauge("eval", "noise", "--questions", "0").code == 2
