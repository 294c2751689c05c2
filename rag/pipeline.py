"""Reading -> Report: one pass from the fields of a photo to a report with citations.

queries -> search -> conflicts -> formula -> diagnosis -> plan -> writer -> check -> report. Every arrow is timed and
what went over it is kept in the trace. Nothing that a photo, a manual or a model says can raise out of `inspect`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import Field

from knowledge.articles import Language
from rag.consult import Consultant, Consulted, Knowledge, merge_pieces
from rag.errors import RagError
from rag.evidence import Evidence, EvidenceOptions, Piece, estimate_tokens
from rag.formula import replace_instruments
from rag.needle import FormulaOptions
from rag.plan import Planned
from rag.prompt import Task
from rag.queries import Query, reading_slots
from rag.report import PHOTO, Report, Section, Statement, build_report
from rag.templates import clean_text, sentence, sentences
from rag.trace import Replacement, SentPiece, Stopwatch, Trace, new_request_id, request_logger
from rag.verify import check_rewrite, check_support
from rag.writer import Draft, TemplateWriter, Writer
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
    """An inspection and what happened on the way."""

    inspection: Inspection
    trace: Trace


@dataclass(frozen=True)
class Pipeline:
    """The chain. Safe to share between threads if its writer is."""

    knowledge: Knowledge
    writer: Writer = field(default_factory=TemplateWriter)
    options: PipelineOptions = field(default_factory=PipelineOptions)

    def inspect(self, photo_reading: PhotoReading, language: Language | None = None, request_id: str | None = None) -> Inspection:
        """The inspection of one photo's reading, in `language` (the options' by default)."""
        return self.run(photo_reading, language, request_id).inspection

    def run(self, photo_reading: PhotoReading, language: Language | None = None, request_id: str | None = None) -> Run:
        """Like `inspect`, with the trace: what was asked, what was sent to the writer, what was refused."""
        language = language or self.options.language
        request_id = request_id or new_request_id()
        log = request_logger(request_id)
        watch = Stopwatch()
        if photo_reading.status == "error":
            log.info("photo could not be opened: %s", photo_reading.reason)
            inspection = Inspection(request_id=request_id, reading=photo_reading, timing_ms=dict(photo_reading.timing_ms))
            return Run(inspection, self._trace(request_id, language, (), Draft(texts=()), [], [], watch))
        consultant = Consultant(self.knowledge, self.options.formula, self.options.evidence)
        consulted = [
            consultant.consult(reading, number, photo_reading.instruments, language, watch)
            for number, reading in enumerate(photo_reading.instruments, 1)
        ]
        planned = [list(one.planned) for one in consulted] or [[_nothing_read(photo_reading, language)]]
        with watch.stage("writing"):
            draft, notes = self._write([sentence for section in planned for sentence in section], consulted, language)
        with watch.stage("checking"):
            said, replaced = _check(planned, draft)
        notes = [note for one in consulted for note in one.notes] + notes
        if replaced:
            total = sum(1 for text in draft.texts if text is not None)
            notes.append(sentence("note_replaced", language, count=str(len(replaced)), total=str(max(total, len(replaced)))))
        evidence = merge_pieces(piece for one in consulted for piece in one.pieces)
        reading = replace_instruments(photo_reading, [one.calibration.reading for one in consulted])
        report = _report(reading, said, evidence, language, notes)
        inspection = Inspection(
            request_id=request_id,
            reading=reading,
            queries=tuple(query for one in consulted for query in one.queries),
            evidence=tuple(piece.evidence() for piece in evidence),
            report=report,
            timing_ms={**photo_reading.timing_ms, **watch.timing_ms},
        )
        log.info(
            "report of %d statements, %d replaced, %.0f ms", len(report.statements), len(replaced), sum(watch.timing_ms.values())
        )
        return Run(inspection, self._trace(request_id, language, consulted, draft, replaced, notes, watch))

    def _write(self, planned: Sequence[Planned], consulted: Sequence[Consulted], language: Language) -> tuple[Draft, list[str]]:
        """The writer's texts, one a sentence (None where it was not asked or failed), and notes about it."""
        asked = [index for index, one in enumerate(planned) if one.rewrite]
        nothing = Draft(texts=(None,) * len(planned))
        if not asked or isinstance(self.writer, TemplateWriter):
            return nothing, []
        if language not in self.writer.languages:
            return nothing, [sentence("note_writer_language", language, writer=self.writer.name)]
        question = "; ".join(query.text for one in consulted for query in one.queries)
        pieces = merge_pieces(piece for one in consulted for piece in one.pieces)
        try:
            draft = self.writer.write(Task(tuple(planned[index].text for index in asked), language, pieces, question))
        except Exception as error:  # a writer is foreign code: whatever it raises, the user gets the templates
            reason = str(error) if isinstance(error, RagError) else f"{type(error).__name__}: {error}"
            return nothing, [sentence("note_writer_failed", language, reason=reason or type(error).__name__)]
        texts: list[str | None] = [None] * len(planned)
        for index, text in zip(asked, draft.texts, strict=False):
            texts[index] = text if text is not None else ""
        return Draft(tuple(texts), draft.sent, draft.seconds), []

    def _trace(
        self,
        request_id: str,
        language: Language,
        consulted: Sequence[Consulted],
        draft: Draft,
        replaced: Sequence[Replacement],
        notes: Sequence[str],
        watch: Stopwatch,
    ) -> Trace:
        sent = tuple(
            SentPiece(
                instrument=number,
                query=p.query,
                chunk=p.chunk.id,
                role=p.role,
                score=p.score,
                text=p.sent,
                tokens=estimate_tokens(p.sent),
            )
            for number, one in enumerate(consulted, 1)
            for p in one.pieces
        )
        return Trace(
            request_id=request_id,
            language=language,
            writer=self.writer.name,
            knowledge_version=self.knowledge.version,
            pieces=sent,
            prompts=draft.sent,
            rewritten=sum(1 for text in draft.texts if text is not None),
            replaced=tuple(replaced),
            notes=tuple(notes),
            timing_ms=watch.timing_ms,
        )


