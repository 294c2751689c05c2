"""The gate of the probes: what is no answer, no context, no question."""

from __future__ import annotations

import math

import pytest

from eval.scorable import (
    MAX_ANSWER_CHARS,
    MAX_CONTEXT_CHARS,
    MAX_PASSAGE_CHARS,
    answer_fault,
    context_fault,
    length_fault,
    question_fault,
)
from eval.score import graded


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("...", "empty"),
        ("。！", "empty"),
        ("The pressure is 5 MPa. " * 5000, "characters"),
        ("the pressure is 5 MPa and the unit of", "sentence end"),
        ("压力为五兆帕而单位", "sentence end"),
        ("I cannot answer this question. The documents do not mention the pressure.", "refusal"),
        ("资料未说明。", "refusal"),
        ("The pressure of the gauge is 5 MPa. 压力表的读数为五兆帕。", "mixes"),
    ],
)
def test_what_cannot_be_scored_says_why(answer: str, word: str) -> None:
    fault = answer_fault(answer)
    assert fault is not None
    assert word in fault


@pytest.mark.parametrize(
    "answer",
    [
        "The pressure is 5 MPa.",
        "The pressure is 5.5 MPa.",
        "压力为 5 MPa。",
        "XYZ-2000 的测量范围为 0 至 120 MPa，见 section 2.1。按下 emergency stop 按钮。",
        "Close the valve.\nOpen the vent.",
        "- Close valve V1\n- Open valve V2",
        "The manual calls it 压力表. Its range is 0 to 25 bar.",
        "The range is 0 to 25 bar. The documents do not state the accuracy.",
        'He said "close it."',
        "Close the valve.[1]",
    ],
)
def test_what_can_be_scored_has_no_fault(answer: str) -> None:
    assert answer_fault(answer) is None


def test_a_long_answer_is_refused_before_it_is_parsed() -> None:
    assert "characters" in (answer_fault("a" * (MAX_ANSWER_CHARS + 1)) or "")
    assert answer_fault("The lamp is red. " * (MAX_ANSWER_CHARS // 100)) is None


def test_contexts_and_questions() -> None:
    assert "empty" in (context_fault([]) or "")
    assert "empty" in (context_fault(["", " \n"]) or "")
    assert context_fault(["", "The range is 0 to 25 bar."]) is None
    assert "characters" in (context_fault(["a" * (MAX_CONTEXT_CHARS + 1)]) or "")
    assert "empty" in (question_fault("  ?") or "")
    assert "characters" in (question_fault("a" * (MAX_ANSWER_CHARS + 1)) or "")
    assert question_fault("红灯含义？") is None


def test_a_graded_score_passes_from_its_bound_on_and_knows_nothing_of_nan() -> None:
    assert graded(0.5, 0.5, "half").state == "supported"
    assert graded(0.49, 0.5, "less").state == "unsupported"
    nothing = graded(math.nan, 0.5, "no facts")
    assert (nothing.state, nothing.reason) == ("not_scorable", "no facts")
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        graded(1.5, 0.5, "more than all")


def test_a_passage_that_nobody_cut_is_named() -> None:
    assert length_fault([]) is None
    assert length_fault(["a" * MAX_PASSAGE_CHARS] * 3) is None
    assert "passage 2 has 10001" in (length_fault(["a", "a" * (MAX_PASSAGE_CHARS + 1)]) or "")
