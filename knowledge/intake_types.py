"""What intake takes in, refuses and reports. Light; the converters load their parsers only when they are needed."""

from __future__ import annotations

from typing import NamedTuple

from knowledge.articles import KnowledgeError
from vision.fields import Contract


class IntakeError(KnowledgeError):
    """A file that is not taken in: `place` within it ("page 3, table 1", "line 12", "" for the whole file) and the reason."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place = place
        self.reason = reason


class Converted(NamedTuple):
    """A document as Markdown: the body with page marks, what its own first heading calls it, and doubts about it."""

    body: str
    title: str | None = None
    notes: tuple[str, ...] = ()


class Refusal(Contract):
    """A file that was not taken in, where in it the fault is, and what is wrong."""

    file: str
    place: str
    reason: str


class Added(Contract):
    """A document that was taken in; `warnings` are faults that its author should mend, though it can be searched."""

    file: str
    document: str
    version: str
    sha256: str
    chunks: int
    warnings: tuple[str, ...] = ()


class IntakeReport(Contract):
    """Outcome of a batch: every file is in exactly one of the three."""

    added: tuple[Added, ...] = ()
    unchanged: tuple[Added, ...] = ()
    refused: tuple[Refusal, ...] = ()


def markdown_table(rows: list[list[str]], place: str) -> str:
    """Rows as a Markdown table whose first row is the header. Raises IntakeError where it is none."""
    if len(rows) < 2:
        raise IntakeError(place, "a table needs a header row and at least one row below it")
    header = rows[0]
    if any(not cell for cell in header):
        raise IntakeError(place, f"the table has no header: the first row has an empty cell in {header}; name every column")
    if any(cell.strip("-−+%. ").replace(".", "").replace(",", "").isdigit() for cell in header):
        raise IntakeError(place, f"the table has no header: the first row holds numbers, {header}; name every column")
    lines = [header, ["---"] * len(header), *rows[1:]]
    return "\n".join("| " + " | ".join(cell_text(cell) for cell in row) + " |" for row in lines)


def cell_text(text: str) -> str:
    """A cell on one line; a bar would end it, so it is written full-width."""
    return " ".join(text.split()).replace("|", "｜")
