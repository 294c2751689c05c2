"""Cameras watched by the server: requests go first, one of several servers watches, the end loses nothing."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from serve.api import server
from serve.api.app import create_app
from serve.api.workers import Workers
from serve.cameras import at_server
from serve.cameras.errors import RegistryError
from serve.cameras.kept import KeptEvents
from serve.cameras.states import CameraStates
from serve.cameras.station import hold_watch
from serve.service import Service
from serve.settings import Settings
from serve.store.errors import StoreError
from serve.store.store import Store
from tests.serve.conftest import Gauge
from tests.serve.doubles import DoubleReader, picture_bytes
from tests.serve.test_camera_outputs import until


def cameras_file(tmp_path: Path, text: str = "", count: int = 3) -> Path:
    """A file with one camera, a folder in which pictures lie."""
    folder = tmp_path / "in"
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / f"{number}.png").write_bytes(picture_bytes(color=f"rgb({number},9,9)"))
    file = tmp_path / "cameras.toml"
    file.write_text(f'{text}\n[[camera]]\nname = "files"\nsource = "{folder}"\n', encoding="utf-8")
    return file


@contextmanager
def served(service: Service, file: Path, **changes: Any) -> Iterator[TestClient]:
    settings = service.settings.model_copy(update={"cameras": file, **changes})
    with TestClient(create_app(settings, service)) as client:
        yield client


def kept_of(client: TestClient, tenant: str = "local") -> KeptEvents:
    return KeptEvents(client.app.state.parts.store.database, tenant)  # type: ignore[attr-defined]


def test_the_server_watches_its_cameras_and_says_good_bye(service: Service, tmp_path: Path) -> None:
    file = cameras_file(tmp_path)
    with served(service, file) as client:
        until(lambda: len(kept_of(client).newest("files")) == 3)
        (now,) = client.get("/cameras").json()
        assert (now["watched"], now["events"]["good"], now["newest"]["value"]) == (True, 3, 50.0)
        assert 'gauge_camera_value{camera="files",unit="MPa"} 50.0' in client.get("/metrics").text
        assert client.post("/inspect", files={"file": ("a.png", picture_bytes())}).status_code == 200
    with hold_watch(service.settings.home):  # The lock is free again.
        pass
    store = Store.open(service.settings)
    assert not CameraStates(store.database).get("files").is_watched(time.time())
    store.close()


def test_readings_belong_to_the_tenant_of_the_file(service: Service, tmp_path: Path) -> None:
    with served(service, cameras_file(tmp_path, 'tenant = "plant-1"')) as client:
        until(lambda: len(kept_of(client, "plant-1").newest("files")) == 3)
        assert client.get("/cameras").json() == []
        key = client.app.state.parts.store.keys.create("a", ["read"], "plant-1").secret  # type: ignore[attr-defined]
        assert [one["camera"] for one in client.get("/cameras", headers={"X-API-Key": key}).json()] == ["files"]


@pytest.mark.parametrize("text", ['tenant = "Plant 1"', 'tenant = "../x"', "tenant = 1"])
def test_a_tenant_that_is_none_is_named(service: Service, tmp_path: Path, text: str) -> None:
    with pytest.raises(RegistryError, match="tenant"):
        create_app(service.settings.model_copy(update={"cameras": cameras_file(tmp_path, text)}), service)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("speed = 1", "speed: there is no such key"),
        ('[mqtt]\nhost = "h"\nuser = "u"\npassword_file = "none"\n', "password file none"),
        (None, "No such file"),
    ],
)
def test_a_wrong_file_ends_the_start_with_code_2(
    gauge: Gauge, service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str | None, told: str
) -> None:
    file = cameras_file(tmp_path, text) if text is not None else tmp_path / "none.toml"
    monkeypatch.setenv("GAUGE_HOME", str(service.settings.home))
    monkeypatch.setenv("GAUGE_CAMERAS", str(file))
    monkeypatch.setattr(server, "open_service", lambda *_, **__: service)
    monkeypatch.setattr(server.DrainingServer, "run", lambda _: pytest.fail("it must not start"))
    answer = gauge("serve")
    assert answer.code == 2
    shown = " ".join(answer.err.replace("│", " ").split())
    assert "GAUGE_CAMERAS" in shown
    assert told.replace(" ", "") in shown.replace(" ", "")
    assert "Traceback" not in answer.err


def test_of_two_watchers_one_watches_and_the_other_takes_over(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(at_server, "AGAIN_S", 0.1)
    caplog.set_level(logging.WARNING, "gauge.cameras")
    file = cameras_file(tmp_path)
    with hold_watch(service.settings.home), served(service, file) as client:
        time.sleep(0.5)
        assert kept_of(client).newest("files") == []
        assert client.get("/ready").status_code == 200
        assert caplog.text.count("while another process does") == 1
    with served(service, file) as first, served(service, file) as second:
        until(lambda: len(kept_of(first).newest("files")) == 3)
        first.app.state.parts.cameras.stop()  # type: ignore[attr-defined]
        (tmp_path / "in" / "later.png").write_bytes(picture_bytes(color="rgb(77,9,9)"))
        until(lambda: len(kept_of(second).newest("files")) == 4)
        assert sorted(one.source or "" for one in kept_of(second).newest("files")) == ["0.png", "1.png", "2.png", "later.png"]


def test_a_store_that_fails_at_the_start_is_tried_again(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(at_server, "AGAIN_S", 0.05)
    announce, left = CameraStates.announce, [3]

    def fails(self: CameraStates, cameras: Any) -> None:
        left[0] -= 1
        if left[0] > 0:
            raise StoreError("the database is locked")
        announce(self, cameras)

    monkeypatch.setattr(CameraStates, "announce", fails)
    with served(service, cameras_file(tmp_path)) as client:
        until(lambda: len(kept_of(client).newest("files")) == 3)
    assert caplog.text.count("cannot be watched now: the database is locked") == 1


@contextmanager
def cameras_behind(workers: Workers, service: Service, file: Path) -> Iterator[at_server.ServerCameras]:
    store = Store.open(service.settings)
    cameras = at_server.ServerCameras(file, service, store, workers.wait_idle)
    try:
        yield cameras
    finally:
        cameras.stop()
        store.close()
        workers.close()


def busy(workers: Workers) -> tuple[threading.Event, threading.Thread]:
    """A request that is worked on until the event is set."""
    going_on, begun = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        going_on.wait(20)

    thread = threading.Thread(target=lambda: asyncio.run(workers.run(work)))
    thread.start()
    assert begun.wait(5)
    return going_on, thread


def test_a_picture_waits_while_a_request_is_worked_on(service: Service, reader: DoubleReader, tmp_path: Path) -> None:
    workers = Workers(1, 8)
    with cameras_behind(workers, service, cameras_file(tmp_path)) as cameras, ThreadPoolExecutor(3) as pool:
        done, thread = busy(workers)
        waiting = [pool.submit(cameras._read_behind, picture_bytes(), f"c{n}", None) for n in range(3)]
        time.sleep(0.4)
        assert reader.asked == []
        done.set()
        thread.join()
        assert [one.result(10).status for one in waiting] == ["read"] * 3


def test_requests_without_end_hold_a_picture_up_for_its_time_only(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_server, "PATIENCE_S", 0.6)
    monkeypatch.setattr(at_server, "LOOK_S", 0.2)
    workers = Workers(1, 8)
    with cameras_behind(workers, service, cameras_file(tmp_path)) as cameras:
        done, thread = busy(workers)
        began = time.monotonic()
        assert cameras._read_behind(picture_bytes(), "c", None).status == "read"
        assert 0.5 <= time.monotonic() - began < 5
        done.set()
        thread.join()


def test_one_camera_at_a_time_meets_the_requests(service: Service, tmp_path: Path) -> None:
    """A request waits for one picture at the most, however many cameras have one: the others are not in the reader's queue."""
    inside, most = [0], [0]

    def slow(data: bytes, name: str, model: str | None) -> Any:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.05)
        inside[0] -= 1

    workers = Workers(1, 8)
    with cameras_behind(workers, service, cameras_file(tmp_path)) as cameras, ThreadPoolExecutor(6) as pool:
        cameras._read = slow
        list(pool.map(lambda n: cameras._read_behind(b"", f"c{n}", None), range(6)))
    assert most[0] == 1


def test_the_end_does_not_wait_for_pictures_that_were_not_read(service: Service, tmp_path: Path) -> None:
    file, workers = cameras_file(tmp_path, count=5), Workers(1, 8)
    with cameras_behind(workers, service, file) as cameras:
        done, thread = busy(workers)
        cameras.start()
        time.sleep(2.0)
        began = time.monotonic()
        cameras.stop()
        assert time.monotonic() - began < 10
        done.set()
        thread.join()
    store = Store.open(service.settings)
    assert KeptEvents(store.database).newest("files") == []
    store.close()
    with served(service, file) as client:  # They lie where they were, and the next start takes them.
        until(lambda: len(kept_of(client).newest("files")) == 5)


def test_idle_is_said_when_the_last_request_has_gone() -> None:
    workers = Workers(1, 8)
    assert workers.wait_idle(0.0)
    done, thread = busy(workers)
    assert not workers.wait_idle(0.05)
    done.set()
    assert workers.wait_idle(5.0)
    thread.join()
    workers.close()


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAUGE_CAMERA_DAYS", "0")
    with pytest.raises(ValueError, match="camera_days"):
        Settings()
