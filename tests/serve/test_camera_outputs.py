"""Outputs against the real thing: CSV files that survive a kill, a broker that goes and comes, Prometheus over HTTP."""

from __future__ import annotations

import csv
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from serve.cameras.csv_files import COLUMNS, CsvFolder
from serve.cameras.discovery import discovery_messages
from serve.cameras.errors import OutputError
from serve.cameras.events import AlarmChange, CameraEvent
from serve.cameras.gauges import CameraValues, serve_gauges
from serve.cameras.kept import KeptEvents
from serve.cameras.mqtt import Publisher
from serve.cameras.registry import Camera, Mqtt
from serve.cameras.states import CameraStates
from serve.settings import Settings
from serve.store.ids import new_id
from serve.store.store import Store


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[KeptEvents]:
    store = Store.open(Settings(home=tmp_path / "home"))
    yield KeptEvents(store.database)
    store.close()


def event(value: float | None = 4.2, camera: str = "p1", **keys: Any) -> CameraEvent:
    good = value is not None
    read = {"raw": value, "raw_low": value, "raw_high": value, "value": value, "low": value, "high": value, "unit": "bar"}
    whole = {"id": new_id(), "camera": camera, "at": time.time(), "status": "good" if good else "not_read"}
    return CameraEvent.model_validate({**whole, **(read if good else {"reason": "dark"}), **keys})


