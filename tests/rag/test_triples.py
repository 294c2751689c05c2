"""Facts as subject, relation and object: known statements, tables, sentences, orders; no number and no "not" is lost."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.statements import statement_sentences
from rag.trim import NEGATING
from rag.triples import Triple, fact_text, find_triples, sentence_triples
from tests.rag.corpus_texts import corpus_chunks


@pytest.mark.parametrize(
    ("sentence", "triple"),
    [
        ("The unit of pressure is MPa.", Triple("pressure", "unit", "MPa")),
        ("压力的单位为 MPa。", Triple("压力", "unit", "MPa")),
        ("The measuring range is 0 to 120 MPa.", Triple("scale", "measuring range", "0 to 120 MPa")),
        ("The accuracy class is 1.6.", Triple("error", "permitted", "1.6 % of the span")),
        (
            "The pointer angle is counted from 6 o'clock, clockwise, in degrees.",
            Triple("pointer angle", "counted from", "6 o'clock, clockwise"),
        ),
        ("The electronics need 24 V direct current.", None),
        ("The case is black.", Triple("The case", "is", "black")),
        ("Its front carries a dial with one pointer.", Triple("Its front", "carries", "a dial with one pointer")),
        ("Do not start the unit again.", Triple("", "Do not start", "the unit again")),
        ("1. Close the supply valve V1.", Triple("", "Close", "the supply valve V1")),
        ("Press the emergency stop button.", Triple("", "Press", "the emergency stop button")),
        ("If the lamp is red, stop the pump.", Triple("", "stop", "the pump", "If the lamp is red")),
        (
            "The unit may be started again only if the lamp is green.",
            Triple("The unit", "may be", "started again", "only if the lamp is green"),
        ),
        ("Turn the dial only when the lamp is green.", Triple("", "Turn", "the dial", "only when the lamp is green")),
        ("触点不得涂油脂。", Triple("触点", "不得", "涂油脂")),
        ("断开驱动装置的总开关。", Triple("", "断开", "驱动装置的总开关")),
        ("若灯为红色，停止水泵。", Triple("", "停止", "水泵", "若灯为红色")),
        ("Welcome!", None),
        ("", None),
    ],
)
def test_a_sentence(sentence: str, triple: Triple | None) -> None:
    found = sentence_triples(sentence)
    assert found == (() if triple is None and not found else (triple,)) or triple is None


def test_rows_of_a_table_speak_of_their_first_cell() -> None:
    text = "| Lamp | Meaning | Action |\n|---|---|---|\n| Red | Over-pressure | Do not restart. |\n| Green | Normal | |"
    assert find_triples(text) == (
        Triple("Lamp Red", "Meaning", "Over-pressure"),
        Triple("Lamp Red", "Action", "Do not restart."),
        Triple("Lamp Green", "Meaning", "Normal"),
    )
    assert [triple.negated for triple in find_triples(text)] == [False, True, False]


def test_prose_around_a_table_keeps_its_order() -> None:
    text = "The case is black.\n\n| A | B |\n|---|---|\n| x | y |\n\nThe front is glass."
    assert [triple.object for triple in find_triples(text)] == ["black", "y", "glass"]


def test_a_statement_with_a_limit_of_its_own_is_kept_whole() -> None:
    (triple,) = sentence_triples("The measuring range is not 0 to 120 MPa.")
    assert triple.negated
    assert "0 to 120 MPa" in triple.object


def _numbers(text: str) -> list[str]:
    return [f"{float(number):g}" for number in re.findall(r"(?<![A-Za-z])\d+(?:\.\d+)?", text)]


def test_no_negation_of_any_manual_is_lost() -> None:
    seen = 0
    for chunk in corpus_chunks():
        for sentence in statement_sentences(chunk.verbatim):
            triples = sentence_triples(sentence)
            if not triples or "|" in sentence or not NEGATING.search(sentence):
                continue
            seen += 1
            assert any(triple.negated for triple in triples), (sentence, triples)
    assert seen > 100


def test_no_triple_holds_a_number_that_its_sentence_does_not() -> None:
    for chunk in corpus_chunks():
        for sentence in statement_sentences(chunk.verbatim):
            if "|" in sentence:
                continue
            known = _numbers(sentence)
            for triple in sentence_triples(sentence):
                if triple.relation in ("counted from", "unit"):  # hours and units may be written in words
                    continue
                assert all(number in known for number in _numbers(triple.text())), (sentence, triple)


def test_most_sentences_of_the_manuals_are_taken_apart() -> None:
    sentences = [s for chunk in corpus_chunks() for s in statement_sentences(chunk.verbatim) if "|" not in s and len(s) > 3]
    taken = sum(bool(sentence_triples(sentence)) for sentence in sentences)
    assert taken / len(sentences) > 0.75


def test_no_word_is_lost_but_in_known_statements() -> None:
    known = {"unit", "formula", "counted from", "formula valid for", "measuring range", "permitted"}
    for chunk in corpus_chunks():
        for sentence in statement_sentences(chunk.verbatim):
            for triple in sentence_triples(sentence):
                if triple.relation in known or "|" in sentence or re.search("[;；]", sentence):
                    continue
                lost = Counter(_letters(sentence)) - Counter(_letters(triple.text()))
                assert not lost or lost.keys() <= set("then则1234567890"), (sentence, triple)


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w", text))


def test_facts_keep_every_limit_of_every_manual() -> None:
    for chunk in corpus_chunks():
        assert bool(NEGATING.search(chunk.verbatim)) == bool(NEGATING.search(fact_text(chunk.verbatim)))


def test_what_no_rule_takes_apart_stays_as_it_is() -> None:
    assert fact_text("Welcome on board!\nThe case is black.") == "Welcome on board!\nThe case | is | black"


@given(st.text(max_size=200))
def test_any_text_is_survived(text: str) -> None:
    find_triples(text)
    fact_text(text)


def test_nothing_heavy_is_loaded() -> None:
    code = "import sys, rag.triples, rag.distill; print([m for m in ('spacy', 'torch', 'transformers') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
