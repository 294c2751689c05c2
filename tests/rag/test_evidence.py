"""Evidence of an instrument: once each, trimmed, in its place with its tag, within the budget."""

from __future__ import annotations

from typing import Any

from rag.evidence import EvidenceOptions, Piece, arrange
from tests.rag.builders import make_chunk

OPTIONS = EvidenceOptions()


def piece(id: str, role: Any = "PRIMARY", score: float = 0.5, text: str = "The unit is MPa.", query: str = "q") -> Piece:
    chunk = make_chunk(id, text)
    return Piece(chunk=chunk, score=score, role=role, query=query, sent=text)


def test_places_best_first_support_in_the_middle_warnings_last() -> None:
    pieces = [piece("w", "CRITICAL", 0.9), piece("s", "SUPPORTING", 0.8), piece("a", "PRIMARY", 0.4), piece("b", "PRIMARY", 0.7)]
    assert [one.chunk.id for one in arrange(pieces, OPTIONS, {})] == ["b", "a", "s", "w"]


def test_a_chunk_of_two_questions_comes_once_in_its_better_place() -> None:
    placed = arrange([piece("a", "SUPPORTING", 0.4), piece("a", "PRIMARY", 0.3)], OPTIONS, {})
    assert [(one.role, one.score) for one in placed] == [("PRIMARY", 0.4)]
    assert arrange([piece("a", "CRITICAL", 0.4), piece("a", "PRIMARY", 0.9)], OPTIONS, {})[0].role == "CRITICAL"


def test_the_budget_drops_the_weakest_but_never_a_quoted_one() -> None:
    options = EvidenceOptions(budget_tokens=12, chunk_tokens=50)
    pieces = [piece(name, score=score) for name, score in (("a", 0.9), ("b", 0.8), ("c", 0.7), ("d", 0.1))]
    kept = {one.chunk.id for one in arrange(pieces, options, {"d": ("The unit is MPa.",)})}
    assert "d" in kept
    assert "a" in kept
    assert "c" not in kept


def test_a_long_chunk_is_trimmed_and_its_limits_stay() -> None:
    filler = " ".join(f"The pump number {n} is painted blue." for n in range(60))
    text = f"{filler} Do not open the case. The unit of pressure is MPa."
    (placed,) = arrange([piece("a", text=text)], OPTIONS, {"a": ("The unit of pressure is MPa.",)})
    assert "Do not open the case." in placed.sent
    assert "The unit of pressure is MPa." in placed.sent
    assert "number 59" not in placed.sent
    assert placed.chunk.text == text


def test_facts_are_kept_before_mere_words() -> None:
    words = "Thank you, dear reader, on behalf of all our staff! " * 20
    options = EvidenceOptions(chunk_tokens=30)
    (placed,) = arrange([piece("a", text=f"{words}The range is 0 to 120 MPa.")], options, {})
    assert "0 to 120 MPa" in placed.sent


def test_tokens_are_counted_by_whom_it_concerns() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return 1000

    kept = arrange([piece("a", score=0.9), piece("b", score=0.8)], OPTIONS, {}, count)
    assert [one.chunk.id for one in kept] == ["a"]
    assert asked


def test_evidence_leaves_with_the_whole_text() -> None:
    found = piece("a", text="The unit is MPa. And more.")
    assert found.evidence().text == "The unit is MPa. And more."
    assert found.evidence().document == "t-1-en"