def rows(folder: Path, camera: str = "p1") -> list[dict[str, str]]:
    with (folder / f"{camera}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_csv_has_every_event_once_and_goes_on(kept: KeptEvents, tmp_path: Path) -> None:
    kept.add(event(4.2, alarms={"high": True}, changes=(AlarmChange(name="high", to="on"),)))
    kept.add(event(None))
    kept.add(event(1.0, "p2"))
    assert CsvFolder(tmp_path / "csv", kept, ["p1", "p2"]).catch_up() == 3
    kept.add(event(4.3))
    again = CsvFolder(tmp_path / "csv", kept, ["p1", "p2"])
    assert again.catch_up() == 1
    assert again.catch_up() == 0
    found = rows(tmp_path / "csv")
    assert tuple(found[0]) == COLUMNS
    assert [(row["seq"], row["status"], row["value"]) for row in found] == [
        ("1", "good", "4.2"), ("2", "not_read", ""), ("3", "good", "4.3"),
    ]  # fmt: skip
    assert (found[0]["alarms"], found[0]["changes"], found[1]["reason"]) == ("high", "high:on", "dark")


def test_csv_is_whole_wherever_a_kill_cut_it(kept: KeptEvents, tmp_path: Path) -> None:
    for value in (1.0, 2.0, 3.0):
        kept.add(event(value))
    CsvFolder(tmp_path, kept, ["p1"]).catch_up()
    whole = (tmp_path / "p1.csv").read_bytes()
    for cut in range(0, len(whole), 7):
        (tmp_path / "p1.csv").write_bytes(whole[:cut])
        CsvFolder(tmp_path, kept, ["p1"]).catch_up()
        assert (tmp_path / "p1.csv").read_bytes() == whole


def test_csv_holds_no_formula_and_no_second_line(kept: KeptEvents, tmp_path: Path) -> None:
    kept.add(event(None, source="=cmd|' /C calc'!A0.jpg", reason="two\nlines, and a comma"))
    CsvFolder(tmp_path, kept, ["p1"]).catch_up()
    (row,) = rows(tmp_path)
    assert row["source"].startswith("'=")
    assert row["reason"] == "two lines, and a comma"
    assert len((tmp_path / "p1.csv").read_bytes().splitlines()) == 2


def test_csv_that_is_something_else_or_cannot_be_written_is_told(kept: KeptEvents, tmp_path: Path) -> None:
    (tmp_path / "p1.csv").write_text("name,price\nx,3\n", encoding="utf-8")
    with pytest.raises(OutputError, match="move the file away"):
        CsvFolder(tmp_path, kept, ["p1"]).catch_up()
    (tmp_path / "p2.csv").mkdir()
    with pytest.raises(OutputError, match="Is a directory"):
        CsvFolder(tmp_path, kept, ["p2"]).catch_up()
    with pytest.raises(OutputError, match="CSV files cannot be written"):
        CsvFolder(tmp_path / "p1.csv" / "x", kept, ["p1"])


def test_csv_on_a_full_disk_goes_on_when_there_is_room(kept: KeptEvents, tmp_path: Path) -> None:
    mount = shutil.which("mount")
    folder = tmp_path / "small"
    folder.mkdir()
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], check=False).returncode:
        pytest.skip("mounting a small disk is not allowed here")
    try:
        (folder / "filler").write_bytes(b"x" * 60_000)
        for number in range(40):
            kept.add(event(None, reason="r" * 200, source=str(number)))
        files = CsvFolder(folder, kept, ["p1"])
        with pytest.raises(OutputError, match="No space left"):
            files.catch_up()
        (folder / "filler").unlink()
        files.catch_up()
        assert [row["source"] for row in rows(folder)] == [str(number) for number in range(40)]
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def broker(port: int, folder: Path, *, password: bool = False) -> Iterator[None]:
    """A real mosquitto on a port; skips where it is not installed."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if program is None:
        pytest.skip("mosquitto, the broker of this test, is not installed")
    lines = [f"listener {port} 127.0.0.1", f"allow_anonymous {'false' if password else 'true'}", "persistence false"]
    if os.geteuid() == 0:
        lines.append("user root")
    (folder / "broker.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")
    process = subprocess.Popen([program, "-c", str(folder / "broker.conf")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: _listens(port))
        yield
    finally:
        process.terminate()
        process.wait(10)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
    except OSError:
        return False
    return True


def until(so: Callable[[], bool], timeout_s: float = 30.0) -> None:
    end = time.monotonic() + timeout_s
    while not so():
        assert time.monotonic() < end, "it did not become so in time"
        time.sleep(0.02)


@contextmanager
def listener(port: int) -> Iterator[list[tuple[str, str]]]:
    """Topics and messages that a subscriber to everything gets; it comes back with the broker and forgets nothing."""
    got: list[tuple[str, str]] = []
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id="listener", clean_session=False)
    ready: list[bool] = []
    client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
    client.on_subscribe = lambda *_: ready.append(True)
    client.on_message = lambda _, __, message: got.append((message.topic, message.payload.decode()))
    client.reconnect_delay_set(1, 1)
    client.connect("127.0.0.1", port)
    client.loop_start()
    until(lambda: bool(ready))
    try:
        yield got
    finally:
        client.disconnect()
        client.loop_stop()


def readings(got: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    return [json.loads(text) for topic, text in got if topic.endswith("/reading")]


CAMERA = Camera.model_validate(
    {
        "name": "p1", "label": "Pump 1", "source": "http://camera/p.jpg", "every_s": 10, "unit": "bar", "model": "XYZ-2000",
        "alarm": [{"name": "high", "above": 8}],
    }
)  # fmt: skip


@contextmanager
def publishing(kept: KeptEvents, port: int, **keys: Any) -> Iterator[Publisher]:
    publisher = Publisher(Mqtt(host="127.0.0.1", port=port, **keys), [CAMERA], kept)
    publisher.start()
    try:
        yield publisher
    finally:
        publisher.stop()


def test_readings_and_discovery_reach_the_broker(kept: KeptEvents, tmp_path: Path) -> None:
    port = free_port()
    with broker(port, tmp_path), listener(port) as got:
        with publishing(kept, port) as publisher:
            made = [event(4.2, alarms={"high": False}), event(None)]
            for one in made:
                kept.add(one, publish=True)
            publisher.wake()
            until(lambda: len(readings(got)) == 2)
            until(lambda: not kept.unpublished(["p1"]))
        until(lambda: ("gauge/status", "offline") in got)
    sent = readings(got)
    assert [one["seq"] for one in sent] == [1, 2]
    assert [one["id"] for one in sent] == [one.id for one in made]
    assert sent[1]["value"] is None
    assert {"homeassistant/sensor/gauge_p1/config", "homeassistant/binary_sensor/gauge_p1_high/config"} < {t for t, _ in got}
    assert ("gauge/status", "online") in got


def test_while_the_broker_is_away_readings_wait_and_each_comes_once(kept: KeptEvents, tmp_path: Path) -> None:
    port = free_port()
    with publishing(kept, port) as publisher:
        for number in range(150):
            kept.add(event(float(number)), publish=True)
        publisher.wake()
        assert not publisher.is_connected
        with broker(port, tmp_path), listener(port) as got:
            until(lambda: len(readings(got)) >= 150)
            until(lambda: not kept.unpublished(["p1"]))
        until(lambda: not publisher.is_connected)
        for number in range(150, 160):
            kept.add(event(float(number)), publish=True)
        publisher.wake()
        with broker(port, tmp_path), listener(port) as later:
            until(lambda: not kept.unpublished(["p1"]))
            until(lambda: any(one["seq"] == 160 for one in readings(later)))
    assert [one["seq"] for one in readings(got)] == list(range(1, 151))
    assert {one["seq"] for one in readings(later)} <= set(range(151, 161))


def test_what_a_killed_process_did_not_send_the_next_one_sends(kept: KeptEvents, tmp_path: Path) -> None:
    port = free_port()
    kept.add(event(1.0), publish=True)
    kept.add(event(2.0))
    with broker(port, tmp_path), listener(port) as got:
        with publishing(kept, port):
            until(lambda: len(readings(got)) == 1)
            until(lambda: not kept.unpublished(["p1"]))
        with publishing(kept, port):
            time.sleep(0.5)
    assert [one["seq"] for one in readings(got)] == [1]


def test_a_broker_that_refuses_is_told_and_takes_nothing(
    kept: KeptEvents, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    port = free_port()
    (tmp_path / "secret").write_text("s3cret\n", encoding="utf-8")
    kept.add(event(1.0), publish=True)
    with broker(port, tmp_path, password=True), publishing(kept, port, user="u", password_file=tmp_path / "secret"):
        until(lambda: "refuses" in caplog.text)
    assert len(kept.unpublished(["p1"])) == 1
    assert "s3cret" not in caplog.text


def test_discovery_names_what_home_assistant_needs() -> None:
    sent = {topic: json.loads(text) for topic, text in discovery_messages(Mqtt(host="h"), [CAMERA])}
    sensor = sent["homeassistant/sensor/gauge_p1/config"]
    assert sensor["state_topic"] == "gauge/p1/reading"
    assert (sensor["device_class"], sensor["unit_of_measurement"], sensor["state_class"]) == ("pressure", "bar", "measurement")
    assert sensor["device"] == {"identifiers": ["gauge_p1"], "name": "Pump 1", "model": "XYZ-2000"}
    assert sensor["value_template"] == "{{ value_json.value }}"
    alarm = sent["homeassistant/binary_sensor/gauge_p1_high/config"]
    assert alarm["value_template"] == "{{ 'ON' if value_json.alarms['high'] else 'OFF' }}"
    assert len({one["unique_id"] for one in sent.values()}) == 2
    assert list(discovery_messages(Mqtt(host="h", discovery=""), [CAMERA])) == []


def test_counters_and_lamps_are_discovered_as_what_they_are() -> None:
    meter = Camera.model_validate({"name": "m", "source": "folder", "unit": "L/min", "limits": {"counter": True}})
    lamp = Camera.model_validate({"name": "l", "source": "folder", "kind": "lamp"})
    texts = [json.loads(text) for _, text in discovery_messages(Mqtt(host="h"), [meter, lamp])]
    assert texts[0]["state_class"] == "total_increasing"
    assert "device_class" not in texts[0]
    assert texts[1]["value_template"] == "{{ value_json.color }}"
    assert "unit_of_measurement" not in texts[1]


def test_prometheus_is_answered_on_its_port(kept: KeptEvents, tmp_path: Path) -> None:
    store = Store.open(Settings(home=tmp_path / "home"))
    states = CameraStates(store.database)
    states.announce([CAMERA])
    kept.add(event(4.2, alarms={"high": True}))
    port = free_port()
    stop = serve_gauges(CameraValues(states, ["p1"]), port)
    try:
        text = urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
        assert 'gauge_camera_value{camera="p1",unit="bar"} 4.2' in text
        assert 'gauge_camera_alarm{alarm="high",camera="p1"} 1.0' in text
        assert 'gauge_camera_events_total{camera="p1",status="held"} 0.0' in text
        kept.add(event(None))
        text = urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
        assert "gauge_camera_value{" not in text
        with pytest.raises(OutputError, match="in use"):
            serve_gauges(CameraValues(states), port)
    finally:
        stop()
        store.close()
