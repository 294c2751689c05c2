"""`gauge watch` from the outside: what it prints, keeps and refuses, and what is left of it after kill -9."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from serve.cameras.errors import CameraError
from serve.cameras.events import AlarmChange, CameraEvent
from serve.cameras.kept import KeptEvents
from serve.cameras.station import hold_watch
from serve.commands.watching import event_line
from serve.service import Service
from serve.settings import Settings
from serve.store.store import Store
from tests.serve.conftest import Gauge
from tests.serve.doubles import picture_bytes
from tests.serve.test_camera_outputs import broker, free_port, listener, readings, until
from tests.serve.test_camera_sources import http_camera, reply

ROOT = Path(__file__).resolve().parents[2]


def picture(number: int) -> bytes:
    return picture_bytes(color=f"rgb({number % 200},{number // 200},9)")


def write_cameras(folder: Path, text: str) -> Path:
    file = folder / "cameras.toml"
    file.write_text(text, encoding="utf-8")
    return file


def folder_of(tmp_path: Path, count: int) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:03d}.png").write_bytes(picture(number))
    return folder


def test_a_file_is_checked_without_reader_or_camera(gauge: Gauge, tmp_path: Path) -> None:
    text = '[[camera]]\nname = "p1"\nsource = "http://u:s3cret@camera/a.jpg?key=k3y"\ncron = "*/5 * * * *"\n'
    told = gauge("watch", write_cameras(tmp_path, text + '[mqtt]\nhost = "h"\n'), "--check")
    assert told.code == 0
    assert told.out == (
        "p1: http://camera/a.jpg, cron */5 * * * *, model not given, alarms: none\n"
        "broker h:1883, topics gauge/CAMERA/reading\n"
    )  # fmt: skip
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = 1", "name: there is no such key"),
        ('[[camera]]\nname = "a"\nsource = "http://u:s3cret@h/"\nevery_s = 0', "every_s"),
        ('[[camera]]\nname = "a"\nsource = "rtsp://h/"\nevery_s = 9\npassword_file = "none"', "password file none"),
    ],
)
def test_a_wrong_file_is_one_line_and_exit_code_1(gauge: Gauge, tmp_path: Path, text: str, told: str) -> None:
    for more in ([], ["--check"]):
        answer = gauge("watch", write_cameras(tmp_path, text), *more)
        assert answer.code == 1
        assert told in answer.err
        assert "s3cret" not in answer.err
        assert answer.err.count("\n") == 1


def test_once_reads_files_and_cameras_and_writes_csv(gauge: Gauge, service: Service, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, 2)
    (folder / "bad.png").write_bytes(b"garbage")
    with http_camera(reply(picture_bytes("JPEG"))) as host:
        cameras = write_cameras(
            tmp_path,
            f'[[camera]]\nname = "files"\nsource = "{folder}"\n'
            f'[[camera]]\nname = "live"\nsource = "http://{host}/a.jpg"\nevery_s = 5\n'
            f'[[camera]]\nname = "away"\nsource = "http://u:s3cret@127.0.0.1:{free_port()}/a.jpg"\nevery_s = 5\n',
        )
        first = gauge("watch", cameras, "--once", "--json", "--csv", tmp_path / "csv")
        again = gauge("watch", cameras, "--once", "--csv", tmp_path / "csv")
    assert (first.code, again.code) == (0, 0)
    events = first.objects()
    assert {(one["camera"], one["source"], one["status"]) for one in events} == {
        ("files", "000.png", "good"), ("files", "001.png", "good"), ("files", "bad.png", "not_read"),
        ("live", None, "good"), ("away", None, "no_picture"),
    }  # fmt: skip
    assert "s3cret" not in first.out + first.err + again.out + again.err
    lines = again.out.splitlines()
    assert len(lines) == 2
    assert "live: 50.0 MPa, between 48.5 and 51.5" in lines[0]
    assert "away: no picture, because http://127.0.0.1" in lines[1]
    with (tmp_path / "csv" / "files.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 3
    store = Store.open(service.settings)
    assert len(KeptEvents(store.database).newest("live")) == 2
    store.close()


def test_what_the_manual_contradicts_is_held_back_with_both_reasons(gauge: Gauge, tmp_path: Path) -> None:
    with http_camera(reply(picture_bytes())) as host:
        text = f'[[camera]]\nname = "p1"\nsource = "http://{host}/a.png"\nevery_s = 5\nmodel = "XYZ-2000"\n'
        answer = gauge("watch", write_cameras(tmp_path, text), "--once", "--json")
    (event,) = answer.objects()
    assert (event["status"], event["value"]) == ("held", None)
    assert event["reason"].startswith("its confidence 0.")
    assert "; " in event["reason"]


def test_two_at_once_in_a_home_are_refused(gauge: Gauge, service: Service, tmp_path: Path) -> None:
    cameras = write_cameras(tmp_path, f'[[camera]]\nname = "a"\nsource = "{tmp_path}"\n')
    with hold_watch(service.settings.home), pytest.raises(CameraError), hold_watch(service.settings.home):
        pass
    with hold_watch(service.settings.home):
        answer = gauge("watch", cameras, "--once")
    assert answer.code == 1
    assert "another `gauge watch`, or a server with GAUGE_CAMERAS, watches cameras in this home" in answer.err


def test_lines_for_people() -> None:
    whole = CameraEvent(
        id="x", camera="p1", at=0, status="good", raw=4.21, raw_low=4.1, raw_high=4.3, value=4.2, low=4.1, high=4.3, unit="bar",
        reason="the counter rolled over", changes=(AlarmChange(name="high", to="on"),),
    )  # fmt: skip
    assert event_line(whole).endswith("p1: 4.20 bar, between 4.10 and 4.30 (the counter rolled over); ALARM high ON")
    held = whole.model_copy(update={"status": "held", "value": None, "reason": "it jumped", "changes": ()})
    assert event_line(held).endswith("p1: held back 4.21 bar, because it jumped")
    lamp = CameraEvent(id="x", camera="p1", at=0, status="good", color="red")
    assert event_line(lamp).endswith("p1: red")
    away = CameraEvent(id="x", camera="p1", at=0, status="no_picture", reason="HTTP 500")
    assert event_line(away).endswith("p1: no picture, because HTTP 500")


def start(home: Path, *args: str | Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.serve.double_watch", str(home), *map(str, args)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def kept_sources(home: Path) -> list[str]:
    store = Store.open(Settings(home=home))
    try:
        return [one.event.source or "" for one in KeptEvents(store.database).after("files", 0)]
    finally:
        store.close()


def test_after_kill_9_every_file_is_in_the_store_the_csv_and_the_broker(tmp_path: Path) -> None:
    home, folder, port, count = tmp_path / "home", folder_of(tmp_path, 0), free_port(), 60
    text = f'[[camera]]\nname = "files"\nsource = "{folder}"\n[mqtt]\nhost = "127.0.0.1"\nport = {port}\n'
    arguments = (write_cameras(tmp_path, text), "--csv", tmp_path / "csv")

    def fill() -> None:
        for number in range(count):
            (folder / f"{number:03d}.png").write_bytes(picture(number))
            time.sleep(0.05)

    with broker(port, tmp_path), listener(port) as got:
        filling = threading.Thread(target=fill)
        for round_, pause_s in enumerate((0.3, 0.05, None)):
            process = start(home, *arguments)
            if round_ == 0:
                filling.start()
            if pause_s is None:
                filling.join()
                until(lambda: home.exists() and len(kept_sources(home)) == count, 60)
                until(lambda: len({one["id"] for one in readings(got)}) == count, 60)
                process.send_signal(signal.SIGTERM)
                assert process.wait(40) == 0
            else:
                seen = len({one["id"] for one in readings(got)})
                until(lambda: len({one["id"] for one in readings(got)}) > seen or len(readings(got)) >= count, 60)  # noqa: B023
                time.sleep(pause_s)
                process.kill()
                assert process.wait(10) == -signal.SIGKILL
            assert process.stderr is not None
            process.stderr.close()
    names = sorted(os.listdir(folder))
    assert sorted(kept_sources(home)) == names
    with (tmp_path / "csv" / "files.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [int(line["seq"]) for line in lines] == list(range(1, count + 1))
    assert sorted(line["source"] for line in lines) == names
    by_id = {one["id"]: one["source"] for one in readings(got)}
    assert sorted(by_id.values()) == names
    assert len({json.dumps(one) for one in readings(got)}) == count
