"""A camera watched: what it sends, does not send, sends again and again, and what clock and disk do meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from serve.cameras import watcher as watcher_module
from serve.cameras.errors import SourceError
from serve.cameras.events import CameraEvent
from serve.cameras.frames import Frame
from serve.cameras.kept import KeptEvents
from serve.cameras.registry import Camera
from serve.cameras.sighting import sight
from serve.cameras.source_folder import FolderSource
from serve.cameras.watcher import Clocks, Watcher, backoff_s
from serve.settings import Settings
from serve.store.errors import StoreError
from serve.store.store import Store
from tests.serve.doubles import WEIGHTS, DoubleReader, abstained_dial, make_dial, picture_bytes
from vision.fields import GaugeFields, InstrumentReading, PhotoReading


class Clock:
    """Two clocks that stand until they are moved."""

    def __init__(self) -> None:
        self.steady_s, self.wall_s = 1000.0, 1.8e9

    def pass_s(self, seconds: float) -> None:
        self.steady_s += seconds
        self.wall_s += seconds

    @property
    def clocks(self) -> Clocks:
        return Clocks(lambda: self.steady_s, lambda: self.wall_s)


class Live:
    """A camera that sends these, and fails where one is an error; a different pixel each time unless it is frozen."""

    def __init__(self, *shots: bytes | SourceError | None) -> None:
        self.shots = list(shots)
        self.taken = 0

    def take(self) -> Frame:
        self.taken += 1
        shot = self.shots.pop(0) if self.shots else None
        if isinstance(shot, SourceError):
            raise shot
        return Frame(shot if shot is not None else noisy(self.taken))

    def close(self) -> None:
        pass


def noisy(number: int) -> bytes:
    return picture_bytes(color=f"rgb({number % 200},9,9)")


class Shown:
    """A reader that shows these values one after the other, None for not read."""

    def __init__(self, *values: float | None) -> None:
        self.values = list(values)
        self.asked: list[tuple[bytes, str, str | None]] = []

    def __call__(self, data: bytes, name: str, model: str | None) -> PhotoReading:
        self.asked.append((data, name, model))
        value = self.values.pop(0) if self.values else 4.0
        if value is None:
            return reading_of(abstained_dial(10, 10))
        return reading_of(make_dial(10, 10, model, value=value, value_low=value - 0.1, value_high=value + 0.1))


def reading_of(*instruments: InstrumentReading) -> PhotoReading:
    read = any(one.status == "read" for one in instruments)
    return PhotoReading(
        photo="p", sha256="0" * 64, status="read" if read else "abstained", reason=None if read else "nothing was read",
        instruments=instruments, weights=WEIGHTS,
    )  # fmt: skip


def camera(**keys: Any) -> Camera:
    return Camera.model_validate({"name": "p1", "source": "http://camera/p.jpg", "every_s": 10, **keys})


def folder_camera(folder: Path, **keys: Any) -> Camera:
    return Camera.model_validate({"name": "p1", "source": str(folder), **keys})


@pytest.fixture
def kept(tmp_path: Path) -> Any:
    store = Store.open(Settings(home=tmp_path / "home"))
    yield KeptEvents(store.database)
    store.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


Make = Callable[..., tuple[Watcher, list[CameraEvent]]]


@pytest.fixture
def make(kept: KeptEvents, clock: Clock) -> Make:
    def build(read: Any = None, of: Camera | None = None) -> tuple[Watcher, list[CameraEvent]]:
        told: list[CameraEvent] = []
        return Watcher(of or camera(), read or Shown(), kept, told.append, clocks=clock.clocks), told

    return build


def test_a_picture_becomes_an_event_that_is_kept_and_told(make: Make, kept: KeptEvents, clock: Clock) -> None:
    read = Shown(4.2)
    watcher, told = make(read, camera(model="XYZ-2000", region=[10, 10, 60, 60]))
    event = watcher.take_live(Live())
    assert (event.status, event.value, event.raw, event.unit, event.at) == ("good", 4.2, 4.2, "MPa", clock.wall_s)
    assert told == kept.newest("p1") == [event]
    data, name, model = read.asked[0]
    assert (name, model) == ("p1", "XYZ-2000")
    assert data != noisy(1)


def test_a_camera_that_is_away_sends_garbage_or_is_covered(make: Make) -> None:
    read = Shown()
    watcher, told = make(read)
    live = Live(SourceError("no connection"), b"garbage", picture_bytes(mark=False), picture_bytes("JPEG")[:300])
    for _ in range(5):
        watcher.take_live(live)
    assert [one.status for one in told] == ["no_picture", "not_read", "not_read", "not_read", "good"]
    assert told[0].reason == "no connection"
    assert "one colour" in (told[2].reason or "")
    assert all(one.value is None and one.reason for one in told[:4])
    assert len(read.asked) == 1


def test_a_frozen_camera_is_not_read(make: Make, clock: Clock) -> None:
    read = Shown()
    watcher, told = make(read, camera(frozen_after_s=25, alarm=[{"name": "blind", "not_read_for_s": 15}]))
    live = Live(*[noisy(7)] * 7)
    for _ in range(8):
        watcher.take_live(live)
        clock.pass_s(10)
    assert [one.status for one in told] == ["good"] * 3 + ["not_read"] * 4 + ["good"]
    assert told[3].reason == "the picture is frozen: not a pixel has changed for 30 s"
    assert len(read.asked) == 4
    assert [(n, change.to) for n, one in enumerate(told) for change in one.changes] == [(5, "on"), (7, "off")]


def test_a_step_of_the_clock_changes_no_rate(make: Make, clock: Clock) -> None:
    watcher, told = make(Shown(4.0, 4.1, 4.2, 9.0), camera(limits={"most_per_min": 1}))
    for step in (86400.0, -2 * 86400.0, 3600.0, 0.0):
        watcher.take_live(Live())
        clock.pass_s(10)
        clock.wall_s += step
    assert [one.status for one in told] == ["good", "good", "good", "held"]


def test_a_process_goes_on_where_the_last_one_stopped(make: Make, clock: Clock) -> None:
    keys: dict[str, Any] = {"limits": {"most_per_min": 1}, "alarm": [{"name": "high", "above": 3}]}
    first, told = make(Shown(4.0), camera(**keys))
    first.take_live(Live())
    clock.pass_s(10)
    second, again = make(Shown(9.0, 4.1), camera(**keys))
    second.recall()
    second.take_live(Live())
    second.take_live(Live())
    assert [one.status for one in again] == ["held", "good"]
    assert [len(one.changes) for one in [*told, *again]] == [1, 0, 0]
    assert again[-1].alarms == {"high": True}


def test_while_the_disk_is_full_events_wait_in_order(
    make: Make, kept: KeptEvents, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    add, full = kept.add, [True]

    def maybe(*args: Any, **keys: Any) -> int:
        if full[0]:
            raise StoreError("the database gauge.sqlite cannot be used: database or disk is full")
        return add(*args, **keys)

    monkeypatch.setattr(kept, "add", maybe)
    watcher, told = make(Shown(1.0, 2.0, 3.0))
    watcher.take_live(Live())
    watcher.take_live(Live())
    assert kept.newest("p1") == []
    assert caplog.text.count("disk is full") == 1
    full[0] = False
    watcher.take_live(Live())
    assert kept.newest("p1") == told
    assert [one.raw for one in told] == [1.0, 2.0, 3.0]


def test_what_waits_in_memory_is_bounded(make: Make, kept: KeptEvents, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> int:
        raise StoreError("full")

    monkeypatch.setattr(watcher_module, "MOST_BACKLOG", 3)
    monkeypatch.setattr(kept, "add", never)
    watcher, told = make(of=camera())
    for _ in range(5):
        watcher.take_live(Live(SourceError("away")))
    monkeypatch.undo()
    watcher.take_live(Live(SourceError("away")))
    assert kept.newest("p1") == told[-3:]


def test_files_stay_where_they_are_while_nothing_can_be_kept(
    make: Make, kept: KeptEvents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.png").write_bytes(noisy(number))
    watcher, told = make(of=folder_camera(folder))
    source, moment = taken_now(folder, kept)
    with monkeypatch.context() as patch:
        patch.setattr(kept, "add", lambda *_, **__: (_ for _ in ()).throw(StoreError("full")))
        assert watcher.take_files(source) == 1
        assert watcher.take_files(source) == 0
    moment[0] += 5
    assert watcher.take_files(source) == 2
    assert [one.source for one in kept.newest("p1")] == ["0.png", "1.png", "2.png"]
    assert len(told) == 3


def taken_now(folder: Path, kept: KeptEvents) -> tuple[FolderSource, list[float]]:
    moment = [0.0]
    source = FolderSource(folder, lambda keys: kept.taken("p1", keys), lambda: moment[0])
    source.ready()
    moment[0] = 5.0
    return source, moment


def test_hostile_files_are_events_too(make: Make, kept: KeptEvents, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a\x1b[31m\n.png").write_bytes(b"garbage")
    (folder / "b.png").write_bytes(noisy(1))
    watcher, told = make(DoubleRead(), folder_camera(folder))
    source, moment = taken_now(folder, kept)
    assert watcher.take_files(source) == 2
    assert {one.status for one in told} == {"not_read", "good"}
    assert all("\x1b" not in (one.source or "") and "\n" not in (one.source or "") for one in told)
    moment[0] += 5
    assert watcher.take_files(source) == 0


class DoubleRead:
    """The tests' double of a reader, behind what a watcher asks."""

    def __call__(self, data: bytes, name: str, model: str | None) -> PhotoReading:
        (reading,) = DoubleReader().read_photos([data], names=[name], model=model)
        return reading


