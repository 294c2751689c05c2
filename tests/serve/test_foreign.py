"""`gauge eval rag`: rows of any pipeline to a card, errors in one line."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from eval.golden import load_anchors, quick_anchors
from eval.golden_questions import anchor_rows
from tests.eval.test_endpoint import Serve, answer_json, asked, serve
from tests.serve.conftest import Gauge

__all__ = ["serve"]

CONTEXT = "The rated pressure of the pump is 4 MPa."


def rows(path: Path, *answers: str) -> Path:
    lines = [{"question": "q?", "contexts": [CONTEXT], "answer": answer, "ground_truth": CONTEXT} for answer in answers]
    path.write_text("\n".join([*map(json.dumps, lines), "{broken"]), encoding="utf-8")
    return path


def test_a_file_is_scored(gauge: Gauge, tmp_path: Path) -> None:
    file = rows(
        tmp_path / "rows.jsonl", CONTEXT, "The rated pressure of the pump is 5 MPa.", "I do not know: the documents do not say."
    )
    answer = gauge("eval", "rag", "--file", file, "--out", tmp_path / "scored.jsonl", "--json")
    assert answer.code == 0
    (card,) = answer.objects()
    assert (card["rows"], card["scored"], card["not_scorable"]) == (4, 2, 2)
    assert card["fci"]["value"] == 0.5
    written = [json.loads(line) for line in (tmp_path / "scored.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["line"] for row in written] == [1, 2, 3, 4]
    assert [row["faithful"]["state"] for row in written] == ["supported", "unsupported", "not_scorable", "not_scorable"]
    assert [row["fci"] for row in written] == [1.0, 0.0, None, None]


def test_the_short_name_is_the_same_command(gauge: Gauge, tmp_path: Path) -> None:
    file = rows(tmp_path / "rows.jsonl", CONTEXT)
    answer = gauge("eval-rag", "--file", file)
    assert answer.code == 0
    assert "2 rows: 1 scored, 1 not scorable" in answer.out


def test_limit(gauge: Gauge, tmp_path: Path) -> None:
    (card,) = gauge("eval", "rag", "--file", rows(tmp_path / "r", CONTEXT, CONTEXT), "--limit", "1", "--json").objects()
    assert card["rows"] == 1


def test_nothing_scored_is_a_failure(gauge: Gauge, tmp_path: Path) -> None:
    answer = gauge("eval", "rag", "--file", rows(tmp_path / "rows.jsonl", "", ""))
    assert answer.code == 1
    assert "no row could be scored" in answer.err
    assert "2 x the answer is empty" in answer.out


def test_wrong_use_is_one_line(gauge: Gauge, tmp_path: Path) -> None:
    assert gauge("eval", "rag").code == 2
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n\n", encoding="utf-8")
    missing = gauge("eval", "rag", "--file", tmp_path / "none.jsonl")
    for answer, said in (
        (missing, "none.jsonl cannot be read"),
        (gauge("eval", "rag", "--file", empty), "holds no rows"),
        (gauge("eval", "rag", "--file", rows(tmp_path / "r", CONTEXT), "--endpoint", "file:///etc/passwd"), "no http(s) URL"),
        (gauge("eval", "rag", "--file", rows(tmp_path / "r", CONTEXT), "--out", tmp_path), "Is a directory"),
    ):
        assert answer.code == 1
        assert said in answer.err
        assert "Traceback" not in answer.err
        assert len([line for line in answer.err.splitlines() if line.startswith("gauge:")]) == 1


def test_an_endpoint_is_asked_the_anchors_questions_where_none_are_named(gauge: Gauge, serve: Serve) -> None:
    questions: list[str] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        questions.append(asked(handler)["query"])
        answer_json(handler, {"answer": CONTEXT, "retrieved_chunks": [CONTEXT]})

    url = serve(answer)
    (card,) = gauge("eval", "rag", "--endpoint", url, "--limit", "10", "--json").objects()
    assert (card["rows"], card["scored"], card["fci"]["value"]) == (10, 10, 1.0)
    assert set(questions) == {anchor.question for anchor in quick_anchors(load_anchors())}
    assert card["correct"]["n"] == 0, "patterns of this product's wording are no ground truth for another one"
    gone = gauge("eval", "rag", "--endpoint", "http://127.0.0.1:9/answer", "--limit", "2")
    assert gone.code == 1
    assert "http://127.0.0.1:9/answer: no row could be scored" in gone.err


def test_every_anchor_is_asked_once_and_the_quick_ones_first() -> None:
    anchors = load_anchors()
    rows_of = list(anchor_rows(anchors))
    questions = [row.case.question for row in rows_of if row.case is not None]
    assert questions[:10] == [anchor.question for anchor in quick_anchors(anchors)]
    assert sorted(questions) == sorted({anchor.question for anchor in anchors})
    assert [row.line for row in rows_of] == list(range(1, len(rows_of) + 1))
