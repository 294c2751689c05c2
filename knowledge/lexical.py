"""The lexical route: SQLite FTS5 with BM25, for English words and Chinese character pairs.

Chinese has no spaces, so its text is indexed as overlapping pairs of characters; English words lose their
commonest endings. Words of one meaning (lamp, light, 指示灯, 警示灯) are written as one before indexing.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from knowledge.articles import Chunk

TITLE_WEIGHT, SECTION_WEIGHT, TEXT_WEIGHT = 0.3, 2.0, 1.0
"""BM25 column weights. A title repeats the model in every chunk of a manual, so it decides little."""

_TOKEN = re.compile(r"[a-z0-9]+(?:[.\-_/'][a-z0-9]+)*|[°%]|[\u3400-\u9fff]+")
_STOPWORDS_TEXT = """
    a an and are as at be by do does for from how if in is it its me of on or that the this to was what when where which who why
    with i my we you your should can please tell
"""
_STOPWORDS = frozenset(_STOPWORDS_TEXT.split())
_CHINESE_NOISE = re.compile(r"什么|怎么|怎样|如何|哪些|哪个|多少|请问|的|了|吗|呢|是")
_SYNONYMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"\b(?:colour|color)s?\b", "color"),
        (r"\b(?:warning light|signal light|indicator light|light|indicator lamp)s?\b", "lamp"),
        (r"\bamber\b", "yellow"),
        (r"\b(?:needle|hand)s?\b", "pointer"),
        (r"\b(?:shut down|shutting down|shut-down)\b", "shutdown"),
        (r"\bmeans?\b", "meaning"),
        (r"\b(?:voltmeter|volt meter)s?\b", "voltmeter"),
        (r"警示灯|警告灯|信号灯|指示灯|报警灯", "指示灯"),
        (r"表针|针头", "指针"),
        (r"急停|紧急停车|紧急关机|紧急停止", "紧急停机"),
        (r"档位|挡位|旋钮位置", "档位"),
        (r"意思|意义|代表", "含义"),
        (r"计算公式|换算公式|标定公式", "校准公式"),
    )
)


def terms(text: str) -> list[str]:
    """Index terms of a text in order, repetitions kept; each is free of characters that FTS5 would split at."""
    text = text.casefold().replace("_", " ")
    for pattern, word in _SYNONYMS:
        text = pattern.sub(word, text)
    found: list[str] = []
    for token in _TOKEN.findall(_CHINESE_NOISE.sub(" ", text)):
        if token[0] >= "\u3400":
            found.extend(token[n : n + 2] for n in range(len(token) - 1))
            if len(token) == 1:
                found.append(token)
        elif token not in _STOPWORDS:
            found.append(_stem(token))
    return found


def _stem(word: str) -> str:
    word = {"°": "degreesign", "%": "percentsign"}.get(word, word)
    word = re.sub(r"[.\-/']", "_", word)
    if not word.isalpha():
        return word
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    if len(word) > 5:
        # calibrate, calibrated, calibrating, calibration: one term.
        word = re.sub(r"(?:(?<=[ts])ion|ing|ed|e)$", "", word)
    return word


def create_table(db: sqlite3.Connection) -> None:
    """An empty full-text table whose rowid is the chunk's row."""
    db.execute("CREATE VIRTUAL TABLE lexical USING fts5(title, section, body, tokenize = \"unicode61 tokenchars '_'\")")


def add_chunks(db: sqlite3.Connection, chunks: Sequence[Chunk]) -> None:
    """Index chunks under the rows 0, 1, 2, ... of the sequence."""
    rows = ((row, _joined(c.title), _joined(c.section_title), _joined(c.text)) for row, c in enumerate(chunks))
    db.executemany("INSERT INTO lexical (rowid, title, section, body) VALUES (?, ?, ?, ?)", rows)


def _joined(text: str) -> str:
    return " ".join(terms(text))


class TermStatistics(NamedTuple):
    """The terms of each chunk and in how many chunks a term occurs, for judging how much of a query was met."""

    by_row: tuple[frozenset[str], ...]
    frequency: dict[str, int]

    def weight(self, term: str) -> float:
        """Inverse document frequency of a term; the rarer the term, the more it says."""
        return math.log(1.0 + (len(self.by_row) + 1.0) / (self.frequency.get(term, 0) + 0.5))

    def coverage(self, query: Iterable[str], row: int) -> float:
        """Share of the query's terms, by weight, that the chunk holds, in [0, 1]."""
        wanted = set(query)
        # Sorted, because a sum of floats depends on its order and the order of a set on the process.
        total = sum(self.weight(term) for term in sorted(wanted))
        met = sum(self.weight(term) for term in sorted(wanted & self.by_row[row]))
        return min(1.0, met / total) if total else 0.0


def collect_statistics(chunks: Sequence[Chunk]) -> TermStatistics:
    """Term statistics over chunks in row order."""
    by_row = tuple(frozenset(terms(f"{c.title}\n{c.section_title}\n{c.text}")) for c in chunks)
    frequency: dict[str, int] = {}
    for row in by_row:
        for term in row:
            frequency[term] = frequency.get(term, 0) + 1
    return TermStatistics(by_row, frequency)


def search_terms(db: sqlite3.Connection, statistics: TermStatistics, query: str, allowed: frozenset[int]) -> dict[int, float]:
    """Row -> score in [0, 1] for allowed chunks that share a term with the query.

    The score is BM25 relative to the best hit, times the share of the query that the chunk covers: a query
    of which little is known anywhere scores low instead of crowning the least bad chunk.
    """
    wanted = list(dict.fromkeys(terms(query)))
    if not wanted:
        return {}
    expression = " OR ".join(f'"{term}"' for term in wanted)
    found = db.execute(
        "SELECT rowid, -bm25(lexical, ?, ?, ?) FROM lexical WHERE lexical MATCH ?",
        (TITLE_WEIGHT, SECTION_WEIGHT, TEXT_WEIGHT, expression),
    ).fetchall()
    raw = {int(row): float(score) for row, score in found if int(row) in allowed}
    best = max(raw.values(), default=0.0)
    if best <= 0.0:
        # BM25 of FTS5 is not positive where every term is in more than half of the chunks; coverage still orders them.
        return {row: statistics.coverage(wanted, row) for row in raw}
    return {row: max(0.0, score / best) * statistics.coverage(wanted, row) for row, score in raw.items()}
