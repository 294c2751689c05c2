"""`gauge eval anchors`: exit codes, JSON, pages, time travel, one clear line for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.golden_run import AnchorReport
from knowledge.search import KnowledgeBase
from knowledge.timeline import Moment
from serve.commands import anchors
from tests.serve.conftest import Gauge
from tests.serve.doubles import HashEmbedder


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the shipped manuals are published behind a light embedder, once for this file."""
    home = tmp_path_factory.mktemp("published")
    KnowledgeBase.open(home, embedder=HashEmbedder()).close()
    return home


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, published: Path) -> Path:
    """The home of the run."""

    def reopen(_: object, as_of: Moment | None = None) -> KnowledgeBase:
        return KnowledgeBase.open(published, embedder=HashEmbedder(), as_of=as_of)

    monkeypatch.setenv("GAUGE_HOME", str(tmp_path))
    monkeypatch.setattr(anchors, "open_knowledge", reopen)
    return tmp_path


def test_passing_anchors_are_exit_code_0_and_leave_their_report(gauge: Gauge, home: Path) -> None:
    answer = gauge("eval", "anchors", "P01", "S06")
    assert answer.code == 0
    assert "| P01 | pass |" in answer.out
    assert "passed 100.0 %" in answer.out
    report = AnchorReport.model_validate_json((home / "anchors" / "report.json").read_bytes())
    assert [row.id for row in report.rows] == ["P01", "S06"]
    page = (home / "anchors" / (report.rows[0].page or "")).read_text(encoding="utf-8")
    assert "42.88 MPa" in page


def test_json_is_one_line_of_the_report(gauge: Gauge, tmp_path: Path) -> None:
    answer = gauge("eval", "anchors", "P01", "--json", "--out", tmp_path / "o")
    (data,) = answer.objects()
    assert (data["passed"]["hits"], data["passed"]["n"], data["not_scorable"]) == (1, 1, 0)
    assert data["rows"][0]["score"]["state"] == "supported"
    assert (tmp_path / "o" / "debug_P01.html").is_file()


def test_time_travel_before_the_document_scores_nothing_and_is_no_pass(gauge: Gauge, home: Path) -> None:
    gauge("eval", "anchors", "P01")
    (home / "before.json").write_bytes((home / "anchors" / "report.json").read_bytes())
    answer = gauge("eval", "anchors", "P01", "--time-travel", "2020-06-01", "--against", home / "before.json", "--json")
    assert answer.code == 1
    (data,) = answer.objects()
    assert data["report"]["as_of"] == "2020-06-01"
    assert data["report"]["rows"][0]["score"] == {
        "value": None,
        "state": "not_scorable",
        "reason": "xyz-2000-en was not in force on 2020-06-01",
    }
    assert (data["change"]["colour"], data["change"]["gone"]) == ("red", ["P01"])


def test_a_failed_anchor_is_exit_code_1_with_its_page(gauge: Gauge, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = anchors.load_anchors()
    wrong = tuple(one.model_copy(update={"expect": "no such words"}) if one.id == "P01" else one for one in known)
    monkeypatch.setattr(anchors, "load_anchors", lambda: tuple(one for one in wrong if one.id in ("P01", "P03")))
    answer = gauge("eval", "anchors", "--quick")
    assert answer.code == 1
    assert "| P01 | fail |" in answer.out
    assert "answer: none of" in answer.out
    assert str(home / "anchors" / "debug_P01.html") in answer.out
    assert not (home / "anchors" / "debug_P03.html").exists()
    page = json.loads((home / "anchors" / "debug_P01.json").read_text(encoding="utf-8"))
    assert (page["status"], page["document"]) == ("fail", "xyz-2000-en")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["X99"], "gauge: no anchor 'X99'; known: "),
        (["P01", "--time-travel", "soon"], "gauge: "),
        (["P01", "--against", "none.json"], "gauge: none.json: cannot be read: "),
    ],
)
def test_bad_input_is_one_line(gauge: Gauge, args: list[str], line: str) -> None:
    answer = gauge("eval", "anchors", *args)
    assert answer.code == 1
    assert answer.err.startswith(line)
    assert answer.err.count("\n") == 1


def test_the_core_anchors_are_five_with_a_page_each(gauge: Gauge, home: Path) -> None:
    answer = gauge("eval", "anchors", "--core", "--json")
    assert answer.code == 0, answer.err
    (data,) = answer.objects()
    assert len(data["rows"]) == 5
    assert len({row["module"] for row in data["rows"]}) == 5
    for row in data["rows"]:
        page = json.loads((home / "anchors" / f"debug_{row['id']}.json").read_text(encoding="utf-8"))
        assert page["question"]
        assert page["sentences"]
