"""`gauge kb` from the command line: documents come in, answer, are listed, disputed and judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from knowledge.search import KnowledgeBase
from serve import library
from serve.cli import app
from serve.commands import kb_health, kb_intake
from tests.knowledge.conftest import article_text
from tests.knowledge.documents import write_pdf
from tests.serve.doubles import HashEmbedder

Kb = Callable[..., Result]


@pytest.fixture
def kb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Kb:
    """Runs `gauge kb ARGS...` with a home of its own and a light embedder."""
    home = tmp_path / "home"
    monkeypatch.setenv("GAUGE_HOME", str(home))
    for module in (library, kb_intake, kb_health):
        monkeypatch.setattr(module, "open_manuals", lambda: KnowledgeBase.open(home, embedder=HashEmbedder()))

    def run(*args: str) -> Result:
        return CliRunner().invoke(app, ["kb", *args])

    return run


def test_a_pdf_goes_in_and_answers_with_its_page(kb: Kb, tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "pt9.pdf")
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    added = kb("add", str(path), str(tmp_path / "bad.pdf"), "--lang", "en")
    assert added.exit_code == 1
    assert "added as pt9 1.0" in added.stdout
    assert f"{tmp_path / 'bad.pdf'}: refused, is no PDF that can be read" in added.stdout
    assert "1 added, 0 unchanged, 1 refused; published " in added.stdout
    hit = json.loads(kb("search", "limits of the pressure", "--model", "PT-9", "-k", "1", "--json").stdout.splitlines()[0])
    assert (hit["chunk"]["document"], hit["chunk"]["page"]) == ("pt9", 2)
    again = kb("add", str(path), "--json")
    assert again.exit_code == 0
    assert [one["document"] for one in json.loads(again.stdout)["unchanged"]] == ["pt9"]
    listed = json.loads(kb("list", "--json").stdout)
    (row,) = (one for one in listed["documents"] if one["id"] == "pt9")
    assert (row["answers"], row["answers_from"], row["freshness"]) == (True, "2024-02-01", "fresh")
    assert "pt9" in kb("list").stdout


def test_options_stand_in_for_a_side_car(kb: Kb, tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "m.pdf")
    path.with_name("m.pdf.toml").unlink()
    options = ["--model", "PT-9", "--lang", "en", "--kind", "dial", "--authority", "notice", "--status", "valid"]
    result = kb("add", str(path), *options, "--version", "3", "--effective-date", "2024-01-01", "--id", "note-9")
    assert result.exit_code == 0, result.stdout
    assert "added as note-9 3" in result.stdout
    assert kb("add", str(tmp_path), "--id", "x").exit_code == 2


def test_time_travel_finds_what_was_in_force(kb: Kb) -> None:
    args = ("search", "calibration formula", "--model", "XYZ-2000", "-k", "1", "--json")
    now, then = (json.loads(kb(*args, *more).stdout)["chunk"]["document"] for more in ((), ("--time-travel", "2022-05-01")))
    assert (now, then) == ("xyz-2000-en", "xyz-2000-r1-en")
    assert "xyz-2000" not in kb(*args, "--time-travel", "2010-01-01").stdout
    assert "no ISO 8601 moment" in kb(*args, "--time-travel", "soon").stderr


def test_conflicts_show_both_sources(kb: Kb) -> None:
    found = json.loads(kb("conflicts", "--model", "XYZ-2000", "--json").stdout)
    pairs = {(one["what"], one["first"]["document"], one["second"]["document"]): one["decision"] for one in found}
    assert pairs["formula", "xyz-2000-r1-en", "xyz-2000-en"] == "the newer one is in force"
    assert all(one["first"]["text"] and one["second"]["text"] for one in found)
    assert "disputes between documents" in kb("conflicts", "--model", "XYZ-2000").stdout


def test_chunks_are_counted_with_their_zeros(kb: Kb) -> None:
    result = kb("audit", "chunks", "--json")
    counts = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (counts["split_conditional"], counts["torn_table"], counts["dangling_reference"], counts["faults"]) == (0, 0, 0, [])
    assert counts["chunks"] > counts["documents"] > 10
    assert "0 split conditional" in kb("audit", "chunks").stdout


def test_a_fault_in_a_document_of_ones_own_is_found(kb: Kb, tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text(article_text("# T\n\n## 1 A\n\nSee section 7.\n", id="own"), encoding="utf-8")
    assert "warning: line 16: dangling reference" in kb("add", str(path)).stdout
    result = kb("audit", "chunks")
    assert result.exit_code == 1
    assert "1 dangling reference" in result.stdout


def test_health_counts_searches_and_feedback_and_draws(kb: Kb, tmp_path: Path) -> None:
    kb("search", "red lamp", "--model", "XYZ-2000")
    assert kb("feedback", "xyz-2000-en", "bad", "--note", "hard to read").stdout == "xyz-2000-en: bad noted\n"
    assert kb("feedback", "nobody", "good").exit_code == 1
    out = tmp_path / "health"
    report = json.loads(kb("audit", "health", "--out", str(out), "--json").stdout)
    (one,) = (one for one in report["documents"] if one["document"] == "xyz-2000-en")
    assert report["searches"] == 1
    assert (one["found"], one["opinion"]) == (1, 0.0)
    assert {path.name for path in out.iterdir()} >= {"health.json", "history.json", "documents.png"}
    assert "history index" in kb("audit", "health").stdout
