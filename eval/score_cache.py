"""Scores that were computed before, by question and documents, for a day: a query asked again costs a look-up.

One SQLite file. Its key is what a score depends on: the probe and its version, the question, the documents in their order.
A cache helps or stands aside: where its file is damaged or locked, the score is computed and the fault is counted.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from eval.score import EvalError
from rag.sqlite_layout import LayoutError, lay_out
from vision.fields import Contract

FILE = "scores.sqlite"
_LAYOUT = 1
_WAIT_S = 5.0
_SKEW_S = 2.0
"""Clocks of two readers may differ by this much; what is further in the future was written before a clock was set back."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS scores (
    probe TEXT NOT NULL, query_hash TEXT NOT NULL, doc_hash TEXT NOT NULL, at REAL NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (probe, query_hash, doc_hash)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS scores_by_age ON scores (at);
"""
_NO_DATABASE = ("not a database", "malformed", "no such table", "no such column")
Scored = TypeVar("Scored", bound=Contract)


@dataclass(frozen=True)
class CacheOptions:
    """`ttl_s`: seconds that a score holds. `most`: entries kept; beyond that the oldest go.

    `most_bytes`: a larger value is not kept. `at_once`: entries that one `put` clears away beyond its own, so that none waits
    long.
    """

    ttl_s: float = 24 * 3600.0
    most: int = 100_000
    most_bytes: int = 1024 * 1024
    at_once: int = 256

    def __post_init__(self) -> None:
        if self.ttl_s <= 0 or self.most < 1 or self.most_bytes < 1 or self.at_once < 1:
            raise EvalError(f"a cache needs a time, a size and a step above 0, got {self}")


@dataclass
class CacheCounts:
    """What this cache object was asked, in this process."""

    hits: int = 0
    misses: int = 0
    faults: int = 0


class ScoreCache:
    """The scores in one file. Safe to use from several threads and processes at once.

    `version`: of whatever computes the scores; another one's scores are never given.
    """

    def __init__(
        self, path: Path, version: str, options: CacheOptions = CacheOptions(), clock: Callable[[], float] = time.time
    ) -> None:
        self.path = path
        self.version = version
        self.options = options
        self.counts = CacheCounts()
        self._clock = clock

    def through(
        self, probe: str, query: str, documents: Sequence[str], kind: type[Scored], compute: Callable[[], Scored]
    ) -> Scored:
        """The score of a question over documents: the kept one, or a computed one, which is kept. What `compute` raises
        is raised."""
        kept = self.get(probe, query, documents)
        if kept is not None:
            try:
                return kind.model_validate_json(kept)
            except ValidationError:
                self.counts.faults += 1
        fresh = compute()
        self.put(probe, query, documents, fresh.model_dump_json())
        return fresh

    def get(self, probe: str, query: str, documents: Sequence[str]) -> str | None:
        """The kept text, or None where there is none that still holds. One from the future (a clock set back) does not."""
        key, now = self._key(probe, query, documents), self._clock()

        def look(db: sqlite3.Connection) -> str | None:
            sought = "SELECT at, value FROM scores WHERE probe = ? AND query_hash = ? AND doc_hash = ?"
            row = db.execute(sought, key).fetchone()
            return str(row[1]) if row is not None and -_SKEW_S <= now - row[0] < self.options.ttl_s else None

        found = self._do(look)
        if found is None:
            self.counts.misses += 1
        else:
            self.counts.hits += 1
        return found

    def put(self, probe: str, query: str, documents: Sequence[str], value: str) -> None:
        """Keep a text in place of an older one; then some of what is too old or too much goes."""
        if len(value.encode("utf-8")) > self.options.most_bytes:
            return
        key = self._key(probe, query, documents)

        def keep(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            # Only now: while this one waited for the file, others wrote into what would be its future.
            now = self._clock()
            db.execute("INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?)", (*key, now, value))
            self._clear(db, now)

        self._do(keep)

    def _clear(self, db: sqlite3.Connection, now: float) -> None:
        old = "SELECT probe, query_hash, doc_hash FROM scores WHERE at <= ? OR at > ? LIMIT ?"
        gone = db.execute(old, (now - self.options.ttl_s, now + _SKEW_S, self.options.at_once)).fetchall()
        left = int(db.execute("SELECT COUNT(*) FROM scores").fetchone()[0]) - len(gone) - self.options.most
        if left > 0:
            oldest = "SELECT probe, query_hash, doc_hash FROM scores ORDER BY at LIMIT ?"
            gone += db.execute(oldest, (len(gone) + min(left, self.options.at_once),)).fetchall()
        db.executemany("DELETE FROM scores WHERE probe = ? AND query_hash = ? AND doc_hash = ?", set(gone))

    def __len__(self) -> int:
        """Entries in the file, those too old included."""
        return self._do(lambda db: int(db.execute("SELECT COUNT(*) FROM scores").fetchone()[0])) or 0

    def _key(self, probe: str, query: str, documents: Sequence[str]) -> tuple[str, str, str]:
        return f"{probe}@{self.version}", text_hash([query]), text_hash(documents)

    def _do(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result | None:
        """The work's result; None where the file will not have it. What is no database of this layout is started afresh."""
        for attempt in (1, 2):
            try:
                with self._open() as db, db:
                    return work(db)
            except sqlite3.DatabaseError as error:
                self.counts.faults += 1
                useless = isinstance(error, LayoutError) or any(sign in str(error) for sign in _NO_DATABASE)
                if attempt == 2 or not useless:
                    return None
                self._discard()
            except OSError:
                self.counts.faults += 1
                return None
        return None

    def _discard(self) -> None:
        for path in (self.path, self.path.with_name(f"{self.path.name}-wal"), self.path.with_name(f"{self.path.name}-shm")):
            path.unlink(missing_ok=True)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=_WAIT_S)) as db:
            lay_out(db, _SCHEMA, _LAYOUT)
            yield db


_Result = TypeVar("_Result")


def text_hash(texts: Sequence[str]) -> str:
    """Digest of texts in their order; where one ends and the next begins counts."""
    digest = hashlib.sha256()
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()
