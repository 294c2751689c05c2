"""The small SQLite files of this program: tables on first use, and a number that says which layout they have."""

from __future__ import annotations

import sqlite3
from contextlib import suppress


class LayoutError(sqlite3.DatabaseError):
    """A file that another version of this program wrote."""


def lay_out(db: sqlite3.Connection, schema: str, layout: int, *, wal: bool = True) -> None:
    """Make the tables in a file that has none yet. Raises LayoutError where it has those of another layout.

    Each statement of `schema` says IF NOT EXISTS: several may come to a new file at once, and each then makes what there is.
    With `wal`, readers and a writer do not wait for each other.
    """
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version not in (0, layout):
        raise LayoutError(f"it was written by another version of this program (layout {version})")
    if version == 0:
        if wal:
            with suppress(sqlite3.OperationalError):  # Who comes second is refused at once, without waiting, and need not care.
                db.execute("PRAGMA journal_mode = WAL")
        db.executescript(f"BEGIN IMMEDIATE; {schema} PRAGMA user_version = {layout}; COMMIT;")
