"""The monitor's page and its JSON: three levels with colours in both languages, who may see it, and the way back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from eval.gate import SliceChange, Verdict
from eval.score import NAN, Mean, not_scorable, share_of
from serve.api.app import create_app
from serve.api.auth import COOKIE
from serve.api.parts import Parts
from serve.api.routes.monitor import EXAMPLE
from serve.monitor.alerts import Alerts
from serve.monitor.diagnosis import root_causes
from serve.monitor.gate_outcome import GATE, gate_light, gate_outcome
from serve.monitor.kept_causes import OFFLINE, SET_ASIDE
from serve.monitor.live_status import LIVE, LiveStatus, live_lights
from serve.monitor.log import MonitorLog
from serve.monitor.overview import Overview
from serve.monitor.periodic import DAILY, HOURLY
from serve.service import Service
from tests.serve.page_outline import Outline, outline
from tests.serve.test_monitor_periodic import measures

ZH = {"Accept-Language": "zh"}
SAME, FOREIGN = {"Origin": "http://testserver"}, {"Origin": "http://evil.example"}


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(create_app(service.settings, service), follow_redirects=False) as client:
        yield client


def parts(client: TestClient) -> Parts:
    found: Parts = client.app.state.parts  # type: ignore[attr-defined]
    return found


def log_of(client: TestClient) -> MonitorLog:
    return MonitorLog(parts(client).store.database)


def status(at: float, **changes: Any) -> LiveStatus:
    values: dict[str, Any] = {
        "at": at, "reports": 40, "report_ms_p95": 212.0, "slow_ms": 800.0, "faithful": share_of(39, 40),
        "uncertain": share_of(4, 44), "uncertain_note": "", "flagged": (), "low_since": None, "anchors": 7,
        "anchor_failures": 0, "last_anchor": None,
    }  # fmt: skip
    return LiveStatus(**{**values, **changes})


def verdict(passed: bool) -> Verdict:
    mean = Mean(value=1.0, stderr=0.0, n=9, not_scorable=0)
    worse = SliceChange(
        probe="ERR", slice="template", before=mean, now=mean.model_copy(update={"value": 0.5}), low=NAN, high=NAN, band=0.0,
        state="worse", lost=("t-1",), why="retrieval: t-1: no <wanted> fragment", remedy="see which route lost it",
    )  # fmt: skip
    return Verdict(
        passed=passed, slices=() if passed else (worse,), missing=(), fresh=0, versions={"knowledge": "v"}, baseline_versions={}
    )


@pytest.mark.parametrize(
    ("changes", "name", "light"),
    [
        ({}, "report_time", "green"),
        ({"report_ms_p95": 801.0}, "report_time", "red"),
        ({"reports": 19, "report_ms_p95": 801.0}, "report_time", "unknown"),
        ({"reports": 0, "report_ms_p95": NAN}, "report_time", "unknown"),
        ({"faithful": share_of(36, 40)}, "borne_out", "green"),
        ({"faithful": share_of(35, 40)}, "borne_out", "yellow"),
        ({"faithful": share_of(33, 40)}, "borne_out", "red"),
        ({"faithful": share_of(10, 19)}, "borne_out", "unknown"),
        ({"uncertain_note": "above the usual"}, "not_read", "yellow"),
        ({"uncertain": share_of(0, 0)}, "not_read", "unknown"),
        ({}, "anchors", "unknown"),  # checked, but none of them could be judged
        ({"anchor_failures": 1}, "anchors", "yellow"),
        ({"anchor_failures": 3}, "anchors", "red"),
    ],
)
def test_live_colours_follow_the_limits_at_which_it_is_said(changes: dict[str, Any], name: str, light: str) -> None:
    found = {one.name: one.light for one in live_lights(status(1e9, **changes), 1e9 + 5)}
    assert found[name] == light  # type: ignore[index]
    assert {one.light for one in live_lights(status(1e9, **changes), 1e9 + 3600)} == {"unknown"}


def test_the_gates_colour() -> None:
    now = 1e9
    assert gate_light(gate_outcome(verdict(True), now, "b"), None) == "green"
    assert gate_light(gate_outcome(verdict(True), now, "b"), "v") == "green"
    assert gate_light(gate_outcome(verdict(True), now, "b"), "other manuals") == "yellow"
    assert gate_light(gate_outcome(verdict(False), now, "b"), None) == "red"
    assert gate_light(gate_outcome(verdict(False), now, "b", renewed="wanted"), None) == "yellow"


def test_where_nothing_runs_the_page_says_how_to_begin(client: TestClient) -> None:
    page = outline(client.get("/monitor"))
    assert "GAUGE_MONITOR=1" in page.words
    assert "Nothing has been measured yet." in page.words
    assert "gauge gate" in page.words
    assert not page.all("button")
    assert any(one.get("aria-current") == "page" and one["href"] == "/monitor" for one in page.all("a"))
    chinese = outline(client.get("/monitor", headers=ZH))
    assert "监控未开启" in chinese.words
    told = client.get("/monitor/status").json()
    assert (told["running"], told["live"], told["gate"], told["gate_light"], told["backlog"]) == (False, None, None, "unknown", 0)


def test_a_monitor_that_stands_still_is_said_and_shows_no_colour(client: TestClient) -> None:
    log_of(client).set(LIVE, status(time.time() - 3600, report_ms_p95=900.0))
    page = outline(client.get("/monitor"))
    assert "The monitor is off." in page.words
    assert "It last measured 60 min ago." in page.words
    assert any(one.get("class") == "problem" for one in page.all("p"))
    assert pills(page) == ["unknown"] * 4


def fill(client: TestClient) -> None:
    """One of everything."""
    now, log = time.time(), log_of(client)
    log.set(LIVE, status(now, report_ms_p95=900.0, flagged=("no-such-report",), low_since=now - 600))
    for kind, runs in {
        HOURLY: [measures((), now - 7200, mrr=0.90, coverage=1.0), measures((), now - 60, mrr=0.88, coverage=1.0)],
        DAILY: [measures((), now - 86_400, anchors=1.0), measures(["P01"], now - 60, anchors=29 / 30)],
    }.items():
        for one in runs:
            log.keep(kind, one)
    log.keep(GATE, gate_outcome(verdict(False), now - 3 * 86_400, "frozen on 2026-11-01: <b>first</b>"))
    Alerts(parts(client).store.database).say("latency", "alarm", "P95 is 900 ms <script>\nmore")
    for kind in (OFFLINE, SET_ASIDE):
        log.keep(kind, root_causes(now, "why", []))
    parts(client).degradation.begin("only 80% of 40 reports are borne out", faithful=share_of(32, 40))


def pills(page: Outline) -> list[str]:
    return [str(one["class"]).split()[-1] for one in page.all("span") if str(one.get("class", "")).startswith("pill")]


def test_the_page_shows_all_levels_with_their_colours(client: TestClient) -> None:
    fill(client)
    answer = client.get("/monitor")
    page = outline(answer)
    live, hourly, daily, gate, alert = (
        ["danger", "good", "good", "unknown"],
        ["attention", "good"],
        ["danger"],
        "danger",
        "danger",
    )
    assert pills(page) == [*live, *hourly, *daily, gate, alert]
    for told in (
        "The monitor is running.", "900 ms", "97.5 % (39/40)", "at most 800 ms", "usually 5 % to 15 %", "88.0 % (n 100)",
        "90.0 %", "Anchors that fail: P01", "It was shut.", "ERR, template", "see which route lost it", "3 days ago",
        "<b>first</b>", "P95 is 900 ms <script>", "Too few reports are borne out since", "32/40", "Let it write again",
    ):  # fmt: skip
        assert told in page.words, told
    assert "<script>" not in answer.text
    assert not page.all("script")
    chinese = outline(client.get("/monitor", headers=ZH))
    for told in ("语言模型已暂停使用", "恢复使用语言模型", "超限", "每小时", "未放行", "3 天前"):
        assert told in chinese.words, told
    assert {one["href"] for one in page.all("a")} >= {"/monitor/causes/day", "/monitor/causes/set_aside"}
    assert outline(client.get("/monitor/causes/day")).words
    assert "Anchors that fail" not in outline(client.get("/accuracy")).words


def test_the_button_lets_the_model_write_again_and_only_from_this_page(client: TestClient) -> None:
    fill(client)
    assert client.get("/health").json()["notice"] is not None
    assert client.post("/monitor", headers=FOREIGN).status_code == 403
    assert client.post("/monitor/resume", headers=FOREIGN).status_code == 403
    assert parts(client).degradation.now() is not None
    answer = client.post("/monitor", headers=SAME)
    assert (answer.status_code, answer.headers["location"]) == (303, "/monitor")
    assert client.get("/health").json()["notice"] is None
    assert not outline(client.get("/monitor")).all("button")
    assert client.post("/monitor/resume").json() == {"resumed": False}
    parts(client).degradation.begin("again")
    assert client.post("/monitor/resume").json() == {"resumed": True}


def test_only_admins_see_it_and_others_have_no_link_to_it(client: TestClient) -> None:
    fill(client)
    reader = parts(client).store.keys.create("reader", ["read", "inspect"], "a").secret
    admin = parts(client).store.keys.create("admin", ["admin", "read"], "a").secret
    for path in ("/monitor", "/monitor/status", "/monitor/causes/day"):
        assert client.get(path, headers={"X-API-Key": reader}).status_code == 403
        assert client.get(path, headers={"X-API-Key": admin}).status_code == 200
    assert client.post("/monitor", headers={"X-API-Key": reader}).status_code == 403
    assert client.post("/monitor", headers={"Cookie": f"{COOKIE}={admin}", **FOREIGN}).status_code == 403
    assert parts(client).degradation.now() is not None
    assert client.get("/monitor").headers["location"].startswith("/sign-in")
    links = [outline(client.get("/accuracy", headers={"X-API-Key": one})).all("a") for one in (reader, admin)]
    assert [any(one["href"] == "/monitor" for one in found) for found in links] == [False, True]
    assert client.post("/monitor", headers={"Cookie": f"{COOKIE}={admin}", **SAME}).status_code == 303


def test_causes_show_a_report_to_its_own_tenant_alone(client: TestClient, service: Service) -> None:
    from serve.monitor.diagnosis import Diagnosis, Signals

    def case(report: str, tenant: str) -> Diagnosis:
        return Diagnosis(
            report=report, tenant=tenant, at=1.0, writer="llm", signals=Signals(crs=0.4), faithful=not_scorable("x"),
            layer="retrieval", cause="off_topic", reason=f"reason of {tenant}", remedy="ask better", symptom=None,
        )  # fmt: skip

    log_of(client).keep(SET_ASIDE, root_causes(1.0, "why", [case("r-own-123", "local"), case("r-other-1", "secret-plant")]))
    text = client.get("/monitor/causes/set_aside").text
    assert "/r/r-own-123" in text
    assert "reason of local" in text
    assert "r-other" not in text
    assert "secret-plant" not in text
    assert "ask better" in text
    assert '<td class="end number">2</td>' in text
    assert client.get("/monitor/causes/sampled").status_code == 404
    assert client.get("/monitor/causes/x").status_code == 422


def test_the_documents_example_is_an_answer(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    example = document["paths"]["/monitor/status"]["get"]["responses"]["200"]["content"]["application/json"]["example"]
    assert Overview.model_validate(example) == EXAMPLE
    fill(client)
    assert set(client.get("/monitor/status").json()) == set(example)


def test_a_database_that_does_not_answer_is_a_page_and_a_problem(client: TestClient) -> None:
    database = parts(client).store.database
    with database.write() as db:
        db.exec_driver_sql("ALTER TABLE monitor_state RENAME TO gone")
    assert outline(client.get("/monitor"), 503).words
    assert client.get("/monitor/status").json()["status"] == 503
    with database.write() as db:
        db.exec_driver_sql("ALTER TABLE gone RENAME TO monitor_state")
    assert client.get("/monitor/status").status_code == 200
