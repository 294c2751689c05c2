"""Linked knowledge: the section that a fact in use sends its reader to, and where that one sends on.

A red lamp's row calls the emergency procedure, the procedure calls the conditions of a restart. Followed by the manual's
own references, a bounded number of steps deep, no place twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from knowledge.articles import Chunk
from knowledge.chunks import find_references
from knowledge.facts import Fact
from knowledge.sentences import split_sentences

MAX_DEPTH = 2
"""Steps from a fact in use: the procedure, and what the procedure itself refers to."""
MAX_LINKS = 4
"""Linked sections of one instrument: more would be a manual, not a report."""

FindSections = Callable[[str, Sequence[str]], Sequence[Chunk]]
"""Chunks of some sections of a document, in its order."""


@dataclass(frozen=True)
class Link:
    """A section that was reached: its chunks, who refers to it, and how many steps away it is (1: from a fact in use)."""

    section: str
    chunks: tuple[Chunk, ...]
    origin: Fact | Chunk
    depth: int

    @property
    def title(self) -> str:
        """The section's title."""
        return self.chunks[0].section_title

    @property
    def origin_section(self) -> str | None:
        """The section that refers here; None where a row in use does."""
        return self.origin.section if isinstance(self.origin, Chunk) else None

    @property
    def wording(self) -> str | None:
        """The sentence with which a section refers here; None where a row in use does."""
        if not isinstance(self.origin, Chunk):
            return None
        lines = [line.strip().lstrip("-* ") for line in self.origin.verbatim.splitlines()]
        parts = [part for line in lines for part in ((line,) if line.startswith("|") else split_sentences(line))]
        return next((part for part in parts if self.section in find_references(part)), None)


def follow_links(
    starts: Iterable[Fact | Chunk],
    document: str,
    find_sections: FindSections,
    *,
    known: Iterable[str] = (),
    depth: int = MAX_DEPTH,
    most: int = MAX_LINKS,
) -> tuple[Link, ...]:
    """Sections that rows or passages in use refer to, then those that these refer to; nearest first, each once.

    `known` are sections that are in use anyway and need no following. A reference to a section that does not exist,
    or back to where it came from, is passed over.
    """
    visited = set(known)
    found: list[Link] = []
    edge: list[tuple[Fact | Chunk, str]] = [(start, section) for start in starts for section in _references(start)]
    for step in range(1, depth + 1):
        following: list[tuple[Fact | Chunk, str]] = []
        for origin, section in edge:
            if section in visited:
                continue
            if len(found) >= most:
                return tuple(found)
            visited.add(section)
            chunks = tuple(chunk for chunk in find_sections(document, (section,)) if chunk.section == section)
            if not chunks:
                continue
            found.append(Link(section, chunks, origin, step))
            following += [(chunk, other) for chunk in chunks for other in chunk.refers_to]
        edge = following
    return tuple(found)


def _references(start: Fact | Chunk) -> tuple[str, ...]:
    return start.refers_to if isinstance(start, Chunk) else find_references(start.text)
