"""Events on both databases: numbered without a gap, a file once, the outbox in order."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from serve.cameras.errors import CameraError
from serve.cameras.events import AlarmChange, CameraEvent
from serve.cameras.kept import KeptEvents
from serve.store.ids import new_id
from serve.store.store import Store


@pytest.fixture
def kept(store: Store) -> KeptEvents:
    return KeptEvents(store.database)


def event(camera: str = "p1", at: float | None = None, value: float = 4.2) -> CameraEvent:
    return CameraEvent(
        id=new_id(), camera=camera, at=time.time() if at is None else at, status="good", raw=value, raw_low=value - 0.1,
        raw_high=value + 0.1, value=value, low=value - 0.1, high=value + 0.1, unit="bar", frames=1,
        alarms={"high": True}, changes=(AlarmChange(name="high", to="on"),),
    )  # fmt: skip


def test_events_come_back_whole_and_numbered_by_camera(kept: KeptEvents) -> None:
    made = [event("p1"), event("p2"), event("p1")]
    assert [kept.add(one) for one in made] == [1, 1, 2]
    assert kept.newest("p1") == [made[0], made[2]]
    assert kept.newest("p1", limit=1) == [made[2]]
    assert [(one.seq, one.event) for one in kept.after("p1", 1)] == [(2, made[2])]
    assert kept.after("p2", 1) == []


def test_a_file_is_taken_once(kept: KeptEvents) -> None:
    kept.add(event(), source_key="a" * 64)
    assert kept.taken("p1", ["a" * 64, "b" * 64]) == {"a" * 64}
    assert kept.taken("p2", ["a" * 64]) == set()
    with pytest.raises(CameraError, match="another process"):
        kept.add(event(), source_key="a" * 64)
    assert len(kept.newest("p1")) == 1
    kept.add(event("p2"), source_key="a" * 64)
    assert kept.taken("p1", [f"{n:064d}" for n in range(1200)] + ["a" * 64]) == {"a" * 64}


def test_the_outbox_gives_the_oldest_first_until_they_are_taken(kept: KeptEvents) -> None:
    for number in range(5):
        kept.add(event(at=100.0 + number), publish=True)
    kept.add(event(at=1.0))
    first = kept.unpublished(["p1"], limit=3)
    assert [one.event.at for one in first] == [100.0, 101.0, 102.0]
    kept.mark_published(first)
    kept.mark_published([])
    assert [one.event.at for one in kept.unpublished(["p1"])] == [103.0, 104.0]
    assert kept.unpublished(["p2"]) == []


def test_tenants_see_their_own(store: Store, kept: KeptEvents) -> None:
    other = KeptEvents(store.database, "plant-2")
    kept.add(event(), publish=True)
    assert other.add(event()) == 1
    assert other.unpublished(["p1"]) == []
    assert len(other.newest("p1")) == len(kept.newest("p1")) == 1


def test_cameras_are_kept_at_the_same_time(kept: KeptEvents) -> None:
    def watch(camera: str) -> list[int]:
        return [kept.add(event(camera)) for _ in range(8)]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(watch, ["p0", "p1", "p2", "p3"])) == [list(range(1, 9))] * 4


def test_two_processes_on_one_camera_number_their_readings_without_a_clash(kept: KeptEvents, store: Store) -> None:
    other = KeptEvents(store.database)

    def watch(one: KeptEvents) -> list[int]:
        return [one.add(event()) for _ in range(10)]

    with ThreadPoolExecutor(2) as pool:
        numbers = [seq for made in pool.map(watch, [kept, other]) for seq in made]
    assert sorted(numbers) == list(range(1, 21))
    assert len(kept.after("p1", 0)) == 20
