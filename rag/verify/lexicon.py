"""Words as the check sees them: marks of logic, conditions, words of one meaning, and those that carry no claim."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from knowledge.synonyms import shipped_graph, trie_pattern
from knowledge.text_units import TEXT_UNITS
from rag.templates import read_table
from rag.verify.numbers import unit_spellings

Kind = Literal["item", "mark", "condition", "light"]


class Phrase(NamedTuple):
    """A phrase in a text: what sort of thing it is, and under which key it is compared."""

    start: int
    end: int
    kind: Kind
    key: str


class Lexicon(NamedTuple):
    """`words.toml`. `imperative`: verbs that begin an instruction; `trailing`: comparisons that stand behind their number;
    `suffixes`: Chinese conditions that stand behind their clause; `not_same`: concepts of the graph that are not used."""

    by_phrase: dict[str, tuple[Kind, str]]
    imperative: frozenset[str]
    function: frozenset[str]
    trailing: frozenset[str]
    suffixes: frozenset[str]
    not_same: frozenset[str]
    pattern: re.Pattern[str]


_APPROXIMATE = frozenset(("about", "around", "nearly", "almost"))


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The shipped table. Raises TemplateError where it cannot be read."""
    table = read_table("verify/words.toml")
    found: dict[str, tuple[Kind, str]] = {phrase: ("item", phrase) for phrase in table["compounds"]["words"]}
    found |= {phrase: ("light", phrase) for phrase in table["light"]["words"]}
    for same, row in table["same"].items():
        found |= dict.fromkeys(row, ("item", f"={same}"))
    for mark, row in table["marks"].items():
        found |= dict.fromkeys(row, ("mark", mark))
    for condition, row in table["conditions"].items():
        found |= dict.fromkeys(row, ("condition", condition))
    english = trie_pattern(p for p in found if re.match(r"[a-z]", p)).replace(r"\ ", r"\s+")
    other = trie_pattern(p for p in found if not re.match(r"[a-z]", p))
    return Lexicon(
        by_phrase=found,
        imperative=frozenset(table["imperative"]["words"]),
        function=frozenset(table["function"]["words"]),
        trailing=frozenset(table["trailing"]["words"]),
        suffixes=frozenset(table["suffixes"]["words"]),
        not_same=frozenset(table["not_same"]["words"]),
        pattern=re.compile(rf"(?<![a-z])(?:{english})(?![a-z]|'t)|(?:{other})"),
    )


def find_phrases(text: str) -> Iterator[Phrase]:
    """Phrases of a lower-case text, in no order and with overlaps: of two that begin together the longer is meant."""
    table = lexicon()
    for match in table.pattern.finditer(text):
        phrase = re.sub(r"\s+", " ", match.group())
        kind, key = table.by_phrase[phrase]
        if phrase not in _APPROXIMATE or re.match(r"\s*(?:\x01|\d)", text[match.end() :]):
            yield Phrase(*match.span(), kind, key)
    for mention in shipped_graph().find(text):
        if mention.concept.name not in table.not_same:
            yield Phrase(mention.start, mention.end, "item", f"={mention.concept.name}")


@lru_cache(maxsize=1)
def _same_stems() -> dict[str, str]:
    """Keys of single English words by stem: the graph knows "rely", a text may say "relied"."""
    table = lexicon()
    found = {
        stem(word): f"={concept.name}"
        for concept in shipped_graph().concepts
        if concept.name not in table.not_same
        for word in concept.en
        if re.fullmatch(r"[a-z]{4,}", word)
    }
    own = {phrase: key for phrase, (kind, key) in table.by_phrase.items() if kind == "item"}
    return found | {stem(phrase): key for phrase, key in own.items() if re.fullmatch(r"[a-z]{4,}", phrase)}


def word_key(word: str) -> str:
    """The key of an English word that stands in no phrase: its meaning's where that is known, else its stem."""
    cut = stem(word)
    return _same_stems().get(cut, cut)


@lru_cache(maxsize=1)
def unit_words() -> re.Pattern[str]:
    """Units that stand by themselves ("the unit is MPa"), without the common words among their spellings."""
    text_units = {alias for unit in TEXT_UNITS for alias in (unit.name, *unit.aliases)}
    kept = [s for s in unit_spellings() if s not in text_units and not (len(s) == 1 and (s.islower() or s > "\u4e00"))]
    spellings = "|".join(re.escape(one) for one in sorted(kept, key=lambda one: (-len(one), one)))
    return re.compile(rf"(?<![A-Za-z0-9_/-])(?:{spellings})(?![A-Za-z0-9])")


def stem(word: str) -> str:
    """A crude stem, the same for "mounting", "mounted" and "mounts"; for comparing, not for reading."""
    word = word.lower().removesuffix("'s")
    for ending, put in (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if len(word) > len(ending) + 2 and word.endswith(ending) and not word.endswith("ss"):
            word = word[: -len(ending)] + put
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word.rstrip("e") if len(word) > 3 else word
