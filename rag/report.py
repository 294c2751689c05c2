"""The report: statements with their citations, and the same as Markdown for people.

Everything in the Markdown that came from a photo, a manual or a model is escaped: a nameplate cannot add a link.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.articles import Chunk, Language
from rag.templates import clean_text, sentence
from vision.fields import Contract

PHOTO = "photo"


class Statement(Contract):
    """One sentence. `citations` are chunk ids of the inspection's evidence, or `photo#1` for the first instrument."""

    text: str
    citations: tuple[str, ...]
    supported: bool


class Report(Contract):
    """All statements in reading order, and the Markdown that shows them with a section an instrument."""

    statements: tuple[Statement, ...]
    markdown: str


@dataclass(frozen=True)
class Section:
    """Statements of one instrument under their heading; heading None for what concerns the whole photo."""

    heading: str | None
    statements: tuple[Statement, ...]


def photo_citation(instrument: int | None) -> str:
    """`photo#2` for the second instrument, `photo` for the photo as a whole."""
    return PHOTO if instrument is None else f"{PHOTO}#{instrument}"


def escape_markdown(text: str) -> str:
    """`text` as one line that Markdown shows as it is: no markup, no HTML, no links."""
    line = clean_text(text, 2000)
    line = re.sub(r"([\\`*_\[\]{}<>#|~!&$])", r"\\\1", line)
    return re.sub(r"(?i)\b(https?|ftp|mailto|javascript|data|www)([:.])", r"\1\\\2", line)


def build_report(sections: Sequence[Section], cited: Sequence[Chunk], language: Language, notes: Sequence[str] = ()) -> Report:
    """The report of all sections; `cited`: the chunks that statements cite, in the order of their numbers."""
    numbers = {chunk.id: number for number, chunk in enumerate(cited, 1)}
    lines = [f"# {sentence('heading_report', language)}", ""]
    for section in sections:
        if section.heading is not None:
            lines += [f"## {escape_markdown(section.heading)}", ""]
        lines += [_line(statement, numbers, language) for statement in section.statements]
        lines.append("")
    if cited:
        lines += [f"## {sentence('heading_evidence', language)}", ""]
        lines += [
            f"{number}. {escape_markdown(chunk.citation)} — {escape_markdown(chunk.id)}" for number, chunk in enumerate(cited, 1)
        ]
        lines.append("")
    lines += [f"> {escape_markdown(note)}" for note in notes]
    statements = tuple(statement for section in sections for statement in section.statements)
    return Report(statements=statements, markdown="\n".join(lines).strip() + "\n")


def _line(statement: Statement, numbers: dict[str, int], language: Language) -> str:
    photos = [escape_markdown(one) for one in statement.citations if one not in numbers]
    marks = photos + [str(number) for number in sorted(numbers[one] for one in statement.citations if one in numbers)]
    mark = f" [{', '.join(marks)}]" if marks else ""
    doubt = "" if statement.supported else f" ({sentence('unsupported_mark', language)})"
    return f"- {escape_markdown(statement.text)}{mark}{doubt}"
