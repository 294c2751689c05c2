"""The synonym graph: words of one meaning, English and Chinese, drawn together under one concept.

A question and a manual are normalised with the same table, so that "油温" meets "oil temperature" and "needle" meets
"pointer". For an embedder that reads English only a Chinese text is glossed: each known word becomes its English one.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from knowledge.articles import KnowledgeError

TABLE = Path(__file__).with_name("synonyms.toml")
MAX_NODES = 1000
CHINESE = re.compile(r"[\u3400-\u9fff]")
_ENGLISH_ENDING = r"(?:s|es|d|ed|ing)?"


class SynonymError(KnowledgeError):
    """A table of synonyms that does not hold; the message names the word."""


class Concept(NamedTuple):
    """Words of one meaning; the first of each language is its norm."""

    name: str
    en: tuple[str, ...]
    zh: tuple[str, ...]

    @property
    def gloss(self) -> str:
        """What a Chinese word of this meaning becomes in English."""
        return self.en[0]


class Mention(NamedTuple):
    """A concept named in a text, with the place of the words that name it."""

    concept: Concept
    start: int
    end: int


class SynonymGraph:
    """Concepts by their words; the longest word wins where several begin at one place."""

    def __init__(self, concepts: Sequence[Concept]) -> None:
        self.concepts = tuple(concepts)
        self._by_word: dict[str, Concept] = {}
        for concept in concepts:
            for word in (*concept.en, *concept.zh):
                other = self._by_word.setdefault(_key(word), concept)
                if other is not concept:
                    raise SynonymError(f"{word!r} stands under {other.name!r} and {concept.name!r}: one word, one concept")
        if len(self.concepts) >= MAX_NODES:
            raise SynonymError(f"{len(self.concepts)} concepts in the graph; fewer than {MAX_NODES} keep it readable by people")
        english = trie_pattern(word for word in self._by_word if not CHINESE.search(word)).replace(r"\ ", r"[\s_-]+")
        chinese = trie_pattern(word for word in self._by_word if CHINESE.search(word))
        self._pattern = re.compile(rf"(?<![a-z0-9])(?P<en>{english}){_ENGLISH_ENDING}(?![a-z0-9])|(?P<zh>{chinese})")

    def __len__(self) -> int:
        """Number of nodes: a node is a concept, its words are labels."""
        return len(self.concepts)

    @property
    def words(self) -> frozenset[str]:
        """All words of the graph, lower case."""
        return frozenset(self._by_word)

    def concept(self, word: str) -> Concept | None:
        """The concept that one word names, or None."""
        return self._by_word.get(_key(word))

    def find(self, text: str) -> Iterator[Mention]:
        """Concepts named in a text (lower case), in order, without overlap."""
        for match in self._pattern.finditer(text):
            word = match.group("en") or match.group("zh")
            yield Mention(self._by_word[_key(word)], match.start(), match.end())

    def parts_of(self, word: str) -> tuple[Concept, ...]:
        """The two concepts that a Chinese word is put together from (校准 + 周期), or none."""
        for cut in range(1, len(word)):
            first, second = self.concept(word[:cut]), self.concept(word[cut:])
            if first is not None and second is not None:
                return first, second
        return ()

    def concepts_of(self, text: str) -> tuple[str, ...]:
        """Names of the concepts that a text names, in order, each once."""
        return tuple(dict.fromkeys(mention.concept.name for mention in self.find(text.casefold())))

    def normalise(self, text: str) -> str:
        """A lower-case text in which every Chinese word of the graph is its norm."""
        parts: list[str] = []
        last = 0
        for mention in self.find(text):
            if CHINESE.match(text, mention.start) and mention.concept.zh:
                parts += [text[last : mention.start], mention.concept.zh[0]]
                last = mention.end
        return "".join((*parts, text[last:]))

    def gloss(self, text: str) -> str:
        """A Chinese text as English words: what the graph knows is put across, other characters are left out.

        Latin letters, digits and marks stay where they are; a text without Chinese is returned unchanged.
        """
        if not CHINESE.search(text):
            return text
        lowered, parts, last = text.casefold(), [], 0
        if len(lowered) != len(text):
            return self.gloss(lowered)
        for mention in self.find(lowered):
            if CHINESE.match(text, mention.start):
                parts += [text[last : mention.start], f" {mention.concept.gloss} "]
                last = mention.end
        plain = CHINESE.sub(" ", "".join((*parts, text[last:])))
        plain = plain.translate(str.maketrans("，。；：？！、（）", ",.;:?!,()"))
        plain = re.sub(r"[ \t]+", " ", re.sub(r"\s+([,.;:?!])", r"\1", plain)).strip()
        # A text of which nothing is known is better than none.
        return plain if re.search(r"[A-Za-z0-9]", plain) else text


def read_graph(table: Mapping[str, Mapping[str, Sequence[Sequence[str]]]]) -> SynonymGraph:
    """A graph from parsed TOML: groups of `name = [[English words], [Chinese words]]`. Raises SynonymError."""
    concepts: list[Concept] = []
    for group, rows in table.items():
        if not isinstance(rows, Mapping):
            raise SynonymError(f"synonyms: {group!r} is not a group of concepts")
        for name, row in rows.items():
            words = [isinstance(part, Sequence) and all(isinstance(word, str) and word for word in part) for part in row]
            if len(row) != 2 or not all(words) or not row[0]:
                raise SynonymError(f"synonyms: {name!r} must be [[English words], [Chinese words]] with an English one")
            concepts.append(Concept(name, tuple(row[0]), tuple(row[1])))
    names = [concept.name for concept in concepts]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SynonymError(f"synonyms: concepts named twice: {', '.join(twice)}")
    return SynonymGraph(concepts)


@lru_cache(maxsize=1)
def shipped_graph() -> SynonymGraph:
    """The graph of `synonyms.toml`."""
    return read_graph(tomllib.loads(TABLE.read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def graph_digest() -> str:
    """Eight hex digits that change with the table: vectors of glossed texts depend on it."""
    return hashlib.sha256(TABLE.read_bytes()).hexdigest()[:8]


def trie_pattern(words: Iterable[str]) -> str:
    """A regular expression that matches the longest of many words; shared beginnings are tried once, not once a word."""
    trie: dict[str, Any] = {}
    for word in words:
        node = trie
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _alternatives(trie) if trie else r"(?!)"


def _alternatives(node: dict[str, Any]) -> str:
    branches = [re.escape(char) + _alternatives(child) for char, child in sorted(node.items()) if char]
    if not branches:
        return ""
    joined = branches[0] if len(branches) == 1 and "" not in node else f"(?:{'|'.join(branches)})"
    return f"{joined}?" if "" in node else joined


def _key(word: str) -> str:
    return re.sub(r"[\s_-]+", " ", word.casefold())
