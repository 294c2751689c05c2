"""Planned sentences become statements: a writer rewords them, the check decides, and what is refused is asked for once more.

A sentence that is refused twice is the template's. Nothing that a writer says reaches the report unchecked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from knowledge.articles import Language
from rag.errors import RagError, WriterError
from rag.evidence import Piece
from rag.plan import Planned
from rag.prompt import Task
from rag.report import Statement
from rag.templates import clean_text, sentence
from rag.trace import LOGGER, Replacement, Stopwatch
from rag.verify import Refused, check_support, repair
from rag.writer import TemplateWriter, Writer

MAX_SENTENCE = 2000
"""Characters of a writer's sentence that are shown; a template's sentence is shown whole."""


class Call(NamedTuple):
    """One call of a writer: the facts it was given, what was wrong with earlier texts of them, and its texts or `failure`."""

    facts: tuple[str, ...]
    complaints: tuple[str, ...]
    texts: tuple[str | None, ...] = ()
    failure: str | None = None


class Composed(NamedTuple):
    """A statement for each planned sentence, in order, and how it came about. `languages`: those that the writer can write."""

    statements: tuple[Statement, ...]
    calls: tuple[Call, ...] = ()
    refused: tuple[Refused, ...] = ()
    replaced: tuple[Replacement, ...] = ()
    rewritten: int = 0
    sent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    languages: tuple[Language, ...] = ()


@dataclass
class _Desk:
    """The writer at work on one report: every call is kept."""

    writer: Writer
    task: Task
    calls: list[Call] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)

    def write(self, facts: Sequence[str], complaints: Sequence[str] = ()) -> list[str | None]:
        """One text a fact; an empty one where the writer wrote nothing. Raises WriterError where the writer fails."""
        task = self.task._replace(sentences=tuple(facts), complaints=tuple(complaints))
        try:
            draft = self.writer.write(task)
        except Exception as error:  # a writer is foreign code
            reason = _reason(error)
            self.calls.append(Call(task.sentences, task.complaints, failure=reason))
            raise WriterError(reason) from error
        texts = tuple(text if isinstance(text, str) else None for text in draft.texts)
        self.calls.append(Call(task.sentences, task.complaints, texts))
        self.sent += draft.sent
        return [text or "" for text in texts]


def compose(
    planned: Sequence[Planned],
    writer: Writer,
    language: Language,
    pieces: tuple[Piece, ...],
    question: str,
    watch: Stopwatch,
) -> Composed:
    """The statements of all planned sentences, in `writer`'s words where they hold."""
    desk = _Desk(writer, Task((), language, pieces, question))
    with watch.stage("writing"):
        drafts, notes = _first_drafts(planned, desk, language)
    with watch.stage("checking"):
        repaired = repair([one.text for one in planned], drafts, lambda which, why: _again(planned, desk, watch, which, why))
        statements = [
            _state(one, text if text == one.text else clean_text(text, MAX_SENTENCE))
            for one, text in zip(planned, repaired.texts, strict=True)
        ]
        kept = {index: repaired.problems(index) for index in repaired.replaced}
        for index, one in enumerate(planned):
            if statements[index].supported or statements[index].text == one.text:
                continue
            template = _state(one, one.text)
            # A rewording that its own sources do not bear out is refused too, where they do bear out the template's.
            if template.supported:
                kept[index] = ("its sources do not support it",)
                statements[index] = template
    written = {one.index: one.written for one in repaired.refused}
    replaced = tuple(Replacement(written=written.get(n) or None, kept=planned[n].text, problems=kept[n]) for n in sorted(kept))
    return Composed(
        statements=tuple(statements),
        calls=tuple(desk.calls),
        refused=repaired.refused,
        replaced=replaced,
        rewritten=sum(1 for text in drafts if text is not None),
        sent=tuple(desk.sent),
        notes=tuple(notes),
        languages=tuple(writer.languages),
    )


def _first_drafts(planned: Sequence[Planned], desk: _Desk, language: Language) -> tuple[list[str | None], list[str]]:
    """A text for each planned sentence, None where none was asked for or the writer failed; and notes about it."""
    drafts: list[str | None] = [None] * len(planned)
    asked = [index for index, one in enumerate(planned) if one.rewrite]
    if not asked or isinstance(desk.writer, TemplateWriter):
        return drafts, []
    if language not in desk.writer.languages:
        return drafts, [sentence("note_writer_language", language, writer=desk.writer.name)]
    try:
        texts = desk.write([planned[index].text for index in asked])
    except WriterError as error:  # whatever a writer does, the user gets the templates
        return drafts, [sentence("note_writer_failed", language, reason=str(error))]
    for index, text in zip(asked, texts, strict=False):
        drafts[index] = text
    return drafts, []


def _again(
    planned: Sequence[Planned], desk: _Desk, watch: Stopwatch, which: Sequence[int], why: Sequence[str]
) -> Sequence[str | None]:
    with watch.stage("writing", within="checking"):
        try:
            return desk.write([planned[index].text for index in which], why)
        except WriterError as error:
            LOGGER.warning("the writer %s failed on refused sentences: %s", desk.writer.name, error)
            return ()


def _reason(error: Exception) -> str:
    text = str(error) if isinstance(error, RagError) else f"{type(error).__name__}: {error}"
    return text.strip() or type(error).__name__


def _state(planned: Planned, text: str) -> Statement:
    supported = bool(planned.citations) and check_support(text, planned.sources, planned.fixed).supported
    return Statement(text=text, citations=planned.citations, supported=supported)
