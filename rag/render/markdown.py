"""The report as Markdown.

Everything that came from a photo, a manual or a model is escaped: a nameplate cannot add a link.
"""

from __future__ import annotations

import re

from rag.layout import label
from rag.render.view import overview
from rag.report import Document, Headline, Section, Statement
from rag.templates import clean_text, sentence


def escape_markdown(text: str) -> str:
    """`text` as one line that Markdown shows as it is: no markup, no HTML, no links."""
    line = clean_text(text, 2000)
    line = re.sub(r"([\\`*_\[\]{}<>#|~!&$])", r"\\\1", line)
    return re.sub(r"(?i)\b(https?|ftp|mailto|javascript|data|www)([:.])", r"\1\\\2", line)


def render_markdown(document: Document) -> str:
    """The document as Markdown; the same document gives the same bytes."""
    language = document.language
    lines = [f"# {sentence('heading_report', language)}", ""]
    lines += _overview(document)
    numbers = {source.chunk: source.number for source in document.sources}
    for section in document.sections:
        lines += _section(section, numbers, document)
    if document.sources:
        lines += [f"## {sentence('heading_evidence', language)}", ""]
        lines += [
            f"{source.number}. {escape_markdown(source.place)} — {escape_markdown(source.chunk)}" for source in document.sources
        ]
        lines.append("")
    lines += [f"> {escape_markdown(note)}" for note in document.notes]
    return "\n".join(lines).strip() + "\n"


def _overview(document: Document) -> list[str]:
    sections = overview(document)
    if not sections:
        return []
    language = document.language
    heads = [label(name, language) for name in ("instrument", "shows", "status")]
    lines = [f"## {label('overview', language)}", "", f"| {' | '.join(heads)} |", "|---|---|---|"]
    for section in sections:
        if section.headline is not None:
            cells = (section.title or "", headline_value(section.headline), section.headline.status)
            lines.append(f"| {' | '.join(escape_markdown(cell) for cell in cells)} |")
    return [*lines, ""]


def headline_value(headline: Headline) -> str:
    """The value with its interval in one line, or that there is none."""
    if headline.value is None:
        return "–"
    return f"{headline.value} ({headline.interval})" if headline.interval is not None else headline.value


def _section(section: Section, numbers: dict[str, int], document: Document) -> list[str]:
    lines = [f"## {escape_markdown(section.title)}", ""] if section.title is not None else []
    headline = section.headline
    if headline is not None:
        value = f"**{escape_markdown(headline.value)}** " if headline.value is not None else ""
        interval = f"({escape_markdown(headline.interval)}) " if headline.interval is not None else ""
        lines += [f"{value}{interval}— {escape_markdown(headline.status)}".removeprefix("— "), ""]
    for part in section.parts:
        if section.title is not None:
            lines += [f"### {label(part.name, document.language)}", ""]
        lines += [_line(statement, numbers, document) for statement in part.statements]
        lines.append("")
    return lines


def _line(statement: Statement, numbers: dict[str, int], document: Document) -> str:
    photos = [escape_markdown(one) for one in statement.citations if one not in numbers]
    marks = photos + [str(number) for number in sorted(numbers[one] for one in statement.citations if one in numbers)]
    mark = f" [{', '.join(marks)}]" if marks else ""
    doubt = "" if statement.supported else f" ({sentence('unsupported_mark', document.language)})"
    return f"- {escape_markdown(statement.text)}{mark}{doubt}"