def watched(run: Callable[[threading.Event], None], done: Callable[[], bool], timeout_s: float = 20.0) -> None:
    """Run a watcher until something is so, then stop it."""
    stop = threading.Event()
    thread = threading.Thread(target=run, args=(stop,))
    thread.start()
    end = time.monotonic() + timeout_s
    while not done() and time.monotonic() < end:
        time.sleep(0.02)
    stop.set()
    thread.join(10.0)
    assert not thread.is_alive()
    assert done()


def test_a_folder_is_watched_until_told_to_stop(kept: KeptEvents, tmp_path: Path) -> None:
    folder, told = tmp_path / "in", list[CameraEvent]()
    watcher = Watcher(folder_camera(folder), DoubleRead(), kept, told.append)
    source = FolderSource(folder, lambda keys: kept.taken("p1", keys))

    def come() -> None:
        folder.mkdir()
        (folder / "first.png").write_bytes(noisy(1))
        time.sleep(0.3)
        Image.new("RGB", (50, 50), "red").save(folder / "second.png")

    helper = threading.Timer(0.3, come)
    helper.start()
    watched(lambda stop: watcher.watch_folder(source, stop), lambda: len(told) >= 3)
    helper.join()
    assert "is not there" in (told[0].reason or "")
    assert [(one.source, one.status) for one in told if one.source] == [("first.png", "good"), ("second.png", "not_read")]


