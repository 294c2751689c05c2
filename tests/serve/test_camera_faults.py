"""Cameras when the world fails: a full database, a folder that others change, links in circles, an older home."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event as sql_event
from sqlalchemy import text

from rag.reasons import localize_reason
from serve.cameras.errors import SourceError
from serve.cameras.events import CameraEvent
from serve.cameras.frames import Frame, open_view
from serve.cameras.kept import KeptEvents
from serve.cameras.plausible import Memory, Seen, judge
from serve.cameras.registry import Camera, Limits
from serve.cameras.source_folder import FolderSource
from serve.cameras.states import CameraStates
from serve.cameras.watcher import Watcher
from serve.settings import Settings
from serve.store.database import Database
from serve.store.migrate import migrate
from serve.store.store import Store
from tests.serve.camera_doubles import good
from tests.serve.doubles import picture_bytes
from tests.serve.test_camera_watcher import DoubleRead, Live, watched


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(Settings(home=tmp_path / "home"))
    yield store
    store.close()


def fill_up(store: Store) -> dict[str, bool]:
    """Let SQLite itself find no more room than it has now, until `full` is set to False."""
    with store.database.write() as db:
        pages = int(db.execute(text("PRAGMA page_count")).scalar_one())
    state = {"full": True}

    @sql_event.listens_for(store.database.engine, "begin")
    def on_begin(connection: Any) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages if state['full'] else 2**30}")

    return state


def test_a_full_database_loses_no_reading_of_a_live_camera(plain: Store, caplog: pytest.LogCaptureFixture) -> None:
    kept, told = KeptEvents(plain.database), list[CameraEvent]()
    camera = Camera.model_validate({"name": "p1", "source": "http://camera/p.jpg", "every_s": 1})
    watcher = Watcher(camera, DoubleRead(), kept, told.append)
    state = fill_up(plain)
    for _ in range(40):  # Some still find a place in pages that are there.
        watcher.take_live(Live())
    assert "database or disk is full" in caplog.text
    assert len(kept.newest("p1")) < 40
    state["full"] = False
    watcher.take_live(Live())
    assert [one.seq for one in kept.after("p1", 0)] == list(range(1, 42))
    assert [one.event for one in kept.after("p1", 0)] == told


def folder_watcher(folder: Path, store: Store) -> tuple[Watcher, FolderSource, list[CameraEvent]]:
    kept, told = KeptEvents(store.database), list[CameraEvent]()
    camera = Camera.model_validate({"name": "p1", "source": str(folder)})
    source = FolderSource(folder, lambda keys: kept.taken("p1", keys))
    return Watcher(camera, DoubleRead(), kept, told.append), source, told


def test_a_folder_that_others_change_meanwhile(plain: Store, tmp_path: Path) -> None:
    """Files come, are written anew, renamed and removed while the folder is read; what stays is there, each version once."""
    folder = tmp_path / "in"
    folder.mkdir()
    watcher, source, told = folder_watcher(folder, plain)
    done = threading.Event()

    def change() -> None:
        for number in range(12):
            (folder / f"{number:02d}.png").write_bytes(picture_bytes(color=f"rgb({number},1,1)"))
            if number % 3 == 1:
                (folder / f"{number - 1:02d}.png").unlink(missing_ok=True)
            if number % 4 == 2:
                os.replace(folder / f"{number:02d}.png", folder / f"moved-{number:02d}.png")
            time.sleep(0.05)
        done.set()

    helper = threading.Thread(target=change)
    helper.start()

    def whole() -> bool:
        return done.is_set() and {one.source for one in told if one.status == "good"} >= set(os.listdir(folder))

    watched(lambda stop: watcher.watch_folder(source, stop), whole, timeout_s=40)
    helper.join()
    taken = [one.source for one in told if one.status == "good"]
    assert len(taken) == len(set(taken))


def test_a_file_that_goes_or_is_cut_between_look_and_reading_is_named(plain: Store, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    watcher, _, told = folder_watcher(folder, plain)
    moment = [0.0]
    kept = KeptEvents(plain.database)
    source = FolderSource(folder, lambda keys: kept.taken("p1", keys), lambda: moment[0])
    for name in ("a.png", "b.png", "c.png"):
        (folder / name).write_bytes(picture_bytes())
    source.ready()
    moment[0] = 5.0
    ready = source.ready

    def then_change() -> list[tuple[str, str]]:
        found = ready()
        (folder / "a.png").unlink(missing_ok=True)
        (folder / "b.png").write_bytes(picture_bytes()[:40])
        return found

    source.ready = then_change  # type: ignore[method-assign]
    assert watcher.take_files(source) == 3
    by_name = {one.source: one for one in told}
    assert "a.png: No such file" in (by_name["a.png"].reason or "")
    assert by_name["b.png"].status == "not_read"
    assert by_name["c.png"].status == "good"


def test_links_in_circles_and_to_elsewhere_are_left_alone(plain: Store, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "loop.png").symlink_to(folder / "loop.png")
    (folder / "up.png").symlink_to(folder, target_is_directory=True)
    (folder / "other.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "secret.png").write_bytes(picture_bytes())
    (folder / "mine.png").write_bytes(picture_bytes())
    _, source, _ = folder_watcher(folder, plain)
    source.ready()
    time.sleep(1.1)
    assert [name for name, _ in source.ready()] == ["mine.png"]


def seen(value: float, at_s: float = 0.0, confidence: float = 0.9) -> Seen:
    return Seen(at_s, value, value, value, confidence)


def reasons_of_readings() -> list[str]:
    """Every reason that plausibility gives, by making it happen."""
    limits = Limits(low=0, high=100, most_per_min=1, stuck_after_s=60, stuck_within=0.5)
    meter = Limits(counter=True, rolls_over_at=1000)
    last = Memory(last=seen(10))
    found = [
        judge(last, seen(10, confidence=0.1), limits)[1],
        judge(last, seen(-5), limits, "bar")[1],
        judge(last, seen(105), limits, "bar")[1],
        judge(last, seen(1000), meter)[1],
        judge(last, seen(5), meter, "m3")[1],
        judge(last, seen(50, 6), limits, "bar")[1],
        judge(Memory(last=seen(998)), seen(1, 10), meter)[1],
        judge(last._replace(rest=(0.0, 10.0, 10.0)), seen(10, 120), limits)[1],
        judge(last._replace(waiting=(seen(50),)), seen(10), limits)[1],
        judge(last._replace(waiting=(seen(50), seen(50))), seen(10), limits)[1],
        judge(last._replace(waiting=(seen(50),)), seen(50), limits)[1],
        judge(last._replace(waiting=(seen(50), seen(50))), seen(50), limits, "bar")[1],
    ]
    assert all(one.reason for one in found)
    return [one.reason or "" for one in found]


def reasons_of_pictures() -> list[str]:
    found = []
    for data, region in ((picture_bytes(mark=False), None), (picture_bytes(), (0, 0, 500, 9))):
        with pytest.raises(SourceError) as error:
            open_view(Frame(data), region, "p")
        found.append(str(error.value))
    return found


OTHERS = (
    "the picture is frozen: not a pixel has changed for 30 s",
    "no file came for 5 s",
    "the folder /in is not there",
    "http://h/a.jpg: no picture within 5 s",
    "http://h/a.jpg: HTTP 401, refused without a name and a password",
    "http://h/a.jpg: HTTP 500",
    "rtsp://h/a: the stream has no picture",
    "2 instruments are in the picture; give the camera a region, or a kind",
    "no counter was found in the picture",
    "it was read in MPa, and the instrument measures in bar",
    "the colour's confidence 0.80 is below 0.90",
)


@pytest.mark.parametrize("reason", [*reasons_of_readings(), *reasons_of_pictures(), *OTHERS])
def test_every_reason_of_a_camera_has_a_chinese_text(reason: str) -> None:
    shown = localize_reason(reason, "zh")
    assert re.search(r"[\u4e00-\u9fff]", shown), shown
    assert not re.search(r"[a-z]{4,} [a-z]{2,}", shown), shown
    assert re.findall(r"\d+", shown) or not re.findall(r"\d+", reason)
    assert localize_reason(reason, "en") == reason


def test_an_older_home_knows_its_cameras_after_the_upgrade(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    database = Database(settings.database_url)
    migrate(database, "0004")
    with database.write() as db:
        for seq, status in enumerate(("good", "held", "good", "no_picture"), 1):
            body = good(at=100.0 + seq).model_copy(update={"status": status}).model_dump_json()
            row = {"tenant": "local", "camera": "p1", "seq": seq, "at": 100.0 + seq, "status": status, "event": body}
            names = ", ".join(row)
            db.execute(text(f"INSERT INTO camera_events ({names}) VALUES ({', '.join(':' + name for name in row)})"), row)
    database.close()
    store = Store.open(settings)
    state = CameraStates(store.database).get("p1")
    assert (state.seq, state.good_at, state.is_up, state.since) == (4, 103.0, False, None)
    assert state.events == {"good": 2, "held": 1, "not_read": 0, "no_picture": 1}
    assert state.newest is not None
    assert state.newest.at == 104.0
    assert KeptEvents(store.database).add(good()) == 5
    store.close()
