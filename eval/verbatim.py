"""A claim that repeats a sentence of its evidence nearly word for word is held to that sentence word for word.

Shares of words forgive one changed word among ten, and one changed word is how a faithful sentence becomes a false one.
Where a sentence of the answer is plainly one of the evidence said again, every difference must be another way of saying
the same: a synonym, a converted number, a part that changed its place. It may say less, but not so that what is left
holds where the evidence does not: without the condition, the negation, the limit, the number in its middle.

Which words say the same only a lexicon can tell. So this holds for evidence of which the lexicon knows enough (manuals); of
other texts (news, web pages) a changed word may be a paraphrase that no table knows, and claims are judged by their words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from eval.claims import Language, language_of
from eval.evidence import Fact
from rag.verify.order import attached_to
from rag.verify.rewrite import Comparison, compare_sentences, kind_of
from rag.verify.sentence import Item, parse

ALIKE = 0.7
"""Share of items (F1) from which two sentences are one, said again."""
FEWEST = 2
"""Items of a sentence below which two are alike by chance; up to twice as many, one may be another."""
LONGEST = 400
"""Characters of a sentence that is compared; what is longer is a list or a paragraph, and judged clause by clause."""
MOST = 0.5
"""Share of a clause's items from which it is there."""
SPOKEN: Mapping[Language, float] = {"en": 0.42, "zh": 0.22}
"""Share of the evidence's items that the lexicon must know. Chinese words that it does not know count a character each."""
_GENERIC = frozenset(("manual", "handbook", "document", "documents", "说明书", "手册", "资料", "文档", "还"))
_KNOWN = ("=", "unit:", "name:", "section:", "date:")
_LOOSE = frozenset(("words", "characters", "names"))
_WAITS = re.compile(
    r"\b(?:of|is|are|at|to|in|from|by|than|above|below|between|about|every|position|section|step|code|after|for)\s*(?:[.,;:]|$|to\b|and\b)"
    r"|(?:为|是|至|到|在|于|第|每|位置|超过|低于|高于)\s*(?:[，。；处节至时]|$)",
    re.IGNORECASE,
)

_WAITING = r"\b(?:is|are|of|to|from|by|at|than|above|below|between|every|about|exceeds?|means|which means)"
_GAP = re.compile(rf"{_WAITING}\s+[,.;:](?!\d)", re.IGNORECASE)
_BARE_UNIT = re.compile(
    rf"(?:{_WAITING}|为|至|超过|低于|高于|每)\s+(?:MPa|kPa|mbar|bar|psi|inHg|°C|°F|kW|Hz|r/min|m3/h|mm|%)(?![A-Za-z0-9])"
)
_OF_UNITS = re.compile(r"\bunits?\b|\bconver|\bscale[sd]?\b|单位|换算|刻度", re.IGNORECASE)


class Difference(NamedTuple):
    """What is wrong, and the words of the sentence that are; "" where it is something lost, or the whole of it."""

    problem: str
    words: str = ""


class Repeated(NamedTuple):
    """The evidence that a sentence repeats; `differences` are those that are more than other words for the same, `whole`
    says that it leaves nothing out."""

    fact: Fact
    alike: float
    differences: tuple[Difference, ...]
    whole: bool

    def problems_of(self, clauses: Sequence[str]) -> tuple[str | None, ...]:
        """What is wrong with each clause of the sentence: what stands in it, or what stands in no clause in particular."""
        loose = [one.problem for one in self.differences if not any(one.words in clause for clause in clauses)]
        own = [[one.problem for one in self.differences if one.words and one.words in clause] for clause in clauses]
        everywhere = [one.problem for one in self.differences if not one.words] + loose
        return tuple(next(iter([*problems, *everywhere]), None) for problems in own)


def find_repeated(sentence: str, facts: Sequence[Fact]) -> Repeated | None:
    """The fact that a sentence says again, the one that differs least; None where it says none of them again."""
    if len(sentence) > LONGEST:
        return None
    said = _profile(sentence)
    if said.total() < FEWEST or not speaks_domain(tuple(fact.text for fact in facts), language_of(sentence)):
        return None
    close = [(alike, fact) for fact in facts if (alike := _alike(said, fact)) > 0]
    found = [Repeated(fact, alike, *differences(sentence, fact.text, _section_of(fact))) for alike, fact in close]
    return min(found, key=lambda one: (bool(one.differences), -one.alike, len(one.differences)), default=None)


def find_hole(sentence: str, facts: Sequence[Fact]) -> str | None:
    """Where a sentence waits for a number that is not there ("opens at , " or "above MPa"), None where it does not."""
    match = _GAP.search(sentence) or (None if _OF_UNITS.search(sentence) else _BARE_UNIT.search(sentence))
    if match is None or not speaks_domain(tuple(fact.text for fact in facts), language_of(sentence)):
        return None
    return f"a number is missing at {match.group().strip()!r}"


@lru_cache(maxsize=512)
def speaks_domain(texts: tuple[str, ...], language: Language) -> bool:
    """Whether the lexicon knows enough of the words of these sentences that are in a language."""
    counts = [_counts(text[:LONGEST]) for text in texts if language_of(text) == language]
    total = sum(one[1] for one in counts)
    return total > 0 and sum(one[0] for one in counts) >= SPOKEN[language] * total


