"""Level 1: what the reports show is said, what cannot be told is not; nothing is said of too few."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from eval.sampling import Sampler
from rag.pipeline import Run
from serve.monitor.alerts import Alerts
from serve.monitor.degradation import Degradation, say_degraded
from serve.monitor.diagnosis import Diagnosis, RootCauses
from serve.monitor.fresh import LAG_S, Place, read_fresh
from serve.monitor.kept_causes import DIAGNOSIS, OFFLINE
from serve.monitor.live import LiveMonitor
from serve.monitor.live_status import LiveOptions
from serve.monitor.log import MonitorLog
from serve.service import Service
from serve.settings import Settings
from serve.store.errors import StoreError
from serve.store.reports import make_report
from serve.store.store import Store
from tests.serve.doubles import picture_bytes
from tests.serve.runs import report_options


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(Settings(home=tmp_path / "home"))
    yield store
    store.close()


@pytest.fixture
def run(service: Service) -> Run:
    (made,) = service.inspect_runs([picture_bytes()], names=["a.png"], model="XYZ-2000")
    return made


def lying(run: Run) -> Run:
    """The run with sentences that nothing bears out."""
    assert run.inspection.report is not None
    said = [one.model_copy(update={"supported": False}) for one in run.inspection.report.statements]
    report = run.inspection.report.model_copy(update={"statements": tuple(said)})
    return run._replace(inspection=run.inspection.model_copy(update={"report": report}))


def keep(store: Store, run: Run, clock: Clock, count: int, ms: float = 100.0) -> None:
    inspection = run.inspection.model_copy(update={"timing_ms": {"read": 5000.0, "report": ms}})
    made = [make_report("local", run._replace(inspection=inspection), **report_options(writer="llm")) for _ in range(count)]
    store.keep_reports([one.model_copy(update={"created": clock.now + n / 1000}) for n, one in enumerate(made)])
    clock.now += LAG_S + 1


def monitor(service: Service, store: Store, clock: Clock, **options: object) -> LiveMonitor:
    alerts, degradation = Alerts(store.database, clock=clock), Degradation(store.database, clock)
    rng = np.random.default_rng(7)
    return LiveMonitor(service, store, alerts, degradation, LiveOptions(**options), clock, rng)  # type: ignore[arg-type]


def keys(store: Store) -> list[str]:
    return [one.key for one in Alerts(store.database).newest()]


def passing(one: LiveMonitor, monkeypatch: pytest.MonkeyPatch, state: str = "pass") -> None:
    """Anchors without the embedder that they need: all of one state."""
    from eval.golden_run import AnchorRow
    from eval.score import not_scorable, supported, unsupported

    score = {"pass": supported("x"), "fail": unsupported("x"), "none": not_scorable("x")}[state]

    def check(anchors: object, chain: object) -> Iterator[object]:
        from types import SimpleNamespace

        for anchor in anchors:  # type: ignore[attr-defined]
            row = AnchorRow(id=anchor.id, module="m", score=score, failed=None, support=not_scorable("x"), latency_ms=1.0)
            yield SimpleNamespace(row=row)

    monkeypatch.setattr("serve.monitor.live.check_anchors", check)


def test_without_reports_nothing_is_known_and_nothing_is_said(
    service: Service, home: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = monitor(service, home, clock)
    passing(one, monkeypatch)
    status = one.tick()
    assert status.reports == status.faithful.n == 0
    assert np.isnan(status.report_ms_p95)
    assert keys(home) == []


def test_slow_reports_are_said_from_enough_of_them_on(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = monitor(service, home, clock)
    passing(one, monkeypatch)
    keep(home, run, clock, 10, ms=1200.0)
    assert one.tick().report_ms_p95 == 1200.0  # the reader's 5 s are not the report's
    assert keys(home) == ["slow"]  # a snapshot of anchors
    keep(home, run, clock, 10, ms=1200.0)
    one.tick()
    assert "latency" in keys(home)
    assert one.tick().anchors == 1 + 5  # a random one and the snapshot's; both once a minute
    clock.now += 4000
    assert one.tick().reports == 0


def test_what_was_slow_between_two_anchors_is_looked_into_at_the_next_one_and_once(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = monitor(service, home, clock)
    passing(one, monkeypatch)
    assert one.tick().anchors == 1
    for ms in (1200.0, 1900.0, 100.0):  # all within the minute after the anchor
        keep(home, run, clock, 1, ms=ms)
        assert one.tick().anchors == 1
    assert keys(home) == []
    clock.now += 60
    assert one.tick().anchors == 2 + 5
    (alert,) = Alerts(home.database).newest()
    assert alert.key == "slow"
    assert "took 1900 ms (limit 800), slow since the last look: 2;" in alert.text
    clock.now += 60
    assert one.tick().anchors == 3 + 5  # said, and gone
    keep(home, run, clock, 1, ms=1200.0)
    clock.now += 60
    assert one.tick().anchors == 4 + 10


def test_three_failed_anchors_in_a_row_are_an_alarm(
    service: Service, home: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = monitor(service, home, clock)
    for state, failures in (("fail", 1), ("fail", 2), ("pass", 0), ("fail", 1), ("none", 1), ("fail", 2)):
        passing(one, monkeypatch, state)
        assert one.tick().anchor_failures == failures
        clock.now += 61
    assert keys(home) == []
    passing(one, monkeypatch, "fail")
    assert one.tick().anchor_failures == 3
    assert keys(home) == ["anchors"]


def test_reports_not_borne_out_for_two_hours_set_the_model_aside_and_back(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = monitor(service, home, clock)
    passing(one, monkeypatch)
    degradation = Degradation(home.database, clock)
    for _ in range(13):
        keep(home, run, clock, 16)
        keep(home, lying(run), clock, 4)
        status = one.tick()
        assert status.faithful.value == pytest.approx(0.8)
        assert len(status.flagged) in (4, 8, 12, 16, 20)
        if degradation.now() is None:
            assert degradation.writer("llm") == "llm"
            clock.now += 600
    state = degradation.now()
    assert state is not None
    assert degradation.writer("llm") == degradation.writer("openai") == "template"
    assert {"faithfulness", "set_aside"} <= set(keys(home))
    causes = RootCauses.model_validate_json(Path(state.report).with_suffix(".json").read_text(encoding="utf-8"))
    assert causes.n == 100
    assert causes.cases[0].faithful.state == "unsupported"
    page = Path(state.report).read_text(encoding="utf-8")
    assert causes.cases[0].report in page
    assert state.faithful is not None
    assert state.faithful.value == pytest.approx(0.8)
    assert Degradation(home.database, clock).end()
    clock.now += 6
    assert degradation.writer("llm") == "llm"
    assert not degradation.end()
    low = one.tick().low_since  # the last hour still holds what was wrong: two hours begin anew
    assert low == clock.now
    assert degradation.now() is None


def test_a_restart_does_not_begin_the_two_hours_anew(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = monitor(service, home, clock)
    passing(first, monkeypatch)
    keep(home, lying(run), clock, 20)
    since = first.tick().low_since
    clock.now += 600
    assert monitor(service, home, clock).tick().low_since == since is not None
    clock.now += 3600  # nothing came: nothing is known
    assert monitor(service, home, clock).tick().low_since is None


def test_one_in_a_hundred_is_diagnosed_and_the_rest_waits(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    passing(monitor(service, home, clock), monkeypatch)
    keep(home, run, clock, 3)
    all_live = monitor(service, home, clock, sampler=Sampler(1.0))
    all_live.tick()
    assert len(all_live.diagnoses.backlog) == 0
    found = MonitorLog(home.database, clock).newest(DIAGNOSIS, Diagnosis, 10)
    assert len(found) == 3
    assert found[0].signals.borne_out == 1.0
    none_live = monitor(service, home, clock, sampler=Sampler(0.0))
    none_live.tick()
    assert len(none_live.diagnoses.backlog) == 3
    none_live.diagnoses.backlog.add(["local/gone-by-age"])
    causes = none_live.diagnoses.of_waiting()
    assert causes is not None
    assert causes.n == 3
    assert MonitorLog(home.database, clock).newest(OFFLINE, RootCauses) == (causes,)
    assert len(none_live.diagnoses.backlog) == 0
    assert none_live.diagnoses.of_waiting() is None


def test_the_days_batch_takes_all_that_waits_in_portions_and_keeps_the_worst(
    service: Service, home: Store, clock: Clock, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serve.monitor.diagnoses.PORTION", 4)
    monkeypatch.setattr("serve.monitor.diagnoses.MOST_CASES", 3)
    one = monitor(service, home, clock, sampler=Sampler(0.0))
    passing(one, monkeypatch)
    keep(home, run, clock, 8)
    keep(home, lying(run), clock, 2)
    one.tick()
    assert len(one.diagnoses.backlog) == 10

    def fail(*_: object) -> None:
        raise StoreError("full")

    first = one.diagnoses.of_waiting(budget_s=0.0)  # a portion is done whatever it takes
    assert first is not None
    assert (first.n, len(one.diagnoses.backlog)) == (4, 6)
    with monkeypatch.context() as broken:
        broken.setattr(one.diagnoses._log, "keep", fail)
        with pytest.raises(StoreError):
            one.diagnoses.of_waiting()
    assert len(one.diagnoses.backlog) == 6  # what could not be kept waits on
    clock.now += 700
    rest = one.diagnoses.of_waiting()
    assert rest is not None
    assert (rest.n, len(one.diagnoses.backlog)) == (6, 0)
    (kept,) = MonitorLog(home.database, clock).newest(OFFLINE, RootCauses)
    assert (kept.n, len(kept.cases)) == (6, 3)
    assert kept.cases[0].faithful.state == "unsupported"


def test_answers_say_that_the_model_is_set_aside(run: Run) -> None:
    for language, word in (("en", "set aside"), ("zh", "暂停使用")):
        said = say_degraded(run, language)  # type: ignore[arg-type]
        assert said.document is not None
        assert said.inspection.report is not None
        assert word in said.inspection.report.markdown
        assert word in said.document.notes[-1]
        assert word in json.loads(said.inspection.model_dump_json())["scores"]["degraded"]


def test_reports_are_read_once_each_in_order(home: Store, clock: Clock, run: Run) -> None:
    place = Place(clock.now - 1, "")
    keep(home, run, clock, 7)
    seen: list[str] = []
    for _ in range(4):
        found, place = read_fresh(home.database, place, clock.now, 3)
        seen += [one.id for one in found]
    assert len(seen) == len(set(seen)) == 7
    home.keep_reports([make_report("other", run, **report_options()).model_copy(update={"created": clock.now})])
    assert read_fresh(home.database, place, clock.now, 3)[0] == []  # it may not be the last of its moment
    assert len(read_fresh(home.database, place, clock.now + LAG_S, 3)[0]) == 1
