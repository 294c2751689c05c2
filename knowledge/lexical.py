"""The lexical route: SQLite FTS5 with BM25, for English words and Chinese character pairs.

Chinese has no spaces, so its text is indexed as overlapping pairs of characters; English words lose their
commonest endings. Words of the synonym graph are written as their concept in both languages, which is how a
Chinese question meets an English manual. A fourth column holds what a search may be limited to (the models).
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from knowledge.articles import Chunk
from knowledge.synonyms import CHINESE, shipped_graph

TITLE_WEIGHT, SECTION_WEIGHT, TEXT_WEIGHT = 0.3, 2.0, 1.0
"""BM25 column weights. A title repeats the model in every chunk of a manual, so it decides little."""
MOST_ROWS = 6000
"""Rows that one search scores: common terms are left to the coverage once the rarer ones found this many."""
RERANKED = 200
"""Rows whose own terms are looked at."""
Rows = npt.NDArray[np.bool_]

_TOKEN = re.compile(r"[a-z0-9]+(?:[.\-_/'][a-z0-9]+)*|[°%]|[\u3400-\u9fff]+")
_WORD = re.compile(r"[a-z][a-z]{2,}")
_STOPWORDS_TEXT = """
    a an and are as at be by can do does for from has have how if in into is it its me must need needs of on one or so that the
    their then there these this to too was what when where which while who why will with would i my we you your should please tell
    howmuch lit between before after use often much many some any get gets got just really very quite also
"""
STOPWORDS = frozenset(_STOPWORDS_TEXT.split())
_CHINESE_NOISE = re.compile(r"什么|怎么|怎样|如何|哪些|哪个|多少|请问|的|了|吗|呢|是|在|有|就|会|要|应该|应|该")


def terms(text: str) -> list[str]:
    """Index terms of a text in order, repetitions kept; each is free of characters that FTS5 would split at."""
    text = text.casefold().replace("_", " ")
    graph = shipped_graph()
    found: list[str] = []
    last = 0
    for mention in graph.find(text):
        found += _plain_terms(text[last : mention.start])
        words = text[mention.start : mention.end]
        last = mention.end
        if mention.concept.name not in STOPWORDS:
            found.append(mention.concept.name)
        # "oil temperature" is a concept of its own and still about oil and about temperature.
        if CHINESE.match(words):
            found += [part.name for part in graph.parts_of(words) if part.name not in STOPWORDS]
        elif len(parts := _TOKEN.findall(words)) > 1:
            found += [term for part in parts for term in _single(part)]
    found += _plain_terms(text[last:])
    if CHINESE.search(text):
        for run in re.findall(r"[\u3400-\u9fff]+", _CHINESE_NOISE.sub(" ", graph.normalise(text))):
            found += [run[n : n + 2] for n in range(len(run) - 1)] or [run]
    return found


def _single(word: str) -> list[str]:
    concept = shipped_graph().concept(word)
    if concept is not None:
        return [] if concept.name in STOPWORDS else [concept.name]
    return [] if word in STOPWORDS else [_stem(word)]


def _plain_terms(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if token[0] < "\u3400" and token not in STOPWORDS:
            yield _stem(token)


def _stem(word: str) -> str:
    word = {"°": "degreesign", "%": "percentsign"}.get(word, word)
    word = re.sub(r"[.\-/']", "_", word)
    if not word.isalpha():
        return word
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    if len(word) > 5:
        # operated, operating, operation: one term.
        word = re.sub(r"(?:(?<=[ts])ion|ing|ed|e)$", "", word)
    return word


def model_key(model: str) -> str:
    """What two spellings of a model share: letters and digits, lower case."""
    return re.sub(r"[\W_]+", "", model).casefold()


def scope_term(model: str | None) -> str:
    """The term that limits a search to a model's documents, None for those that hold for every instrument."""
    return f"m_{model_key(model)}" if model else "m_every"


def create_table(db: sqlite3.Connection) -> None:
    """Empty full-text tables; the rowid is the chunk's row. `terms` counts the rows of a term, `words` those of a word."""
    db.execute("CREATE VIRTUAL TABLE lexical USING fts5(title, section, body, scope, tokenize = \"unicode61 tokenchars '_'\")")
    db.execute("CREATE TABLE terms (term TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID")
    db.execute("CREATE TABLE words (word TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID")


def add_chunks(db: sqlite3.Connection, chunks: Iterable[Chunk]) -> None:
    """Index chunks under the rows 0, 1, 2, ... of the sequence, once for a fresh table."""
    counts: dict[str, int] = {}
    words: dict[str, int] = {}

    def rows() -> Iterator[tuple[int, str, str, str, str]]:
        for row, chunk in enumerate(chunks):
            parts = [terms(text) for text in (chunk.title, chunk.section_title, chunk.text)]
            for term in {term for part in parts for term in part}:
                counts[term] = counts.get(term, 0) + 1
            for word in set(_WORD.findall(f"{chunk.section_title} {chunk.text}".casefold())):
                words[word] = words.get(word, 0) + 1
            scope = " ".join(scope_term(model) for model in chunk.models or (None,))
            yield row, *(" ".join(part) for part in parts), scope  # type: ignore[misc]

    db.executemany("INSERT INTO lexical (rowid, title, section, body, scope) VALUES (?, ?, ?, ?, ?)", rows())
    db.executemany("INSERT INTO terms VALUES (?, ?)", counts.items())
    db.executemany("INSERT INTO words VALUES (?, ?)", words.items())


