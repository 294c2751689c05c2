"""A kept report as the pages show it: what is large, what stands beside it, and the sentences with their citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from knowledge.facts import ModelFacts
from rag.layout import label, shown_value
from rag.material import value_slots
from rag.pipeline import Inspection
from rag.queries import format_number
from rag.reasons import localize_reason
from rag.render.passage import Block, parse_passage
from rag.render.view import Mark, footer_lines, marks_of
from rag.report import Document, PartName, Section, Tone
from rag.tables import tables
from serve.web.guidance import Advice
from serve.web.strip import Strip, build_strip
from serve.web.words import Words
from vision.fields import InstrumentReading

SIGNS: Mapping[Tone, str] = {"danger": "▲", "attention": "◆", "good": "●", "unknown": "○", "neutral": "●"}
"""A shape for each tone, so that no state is told by its colour alone."""


class Sentence(NamedTuple):
    """A sentence of the report with the marks of what it cites."""

    text: str
    marks: tuple[Mark, ...]
    supported: bool


class PartView(NamedTuple):
    """The sentences that answer one question of the reader's."""

    name: PartName
    title: str
    sentences: tuple[Sentence, ...]


class Fact(NamedTuple):
    """A line of an instrument's small table."""

    name: str
    text: str


class Card(NamedTuple):
    """One instrument. Either `value` is there, or `reason` says why it is not; both are shown equally large."""

    number: int
    title: str
    value: str | None
    unit: str | None
    unit_missing: bool
    interval: tuple[str, str] | None
    confidence_percent: int | None
    reason: str | None
    doubt: str | None
    status: str | None
    tone: Tone
    strip: Strip | None
    facts: tuple[Fact, ...]
    parts: tuple[PartView, ...]

    @property
    def sign(self) -> str:
        """The shape of the tone."""
        return SIGNS[self.tone]


class SourceView(NamedTuple):
    """A cited passage under its number."""

    number: int
    place: str
    chunk: str
    blocks: tuple[tuple[str, Block], ...]


class AdviceView(NamedTuple):
    """A fault of the photo in words: what to do in short, what was measured, what to change."""

    fault: str
    instrument: int | None
    title: str
    measured: str
    change: str


class ReportView(NamedTuple):
    """A report as a page: cards of instruments, sentences about the photo as a whole, passages, notes, where from."""

    cards: tuple[Card, ...]
    whole: tuple[PartView, ...]
    sources: tuple[SourceView, ...]
    notes: tuple[str, ...]
    about: tuple[tuple[str, str], ...]
    reason: str | None


def view_report(
    inspection: Inspection, document: Document | None, words: Words, facts_of: Mapping[str, ModelFacts] | None = None
) -> ReportView:
    """The page of an inspection. `facts_of`: what the manuals in force say of the models that it names."""
    reading = inspection.reading
    sections = {one.number: one for one in document.sections if one.number is not None} if document is not None else {}
    cards = tuple(
        _card(number, one, sections.get(number), document, words, (facts_of or {}).get(one.instrument_model or ""))
        for number, one in enumerate(reading.instruments, 1)
    )
    whole = [one for one in document.sections if one.number is None] if document is not None else []
    return ReportView(
        cards=cards,
        whole=tuple(part for section in whole for part in _parts(section, document, words)),
        sources=_sources(document),
        notes=document.notes if document is not None else (),
        about=footer_lines(document) if document is not None else (),
        reason=None if reading.instruments else localize_reason(reading.reason, words.language),
    )


def _card(
    number: int,
    reading: InstrumentReading,
    section: Section | None,
    document: Document | None,
    words: Words,
    facts: ModelFacts | None,
) -> Card:
    slots = value_slots(reading)
    shown = shown_value(reading, words.language)
    headline = section.headline if section is not None else None
    why = localize_reason(reading.reason, words.language) if reading.reason else None
    read = shown is not None
    return Card(
        number=number,
        title=_title(reading, words),
        value=(slots["value"] if slots else shown) if read else None,
        unit=slots.get("unit") if read else None,
        unit_missing=bool(slots) and "unit" not in slots,
        interval=(slots["value_low"], slots["value_high"]) if slots else None,
        confidence_percent=_percent(reading) if slots else None,
        reason=None if read else why or words("no_reason"),
        doubt=why if read else None,
        status=headline.status if headline is not None else None,
        tone=headline.tone if headline is not None else "unknown",
        strip=build_strip(reading, facts),
        facts=tuple(_facts(reading, words)),
        parts=tuple(_parts(section, document, words)) if section is not None else (),
    )


def _percent(reading: InstrumentReading) -> int:
    """Confidence in whole percent, rounded down: 99.6 % is not certain."""
    return int(100.0 * reading.value_confidence + 1e-9)


def _title(reading: InstrumentReading, words: Words) -> str:
    """The name of the kind; number and model stand beside it."""
    name = tables().kind_of(reading).fill(words.language, {})
    return name[:1].upper() + name[1:]


def _facts(reading: InstrumentReading, words: Words) -> list[Fact]:
    fields = reading.fields
    found: list[Fact] = []
    if reading.instrument_model is not None:
        source = f" ({words(f'model_{reading.model_source}')})" if reading.model_source is not None else ""
        adapted = f", {words('adapted')}" if reading.adapted else ""
        found.append(Fact(words("model"), f"{reading.instrument_model}{source}{adapted}"))
    if reading.value_source is not None:
        found.append(Fact(words("value_from"), words(f"source_{reading.value_source}")))
    if fields.scale_min is not None and fields.scale_max is not None:
        ends = words("scale_range", low=format_number(fields.scale_min), high=format_number(fields.scale_max))
        found.append(Fact(words("scale"), f"{ends} {fields.unit or ''}".rstrip()))
    if fields.pointer_angle is not None:
        found.append(Fact(words("angle"), words("angle_value", degrees=format_number(round(fields.pointer_angle, 1)))))
    if fields.digital_readout is not None:
        found.append(Fact(words("digits"), fields.digital_readout))
    return found


def _parts(section: Section, document: Document | None, words: Words) -> list[PartView]:
    if document is None:
        return []
    return [
        PartView(
            part.name,
            label(part.name, words.language),
            tuple(Sentence(one.text, marks_of(one, document), one.supported) for one in part.statements),
        )
        for part in section.parts
    ]


def _sources(document: Document | None) -> tuple[SourceView, ...]:
    if document is None:
        return ()
    return tuple(
        SourceView(one.number, one.place, one.chunk, tuple((type(block).__name__, block) for block in parse_passage(one.text)))
        for one in document.sources
    )


def view_advice(advice: Sequence[Advice], words: Words) -> tuple[AdviceView, ...]:
    """Advice in words."""
    return tuple(
        AdviceView(
            one.fault,
            one.instrument,
            words(f"advice_{one.fault}"),
            words("seen_by_reader") if one.seen_by_reader else words(f"measured_{one.fault}", **_slots(one, words)),
            words(f"change_{one.fault}"),
        )
        for one in advice
    )


def _slots(advice: Advice, words: Words) -> dict[str, str]:
    return {name: words(f"side_{text}") if name == "side" else text for name, text in advice.measured.items()}
