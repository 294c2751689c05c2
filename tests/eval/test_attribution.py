"""Which link failed: the order of the chain, the documents' fault order, the symptom table."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.attribution import SYMPTOMS, Signals, Thresholds, attribute, symptom_of

GOOD = {
    "located": 1, "fields": 1, "value": 1,
    "hit": 1, "kept": 1, "fci": 1, "borne_out": 1, "right": 1, "ac": 0.6, "crs": 0.9, "fcr": 0.9,
}  # fmt: skip


def verdict(**changes: float) -> tuple[str, str]:
    found = attribute(Signals.model_validate({**GOOD, **changes}))
    return found.layer, found.cause


def test_a_chain_without_a_broken_link_has_none() -> None:
    found = attribute(Signals.model_validate(GOOD))
    assert (found.layer, found.cause, found.remedy) == ("none", "none", "")


def test_nothing_measured_is_no_verdict() -> None:
    found = attribute(Signals())
    assert found.layer == "unknown"
    assert "measured" in found.reason


@pytest.mark.parametrize(
    ("changes", "layer", "cause"),
    [
        ({"located": 0}, "vision", "not_located"),
        ({"fields": 0.8}, "vision", "field_misread"),
        ({"value": 0}, "vision", "value_wrong"),
        ({"hit": 0, "kept": 0, "right": 0}, "retrieval", "answer_not_retrieved"),
        ({"kept": 0, "right": 0}, "context", "chunk_cut"),
        ({"fci": 0.5}, "generation", "prompt_loosened"),
        ({"borne_out": 0.5}, "generation", "prompt_loosened"),
        ({"fci": 0.0, "right": 0}, "generation", "writer_invented"),
        ({"right": 0, "own_fci": 0.0}, "context", "context_polluted"),
        ({"right": 0, "own_fci": 1.0, "own_borne_out": 0.0}, "context", "context_polluted"),
        ({"right": 0, "fci": math.nan, "borne_out": math.nan}, "generation", "answer_evaded"),
        ({"right": 0, "ac": 0.2}, "alignment", "attention_elsewhere"),
        ({"right": 0}, "alignment", "other_passage_used"),
        ({"right": 0, "of_wanted": 1}, "generation", "answer_altered"),
        ({"right": 0, "of_wanted": 0}, "alignment", "other_passage_used"),
        ({"right": 0, "of_wanted": 1, "own_fci": 0.0}, "context", "context_polluted"),
        ({"right": math.nan, "fcr": 0.4}, "retrieval", "low_fcr"),
        ({"right": math.nan, "crs": 0.5}, "retrieval", "low_crs"),
        ({"fcr": 0.1, "crs": 0.1}, "none", "none"),
    ],
)
def test_each_fault_has_its_layer_and_cause(changes: dict[str, float], layer: str, cause: str) -> None:
    assert verdict(**changes) == (layer, cause)


def test_what_comes_first_in_the_chain_is_named_first() -> None:
    broken = {"fields": 0.5, "hit": 0.0, "kept": 0.0, "fci": 0.0, "right": 0.0}
    layers = []
    for name in ("fields", "hit", "kept", "fci"):
        layers.append(verdict(**broken)[0])
        broken[name] = 1.0
    assert layers == ["vision", "retrieval", "context", "generation"]
    assert verdict(**broken)[0] == "alignment"


@pytest.mark.parametrize(
    ("scores", "layer"),
    [
        ({"fci": 0.41, "ac": 0.28, "fcr": 0.35, "crs": 0.82}, "generation"),
        ({"fci": 0.68, "ac": 0.32, "fcr": 0.76, "crs": 0.83}, "alignment"),
        ({"fci": 0.9, "ac": 0.5, "fcr": 0.41, "crs": 0.85}, "retrieval"),
        ({"fci": 0.93, "ac": 0.43, "fcr": 0.81, "crs": 0.84}, "none"),
        ({"fci": 0.92}, "none"),
        ({"fci": 0.59}, "generation"),
        ({"fci": 0.6, "ac": 0.34}, "alignment"),
    ],
)
def test_scores_alone_follow_the_documents_order(scores: dict[str, float], layer: str) -> None:
    """The bank's three versions and the finance case of the documents among them."""
    assert attribute(Signals.model_validate(scores)).layer == layer


def test_thresholds_are_the_domains() -> None:
    scores = Signals(fci=0.9, ac=0.38)
    assert attribute(scores).layer == "none"
    assert attribute(scores, Thresholds(ac=0.40)).layer == "alignment"


@given(st.dictionaries(st.sampled_from(sorted(Signals.model_fields)), st.floats(0, 1), max_size=15))
def test_any_signals_have_a_verdict_in_words(found: dict[str, float]) -> None:
    result = attribute(Signals.model_validate(found))
    assert (result.layer == "unknown") == (not found)
    assert result.reason
    assert "nan" not in result.reason
    assert bool(result.remedy) == (result.layer != "none")


@given(st.dictionaries(st.sampled_from(sorted(set(GOOD) - {"located", "fields", "value"})), st.floats(0, 1)))
def test_a_reader_that_was_not_measured_is_not_accused(found: dict[str, float]) -> None:
    assert attribute(Signals.model_validate(found)).layer != "vision"


@pytest.mark.parametrize(
    ("scores", "symptom"),
    [
        ({"crs": 0.9, "fcr": 0.8, "ac": 0.5, "fci": 0.1}, "fluent and false"),
        ({"crs": 0.75, "fcr": 0.2, "ac": 0.1, "fci": 0.5}, "evades the question"),
        ({"crs": 0.9, "fcr": 0.8, "ac": 0.9, "fci": 0.1}, "says what the passages lack"),
        ({"crs": 0.9, "fcr": 0.8, "ac_low": 0.05, "ac_high": 0.75, "fci": 0.5}, "half right"),
        ({"crs": 0.9, "fcr": 0.9, "ac": 0.5, "fci": 0.95}, None),
        ({"crs": 0.9, "fcr": 0.8, "fci": 0.1}, None),
    ],
)
def test_the_symptom_table(scores: dict[str, float], symptom: str | None) -> None:
    signals = Signals.model_validate(scores)
    assert symptom_of(signals) == symptom
    assert attribute(signals).symptom == symptom


def test_the_symptom_table_has_four_rows_with_remedies() -> None:
    assert len(SYMPTOMS) == 4
    assert len({row.remedy for row in SYMPTOMS}) == 4


def test_a_verdict_survives_json() -> None:
    found = attribute(Signals(fci=0.1))
    assert type(found).model_validate_json(found.model_dump_json()) == found
    assert "0.10" in found.reason
