"""The monitor where things fail: databases, disks, clocks, the webhook; it goes on, loses nothing twice, and tells no lie."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr
from sqlalchemy import event

from eval.sampling import Sampler
from rag.pipeline import Run
from serve.monitor import loop
from serve.monitor.alerts import Alerts
from serve.monitor.degradation import Degradation
from serve.monitor.diagnosis import Diagnosis
from serve.monitor.kept_causes import DIAGNOSIS, kept_causes
from serve.monitor.live import LiveMonitor
from serve.monitor.live_status import LiveOptions
from serve.monitor.log import MonitorLog
from serve.monitor.loop import Monitor
from serve.monitor.overview import read_overview
from serve.monitor.periodic import HOURLY, Measures
from serve.service import Service
from serve.settings import Settings
from serve.store import database as database_module
from serve.store.errors import StoreError
from serve.store.store import Store
from tests.serve.test_faults_disk import fill, small_disk  # noqa: F401 - a fixture
from tests.serve.test_monitor_live import Clock, keep, lying, monitor, passing
from tests.serve.test_monitor_live import run as run
from tests.serve.test_monitor_periodic import WordJudge, measures


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(database_module, "BUSY_S", 0.1)
    store = Store.open(Settings(home=tmp_path / "home"))
    yield store
    store.close()


def whole_monitor(service: Service, home: Store, monkeypatch: pytest.MonkeyPatch, clock: Callable[[], float]) -> Monitor:
    """All levels, with measures that cost nothing."""
    monkeypatch.setattr(loop, "measure_daily", lambda kb, judge, at: measures((), at, relevance=0.8))
    monkeypatch.setattr(loop, "measure_hourly", lambda kb, at: measures((), at, mrr=0.9))
    one = Monitor(service, home, judge=WordJudge, clock=clock)
    passing(one.live, monkeypatch)
    return one


def test_a_locked_database_costs_steps_and_no_reports(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = whole_monitor(service, home, monkeypatch, clock)
    keep(home, run, clock, 3, ms=1200.0)
    assert home.database.file is not None
    with closing(sqlite3.connect(home.database.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        one.step()
        other.execute("ROLLBACK")
    assert read_overview(home.database, home.home, clock).live is None
    clock.now += 61
    one.step()
    told = read_overview(home.database, home.home, clock)
    assert told.live is not None
    assert told.live.reports == 3  # seen while nothing could be kept, and counted once
    assert "slow" in {alert.key for alert in told.alerts}
    assert told.backlog is not None


def test_a_diagnosis_that_cannot_be_kept_is_made_with_the_days(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = monitor(service, home, clock, sampler=Sampler(1.0))
    passing(one, monkeypatch)
    keep(home, run, clock, 2)

    def full(kind: str, _: object) -> None:
        raise StoreError("database or disk is full")

    monkeypatch.setattr(one.diagnoses._log, "keep", full)
    assert one.tick().reports == 2
    assert len(one.diagnoses.backlog) == 2


def test_a_report_that_cannot_be_judged_is_met_once_and_the_others_are_seen(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = monitor(service, home, clock)
    passing(one, monkeypatch)
    keep(home, run, clock, 3)
    judged, true_mark = list[str](), one._mark

    def stumble(report: Any) -> Any:
        judged.append(report.id)
        if len(judged) == 2:
            raise ZeroDivisionError
        return true_mark(report)

    monkeypatch.setattr(one, "_mark", stumble)
    with pytest.raises(ZeroDivisionError):
        one.tick()
    assert one.tick().reports == 2
    assert len(set(judged)) == len(judged) == 3


def test_a_database_that_became_read_only_stops_nothing(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = whole_monitor(service, home, monkeypatch, clock)
    one.step()

    def forbid(connection: Any, _: object) -> None:
        connection.execute("PRAGMA query_only = 1")

    event.listen(home.database.engine, "connect", forbid)
    home.database.engine.dispose()
    clock.now += 7200
    for _ in range(3):
        one.step()
        clock.now += 61
    told = read_overview(home.database, home.home, clock)
    assert not told.running
    assert {one.light for one in told.lights} == {"unknown"}  # what was green two hours ago is not green now
    event.remove(home.database.engine, "connect", forbid)
    home.database.engine.dispose()
    clock.now += 600
    one.step()
    told = read_overview(home.database, home.home, clock)
    assert told.running
    assert told.hourly is not None
    assert told.hourly.at == clock.now


def test_on_a_full_disk_the_monitor_goes_on(
    service: Service,
    clock: Clock,
    small_disk: Path,  # noqa: F811
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = Store.open(Settings(home=small_disk / "home"))
    try:
        one = whole_monitor(service, store, monkeypatch, clock)
        keep(store, run, clock, 2)
        filler = fill(small_disk, 0)
        one.step()
        assert "goes on without a part" in caplog.text
        assert "stumbled" not in caplog.text
        filler.unlink()
        clock.now += 601
        one.step()
        told = read_overview(store.database, store.home, clock)
        assert told.live is not None
        assert told.live.reports == 2
        assert told.hourly is not None
    finally:
        store.close()


def test_the_model_is_set_aside_also_where_the_causes_cannot_be_found(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = monitor(service, home, clock, broken_s=0.0)
    passing(one, monkeypatch)
    keep(home, lying(run), clock, 20)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("serve.monitor.diagnoses.root_causes", fail)
    with pytest.raises(ZeroDivisionError):
        one.tick()
    assert Degradation(home.database, clock).writer("llm") == "template"
    assert "set_aside" in {alert.key for alert in Alerts(home.database).newest()}
    one.tick()  # once: what failed is not tried at every step


@pytest.mark.parametrize("jump_s", [86_400.0, 3600.0, 60.0])
def test_reports_are_seen_once_though_the_clock_goes_forth_and_back(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch, jump_s: float
) -> None:
    one = monitor(service, home, clock, sampler=Sampler(1.0))
    passing(one, monkeypatch)
    keep(home, run, clock, 2)
    assert one.tick().reports == 2
    clock.now += jump_s
    keep(home, run, clock, 3)
    one.tick()
    clock.now -= jump_s
    keep(home, run, clock, 4)
    assert one.tick().reports == 2 + 4  # what was made in the future is not of the last hour
    assert one.tick().reports == 2 + 4
    clock.now += jump_s + 60
    diagnosed = MonitorLog(home.database, clock).newest(DIAGNOSIS, Diagnosis, 100)
    assert len({one.report for one in diagnosed}) == 2 + 3 + 4
    sampled = kept_causes(home.database, "sampled", clock)
    assert sampled is not None
    assert sampled.n == 2 + 3 + 4


def test_a_clock_set_back_makes_no_busy_loop_and_shows_no_value_of_the_future(
    service: Service, home: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = whole_monitor(service, home, monkeypatch, clock)
    clock.now += 30 * 86_400
    one.step()
    clock.now -= 30 * 86_400
    done: list[float] = []
    true_hourly = one.hourly

    def hourly() -> Measures:
        done.append(clock.now)
        return true_hourly()

    monkeypatch.setattr(one, "hourly", hourly)
    for _ in range(5):
        one.step()
        clock.now += 5
    assert len(done) == 1
    told = read_overview(home.database, home.home, clock)
    assert told.hourly is not None
    assert told.hourly.at == done[0]
    assert told.live is not None
    assert abs(told.live.at - clock.now) < 10
    (only,) = MonitorLog(home.database, clock).newest(HOURLY, Measures, 10)
    assert only.at == done[0]


def test_a_webhook_that_is_down_keeps_alerts_and_holds_up_nothing(
    service: Service, home: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    down = service.settings.model_copy(update={"webhook_url": SecretStr("http://127.0.0.1:9/token")})
    with_hook = Service(down, reader=service.reader, knowledge=service.knowledge)
    one = whole_monitor(with_hook, home, monkeypatch, clock)
    for state in ("fail", "fail", "fail"):
        passing(one.live, monkeypatch, state)
        one.step()
        clock.now += 61
    told = read_overview(home.database, home.home, clock)
    assert {alert.key for alert in told.alerts} == {"anchors", "daily"}
    assert told.alerts_waiting == 2
    assert all("token" not in (alert.reason or "") for alert in told.alerts)
    assert {one.name: one.light for one in told.lights}["anchors"] == "red"


def test_a_backlog_that_is_damaged_is_not_known_and_stops_nothing(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home.home / "monitor").mkdir()
    (home.home / "monitor" / "backlog.sqlite").write_bytes(b"no database at all " * 400)
    one = LiveMonitor(
        service, home, Alerts(home.database, clock=clock), Degradation(home.database, clock), LiveOptions(), clock,
        np.random.default_rng(7),
    )  # fmt: skip
    passing(one, monkeypatch)
    keep(home, run, clock, 2)
    assert one.tick().reports == 2
    assert read_overview(home.database, home.home, clock).backlog is None
