"""Both databases for real: SQLite in a file, and a PostgreSQL server that a package brings along."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from serve.store.database import parse_url
from serve.store.ids import new_id


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """Address of a server that runs until the block is left; skips where the package is missing or cannot run here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Its libraries speak about this machine's folders.
        pgserver: Any = pytest.importorskip("pgserver", reason="pgserver brings the PostgreSQL of the tests; it is not installed")
        try:
            server = pgserver.get_server(folder)
        except Exception as error:
            pytest.skip(f"the PostgreSQL of the tests does not start here: {error}")
    try:
        address = str(server.get_uri())
        _wait_for_no_disk(address)
        yield address
    finally:
        server.cleanup()


def _wait_for_no_disk(server: str) -> None:
    """Nothing of the tests has to outlive a power cut, and hundreds of small databases would wait for the disk most of the time.

    A killed client or server loses nothing by it: what was written lies with the operating system.
    """
    engine = create_engine(parse_url(server), isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as db:
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                db.execute(text(f"ALTER SYSTEM SET {setting} = off"))
            db.execute(text("SELECT pg_reload_conf()"))
    finally:
        engine.dispose()


@contextmanager
def fresh_database(server: str) -> Iterator[str]:
    """Address of an empty database on a server, removed afterwards."""
    name = f"t{new_id().lower().translate({45: None, 95: None})}"
    engine = create_engine(parse_url(server), isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as db:
            db.execute(text(f'CREATE DATABASE "{name}"'))
        yield parse_url(server).set(database=name).render_as_string(hide_password=False)
        with engine.connect() as db:
            db.execute(text(f'DROP DATABASE "{name}" WITH (FORCE)'))
    finally:
        engine.dispose()
