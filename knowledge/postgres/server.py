"""A PostgreSQL server: a small pool of connections, one retry where one was lost, and errors that never tell the password."""

from __future__ import annotations

import functools
import re
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from knowledge.articles import KnowledgeError
from knowledge.manifest import DatabaseFault

__all__ = ["Connection", "DatabaseFault", "Server", "server_at"]

T = TypeVar("T")

SETTING = "GAUGE_DATABASE"
"""The setting that people know the address by; whoever reads it passes the address in."""
CONNECTIONS, MORE = 2, 2
"""Connections that are kept, and those beyond them that are opened while all are busy."""
CONNECT_S = 10
"""Seconds that a server may take to answer at first."""

try:
    import psycopg
    from pgvector.psycopg import register_vector
    from psycopg.conninfo import conninfo_to_dict
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.exc import TimeoutError as PoolTimeoutError
except ImportError as error:
    raise KnowledgeError(
        f"{SETTING} names a PostgreSQL server, and its driver is not installed ({error.name}): pip install 'gaugerag[postgres]'"
    ) from error

Connection = psycopg.Connection[tuple[Any, ...]]


class Server:
    """Connections to one PostgreSQL database with pgvector, closed when it is forgotten. Safe to share between threads."""

    def __init__(self, address: str) -> None:
        parameters = read_address(address)
        self.place = place_of(parameters)
        self._secret = str(parameters.get("password") or "")
        # A lost connection is found out before it is used (pre-ping), and with it all others of its age.
        self._engine = create_engine(
            "postgresql+psycopg://",
            creator=functools.partial(connect, parameters),
            pool_size=CONNECTIONS,
            max_overflow=MORE,
            pool_pre_ping=True,
        )
        weakref.finalize(self, self._engine.dispose)

    def run(self, work: Callable[[Connection], T]) -> T:
        """What `work` makes of a connection (autocommit); done once more where the connection was lost. Raises DatabaseFault."""
        for last in (False, True):
            try:
                pooled = self._engine.raw_connection()
            except (psycopg.OperationalError, DBAPIError) as error:
                if last:
                    raise self._silent(error) from error
                continue
            except PoolTimeoutError as error:
                raise DatabaseFault(f"{self.place}: all {CONNECTIONS + MORE} connections are busy; try again later") from error
            except psycopg.Error as error:
                raise self._refusing(error) from error
            connection = cast(Connection, pooled.dbapi_connection)
            try:
                return work(connection)
            except psycopg.Error as error:
                if not connection.closed:
                    raise self._refusing(error) from error
                pooled.invalidate(error)
                if last:
                    raise self._silent(error) from error
            finally:
                pooled.close()
        raise AssertionError("the last attempt returns or raises")

    def _silent(self, error: Exception) -> DatabaseFault:
        return DatabaseFault(f"{self.place} does not answer: {self._told(error)}; start it, or mend {SETTING}")

    def _refusing(self, error: Exception) -> DatabaseFault:
        return DatabaseFault(
            f"{self.place} refuses: {self._told(error)}; {SETTING} must name a database that its user may write to"
        )

    def _told(self, error: Exception) -> str:
        text = " ".join(str(getattr(error, "orig", None) or error).split())
        return text.replace(self._secret, "***") if self._secret else text


_servers: weakref.WeakValueDictionary[str, Server] = weakref.WeakValueDictionary()
_finding = threading.Lock()


def server_at(address: str) -> Server:
    """The server at an address; all that is read from it in this process shares its connections. Raises DatabaseFault."""
    with _finding:
        server = _servers.get(address)
        if server is None:
            server = _servers[address] = Server(address)
        return server


def read_address(address: str) -> dict[str, Any]:
    """The driver's parameters for `postgresql://USER:PASSWORD@HOST/NAME`, also as SQLAlchemy writes it. Raises DatabaseFault."""
    plain = re.sub(r"^postgres(ql)?(\+\w+)?://", "postgresql://", address)
    try:
        if plain == address and not address.startswith("postgresql://"):
            raise psycopg.ProgrammingError
        parameters = conninfo_to_dict(plain)
    except psycopg.Error:
        # What the driver says of it may hold the password.
        raise DatabaseFault(
            f"{SETTING} is no address of a PostgreSQL database; write postgresql://USER:PASSWORD@HOST:5432/NAME"
        ) from None
    return {"connect_timeout": CONNECT_S, "application_name": "gauge-knowledge", **parameters, "client_encoding": "utf8"}


def place_of(parameters: Mapping[str, Any]) -> str:
    """How messages call the database."""
    host = parameters.get("host") or parameters.get("hostaddr") or "this machine"
    port = f":{parameters['port']}" if parameters.get("port") else ""
    user = f" as {parameters['user']}" if parameters.get("user") else ""
    return f"the PostgreSQL database {parameters.get('dbname') or 'of its user'!r} at {host}{port}{user} ({SETTING})"


def connect(parameters: Mapping[str, Any]) -> Connection:
    """A connection that knows vectors."""
    connection: Connection = psycopg.connect(**parameters, autocommit=True)
    try:
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise DatabaseFault(f"the database of {SETTING} keeps text as {encoding}; create one with the encoding UTF8")
        # Compiling a query for milliseconds pays where it runs for minutes.
        connection.execute("SET jit = off")
        if connection.execute("SELECT to_regtype('vector')").fetchone() == (None,):
            _add_vectors(connection)
        register_vector(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _add_vectors(connection: Connection) -> None:
    try:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('gauge_vector', 0))")
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.Error as error:
        raise DatabaseFault(
            f"the database of {SETTING} has no pgvector and its user cannot add it ({error.diag.message_primary}): "
            "install pgvector on its machine and run CREATE EXTENSION vector there as its administrator"
        ) from error
