"""The file of cameras: strict, its errors name the key and never a password; schedules through steps of the clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from serve.cameras.address import public_address, split_credentials
from serve.cameras.errors import RegistryError
from serve.cameras.registry import load_registry, read_password
from serve.cameras.schedule import Schedule, cron_problem

WHOLE = """
[[camera]]
name = "boiler-1"
label = "Boiler 1, 锅炉"
source = "rtsp://viewer:s3cret@10.0.0.5/stream?token=t0ken"
every_s = 10
model = "XYZ-2000"
kind = "dial"
unit = "MPa"
region = [100, 50, 400, 350]
limits = { low = 0, high = 1.6, most_per_min = 0.2, stuck_after_s = 3600, stuck_within = 0.01 }
smoothing = { frames = 3, seconds = 120 }

[[camera.alarm]]
name = "high"
above = 1.2
for_s = 30
hysteresis = 0.05

[[camera]]
name = "meter"
source = "pictures/meter"
limits = { counter = true, rolls_over_at = 100000 }

[mqtt]
host = "localhost"
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "cameras.toml"
    file.write_text(text, encoding="utf-8")
    return file


def camera(more: str = "", source: str = "http://camera/a.jpg", every: str = "every_s = 10") -> str:
    return f'[[camera]]\nname = "p1"\nsource = "{source}"\n{every}\n{more}\n'


def test_a_whole_file(tmp_path: Path) -> None:
    registry = load_registry(write(tmp_path, WHOLE))
    boiler, meter = registry.cameras
    assert boiler.address == "rtsp://10.0.0.5/stream"
    assert boiler.alarms[0].above == 1.2
    assert boiler.schedule() == Schedule(every_s=10)
    assert meter.is_folder
    assert meter.schedule() is None
    assert registry.mqtt is not None
    assert registry.mqtt.discovery == "homeassistant"
    assert "s3cret" not in repr(registry)
    assert "t0ken" not in repr(registry)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "camera: Field required"),
        ("camera = []", "camera: Tuple should have at least 1 item"),
        ("[[camera]", "it is no TOML"),
        (camera("colour = 1"), "camera.1.colour: there is no such key"),
        (camera("limits = { hihg = 3 }"), "camera.1.limits.hihg: there is no such key"),
        (camera("limits = { low = 3, high = 3 }"), "low 3 is not below high 3"),
        (camera("limits = { rolls_over_at = 3 }"), "counter is not true"),
        (camera("limits = { stuck_within = 3 }"), "stuck_after_s and stuck_within go together"),
        (camera("region = [5, 0, 5, 9]"), "left < right"),
        (camera('unit = "furlong"'), "furlong"),
        (camera(every=""), "give every_s or cron, one of them"),
        (camera(every='every_s = 5\ncron = "* * * * *"'), "give every_s or cron, one of them"),
        (camera(every='cron = "0 0 31 2 *"'), "'0 0 31 2 *' is no schedule that ever fires: Bad day-of-month"),
        (camera(every='cron = "61 * * * *"'), "Bad minute"),
        (camera(every="every_s = 1", source="rtsp://camera/s"), "every_s 1 is too often for rtsp: 2 s at least"),
        (camera(source="pictures"), "read as files come"),
        (camera(source="ftp://camera/a"), "source begins with ftp://"),
        (camera(source="http://"), "source names no host"),
        (camera("[[camera.alarm]]\nname = 'a'"), "needs exactly one of above, below, color, not_read_for_s, stuck; got none"),
        (camera("[[camera.alarm]]\nname = 'a'\nabove = 1\nbelow = 2"), "got above, below"),
        (camera("[[camera.alarm]]\nname = 'a'\nstuck = true"), "needs limits.stuck_after_s"),
        (camera("[[camera.alarm]]\nname = 'a'\nabove = 1\n[[camera.alarm]]\nname = 'a'\nbelow = 0"), "the same name"),
        (camera("[[camera.alarm]]\nname = 'a'\ncolor = 'red'\nhysteresis = 1"), "hysteresis belongs to above or below"),
        (camera() + camera(), "two cameras have the name 'p1'"),
        (camera().replace("p1", "Pump 1"), "camera.1.name is 'Pump 1'"),
        (camera() + "[mqtt]\nhost = 'a'\nprefix = 'a/#'", "mqtt.prefix is 'a/#'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(RegistryError) as raised:
        load_registry(write(tmp_path, text))
    assert told in str(raised.value)
    assert "cameras.toml" in str(raised.value)


@pytest.mark.parametrize("source", ["http://u:s3cret@", "ftp://u:s3cret@h/", "http://u:s3cret@h:99999/", "http://u:s3cret@[h/"])
def test_a_wrong_address_is_told_without_its_password(tmp_path: Path, source: str) -> None:
    with pytest.raises(RegistryError) as raised:
        load_registry(write(tmp_path, camera(source=source)))
    assert "s3cret" not in str(raised.value)
    assert "source" in str(raised.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="No such file"):
        load_registry(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(RegistryError, match="UTF-8"):
        load_registry(tmp_path / "bytes.toml")


def test_addresses_and_their_credentials() -> None:
    assert split_credentials("http://us%40er:p%3Aw@h:81/a?b=c") == ("http://h:81/a?b=c", "us@er", "p:w")
    assert split_credentials("rtsp://[::1]:554/s") == ("rtsp://[::1]:554/s", None, None)
    assert public_address("http://u:p@h:81/a?key=1#f") == "http://h:81/a"
    assert public_address("some/folder") == "some/folder"


def test_password_files(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("s3cret\nnote\n", encoding="utf-8")
    assert read_password(file) == "s3cret"
    assert read_password(None) is None
    file.write_text("", encoding="utf-8")
    with pytest.raises(RegistryError, match="is empty"):
        read_password(file)
    with pytest.raises(RegistryError, match="cannot be read"):
        read_password(tmp_path / "none")


NOON = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def test_every_so_many_seconds_goes_by_the_steady_clock() -> None:
    every = Schedule(every_s=10)
    assert every.wait_s(NOON, None, None) == 0
    assert every.wait_s(NOON - timedelta(days=400), NOON, 4.0) == 6.0
    assert every.wait_s(NOON + timedelta(days=400), NOON, 4.0) == 6.0
    assert every.wait_s(NOON, NOON, 25.0) == 0


def test_cron_fires_once_at_each_moment() -> None:
    cron = Schedule(cron="*/5 * * * *")
    assert cron.wait_s(NOON + timedelta(seconds=60), NOON, 60) == 240
    late = NOON + timedelta(minutes=5, seconds=3)
    assert cron.wait_s(late, NOON, 303) == 0
    last = cron.due(late, NOON)
    assert cron.wait_s(late, last, 0) == 297
    slewed = last - timedelta(seconds=5)
    assert cron.wait_s(slewed, last, 0) > 290
    assert cron.due(slewed, last) == last


def test_a_clock_set_back_by_a_day_does_not_silence_cron_for_a_day() -> None:
    cron = Schedule(cron="*/5 * * * *")
    back = NOON - timedelta(days=1)
    assert cron.wait_s(back, NOON, 1) == 300
    assert cron.due(back, NOON) == back


def test_cron_lines() -> None:
    assert cron_problem("0 6 * * MON-FRI") is None
    assert "ever fires" in (cron_problem("0 0 30 2 *") or "")
    assert "ever fires" in (cron_problem("often") or "")
