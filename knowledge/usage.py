"""Usage log: which documents were found, which were cited in reports, and what people thought of them.

One small SQLite file in the home, `knowledge/usage.sqlite`. Questions are kept as they were asked, so the file stays
where it is; nothing sends it anywhere. A log that cannot be written never stops an answer.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from knowledge.articles import KnowledgeError

logger = logging.getLogger("gauge.usage")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS searches (id INTEGER PRIMARY KEY, at REAL NOT NULL, query TEXT NOT NULL, model TEXT);
CREATE TABLE IF NOT EXISTS hits (search INTEGER NOT NULL, rank INTEGER NOT NULL, document TEXT NOT NULL, chunk TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS uses (at REAL NOT NULL, document TEXT NOT NULL, chunk TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS feedback (at REAL NOT NULL, document TEXT NOT NULL, good INTEGER NOT NULL, note TEXT NOT NULL);
"""


class UsageError(KnowledgeError):
    """A usage log that is damaged."""


class Usage(NamedTuple):
    """How often a document was found among the first `k` hits, cited in a report, and praised or blamed."""

    found: int = 0
    cited: int = 0
    praised: int = 0
    blamed: int = 0


class UsageLog:
    """The log of one home. Writing never raises; reading raises UsageError where the file is damaged."""

    def __init__(self, home: Path) -> None:
        self.path = home / "knowledge" / "usage.sqlite"

    def record_search(self, query: str, chunks: Sequence[str], model: str | None = None) -> None:
        """Keep a question and the ids of the chunks that were found for it, best first."""
        rows = [(rank, chunk.split(":", 1)[0], chunk) for rank, chunk in enumerate(chunks, 1)]

        def write(db: sqlite3.Connection) -> None:
            search = db.execute("INSERT INTO searches (at, query, model) VALUES (?, ?, ?)", (time.time(), query, model)).lastrowid
            db.executemany("INSERT INTO hits VALUES (?, ?, ?, ?)", ((search, *row) for row in rows))

        self._write(write)

    def record_use(self, chunks: Iterable[str]) -> None:
        """Keep that a report cited these chunks; what is no chunk of a document (a photo) is passed over."""
        rows = [(time.time(), chunk.split(":", 1)[0], chunk) for chunk in chunks if chunk.count(":") >= 2]
        if rows:
            self._write(lambda db: db.executemany("INSERT INTO uses VALUES (?, ?, ?)", rows))

    def record_feedback(self, document: str, *, good: bool, note: str = "") -> None:
        """Keep what somebody thinks of a document."""
        row = (time.time(), document, int(good), note[:2000])
        self._write(lambda db: db.execute("INSERT INTO feedback VALUES (?, ?, ?, ?)", row))

    def searches(self) -> int:
        """Number of questions kept."""
        return int(self._read("SELECT COUNT(*) FROM searches")[0][0])

    def by_document(self, k: int = 3) -> dict[str, Usage]:
        """Usage of each document that the log knows; a document counts once for a question."""
        found = self._read("SELECT document, COUNT(DISTINCT search) FROM hits WHERE rank <= ? GROUP BY document", k)
        cited = self._read("SELECT document, COUNT(*) FROM uses GROUP BY document")
        thought = self._read("SELECT document, SUM(good), SUM(1 - good) FROM feedback GROUP BY document")
        names = {row[0] for rows in (found, cited, thought) for row in rows}
        first, second = dict(found), dict(cited)
        opinion = {row[0]: (int(row[1]), int(row[2])) for row in thought}
        return {name: Usage(int(first.get(name, 0)), int(second.get(name, 0)), *opinion.get(name, (0, 0))) for name in names}

    def _write(self, action: Callable[[sqlite3.Connection], object]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=5)) as db, db:
                db.executescript(_SCHEMA)
                action(db)
        except (sqlite3.Error, OSError) as error:
            logger.warning("the usage log %s cannot be written: %s", self.path, error)

    def _read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        if not self.path.is_file():
            return [(0,)] if "COUNT(*) FROM searches" in query else []
        try:
            with closing(sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True, timeout=5)) as db:
                return db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise UsageError(f"{self.path} cannot be read: {error}; remove it to start a new log") from error