def _nothing_read(photo: PhotoReading, language: Language) -> Planned:
    reason = clean_text(photo.reason or "").rstrip(".。")
    fixed = sentences()["no_instruments"].fixed_words(language)
    return Planned(sentence("no_instruments", language, reason=reason), (PHOTO,), (reason,), fixed, rewrite=False)


def _check(planned: Sequence[Sequence[Planned]], draft: Draft) -> tuple[list[list[Statement]], list[Replacement]]:
    """Each written sentence against what it was to say; what fails is replaced by the planned one and counted."""
    replaced: list[Replacement] = []
    texts = iter(draft.texts)
    said: list[list[Statement]] = []
    for section in planned:
        statements: list[Statement] = []
        for one in section:
            written = next(texts, None)
            text = one.text
            if written is not None:
                verdict = check_rewrite(written, one.text)
                if verdict.supported:
                    text = clean_text(written)
                else:
                    replaced.append(Replacement(written=written or None, kept=one.text, problems=verdict.problems))
            supported = bool(one.citations) and check_support(text, one.sources, one.fixed).supported
            statements.append(Statement(text=text, citations=one.citations, supported=supported))
        said.append(statements)
    return said, replaced


def _report(
    reading: PhotoReading,
    said: Sequence[Sequence[Statement]],
    evidence: Sequence[Piece],
    language: Language,
    notes: Sequence[str],
) -> Report:
    sections = [Section(None, tuple(said[0]))] if not reading.instruments else []
    for number, (instrument, statements) in enumerate(zip(reading.instruments, said, strict=False), 1):
        kind = reading_slots(instrument, language)["kind_name"]
        heading = sentence("heading_instrument", language, number=str(number), kind_name=kind)
        if instrument.instrument_model is not None:
            heading += f" ({clean_text(instrument.instrument_model, 60)})"
        sections.append(Section(heading, tuple(statements)))
    by_id = {piece.chunk.id: piece.chunk for piece in evidence}
    cited = dict.fromkeys(id for section in sections for statement in section.statements for id in statement.citations)
    return build_report(sections, [by_id[id] for id in cited if id in by_id], language, notes)
