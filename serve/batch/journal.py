"""What a batch has read so far, beside its output: SQLite in WAL mode, so that `kill -9` loses nothing that was read.

A photo is known by resolved path, size and time of its last change. One process writes at a time.
"""

from __future__ import annotations

import errno
import fcntl
import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from serve.batch.errors import BatchError, BusyError, WeightsError
from serve.batch.sources import Identity
from vision.fields import PhotoReading

VERSION = "1"
_TABLES = """
create table if not exists meta (name text primary key, value text not null);
create table if not exists photos (
    path blob not null, size integer not null, mtime_ns integer not null,
    sha256 text, duplicate_of text, reading text not null,
    primary key (path, size, mtime_ns)
) without rowid;
create index if not exists photos_sha256 on photos (sha256) where duplicate_of is null;
"""


class Entry(NamedTuple):
    """What is known of one photo."""

    sha256: str | None
    duplicate_of: str | None
    reading: PhotoReading


class Journal:
    """The journal of one output. Use as a context manager: it is locked while it is open.

    Raises BatchError where another batch has it, where it belongs to a batch that asked for something else, or where
    `path` is no journal.
    """

    def __init__(self, path: Path, asked: Mapping[str, str | None], *, fresh: bool = False) -> None:
        self.path = path
        self._lock = path.with_name(path.name + ".lock").open("a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise BusyError(f"another batch writes {path}: wait for it, or choose another --out") from error
        db: sqlite3.Connection | None = None
        try:
            if fresh:
                for one in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
                    one.unlink(missing_ok=True)
            self._db = db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.executescript("pragma journal_mode = wal; pragma synchronous = normal;" + _TABLES)
            self._check(asked)
        except BaseException as error:
            if db is not None:
                db.close()
            self._lock.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise BatchError(f"{path} is no journal that can be continued ({error}): --fresh begins anew") from error
            raise

    def _check(self, asked: Mapping[str, str | None]) -> None:
        wanted = json.dumps({"version": VERSION, **asked}, sort_keys=True)
        kept = self._meta("asked")
        if kept is None:
            self._write("insert into meta values ('asked', ?)", (wanted,))
        elif kept != wanted:
            before, now = json.loads(kept), json.loads(wanted)
            changed = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
            told = ", ".join(f"{name} {before.get(name)!r}, now {now.get(name)!r}" for name in changed)
            raise BatchError(f"{self.path} was begun with {told}: ask the same, choose another --out, or --fresh begins anew")

    def _meta(self, name: str) -> str | None:
        row = self._db.execute("select value from meta where name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def check_weights(self, reading: PhotoReading) -> None:
        """Raises BatchError where earlier photos were read with other weights: one table is one reader's."""
        name = f"{reading.weights.name} {reading.weights.version}"
        kept = self._meta("weights")
        if kept is None:
            self._write("insert into meta values ('weights', ?)", (name,))
        elif kept != name:
            raise WeightsError(f"{self.path} was begun with the weights {kept}, these are {name}: --fresh begins anew")

    def find(self, identity: Identity) -> Entry | None:
        """What was read of a photo that has not changed since."""
        row = self._db.execute(
            "select sha256, duplicate_of, reading from photos where path = ? and size = ? and mtime_ns = ?", identity
        ).fetchone()
        return None if row is None else Entry(row[0], row[1], PhotoReading.model_validate_json(row[2]))

    def forget(self, identity: Identity) -> None:
        """Take a photo for one that was never read."""
        self._write("delete from photos where path = ? and size = ? and mtime_ns = ?", identity)

    def same_bytes(self, sha256: str) -> Entry | None:
        """A photo with these bytes that was opened and read."""
        row = self._db.execute(
            "select sha256, duplicate_of, reading from photos where sha256 = ? and duplicate_of is null limit 1", (sha256,)
        ).fetchone()
        return None if row is None else Entry(row[0], row[1], PhotoReading.model_validate_json(row[2]))

    def keep(self, identity: Identity, entry: Entry) -> None:
        """Write down what came of a photo; durable against the end of the process at once. Raises OSError."""
        self._write(
            "insert or replace into photos values (?, ?, ?, ?, ?, ?)",
            (*identity, entry.sha256, entry.duplicate_of, entry.reading.model_dump_json()),
        )

    def _write(self, statement: str, values: Sequence[Any]) -> None:
        """A change as its own transaction. A disk that is full or fails is the system's error, as with any other file."""
        try:
            self._db.execute(statement, values)
        except sqlite3.OperationalError as error:
            is_full = error.sqlite_errorcode == sqlite3.SQLITE_FULL
            raise OSError(errno.ENOSPC if is_full else errno.EIO, str(error), str(self.path)) from error

    def close(self) -> None:
        """Release the journal; the file stays, and the same command reads only what is new."""
        self._db.close()
        self._lock.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
