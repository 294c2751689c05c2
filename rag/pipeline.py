"""Reading -> Report: one pass from the fields of a photo to a report with citations.

queries -> search -> conflicts -> formula -> diagnosis -> plan -> writer -> check -> report. Every arrow is timed and
what went over it is kept in the trace. Nothing that a photo, a manual or a model says can raise out of `inspect`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any, NamedTuple

from pydantic import Field

from knowledge.articles import Chunk, Language
from knowledge.timeline import Moment, day_of
from rag.compose import Composed, compose
from rag.consult import Consultant, Consulted, Knowledge, merge_pieces
from rag.evidence import Evidence, EvidenceOptions
from rag.formula import Calibration, replace_instruments
from rag.history import Past
from rag.layout import build_headline, build_parts, label
from rag.needle import FormulaOptions
from rag.plan import Planned, plan_instrument
from rag.queries import Query, reading_slots
from rag.reasons import localize_reason
from rag.record import record_stages, sent_pieces
from rag.render.markdown import render_markdown
from rag.report import PHOTO, About, Document, Report, Section, Statement, number_sources
from rag.templates import clean_text, sentence, sentences
from rag.trace import LOGGER, Stopwatch, Trace, new_request_id, now, request_context
from rag.writer import TemplateWriter, Writer
from vision.fields import Contract, PhotoReading


@dataclass(frozen=True)
class PipelineOptions:
    """Defaults of a pipeline; the parts' own options stand beside their code."""

    language: Language = "en"
    formula: FormulaOptions = field(default_factory=FormulaOptions)
    evidence: EvidenceOptions = field(default_factory=EvidenceOptions)


