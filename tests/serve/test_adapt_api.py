"""Teaching a model over HTTP: photos and labels are checked and queued; the job runs as a process that can be stopped."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from serve.api import adaptation
from serve.api.app import create_app
from serve.api.parts import Parts
from serve.service import Service
from serve.store.jobs import Job
from tests.serve.doubles import picture_bytes

LABELS = "file_name,value,scale_min,scale_max,unit\n1.png,4.2,0,10,bar\n2.png,5,0,10,bar\n"
ROWS = [
    {"file_name": "1.png", "value": 4.2, "scale_min": 0, "scale_max": 10, "unit": "bar"},
    {"file_name": "2.png", "clockwise": True},
]


@pytest.fixture
def client(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """An app whose jobs are done by the tests, one at a time."""
    monkeypatch.setattr("serve.api.runner.Runner.start", lambda _: None)
    with TestClient(create_app(service.settings, service)) as client:
        yield client


def parts(client: TestClient) -> Parts:
    found: Parts = client.app.state.parts  # type: ignore[attr-defined]
    return found


def post(client: TestClient, *files: tuple[str, bytes], labels: Any = None, model: str = "XYZ-2000") -> Response:
    form = {} if labels is None else {"labels": labels if isinstance(labels, str) else json.dumps(labels)}
    return client.post(f"/models/{model}/photos", files=[("file", (name, data)) for name, data in files], data=form)


PHOTOS = (("1.png", picture_bytes()), ("2.png", picture_bytes()))


def folder_of(client: TestClient, job: dict[str, Any]) -> Path:
    return parts(client).store.home / adaptation.FOLDER / str(job["payload"]["folder"])


@pytest.mark.parametrize("way", ["csv", "json"])
def test_photos_with_labels_become_a_job(client: TestClient, way: str) -> None:
    answer = post(client, *PHOTOS, ("labels.csv", LABELS.encode())) if way == "csv" else post(client, *PHOTOS, labels=ROWS)
    assert answer.status_code == 202, answer.text
    job = answer.json()
    assert answer.headers["location"] == f"/jobs/{job['id']}"
    assert (job["state"], job["payload"]["model"], job["payload"]["photos"]) == ("queued", "XYZ-2000", 2)
    names = sorted(path.name for path in folder_of(client, job).iterdir())
    assert names == ["1.png", "2.png", "labels.csv"]
    text = (folder_of(client, job) / "labels.csv").read_text(encoding="utf-8")
    assert text.splitlines()[0].startswith("file_name,value,scale_min,scale_max,unit")
    if way == "json":
        assert text.splitlines()[1:] == ["1.png,4.2,0,10,bar,", "2.png,,,,,true"]


@pytest.mark.parametrize(
    ("files", "labels", "said"),
    [
        (PHOTOS, None, "no labels"),
        (PHOTOS[:1], ROWS, "were not sent"),
        ((*PHOTOS, ("labels.csv", LABELS.encode())), ROWS, "sent twice"),
        ((PHOTOS[0], PHOTOS[0]), ROWS, "two photos"),
        (((".hidden", b"x"), *PHOTOS), ROWS, "no name for a file"),
        (PHOTOS, "nonsense", "JSON list"),
        (PHOTOS, {"file_name": "1.png"}, "JSON list"),
        (PHOTOS, [{"file_name": "1.png", "colour": "red"}], "'colour' is not known"),
        (PHOTOS, [{"value": 1}], "`file_name` is missing"),
        (PHOTOS, [{"file_name": {"a": 1}}], "JSON list"),
        ((*PHOTOS, ("labels.csv", b"\xff\xfe\x00")), None, "cannot be read"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_and_leaves_nothing(
    client: TestClient, files: tuple[tuple[str, bytes], ...], labels: Any, said: str
) -> None:
    answer = post(client, *files, labels=labels)
    assert answer.status_code == 422, answer.text
    assert said in answer.json()["detail"]
    assert parts(client).store.jobs.list("local") == ()
    folder = parts(client).store.home / adaptation.FOLDER
    assert not folder.exists() or not list(folder.iterdir())


def test_an_id_that_becomes_no_folder_is_refused(client: TestClient) -> None:
    assert post(client, *PHOTOS, labels=ROWS, model="%20").status_code == 422
    assert post(client, *PHOTOS, labels=ROWS, model="x" * 81).status_code == 422


def fake_training(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """The job's process runs this in place of the training, which takes minutes."""
    real = adaptation._run

    def run(command: list[str], *rest: Any) -> int | None:
        assert command[1:5] == ["-m", "serve.cli", "adapt", "--photos"]
        return real([sys.executable, "-c", script], *rest)

    monkeypatch.setattr(adaptation, "_run", run)
    monkeypatch.setattr(adaptation, "CHECK_S", 0.02)


