"""`gauge kb weigh` and `gauge kb tune-embedder` from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from knowledge.search import KnowledgeBase
from knowledge.tune import PairScores, Tuning
from knowledge.tuning_pairs import Pair
from knowledge.usage import UsageLog
from serve import library
from serve.cli import app
from serve.commands import kb_health, kb_tuning, kb_weights
from tests.serve.doubles import HashEmbedder

Kb = Callable[..., Result]
SCORES = PairScores(n=9, cosine=0.5, other_cosine=0.1, hit1=0.6, mrr=0.7)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def kb(monkeypatch: pytest.MonkeyPatch, home: Path) -> Kb:
    """Runs `gauge kb ARGS...` with a home of its own and a light embedder."""
    monkeypatch.setenv("GAUGE_HOME", str(home))
    for module in (library, kb_health, kb_weights, kb_tuning):
        monkeypatch.setattr(module, "open_manuals", lambda: KnowledgeBase.open(home, embedder=HashEmbedder()))

    def run(*args: str) -> Result:
        return CliRunner().invoke(app, ["kb", *args])

    return run


def first(kb: Kb, *more: str) -> str:
    """Document of the first hit for a question that a forum note answers in its own way."""
    found = kb("search", "factor of the drums from the old board", "--model", "EM-3", "-k", "1", "--json", *more)
    return str(json.loads(found.stdout.splitlines()[0])["chunk"]["document"])


def test_a_weight_is_decided_listed_applied_and_taken_back(kb: Kb) -> None:
    before = first(kb)
    assert kb("weigh").stdout == "Nothing was decided.\n"
    decided = kb("weigh", before, "0", "--note", "hearsay")
    assert decided.exit_code == 0
    assert f"{before}: weight of its authority -> 0 (history): hearsay" in decided.stdout
    assert first(kb) != before
    assert first(kb, "--archived") == before
    health = json.loads(kb("audit", "health", "--json").stdout)
    (row,) = (one for one in health["documents"] if one["document"] == before)
    assert (row["weight"], row["answers"]) == (0.0, False)
    assert "taken back: hearsay" in kb("weigh", before, "--undo").stdout
    assert first(kb) == before
    listed = json.loads(kb("weigh", "--json").stdout)
    assert [(one["document"], one["before"], one["weight"]) for one in listed] == [(before, None, 0.0), (before, 0.0, None)]


def test_what_the_audit_proposes_is_decided_for_one_or_for_all(kb: Kb, home: Path) -> None:
    log = UsageLog(home)
    for _ in range(20):
        log.record_search("noise", ["forum-em-3-en:1:beef", "em-3-en:1:beef"])
    log.record_use(["em-3-en:1:beef"])
    one = json.loads(kb("weigh", "forum-em-3-en", "--proposed", "--json").stdout)
    assert [(made["document"], made["weight"]) for made in one] == [("forum-em-3-en", 0.1)]
    assert one[0]["reason"] == "lower weight: found 20 times and never cited"
    rest = json.loads(kb("weigh", "--proposed", "--json").stdout)
    assert {made["weight"] for made in rest} == {0.0}
    assert "em-3-en" not in {made["document"] for made in rest}
    assert json.loads(kb("weigh", "--proposed", "--json").stdout) == []


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("nobody", "0.5"), 1, "no document 'nobody'"),
        (("em-3-en", "2"), 2, "less than or equal to 1"),
        (("em-3-en",), 2, "give a weight"),
        (("em-3-en", "0.5", "--undo"), 2, "one of them"),
        (("--undo",), 2, "name the document"),
        (("em-3-en", "--undo"), 1, "nothing was decided about 'em-3-en'"),
    ],
)
def test_decisions_that_make_no_sense_are_refused(kb: Kb, args: tuple[str, ...], code: int, message: str) -> None:
    result = kb("weigh", *args)
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert kb("weigh").stdout == "Nothing was decided.\n"


def test_tuning_gets_pairs_of_every_source_and_says_what_came_of_it(
    kb: Kb, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    def tuned(pairs: Sequence[Pair], out: Path, options: Any) -> Tuning:
        seen.update(pairs=pairs, options=options)
        after = SCORES.model_copy(update={"hit1": 0.8})
        counts = {"synonyms": 1}
        return Tuning(pairs=counts, held_out=9, before=SCORES, after=after, by_source={}, seconds=1.0, folder=str(out))

    monkeypatch.setattr(kb_tuning, "tune_embedder", tuned)
    assert kb("search", "zero check", "--model", "XYZ-2000").exit_code == 0
    result = kb("tune-embedder", "--out", str(tmp_path / "tuned"), "--method", "full", "--epochs", "1", "--domain", "0.5")
    assert result.exit_code == 0, result.stderr
    assert {pair.source for pair in seen["pairs"]} == {"synonyms", "manuals", "log"}
    assert any(pair.first == "zero check" for pair in seen["pairs"] if pair.source == "log")
    assert (seen["options"].method, seen["options"].epochs, seen["options"].domain) == ("full", 1, 0.5)
    assert "hit@1 0.600 -> 0.800" in result.stdout
    assert f"GAUGE_EMBEDDER={tmp_path / 'tuned'}" in result.stdout


def test_a_taken_folder_is_refused_before_anything_is_trained(kb: Kb, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("x", encoding="utf-8")
    result = kb("tune-embedder", "--out", str(tmp_path / "taken"))
    assert result.exit_code == 1
    assert "not empty" in result.stderr
    assert (tmp_path / "taken" / "file").read_text(encoding="utf-8") == "x"


@pytest.mark.slow
def test_a_tuned_embedder_is_saved_and_the_next_search_is_made_with_it(
    kb: Kb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kb_tuning, "heading_pairs", lambda chunks: [])
    out = tmp_path / "tuned"
    result = json.loads(kb("tune-embedder", "--out", str(out), "--epochs", "1", "--layers", "1", "--json").stdout)
    assert result["after"]["mrr"] > result["before"]["mrr"]
    assert {"model.safetensors", "tuning.json"} <= {path.name for path in out.iterdir()}
