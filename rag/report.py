"""What a report is made of: statements with their citations, and the document that people read.

`Report` travels in the inspection's JSON. `Document` holds the same statements in the order of an answer: the value
with its interval and status first, what it means, what to do, how it was read, what is missing, the passages cited.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from knowledge.articles import Chunk, Language
from vision.fields import Contract, Fraction, Kind, Weights

PHOTO = "photo"

PartName = Literal["meaning", "action", "reading", "missing"]
PARTS: tuple[PartName, ...] = ("meaning", "action", "reading", "missing")
"""Parts of an instrument's section in the order in which they are read."""

Tone = Literal["danger", "attention", "good", "unknown", "neutral"]
TONES: tuple[Tone, ...] = ("danger", "attention", "unknown", "good", "neutral")
"""From the gravest on: of several findings the gravest gives a headline its colour."""


class Statement(Contract):
    """One sentence. `citations` are chunk ids of the inspection's evidence, or `photo#1` for the first instrument."""

    text: str
    citations: tuple[str, ...]
    supported: bool


class Report(Contract):
    """All statements in reading order, and the Markdown that shows them with a section an instrument."""

    statements: tuple[Statement, ...]
    markdown: str


class Headline(Contract):
    """An instrument in one line. `value` and `interval` carry their unit; both are None where nothing was read."""

    value: str | None = None
    interval: str | None = None
    status: str
    tone: Tone
    confidence: Fraction | None = None


class Part(Contract):
    """Statements that answer one question of the reader's."""

    name: PartName
    statements: tuple[Statement, ...]


class Section(Contract):
    """One instrument; `number` counts from 1, None for what concerns the whole photo (`title` and `headline` too)."""

    number: Annotated[int, Field(ge=1)] | None = None
    kind: Kind | None = None
    title: str | None = None
    headline: Headline | None = None
    parts: tuple[Part, ...] = ()


class Source(Contract):
    """A cited passage under its number: which document, version, section and page, and its words."""

    number: Annotated[int, Field(ge=1)]
    chunk: str
    title: str
    version: str
    date: str
    section: str
    section_title: str
    page: int | None = None
    text: str

    @property
    def place(self) -> str:
        """The place for people: title, section with its title, page, version with its date."""
        section = f", §{self.section} {self.section_title}".rstrip() if self.section else f", {self.section_title}"
        page = f", p. {self.page}" if self.page is not None else ""
        return f"{self.title}{section if self.section or self.section_title else ''}{page} (v{self.version}, {self.date})"


class About(Contract):
    """By what and from what a document was made; `made_at` is an ISO 8601 moment in UTC."""

    request_id: str
    made_at: str
    photo: str
    sha256: str | None
    weights: Weights
    writer: str
    knowledge_version: str


class Document(Contract):
    """A report as people read it, in whatever format."""

    language: Language
    sections: tuple[Section, ...]
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    about: About

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All statements in reading order."""
        return tuple(one for section in self.sections for part in section.parts for one in part.statements)


def photo_citation(instrument: int | None) -> str:
    """`photo#2` for the second instrument, `photo` for the photo as a whole."""
    return PHOTO if instrument is None else f"{PHOTO}#{instrument}"


def number_sources(chunks: dict[str, Chunk], cited: tuple[str, ...]) -> tuple[Source, ...]:
    """The cited chunks under their numbers, in the order of first citation; photos are no passages."""
    known = [chunks[id] for id in dict.fromkeys(cited) if id in chunks]
    return tuple(
        Source(
            number=number,
            chunk=chunk.id,
            title=chunk.title,
            version=chunk.version,
            date=chunk.effective_date.isoformat(),
            section=chunk.section,
            section_title=chunk.section_title,
            page=chunk.page,
            text=chunk.verbatim,
        )
        for number, chunk in enumerate(known, 1)
    )
