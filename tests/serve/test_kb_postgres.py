"""`gauge kb` with GAUGE_DATABASE set to PostgreSQL: the same commands, the same answers, no secret in a message."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from fastapi import FastAPI, Request, Response
from fastapi.testclient import TestClient
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from knowledge import search
from knowledge.manifest import PublishError
from knowledge.postgres.server import server_at
from knowledge.search import KnowledgeBase
from serve import library
from serve.api.problems import add_problem_handlers
from serve.cli import app
from serve.library import open_knowledge, open_knowledge_version, open_version
from serve.settings import Settings
from serve.tenancy import open_tenant_knowledge
from tests.knowledge.conftest import article_text
from tests.serve import databases
from tests.serve.doubles import HashEmbedder

Kb = Callable[..., Result]
VALVE = "# T\n\n## 1 Valve\n\nThe relief valve opens at {} bar.\n"


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (search, library):
        monkeypatch.setattr(module, "load_embedder", lambda name: HashEmbedder())
    monkeypatch.setattr("serve.tenancy.load_embedder", lambda name: HashEmbedder())


@pytest.fixture
def address(postgres: str) -> Iterator[str]:
    with databases.fresh_database(postgres) as address:
        yield address


@pytest.fixture
def kb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str) -> Kb:
    """Runs `gauge kb ARGS...` with a home of its own, and nothing of the publications below it."""
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GAUGE_DATABASE", address)

    def run(*args: str) -> Result:
        result = CliRunner().invoke(app, ["kb", *args])
        assert not (tmp_path / "home" / "knowledge" / "versions").exists()
        return result

    return run


def test_documents_come_in_answer_and_are_weighed(kb: Kb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "valve.md"
    path.write_text(article_text(VALVE.format("five"), id="valve-en", models="VA-1", title="VA-1 Manual"), encoding="utf-8")
    added = kb("add", str(path))
    assert added.exit_code == 0, added.stderr
    assert "1 added, 0 unchanged, 0 refused; published " in added.stdout
    ask = ("search", "relief valve", "--model", "VA-1", "-k", "2", "--json")
    found = kb(*ask).stdout
    assert json.loads(found.splitlines()[0])["chunk"]["document"] == "valve-en"
    then = kb("search", "calibration formula", "--model", "XYZ-2000", "--time-travel", "2022-05-01", "--json")
    now = kb("search", "calibration formula", "--model", "XYZ-2000", "--json")
    versions = [json.loads(one.stdout.splitlines()[0])["chunk"]["version"] for one in (then, now)]
    assert versions[0] != versions[1]
    assert any(one["id"] == "valve-en" for one in json.loads(kb("list", "--json").stdout)["documents"])
    assert kb("conflicts", "--model", "XYZ-2000").exit_code == 0
    assert kb("weigh", "valve-en", "0.5", "--note", "hearsay").exit_code == 0
    score = json.loads(kb(*ask).stdout.splitlines()[0])["score"]
    assert score < json.loads(found.splitlines()[0])["score"]
    assert kb("weigh", "valve-en", "--undo").exit_code == 0
    assert kb(*ask).stdout == found
    monkeypatch.delenv("GAUGE_DATABASE")
    assert CliRunner().invoke(app, ["kb", *ask]).stdout == found  # And so it is from the folders.


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("postgresql://gauge:s3cr3t@127.0.0.1:1/gauge", "does not answer"),
        ("postgresql://gauge:s3cr3t@[::1/gauge", "GAUGE_DATABASE is no address"),
    ],
)
def test_a_database_that_does_not_answer_is_one_line_without_the_password(
    kb: Kb, monkeypatch: pytest.MonkeyPatch, value: str, told: str
) -> None:
    monkeypatch.setenv("GAUGE_DATABASE", value)
    result = kb("search", "relief valve")
    assert result.exit_code != 0
    assert told in result.stderr
    assert "s3cr3t" not in result.stdout + result.stderr
    assert "Traceback" not in result.stderr


def test_an_old_version_is_opened_for_a_replay(tmp_path: Path, address: str) -> None:
    settings = Settings(home=tmp_path / "home", database=SecretStr(address))
    own = tmp_path / "home" / "corpus" / "documents"
    own.mkdir(parents=True)
    seen: list[KnowledgeBase] = []
    for serial in ("five", "nine"):
        (own / "valve-en.md").write_text(article_text(VALVE.format(serial), id="valve-en", models="VA-1"), encoding="utf-8")
        seen.append(open_knowledge(settings))
    old = open_version(settings, seen[0].version, date(2024, 6, 1))
    assert old is not None
    assert "five bar" in old.search("relief valve", model="VA-1")[0].chunk.text
    assert "nine bar" in seen[1].search("relief valve", model="VA-1")[0].chunk.text
    assert open_version(settings, "0" * 16, date(2024, 6, 1)) is None
    with pytest.raises(PublishError, match="not whole"):
        open_knowledge_version(settings, "0" * 16, date(2024, 6, 1))


def test_a_tenant_has_its_manuals_and_the_house_does_not(tmp_path: Path, address: str) -> None:
    house = Settings(home=tmp_path / "home", database=SecretStr(address))
    tenant = Settings(home=tmp_path / "home" / "tenants" / "t1", database=SecretStr(address))
    own = tenant.home / "corpus" / "documents"
    own.mkdir(parents=True)
    (own / "valve-en.md").write_text(article_text(VALVE.format("five"), id="valve-en", models="VA-1"), encoding="utf-8")
    shared, theirs = open_knowledge(house), open_tenant_knowledge(tenant, house.home)
    assert (shared.canonical_model("VA-1"), theirs.canonical_model("VA-1")) == (None, "VA-1")
    again = KnowledgeBase.open_current(house.home, embedder=HashEmbedder(), database=address)
    assert again.version == shared.version != theirs.version


def test_over_http_it_is_a_503_that_names_no_host() -> None:
    door = FastAPI()
    add_problem_handlers(door)

    @door.middleware("http")
    async def name(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        request.state.request_id = "r-1"
        return await call_next(request)

    @door.get("/ask")
    def ask() -> None:
        server_at("postgresql://gauge:s3cr3t@127.0.0.1:1/gauge").run(lambda connection: None)

    answer = TestClient(door).get("/ask")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert answer.json()["type"] == "urn:gaugerag:problem:manuals"
    assert not any(word in answer.text for word in ("127.0.0.1", "s3cr3t", "GAUGE_"))
