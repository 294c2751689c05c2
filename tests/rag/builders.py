"""Readings, facts and a small knowledge base for the tests of this room."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from knowledge.articles import Chunk, Hit, Language
from knowledge.facts import (
    AngleFrameFact,
    FormulaFact,
    LampFact,
    LimitFact,
    ModeFact,
    ModelFacts,
    ProcedureFact,
    RangeFact,
    UnitFact,
)
from rag.report import About, Document, Section, Source
from vision.fields import GaugeFields, InstrumentReading, PhotoReading, Weights

WEIGHTS = Weights(name="test", version="1")
READING_KEYS = ("value", "value_low", "value_high", "unit", "value_source", "value_confidence", "status", "reason", "confidence")


def make_reading(kind: str = "dial", model: str | None = "XYZ-2000", **given: Any) -> InstrumentReading:
    """A read instrument; keys of the reading's own (value, status, ...) apart, the rest are fields. `unit` is the value's."""
    own = {key: given.pop(key) for key in READING_KEYS if key in given}
    fields = GaugeFields.model_validate({"kind": kind, **given})
    source = "given" if model else None
    return InstrumentReading.model_validate(
        {
            "kind": kind,
            "instrument_model": model,
            "model_source": source,
            "box": (0.0, 0.0, 10.0, 10.0),
            "fields": fields,
            "status": "read",
            **own,
        }
    )


def make_photo(*instruments: InstrumentReading, reason: str | None = None) -> PhotoReading:
    """A photo with these instruments; abstained where none of them was read."""
    read = any(one.status == "read" for one in instruments)
    why = None if read else reason or "no instrument was found"
    status = "read" if read else "abstained"
    return PhotoReading(photo="a.jpg", sha256="0" * 64, status=status, reason=why, instruments=instruments, weights=WEIGHTS)


def make_facts(**changes: Any) -> ModelFacts:
    """Facts of a T-1 gauge: pressure = (angle - 30) / 2.5 MPa from 30 to 330 degrees, normal to 80, alarm above 100."""
    values: dict[str, Any] = {
        "model": "T-1",
        "language": "en",
        "document": "t-1-en",
        "version": "1",
        "kind": "dial",
        "formula": FormulaFact(
            chunk="f",
            text="pressure = (pointer angle - 30) / 2.5",
            quantity="pressure",
            expression="(angle - 30) / 2.5",
            variable="angle",
        ),
        "unit": UnitFact(chunk="u", text="The unit of pressure is MPa.", quantity="pressure", unit="MPa"),
        "angle_frame": AngleFrameFact(chunk="a", text="Counted from 6 o'clock, clockwise.", origin_hour=6, clockwise=True),
        "angle_range": RangeFact(chunk="a", text="Valid from 30 to 330 degrees.", low=30, high=330),
        "value_range": RangeFact(chunk="r", text="The measuring range is 0 to 120 MPa.", low=0, high=120, unit="MPa"),
        "limits": (
            LimitFact(chunk="l", text="State: Normal; Pressure: 0 to 80 MPa", level="normal", low=0, high=80, unit="MPa"),
            LimitFact(
                chunk="l",
                text="State: Warning; Pressure: above 80 to 100 MPa; What to do: Reduce the load.",
                level="warning",
                low=80,
                high=100,
                low_included=False,
                unit="MPa",
            ),
            LimitFact(
                chunk="l",
                text="State: Alarm; Pressure: above 100 MPa; What to do: Shut down as in section 5.2.",
                level="alarm",
                low=100,
                low_included=False,
                unit="MPa",
            ),
        ),
        "lamps": (
            LampFact(
                chunk="c",
                text="Red; Over-pressure; Shut down as in section 5.2.",
                color="red",
                meaning="Over-pressure",
                section="5.2",
            ),
            LampFact(chunk="c", text="Green; Pressure normal", color="green", meaning="Pressure normal"),
        ),
        "modes": (ModeFact(chunk="m", text="3; Manual; By hand.", position=3, name="Manual", meaning="By hand."),),
        "emergency": ProcedureFact(chunk="e", text="Press the button.", section="5.2", title="Emergency shutdown"),
    }
    return ModelFacts.model_validate({**values, **changes})


def make_chunk(id: str = "c1", text: str = "The unit of pressure is MPa.", **changes: Any) -> Chunk:
    """A chunk of the T-1 manual."""
    values: dict[str, Any] = {
        "id": id,
        "document": "t-1-en",
        "title": "T-1 Manual",
        "section": "1",
        "section_title": "Section",
        "text": text,
        "language": "en",
        "models": ("T-1",),
        "semantic_type": "prose",
        "authority": "specification",
        "version": "1",
        "effective_date": date(2024, 1, 1),
        "status": "valid",
        "source": "t-1.md",
        "line": 1,
        "paragraph": 1,
    }
    return Chunk.model_validate({**values, **changes})


def make_document(
    *sections: Section, sources: tuple[Source, ...] = (), language: Language = "en", notes: tuple[str, ...] = ()
) -> Document:
    """A report's document of these sections."""
    about = About(
        request_id="r-1",
        made_at="2026-01-02T03:04:05+00:00",
        photo="a.jpg",
        sha256="0" * 64,
        weights=WEIGHTS,
        writer="template",
        knowledge_version="v1",
    )
    return Document(language=language, sections=sections, sources=sources, notes=notes, about=about)


class SmallKnowledge:
    """A knowledge base of a few chunks that finds all of them for every question."""

    version = "test"

    def __init__(self, facts: ModelFacts | None, chunks: Sequence[Chunk]) -> None:
        self._facts = facts
        self._chunks = {chunk.id: chunk for chunk in chunks}
        self.asked: list[str] = []

    def canonical_model(self, model: str) -> str | None:
        return self._facts.model if self._facts is not None and model == self._facts.model else None

    def facts(self, model: str, language: str = "en") -> ModelFacts | None:
        return self._facts if self.canonical_model(model) else None

    def chunk(self, id: str) -> Chunk:
        return self._chunks[id]

    def sections(self, document: str, numbers: Sequence[str]) -> list[Chunk]:
        return [chunk for chunk in self._chunks.values() if chunk.document == document and chunk.section in numbers]

    def search(
        self, query: str, *, model: str | None = None, language: str | None = None, k: int = 3, semantic_type: str | None = None
    ) -> list[Hit]:
        self.asked.append(query)
        return [Hit(chunk=chunk, score=0.5) for chunk in self._chunks.values()][:k]