def done(client: TestClient, job: dict[str, Any]) -> Job:
    parts(client).runner.run_one()
    return parts(client).store.jobs.get("local", job["id"])


def test_an_adapter_that_helps(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    job = post(client, *PHOTOS, labels=ROWS).json()
    fake_training(monkeypatch, "import os; print('right 50% -> 80%'); print('Stored in', os.environ['GAUGE_HOME'])")
    ended = done(client, job)
    assert ended.state == "done", ended.reason
    assert ended.result == {"model": "XYZ-2000", "stored": True, "text": "right 50% -> 80%"}
    assert not folder_of(client, job).exists()


def test_an_adapter_that_does_not_help_is_said_and_is_no_fault(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    job = post(client, *PHOTOS, labels=ROWS).json()
    fake_training(monkeypatch, "print('Not stored: the held-out photos are read no better with it.'); raise SystemExit(1)")
    ended = done(client, job)
    assert (ended.state, (ended.result or {})["stored"]) == ("done", False)


def test_a_training_that_fails_says_why_and_not_where(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    job = post(client, *PHOTOS, labels=ROWS).json()
    place = folder_of(client, job)
    script = f"print('gauge: {place}/labels.csv:2: unit: unknown'); raise SystemExit(1)"
    fake_training(monkeypatch, script)
    ended = done(client, job)
    assert (ended.state, ended.reason) == ("failed", "labels.csv:2: unit: unknown")


def test_photos_that_went_meanwhile(client: TestClient) -> None:
    job = post(client, *PHOTOS, labels=ROWS).json()
    shutil.rmtree(folder_of(client, job))
    assert "gone" in (done(client, job).reason or "")


def test_a_cancelled_training_is_stopped(client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    job = post(client, *PHOTOS, labels=ROWS).json()
    mark = tmp_path / "alive"
    fake_training(monkeypatch, f"import time, pathlib; pathlib.Path({str(mark)!r}).touch(); time.sleep(60)")
    store = parts(client).store
    real = store.jobs.renew

    def cancel_first(*args: Any, **options: Any) -> bool:
        if mark.exists():
            store.jobs.cancel("local", job["id"])
        return real(*args, **options)

    monkeypatch.setattr(store.jobs, "renew", cancel_first)
    assert done(client, job).state == "cancelled"


def test_a_job_is_watched_listed_and_cancelled_over_http(client: TestClient) -> None:
    answer = post(client, *PHOTOS, labels=ROWS)
    where = answer.headers["location"]
    assert client.get(where).json() == answer.json()
    assert client.get("/jobs", params={"kind": "adapt"}).json() == {"jobs": [answer.json()], "next": None}
    assert client.get("/jobs", params={"state": "done"}).json()["jobs"] == []
    assert client.get("/jobs", params={"state": "lost"}).status_code == 422
    assert client.post(f"{where}/cancel").json()["state"] == "cancelled"
    assert client.post(f"{where}/cancel").json()["state"] == "cancelled"
    assert client.get("/jobs/nowhere").status_code == 404
    assert client.post("/jobs/nowhere/cancel").status_code == 404
    assert not parts(client).runner.run_one()
