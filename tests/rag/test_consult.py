"""Asking the manuals: side by side, with the request's id in every thread, and standing whatever fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from knowledge.articles import Hit
from rag.consult import SEARCH_THREADS, Consultant, Consulted
from rag.evidence import EvidenceOptions
from rag.history import Past, PastReading
from rag.needle import FormulaOptions
from rag.trace import Stopwatch
from tests.rag.builders import SmallKnowledge, make_chunk, make_facts, make_reading

MARK: ContextVar[str] = ContextVar("mark", default="none")
CHUNKS = [make_chunk(id, "The unit of pressure is MPa.") for id in "fuarlcme"]
READING = {"model": "T-1", "pointer_angle": 137.2, "warning_light_color": "red", "mode_dial_position": 3}
VALUE = {"value_source": "numerals", "unit": "bar"}


def consult(knowledge: Any, *photo: Any, number: int = 1, language: Any = "en", past: Past | None = None) -> Consulted:
    consultant = Consultant(knowledge, FormulaOptions(), EvidenceOptions())
    return consultant.consult(photo[number - 1], number, photo, language, Stopwatch(), past)


class Slow(SmallKnowledge):
    """Searches that take a while; notes how many ran at once and in which context."""

    def __init__(self) -> None:
        super().__init__(make_facts(), CHUNKS)
        self.lock, self.running, self.most, self.marks = threading.Lock(), 0, 0, set[str]()

    def search(self, query: str, **more: Any) -> list[Hit]:
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
            self.marks.add(MARK.get())
        time.sleep(0.05)
        with self.lock:
            self.running -= 1
        return super().search(query, **more)


def test_the_queries_of_a_reading_run_side_by_side() -> None:
    base = Slow()
    token = MARK.set("request-7")
    found = consult(base, make_reading(**READING))
    MARK.reset(token)
    assert 1 < base.most <= SEARCH_THREADS
    assert base.marks == {"request-7"}
    assert list(found.hits) == [query.name for query in found.queries if not query.name.startswith("linked_")]


def test_the_order_of_the_answers_is_that_of_the_questions() -> None:
    one, other = (consult(Slow(), make_reading(**READING)) for _ in range(2))
    assert [(q.name, q.text) for q in one.queries] == [(q.name, q.text) for q in other.queries]
    assert one.planned == other.planned
    assert one.pieces == other.pieces


class Preparing(SmallKnowledge):
    """A base that embeds questions together, or cannot."""

    def __init__(self, *, broken: bool = False) -> None:
        super().__init__(make_facts(), CHUNKS)
        self.batches: list[list[str]] = []
        self.broken = broken

    def prepare(self, queries: Sequence[str]) -> None:
        self.batches.append(list(queries))
        if self.broken:
            raise RuntimeError("no memory")


def test_questions_are_embedded_in_one_batch() -> None:
    base = Preparing()
    found = consult(base, make_reading(**READING))
    (batch,) = base.batches
    assert batch == [query.text for query in found.queries][: len(batch)]
    assert len(batch) > 4


def test_a_batch_that_fails_costs_nothing() -> None:
    assert (
        consult(Preparing(broken=True), make_reading(**READING)).planned == consult(Preparing(), make_reading(**READING)).planned
    )


class LosesSections(SmallKnowledge):
    def sections(self, document: str, numbers: Sequence[str]) -> Any:
        raise OSError("disk")


def test_references_that_cannot_be_followed_are_a_note() -> None:
    found = consult(LosesSections(make_facts(), CHUNKS), make_reading(**READING))
    assert len(found.notes) == 1
    assert "references: OSError" in found.notes[0]
    assert any(one.name == "emergency" for one in found.planned)
    assert found.assessment.status == "alarm"


def test_an_instrument_is_judged_with_its_siblings_in_the_photo() -> None:
    dial = make_reading(model="T-1", value=110.0, value_low=109.0, value_high=111.0, unit="MPa", value_source="numerals")
    lamp = make_reading("lamp", "T-1", warning_light_color="green")
    found = consult(SmallKnowledge(make_facts(formula=None), CHUNKS), dial, lamp)
    assert [one.name for one in found.findings][:2] == ["limit_within", "lamp_contradicts_high"]
    assert found.assessment.status == "alarm"
    stranger = lamp.model_copy(update={"instrument_model": "other"})
    alone = consult(SmallKnowledge(make_facts(formula=None), CHUNKS), dial, stranger)
    assert "lamp_contradicts_high" not in [one.name for one in alone.findings]


def test_without_a_manual_two_units_of_one_model_are_named_still() -> None:
    photo = [
        make_reading(model="ZZ-1", value=value, value_low=value, value_high=value, unit=unit, value_source="numerals")
        for value, unit in ((5.0, "bar"), (0.5, "MPa"))
    ]
    found = consult(SmallKnowledge(None, ()), *photo)
    assert [one.name for one in found.findings] == ["siblings_differ_in_unit"]
    assert found.assessment.status == "attention"
    assert [one.name for one in consult(SmallKnowledge(None, ()), *photo, number=2).findings] == []


@pytest.mark.parametrize("model", ["T-1", None])
def test_earlier_readings_are_cited(model: str | None) -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    past = Past(now, (PastReading(now - timedelta(hours=1), 5.0, 4.9, 5.1, "bar"),))
    reading = make_reading(model=model, value=9.0, value_low=8.9, value_high=9.1, **VALUE)
    base = SmallKnowledge(make_facts(formula=None), CHUNKS)
    for language in ("en", "zh"):
        (planned,) = [one for one in consult(base, reading, language=language, past=past).planned if "5 bar" in one.text]
        assert planned.name == "trend_changed"
        assert planned.citations == ("photo#1", "history#1")
    assert not any(one.name.startswith("trend") for one in consult(base, reading).planned)


def test_a_limit_without_any_unit_read_is_said_and_cited() -> None:
    reading = make_reading(model="T-1", value=9.0, value_low=8.9, value_high=9.1, value_source="numerals")
    found = consult(SmallKnowledge(make_facts(formula=None, readout=None), CHUNKS), reading)
    (planned,) = [one for one in found.planned if one.name == "limit_no_unit"]
    assert planned.citations == ("photo#1", "l")
    assert found.assessment.status == "undecided"