class Inspection(Contract):
    """One line of `gauge inspect --json`. `reading` carries the values after the manuals were asked; `scores` are
    filled by whoever evaluates; `report` is None where the photo could not be opened."""

    request_id: str
    reading: PhotoReading
    queries: tuple[Query, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    report: Report | None = None
    scores: dict[str, Any] = Field(default_factory=dict)
    timing_ms: dict[str, float] = Field(default_factory=dict)


class Run(NamedTuple):
    """An inspection, the document that people read (None where the photo could not be opened), and what happened."""

    inspection: Inspection
    trace: Trace
    document: Document | None = None


@dataclass(frozen=True)
class Pipeline:
    """The chain. Safe to share between threads if its writer is."""

    knowledge: Knowledge
    writer: Writer = field(default_factory=TemplateWriter)
    options: PipelineOptions = field(default_factory=PipelineOptions)

    def inspect(self, photo_reading: PhotoReading, language: Language | None = None, request_id: str | None = None) -> Inspection:
        """The inspection of one photo's reading, in `language` (the options' by default)."""
        return self.run(photo_reading, language, request_id).inspection

    def run(
        self,
        photo_reading: PhotoReading,
        language: Language | None = None,
        request_id: str | None = None,
        made_at: str | None = None,
        past: Sequence[Past | None] = (),
    ) -> Run:
        """Like `inspect`, with document and trace. The document states `made_at`, the present moment by default.

        `past`: what is known from before, one for each instrument (`rag.history.recall`).
        """
        past = (*past, *(None,) * len(photo_reading.instruments))[: len(photo_reading.instruments)]
        order = _Order(photo_reading, language or self.options.language, request_id or new_request_id(), made_at or now(), past)
        with request_context(order.request_id):
            try:
                return self._run(order)
            except Exception as error:  # whatever is wrong with a manual or in here: the reading is not lost with it
                LOGGER.exception("the report could not be put together")
                note = label("report_failed", order.language, reason=f"{type(error).__name__}: {error}")
            try:
                return self._without_manuals(order, note)
            except Exception:
                LOGGER.exception("not even the photo's own part of the report could be put together")
                return self._finish(order, (), [], Composed((), notes=(note,)), Stopwatch())

    def _run(self, order: _Order) -> Run:
        photo, language, watch = order.photo, order.language, Stopwatch()
        if photo.status == "error":
            LOGGER.info("photo could not be opened: %s", photo.reason)
            return self._finish(order, (), [], Composed(()), watch)
        consultant = Consultant(self.knowledge, self.options.formula, self.options.evidence)
        consulted = [
            consultant.consult(reading, number, photo.instruments, language, watch, past)
            for number, (reading, past) in enumerate(zip(photo.instruments, order.past, strict=True), 1)
        ]
        planned = [one for section in consulted for one in section.planned] or [_nothing_read(photo, language)]
        question = "; ".join(query.text for one in consulted for query in one.queries)
        pieces = merge_pieces(piece for one in consulted for piece in one.pieces)
        composed = compose(planned, self.writer, language, pieces, question, watch)
        return self._finish(order, consulted, planned, composed, watch)

    def _without_manuals(self, order: _Order, note: str) -> Run:
        """The report of the photo alone, its templates unworded."""
        consulted = [
            Consulted(unasked, planned=plan_instrument(unasked, number, order.language, facts=None, chunks={}, unavailable=True))
            for number, unasked in enumerate((Calibration(reading=one) for one in order.photo.instruments), 1)
        ]
        planned = [one for section in consulted for one in section.planned] or [_nothing_read(order.photo, order.language)]
        watch = Stopwatch()
        composed = compose(planned, TemplateWriter(), order.language, (), "", watch)
        return self._finish(order, consulted, planned, composed._replace(notes=(note,)), watch)

    def _finish(
        self, order: _Order, consulted: Sequence[Consulted], planned: Sequence[Planned], composed: Composed, watch: Stopwatch
    ) -> Run:
        """Statements become document, report and inspection; all of it is kept in the trace."""
        photo, language = order.photo, order.language
        notes = [note for one in consulted for note in one.notes] + list(composed.notes)
        if composed.replaced:
            notes.append(sentence("note_replaced", language, count=str(len(composed.replaced)), total=str(composed.rewritten)))
        evidence = merge_pieces(piece for one in consulted for piece in one.pieces)
        document = report = markdown = None
        if photo.status != "error":
            with watch.stage("report"):
                chunks = {piece.chunk.id: piece.chunk for piece in evidence}
                document = self._document(order, consulted, planned, composed.statements, chunks, notes)
                markdown = render_markdown(document)
                report = Report(statements=document.statements, markdown=markdown)
        inspection = Inspection(
            request_id=order.request_id,
            reading=replace_instruments(photo, [one.calibration.reading for one in consulted]) if consulted else photo,
            queries=tuple(query for one in consulted for query in one.queries),
            evidence=tuple(piece.evidence() for piece in evidence),
            report=report,
            timing_ms={**photo.timing_ms, **watch.timing_ms},
        )
        if report is not None:
            spent = sum(watch.timing_ms.values())
            LOGGER.info("report of %d statements, %d replaced, %.0f ms", len(report.statements), len(composed.replaced), spent)
        trace = Trace(
            request_id=order.request_id,
            language=language,
            writer=self.writer.name,
            knowledge_version=self.knowledge.version,
            made_at=order.made_at,
            as_of=asked_day(self.knowledge).isoformat(),
            pieces=sent_pieces(consulted),
            prompts=composed.sent,
            rewritten=composed.rewritten,
            replaced=composed.replaced,
            notes=tuple(notes),
            stages=record_stages(order.photo, asdict(self.options), order.past, consulted, planned, composed, document, markdown),
            timing_ms=watch.timing_ms,
        )
        return Run(inspection, trace, document)

    def _document(
        self,
        order: _Order,
        consulted: Sequence[Consulted],
        planned: Sequence[Planned],
        statements: Sequence[Statement],
        chunks: dict[str, Chunk],
        notes: Sequence[str],
    ) -> Document:
        said = iter(zip((one.name for one in planned), statements, strict=True))
        sections = [
            _section(number, one, list(islice(said, len(one.planned))), order.language) for number, one in enumerate(consulted, 1)
        ]
        sections = sections or ([Section(parts=build_parts(said))] if planned else [])
        cited = tuple(id for section in sections for part in section.parts for one in part.statements for id in one.citations)
        photo = order.photo
        about = About(
            request_id=order.request_id,
            made_at=order.made_at,
            photo=photo.photo,
            sha256=photo.sha256,
            weights=photo.weights,
            writer=self.writer.name,
            knowledge_version=self.knowledge.version,
        )
        sources = number_sources(chunks, cited)
        return Document(language=order.language, sections=tuple(sections), sources=sources, notes=tuple(notes), about=about)


class _Order(NamedTuple):
    """What a run is asked for."""

    photo: PhotoReading
    language: Language
    request_id: str
    made_at: str
    past: tuple[Past | None, ...]


def asked_day(knowledge: object) -> date:
    """The day as of which a knowledge base answers: its own moment, else today."""
    moment: Moment | None = getattr(knowledge, "as_of", None)
    return day_of(moment) if moment is not None else datetime.now(UTC).date()


def _nothing_read(photo: PhotoReading, language: Language) -> Planned:
    reason = localize_reason(photo.reason, language)
    fixed = sentences()["no_instruments"].fixed_words(language)
    text = sentence("no_instruments", language, reason=reason)
    return Planned(text, (PHOTO,), (reason,), fixed, rewrite=False, name="no_instruments")


def _section(number: int, consulted: Consulted, said: Sequence[tuple[str, Statement]], language: Language) -> Section:
    reading = consulted.calibration.reading
    title = sentence("heading_instrument", language, number=str(number), kind_name=reading_slots(reading, language)["kind_name"])
    if reading.instrument_model is not None:
        title += f" ({clean_text(reading.instrument_model, 60)})"
    headline = build_headline(reading, [name for name, _ in said], consulted.assessment, language)
    return Section(number=number, kind=reading.kind, title=title, headline=headline, parts=build_parts(said))
