"""Asking the manuals about one instrument: queries, search, conflicts, formula, diagnosis, evidence, plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from knowledge.articles import Chunk, Hit, Language
from knowledge.facts import Fact, ModelFacts
from rag.conflicts import Clash, find_clashes, without_clashes
from rag.diagnosis import Diagnosis, judge_value
from rag.distill import distil
from rag.evidence import EvidenceOptions, Piece, arrange
from rag.formula import Calibration, calibrate
from rag.needle import FormulaOptions, needle_stands
from rag.plan import Planned, calling_facts, plan_instrument
from rag.queries import Query, build_queries, follow_evidence
from rag.templates import sentence
from rag.trace import LOGGER, Stopwatch
from vision.fields import InstrumentReading, LampColor


class Knowledge(Protocol):
    """What this room needs of the knowledge base."""

    @property
    def version(self) -> str: ...

    def canonical_model(self, model: str) -> str | None: ...

    def facts(self, model: str, language: str = ...) -> ModelFacts | None: ...

    def chunk(self, id: str) -> Chunk: ...

    def search(
        self, query: str, *, model: str | None = ..., language: str | None = ..., k: int = ..., semantic_type: str | None = ...
    ) -> Sequence[Hit]: ...


@dataclass(frozen=True)
class Consulted:
    """One instrument after the manuals were asked. `hits` are those of each query by its name, best first."""

    calibration: Calibration
    queries: tuple[Query, ...] = ()
    pieces: tuple[Piece, ...] = ()
    planned: tuple[Planned, ...] = ()
    notes: tuple[str, ...] = ()
    hits: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    findings: tuple[Diagnosis, ...] = ()


@dataclass(frozen=True)
class Consultant:
    """Asks one knowledge base, under given options."""

    knowledge: Knowledge
    formula: FormulaOptions
    evidence: EvidenceOptions

    def consult(
        self, reading: InstrumentReading, number: int, others: Sequence[InstrumentReading], language: Language, watch: Stopwatch
    ) -> Consulted:
        """Ask the manuals about one instrument. Without a known model nothing is asked and nothing is claimed."""
        unasked = Calibration(reading=reading)
        known = facts = None
        notes: tuple[str, ...] = ()
        asked = reading.status == "read" or needle_stands(reading, self.formula)
        if asked and reading.instrument_model is not None:
            try:
                known = self.knowledge.canonical_model(reading.instrument_model)
                facts = self.knowledge.facts(known, language) if known is not None else None
                if facts is not None:
                    return self._consult_manual(
                        reading.model_copy(update={"instrument_model": facts.model}), facts, number, others, language, watch
                    )
            except Exception as error:  # a damaged index must not take the reading with it
                LOGGER.exception("the manuals could not be consulted about %r", reading.instrument_model)
                notes = (sentence("note_knowledge_failed", language, reason=f"{type(error).__name__}: {error}"),)
        planned = plan_instrument(unasked, number, language, facts=None, chunks={}, unavailable=bool(notes))
        return Consulted(unasked, planned=planned, notes=notes)

    def _consult_manual(
        self,
        reading: InstrumentReading,
        facts: ModelFacts,
        number: int,
        others: Sequence[InstrumentReading],
        language: Language,
        watch: Stopwatch,
    ) -> Consulted:
        # What the needle alone gives is known before anything is asked: an abstained reading asks nothing.
        queries = build_queries(calibrate(reading, facts, self.formula).reading, language, number)
        notes: list[str] = []
        with watch.stage("retrieval"):
            hits = {query.name: self._search(query, facts, notes, language) for query in queries}
        with watch.stage("diagnosis"):
            clashes = find_clashes({hit.chunk.id: hit.chunk for found in hits.values() for hit in found}.values(), facts)
            facts = without_clashes(facts, clashes)
            calibration = calibrate(reading, facts, self.formula)
            findings = judge_value(calibration.reading, facts, find_lamp(reading, others), language)
        read = calibration.reading
        calling = calling_facts(read, facts, findings) if read.status == "read" else ()
        named = {query.name for query in queries}
        section = facts.emergency.section if facts.emergency is not None else None
        places = [self.knowledge.chunk(fact.chunk) for fact in calling]
        followed = [q for q in follow_evidence(read, language, places, section, number) if q.name not in named]
        with watch.stage("retrieval"):
            hits |= {query.name: self._search(query, facts, notes, language) for query in followed}
        queries = (*queries, *followed)
        with watch.stage("evidence"):
            pieces = self._distil(queries, hits, facts, reading, clashes)
        chunks = {piece.chunk.id: piece.chunk for piece in pieces}
        planned = plan_instrument(calibration, number, language, facts=facts, chunks=chunks, findings=findings, clashes=clashes)
        return Consulted(calibration, queries, pieces, planned, tuple(notes), hits, findings)

    def _search(self, query: Query, facts: ModelFacts, notes: list[str], language: Language) -> tuple[Hit, ...]:
        """Hits of one query; a search that fails costs its hits, not the report: facts name their chunks themselves."""
        try:
            return tuple(self.knowledge.search(query.text, model=facts.model, language=facts.language, k=self.evidence.search_k))
        except Exception as error:
            LOGGER.exception("search for %s failed", query.name)
            notes.append(sentence("note_knowledge_failed", language, reason=f"{query.name}: {type(error).__name__}"))
            return ()

    def _distil(
        self,
        queries: Sequence[Query],
        hits: dict[str, tuple[Hit, ...]],
        facts: ModelFacts,
        reading: InstrumentReading,
        clashes: Sequence[Clash],
    ) -> tuple[Piece, ...]:
        options = self.evidence
        pieces: list[Piece] = []
        quotes: dict[str, list[str]] = {}
        disputed: list[Fact] = [fact for clash in clashes for fact in (clash.first, clash.second)]
        for query in queries:
            stated = [*facts_for(query.name, facts, reading), *(disputed if query is queries[0] else ())]
            for fact in stated:
                quotes.setdefault(fact.chunk, []).append(fact.text)
            required = [self.knowledge.chunk(id) for id in dict.fromkeys(fact.chunk for fact in stated)]
            pieces += distil(query, hits[query.name], required, options)
        return arrange(pieces, options, quotes)


def facts_for(query: str, facts: ModelFacts, reading: InstrumentReading) -> tuple[Fact, ...]:
    """Facts that answer a query by its name; empty where the manuals state none."""
    color, position = reading.fields.warning_light_color, reading.fields.mode_dial_position
    answers: dict[str, tuple[Fact | None, ...]] = {
        "gauge_calibration_formula": (facts.formula,),
        "unit_declaration": (facts.unit,),
        "angle_origin_declaration": (facts.angle_frame, facts.angle_range),
        "angle_range_declaration": (facts.angle_range,),
        "measuring_range": (facts.value_range,),
        "operating_limits": facts.limits,
        "digital_readout_meaning": (facts.readout,),
        "emergency_shutdown_procedure": (facts.emergency,),
        f"warning_light_color_meaning_{color}": (facts.lamp(color) if color else None,),
        f"mode_dial_meaning_{position}": (facts.mode(position) if position else None,),
    }
    return tuple(fact for fact in answers.get(query, ()) if fact is not None)


def find_lamp(reading: InstrumentReading, others: Sequence[InstrumentReading]) -> LampColor | None:
    """Colour of the lamp that belongs to an instrument: its own, else the only lamp of the same model in the photo."""
    if reading.fields.warning_light_color is not None:
        return reading.fields.warning_light_color
    lamps = [
        other.fields.warning_light_color
        for other in others
        if other.kind == "lamp" and other.status == "read" and other.instrument_model == reading.instrument_model is not None
    ]
    return lamps[0] if len(lamps) == 1 else None


def merge_pieces(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Each chunk once, in the order of first use, with its best score."""
    found: dict[str, Piece] = {}
    for piece in pieces:
        known = found.get(piece.chunk.id)
        if known is None or piece.score > known.score:
            found[piece.chunk.id] = piece
    return tuple(found.values())
