"""A sentence as what it says: items (words in a normal form, quantities, names, marks of logic) in clauses, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from rag.verify.lexicon import Kind, find_phrases, lexicon, unit_words, word_key
from rag.verify.numbers import Quantity, describe, find_marks, find_quantities, fold, unit_spellings

Edge = Literal["none", "weak", "join", "clause"]
"""What stands between two items: nothing; a preposition or copula; `and`, `or`, `then`; the end of a clause."""

_WEAK_TEXT = """of in on at to from by for with as into during within through is are be being been has have that which who whose
than onto per"""
_WEAK = frozenset(_WEAK_TEXT.split())
_SUBJECTS = frozenset(("it", "they", "which", "who", "this", "that"))
_ARTICLES = frozenset(("the", "a", "an", "this", "that", "its"))
_JOINS = frozenset(("and", "or", "but", "then", "so"))
_HAN_WEAK = frozenset("的在由按为是从于对将把被用以至向到与给比")
_HAN_JOINS = frozenset("和或并且及再而则即就也都")
_HAN_FUNCTION = _HAN_WEAK | _HAN_JOINS | frozenset("了其该此之所个着地得里")
_LEADING_TEXT = "according in at for from with by on during within to as per taken read given"
_LEADING = frozenset(_LEADING_TEXT.split())
_HAN_LEADING = "由按从在根据对于取自其中依照为了当用经"
_HELPERS = frozenset(("is", "are", "be", "been", "being", "has", "have"))
_NAME = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]+[-_]?\d[A-Za-z0-9_-]*|\d+[A-Za-z]+-\d+\w*)")
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_HAN = re.compile(r"[\u3400-\u9fff]")
_OPERATOR = re.compile(r"(?<=[\w)\s])\s*([-+*/^=×÷]{1,2})\s*(?=[(\d]|[A-Za-z\u4e00-\u9fff]+\s*[-+*/^)])|->|→|=")
_BRACKETED = re.compile(r"\([^()]*\s[-+*/^]\s[^()]*\)")
_PUNCTUATION = re.compile(r"[,;:!?()\[\]，；：。！？（）]|\.(?=\s|$)")
_STARTS = re.compile(
    r"^(?:(?:and|then|or|also|please|so|first|next|finally|otherwise)\b[,\s]*|[并且再则请即，,\s]|然后|首先|否则)+"
)
_BEGINS = re.compile(r"(?:^|[.:;!?。：；])\s*$")
_MANUAL_SAID = re.compile(
    r"(?:(?<=manual )|(?<=handbook ))(?:declared|stated|said|specified|prescribed|required|named|gave|noted)\b(?! (?:in|by)\b)"
)
_PARTICIPLES = ("ed", "en", "wn", "ept", "eld", "ut", "ade")
_DOUBLED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bit is not (?:true|the case|so) that (.+?) (?:is|are) not\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\bnot only\b|\bbut also\b", re.IGNORECASE), "and"),
    (re.compile(r"并非不|不是不|没有不"), ""),
    (re.compile(r"不得不|不能不"), "必须"),
)
"""Two negations that say yes, and "not only", which says no to nothing."""


class Item(NamedTuple):
    """One thing that a sentence says. `mark`: one of logic, which says something of the item behind it.

    `lead`: `from`, `to`, `by` or `other`, where a preposition stands in front of it, `subject` where a pronoun does;
    `joint`: `and` or `or`; `helped`: a form of "to be" or "to have" stands in front.
    """

    key: str
    text: str
    mark: bool = False
    quantity: Quantity | None = None
    lead: str = ""
    helped: bool = False
    joint: str = ""

    @property
    def shown(self) -> str:
        """The item in words, for a refusal."""
        return describe(self.quantity) if self.quantity is not None else self.text


@dataclass
class Clause:
    """What is said of one clause: under which conditions it holds, whether it may change its place, how it speaks."""

    conditions: set[str] = field(default_factory=set)
    moves: bool = False
    imperative: bool = False
    passive: bool = False
    opened_by: str = ""


@dataclass
class Sentence:
    """All items in order; `clause_of[i]` is the clause of item i, `edges[i]` what stands in front of it."""

    items: list[Item] = field(default_factory=list)
    clause_of: list[int] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)


class _Token(NamedTuple):
    start: int
    end: int
    kind: Kind
    key: str
    quantity: Quantity | None = None


@lru_cache(maxsize=4096)
def parse(text: str) -> Sentence:
    """What a sentence says. Kept: the same text gives the same object, which is not to be changed."""
    folded = fold(text)
    for pattern, plain in _DOUBLED:
        folded = pattern.sub(plain, folded)
    # Lower case must keep every place; a letter that would become two stays.
    lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in folded)
    return _Builder(folded, lowered).build(_tokens(folded, lowered))


def _tokens(folded: str, lowered: str) -> list[_Token]:
    """Tokens in order, without overlap: quantities first, then units and names, then phrases, then single words."""
    taken = bytearray(len(folded))
    found: list[_Token] = []

    def take(token: _Token) -> None:
        if not any(taken[token.start : token.end]):
            taken[token.start : token.end] = b"\x01" * (token.end - token.start)
            found.append(token)

    for quantity in find_quantities(folded):
        take(_Token(quantity.start, quantity.end, "item", "#", quantity))
    for mark in find_marks(folded):
        take(_Token(mark.start, mark.end, "item", mark.key))
    for match in _MANUAL_SAID.finditer(lowered):
        take(_Token(*match.span(), "mark", "PAST"))
    for match in unit_words().finditer(folded):
        # "A" is an article where a sentence begins and goes on.
        if match.group() != "A" or not (_BEGINS.search(folded[: match.start()]) and re.match(r"\s+[a-z]", folded[match.end() :])):
            take(_Token(*match.span(), "item", f"unit:{unit_spellings()[match.group()]}"))
    for match in _NAME.finditer(folded):
        take(_Token(*match.span(), "item", f"name:{match.group().upper()}"))
    for match in _BRACKETED.finditer(folded):
        take(_Token(match.start(), match.start() + 1, "item", "sign:("))
        take(_Token(match.end() - 1, match.end(), "item", "sign:)"))
    for match in _OPERATOR.finditer(folded):
        start, end = match.span(1) if match.group(1) else match.span()
        take(_Token(start, end, "item", f"sign:{folded[start:end]}"))
    rest = "".join("\x01" if used else char for char, used in zip(lowered, taken, strict=True))
    for phrase in sorted(find_phrases(rest), key=lambda one: (one.start, one.start - one.end)):
        take(_Token(*phrase))
    function = lexicon().function
    for match in _WORD.finditer(lowered):
        if len(match.group()) > 1 and match.group() not in function:
            take(_Token(*match.span(), "item", word_key(match.group())))
    for match in _HAN.finditer(lowered):
        if match.group() not in _HAN_FUNCTION:
            take(_Token(*match.span(), "item", match.group()))
    return sorted(found, key=lambda one: one.start)


class _Builder:
    """Puts tokens together: where clauses begin, what stands between items, which marks belong where."""

    def __init__(self, folded: str, lowered: str) -> None:
        self.folded, self.lowered = folded, lowered
        self.made = Sentence()
        self.fresh, self.opened_by = True, ""
        self.waiting: set[str] = set()
        self.joint = ""

    def build(self, tokens: list[_Token]) -> Sentence:
        """The sentence of all tokens."""
        last_end, light = 0, False
        for token in tokens:
            gap = self.lowered[last_end : token.start]
            marks = _PUNCTUATION.findall(gap)
            if marks and self.made.items:
                self.fresh, self.opened_by = True, marks[-1]
            if token.kind == "condition":
                self._condition(token, gap)
                last_end, light = token.end, False
            elif token.kind == "light":
                light = True
            else:
                self._item(token, gap, last_end, light)
                last_end, light = token.end, False
        if self.waiting and self.made.clauses:
            self.made.clauses[-1].conditions |= self.waiting
        self._trailing_marks()
        self._only()
        return self.made

    def _condition(self, token: _Token, gap: str) -> None:
        phrase = self.lowered[token.start : token.end]
        if phrase in lexicon().suffixes and self.made.clauses and not self.fresh:
            clause = self.made.clauses[-1]
            clause.conditions.add(token.key)
            clause.moves = True
            self.opened_by = phrase
        else:
            if self.waiting and self.made.clauses and re.search(r"[a-z]", gap):
                # "until it does, if ...": what came before had no word of its own and belongs to its main clause.
                self.made.clauses[-1].conditions |= self.waiting
                self.waiting = set()
            self.waiting.add(token.key)
        self.fresh, self.joint = True, _joint(gap)

    def _item(self, token: _Token, gap: str, last_end: int, light: bool) -> None:
        made = self.made
        edge: Edge = "clause"
        if self.fresh:
            # What is said of a clause's head counts from behind the mark that opened it.
            bound = max((match.end() for match in _PUNCTUATION.finditer(gap)), default=0)
            at = last_end + (bound if made.items else 0)
            moves = bool(self.waiting) or _leads(self.lowered[at:])
            made.clauses.append(Clause(set(self.waiting), moves, _commands(self.lowered[at:]), opened_by=self.opened_by))
            self.waiting, self.fresh, self.opened_by = set(), False, ""
        else:
            edge = _edge(gap, light, token, self.lowered[token.start : token.end], made.items[-1])
        text = self.folded[token.start : token.end]
        lead, helped = _lead(gap)
        made.items.append(Item(token.key, text, token.kind == "mark", token.quantity, lead, helped, _joint(gap) or self.joint))
        self.joint = ""
        made.clause_of.append(len(made.clauses) - 1)
        made.edges.append(edge)
        if re.search(r"[把将被按对]", gap) or (helped and text.lower().endswith(_PARTICIPLES)):
            made.clauses[-1].passive = True

    def _trailing_marks(self) -> None:
        """ "100 bar or more": the mark goes before its number."""
        made = self.made
        for index in range(1, len(made.items)):
            one, before = made.items[index], made.items[index - 1]
            same = made.clause_of[index] == made.clause_of[index - 1]
            if same and one.mark and one.text.lower() in lexicon().trailing and before.quantity is not None:
                made.items[index - 1 : index + 1] = [one, before]
                made.edges[index] = "none"

    def _only(self) -> None:
        """`only` in front of a condition belongs to the condition: "only when" is another one than "when"."""
        made = self.made
        for index in range(len(made.items) - 1, -1, -1):
            if made.items[index].key != "ONLY":
                continue
            here, last = made.clause_of[index], len(made.items) - 1
            closes = index < last and made.clause_of[index + 1] != here
            opens = index == 0 or made.clause_of[index - 1] != here
            target = here + 1 if closes else here if opens else None
            if target is None or not made.clauses[target].conditions:
                continue
            made.clauses[target].conditions.add("ONLY")
            if opens and not closes and index < last:
                made.edges[index + 1] = "clause"
            del made.items[index], made.clause_of[index], made.edges[index]


def _edge(gap: str, light: bool, token: _Token, text: str, before: Item) -> Edge:
    found = set(re.findall(r"[a-z]+", gap)) | set(_HAN.findall(gap))
    if found & _JOINS or found & _HAN_JOINS or "、" in gap or "/" in gap:
        return "join"
    if before.mark:
        return "none"
    if before.quantity is not None and before.quantity.unit is not None:
        return "weak"
    # A noun's article, and a participle behind its noun, begin something that may stand elsewhere.
    begins = bool(found & _ARTICLES) or (token.kind == "item" and len(text) > 4 and text.endswith("ed"))
    return "weak" if light or begins or token.kind == "mark" or found & _WEAK or found & _HAN_WEAK else "none"


def _lead(gap: str) -> tuple[str, bool]:
    found = re.findall(r"[a-z]+", gap)
    helped = bool(_HELPERS & set(found))
    if "从" in gap or "from" in found:
        return "from", helped
    if "by" in found or "被" in gap:
        return "by", helped
    to = (found and found[-1] in ("to", "into")) or re.search(r"[到至向]$", gap.strip())
    if found and found[-1] in _SUBJECTS:
        return "subject", helped
    other = bool(set(found) & _WEAK - _HELPERS) or bool(set(gap) & _HAN_WEAK)
    return "to" if to else "other" if other else "", helped


def _joint(gap: str) -> str:
    found = set(re.findall(r"[a-z]+", gap))
    if "or" in found or "或" in gap:
        return "or"
    return "and" if "and" in found or re.search(r"[和与及并且]", gap) else ""


def _leads(text: str) -> bool:
    """Whether a clause that begins so hangs on another and may stand before or behind it."""
    head = text.lstrip()
    word = re.match(r"[a-z]+", head)
    if word is None:
        return bool(head) and head[0] in _HAN_LEADING
    return word.group() in _LEADING or word.group().endswith(("ed", "ing"))


def _commands(text: str) -> bool:
    """Whether a clause that begins so tells somebody to do something."""
    head = _STARTS.sub("", text.lstrip())
    word = re.match(r"[a-z]+", head)
    known = lexicon().imperative
    return word.group() in known if word is not None else any(head.startswith(one) for one in known if one > "\u4e00")
