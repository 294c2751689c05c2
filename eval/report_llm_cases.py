"""What a language model is measured on: sentences of the shipped manuals by what makes them hard, and questions with contexts.

Nothing is drawn: the same corpus gives the same cases.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from eval.query_set import QueryCase, load_query_set
from knowledge.articles import Chunk
from knowledge.chunks import find_references
from knowledge.search import KnowledgeBase
from knowledge.statements import statement_sentences
from rag.trim import trim
from rag.verify import find_numbers

StressKind = Literal["numeric", "comparative", "conditional", "negative", "multi-hop"]
STRESS_KINDS: tuple[StressKind, ...] = ("numeric", "comparative", "conditional", "negative", "multi-hop")
MOST_CHUNKS = 5
CHUNK_TOKENS = 100
"""A passage is cut to about this length: what is compared is their number and place, on a machine without a GPU."""

_COMPARATIVE = re.compile(r"\b(?:than|above|below|at least|at most|exceeds?)\b", re.IGNORECASE)
_CONDITIONAL = re.compile(r"\b(?:if|when|unless|until|once|as soon as)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:not|no|never|without|cannot|none)\b", re.IGNORECASE)
_SLICES = ("numeric", "conditional", "negative", "english")


class StressCase(NamedTuple):
    """A fact to put into words, and what makes it hard."""

    kind: StressKind
    fact: str


class ContextCase(NamedTuple):
    """A question, the passage that answers it, passages that do not, and the pattern of the answering words."""

    question: str
    heading: str
    answer: str
    others: tuple[str, ...]
    anchor: str


def stress_cases(chunks: Iterable[Chunk], each: int) -> tuple[StressCase, ...]:
    """At most `each` facts of every kind from English manuals, spread over the documents."""
    valid = [chunk for chunk in chunks if chunk.language == "en" and chunk.status == "valid"]
    titles = {(chunk.document, chunk.section): chunk.section_title for chunk in valid}
    found: dict[StressKind, dict[str, list[str]]] = {kind: {} for kind in STRESS_KINDS}
    for chunk in valid:
        for sentence in statement_sentences(chunk.verbatim):
            if re.search(r"[|`]|^[-*] ", sentence) or not 30 <= len(sentence) <= 140 or not sentence.endswith("."):
                continue
            kind, fact = _classified(sentence, chunk, titles)
            if kind is not None:
                found[kind].setdefault(chunk.document, []).append(fact)
    return tuple(StressCase(kind, fact) for kind in STRESS_KINDS for fact in _spread(found[kind], each))


def _classified(sentence: str, chunk: Chunk, titles: dict[tuple[str, str], str]) -> tuple[StressKind | None, str]:
    for section in find_references(sentence):
        title = titles.get((chunk.document, section))
        if title:
            return "multi-hop", f"{sentence} Section {section} is called {title}."
    if _COMPARATIVE.search(sentence):
        return "comparative", sentence
    if _CONDITIONAL.search(sentence):
        return "conditional", sentence
    if _NEGATIVE.search(sentence):
        return "negative", sentence
    measured = any(number.unit for number in find_numbers(sentence)) and re.search(r"\d", sentence)
    return ("numeric" if measured else None), sentence


def _spread(by_document: dict[str, list[str]], most: int) -> list[str]:
    """The first of every document, then the second, up to `most`."""
    taken: list[str] = []
    for turn in range(max((len(facts) for facts in by_document.values()), default=0)):
        taken += [facts[turn] for _, facts in sorted(by_document.items()) if turn < len(facts)]
    return taken[:most]


def context_cases(kb: KnowledgeBase, count: int) -> tuple[ContextCase, ...]:
    """`count` English test queries with an answer, taken in turn from the slices, with what else a search finds for them."""
    cases: list[ContextCase] = []
    for case in _in_turn([one for one in load_query_set() if one.language == "en" and one.answers and one.query_name is None]):
        if len(cases) == count:
            break
        made = _context_case(kb, case)
        if made is not None:
            cases.append(made)
    return tuple(cases)


def _in_turn(cases: Sequence[QueryCase]) -> list[QueryCase]:
    # By a hash of the id, so that neighbours in the set, which ask about one instrument, do not come first together.
    mixed = sorted(cases, key=lambda case: hashlib.sha256(case.id.encode()).digest())
    slices = [[case for case in mixed if case.slice == name] for name in _SLICES]
    longest = max((len(one) for one in slices), default=0)
    return [one[turn] for turn in range(longest) for one in slices if turn < len(one)]


def _context_case(kb: KnowledgeBase, case: QueryCase) -> ContextCase | None:
    chunks = [hit.chunk for hit in kb.search(case.text, model=case.model, k=12)]
    answer = next((chunk for chunk in chunks if case.answered_by(chunk)), None)
    others = [chunk for chunk in chunks if not case.answered_by(chunk)]
    if answer is None or len(others) < MOST_CHUNKS - 1:
        return None
    anchor = next(one.anchor for one in case.answers if one.holds(answer))
    words = re.search(anchor, answer.verbatim)
    quoted = trim(answer.verbatim, (words.group(),) if words else (), CHUNK_TOKENS)
    rest = tuple(trim(chunk.verbatim, (), CHUNK_TOKENS) for chunk in others[: MOST_CHUNKS - 1])
    return ContextCase(case.text, f"{answer.section_title}. {answer.title}", quoted, rest, anchor)
