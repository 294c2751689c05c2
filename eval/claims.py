"""Texts into claims: one clause each, with its subject, predicate, object, quantities, negation and condition.

English is parsed by the packaged spaCy pipeline, loaded on first use; Chinese goes by rules. Offsets are
those of the given text, so that every verdict can point at what it judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from eval.quantities import Quantity, find_quantities
from knowledge.sentences import split_sentences
from vision.fields import Contract

Language = Literal["en", "zh"]


class Claim(Contract):
    """One clause that can be true or false.

    `terms`: its content words in a normal form (English stems, Chinese character pairs), those of its
    condition apart; `quantities` hold its condition's too. `negated` is the parity of its negations: a
    doubled one says yes again.
    """

    text: str
    start: int
    end: int
    language: Language
    subject: str | None
    predicate: str | None
    object: str | None
    quantities: tuple[Quantity, ...]
    negated: bool
    condition: str | None
    terms: frozenset[str]
    subject_terms: frozenset[str]
    condition_terms: frozenset[str]


class Span(NamedTuple):
    """A piece of a text with its offsets."""

    text: str
    start: int
    end: int


def extract_claims(text: str) -> tuple[Claim, ...]:
    """Claims of a text in order. Headings, questions, rules and bare citation marks make none."""
    return tuple(claim for sentence in sentence_spans(text) for claim in sentence_claims(sentence))


def sentence_claims(sentence: Span) -> tuple[Claim, ...]:
    """Claims of one sentence, offsets moved to where the sentence stands."""
    from eval.claims_en import english_claims
    from eval.claims_zh import chinese_claims

    find = chinese_claims if language_of(sentence.text) == "zh" else english_claims
    return tuple(moved(claim, sentence.start) for claim in find(sentence.text))


_CJK = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_MARKUP = re.compile(r"^(?:#{1,6}\s|-{3,}|={3,}|\*{3,})")
# A mark of a list has a space behind it: "-22 mm" and "1.6 bar" begin with their numbers.
_BULLET = re.compile(r"^\s*(?:>|[-*+](?=\s)|\d+(?:[.)](?!\d)|、))?\s*")
_STEP = re.compile(r"^\d+\s{2,}")


def language_of(text: str) -> Language:
    """Chinese where Chinese characters outnumber Latin words, else English."""
    return "zh" if len(_CJK.findall(text)) > 2 * len(_LATIN_WORD.findall(text)) else "en"


def sentence_spans(text: str) -> Iterator[Span]:
    """Sentences with offsets; lines are bounds, headings and questions are left out."""
    offset = 0
    for line in text.splitlines(keepends=True):
        if not _MARKUP.match(line):
            yield from _line_spans(line, offset)
        offset += len(line)


def _line_spans(line: str, offset: int) -> Iterator[Span]:
    match = _BULLET.match(line)
    at = match.end() if match else 0
    for sentence in split_sentences(line[at:]):
        start = line.index(sentence, at)
        at = start + len(sentence)
        step = _STEP.match(sentence)
        if step:
            sentence, start = sentence[step.end() :], start + step.end()
        if not sentence.endswith(("?", "？")):
            yield Span(sentence, offset + start, offset + at)


def moved(claim: Claim, by: int) -> Claim:
    """The claim with its offsets moved along by `by` characters."""
    quantities = tuple(q.model_copy(update={"start": q.start + by, "end": q.end + by}) for q in claim.quantities)
    return claim.model_copy(update={"start": claim.start + by, "end": claim.end + by, "quantities": quantities})


def quantities_between(text: str, start: int, end: int) -> tuple[Quantity, ...]:
    """Quantities of a sentence that begin within [start, end); read in the whole sentence, so that "above" before it counts."""
    return tuple(one for one in _cached_quantities(text) if start <= one.start < end)


@lru_cache(maxsize=4096)
def _cached_quantities(text: str) -> tuple[Quantity, ...]:
    return find_quantities(text)
