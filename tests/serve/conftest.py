"""The doors with a known reader behind them; manuals, pipeline and photo intake are the real ones."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr
from typer.testing import CliRunner

from knowledge.search import KnowledgeBase
from serve import service as service_module
from serve.api.app import create_app
from serve.cli import app
from serve.service import Service
from serve.settings import Settings
from serve.store.store import Store
from tests.serve.databases import fresh_database, postgres_server
from tests.serve.doubles import DoubleReader, HashEmbedder


class Answer(NamedTuple):
    """What a command gave back."""

    code: int
    out: str
    err: str

    def objects(self) -> list[dict[str, Any]]:
        """The JSON objects of the output, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


Gauge = Callable[..., Answer]


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """The shipped manuals behind a light embedder."""
    base = KnowledgeBase.open(tmp_path_factory.mktemp("home"), embedder=HashEmbedder())
    yield base
    base.close()


@pytest.fixture
def reader() -> DoubleReader:
    """A reader that keeps what it was asked."""
    return DoubleReader()


@pytest.fixture
def service(reader: DoubleReader, knowledge: KnowledgeBase, tmp_path: Path) -> Service:
    """A service around the double."""
    return Service(Settings(home=tmp_path / "home"), reader=reader, knowledge=knowledge)


@pytest.fixture
def gauge(service: Service, monkeypatch: pytest.MonkeyPatch) -> Gauge:
    """Runs `gauge ARGS...` in this process, with the service around the double."""
    monkeypatch.setattr(service_module, "open_service", lambda *_, **__: service)

    def run(*args: str | Path) -> Answer:
        result = CliRunner().invoke(app, [str(arg) for arg in args])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Address of a PostgreSQL server of this session.

    Not below pytest's own folder: every session that starts closes that to other users, and the server runs as one.
    """
    with (
        tempfile.TemporaryDirectory(prefix="gauge-pg-", ignore_cleanup_errors=True) as folder,
        postgres_server(Path(folder) / "data") as address,
    ):
        yield address


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SecretStr | None]:
    """The setting `database` for an empty one of each kind: a test that asks for it runs on both."""
    if request.param == "sqlite":
        yield None
        return
    with fresh_database(request.getfixturevalue("postgres")) as address:
        yield SecretStr(address)


@pytest.fixture
def store(database: SecretStr | None, tmp_path: Path) -> Iterator[Store]:
    """An empty store on each database."""
    store = Store.open(Settings(home=tmp_path / "home", database=database))
    yield store
    store.close()


@pytest.fixture(scope="module")
def shared_site(knowledge: KnowledgeBase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One server for the tests that do not mind what others left: a database a test would cost minutes together."""
    settings = Settings(home=tmp_path_factory.mktemp("shared"))
    service = Service(settings, reader=DoubleReader(), knowledge=knowledge)
    with TestClient(create_app(settings, service), follow_redirects=False) as client:
        yield client


@pytest.fixture
def site(shared_site: TestClient) -> TestClient:
    """The shared server, to a browser that was never here."""
    shared_site.cookies.clear()
    return shared_site


@pytest.fixture
def fresh_site(service: Service) -> Iterator[TestClient]:
    """A server of its own, with nothing in it."""
    with TestClient(create_app(service.settings, service), follow_redirects=False) as client:
        yield client
