"""Rows of other pipelines: known names, hostile lines, three states, and what two scores say together."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval import foreign_scores
from eval.foreign_rows import ForeignCase, Row, parse_answer, parse_case, read_rows
from eval.foreign_scores import Tally, score_case, score_row, score_rows
from eval.foreign_tables import foreign_markdown
from eval.score import EvalError

CONTEXT = "The rated pressure of the pump is 4 MPa. The valve opens at 6 MPa."
FAITHFUL = "The rated pressure of the pump is 4 MPa."
LYING = "The rated pressure of the pump is 5 MPa."


def line(**changes: Any) -> dict[str, Any]:
    return {"question": "What is the rated pressure?", "contexts": [CONTEXT], "answer": FAITHFUL, **changes}


def write(path: Path, *rows: Any) -> Path:
    texts = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def case(answer: str = FAITHFUL, truth: str | None = None, contexts: tuple[str, ...] = (CONTEXT,)) -> ForeignCase:
    return ForeignCase(question="What is the rated pressure?", contexts=contexts, answer=answer, ground_truth=truth)


@pytest.mark.parametrize(
    "row",
    [
        {"question": "q", "contexts": ["c"], "answer": "a", "ground_truth": "t"},
        {"question": "q", "contexts": ["c"], "answer": "a", "ground_truths": ["t", "other"]},
        {"user_input": "q", "retrieved_contexts": ["c"], "response": "a", "reference": "t"},
        {"query": "q", "retrieved_chunks": [{"text": "c", "id": 3}], "answer": "a", "expected": "t"},
        {"input": "q", "retrieval_context": ["c"], "actual_output": "a", "expected_output": "t"},
        {"question": "q", "context": "c", "answer": "a", "ground_truth": "t", "more": {"ignored": 1}},
    ],
)
def test_the_names_of_known_tools(row: dict[str, Any]) -> None:
    assert parse_case(row) == ForeignCase(question="q", contexts=("c",), answer="a", ground_truth="t")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([], "not a list"),
        (None, "not null"),
        (3, "not a number"),
        ({}, "no question"),
        ({"question": "q", "contexts": []}, "no answer"),
        ({"question": "q", "answer": "a"}, "no contexts"),
        ({"question": 3, "contexts": [], "answer": "a"}, "question is a number"),
        ({"question": "q", "contexts": {"a": 1}, "answer": "a"}, "contexts is an object"),
        ({"question": "q", "contexts": [["nested"]], "answer": "a"}, "holds a list"),
        ({"question": "q", "contexts": [{"score": 1}], "answer": "a"}, "holds an object"),
        ({"question": "q", "contexts": ["c"] * 1001, "answer": "a"}, "more than 1000"),
        ({"question": "q", "contexts": ["c"], "answer": ["a"]}, "answer is a list"),
        ({"question": "q", "contexts": ["c"], "answer": True}, "answer is true or false"),
    ],
)
def test_what_is_no_row_is_said(row: Any, said: str) -> None:
    with pytest.raises(EvalError, match=said):
        parse_case(row)


def test_a_question_alone_does_where_the_answer_is_still_to_come() -> None:
    assert parse_case({"question": "q"}, answered=False) == ForeignCase(question="q", contexts=(), answer="")


def test_half_a_surrogate_pair_can_be_written_again() -> None:
    parsed = parse_case(json.loads('{"question": "a\\ud800b", "contexts": ["\\udfff"], "answer": "x"}'))
    parsed.model_dump_json().encode("utf-8")


def test_an_endpoints_answer() -> None:
    assert parse_answer({"answer": "a", "retrieved_chunks": [{"content": "c"}, "d"]}) == ("a", ("c", "d"))
    with pytest.raises(EvalError, match="no retrieved_chunks; it has answer"):
        parse_answer({"answer": "a"})
    with pytest.raises(EvalError, match="not an object"):
        parse_answer(["a"])


def test_a_broken_line_of_a_thousand_costs_itself_alone(tmp_path: Path) -> None:
    rows: list[Any] = [line() for _ in range(1000)]
    rows[2] = '{"question": "broken'
    scored = list(score_rows(read_rows(write(tmp_path / "rows.jsonl", *rows))))
    assert [row.line for row in scored] == list(range(1, 1001))
    assert [row.line for row in scored if row.faithful.state != "supported"] == [3]
    assert "not JSON" in scored[2].faithful.reason
    assert math.isnan(scored[2].fci)


def test_lines_that_no_parser_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval.foreign_rows.MAX_LINE_BYTES", 4000)
    path = tmp_path / "rows.jsonl"
    good = json.dumps(line()).encode()
    bad = [b"\xff\xfe\x00", b"[" * 3000, b"", b"   ", b'"' + b"x" * 90_000 + b'"', b"NaN", b"{}"]
    path.write_bytes(b"\xef\xbb\xbf" + b"\n".join([good, *bad, good]))
    rows = list(read_rows(path))
    assert [row.line for row in rows] == [1, 2, 3, 6, 7, 8, 9]
    assert [row.case is not None for row in rows] == [True, False, False, False, False, False, True]
    faults = [row.fault for row in rows]
    assert faults[1] == "the line is not UTF-8"
    assert faults[3] == "the line is longer than 4000 bytes"
    assert all(fault is None or len(fault) < 200 for fault in faults)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(EvalError, match="cannot be read"):
        list(read_rows(tmp_path / "none.jsonl"))
    with pytest.raises(EvalError, match="cannot be read"):
        list(read_rows(tmp_path))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_rows(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "rows.jsonl"
    path.write_bytes(data)
    for row in read_rows(path):
        assert (row.case is None) != (row.fault is None)


@pytest.mark.parametrize(
    ("answer", "contexts", "said"),
    [
        ("", (CONTEXT,), "empty"),
        ("  \n", (CONTEXT,), "empty"),
        (FAITHFUL, (), "context is empty"),
        (FAITHFUL, ("", " "), "context is empty"),
        ("I cannot answer this question.", (CONTEXT,), "refusal"),
        ("无法回答。", (CONTEXT,), "refusal"),
        ("The pump is rated at", (CONTEXT,), "no sentence end"),
        ("The pump runs at 4 MPa. " * 4200, (CONTEXT,), "more than 50000"),
        ("The pump is rated at four. 泵的额定压力为四兆帕。", (CONTEXT,), "mixes languages"),
    ],
)
def test_what_cannot_be_judged_is_not_scorable(answer: str, contexts: tuple[str, ...], said: str) -> None:
    row = score_case(1, case(answer, contexts=contexts))
    assert row.faithful.state == "not_scorable"
    assert said in row.faithful.reason
    assert math.isnan(row.fci)
    assert row.fci_n == 0


@pytest.mark.parametrize(
    ("answer", "context", "said"),
    [
        (FAITHFUL, CONTEXT * 4000, "characters, more than 200000"),
        (f"{FAITHFUL} " * 1200, CONTEXT * 140, "characters against .* of the context take too long"),
    ],
)
def test_a_row_that_would_hold_up_all_others_is_not_scorable(answer: str, context: str, said: str) -> None:
    row = score_case(1, case(answer, contexts=(context,)))
    assert row.faithful.state == "not_scorable"
    assert re.search(said, row.faithful.reason)


def test_faithful_and_correct_are_told_apart() -> None:
    states = {
        (answer, truth): (row.faithful.state, row.correct.state)
        for answer in (FAITHFUL, LYING)
        for truth in (FAITHFUL, LYING)
        for row in [score_case(1, case(answer, truth))]
    }
    assert states == {
        (FAITHFUL, FAITHFUL): ("supported", "supported"),
        (FAITHFUL, LYING): ("supported", "unsupported"),
        (LYING, LYING): ("unsupported", "supported"),
        (LYING, FAITHFUL): ("unsupported", "unsupported"),
    }


def test_a_lie_is_named_with_its_reason() -> None:
    row = score_case(1, case(f"{FAITHFUL} {LYING}"))
    assert row.fci == pytest.approx(0.5)
    (named,) = row.unsupported
    assert "5 MPa" in named


def test_a_judge_that_fails_costs_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    real = foreign_scores.score_answer

    def fragile(answer: str, sources: Any) -> Any:
        if "boom" in answer:
            raise RecursionError
        return real(answer, sources)

    monkeypatch.setattr(foreign_scores, "score_answer", fragile)
    first, second = score_row(Row(1, case("It goes boom."), None)), score_row(Row(2, case(), None))
    assert first.faithful.reason == "it could not be judged: RecursionError"
    assert second.faithful.state == "supported"


def test_a_card_counts_every_row_once() -> None:
    tally = Tally()
    cases = [case(truth=FAITHFUL), case(truth=LYING), case(LYING, LYING), case(LYING, FAITHFUL), case(""), case()]
    for number, one in enumerate(cases, 1):
        tally.add(score_case(number, one))
    card = tally.card()
    assert (card.rows, card.scored, card.not_scorable) == (6, 5, 1)
    assert (card.both, card.faithful_only, card.correct_only, card.neither) == (1, 1, 1, 1)
    assert card.faithful.hits == 3
    assert card.correct.n == 4
    assert card.fci.n == 5
    assert card.fci.not_scorable == 1
    assert card.fci.value == pytest.approx(3 / 5)
    assert card.fci.stderr > 0
    assert card.reasons == {"the answer is empty": 1}


def test_an_empty_card_claims_nothing() -> None:
    card = Tally().card()
    assert card.faithful.n == 0
    assert math.isnan(card.faithful.value)
    assert "0 rows" in foreign_markdown(card)


def test_the_card_for_people_has_n_and_error() -> None:
    tally = Tally()
    for answer in (FAITHFUL, LYING, ""):
        tally.add(score_case(1, case(answer, FAITHFUL)))
    text = foreign_markdown(tally.card())
    assert "3 rows: 2 scored, 1 not scorable" in text
    assert "0.5 ± 0.500 | 2 | 1 |" in text
    assert "- 1 x the answer is empty" in text
    assert "| not faithful | 0 | 1 |" in text
