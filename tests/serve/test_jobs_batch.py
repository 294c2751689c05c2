"""A batch over HTTP: photos or a folder become a job, rows come while it runs, and cancelling keeps what was read."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from httpx import Response
from pydantic import SecretStr

from serve.api.app import create_app
from serve.api.parts import Parts
from serve.api.runner import Control
from serve.batch import job as batch_job
from serve.batch.run import Progress
from serve.service import Service
from serve.settings import Settings
from serve.store.errors import StoreError
from tests.serve.batch_doubles import write_photos
from tests.serve.doubles import picture_bytes


@pytest.fixture
def client(service: Service, monkeypatch: pytest.MonkeyPatch, database: SecretStr | None, tmp_path: Path) -> Iterator[TestClient]:
    """An app on each database whose jobs are done by the tests, one at a time."""
    monkeypatch.setattr("serve.api.runner.Runner.start", lambda _: None)
    settings = Settings(home=service.settings.home, database=database, batch_folder=tmp_path / "shelf")
    with TestClient(create_app(settings, service)) as client:
        yield client


def parts(client: TestClient) -> Parts:
    found: Parts = client.app.state.parts  # type: ignore[attr-defined]
    return found


def post(client: TestClient, *photos: tuple[str, bytes], **form: str) -> Response:
    return client.post("/batch", files=[("file", photo) for photo in photos] or None, data=form)


def place(client: TestClient, job: dict[str, Any]) -> Path:
    return parts(client).store.home / batch_job.FOLDER / str(job["payload"]["folder"])


THREE = (("a.png", picture_bytes()), ("b.png", picture_bytes(mark=False)), ("../evil/c.png", b"no picture"))


def test_uploaded_photos_become_rows_in_their_order(client: TestClient) -> None:
    answer = post(client, *THREE, ("a.png", picture_bytes()), model="XYZ-2000")
    assert answer.status_code == 202, answer.text
    job = answer.json()
    assert answer.headers["location"] == f"/jobs/{job['id']}"
    assert (job["state"], job["payload"]["photos"]) == ("queued", 4)
    assert client.get(f"/jobs/{job['id']}/rows").json() == {"state": "queued", "rows": [], "next": None}
    assert parts(client).runner.run_one()
    done = client.get(f"/jobs/{job['id']}").json()
    assert done["state"] == "done"
    assert {name: done["result"][name] for name in ("total", "read", "abstained", "errors", "duplicates")} == {
        "total": 4,
        "read": 2,
        "abstained": 1,
        "errors": 1,
        "duplicates": 1,
    }
    page = client.get(f"/jobs/{job['id']}/rows").json()
    assert [(row["photo"], row["status"], row["duplicate_of"]) for row in page["rows"]] == [
        ("a.png", "read", None),
        ("b.png", "abstained", None),
        ("c.png", "error", None),
        ("a.png", "read", "a.png"),
    ]
    assert page["rows"][0]["instrument_model"] == "XYZ-2000"
    assert not (place(client, job) / "photos").exists()  # They were kept for the job alone.


def test_rows_come_in_pages(client: TestClient) -> None:
    job = post(client, *THREE).json()
    parts(client).runner.run_one()
    first = client.get(f"/jobs/{job['id']}/rows", params={"limit": 2}).json()
    second = client.get(f"/jobs/{job['id']}/rows", params={"start": first["next"], "limit": 2}).json()
    assert [row["photo"] for row in first["rows"] + second["rows"]] == ["a.png", "b.png", "c.png"]
    assert (first["next"], second["next"]) == (2, None)


@pytest.mark.parametrize("format", ["json", "csv", "parquet"])
def test_results_are_the_rows_in_every_format(client: TestClient, format: str) -> None:
    job = post(client, *THREE).json()
    parts(client).runner.run_one()
    rows = client.get(f"/jobs/{job['id']}/rows").json()["rows"]
    answer = client.get(f"/jobs/{job['id']}/results", params={"format": format})
    assert answer.status_code == 200
    assert f"batch-{job['id']}.{format}" in answer.headers["content-disposition"]
    if format == "json":
        assert answer.json() == rows
    elif format == "csv":
        assert [line.split(",")[0] for line in answer.text.splitlines()[1:]] == ["a.png", "b.png", "c.png"]
    else:
        assert pq.read_table(io.BytesIO(answer.content)).to_pylist() == rows


def test_a_folder_of_the_server_is_read_where_the_settings_name_one(client: TestClient, tmp_path: Path) -> None:
    write_photos(tmp_path / "shelf" / "today", 3)
    job = post(client, folder="today").json()
    assert job["payload"]["photos"] == 3
    parts(client).runner.run_one()
    rows = client.get(f"/jobs/{job['id']}/rows").json()["rows"]
    assert [row["photo"] for row in rows] == ["today/0000.png", "today/0001.png", "today/0002.png"]
    assert len(list((tmp_path / "shelf" / "today").iterdir())) == 3


@pytest.mark.parametrize("folder", ["..", "../home", "/etc", "gone", "today/../..", "nul\0", "out"])
def test_a_folder_outside_of_the_servers_is_refused(client: TestClient, tmp_path: Path, folder: str) -> None:
    (tmp_path / "shelf").mkdir()
    write_photos(tmp_path / "secret", 1)
    (tmp_path / "shelf" / "out").symlink_to(tmp_path / "secret")
    answer = post(client, folder=folder)
    assert answer.status_code == 422, answer.text
    assert str(tmp_path) not in answer.text
    assert not client.get("/jobs").json()["jobs"]


def test_neither_photos_nor_a_folder_or_both_are_refused(client: TestClient) -> None:
    assert post(client).status_code == 422
    assert post(client, *THREE, folder="today").status_code == 422


def test_a_job_of_another_kind_has_no_rows(client: TestClient) -> None:
    other = parts(client).store.jobs.add("local", "adapt", {})
    assert client.get(f"/jobs/{other.id}/rows").status_code == 404
    assert client.get(f"/jobs/{other.id}/results").status_code == 404


def test_another_tenant_sees_neither_rows_nor_the_folder(client: TestClient, tmp_path: Path) -> None:
    write_photos(tmp_path / "shelf" / "today", 1)
    job = post(client, *THREE).json()
    keys = parts(client).store.keys
    theirs = {"Authorization": f"Bearer {keys.create('theirs', ['read', 'inspect'], 'plant-2').secret}"}
    for path in ("", "/rows", "/results"):
        assert client.get(f"/jobs/{job['id']}{path}", headers=theirs).status_code == 404
    assert client.post("/batch", data={"folder": "today"}, headers=theirs).status_code == 422


def stop_after(client: TestClient, monkeypatch: pytest.MonkeyPatch, photos: int, act: Any) -> None:
    """Call `act` once `photos` are done, before the job says so."""
    report = Control.report

    def watched(self: Control, progress: dict[str, Any]) -> None:
        if progress["done"] == photos:
            act()
        report(self, progress)

    monkeypatch.setattr(Control, "report", watched)


def test_a_cancelled_batch_keeps_what_was_read(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    job = post(client, *THREE).json()
    stop_after(client, monkeypatch, 2, lambda: client.post(f"/jobs/{job['id']}/cancel"))
    parts(client).runner.run_one()
    assert client.get(f"/jobs/{job['id']}").json()["state"] == "cancelled"
    assert [row["photo"] for row in client.get(f"/jobs/{job['id']}/rows").json()["rows"]] == ["a.png", "b.png"]
    assert not (place(client, job) / "photos").exists()


def test_a_batch_that_a_shutdown_stops_goes_on_where_it_was(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    job = post(client, *THREE).json()
    runner = parts(client).runner
    stop_after(client, monkeypatch, 2, runner._stopping.set)
    runner.run_one()
    assert client.get(f"/jobs/{job['id']}").json()["state"] == "queued"
    monkeypatch.undo()
    runner._stopping.clear()
    runner.run_one()
    done = client.get(f"/jobs/{job['id']}").json()
    assert (done["state"], done["result"]["earlier"], done["result"]["total"]) == ("done", 2, 3)


def test_a_batch_whose_photos_are_gone_fails_with_the_reason(client: TestClient) -> None:
    job = post(client, *THREE).json()
    shutil.rmtree(place(client, job))
    parts(client).runner.run_one()
    done = client.get(f"/jobs/{job['id']}").json()
    assert (done["state"], done["reason"]) == ("failed", "the photos of this batch are gone")


def test_photos_count_against_the_quota_and_are_given_back_where_no_job_was_made(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = parts(client).store
    post(client, *THREE)
    assert store.usage.spent("local", "photos") == 3

    def refuse(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(store.jobs, "add", refuse)
    assert post(client, *THREE).status_code == 503
    assert store.usage.spent("local", "photos") == 3
    assert len(list((store.home / batch_job.FOLDER).iterdir())) == 1


def test_progress_is_json() -> None:
    assert json.loads(json.dumps(Progress(3, 1)._asdict()))["total"] == 3
