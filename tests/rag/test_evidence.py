"""Few chunks a question, doubles dropped, cut at sentences only, each in its place with its tag."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge.articles import Hit
from rag.evidence import (
    EvidenceOptions,
    Piece,
    arrange,
    distil,
    estimate_tokens,
    fact_density,
    intent_score,
    negation_share,
    overlap,
    trim,
)
from rag.queries import Query
from tests.rag.builders import make_chunk

OPTIONS = EvidenceOptions()
UNIT = Query(
    name="unit_declaration", text="unit declaration of T-1", language="en", instrument=1, field="unit", semantic_type="unit"
)


def hit(id: str, text: str, score: float = 0.6, **changes: Any) -> Hit:
    return Hit(chunk=make_chunk(id, text, **changes), score=score)


def piece(id: str, role: Any = "PRIMARY", score: float = 0.5, text: str = "The unit is MPa.", query: str = "q") -> Piece:
    chunk = make_chunk(id, text)
    return Piece(chunk=chunk, score=score, role=role, query=query, sent=text)


def test_at_most_two_chunks_a_question() -> None:
    hits = [
        hit(f"c{n}", f"The unit of quantity {n} is {word}.", 0.9) for n, word in enumerate(["MPa", "bar", "kPa", "psi", "V", "A"])
    ]
    assert len(distil(UNIT, hits, (), OPTIONS)) == 2


def test_required_chunks_stay_even_where_the_search_missed_them() -> None:
    required = make_chunk("needed", "No digits here, nothing to match")
    kept = distil(UNIT, [hit("c1", "The unit of pressure is MPa.", 0.9)], (required,), OPTIONS)
    assert [one.chunk.id for one in kept] == ["needed", "c1"]
    assert kept[0].score == OPTIONS.lookup_score


def test_a_required_chunk_keeps_its_found_score() -> None:
    found = hit("c1", "The unit of pressure is MPa.", 0.9)
    assert distil(UNIT, [found], (found.chunk,), OPTIONS)[0].score == 0.9


def test_near_doubles_are_dropped() -> None:
    text = "The unit of pressure is MPa on the dial and in this manual, in the record and on the plate of the gauge."
    kept = distil(UNIT, [hit("c1", text, 0.9), hit("c2", text.replace("gauge", "dial"), 0.9)], (), OPTIONS)
    assert [one.chunk.id for one in kept] == ["c1"]


def test_weak_hits_are_dropped() -> None:
    assert distil(UNIT, [hit("c1", "The unit of pressure is MPa.", 0.2)], (), OPTIONS) == ()


def test_hits_without_facts_are_dropped() -> None:
    assert distil(UNIT, [hit("c1", "Welcome! Thank you for buying!", 0.9)], (), OPTIONS) == ()


def test_two_chunks_of_negations_are_not_read_against_each_other() -> None:
    first = hit("c1", "The unit is not bar. Do not use psi.", 0.9)
    second = hit("c2", "The range is not 5 MPa. Never exceed 7 MPa.", 0.9)
    plain = hit("c3", "The pressure is stated in MPa.", 0.7)
    kept = distil(UNIT, [first, second, plain], (first.chunk,), OPTIONS)
    assert [one.chunk.id for one in kept] == ["c1", "c3"]


def test_the_asked_type_of_statement_comes_first() -> None:
    plain, typed = hit("c1", "The pressure is 5 MPa.", 0.6), hit("c2", "The unit of pressure is MPa.", 0.6, semantic_type="unit")
    assert intent_score(UNIT, typed) > intent_score(UNIT, plain)
    assert distil(UNIT, [plain, typed], (), OPTIONS)[0].chunk.id == "c2"


def test_roles() -> None:
    procedure = hit("p", "1. Press the button.\n2. Close valve V1.", 0.9, semantic_type="procedure")
    kept = distil(UNIT, [hit("c1", "The unit of pressure is MPa.", 0.9, semantic_type="unit"), procedure], (), OPTIONS)
    assert {one.chunk.id: one.role for one in kept} == {"c1": "PRIMARY", "p": "CRITICAL"}


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


LONG = (
    "The gauge is mounted on a panel. It has a black case with a glass front. "
    "Do not open the case under pressure. The unit of pressure is MPa. The glass is cleaned with a damp cloth."
)


def test_trimming_cuts_at_sentences_and_keeps_quotes_and_limits() -> None:
    short = trim(LONG, ["The unit of pressure is MPa."], 20)
    assert "The unit of pressure is MPa." in short
    assert "Do not open the case under pressure." in short
    assert "damp cloth" not in short
    assert all(part in LONG for part in short.splitlines())


def test_trimming_keeps_the_row_in_use() -> None:
    table = "| Lamp | Meaning |\n|---|---|\n" + "\n".join(f"| Colour{n} | Meaning of the colour number {n} |" for n in range(30))
    assert "Colour17" in trim(table, ["| Colour17 | Meaning of the colour number 17 |"], 60)


def test_a_short_text_is_not_touched() -> None:
    assert trim("a\n\nb", (), 10) == "a\n\nb"


@pytest.mark.parametrize(
    ("text", "least"), [("压力的单位为兆帕", 8), ("one two three", 3), ("12345", 5), ("😀😀", 4), ("", 0), ("extraordinarily", 3)]
)
def test_token_estimate_is_on_the_safe_side(text: str, least: int) -> None:
    assert estimate_tokens(text) >= least


def test_shares() -> None:
    assert negation_share("Do not open. It is red.") == 0.5
    assert negation_share("") == 0.0
    assert fact_density("It is 5. Welcome!") == 0.5
    assert overlap("a b", "a b") == 1.0
    assert overlap("压力", "温度") == 0.0


def test_evidence_leaves_with_the_whole_text() -> None:
    found = piece("a", text="The unit is MPa. And more.")
    assert found.evidence().text == "The unit is MPa. And more."
    assert found.evidence().document == "t-1-en"
