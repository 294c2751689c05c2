"""Disks and databases that fail while people work: told as what they are, nothing lost that was acknowledged."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from sqlalchemy import event

from knowledge.search import KnowledgeBase
from serve.api import server
from serve.api.app import create_app
from serve.api.routes import health
from serve.service import Service
from serve.settings import Settings
from serve.store import database as database_module
from serve.store.store import Store
from tests.serve.conftest import Gauge
from tests.serve.doubles import DoubleReader, picture_bytes

ROOMY_MIB = 64  # Above the store's own limit of 50 MiB, below which it says that the disk is full.


@contextmanager
def disk(folder: Path, *options: str) -> Iterator[Path]:
    """A small disk of its own; skips where this process may mount none."""
    folder.mkdir(exist_ok=True)
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, *options, str(folder)], capture_output=True, check=False).returncode:
        pytest.skip("mounting a disk for this test is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with disk(tmp_path / "disk", "-t", "tmpfs", "-o", f"size={ROOMY_MIB}m", "tmpfs") as folder:
        yield folder


@contextmanager
def client_of(home: Path, knowledge: KnowledgeBase, **changes: Any) -> Iterator[TestClient]:
    settings = Settings(home=home, **changes)
    with TestClient(create_app(settings, Service(settings, reader=DoubleReader(), knowledge=knowledge))) as client:
        yield client


@pytest.fixture(autouse=True)
def ask_the_disk_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "CHECK_S", -1.0)


def send(client: TestClient, key: str | None = None, data: bytes | None = None) -> Response:
    headers = {"Idempotency-Key": key} if key else None
    return client.post("/inspect", files={"file": ("a.png", data or picture_bytes())}, data={"place": "P-1"}, headers=headers)


def kept(client: TestClient) -> list[str]:
    return [line["id"] for line in client.get("/reports").json()["reports"]]


def check_unavailable(answer: Response, *words: str) -> None:
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert int(answer.headers["retry-after"]) > 0
    for word in words:
        assert word in answer.json()["detail"]


def fill(folder: Path, left_bytes: int) -> Path:
    """A file that leaves so much of the disk."""
    filler = folder / "filler"
    with filler.open("wb") as file, open("/dev/zero", "rb") as zeros:
        while True:
            free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
            if free <= left_bytes:
                return filler
            file.write(zeros.read(min(2**20, free - left_bytes)))
            file.flush()


def test_a_nearly_full_disk_is_told_before_anything_is_lost(small_disk: Path, knowledge: KnowledgeBase) -> None:
    with client_of(small_disk / "home", knowledge) as client:
        assert client.get("/ready").status_code == 200
        filler = fill(small_disk, 20 * 2**20)
        check_unavailable(client.get("/ready"), "MiB")
        assert client.get("/health").json()["status"] == "ok"
        filler.unlink()
        assert client.get("/ready").status_code == 200


@pytest.mark.parametrize("left_kib", [0, 8, 40, 120, 600])
def test_on_a_full_disk_a_request_is_kept_whole_or_refused(small_disk: Path, knowledge: KnowledgeBase, left_kib: int) -> None:
    photo = picture_bytes(size=(300, 200))
    with client_of(small_disk / "home", knowledge) as client:
        first = send(client)
        assert first.status_code == 200
        filler = fill(small_disk, left_kib * 1024)
        answers = [send(client, key=f"k-{number}", data=photo + bytes([number])) for number in range(3)]
        assert {answer.status_code for answer in answers} <= {200, 503}
        check_unavailable(client.get("/ready"))
        assert first.json()["id"] in kept(client), "what is kept can still be read"
        filler.unlink()
        assert client.get("/ready").status_code == 200
        again = [send(client, key=f"k-{number}", data=photo + bytes([number])) for number in range(3)]
        assert [answer.status_code for answer in again] == [200, 200, 200]
        for before, after in zip(answers, again, strict=True):
            assert before.status_code == 503 or before.json()["id"] == after.json()["id"]
            assert client.get(f"/reports/{after.json()['id']}/photo").status_code == 200
        assert sorted(kept(client)) == sorted({first.json()["id"], *(answer.json()["id"] for answer in again)})


def test_a_read_only_home_is_refused_at_the_start_with_words(
    tmp_path: Path, gauge: Gauge, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with disk(home, "--bind", str(home)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(home)], check=True)
        monkeypatch.setenv("GAUGE_HOME", str(home))
        monkeypatch.setattr(server, "open_service", lambda settings, **_: Service(settings, reader=DoubleReader()))
        answer = gauge("serve", "--port", "0")
    assert answer.code == 1
    assert "Traceback" not in answer.err
    assert len(answer.err.splitlines()) == 1
    assert "cannot" in answer.err


def test_a_database_that_became_read_only_refuses_and_still_answers(tmp_path: Path, knowledge: KnowledgeBase) -> None:
    with client_of(tmp_path / "home", knowledge) as client:
        made = send(client).json()["id"]
        engine = client.app.state.parts.store.database.engine  # type: ignore[attr-defined]

        def forbid(connection: Any, _: object) -> None:
            connection.execute("PRAGMA query_only = 1")

        event.listen(engine, "connect", forbid)
        engine.dispose()
        check_unavailable(client.get("/ready"), "readonly")
        check_unavailable(send(client), "readonly")
        assert kept(client) == [made]
        event.remove(engine, "connect", forbid)
        engine.dispose()
        assert send(client).status_code == 200
        assert len(kept(client)) == 2


def test_a_locked_database_says_so_in_time_and_works_again(
    tmp_path: Path, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "BUSY_S", 0.2)
    home = tmp_path / "home"
    with client_of(home, knowledge) as client, closing(sqlite3.connect(home / "gauge.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        check_unavailable(send(client, key="once"), "locked")
        check_unavailable(client.get("/ready"), "locked")
        assert kept(client) == []
        other.execute("ROLLBACK")
        assert client.get("/ready").status_code == 200
        ids = {send(client, key="once").json()["id"] for _ in range(2)}
        assert [*ids] == kept(client)


@pytest.mark.parametrize("name", ["traces.sqlite", "history.sqlite", "usage.sqlite", "knowledge-usage.sqlite"])
def test_books_beside_the_store_may_be_damaged(tmp_path: Path, knowledge: KnowledgeBase, name: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / name).write_bytes(b"this was a database once\n" * 400)
    with client_of(home, knowledge) as client:
        answer = send(client)
        assert answer.status_code == 200
        assert kept(client) == [answer.json()["id"]]
        assert client.get(f"/walkthrough/{answer.json()['id']}").status_code in (200, 404, 503)


def test_a_damaged_database_is_refused_at_the_start_and_left_as_it_is(
    tmp_path: Path, gauge: Gauge, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    junk = b"not a database at all " * 500
    (home / "gauge.sqlite").write_bytes(junk)
    monkeypatch.setenv("GAUGE_HOME", str(home))
    monkeypatch.setattr(server, "open_service", lambda settings, **_: Service(settings, reader=DoubleReader()))
    answer = gauge("serve", "--port", "0")
    assert answer.code == 1
    assert "gauge.sqlite" in answer.err
    assert "Traceback" not in answer.err
    assert (home / "gauge.sqlite").read_bytes() == junk


def test_a_folder_of_photos_that_is_none_refuses(tmp_path: Path, knowledge: KnowledgeBase) -> None:
    home = tmp_path / "home"
    with client_of(home, knowledge) as client:
        (home / "photos").write_text("in the way")
        check_unavailable(send(client))
        assert kept(client) == []
        (home / "photos").unlink()
        assert send(client).status_code == 200


def test_a_photo_that_vanished_is_not_found_and_its_report_is(tmp_path: Path, knowledge: KnowledgeBase) -> None:
    home = tmp_path / "home"
    with client_of(home, knowledge) as client:
        made = send(client).json()["id"]
        shutil.rmtree(home / "photos")
        assert client.get(f"/reports/{made}/photo").status_code == 404
        assert client.get(f"/reports/{made}/overlay").status_code == 404
        for kind in ("json", "html", "md", "pdf"):
            assert client.get(f"/reports/{made}?format={kind}").status_code == 200


def test_a_language_models_server_that_is_down_costs_no_report(tmp_path: Path, knowledge: KnowledgeBase) -> None:
    down = {"llm_url": "http://127.0.0.1:9/v1", "llm_model": "any"}
    with client_of(tmp_path / "home", knowledge, **down) as client:
        answer = client.post(
            "/inspect", files={"file": ("a.png", picture_bytes())}, data={"writer": "openai", "model": "XYZ-2000"}
        )
        assert answer.status_code in (200, 503), answer.text
        if answer.status_code == 200:
            assert answer.json()["report"]["statements"]
        assert client.get("/ready").status_code == 200


def test_a_store_that_is_closed_and_opened_has_what_was_acknowledged(tmp_path: Path, knowledge: KnowledgeBase) -> None:
    with client_of(tmp_path / "home", knowledge) as client:
        ids = [send(client).json()["id"] for _ in range(3)]
    store = Store.open(Settings(home=tmp_path / "home"))
    try:
        assert [line.id for line in store.reports.list("local", limit=10)] == ids[::-1]
        with closing(sqlite3.connect(tmp_path / "home" / "gauge.sqlite")) as book:
            assert book.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        store.close()
