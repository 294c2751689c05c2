"""Which live requests are diagnosed at once, one in a hundred, and the backlog that an offline batch diagnoses later.

The choice follows from a request's id alone: every process and every rerun takes the same ones, and whoever is taken at
a lower rate is taken at a higher one. The backlog is one SQLite file with an end: what nobody diagnoses in time goes.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from eval.score import EvalError
from rag.sqlite_layout import lay_out

LIVE_RATE = 0.01
FILE = "backlog.sqlite"
_LAYOUT = 1
_WAIT_S = 5.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS waiting (id TEXT PRIMARY KEY, at REAL NOT NULL, taken_at REAL, tries INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS waiting_by_age ON waiting (at);
"""


class Split(NamedTuple):
    """Request ids to diagnose at once, and those for the offline batch, in their order."""

    live: tuple[str, ...]
    offline: tuple[str, ...]


@dataclass(frozen=True)
class Sampler:
    """Takes a share `rate` of requests. Another `salt` takes others. Raises EvalError for a rate outside [0, 1]."""

    rate: float = LIVE_RATE
    salt: str = ""

    def __post_init__(self) -> None:
        if not 0.0 <= self.rate <= 1.0:
            raise EvalError(f"a share of requests lies in [0, 1], got {self.rate}")

    def takes(self, request_id: str) -> bool:
        """Whether this request is diagnosed at once."""
        return place_of(request_id, self.salt) < self.rate

    def split(self, request_ids: Iterable[str]) -> Split:
        """Requests by what happens to them."""
        ids = list(request_ids)
        return Split(tuple(id for id in ids if self.takes(id)), tuple(id for id in ids if not self.takes(id)))


def place_of(request_id: str, salt: str = "") -> float:
    """Where an id falls in [0, 1), evenly over ids."""
    digest = hashlib.sha256(f"{salt}\n{request_id}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


@dataclass(frozen=True)
class BacklogOptions:
    """`most`: requests that wait; the oldest go for a new one. `lease_s`: after that a request that a worker took and did
    not finish is given to the next one; `tries`: so often, then it goes."""

    most: int = 100_000
    lease_s: float = 600.0
    tries: int = 3

    def __post_init__(self) -> None:
        if self.most < 1 or self.lease_s <= 0 or self.tries < 1:
            raise EvalError(f"a backlog needs a size, a lease and tries above 0, got {self}")


class Backlog:
    """Requests that wait for the offline diagnosis. Safe to use from several threads and processes at once.

    Every method raises EvalError where the file cannot be used.
    """

    def __init__(self, path: Path, options: BacklogOptions = BacklogOptions(), clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.options = options
        self._clock = clock

    def add(self, request_ids: Iterable[str]) -> None:
        """Let requests wait; one that waits already keeps its place."""
        with self._open() as db, db:
            db.execute("BEGIN IMMEDIATE")
            now = self._clock()
            db.executemany("INSERT OR IGNORE INTO waiting (id, at) VALUES (?, ?)", [(id, now) for id in request_ids])
            over = int(db.execute("SELECT COUNT(*) FROM waiting").fetchone()[0]) - self.options.most
            if over > 0:
                db.execute("DELETE FROM waiting WHERE id IN (SELECT id FROM waiting ORDER BY at, rowid LIMIT ?)", (over,))

    def take(self, count: int) -> tuple[str, ...]:
        """The oldest `count` requests that nobody works on; nobody else is given them until the lease ends."""
        now = self._clock()
        with self._open() as db, db:
            db.execute("BEGIN IMMEDIATE")
            free = "(taken_at IS NULL OR taken_at <= ?)"
            db.execute(f"DELETE FROM waiting WHERE tries >= ? AND {free}", (self.options.tries, now - self.options.lease_s))  # noqa: S608
            wanted = f"SELECT id FROM waiting WHERE {free} ORDER BY at, rowid LIMIT ?"  # noqa: S608
            ids = [str(row[0]) for row in db.execute(wanted, (now - self.options.lease_s, count))]
            db.executemany("UPDATE waiting SET taken_at = ?, tries = tries + 1 WHERE id = ?", [(now, id) for id in ids])
        return tuple(ids)

    def finish(self, request_ids: Iterable[str]) -> None:
        """Requests that were diagnosed, or cannot be, wait no longer."""
        with self._open() as db, db:
            db.executemany("DELETE FROM waiting WHERE id = ?", [(id,) for id in request_ids])

    def __len__(self) -> int:
        with self._open() as db:
            return int(db.execute("SELECT COUNT(*) FROM waiting").fetchone()[0])

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_WAIT_S)) as db:
                lay_out(db, _SCHEMA, _LAYOUT)
                yield db
        except (sqlite3.Error, OSError) as error:
            raise EvalError(f"the backlog {self.path} cannot be used: {error}") from error
