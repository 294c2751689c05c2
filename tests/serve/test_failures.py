"""`gauge failures`: reports in, cases out, labels in between."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from eval.failures import FORMAT
from serve.cli import app
from tests.serve.conftest import Gauge


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def write(path: Path, **changes: object) -> Path:
    body = {"format": FORMAT, "request_id": "r-1", "complaint": "unsupported", "expected": ["4 MPa"], **changes}
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


def test_add_list_show_label(gauge: Gauge, tmp_path: Path) -> None:
    added = gauge("failures", "add", write(tmp_path / "a.json"))
    assert added.out == "Case 1, unsupported, about request r-1\n"
    gauge("failures", "add", write(tmp_path / "b.json", complaint="misread"))
    labelled = gauge("failures", "label", "1", "--cause", "bad_cut=yes", "--cause", "wrong_metric=no")
    assert "cause bad_cut: yes" in labelled.out
    listed = gauge("failures", "list").out.splitlines()
    assert listed[0].startswith("2  ")
    assert listed[1].endswith("unsupported  r-1  bad_cut")
    assert listed[2].startswith("2 cases; causes: retrieval_off_focus 0, bad_cut 1")
    (one,) = gauge("failures", "list", "--axis", "bad_cut", "--json").objects()
    assert one["id"] == 1
    (shown,) = gauge("failures", "show", "1", "--json").objects()
    assert shown["report"]["causes"]["wrong_metric"] == "no"
    assert "expected: 4 MPa" in gauge("failures", "show", "1").out


def test_from_stdin(tmp_path: Path) -> None:
    text = write(tmp_path / "a.json").read_text(encoding="utf-8")
    result = CliRunner().invoke(app, ["failures", "add", "-", "--json"], input=text)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["id"] == 1


def test_a_terminal_is_not_steered(gauge: Gauge, tmp_path: Path) -> None:
    gauge("failures", "add", write(tmp_path / "a.json", note="\x1b[2J\x07gone"))
    shown = gauge("failures", "show", "1").out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[2J" in shown


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("add", "none.json"), "none.json: No such file"),
        (("show", "3"), "no case 3"),
        (("label", "3", "--cause", "bad_cut=yes"), "no case 3"),
        (("label", "3", "--cause", "bad_cut=maybe"), "no label 'maybe'; there are yes, no, unknown"),
        (("label", "3", "--cause", "bad_cut"), "no label ''"),
        (("list", "--axis", "other"), "no axis 'other'; there are retrieval_off_focus"),
        (("list", "--complaint", "angry"), "no complaint 'angry'"),
    ],
)
def test_wrong_use_is_one_line(gauge: Gauge, args: tuple[str, ...], said: str) -> None:
    answer = gauge("failures", *args)
    assert answer.code == 1
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1


def test_a_report_that_is_none(gauge: Gauge, tmp_path: Path) -> None:
    answer = gauge("failures", "add", write(tmp_path / "a.json", complaint="angry"))
    assert answer.code == 1
    assert "not a failure report: complaint" in answer.err
    assert gauge("failures", "label", "1").code == 2
