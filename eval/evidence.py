"""Evidence cut into facts: sentences and table rows with their clauses, terms and quantities."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from eval.claims import Claim, Language, Span, extract_claims, language_of, sentence_spans
from eval.quantities import Quantity, units_in

READING = "photo"
_TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$")
_TABLE_RULE = re.compile(r"^\s*\|[\s:|-]+\|\s*$")
_HEADING = re.compile(r"^#{1,6}\s")


class Fact(NamedTuple):
    """One sentence, table row or pair of neighbouring sentences of the evidence.

    `clauses` are its claims, `terms` all its words in both languages' normal forms, `units` those that its
    surroundings name; `parts` the sentences in it.
    """

    source: str
    text: str
    language: Language
    clauses: tuple[Claim, ...]
    terms: frozenset[str]
    quantities: tuple[Quantity, ...]
    units: frozenset[str]
    parts: int = 1


@lru_cache(maxsize=512)
def text_facts(source: str, text: str) -> tuple[Fact, ...]:
    """Facts of a text: each sentence, each table row with its header, each pair of neighbouring sentences.

    Kept for the last texts: a server holds the same few chunks against every report.
    """
    units = units_in(text)
    sentences = [make_fact(source, span.text, units) for span in _prose(text)]
    pairs = [join_facts(first, second) for first, second in pairwise(sentences)]
    rows = [_row_fact(source, row, units) for row in table_rows(text)]
    return (*sentences, *rows, *pairs)


def make_fact(source: str, text: str, units: frozenset[str] = frozenset()) -> Fact:
    """A fact of one sentence."""
    clauses = extract_claims(text)
    quantities = tuple(quantity for clause in clauses for quantity in clause.quantities)
    return Fact(source, text, language_of(text), clauses, all_terms(text), quantities, units | units_in(text))


def _row_fact(source: str, row: str, units: frozenset[str]) -> Fact:
    """A table row: every cell speaks of what the first one names, and says no for itself alone ("Action: None")."""
    fact = make_fact(source, row, units)
    first, *rest = [cell.strip() for cell in re.split(r"[;；](?=\s?[^;；:]+[:：])|(?<=；)", row) if cell.strip()]
    key = all_terms(first)
    cells = [clause for cell in (first, *rest) for clause in extract_claims(cell)]
    clauses = tuple(clause.model_copy(update={"subject_terms": clause.subject_terms | key}) for clause in cells)
    return fact._replace(clauses=clauses or fact.clauses)


def all_terms(text: str) -> frozenset[str]:
    """Terms of a text in either language."""
    from eval.claims_en import english_terms
    from eval.claims_zh import chinese_terms

    return chinese_terms(text) if language_of(text) == "zh" else english_terms(text) | chinese_terms(text)


def table_rows(text: str) -> list[str]:
    """Rows of Markdown tables as sentences that carry their header: `Colour red; Meaning stop.`"""
    rows: list[str] = []
    header: list[str] | None = None
    for line in text.splitlines():
        if not _TABLE_ROW.match(line):
            header = None
        elif header is None:
            header = _cells(line)
        elif not _TABLE_RULE.match(line):
            named = zip(header, _cells(line), strict=False)
            mark, stop = ("；", "。") if language_of(line) == "zh" else ("; ", ".")
            rows.append(mark.join(f"{name}: {cell.rstrip('.。')}" for name, cell in named if cell) + stop)
    return rows


def join_facts(*facts: Fact) -> Fact:
    """Several facts as one, with the source and language of the first."""
    return Fact(
        source=facts[0].source,
        text=" ".join(fact.text for fact in facts),
        language=facts[0].language,
        clauses=tuple(clause for fact in facts for clause in fact.clauses),
        terms=frozenset().union(*(fact.terms for fact in facts)),
        quantities=tuple(quantity for fact in facts for quantity in fact.quantities),
        units=frozenset().union(*(fact.units for fact in facts)),
        parts=sum(fact.parts for fact in facts),
    )


def joined(fact: Fact, others: Iterable[Fact]) -> Fact:
    """The fact with further words and quantities; source and clauses stay its own."""
    rest = list(others)
    whole = join_facts(fact, *rest)
    return whole._replace(text=fact.text, clauses=fact.clauses, language=fact.language, parts=fact.parts)


def _prose(text: str) -> list[Span]:
    plain = "\n".join("" if _TABLE_ROW.match(line) or _HEADING.match(line) else line for line in text.splitlines())
    return list(sentence_spans(plain))


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("*` ") for cell in line.strip().strip("|").split("|")]
