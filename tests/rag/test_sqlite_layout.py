"""Small SQLite files: made once, kept, and never written over by another version."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from rag.sqlite_layout import LayoutError, lay_out

SCHEMA = "CREATE TABLE IF NOT EXISTS words (word TEXT NOT NULL);"


@pytest.mark.parametrize(("wal", "mode"), [(True, "wal"), (False, "delete")])
def test_tables_are_made_once_and_what_is_kept_stays(tmp_path: Path, wal: bool, mode: str) -> None:
    for turn in range(3):
        with closing(sqlite3.connect(tmp_path / "a.sqlite")) as db, db:
            lay_out(db, SCHEMA, 4, wal=wal)
            assert db.execute("SELECT COUNT(*) FROM words").fetchone() == (turn,)
            db.execute("INSERT INTO words VALUES ('kept')")
            assert db.execute("PRAGMA journal_mode").fetchone() == (mode,)
            assert db.execute("PRAGMA user_version").fetchone() == (4,)


def test_another_layout_is_named_and_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as db:
        db.execute("PRAGMA user_version = 9")
        with pytest.raises(LayoutError, match=r"another version of this program \(layout 9\)"):
            lay_out(db, SCHEMA, 4)
        assert db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone() == (0,)
        assert db.execute("PRAGMA user_version").fetchone() == (9,)


def test_many_may_come_to_a_new_file_at_once(tmp_path: Path) -> None:
    def come(number: int) -> None:
        with closing(sqlite3.connect(tmp_path / f"{number % 20}.sqlite", timeout=30)) as db, db:
            lay_out(db, SCHEMA, 4)
            db.execute("INSERT INTO words VALUES ('kept')")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(come, sorted(range(160), key=lambda number: number % 20)))
    for number in range(20):
        with closing(sqlite3.connect(tmp_path / f"{number}.sqlite")) as db:
            assert db.execute("SELECT COUNT(*) FROM words").fetchone() == (8,)
