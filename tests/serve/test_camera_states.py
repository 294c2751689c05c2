"""What is known of a camera now, on both databases: numbers, up and down, who watches; and how all of it goes by age."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import select, text

from serve.cameras.events import AlarmChange
from serve.cameras.gauges import CameraValues
from serve.cameras.kept import KeptEvents
from serve.cameras.states import SILENT_S, CameraStates
from serve.settings import Settings
from serve.store.camera_age import sweep_camera_events
from serve.store.errors import NotFoundError, StoreError
from serve.store.store import Store
from serve.store.tables import camera_events
from tests.serve.camera_doubles import bad, camera, good


@pytest.fixture
def kept(store: Store) -> KeptEvents:
    return KeptEvents(store.database)


@pytest.fixture
def states(store: Store) -> CameraStates:
    return CameraStates(store.database)


def test_a_state_follows_the_events(kept: KeptEvents, states: CameraStates) -> None:
    kept.add(good(at=100.0), next_at=110.0)
    kept.add(bad("no_picture", at=110.0), next_at=112.0)
    kept.add(bad("no_picture", at=112.0))
    now = states.get("p1")
    assert (now.seq, now.is_up, now.since, now.good_at, now.next_at) == (3, False, 110.0, 100.0, None)
    assert now.events == {"good": 1, "held": 0, "not_read": 0, "no_picture": 2}
    assert now.newest is not None
    assert now.newest.at == 112.0
    kept.add(bad(at=120.0))
    now = states.get("p1")
    assert (now.is_up, now.since, now.good_at) == (True, 120.0, 100.0)
    with pytest.raises(NotFoundError):
        states.get("p2")


def test_a_camera_is_known_before_its_first_picture_and_without_its_secrets(states: CameraStates) -> None:
    of_http = camera(label="Pump 1", model="XYZ-2000", alarm=[{"name": "high", "above": 3}])
    states.announce([of_http, camera("dir", source="in", every_s=None)])
    folder, live = states.list()
    assert live.about is not None
    assert (live.about.label, live.about.address, live.about.alarms) == ("Pump 1", "http://camera/p.jpg", ("high",))
    assert live.next_at == pytest.approx(time.time(), abs=5)
    assert (folder.camera, folder.next_at, folder.newest, folder.is_up) == ("dir", None, None, None)
    assert "s3cret" not in live.model_dump_json()
    assert "k3y" not in live.model_dump_json()


def test_who_watches_says_so_until_it_ends_or_falls_silent(store: Store) -> None:
    now = [1000.0]
    states = CameraStates(store.database, clock=lambda: now[0])
    states.announce([camera()])
    assert states.get("p1").is_watched(now[0])
    now[0] += SILENT_S + 1
    assert not states.get("p1").is_watched(now[0])
    states.beat(["p1"])
    assert states.get("p1").is_watched(now[0])
    states.beat(["p1"], last=True)
    assert not states.get("p1").is_watched(now[0])
    assert states.get("p1").watched_until == now[0]


def test_tenants_see_their_own_cameras(store: Store, states: CameraStates) -> None:
    KeptEvents(store.database, "plant-2").add(good())
    assert states.list() == ()
    with pytest.raises(NotFoundError):
        states.get("p1")
    assert [one.camera for one in CameraStates(store.database, "plant-2").list()] == ["p1"]


def test_pages_and_changes_come_newest_first(kept: KeptEvents) -> None:
    for number in range(7):
        changes = (AlarmChange(name="high", to="on"),) if number in (2, 5) else ()
        kept.add(good(float(number), changes=changes))
    assert [one.seq for one in kept.page("p1", limit=3)] == [7, 6, 5]
    assert [one.seq for one in kept.page("p1", before=5, limit=3)] == [4, 3, 2]
    assert kept.page("p1", before=1) == []
    assert [one.seq for one in kept.changes("p1")] == [6, 3]
    assert kept.changes("p2") == []


def test_changes_are_found_by_their_index(tmp_path_factory: pytest.TempPathFactory) -> None:
    store = Store.open(Settings(home=tmp_path_factory.mktemp("home")))
    changed = (camera_events.c.tenant == "local") & (camera_events.c.camera == "p1") & camera_events.c.changed
    query = select(camera_events.c.seq).where(changed).order_by(camera_events.c.seq.desc())
    with store.database.read() as db:
        sql = str(query.compile(db, compile_kwargs={"literal_binds": True}))
        plan = " ".join(str(row) for row in db.execute(text(f"EXPLAIN QUERY PLAN {sql}")))
    store.close()
    assert "camera_events_by_change" in plan


def test_a_course_keeps_every_peak_and_every_gap(kept: KeptEvents) -> None:
    start = time.time() - 1000
    for number in range(300):
        kept.add(good(20.0 if number == 123 else 1.0 + number % 3, at=start + number * 3))
    kept.add(bad("no_picture", at=start + 950))
    kept.add(good(77.0, at=start - 500))
    course = kept.course("p1", start, 20)
    values = [one.value for one in course]
    assert len(course) <= 82
    assert max(value for value in values if value is not None) == 20.0
    assert values.count(None) == 1
    assert [one.at for one in course] == sorted(one.at for one in course)
    whole = kept.course("p1", start - 1000, 100_000)
    assert len(whole) == 302
    assert kept.course("p2", start, 20) == []


def test_old_events_go_for_all_tenants_unless_they_wait_or_are_the_newest(store: Store, kept: KeptEvents) -> None:
    other = KeptEvents(store.database, "plant-2")
    kept.add(good(at=1.0))
    kept.add(good(at=2.0), publish=True)
    kept.add(good(at=3.0))
    other.add(good(at=1.0))
    other.add(good())
    CameraStates(store.database).announce([camera()])
    assert sweep_camera_events(store.database, 3600.0) == 2
    assert [one.at for one in kept.newest("p1")] == [2.0, 3.0]
    assert len(other.newest("p1")) == 1
    assert kept.add(good()) == 4
    assert store.sweep().camera_events == 1
    assert CameraStates(store.database).get("p1").events["good"] == 4


def test_many_old_events_go_in_steps(store: Store, kept: KeptEvents, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serve.store.camera_age.A_STEP", 4)
    for number in range(11):
        kept.add(good(at=1.0 + number))
    assert sweep_camera_events(store.database, 3600.0) == 10
    assert [one.seq for one in kept.after("p1", 0)] == [11]


def test_a_camera_that_nobody_has_watched_for_so_long_is_forgotten(store: Store, kept: KeptEvents) -> None:
    long_ago = CameraStates(store.database, clock=lambda: 10.0)
    long_ago.announce([camera("gone"), camera("p1")])
    kept.add(good(camera="gone", at=1.0), publish=True)
    kept.add(good())
    assert sweep_camera_events(store.database, 3600.0) == 1
    assert [one.camera for one in CameraStates(store.database).list()] == ["p1"]
    assert kept.after("gone", 0) == []


def samples(values: CameraValues) -> dict[tuple[str, ...], float]:
    return {
        (one.name, *(f"{key}={one.labels[key]}" for key in sorted(one.labels))): one.value
        for family in values.collect()
        for one in family.samples
    }


def test_prometheus_shows_a_value_while_it_is_good_and_watched(store: Store, kept: KeptEvents) -> None:
    now = [2000.0]
    states = CameraStates(store.database, clock=lambda: now[0])
    states.announce([camera(), camera("p2")])
    kept.add(good(4.2, at=1990.0, alarms={"high": True}))
    kept.add(good(9.9, "p2", at=1990.0))
    found = samples(CameraValues(states, ["p1"], lambda: now[0]))
    assert found["gauge_camera_value", "camera=p1", "unit=bar"] == 4.2
    assert found["gauge_camera_alarm", "alarm=high", "camera=p1"] == 1.0
    assert found["gauge_camera_age_seconds", "camera=p1"] == 10.0
    assert found["gauge_camera_events_total", "camera=p1", "status=good"] == 1.0
    assert found["gauge_camera_up", "camera=p1"] == 1.0
    assert not [key for key in found if "camera=p2" in key]
    now[0] += SILENT_S + 1
    silent = samples(CameraValues(states, None, lambda: now[0]))
    assert not [key for key in silent if key[0] in ("gauge_camera_value", "gauge_camera_alarm")]
    assert silent["gauge_camera_up", "camera=p1"] == 0.0
    states.beat(["p1"])
    kept.add(bad(at=2200.0))
    unread = samples(CameraValues(states, None, lambda: now[0]))
    assert not [key for key in unread if key[0] == "gauge_camera_value"]


def test_prometheus_is_answered_without_the_store(states: CameraStates, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> object:
        raise StoreError("away")

    monkeypatch.setattr(states, "list", away)
    assert list(CameraValues(states).collect()) == []
