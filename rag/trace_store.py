"""Traces on disk: one SQLite file under the home, read by `gauge replay`.

Writing never raises and never waits long: a full disk, a locked or a damaged file costs the trace, not the report.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rag.errors import TraceError
from rag.sqlite_layout import lay_out
from rag.trace import Stage, Trace, check_request_id

logger = logging.getLogger("gauge.trace")

FILE = "traces.sqlite"
_DAY_S = 86400.0
_LAYOUT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, request_id TEXT NOT NULL, at REAL NOT NULL, photo TEXT NOT NULL, sha256 TEXT, head TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS requests_by_request ON requests (request_id);
CREATE TABLE IF NOT EXISTS stages (
    request INTEGER NOT NULL REFERENCES requests (id) ON DELETE CASCADE, position INTEGER NOT NULL, name TEXT NOT NULL,
    inputs TEXT NOT NULL, outputs TEXT NOT NULL, PRIMARY KEY (request, position)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Retention:
    """How much is kept: the newest `requests`, none older than `days`. No requests: nothing is written at all."""

    requests: int = 1000
    days: float = 30.0
    wait_s: float = 2.0


class Kept(NamedTuple):
    """One line of the list of traces."""

    request_id: str
    at: float
    photo: str


class TraceStore:
    """The traces of one home. Safe to use from several threads and processes at once."""

    def __init__(self, home: Path, retention: Retention | None = None) -> None:
        self.path = home / FILE
        self.retention = retention or Retention()

    def record(self, trace: Trace) -> bool:
        """Keep a trace, and drop what is over the limits. False where that failed; the log says why."""
        if self.retention.requests < 1:
            return False
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._open(self.path.resolve().as_uri()) as db, db:
                self._insert(db, trace)
                self._drop_old(db)
            return True
        except (sqlite3.Error, OSError, ValueError) as error:
            logger.warning("the trace of this request was not kept: %s: %s", self.path, error)
            return False

    def _insert(self, db: sqlite3.Connection, trace: Trace) -> None:
        reading = next((stage.outputs for stage in trace.stages if stage.name == "reading"), {})
        head = trace.model_dump_json(exclude={"stages", "pieces", "prompts"})
        values = (trace.request_id, time.time(), reading.get("photo") or "", reading.get("sha256"), head)
        key = db.execute("INSERT INTO requests (request_id, at, photo, sha256, head) VALUES (?, ?, ?, ?, ?)", values).lastrowid
        rows = [(key, n, one.name, _dump(one.inputs), _dump(one.outputs)) for n, one in enumerate(trace.stages)]
        db.executemany("INSERT INTO stages VALUES (?, ?, ?, ?, ?)", rows)

    def _drop_old(self, db: sqlite3.Connection) -> None:
        oldest = time.time() - self.retention.days * _DAY_S
        newest = "SELECT id FROM requests ORDER BY id DESC LIMIT 1 OFFSET ?"
        db.execute(f"DELETE FROM requests WHERE at < ? OR id <= ({newest})", (oldest, self.retention.requests))  # noqa: S608

    def load(self, request_id: str) -> Trace:
        """The newest trace of a request. Raises TraceError: no id, an unknown one, or a file that cannot be read."""
        check_request_id(request_id)
        with self._reading() as db:
            query = "SELECT id, head FROM requests WHERE request_id = ? ORDER BY id DESC LIMIT 1"
            found = db.execute(query, (request_id,)).fetchone()
            if found is None:
                raise TraceError(f"no request {request_id} in {self.path}; {self._limits()}")
            rows = db.execute(
                "SELECT name, inputs, outputs FROM stages WHERE request = ? ORDER BY position", (found[0],)
            ).fetchall()
            stages = [Stage(name=name, inputs=json.loads(inputs), outputs=json.loads(outputs)) for name, inputs, outputs in rows]
            head = json.loads(found[1])
            return Trace.model_validate({**head, "stages": [stage.model_dump() for stage in stages]})

    def kept(self, request_id: str) -> Kept:
        """When the newest trace of a request was kept, and of which photo. Raises TraceError as `load` does."""
        check_request_id(request_id)
        with self._reading() as db:
            query = "SELECT request_id, at, photo FROM requests WHERE request_id = ? ORDER BY id DESC LIMIT 1"
            found = db.execute(query, (request_id,)).fetchone()
            if found is None:
                raise TraceError(f"no request {request_id} in {self.path}; {self._limits()}")
            return Kept(*found)

    def newest(self, count: int = 10) -> tuple[Kept, ...]:
        """The newest requests, the newest first. Raises TraceError where the file cannot be read."""
        with self._reading() as db:
            rows = db.execute("SELECT request_id, at, photo FROM requests ORDER BY id DESC LIMIT ?", (count,)).fetchall()
            return tuple(Kept(*row) for row in rows)

    def _limits(self) -> str:
        kept = self.retention
        return f"the newest {kept.requests} of the last {kept.days:g} days are kept"

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if not self.path.is_file():
            raise TraceError(f"no traces at {self.path}: nothing was inspected with this home (GAUGE_HOME) yet")
        try:
            with self._open(f"{self.path.resolve().as_uri()}?mode=rw") as db:
                yield db
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            raise TraceError(f"{self.path} cannot be read ({error}); remove it to start anew") from error

    @contextmanager
    def _open(self, uri: str) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(uri, uri=True, timeout=self.retention.wait_s)) as db:
            db.execute("PRAGMA foreign_keys = ON")
            lay_out(db, _SCHEMA, _LAYOUT)
            db.execute("PRAGMA synchronous = NORMAL")
            yield db


def _dump(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
