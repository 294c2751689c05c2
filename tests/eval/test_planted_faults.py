"""Planted faults: what is planted is what is named; a chain that works is called so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from eval.attribution import attribute
from eval.chain_signals import ChainRun, Scorers, measure, vision_signals
from eval.fieldscores import judge_field
from eval.matching import Pair
from eval.mvfu import SHIPPED_LIBRARY, read_library
from eval.planted_faults import PLANTERS, Base, find_bases, misread, plant, score_planted
from eval.query_set import Answer, as_reading, shipped_query_set
from eval.retrieval import Passage, Wanted
from eval.score import graded, mean_of, not_scorable
from knowledge.search import KnowledgeBase
from vision.fields import GaugeFields
from vision.samples import InstrumentTruth

MANUAL = "The relay is oil-filled. Check the oil level every 6 months. Do not open the cover under pressure."
WANTED = Wanted((Answer(document="ab-1-en", anchor="every 6 months"),), "ab-1-en")
OWN = Passage(text=MANUAL, document="ab-1-en")
FOREIGN = Passage(text="Check the oil level every 24 months. The case is steel.", document="cd-2-en")


def run(answer: str, *, retrieved: tuple[Passage, ...] = (OWN,), sent: tuple[Passage, ...] | None = None) -> ChainRun:
    scope = frozenset({"ab-1-en"})
    return ChainRun("How often is the oil checked?", retrieved, retrieved if sent is None else sent, answer, WANTED, scope)


def named(one: ChainRun) -> tuple[str, str]:
    found = attribute(measure(one))
    return found.layer, found.cause


def test_signals_of_a_good_answer() -> None:
    signals = measure(run("Check the oil level every 6 months."))
    assert (signals.hit, signals.kept, signals.fci, signals.borne_out, signals.right) == (1, 1, 1, 1, 1)
    assert math.isnan(signals.own_fci)
    assert math.isnan(signals.fields)
    assert math.isnan(signals.ac)
    assert named(run("Check the oil level every 6 months.")) == ("none", "none")


def test_one_fault_at_a_time() -> None:
    assert named(run("The case is steel.", retrieved=(FOREIGN,))) == ("retrieval", "answer_not_retrieved")
    short = OWN.model_copy(update={"text": "The relay is oil-filled."})
    assert named(run("The relay is oil-filled.", sent=(short,))) == ("context", "chunk_cut")
    assert named(run("Check the oil level every 24 months.", sent=(FOREIGN, OWN))) == ("context", "context_polluted")
    assert named(run("Check the oil level every 60 months.")) == ("generation", "writer_invented")
    assert named(run("Check the oil level every 6 months. Replace the pump bearings.")) == ("generation", "prompt_loosened")
    assert named(run("Do not open the cover under pressure.")) == ("alignment", "other_passage_used")
    assert named(run("The manual does not say.")) == ("generation", "answer_evaded")


def test_an_altered_quote_is_told_from_the_quote_of_another_passage() -> None:
    altered = measure(run("Check the oil level."))
    assert (altered.right, altered.of_wanted) == (0, 1)
    assert attribute(altered).layer == "generation"
    assert measure(run("Do not open the cover under pressure.")).of_wanted == 0
    assert math.isnan(measure(run("Bananas are yellow in March.")).of_wanted)


class Attention:
    """AC that is known beforehand, of two claims."""

    def score(self, question: str, answer: str, sources: Sequence[str]) -> Any:
        claims = tuple(SimpleNamespace(score=graded(value, 0.35, "AC")) for value in (0.1, 0.9))
        return SimpleNamespace(claims=(*claims, SimpleNamespace(score=not_scorable("sinks"))), mean=mean_of([0.1, 0.9]))


def test_crs_fcr_and_ac_join_where_there_is_what_they_need() -> None:
    one = run("Check the oil level every 6 months.")
    assert all(math.isnan(getattr(measure(one), name)) for name in ("crs", "fcr", "ac"))
    some = measure(one, Scorers())
    assert 0 <= some.crs <= 1
    assert math.isnan(some.fcr)
    row = "| Lamp colour | Meaning |\n|---|---|\n| Red | Over-pressure or sensor fault |"
    lamp = one._replace(
        question="What does the red lamp of the XYZ-2000 mean?",
        sent=(Passage(text=row, document="xyz-2000-en", title="XYZ-2000"),),
        model="XYZ-2000",
        language="en",
    )
    every = measure(lamp, Scorers(read_library(SHIPPED_LIBRARY), Attention()))  # type: ignore[arg-type]
    assert every.fcr == 1
    assert (every.ac, every.ac_low, every.ac_high) == (0.5, 0.1, 0.9)
    unnamed = lamp._replace(question="What does the red lamp mean?", model=None)
    assert math.isnan(measure(unnamed, Scorers(read_library(SHIPPED_LIBRARY))).fcr)


@pytest.mark.parametrize("answer", ["", "   ", "no end", "Check the oil. " * 10_000])
def test_an_answer_that_cannot_be_scored_has_no_score(answer: str) -> None:
    signals = measure(run(answer))
    assert math.isnan(signals.fci)
    assert math.isnan(signals.borne_out)
    assert signals.hit == 1


def test_an_empty_context_is_no_evidence_against_the_writer() -> None:
    signals = measure(run("Check the oil level every 6 months.", retrieved=()))
    assert math.isnan(signals.fci)
    assert signals.hit == 0
    assert attribute(signals).layer == "retrieval"


def pair(true: GaugeFields, given: GaugeFields, iou: float = 1.0) -> Pair:
    reading = as_reading("AB-1", given)
    return Pair(InstrumentTruth(instrument_model="AB-1", box=reading.box, fields=true), reading, iou, True)


def test_vision_signals() -> None:
    fields = GaugeFields(kind="dial", pointer_angle=100, warning_light_color="red")
    assert vision_signals(pair(fields, fields))["fields"] == 1
    wrong = fields.model_copy(update={"warning_light_color": "green"})
    assert vision_signals(pair(fields, wrong))["fields"] == pytest.approx(2 / 3)
    left_open = fields.model_copy(update={"warning_light_color": None})
    assert vision_signals(pair(fields, left_open))["fields"] == 1
    assert vision_signals(pair(fields, fields, iou=0.2))["located"] == 0
    missing = vision_signals(pair(fields, fields)._replace(reading=None))
    assert missing["located"] == 0
    assert math.isnan(missing["fields"])
    assert all(math.isnan(value) for value in vision_signals(pair(fields, fields)._replace(truth=None)).values())


def test_a_misread_field_is_one_and_wrong() -> None:
    fields = GaugeFields(kind="dial", pointer_angle=355, unit="bar", warning_light_color="red", mode_dial_position=5, scale_max=0)
    for seed in range(60):
        wrong = misread(np.random.default_rng(seed), fields)
        changed = [name for name in GaugeFields.model_fields if getattr(wrong, name) != getattr(fields, name)]
        (name,) = changed
        rule = "angle" if name == "pointer_angle" else "number" if name == "scale_max" else "exact"
        assert not judge_field(rule, getattr(fields, name), getattr(wrong, name)).right  # type: ignore[arg-type]
        GaugeFields.model_validate(wrong.model_dump())
    assert misread(np.random.default_rng(0), GaugeFields(kind="dial")) == GaugeFields(kind="dial")


@pytest.fixture(scope="module")
def bases(kb: KnowledgeBase) -> list[Base]:
    return find_bases(kb, shipped_query_set()[::16])


def test_bases_are_questions_that_the_chain_answers(bases: list[Base]) -> None:
    assert len(bases) >= 15
    for base in bases:
        assert any(answer.stands_in(base.sentence) for answer in base.wanted.answers)
        assert any(base.sentence in passage.text for passage in base.sent)
        assert base.case.authority in base.scope
    assert {base.case.language for base in bases} == {"en", "zh"}


def test_every_fault_can_be_planted_and_is_a_fault(kb: KnowledgeBase, bases: list[Base]) -> None:
    rng = np.random.default_rng(0)
    for fault in PLANTERS:
        planted = [one for base in bases[:12] if (one := plant(rng, fault, base, kb)) is not None]
        assert planted, fault
        for one in planted:
            signals = measure(one)
            if fault == "retriever blinded":
                assert signals.hit == 0
            if fault == "chunk cut":
                assert (signals.hit, signals.kept) == (1, 0)
            if fault == "context polluted":
                assert signals.right == 0
                assert one.scope is not None
                assert one.sent[0].document not in one.scope
            if fault == "field misread":
                assert signals.fields < 1
    with pytest.raises(KeyError):
        plant(rng, "typo", bases[0], kb)


def test_the_right_layer_is_named(kb: KnowledgeBase, bases: list[Base]) -> None:
    scores = score_planted(np.random.default_rng(1), kb, bases, per_fault=6)
    assert scores.layer.n == 6 * 6
    assert scores.layer.value >= 0.9
    assert scores.healthy.n == 6
    assert scores.healthy.value >= 0.8
    for one in scores.faults:
        assert sum(one.named.values()) == one.layer.n
        assert one.cause.hits <= one.layer.hits
        assert sum(one.symptoms.values()) <= one.layer.n
    by_name = {one.fault: one.signals for one in scores.faults}
    assert by_name["retriever blinded"]["hit"].value == 0
    assert by_name["chunk cut"]["kept"].value == 0
    assert by_name["field misread"]["fields"].value < 1
    assert by_name["field misread"]["located"].value == 1
    assert set(by_name["field misread"]) >= {"located", "fields", "value", "hit", "right"}
    assert "fields" not in by_name["writer lying"]
    assert scores.baseline["right"].value == 1
    assert scores == score_planted(np.random.default_rng(1), kb, bases, per_fault=6)
