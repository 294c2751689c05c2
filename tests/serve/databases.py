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
        yield str(server.get_uri())
    finally:
        server.cleanup()


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
