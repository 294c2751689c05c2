"""What HTML and PDF share: citations as marks, the picture's description, the lines of the footer."""

from __future__ import annotations

import re
from typing import NamedTuple

from rag.layout import label
from rag.report import Document, Headline, Section, Statement

_SEEN_MARK = re.compile(r"(photo|history)(?:#(\d+))?")


class Mark(NamedTuple):
    """A citation as it is shown: its text, and the number of the passage that it leads to, None for the photo."""

    text: str
    source: int | None


def marks_of(statement: Statement, document: Document) -> tuple[Mark, ...]:
    """The citations of a statement: photo and earlier readings, then passages by number; what is unknown keeps its name."""
    numbers = {source.chunk: source.number for source in document.sources}
    seen = [Mark(_seen_text(one, document), None) for one in statement.citations if one not in numbers]
    passages = sorted(numbers[one] for one in statement.citations if one in numbers)
    return (*seen, *(Mark(str(number), number) for number in passages))


def _seen_text(citation: str, document: Document) -> str:
    match = _SEEN_MARK.fullmatch(citation)
    if match is None:
        return citation
    name, number = match.groups()
    return label(f"{name}_mark", document.language, number=number) if number else label("photo_whole", document.language)


def headline_text(headline: Headline) -> str:
    """A headline in one line."""
    shown = [headline.value, headline.interval, headline.status]
    return ", ".join(part for part in shown if part)


def picture_text(document: Document) -> str:
    """The description of the picture for those who cannot see it: every instrument with its headline."""
    shown = "; ".join(
        f"{section.title}: {headline_text(section.headline)}"
        for section in document.sections
        if section.title is not None and section.headline is not None
    )
    return label("picture_text", document.language, shown=shown or label("no_value", document.language))


def footer_lines(document: Document) -> tuple[tuple[str, str], ...]:
    """Names and values of what a report was made by and from."""
    about, language = document.about, document.language
    weights = f"{about.weights.name} {about.weights.version}"
    lines = [
        ("made", about.made_at.replace("T", " ").replace("+00:00", " UTC")),
        ("photo_file", about.photo),
        ("sha256", about.sha256 or ""),
        ("request", about.request_id),
        ("reader", weights),
        ("writer", about.writer),
        ("manuals", about.knowledge_version),
    ]
    return tuple((label(name, language), value) for name, value in lines if value)


def overview(document: Document) -> tuple[Section, ...]:
    """The instruments that an overview lists: all, where there are so many that one is needed."""
    found = tuple(section for section in document.sections if section.headline is not None)
    return found if len(found) >= OVERVIEW_FROM else ()


OVERVIEW_FROM = 3
"""A photo with so many instruments gets a table of all of them first."""
