"""Highlights that can be followed both ways: every term of a question to its places in what was found, and back.

A term is a concept of the synonym graph, or any other content word in its normal form. Where a text names it in other
words ("needle" for "pointer", "油温" for "oil temperature"), a note says so; a term that nothing found holds is said too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from eval.walkthrough.labels import Labels
from knowledge.lexical import STOPWORDS, terms
from knowledge.synonyms import CHINESE, shipped_graph

_WORD = re.compile(r"[a-z0-9]+(?:[.\-_/'][a-z0-9]+)*|[\u3400-\u9fff]{2,}")
_MOST_MARKS = 2000
"""Marks of one text: beyond that nobody follows them."""


class Place(NamedTuple):
    """A term in a text: its key, and where it stands."""

    key: str
    start: int
    end: int


class Mark(NamedTuple):
    """A marked place of a found text: the question's term, and how it is said there where that differs."""

    start: int
    end: int
    term: int
    note: str | None


@dataclass
class Term:
    """A term of a question under its number from 1, and in which other words the found texts say it."""

    number: int
    text: str
    start: int
    end: int
    found: bool = False
    other_words: dict[str, None] = field(default_factory=dict)

    def note(self, say: Labels) -> str | None:
        """What a reader must know to follow the term; None where it stands there as it was asked."""
        if not self.found:
            return say("term_lost")
        words = say.listed(f"“{word}”" for word in self.other_words)
        return say("term_elsewhere", words=words) if words else None


class Highlighter:
    """The terms of one question, and their places in any text. Marking a text also teaches the terms where they are said."""

    def __init__(self, question: str, say: Labels) -> None:
        self.question = question
        self._say = say
        self._by_key: dict[str, Term] = {}
        self._anchored: set[int] = set()
        self.terms: list[Term] = []
        for place in find_places(question):
            if place.key not in self._by_key:
                term = Term(len(self.terms) + 1, question[place.start : place.end], place.start, place.end)
                self._by_key[place.key] = term
                self.terms.append(term)

    def anchor(self, number: int) -> bool:
        """Whether this is the first time that a term's place is put on the page: there the question's mark leads."""
        first = number not in self._anchored
        self._anchored.add(number)
        return first

    def mark(self, text: str) -> tuple[Mark, ...]:
        """Places of the question's terms in a text, in order and apart from each other."""
        marks: list[Mark] = []
        for place in find_places(text, literal=[key for key in self._by_key if CHINESE.search(key)]):
            term = self._by_key.get(place.key)
            if term is None or len(marks) == _MOST_MARKS:
                continue
            said = text[place.start : place.end]
            other = said.casefold() != term.text.casefold()
            term.found = True
            if other:
                term.other_words[said] = None
            note = self._say("asked_as", word=term.text) if other else None
            marks.append(Mark(place.start, place.end, term.number, note))
        return tuple(marks)


def find_places(text: str, literal: Sequence[str] = ()) -> tuple[Place, ...]:
    """Concepts and content words of a text with their places, in order, without overlap.

    `literal`: Chinese words outside the graph to look for inside longer runs of characters.
    """
    lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    places: list[Place] = []
    last = 0
    for mention in shipped_graph().find(lowered):
        places += _words(lowered, last, mention.start, literal)
        if mention.concept.name not in STOPWORDS:
            places.append(Place(mention.concept.name, mention.start, mention.end))
        last = mention.end
    return (*places, *_words(lowered, last, len(lowered), literal))


def _words(lowered: str, start: int, end: int, literal: Sequence[str]) -> list[Place]:
    found: list[Place] = []
    for match in _WORD.finditer(lowered, start, end):
        word = match.group()
        if CHINESE.match(word):
            found += _chinese(word, match.start(), literal)
        elif len(keys := terms(word)) == 1:
            found.append(Place(keys[0], *match.span()))
    return found


def _chinese(run: str, start: int, literal: Sequence[str]) -> list[Place]:
    """A run of characters that the graph does not know: itself, or the wanted words inside it."""
    wanted = sorted((word for word in literal if word in run), key=len, reverse=True)
    if not wanted:
        return [Place(run, start, start + len(run))]
    pattern = re.compile("|".join(map(re.escape, wanted)))
    return [Place(match.group(), start + match.start(), start + match.end()) for match in pattern.finditer(run)]
