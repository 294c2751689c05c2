"""`gauge replay`: the same report from what was stored, its stages, and one clear line for everything that goes wrong."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from knowledge.search import KnowledgeBase
from rag.trace_store import FILE
from serve.commands import replaying
from tests.serve.bad_photos import write
from tests.serve.conftest import Gauge
from tests.serve.doubles import picture_bytes


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, knowledge: KnowledgeBase) -> Path:
    """The home of the service's double, with the shipped manuals behind a light embedder as its only version."""
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    found = {knowledge.version: knowledge}
    monkeypatch.setattr(replaying, "open_version", lambda settings, version, as_of: found.get(version))
    monkeypatch.setattr(replaying, "open_knowledge", lambda settings, as_of: knowledge)
    return tmp_path / "home"


@pytest.fixture
def inspected(gauge: Gauge, home: Path, tmp_path: Path) -> dict[str, str]:
    """Id and Markdown of a request that was made."""
    (made,) = gauge("inspect", write(tmp_path, "gauge.png", picture_bytes()), "--model", "XYZ-2000", "--json").objects()
    return {"id": made["request_id"], "markdown": made["report"]["markdown"]}


def test_the_same_report(gauge: Gauge, inspected: dict[str, str]) -> None:
    answer = gauge("replay", inspected["id"])
    assert answer.code == 0
    assert "The same report, byte for byte" in answer.out
    (again,) = gauge("replay", inspected["id"], "--json").objects()
    assert again["same"] is True
    assert again["report"]["markdown"] == inspected["markdown"]
    assert again["difference"] is None


def test_the_stages_are_shown(gauge: Gauge, inspected: dict[str, str]) -> None:
    answer = gauge("replay", inspected["id"], "--show")
    assert answer.code == 0
    for name in ("reading", "queries", "retrieval", "value", "diagnosis", "evidence", "plan", "writing", "checking", "report"):
        assert f"== {name}\n" in answer.out
    assert "gauge_calibration_formula" in answer.out
    assert max(len(line) for line in answer.out.splitlines()) < 3000
    (trace,) = gauge("replay", inspected["id"], "--show", "--json").objects()
    assert trace["stages"][-1]["outputs"]["markdown"] == inspected["markdown"]


def test_the_newest_requests_are_listed(gauge: Gauge, inspected: dict[str, str]) -> None:
    answer = gauge("replay", "--list")
    assert answer.out.startswith(inspected["id"])
    assert "gauge.png" in answer.out
    (row,) = gauge("replay", "--list", "--json").objects()
    assert row["request_id"] == inspected["id"]


def change(home: Path, stage: str, old: str, new: str) -> None:
    with closing(sqlite3.connect(home / FILE)) as db, db:
        rows = db.execute("UPDATE stages SET outputs = replace(outputs, ?, ?) WHERE name = ?", (old, new, stage)).rowcount
        assert rows == 1


def test_a_report_that_differs_is_named_with_its_stage(gauge: Gauge, home: Path, inspected: dict[str, str]) -> None:
    change(home, "report", "MPa", "bar")
    answer = gauge("replay", inspected["id"])
    assert answer.code == 1
    assert "first difference is in report, " in answer.err
    assert "same report" not in answer.out
    (again,) = gauge("replay", inspected["id"], "--json").objects()
    assert again["same"] is False
    assert again["difference"]["stage"] == "report"


def test_a_version_that_is_gone_is_said(
    gauge: Gauge, inspected: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "open_version", lambda *_: None)
    answer = gauge("replay", inspected["id"])
    assert answer.code == 1
    assert "of the manuals is gone; the present one was asked" in answer.err


def one_line(err: str) -> bool:
    return err.startswith("gauge: ") and err.count("\n") == 1 and "Traceback" not in err


@pytest.mark.parametrize("request_id", ["nobody", "a" * 32, "..", "a b", "x" * 500, "'; DROP TABLE requests; --", "é"])
def test_unknown_and_hostile_ids_cost_one_line(gauge: Gauge, inspected: dict[str, str], request_id: str) -> None:
    for options in ((), ("--show",), ("--json",)):
        answer = gauge("replay", *options, "--", request_id)
        assert answer.code == 1
        assert answer.out == ""
        assert one_line(answer.err)
        assert len(answer.err) < 400


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100])
def test_a_damaged_database_costs_one_line(gauge: Gauge, home: Path, content: bytes) -> None:
    home.mkdir(parents=True)
    (home / FILE).write_bytes(content)
    for arguments in (("--list",), ("r-1",)) if content else (("r-1",),):
        answer = gauge("replay", *arguments)
        assert answer.code == 1
        assert one_line(answer.err)


def test_before_anything_was_inspected(gauge: Gauge, home: Path) -> None:
    answer = gauge("replay", "r-1")
    assert answer.code == 1
    assert one_line(answer.err)
    assert "nothing was inspected" in answer.err


def test_a_photo_that_could_not_be_opened_has_no_report_to_replay(gauge: Gauge, home: Path, tmp_path: Path) -> None:
    (made,) = gauge("inspect", tmp_path / "none.jpg", "--json").objects()
    answer = gauge("replay", made["request_id"])
    assert answer.code == 1
    assert one_line(answer.err)
    assert "could not be opened" in answer.err
    assert gauge("replay", made["request_id"], "--show").code == 0


@pytest.mark.parametrize("arguments", [(), ("r-1", "--list")])
def test_wrong_usage(gauge: Gauge, arguments: tuple[str, ...]) -> None:
    assert gauge("replay", *arguments).code == 2


def test_a_store_that_cannot_be_written_costs_no_report(gauge: Gauge, home: Path, tmp_path: Path) -> None:
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where the home should be")
    answer = gauge("inspect", write(tmp_path, "gauge.png", picture_bytes()), "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["report"]["statements"]


def test_a_place_holds_readings_against_earlier_ones(gauge: Gauge, home: Path, tmp_path: Path) -> None:
    photo = write(tmp_path, "gauge.png", picture_bytes())
    first, second = (gauge("inspect", photo, "--model", "XYZ-2000", "--place", "pump 7", "--json").objects()[0] for _ in range(2))
    cited = [{one for said in made["report"]["statements"] for one in said["citations"]} for made in (first, second)]
    assert "history#1" in cited[1]
    assert gauge("replay", second["request_id"]).code == 0
    assert gauge("replay", first["request_id"]).code == 0
