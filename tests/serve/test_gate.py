"""`gauge gate`: exit codes, the slice that got worse, a new baseline with its reason, one clear line for bad input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval.gate import read_baseline
from eval.gate_rows import GateRow, photo_rows, report_rows, retrieval_rows
from eval.query_set import shipped_query_set
from knowledge.search import KnowledgeBase
from serve.commands import gating
from serve.service import Service
from tests.serve.conftest import Gauge


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few cases of each probe, the real functions behind them."""
    anchor = GateRow(id="P01", slice="pressure", value=1.0)
    monkeypatch.setattr(gating, "retrieval_rows", lambda kb: retrieval_rows(kb, shipped_query_set()[::60]))
    monkeypatch.setattr(gating, "report_rows", lambda kb: report_rows(kb, rounds=1, models=("XYZ-2000",)))
    monkeypatch.setattr(gating, "anchor_rows", lambda kb: iter([anchor]))
    monkeypatch.setattr(gating, "photo_rows", lambda reader: photo_rows(reader, count=2))


@pytest.fixture
def baseline(gauge: Gauge, tmp_path: Path) -> Path:
    path = tmp_path / "baseline.json"
    answer = gauge("gate", "--baseline", path, "--update", "the first one")
    assert answer.code == 0, answer.err
    assert answer.out.endswith("the new baseline.\n")
    return path


def test_the_same_chain_finds_the_gate_open(gauge: Gauge, baseline: Path) -> None:
    answer = gauge("gate", "--baseline", baseline)
    assert answer.code == 0
    assert answer.out.rstrip().endswith("The gate is open.")
    for probe in ("ERR", "FAR", "anchors", "fields", "honesty"):
        assert f"| {probe} | all |" in answer.out


def test_a_worse_chain_finds_it_shut_and_says_where_why_and_what_to_do(
    gauge: Gauge, baseline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blind(kb: KnowledgeBase) -> Iterator[GateRow]:
        for row in retrieval_rows(kb, shipped_query_set()[::60]):
            yield row.model_copy(update={"value": 0.0 if row.value == 1 else row.value, "reason": "no wanted fragment"})

    monkeypatch.setattr(gating, "retrieval_rows", blind)
    answer = gauge("gate", "--baseline", baseline, "--no-photos")
    assert answer.code == 1
    assert "ERR, template: retrieval: t-" in answer.out
    assert "no wanted fragment" in answer.out
    assert "what to do: see which route lost it" in answer.out
    assert answer.out.rstrip().endswith("The gate is shut: see above.")
    (data,) = gauge("gate", "--baseline", baseline, "--no-photos", "--json").objects()
    assert data["passed"] is False
    assert {one["probe"] for one in data["slices"] if one["state"] == "worse"} == {"ERR"}


def test_an_update_keeps_the_reasons_and_the_photos(gauge: Gauge, baseline: Path) -> None:
    assert gauge("gate", "--baseline", baseline, "--no-photos", "--update", "other manuals").code == 0
    kept = read_baseline(baseline)
    assert [reason.split(": ", 1)[1] for reason in kept.reasons] == ["other manuals", "the first one"]
    assert kept.measured.probes["fields"]
    assert kept.measured.versions["weights"] == "double 1"


def test_other_versions_are_told(gauge: Gauge, baseline: Path) -> None:
    text = baseline.read_text(encoding="utf-8").replace("double 1", "double 0")
    baseline.write_text(text, encoding="utf-8")
    answer = gauge("gate", "--baseline", baseline)
    assert answer.code == 0
    assert "weights: double 0 in the baseline, double 1 now" in answer.out


def test_json_is_one_line_also_of_an_update(gauge: Gauge, tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    assert gauge("gate", "--no-photos", "--baseline", path, "--update", "first", "--json").objects() == [{}]
    (data,) = gauge("gate", "--no-photos", "--baseline", path, "--update", "second", "--json").objects()
    assert data["passed"] is True


def test_bad_input_is_one_line(gauge: Gauge, tmp_path: Path) -> None:
    missing = gauge("gate", "--baseline", tmp_path / "none.json")
    assert missing.code == 1
    assert missing.err.count("\n") == 1
    assert "there is no baseline yet" in missing.err
    (tmp_path / "bad.json").write_text(json.dumps({"made_on": "2026-01-01"}), encoding="utf-8")
    bad = gauge("gate", "--baseline", tmp_path / "bad.json")
    assert bad.code == 1
    assert "not a baseline: reasons" in bad.err
    empty = gauge("gate", "--baseline", tmp_path / "new.json", "--update", " ")
    assert empty.code == 1
    assert "needs a reason" in empty.err
    assert not (tmp_path / "new.json").exists()
    nowhere = gauge("gate", "--no-photos", "--baseline", tmp_path / "no" / "b.json", "--update", "x")
    assert nowhere.code == 1
    assert "cannot be written" in nowhere.err


def test_the_monitor_knows_what_the_gate_found_last(
    gauge: Gauge, baseline: Path, service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GAUGE_HOME", str(service.settings.home))
    assert "gate: not run yet" in gauge("monitor", "status").out  # the first baseline was held against nothing
    assert gauge("gate", "--baseline", baseline, "--no-photos").code == 0
    said = gauge("monitor", "status").out
    assert "(0 minutes ago): green, it was open" in said
    assert ": the first one; without photos" in said
    monkeypatch.setattr(gating, "anchor_rows", lambda kb: iter([GateRow(id="P01", slice="pressure", value=0.0, reason="lost")]))
    assert gauge("gate", "--baseline", baseline, "--no-photos").code == 1
    said = gauge("monitor", "status").out
    assert "red, it was shut" in said
    assert "anchors, pressure: P01: lost" in said
    (told,) = gauge("monitor", "status", "--json").objects()
    assert (told["gate_light"], told["gate"]["passed"], told["gate"]["renewed"]) == ("red", False, None)
    assert {(one["probe"], one["slice"]) for one in told["gate"]["worse"]} == {("anchors", "all"), ("anchors", "pressure")}
    assert gauge("gate", "--baseline", baseline, "--no-photos", "--update", "P01 is out of date").code == 0
    said = gauge("monitor", "status").out
    assert "yellow" in said
    assert "became the new baseline: P01 is out of date" in said


def test_a_store_that_cannot_be_used_changes_no_verdict(gauge: Gauge, baseline: Path, service: Service) -> None:
    service.settings.home.mkdir(exist_ok=True)
    (service.settings.home / "gauge.sqlite").write_bytes(b"no database at all " * 400)
    answer = gauge("gate", "--baseline", baseline, "--no-photos")
    assert answer.code == 0
    assert answer.out.rstrip().endswith("The gate is open.")
    assert "the outcome is not kept for the monitor" in answer.err
