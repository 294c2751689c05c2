"""`gauge eval rag --file` over everything that can be wrong with a row: not scorable with a reason, all others scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from serve.cli import app

CONTEXT = "The rated pressure of the pump is 4 MPa. The valve opens at 6 MPa."
RIGHT, WRONG = "The rated pressure of the pump is 4 MPa.", "The rated pressure of the pump is 5 MPa."
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "empty answer": ({"answer": " "}, "empty"),
    "refusal": ({"answer": "I cannot answer this from the given passages."}, "refusal"),
    "refusal in Chinese": ({"answer": "根据现有资料无法确定。"}, "refusal"),
    "empty context": ({"contexts": []}, "nothing was retrieved"),
    "blank context": ({"contexts": ["", " "]}, "nothing was retrieved"),
    "long answer": ({"answer": "The pump runs at 4 MPa. " * 4_200}, "more than"),
    "no sentence end": ({"answer": "The rated pressure of the pump is"}, "no sentence end"),
    "mixed languages": ({"answer": "The rated pressure of the pump is 4 MPa. 阀的开启压力为六兆帕。"}, "mixes languages"),
    "empty question": ({"question": ""}, "question is empty"),
    "answer of the wrong type": ({"answer": 5}, "not a text"),
}


def row(**changes: Any) -> str:
    return json.dumps({"question": "What is the rated pressure?", "contexts": [CONTEXT], "answer": RIGHT, **changes})


def score(tmp_path: Path, lines: list[str]) -> tuple[dict[str, Any], list[dict[str, Any]], int]:
    file, out = tmp_path / "answers.jsonl", tmp_path / "scored.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["eval", "rag", "--file", str(file), "--out", str(out), "--json"])
    card = json.loads(result.stdout.splitlines()[-1])
    return card, [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()], result.exit_code


@pytest.mark.parametrize("name", BAD)
def test_one_bad_row_costs_itself_alone(tmp_path: Path, name: str) -> None:
    changes, reason = BAD[name]
    card, rows, code = score(tmp_path, [row(), row(**changes), row(answer=WRONG)])
    assert code == 0
    assert [one["faithful"]["state"] for one in rows] == ["supported", "not_scorable", "unsupported"]
    assert reason in rows[1]["faithful"]["reason"]
    assert rows[1]["fci"] is None
    assert (card["rows"], card["scored"], card["not_scorable"]) == (3, 2, 1)
    assert card["faithful"]["value"] == 0.5
    assert sum(card["reasons"].values()) == 1


def test_a_broken_third_line_of_a_thousand(tmp_path: Path) -> None:
    lines = [row(answer=RIGHT if number % 2 else WRONG) for number in range(1000)]
    lines[2] = lines[2][:40]
    card, rows, code = score(tmp_path, lines)
    assert code == 0
    assert len(rows) == card["rows"] == 1000
    assert (card["scored"], card["not_scorable"]) == (999, 1)
    assert rows[2]["line"] == 3
    assert "not JSON" in rows[2]["faithful"]["reason"]
    assert card["faithful"]["hits"] == 500


def test_nothing_is_a_pass_by_default(tmp_path: Path) -> None:
    card, rows, code = score(tmp_path, [row(**changes) for changes, _ in BAD.values()])
    assert code == 1
    assert {one["faithful"]["state"] for one in rows} == {"not_scorable"}
    assert all(one["faithful"]["reason"] for one in rows)
    assert card["faithful"]["value"] is None
    assert card["fci"]["value"] is None
