"""The connection: lost and found again, errors that name the setting and never the password."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from knowledge.articles import KnowledgeError
from knowledge.search import KnowledgeBase

from .conftest import HashEmbedder

pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")

import psycopg

from knowledge.postgres.server import CONNECTIONS, MORE, DatabaseFault, Server, read_address, server_at

SECRET = "s3cr3t-w0rd"


def backends(address: str) -> list[int]:
    """Connections of this product to the database of an address."""
    query = "SELECT pid FROM pg_stat_activity WHERE application_name = 'gauge-knowledge' AND datname = current_database()"
    with psycopg.connect(address.replace("+psycopg", ""), autocommit=True) as connection:
        return [pid for (pid,) in connection.execute(query)]


def kill_all(address: str) -> int:
    with psycopg.connect(address.replace("+psycopg", ""), autocommit=True) as connection:
        return sum(
            bool(connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,)).fetchone()) for pid in backends(address)
        )


def test_an_open_base_outlives_its_connections(
    database: str, tmp_path: Path, make_corpus: Callable[..., Path], embedder: HashEmbedder
) -> None:
    base = KnowledgeBase.open(tmp_path, make_corpus(a_en="# T\n\n## 1 A\n\nFive bar.\n"), embedder=embedder, database=database)
    before = base.search("five bar")
    assert kill_all(database) >= 1
    assert base.search("five bar") == before != []
    base.close()


def test_work_is_done_once_more_where_the_connection_is_lost_and_then_fails(database: str) -> None:
    tried: list[int] = []

    def die(connection: Any, times: int) -> str:
        tried.append(1)
        if len(tried) <= times:
            connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return "done"

    server = Server(database)
    assert server.run(lambda connection: die(connection, 1)) == "done"
    assert len(tried) == 2
    tried.clear()
    with pytest.raises(DatabaseFault, match=r"does not answer: .*start it, or mend GAUGE_DATABASE"):
        server.run(lambda connection: die(connection, 9))
    assert len(tried) == 2
    assert server.run(lambda connection: connection.execute("SELECT 7").fetchone()) == (7,)


def test_what_the_server_refuses_is_told_and_not_tried_again(database: str) -> None:
    tried: list[int] = []

    def wrong(connection: Any) -> None:
        tried.append(1)
        connection.execute("SELECT * FROM no_such_table")

    with pytest.raises(DatabaseFault, match=r"refuses: relation .no_such_table. does not exist"):
        Server(database).run(wrong)
    assert tried == [1]


def test_a_transaction_that_fails_leaves_the_connection_usable(database: str) -> None:
    server = Server(database)

    def half(connection: Any) -> None:
        with connection.transaction():
            connection.execute("CREATE TABLE half_done (n int)")
            raise KeyError("half")

    for _ in range(CONNECTIONS + MORE + 1):
        with pytest.raises(KeyError):
            server.run(half)
    assert server.run(lambda connection: connection.execute("SELECT to_regclass('half_done')").fetchone()) == (None,)


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://gauge:{SECRET}@127.0.0.1:1/gauge",
        f"postgresql+psycopg://gauge:{SECRET}@127.0.0.1:1/gauge",
        f"postgres://gauge:{SECRET}@no-such-host.invalid/gauge",
        f"postgresql://gauge:{SECRET}@host:port:port/gauge",
        f"postgresql:///gauge?host=/no/such/folder&password={SECRET}",
    ],
)
def test_a_server_that_is_not_there_is_named_without_the_password(
    address: str, tmp_path: Path, make_corpus: Callable[..., Path]
) -> None:
    corpus = make_corpus(a_en="# T\n\n## 1 A\n\nFive bar.\n")
    with pytest.raises(DatabaseFault, match=r"'gauge' at .*GAUGE_DATABASE.* does not answer") as caught:
        KnowledgeBase.open(tmp_path / "home", corpus, embedder=HashEmbedder(), database=address)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://gauge:{SECRET}@[::1/gauge",
        f"postgresql://host/gauge?{SECRET}=1",
        f"mysql://gauge:{SECRET}@host/gauge",
        f"host=h {SECRET}",
        "",
    ],
)
def test_what_is_no_address_is_refused_without_being_repeated(address: str) -> None:
    with pytest.raises(DatabaseFault, match=r"GAUGE_DATABASE is no address .*write postgresql://") as caught:
        read_address(address)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert isinstance(caught.value, KnowledgeError)


def test_a_wrong_password_is_told_without_it(database: str) -> None:
    address = read_address(database)
    with psycopg.connect(database.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS gauge_nobody")
    strange = f"postgresql://gauge_nobody:{SECRET}@/{address['dbname']}?host={address['host']}"
    with pytest.raises(DatabaseFault, match="gauge_nobody") as caught:
        Server(strange).run(lambda connection: None)
    assert SECRET not in str(caught.value)


def test_a_reader_without_the_right_to_write_reads_and_is_told_when_it_must_write(
    database: str, tmp_path: Path, make_corpus: Callable[..., Path], embedder: HashEmbedder
) -> None:
    corpus = make_corpus(a_en="# T\n\n## 1 A\n\nFive bar.\n")
    KnowledgeBase.open(tmp_path / "one", corpus, embedder=embedder, database=database).close()
    address = read_address(database)
    with psycopg.connect(database.replace("+psycopg", ""), autocommit=True) as connection:
        for statement in (
            "DROP ROLE IF EXISTS gauge_reader",
            "CREATE ROLE gauge_reader LOGIN",
            "GRANT USAGE ON SCHEMA gauge_knowledge TO gauge_reader",
            "GRANT SELECT ON ALL TABLES IN SCHEMA gauge_knowledge TO gauge_reader",
        ):
            connection.execute(statement)  # type: ignore[arg-type]
        try:
            reader = f"postgresql://gauge_reader@/{address['dbname']}?host={address['host']}"
            base = KnowledgeBase.open(tmp_path / "two", corpus, embedder=embedder, database=reader)
            assert base.search("five bar")
            make_corpus(a_en="# T\n\n## 1 A\n\nSix bar.\n")
            with pytest.raises(DatabaseFault, match=r"permission denied .* its user may write to"):
                KnowledgeBase.open(tmp_path / "two", corpus, embedder=embedder, database=reader)
        finally:
            connection.execute("DROP OWNED BY gauge_reader")
            connection.execute("DROP ROLE gauge_reader")


def test_few_connections_serve_many_threads_and_go_when_nobody_reads(
    database: str, tmp_path: Path, make_corpus: Callable[..., Path], embedder: HashEmbedder
) -> None:
    corpus = make_corpus(a_en="# T\n\n## 1 A\n\nFive bar.\n")
    gc.collect()
    before = len(backends(database))
    bases = [KnowledgeBase.open(tmp_path, corpus, embedder=embedder, database=database) for _ in range(6)]
    assert len({id(server_at(database)) for _ in range(3)}) == 1
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: bases[n % 6].search("five bar"), range(60)))
    assert all(one == found[0] != [] for one in found)
    assert len(backends(database)) - before <= CONNECTIONS + MORE
    for base in bases:
        base.close()
    bases.clear()
    del base
    gc.collect()
    assert len(backends(database)) <= before
