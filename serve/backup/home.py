"""A home in a file and back: files of the home, its SQLite files as they were at one moment, and the store's tables."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from serve.backup.archive import Head, Manifest, unpack, writing
from serve.backup.rows import dump_tables, load_tables
from serve.code_version import code_version
from serve.settings import Settings
from serve.store.database import Database
from serve.store.errors import RefusedError
from serve.store.home_lock import LOCK_FILE, UNFINISHED, hold_home
from serve.store.ids import new_id
from serve.store.migrate import migrate, revisions

TABLES = "tables"
LEFT_OUT = frozenset({"models", "datasets", "blender", LOCK_FILE, UNFINISHED})
"""What a home can make again: converted models, drawn pictures, the renderer's environment."""
_RENAME_EXCHANGE = 2
_AT_FDCWD = -100


class Kept(NamedTuple):
    """What a backup holds, and how large its file is."""

    manifest: Manifest
    size_bytes: int


def back_up(settings: Settings, path: Path) -> Kept:
    """Write everything of a home to one file, while servers go on. Raises StoreError, OSError.

    The tables are of one moment, each SQLite file too; photos that come while it is written may be in it without a report.
    """
    if not settings.home.is_dir():
        raise RefusedError(f"{settings.home} is no home: there is nothing to back up (GAUGE_HOME)")
    database = Database(settings.database_url)
    try:
        migrate(database)
        with tempfile.TemporaryDirectory(prefix="gauge-backup-", dir=path.parent) as folder, writing(path) as file:
            revision = dump_tables(database, Path(folder))
            for table in sorted(Path(folder).iterdir()):
                file.add(table, f"{TABLES}/{table.name}")
            for source in _home_files(settings.home, database.file, path):
                with contextlib.suppress(FileNotFoundError):  # Photos go by age at any moment.
                    name = f"home/{source.relative_to(settings.home).as_posix()}"
                    file.add(_as_of_now(source, Path(folder) / "copy.sqlite"), name)
            moment = datetime.now(UTC).isoformat(timespec="seconds")
            manifest = file.close(Head(made_at=moment, program=code_version(), revision=revision))
    finally:
        database.close()
    return Kept(manifest, path.stat().st_size)


def restore(settings: Settings, path: Path, *, replace: bool = False) -> Manifest:
    """Make a home and the store's tables what they were when a backup was made.

    Everything is unpacked and checked first; then the homes change places at once, and the tables in one transaction. Raises
    RefusedError where the home has something in it and `replace` is not said, where a server runs, and where the file is no
    whole backup of this program or an older one: nothing has changed then. OSError where there is no room.
    """
    home = settings.home
    if _has_something(home) and not replace:
        raise RefusedError(f"{home} has something in it; --replace puts the backup in its place")
    if not path.is_file():
        raise RefusedError(f"{path} is no file")
    with hold_home(home, alone=True):
        beside = f".{home.resolve().name}.restoring-"
        for left in home.resolve().parent.glob(f"{beside}*"):  # Of a restore that was killed: nobody else works here now.
            shutil.rmtree(left, ignore_errors=True)
        staging = home.resolve().parent / f"{beside}{new_id()}"
        try:
            staging.mkdir(parents=True, mode=0o700)
            manifest = unpack(path, staging)
            if manifest.revision not in revisions():
                raise RefusedError(f"{path} was made by a newer version of this program; install that one to restore it")
            _put_in_place(settings, staging, manifest)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return manifest


def _put_in_place(settings: Settings, staging: Path, manifest: Manifest) -> None:
    fresh, tables = staging / "home", staging / TABLES
    fresh.mkdir(exist_ok=True)
    tables.mkdir(exist_ok=True)
    inside = _database_inside(settings)
    if inside is not None:  # The tables are part of the home: they are filled before it takes the other's place.
        database = Database(f"sqlite:///{fresh.resolve() / inside}")
        try:
            load_tables(database, tables, manifest.revision)
        finally:
            database.close()
    if inside is None:
        (fresh / UNFINISHED).touch()  # Home and tables cannot change at one moment: a break between them shows.
    _exchange(settings.home.resolve(), fresh)
    if inside is None:
        database = Database(settings.database_url)
        try:
            load_tables(database, tables, manifest.revision)
        finally:
            database.close()
    (settings.home / UNFINISHED).unlink(missing_ok=True)


def _exchange(home: Path, fresh: Path) -> None:
    """Let two folders change places at once; a home that is a mounted folder is emptied and filled instead."""
    if _renamed_at_once(home, fresh):
        return
    (home / UNFINISHED).touch()  # From here on a break leaves a home that says so itself.
    for entry in [one for one in home.iterdir() if one.name not in (LOCK_FILE, UNFINISHED)]:
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    for entry in fresh.iterdir():
        if entry.name != UNFINISHED:
            shutil.move(entry, home / entry.name)


def _renamed_at_once(home: Path, fresh: Path) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return False
    done = libc.renameat2(_AT_FDCWD, os.fsencode(home), _AT_FDCWD, os.fsencode(fresh), _RENAME_EXCHANGE)
    return bool(done == 0)


def _database_inside(settings: Settings) -> Path | None:
    """Where in the home the tables lie, None where they lie elsewhere."""
    database = Database(settings.database_url)
    try:
        file = database.file
        home = settings.home.resolve()
        return file.resolve().relative_to(home) if file is not None and file.resolve().is_relative_to(home) else None
    finally:
        database.close()


def _has_something(home: Path) -> bool:
    return home.is_dir() and any(one.name != LOCK_FILE for one in home.iterdir())


def _home_files(home: Path, database: Path | None, backup: Path) -> Iterator[Path]:
    """The files of a home that cannot be made again, by name; links are left where they are."""
    skipped = {database.resolve()} if database is not None else set()
    for folder, folders, names in os.walk(home):
        at_top = Path(folder) == home
        folders[:] = sorted(
            one
            for one in folders
            if not one.startswith(".") and not (at_top and one in LEFT_OUT) and not (Path(folder) / one).is_symlink()
        )
        for name in sorted(names):
            path = Path(folder) / name
            if name.startswith(".") or (at_top and name in LEFT_OUT) or name.endswith(("-wal", "-shm", "-journal", ".part")):
                continue
            if path.is_symlink() or not path.is_file() or path.resolve() in skipped or path.resolve() == backup.resolve():
                continue
            yield path


def _as_of_now(source: Path, copy: Path) -> Path:
    """The file itself; for an SQLite file a copy of it as of one moment, in the place of `copy`."""
    if source.suffix != ".sqlite":
        return source
    copy.unlink(missing_ok=True)
    address = f"{source.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=30)) as old, closing(sqlite3.connect(copy)) as new:
            old.backup(new)
    except sqlite3.DatabaseError:
        return source  # No database, whatever its name says: taken as it is.
    return copy
