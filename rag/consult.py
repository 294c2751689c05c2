"""Asking the manuals about one instrument: queries, search, conflicts, formula, diagnosis, evidence, plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, runtime_checkable

from knowledge.articles import Chunk, Hit, Language
from knowledge.facts import Fact, ModelFacts
from rag.calls import called_procedure, calling_facts, facts_for, facts_in_use, used_facts
from rag.conflicts import Clash, apply_clashes, find_clashes
from rag.contradictions import Sibling, find_lamp
from rag.diagnosis import Diagnosis
from rag.distill import distil
from rag.evidence import EvidenceOptions, Piece, arrange
from rag.formula import Calibration, calibrate
from rag.history import Past
from rag.judge import diagnose
from rag.linked import Link, follow_links
from rag.needle import FormulaOptions, needle_stands
from rag.plan import Planned, plan_instrument
from rag.queries import Query, build_queries, follow_evidence, follow_findings, write_query
from rag.status import DOUBTS, NOT_READ, Assessment, assess
from rag.templates import sentence
from rag.trace import LOGGER, Stopwatch
from vision.fields import InstrumentReading

SEARCH_THREADS = 4


class Knowledge(Protocol):
    """What this room needs of the knowledge base."""

    @property
    def version(self) -> str: ...

    def canonical_model(self, model: str) -> str | None: ...

    def facts(self, model: str, language: str = ...) -> ModelFacts | None: ...

    def chunk(self, id: str) -> Chunk: ...

    def sections(self, document: str, numbers: Sequence[str]) -> Sequence[Chunk]: ...

    def search(
        self, query: str, *, model: str | None = ..., language: str | None = ..., k: int = ..., semantic_type: str | None = ...
    ) -> Sequence[Hit]: ...


@runtime_checkable
class Preparing(Protocol):
    """A knowledge base that embeds several questions at once, which costs less than one by one."""

    def prepare(self, queries: Sequence[str]) -> None: ...


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
    assessment: Assessment = NOT_READ


@dataclass(frozen=True)
class Consultant:
    """Asks one knowledge base, under given options."""

    knowledge: Knowledge
    formula: FormulaOptions
    evidence: EvidenceOptions

    def consult(
        self,
        reading: InstrumentReading,
        number: int,
        others: Sequence[InstrumentReading],
        language: Language,
        watch: Stopwatch,
        past: Past | None = None,
    ) -> Consulted:
        """Ask the manuals about one instrument. Without a known model nothing is asked and nothing is claimed.

        `others`: all instruments of the photo, this one at place `number` among them. `past`: its earlier readings.
        """
        unasked = Calibration(reading=reading)
        notes: tuple[str, ...] = ()
        asked = reading.status == "read" or needle_stands(reading, self.formula)
        if asked and reading.instrument_model is not None:
            try:
                known = self.knowledge.canonical_model(reading.instrument_model)
                facts = self.knowledge.facts(known, language) if known is not None else None
                if facts is not None:
                    return self._consult_manual(
                        reading.model_copy(update={"instrument_model": facts.model}), facts, number, others, language, watch, past
                    )
            except Exception as error:  # a damaged index must not take the reading with it
                LOGGER.exception("the manuals could not be consulted about %r", reading.instrument_model)
                notes = (sentence("note_knowledge_failed", language, reason=f"{type(error).__name__}: {error}"),)
        siblings = tuple(
            Sibling(place, other)
            for place, other in enumerate(others, 1)
            if place != number and other.status == "read" and other.instrument_model == reading.instrument_model is not None
        )
        with watch.stage("diagnosis"):
            findings = diagnose(reading, number, None, language, siblings=siblings, past=past)
            assessment = assess(reading, None, findings, find_lamp(reading, siblings))
        planned = plan_instrument(unasked, number, language, facts=None, chunks={}, unavailable=bool(notes), findings=findings)
        return Consulted(unasked, planned=planned, notes=notes, findings=findings, assessment=assessment)

    def _consult_manual(
        self,
        reading: InstrumentReading,
        facts: ModelFacts,
        number: int,
        others: Sequence[InstrumentReading],
        language: Language,
        watch: Stopwatch,
        past: Past | None,
    ) -> Consulted:
        # What the needle alone gives is known before anything is asked: an abstained reading asks nothing.
        queries = build_queries(calibrate(reading, facts, self.formula).reading, language, number)
        notes: list[str] = []
        with watch.stage("retrieval"):
            hits = self._search_all(queries, facts, notes, language)
        with watch.stage("diagnosis"):
            found = tuple({hit.chunk.id: hit.chunk for hits_of_one in hits.values() for hit in hits_of_one}.values())
            clashes = find_clashes(found, facts)
            facts = apply_clashes(facts, clashes, found)
            calibration = calibrate(reading, facts, self.formula)
            read = calibration.reading
            siblings = self._siblings(facts, number, others)
            findings = diagnose(read, number, facts, language, siblings=siblings, past=past)
            doubted = any(clash.rule is None for clash in clashes)
            doubted |= calibration.problem is not None and calibration.problem.name in DOUBTS
            assessment = assess(read, facts, findings, find_lamp(read, siblings), doubted=doubted)
        calling = calling_facts(read, facts, findings) if read.status == "read" else ()
        section = facts.emergency.section if facts.emergency is not None else None
        places = [self.knowledge.chunk(fact.chunk) for fact in calling]
        named = {query.name for query in queries}
        raised = (
            *follow_evidence(read, language, places, section, number),
            *follow_findings(read, language, [finding.name for finding in findings], number),
        )
        followed = tuple(query for query in raised if query.name not in named)
        with watch.stage("retrieval"):
            hits |= self._search_all(followed, facts, notes, language)
            links = self._links(read, facts, findings, notes, language)
            linking = tuple(link_query(link, read, language, number) for link in links)
        queries = (*queries, *followed)
        with watch.stage("evidence"):
            needed = (*calibration.facts, *facts_in_use(read, facts, findings))
            pieces = self._distil(queries, hits, facts, reading, clashes, needed, list(zip(linking, links, strict=True)))
        chunks = {piece.chunk.id: piece.chunk for piece in pieces}
        planned = plan_instrument(
            calibration, number, language, facts=facts, chunks=chunks, findings=findings, clashes=clashes, links=links
        )
        return Consulted(calibration, (*queries, *linking), pieces, planned, tuple(notes), hits, findings, assessment=assessment)

    def _siblings(self, facts: ModelFacts, number: int, others: Sequence[InstrumentReading]) -> tuple[Sibling, ...]:
        """The other instruments of the same model in the photo, with what the manual makes of them."""
        alike = [
            (place, other)
            for place, other in enumerate(others, 1)
            if place != number
            and other.status == "read"
            and other.instrument_model is not None
            and self.knowledge.canonical_model(other.instrument_model) == facts.model
        ]
        return tuple(Sibling(place, calibrate(other, facts, self.formula).reading) for place, other in alike)

    def _links(
        self,
        reading: InstrumentReading,
        facts: ModelFacts,
        findings: tuple[Diagnosis, ...],
        notes: list[str],
        language: Language,
    ) -> tuple[Link, ...]:
        """Sections that the facts in use send their reader to; a base that cannot find them costs the links alone."""
        if reading.status == "abstained":
            return ()
        used = used_facts(reading, facts, findings)
        procedure = called_procedure(reading, facts, findings)
        known = (procedure.section,) if procedure is not None else ()
        try:
            passages = self.knowledge.sections(facts.document, known) if known else ()
            return follow_links((*used, *passages), facts.document, self.knowledge.sections, known=known)
        except Exception as error:
            LOGGER.exception("linked sections of %s could not be found", facts.model)
            notes.append(sentence("note_knowledge_failed", language, reason=f"references: {type(error).__name__}"))
            return ()

    def _search_all(
        self, queries: Sequence[Query], facts: ModelFacts, notes: list[str], language: Language
    ) -> dict[str, tuple[Hit, ...]]:
        """Hits of all queries, asked side by side."""
        if len(queries) < 2:
            return {query.name: self._search(query, facts, notes, language) for query in queries}
        if isinstance(self.knowledge, Preparing):
            self._prepare(self.knowledge, queries)
        # A context of its own for each, so that the log lines of every thread carry the request's id.
        asked = [_threads().submit(copy_context().run, self._search, query, facts, notes, language) for query in queries]
        return {query.name: search.result() for query, search in zip(queries, asked, strict=True)}

    def _prepare(self, knowledge: Preparing, queries: Sequence[Query]) -> None:
        """Embed all queries in one batch; where that fails each search fails on its own and says so."""
        try:
            knowledge.prepare([query.text for query in queries])
        except Exception:
            LOGGER.exception("the queries could not be embedded together")

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
        needed: Sequence[Fact],
        linked: Sequence[tuple[Query, Link]],
    ) -> tuple[Piece, ...]:
        """The evidence of all queries, with every chunk that a sentence will cite, whichever query brought it up."""
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
        for fact in needed:
            if fact.chunk not in quotes and queries:
                pieces += distil(queries[-1], (), [self.knowledge.chunk(fact.chunk)], options)
            quotes.setdefault(fact.chunk, []).append(fact.text)
        for query, link in linked:
            origin = (link.origin,) if isinstance(link.origin, Chunk) else ()
            pieces += distil(query, (), (*link.chunks[:1], *origin), options)
            quotes.setdefault(link.chunks[0].id, [])
            for chunk in origin:
                quotes.setdefault(chunk.id, []).append(link.wording or chunk.text)
        return arrange(pieces, options, quotes)


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    """The threads of all searches of this process: starting some for each reading would cost as much as the search."""
    return ThreadPoolExecutor(max_workers=SEARCH_THREADS, thread_name_prefix="search")


def link_query(link: Link, reading: InstrumentReading, language: Language, instrument: int) -> Query:
    """The query that stands for a followed reference."""
    found = {"section": link.section, "section_title": link.title}
    return write_query("linked_section_{section}", reading, language, field="kind", instrument=instrument, found=found)


def merge_pieces(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Each chunk once, in the order of first use, with its best score."""
    found: dict[str, Piece] = {}
    for piece in pieces:
        known = found.get(piece.chunk.id)
        if known is None or piece.score > known.score:
            found[piece.chunk.id] = piece
    return tuple(found.values())
