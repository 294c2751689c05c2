"""An upgrade: a home that an earlier version left is taken over as it is, and nothing in it is lost.

`homes/before_tables` was written by the last version without tables (`gauge inspect --place P-7`, one reported failure).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from eval.failures import FailureLibrary
from knowledge.search import KnowledgeBase
from serve.api.app import create_app
from serve.service import Service
from serve.settings import Settings
from serve.store.store import Store
from tests.serve.conftest import Gauge
from tests.serve.doubles import DoubleReader, picture_bytes

HOMES = Path(__file__).parent / "homes"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The earlier home, its files made from their dumps."""
    folder = tmp_path / "home"
    folder.mkdir()
    for dump in (HOMES / "before_tables").glob("*.sql"):
        with closing(sqlite3.connect(folder / f"{dump.stem}.sqlite")) as book:
            book.executescript(dump.read_text(encoding="utf-8"))
    (folder / "adapters" / "XYZ-2000").mkdir(parents=True)
    (folder / "adapters" / "XYZ-2000" / "note.txt").write_text("kept")
    return folder


@pytest.fixture
def client(home: Path, knowledge: KnowledgeBase) -> Iterator[TestClient]:
    settings = Settings(home=home, trace_days=36_500)
    with TestClient(create_app(settings, Service(settings, reader=DoubleReader(), knowledge=knowledge))) as client:
        yield client


def test_the_dumps_are_those_of_the_version_before() -> None:
    assert {dump.stem for dump in (HOMES / "before_tables").glob("*.sql")} == {"traces", "history", "failures"}


def test_the_server_takes_the_home_over_and_works_on(client: TestClient, home: Path) -> None:
    assert client.get("/ready").status_code == 200
    assert client.get("/reports").json()["reports"] == [], "reports are kept from now on"
    answer = client.post("/inspect", files={"file": ("new.png", picture_bytes())}, data={"place": "P-7"})
    assert answer.status_code == 200
    service = Service(Settings(home=home, trace_days=36_500))
    kept = [one.request_id for one in service.traces.newest()]
    assert kept == [answer.json()["request_id"], "old-1"]
    old = service.traces.load("old-1")
    assert old.stages[0].name == "reading"
    with closing(sqlite3.connect(home / "history.sqlite")) as book:
        rows = book.execute("SELECT request_id, value FROM readings ORDER BY taken_at").fetchall()
    assert rows[0] == ("old-1", 50.0)
    assert len(rows) == 2, "values of a place go on where they stood"


def test_the_failure_library_goes_on(client: TestClient, home: Path) -> None:
    (case,) = FailureLibrary(home).cases()
    assert (case.report.request_id, case.report.note) == ("old-1", "指针")


def test_the_command_line_lists_the_old_requests(home: Path, gauge: Gauge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAUGE_HOME", str(home))
    answer = gauge("replay", "--list")
    assert answer.code == 0
    assert answer.out.startswith("old-1")
    assert "pump 7.png" in answer.out


def test_a_second_start_changes_nothing(home: Path) -> None:
    for _ in range(2):
        Store.open(Settings(home=home)).close()
    assert (home / "adapters" / "XYZ-2000" / "note.txt").read_text() == "kept"
    with closing(sqlite3.connect(home / "traces.sqlite")) as book:
        assert book.execute("SELECT count(*) FROM requests").fetchone() == (1,)


def test_tables_of_a_newer_program_are_refused_and_left_as_they_are(home: Path) -> None:
    from serve.store.errors import StoreError

    Store.open(Settings(home=home)).close()
    with closing(sqlite3.connect(home / "gauge.sqlite")) as book, book:
        book.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"newer|9999"):
        Store.open(Settings(home=home))
    with closing(sqlite3.connect(home / "gauge.sqlite")) as book:
        assert book.execute("SELECT version_num FROM alembic_version").fetchone() == ("9999",)
