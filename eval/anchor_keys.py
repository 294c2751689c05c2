"""What anchors are matched by: language-independent terms of a question and of passages, parsed once a text.

Terms are those of the lexical route: words of the synonym graph under their concept, so that "指针" meets "needle"; both
sides go through the same normal form. Parses are kept by content, so that a passage costs its parse once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from eval.claims import Span, sentence_claims, sentence_spans
from eval.evidence import table_rows
from eval.quantities import Quantity, find_quantities, in_unit
from knowledge.intents import detect_intent
from knowledge.lexical import terms
from knowledge.questions import clean_question
from knowledge.synonyms import CHINESE

KEPT_PASSAGES = 16_384
KEPT_QUESTIONS = 4096

_TALK_TEXT = """
    mean meaning happen happens know say says said show shows give gives find look want see allowed okay ok may go goe
"""
_TALK = frozenset(_TALK_TEXT.split())
"""Words of asking: no passage has to hold them."""
_VALUES = {
    "red": r"\bred\b|红",
    "yellow": r"\b(?:yellow|amber)\b|黄",
    "green": r"\bgreen\b|绿",
    "off": r"\b(?:off|dark|not lit)\b|熄灭|不亮",
    "normal": r"\bnormal\b|正常",
    "warning": r"\bwarning\b|预警",
    "alarm": r"\balarms?\b|报警",
}

_POSITION = r"^\| *{number} *\||(?:position|档位|位置|第)\s*{number}(?!\d)"
_CODE = r"(?:\b[a-z]{{1,5}}|代码) ?-?{code}(?!\d)"
_RULE = re.compile(r"^\s*\|[\s:|-]+\|\s*$", re.MULTILINE)


class NamedValue(NamedTuple):
    """A constraint that is a word or number of the question: `pattern` finds it in a lower-case passage."""

    text: str
    pattern: re.Pattern[str]


class QuestionAnchors(NamedTuple):
    """Anchors of a question. Entities are terms, relations pairs of terms, `values` and `quantities` its constraints."""

    entities: tuple[str, ...]
    relations: tuple[tuple[str, str], ...]
    values: tuple[NamedValue, ...]
    quantities: tuple[Quantity, ...]

    @property
    def any(self) -> bool:
        """Whether there is an anchor at all."""
        return bool(self.entities or self.values or self.quantities)


class ParsedPassage(NamedTuple):
    """A passage as anchors see it: all its terms with those of its title, the terms of each statement, its numbers."""

    terms: frozenset[str]
    statements: tuple[frozenset[str], ...]
    quantities: tuple[Quantity, ...]
    lowered: str


@lru_cache(maxsize=KEPT_PASSAGES)
def parse_passage(text: str, title: str = "") -> ParsedPassage:
    """The parse of a passage, kept by its content. Every statement stands under the title."""
    above = frozenset(terms(title))
    rows = table_rows(text)
    said = [span.text for span in sentence_spans(_RULE.sub("", text))] + rows
    statements = tuple(frozenset(terms(one)) | above for one in said)
    return ParsedPassage(
        terms=above.union(*statements, terms(text)),
        statements=statements,
        quantities=find_quantities(text),
        lowered=f"{text}\n{chr(10).join(rows)}".casefold(),
    )


@lru_cache(maxsize=KEPT_QUESTIONS)
def find_anchors(question: str) -> QuestionAnchors:
    """The anchors of a question; politeness and question words are none."""
    asked = clean_question(question)
    intent = detect_intent(asked)
    quantities = find_quantities(asked)
    plain = _without(asked, quantities)
    values = [NamedValue(word, re.compile(_VALUES[word])) for word in (intent.color, intent.level) if word is not None]
    if intent.position is not None:
        number = intent.position
        values.append(
            NamedValue(
                f"position {number}", re.compile(rf"^\| *{number} *\||(?:position|档位|位置|第)\s*{number}(?!\d)", re.MULTILINE)
            )
        )
        quantities = tuple(one for one in quantities if one.unit is not None or one.low != number)
    values += [NamedValue(f"code {code}", re.compile(_CODE.format(code=code))) for code in intent.codes]
    named = {value.text for value in values}
    entities = tuple(term for term in _content(plain) if term not in named)
    return QuestionAnchors(entities, _relations(plain, frozenset(entities)), tuple(values), quantities)


def holds_quantity(passage: ParsedPassage, wanted: Quantity) -> bool:
    """Whether a number of the passage speaks of the wanted one: in a comparable unit, equal to it or a range around it."""
    return any(_reaches(one, wanted) for one in passage.quantities)


def _reaches(stated: Quantity, wanted: Quantity) -> bool:
    ends = [in_unit(end, stated.unit, wanted.unit) if wanted.unit else end for end in (stated.low, stated.high)]
    if ends[0] is None or ends[1] is None:
        return False
    low = -math.inf if stated.bound == "at most" else min(ends[0], ends[1])
    high = math.inf if stated.bound == "at least" else max(ends[0], ends[1])
    slack = 1e-9 * max(1.0, abs(wanted.low), abs(wanted.high))
    return low - wanted.half_low - slack <= wanted.low and wanted.high <= high + wanted.half_high + slack


def _without(text: str, quantities: Iterable[Quantity]) -> str:
    for one in sorted(quantities, key=lambda quantity: -quantity.start):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text


def _content(text: str) -> tuple[str, ...]:
    """Terms that a passage should hold, each once. Chinese pairs count only where no word of the graph is known."""
    found = [term for term in dict.fromkeys(terms(text)) if term not in _TALK and not term.isdigit()]
    known = [term for term in found if not CHINESE.search(term)]
    return tuple(known or found)


def _relations(text: str, entities: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Neighbouring entities of one clause: what the question ties together."""
    plain = text.rstrip(" ?？。.!！")
    clauses = [claim.text for claim in sentence_claims(Span(plain, 0, len(plain)))] or [plain]
    pairs = [pair for clause in clauses for pair in pairwise(term for term in _content(clause) if term in entities)]
    return tuple(dict.fromkeys(pairs))
