"""One database, SQLite or PostgreSQL, behind two context managers: `read` and `write`.

On SQLite a writer takes its lock when it begins, so that two never meet half-way; on PostgreSQL rows are locked as they
are touched. Whatever the driver raises becomes a StoreError without the address's password.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.schema import Table

from serve.store.errors import RefusedError, StoreError

BUSY_S = 5.0
"""How long SQLite waits for another process's write."""
_POSTGRES_OPTIONS = "-c lock_timeout=10s -c statement_timeout=60s -c timezone=UTC"


class Database:
    """Connections to one database. Safe to share between threads. Raises StoreError where the address is none."""

    def __init__(self, url: str) -> None:
        self.url = parse_url(url)
        self.engine = _open_sqlite(self.url) if self.is_sqlite else _open_postgres(self.url)
        self._writing = self.engine.execution_options(gauge_write="FULL")
        self._noting = self.engine.execution_options(gauge_write="NORMAL")

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file of this machine."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def file(self) -> Path | None:
        """SQLite's file."""
        return Path(self.url.database) if self.is_sqlite and self.url.database else None

    @property
    def label(self) -> str:
        """The database for messages: no password, no user."""
        return f"the database {self.file.name if self.file else self.url.database} ({self.url.get_backend_name()})"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state. Raises StoreError."""
        with self._named(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is kept whole or not at all; on the disk when the block is left. Raises StoreError."""
        with self._named(), self._writing.begin() as connection:
            yield connection

    @contextmanager
    def note(self) -> Iterator[Connection]:
        """Like `write` for what may be lost in a power cut, not by a killed process: SQLite does not wait for the disk.

        The next `write` brings it to the disk too.
        """
        with self._named(), self._noting.begin() as connection:
            yield connection

    def check(self) -> None:
        """Raises StoreError unless the database answers and takes writes now."""
        with self.write() as db:
            if self.is_sqlite:
                # The lock alone does not touch the disk: a write that changes nothing does.
                version = db.execute(text("PRAGMA user_version")).scalar_one()
                db.execute(text(f"PRAGMA user_version = {int(version)}"))
            elif db.execute(text("SELECT pg_is_in_recovery()")).scalar_one():
                raise StoreError(f"{self.label} is a standby and takes no writes")

    def insert(self, table: Table) -> Any:
        """An insert that knows `on_conflict_do_nothing` and `on_conflict_do_update`, which both databases have."""
        return sqlite_insert(table) if self.is_sqlite else postgres_insert(table)

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise  # What a caller does wrong is the caller's to tell.
        except DataError as error:  # PostgreSQL takes no NUL, not even to look for it.
            raise RefusedError(f"the database cannot take a text of this request: {_first_line(error.orig)}") from error
        except DBAPIError as error:
            raise self._error(error.orig) from error
        except SQLAlchemyError as error:
            raise self._error(error) from error

    def _error(self, cause: object) -> StoreError:
        message = f"{self.label} cannot be used: {_first_line(cause)}"
        return StoreError(message, None if self.is_sqlite else f"{self.label} cannot be used")


def parse_url(text: str) -> URL:
    """The address with the driver that is used. Raises StoreError, without the text: it may hold a password."""
    try:
        url = make_url(text)
        backend = url.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        backend = ""
    if backend == "postgres":
        backend = "postgresql"
    if backend not in ("sqlite", "postgresql"):
        raise StoreError("GAUGE_DATABASE is no address of a database; write postgresql+psycopg://USER:PASSWORD@HOST/NAME")
    if backend == "sqlite" and not url.database:
        raise StoreError(
            "GAUGE_DATABASE names no file; write sqlite:///FILE, or leave it unset for gauge.sqlite below GAUGE_HOME"
        )
    return url.set(drivername="sqlite" if backend == "sqlite" else "postgresql+psycopg")


def _open_sqlite(url: URL) -> Engine:
    assert url.database is not None
    try:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{error.filename}: {error.strerror}; the database cannot be made there") from error
    engine = create_engine(url, connect_args={"timeout": BUSY_S}, pool_size=8, max_overflow=32)

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _: object) -> None:
        connection.isolation_level = None  # Transactions begin where this module says, not where the driver guesses.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        wait_for_disk = connection.get_execution_options().get("gauge_write")
        if wait_for_disk is not None:
            connection.exec_driver_sql(f"PRAGMA synchronous = {wait_for_disk}")
        connection.exec_driver_sql("BEGIN" if wait_for_disk is None else "BEGIN IMMEDIATE")

    return engine


def _open_postgres(url: URL) -> Engine:
    try:
        return create_engine(
            url,
            pool_size=5,
            max_overflow=15,
            pool_timeout=10,
            pool_pre_ping=True,  # A server that was restarted costs a reconnect and no request.
            connect_args={"connect_timeout": 5, "options": _POSTGRES_OPTIONS},
        )
    except ImportError as error:
        raise StoreError("PostgreSQL needs the extra `postgres`: pip install 'gaugerag[postgres]'") from error


def _first_line(error: object) -> str:
    return (str(error).strip().splitlines() or ["unknown reason"])[0][:300]
