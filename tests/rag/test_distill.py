"""Few chunks a question, chosen by intent, fact density and negation; doubles dropped; each with its role."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge.articles import Hit
from rag.distill import IntentWeights, distil, fact_density, intent_scores, negation_share, overlap
from rag.evidence import EvidenceOptions
from rag.queries import Query
from tests.rag.builders import make_chunk

OPTIONS = EvidenceOptions()
UNIT = Query(
    name="unit_declaration", text="unit declaration of T-1", language="en", instrument=1, field="unit", semantic_type="unit"
)


def hit(id: str, text: str, score: float = 0.6, **changes: Any) -> Hit:
    """A hit that the word index found as well as its score says."""
    routes = {name: changes.pop(name) for name in ("lexical", "structured") if name in changes}
    return Hit(chunk=make_chunk(id, text, **changes), score=score, **{"lexical": score, **routes})


def test_the_rule_has_the_source_documents_bounds() -> None:
    weights = (OPTIONS.intent_weight, OPTIONS.density_weight, OPTIONS.clarity_weight)
    assert weights == (0.5, 0.3, 0.2)
    assert (OPTIONS.min_intent, OPTIONS.min_density) == (0.5, 0.3)
    assert (OPTIONS.kept, OPTIONS.most_kept) == (2, 3)
    assert (OPTIONS.negation_first, OPTIONS.negation_second) == (0.4, 0.1)


def test_at_most_two_chunks_a_question() -> None:
    hits = [hit(f"c{n}", f"The unit of quantity {n} is {word}.", 0.9) for n, word in enumerate(["MPa", "bar", "kPa", "psi", "V"])]
    assert len(distil(UNIT, hits, (), OPTIONS)) == 2
    assert len(distil(UNIT, hits, (), EvidenceOptions(kept=9))) == 3


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
    weak = [hit("c1", "The unit of pressure is MPa.", 0.12), hit("c2", "The unit of flow is L/min.", 0.11)]
    assert distil(UNIT, weak, (), OPTIONS) == ()


def test_hits_without_facts_are_dropped() -> None:
    assert distil(UNIT, [hit("c1", "Welcome! Thank you for buying!", 0.9)], (), OPTIONS) == ()


def test_two_chunks_of_negations_are_not_read_against_each_other() -> None:
    first = hit("c1", "The unit is not bar. Do not use psi.", 0.9)
    second = hit("c2", "The range is not 5 MPa. Never exceed 7 MPa.", 0.9)
    plain = hit("c3", "The pressure is stated in MPa.", 0.8)
    assert [one.chunk.id for one in distil(UNIT, [first, second, plain], (first.chunk,), OPTIONS)] == ["c1", "c3"]
    assert [one.chunk.id for one in distil(UNIT, [first, second], (first.chunk,), OPTIONS)] == ["c1"]


def test_the_asked_type_of_statement_comes_first() -> None:
    plain, typed = hit("c1", "The pressure is 5 MPa.", 0.6), hit("c2", "The unit of pressure is MPa.", 0.6, semantic_type="unit")
    scores = intent_scores(UNIT, (plain, typed))
    assert scores["c2"] > scores["c1"]
    assert distil(UNIT, [plain, typed], (), OPTIONS)[0].chunk.id == "c2"


def test_intent_grows_with_each_of_its_signs_and_with_the_lead() -> None:
    rival = hit("r", "x", 0.5)
    base = intent_scores(UNIT, (hit("c", "x", 0.5, lexical=0.2), rival))["c"]
    assert 0.0 < base < 1.0
    assert intent_scores(UNIT, (hit("c", "x", 0.7, lexical=0.2), rival))["c"] > base
    assert intent_scores(UNIT, (hit("c", "x", 0.5, lexical=0.9), rival))["c"] > base
    assert intent_scores(UNIT, (hit("c", "x", 0.5, lexical=0.2, structured=1.0), rival))["c"] > base
    assert intent_scores(UNIT, (hit("c", "x", 0.5, lexical=0.2), hit("r", "x", 0.9)))["c"] < base
    assert intent_scores(UNIT, (hit("c", "x", 0.5, lexical=0.2),))["c"] > base
    flat = IntentWeights(score=0, lexical=0, structured=0, typed=0, lead=0, offset=0)
    assert intent_scores(UNIT, (rival,), flat) == {"r": 0.5}
    assert intent_scores(UNIT, ()) == {}


def test_roles() -> None:
    procedure = hit("p", "1. Press the button.\n2. Close valve V1.", 0.9, semantic_type="procedure")
    forbids = hit("n", "Do not use bar. Never use psi.", 0.9)
    unit = hit("c1", "The unit of pressure is MPa.", 0.9, semantic_type="unit")
    other = hit("c2", "The pressure is stated in MPa everywhere.", 0.9)
    chunks = [one.chunk for one in (unit, other, procedure, forbids)]
    kept = distil(UNIT, [unit, procedure, forbids, other], chunks, OPTIONS)
    roles = {one.chunk.id: one.role for one in kept}
    assert roles == {"c1": "PRIMARY", "c2": "SUPPORTING", "p": "CRITICAL", "n": "CRITICAL"}


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Do not open. It is red.", 0.5),
        ("", 0.0),
        ("不得打开。灯为红色。", 0.5),
        ("If it is red, stop. Otherwise go on.", 0.0),
        ("| A | B |\n|---|---|\n| x | do not use |\n| y | use |", 0.25),
    ],
)
def test_negation(text: str, share: float) -> None:
    assert negation_share(text) == share


@pytest.mark.parametrize(
    ("text", "density"),
    [
        ("The range is 5 mm. Welcome!", 0.5),
        ("", 0.0),
        ("压力的单位为 MPa。欢迎！", 0.5),
        ("| A | B |\n|---|---|\n| x | y |", 1.0),
    ],
)
def test_density(text: str, density: float) -> None:
    assert fact_density(text) == density


def test_overlap_of_words_and_characters() -> None:
    assert overlap("a b", "a b") == 1.0
    assert overlap("压力", "温度") == 0.0
    assert overlap("", "") == 1.0