@lru_cache(maxsize=8192)
def _counts(text: str) -> tuple[int, int]:
    """Items of a sentence that the lexicon knows, and all."""
    items = parse(text.strip()).items
    return sum(item.mark or item.quantity is not None or item.key.startswith(_KNOWN) for item in items), len(items)


def _alike(said: Counter[str], fact: Fact) -> float:
    """How much two sentences share, from `ALIKE` on; 0 where they are two."""
    if not 0 < len(fact.text) <= LONGEST:
        return 0.0
    meant = _profile(fact.text)
    shared, longer = (said & meant).total(), max(said.total(), meant.total())
    alike = 2 * shared / (said.total() + meant.total()) if shared else 0.0
    one_other = FEWEST <= longer <= 2 * FEWEST and shared == longer - 1
    return alike if alike >= ALIKE or one_other else 0.0


@lru_cache(maxsize=8192)
def _profile(text: str) -> Counter[str]:
    """Items of a sentence by key; all quantities are alike here, so that a wrong number does not hide what it is in."""
    return Counter("#" if item.quantity is not None else item.key for item in parse(text.strip()).items)


@lru_cache(maxsize=8192)
def differences(sentence: str, stated: str, section: str = "") -> tuple[tuple[Difference, ...], bool]:
    """What a sentence says that the stated one does not, what it loses that changes what is left, and whether it is whole.

    `section`: where the stated one stands, which the sentence may say.
    """
    found = compare_sentences(sentence, stated)
    said, meant = found.said.items, found.meant.items
    news = [i for i in found.new if not _generic(said[i], section) and not _within(said[i], found)]
    new = [Difference(f"{_named(said[i])} is not what the evidence says", said[i].text) for i in news]
    lost = [Difference(f"it loses {_named(meant[i])}") for i in found.lost if _matters(found, i)]
    others = [Difference(problem) for problem in (*found.scope, *found.order)]
    return tuple(dict.fromkeys([*new, *lost, *_lost_conditions(found), *_hole(sentence, found), *others])), not found.lost


def _within(item: Item, found: Comparison) -> bool:
    """Whether a number is one of several that lie in a range of the evidence; one would stand for it, two for its ends."""
    one, many = item.quantity, [other.quantity for other in found.said.items if other.quantity is not None]
    ranges = [other.quantity for other in found.meant.items if other.quantity is not None and not other.quantity.single]
    if one is None or len(many) <= 2 * len(ranges):
        return False
    return any(span.unit == one.unit and span.low <= one.low and one.high <= span.high for span in ranges)


def _generic(item: Item, section: str) -> bool:
    """Whether an item only says that somebody says so, and where."""
    if item.key == f"section:{section}":
        return True
    return not item.mark and item.quantity is None and item.text.lower() in _GENERIC


def _section_of(fact: Fact) -> str:
    """The section in a chunk's id (`document:section:digest`)."""
    parts = fact.source.split(":")
    return parts[1] if len(parts) == 3 else ""


def _named(item: Item) -> str:
    kind = kind_of(item)
    return repr(item.shown) if kind in _LOOSE else f"{kind} {item.shown!r}"


def _matters(found: Comparison, index: int) -> bool:
    """Whether a lost item changes what is left. Words may be left out; of a mark or a number what it was said of may not stay."""
    item, kept = found.meant.items[index], _kept(found)
    if not item.mark and kind_of(item) in _LOOSE:
        return False
    items = found.meant.items
    rest = [i for i, clause in enumerate(found.meant.clause_of) if clause == found.meant.clause_of[index] and i != index]
    if item.mark:
        said_of = [i for i in rest if items[i].quantity is None]
        return 2 * sum(i in kept for i in said_of) > len(said_of)
    # A number in front of what is kept leaves a hole; one at the end may have gone with what it was said of.
    return index + 1 in rest and all(i in kept for i in (index - 1, index + 1) if i in rest)


def _kept(found: Comparison) -> frozenset[int]:
    return frozenset(place for place in found.matched if place is not None)


def _lost_conditions(found: Comparison) -> list[Difference]:
    """Conditions of the evidence that the sentence leaves out, and says what holds under them."""
    kept, meant = _kept(found), found.meant
    clauses = [
        [place for place, number in enumerate(meant.clause_of) if number == clause] for clause in range(len(meant.clauses))
    ]
    shares = [sum(place in kept for place in places) / len(places) if places else 1.0 for places in clauses]
    problems: list[Difference] = []
    for number, clause in enumerate(meant.clauses):
        others = [other for other in (number - 1, number + 1) if 0 <= other < len(clauses)]
        host = attached_to(meant, number) if clause.conditions else None
        host = others[0] if host is None and clause.conditions and others else host
        if host is not None and shares[number] < MOST <= shares[host]:
            words = " ".join(meant.items[place].shown for place in clauses[number])
            problems.append(Difference(f"it leaves out the condition {words!r}"))
    return problems


def _hole(sentence: str, found: Comparison) -> list[Difference]:
    """Numbers that are gone from where the sentence still waits for one."""
    gone = [found.meant.items[place] for place in found.lost if found.meant.items[place].quantity is not None]
    return [Difference(f"it loses {_named(gone[0])}")] if gone and _WAITS.search(sentence) else []