def test_a_silent_folder_raises_the_alarm_that_asks_for_it(kept: KeptEvents, tmp_path: Path) -> None:
    told = list[CameraEvent]()
    of = folder_camera(tmp_path, alarm=[{"name": "silent", "not_read_for_s": 1}])
    watcher = Watcher(of, DoubleRead(), kept, told.append)
    source = FolderSource(tmp_path, lambda keys: set())
    watched(lambda stop: watcher.watch_folder(source, stop), lambda: any(one.changes for one in told))
    assert told[0].reason == "no file came for 1 s"


def test_a_live_camera_is_asked_on_schedule_and_less_often_while_it_is_away(
    kept: KeptEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher_module, "FIRST_WAIT_S", 0.3)
    moments = list[float]()
    told = list[CameraEvent]()

    class Away(Live):
        def take(self) -> Frame:
            moments.append(time.monotonic())
            return super().take()

    live = Away(SourceError("a"), SourceError("b"))
    watcher = Watcher(camera(every_s=0.5), Shown(), kept, told.append)
    watched(lambda stop: watcher.watch_live(live, stop), lambda: len(told) >= 4)
    assert [one.status for one in told[:4]] == ["no_picture", "no_picture", "good", "good"]
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert gaps[0] >= 0.5
    assert gaps[1] >= 0.6
    assert gaps[2] >= 0.49


def test_backoff_doubles_up_to_a_minute() -> None:
    assert [backoff_s(n) for n in (1, 2, 3, 5, 6, 1000)] == [2, 4, 8, 32, 60, 60]


LAMP = InstrumentReading(
    kind="lamp", box=(0, 0, 9, 9), fields=GaugeFields(kind="lamp", warning_light_color="red"), status="read",
    confidence={"warning_light_color": 0.8},
)  # fmt: skip
SELECTOR = InstrumentReading(
    kind="selector", box=(0, 0, 9, 9), fields=GaugeFields(kind="selector", mode_dial_position=3), status="read",
    confidence={"mode_dial_position": 0.9},
)  # fmt: skip


def test_what_a_picture_shows_of_the_one_instrument() -> None:
    assert sight(reading_of(LAMP), camera(), 0).color == "red"
    position = sight(reading_of(SELECTOR), camera(), 0).seen
    assert position is not None
    assert (position.value, position.low, position.high, position.confidence) == (3, 3, 3, 0.9)
    dial = make_dial(9, 9)
    assert sight(reading_of(dial, LAMP), camera(kind="dial"), 0).unit == "MPa"
    assert sight(reading_of(make_dial(9, 9, unit=None)), camera(unit="MPa"), 0).unit == "MPa"


@pytest.mark.parametrize(
    ("instruments", "keys", "reason"),
    [
        ((make_dial(9, 9), LAMP), {}, "2 instruments are in the picture; give the camera a region, or a kind"),
        ((LAMP,), {"kind": "dial"}, "no dial was found in the picture"),
        ((), {}, "nothing was read"),
        ((abstained_dial(9, 9),), {}, "the needle is hidden"),
        ((make_dial(9, 9),), {"unit": "bar"}, "it was read in MPa, and the instrument measures in bar"),
        ((LAMP,), {"limits": {"min_confidence": 0.9}}, "the colour's confidence 0.80 is below 0.90"),
    ],
)
def test_why_nothing_is_known(instruments: tuple[InstrumentReading, ...], keys: dict[str, Any], reason: str) -> None:
    found = sight(reading_of(*instruments), camera(**keys), 0)
    assert (found.seen, found.color, found.reason) == (None, None, reason)
