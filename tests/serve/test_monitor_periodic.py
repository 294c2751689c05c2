"""Level 2: colours by rule, the same cases every day, and the whole monitor at work without hurting anybody."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient
from prometheus_client import CollectorRegistry, generate_latest
from pydantic import SecretStr

from eval.gate import Verdict
from eval.golden import load_anchors
from eval.score import NAN
from knowledge.search import KnowledgeBase
from serve.api.app import create_app
from serve.monitor import loop
from serve.monitor.alerts import Alerts
from serve.monitor.exposed import MonitorValues
from serve.monitor.gate_outcome import GATE, gate_outcome
from serve.monitor.loop import Monitor, last_due
from serve.monitor.periodic import (
    DAILY,
    LIMITS,
    Measure,
    Measures,
    compare_runs,
    daily_anchors,
    measure_daily,
    measure_hourly,
    sampled_cases,
)
from serve.monitor.texts import changes_text
from serve.service import Service
from serve.settings import Settings
from serve.store.errors import StoreError
from serve.store.store import Store
from tests.serve.conftest import Gauge
from tests.serve.doubles import DoubleReader, picture_bytes


def measures(failed: Sequence[str] = (), at: float = 1_800_000_000.0, /, **values: float) -> Measures:
    rows = tuple(Measure(name=name, value=value, n=100, holds=LIMITS[name].holds(value)) for name, value in values.items())
    return Measures(at=at, knowledge_version="v", measures=rows, failed=tuple(failed))


class WordJudge:
    """Passages alike by the words that they share."""

    name, passes = "words", 0.05

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        asked = set(question.lower().split())
        return [len(asked & set(text.lower().split())) / max(len(asked | set(text.lower().split())), 1) for text in passages]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(Settings(home=tmp_path / "home"))
    yield store
    store.close()


@pytest.mark.parametrize(
    ("name", "before", "now", "colour"),
    [
        ("relevance", 0.80, 0.80, "green"),
        ("relevance", 0.80, 0.90, "green"),
        ("relevance", 0.80, 0.76, "yellow"),
        ("relevance", 0.80, 0.75, "red"),
        ("relevance", 0.71, 0.69, "red"),  # a limit that held
        ("relevance", 0.60, 0.60, "green"),  # no worse; the note says that it is too low
        ("redundancy", 0.05, 0.04, "green"),
        ("redundancy", 0.05, 0.08, "yellow"),
        ("redundancy", 0.05, 0.11, "red"),
        ("coverage", 1.0, 0.99, "red"),
        ("mrr", 0.9, NAN, "red"),  # not measured is not passed
        ("mrr", NAN, 0.9, "green"),
    ],
)
def test_colours(name: str, before: float, now: float, colour: str) -> None:
    (change,) = compare_runs(measures(**{name: before}), measures(**{name: now}))
    assert change.colour == colour
    assert ("limit" in change.note) == (now == now and not LIMITS[name].holds(now))


def test_an_anchor_that_fails_anew_is_red_and_an_old_one_is_not() -> None:
    old, both = measures(["P01"], anchors=29 / 30), measures(["P02"], anchors=29 / 30)
    assert compare_runs(old, old)[0].colour == "green"
    assert compare_runs(old, both)[0].note.startswith("fail anew: P02")
    assert compare_runs(None, old)[0].colour == "red"
    assert compare_runs(None, measures(anchors=1.0))[0].colour == "green"


def test_the_same_thirty_anchors_of_all_modules_every_day() -> None:
    anchors = load_anchors()
    chosen = daily_anchors(anchors)
    assert len(chosen) == len(set(chosen)) == 30
    assert {one.module for one in chosen} == {one.module for one in anchors}
    assert chosen == daily_anchors(anchors)
    assert [one.id for one in sampled_cases(100)] == [one.id for one in sampled_cases(100)]
    assert all(one.answers for one in sampled_cases(100))


def test_what_is_measured_lies_where_it_can_lie(knowledge: KnowledgeBase) -> None:
    daily = measure_daily(knowledge, WordJudge(), 5.0, load_anchors()[:3], count=8)
    assert [(one.name, one.n) for one in daily.measures] == [("anchors", 3), ("relevance", 8), ("redundancy", 24)]
    hourly = measure_hourly(knowledge, 5.0, count=8)
    found = {one.name: one for one in hourly.measures}
    assert found["recall_at_5"].n == found["mrr"].n == 8
    assert found["coverage"].n == len({chunk.document for chunk in knowledge.chunks() if chunk.authority != "forum"})
    assert all(0 <= one.value <= 1 for run in (daily, hourly) for one in run.measures)
    assert found["mrr"].value > 0


def test_the_day_begins_at_two() -> None:
    for hour, back in ((1, True), (2, False), (3, False)):
        now = datetime.now(UTC).astimezone().replace(year=2026, month=6, day=10, hour=hour, minute=30)
        due = datetime.fromtimestamp(last_due(now.timestamp()), UTC).astimezone()
        assert (due.hour, due.minute, due.day) == (2, 0, 9 if back else 10)


def test_daily_is_done_once_a_day_and_red_is_told(service: Service, home: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [last_due(1_800_000_000.0) + 60]
    runs = [measures(anchors=1.0, relevance=0.8), measures(["P01"], anchors=29 / 30, relevance=0.7)]
    monkeypatch.setattr(loop, "measure_daily", lambda kb, judge, at: runs.pop(0).model_copy(update={"at": at}))
    monkeypatch.setattr(loop, "measure_hourly", lambda kb, at: measures((), at, mrr=0.9))
    monitor = Monitor(service, home, judge=WordJudge, clock=lambda: now[0])
    monkeypatch.setattr(monitor.live, "tick", lambda: None)
    monitor.step()
    monitor.step()
    (first,) = monitor.alerts.newest()
    assert (len(runs), first.key, first.level) == (1, DAILY, "notice")
    assert "green" in first.text.splitlines()[0]  # silence would be no news of a good day
    now[0] += 86_400
    monitor.step()
    assert not runs
    alert = monitor.alerts.newest()[0]
    assert (alert.key, alert.level) == (DAILY, "alarm")
    assert "red" in alert.text.splitlines()[0]
    assert "fail anew: P01" in alert.text
    assert alert.sent == now[0]  # no webhook is set: the log line is all


def test_a_part_that_fails_leaves_the_others_at_work(
    service: Service, home: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monitor = Monitor(service, home, judge=WordJudge)
    done: list[str] = []

    def fail(error: Exception) -> None:
        raise error

    monkeypatch.setattr(monitor.live, "tick", lambda: fail(StoreError("the disk is full")))
    monkeypatch.setattr(monitor, "hourly", lambda: fail(ZeroDivisionError()))
    monkeypatch.setattr(monitor, "daily", lambda: done.append("daily"))
    monkeypatch.setattr(monitor, "deliver", lambda: done.append("deliver"))
    monitor.step()
    assert done == ["daily", "deliver"]  # each part once
    assert "the disk is full" in caplog.text
    assert caplog.text.count("stumbled") == 1
    monitor.step()
    assert caplog.text.count("stumbled") == 1  # not again at once: it costs minutes
    monitor.start()
    monitor.stop()


def test_values_for_prometheus_leave_out_what_was_not_measured(home: Store, service: Service) -> None:
    registry = CollectorRegistry()
    registry.register(MonitorValues(home.database))
    text = generate_latest(registry).decode()
    assert 'gauge_monitor{level="live",measure="language_models_set_aside"} 0.0' in text
    assert "report_ms_p95" not in text
    monitor = Monitor(service, home)
    monitor.log.keep(DAILY, measures(relevance=0.8, redundancy=NAN))
    shut = Verdict(passed=False, slices=(), missing=("ERR t-1",), fresh=0, versions={}, baseline_versions={})
    monitor.log.keep(GATE, gate_outcome(shut, 1_800_000_000.0, "first"))
    monitor.degradation.begin("too few are borne out")
    text = generate_latest(registry).decode()
    assert 'measure="language_models_set_aside"} 1.0' in text
    assert 'gauge_monitor{level="daily",measure="relevance"} 0.8' in text
    assert "redundancy" not in text
    assert 'gauge_monitor{level="gate",measure="passed"} 0.0' in text
    assert 'gauge_monitor{level="gate",measure="at_seconds"} 1.8e+09' in text


def test_the_server_follows_and_says_that_the_model_is_set_aside(knowledge: KnowledgeBase, tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path / "home", writer="openai", llm_url="http://127.0.0.1:9/v1", llm_key=SecretStr("k"), llm_model="m"
    )
    app = create_app(settings, Service(settings, reader=DoubleReader(), knowledge=knowledge))
    photo = {"file": ("a.png", picture_bytes(), "image/png")}
    with TestClient(app, base_url="http://localhost") as client:
        assert client.get("/health").json()["notice"] is None
        app.state.parts.degradation.begin("only 70% of 40 reports are borne out")
        answer = client.post("/inspect", files=photo).json()
        assert "set aside" in answer["scores"]["degraded"]
        assert "set aside" in answer["report"]["markdown"]
        assert client.get(f"/reports/{answer['id']}").json()["inspection"]["scores"]["degraded"] == answer["scores"]["degraded"]
        assert "70%" in client.get("/health").json()["notice"]
        assert "degraded" not in client.post("/inspect", files=photo, data={"writer": "template"}).json()["scores"]
        app.state.parts.degradation.end()
        assert client.get("/health").json()["notice"] is None


def test_status_says_what_is_not_measured_and_resume_what_it_did(
    gauge: Gauge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    said = gauge("monitor", "status")
    assert said.code == 0
    assert "daily: not measured yet" in said.out
    assert json.loads(gauge("monitor", "status", "--json").out)["live"] is None
    assert "were not set aside" in gauge("monitor", "resume").out
    store = Store.open(Settings(home=tmp_path / "home"))
    Alerts(store.database).say("latency", "alarm", "P95 900 ms")
    Monitor(Service(Settings(home=tmp_path / "home")), store).degradation.begin("why")
    store.close()
    assert "set aside since" in gauge("monitor", "status").out
    assert "alarm latency: P95 900 ms" in gauge("monitor", "status").out
    assert "write again" in gauge("monitor", "resume").out


@pytest.mark.parametrize("kind", ["daily", "hourly"])
def test_measuring_now_prints_and_fails_where_it_is_red(kind: str, gauge: Gauge, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"daily": {"relevance": 0.8}, "hourly": {"mrr": 0.6}}[kind]
    monkeypatch.setattr(loop, f"measure_{kind}", lambda *_: measures(**values))
    monkeypatch.setattr(Monitor, "_build_judge", lambda self: WordJudge())
    said = gauge("monitor", kind)
    assert said.code == (0 if kind == "daily" else 1)
    assert said.out.startswith(f"{kind}, 2027-01-15 08:00 UTC: {'green' if kind == 'daily' else 'red'}")
    again = json.loads(gauge("monitor", kind, "--json").out)
    assert again["changes"][0]["colour"] == "green"  # no worse than a moment ago


def test_a_text_shows_every_measure() -> None:
    now = measures(relevance=0.8, redundancy=NAN)
    text = changes_text("daily", now, compare_runs(None, now))
    assert "80.0%" in text
    assert "could not be measured" in text
    assert np.isnan(now.measures[1].value)