class TermStatistics:
    """The terms of each chunk and in how many chunks a term occurs, for judging how much of a query was met."""

    def __init__(self, db: sqlite3.Connection, rows: int) -> None:
        self.rows = rows
        self._db = db
        self._kept: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
        self.frequency: Callable[[str], int] = lru_cache(maxsize=50_000)(self._count)

    def _count(self, term: str) -> int:
        row = self._db.execute("SELECT count FROM terms WHERE term = ?", (term,)).fetchone()
        return int(row[0]) if row else 0

    def words(self) -> dict[str, int]:
        """All Latin words of the chunks' sections and texts, with the number of chunks that hold them."""
        return {str(word): int(count) for word, count in self._db.execute("SELECT word, count FROM words")}

    def load(self, rows: Iterable[int]) -> None:
        """Read the terms of some rows, where they are not known yet."""
        missing = [row for row in rows if row not in self._kept]
        if len(self._kept) > 50_000:
            self._kept.clear()
        for start in range(0, len(missing), 500):
            part = missing[start : start + 500]
            marks = ",".join("?" * len(part))
            query = f"SELECT rowid, title, section, body FROM lexical WHERE rowid IN ({marks})"  # noqa: S608 (marks only)
            for row, title, section, body in self._db.execute(query, part):
                self._kept[int(row)] = (frozenset(f"{title} {section} {body}".split()), frozenset(section.split()))

    def terms_of(self, row: int) -> frozenset[str]:
        """All terms of a chunk."""
        if row not in self._kept:
            self.load((row,))
        return self._kept[row][0]

    def heading_of(self, row: int) -> frozenset[str]:
        """Terms of a chunk's heading."""
        if row not in self._kept:
            self.load((row,))
        return self._kept[row][1]

    def weight(self, term: str) -> float:
        """Inverse document frequency of a term; the rarer the term, the more it says."""
        return math.log(1.0 + (self.rows + 1.0) / (self.frequency(term) + 0.5))

    def weigh(self, wanted: Iterable[str]) -> float:
        """Sum of the terms' weights; sorted, because a sum of floats depends on its order and a set's on the process."""
        return sum(self.weight(term) for term in sorted(wanted))

    def coverage(self, query: Iterable[str], row: int) -> float:
        """Share of the query's terms, by weight, that the chunk holds, in [0, 1]."""
        wanted = set(query)
        total = self.weigh(wanted)
        return min(1.0, self.weigh(wanted & self.terms_of(row)) / total) if total else 0.0


def search_terms(
    db: sqlite3.Connection, statistics: TermStatistics, query: Sequence[str], allowed: Rows, models: Sequence[str | None] = ()
) -> dict[int, float]:
    """Row -> score in [0, 1] for allowed chunks that share one of the terms, at most `RERANKED` of them.

    `models` limits the search before it is scored (None stands for documents about every instrument). The score is
    BM25 relative to the best hit, times the share of the query that the chunk covers: a query of which little is
    known anywhere scores low instead of crowning the least bad chunk.
    """
    known = [term for term in dict.fromkeys(query) if statistics.frequency(term)]
    wanted = list(dict.fromkeys(query))
    if not known or not allowed.any():
        return {}
    scope = " OR ".join(f'"{scope_term(model)}"' for model in models)
    chosen = known if models else _rare_terms(known, statistics)
    expression = "{title section body} : (" + " OR ".join(f'"{term}"' for term in chosen) + ")"
    if scope:
        expression += f" AND scope : ({scope})"
    found = db.execute(
        "SELECT rowid, -bm25(lexical, ?, ?, ?, 0.0) FROM lexical WHERE lexical MATCH ?",
        (TITLE_WEIGHT, SECTION_WEIGHT, TEXT_WEIGHT, expression),
    ).fetchall()
    pairs = [(int(row), float(score)) for row, score in found if allowed[int(row)]]
    pairs.sort(key=lambda pair: (-pair[1], pair[0]))
    raw = dict(pairs[:RERANKED])
    statistics.load(raw)
    best = max(raw.values(), default=0.0)
    if best <= 0.0:
        # BM25 of FTS5 is not positive where every term is in more than half of the chunks; coverage still orders them.
        return {row: statistics.coverage(wanted, row) for row in raw}
    return {row: max(0.0, score / best) * statistics.coverage(wanted, row) for row, score in raw.items()}


def _rare_terms(known: Sequence[str], statistics: TermStatistics) -> list[str]:
    """The rarest terms, as long as they name no more than `MOST_ROWS` rows together; at least one."""
    chosen: list[str] = []
    rows = 0
    for term in sorted(known, key=lambda term: (statistics.frequency(term), term)):
        rows += statistics.frequency(term)
        if chosen and rows > MOST_ROWS:
            break
        chosen.append(term)
    return chosen
