"""Cameras over HTTP: one address for browsers and programs, other tenants see nothing, what is shown is what counts."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
from fastapi.testclient import TestClient

from serve.api.app import create_app
from serve.cameras.events import AlarmChange
from serve.cameras.kept import KeptEvents
from serve.cameras.states import CameraStates
from serve.service import Service
from serve.store.keys import SCOPES
from tests.serve.camera_doubles import bad, camera, good
from tests.serve.page_outline import Outline, outline, store_of

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(create_app(service.settings, service), follow_redirects=False) as client:
        yield client


def fill(client: TestClient, tenant: str = "local") -> KeptEvents:
    """Two cameras: `p1` with a value, a held jump and an alarm, `away` without a picture for a day."""
    database = store_of(client).database
    keys: dict[str, Any] = {"label": "Feed pump", "model": "XYZ-2000", "alarm": [{"name": "high", "above": 4}]}
    CameraStates(database, tenant).announce([camera(**keys), camera("away")])
    kept = KeptEvents(database, tenant)
    now = time.time()
    kept.add(good(4.2, at=now - 30, alarms={"high": True}, changes=(AlarmChange(name="high", to="on"),)))
    kept.add(good(4.3, at=now - 20, alarms={"high": True}))
    why = "from 4.3 bar to 9 bar in 10 s is more than 1 bar a minute; it counts if 2 more agree"
    jump = {"raw": 9.0, "raw_low": 8.9, "raw_high": 9.1, "unit": "bar", "reason": why, "alarms": {"high": True}}
    kept.add(bad("held", at=now - 10, **jump), next_at=now)
    kept.add(bad("no_picture", "away", at=now - 86400, reason="http://camera/p.jpg: HTTP 500"))
    return kept


def page(client: TestClient, path: str, language: str = "en", status: int = HTTPStatus.OK) -> Outline:
    return outline(client.get(path, headers={**HTML, "Accept-Language": language}), status)


def test_one_address_answers_browsers_and_programs(client: TestClient) -> None:
    fill(client)
    for path in ("/cameras", "/cameras/p1"):
        assert client.get(path).headers["content-type"] == "application/json"
        assert client.get(path, headers={"Accept": "application/json"}).headers["content-type"] == "application/json"
        assert client.get(path, headers=HTML).headers["content-type"].startswith("text/html")
    assert client.post("/cameras").status_code == HTTPStatus.METHOD_NOT_ALLOWED


def test_without_cameras_the_page_says_how_to_watch_some(client: TestClient) -> None:
    assert "GAUGE_CAMERAS" in page(client, "/cameras").words
    assert "GAUGE_CAMERAS" in page(client, "/cameras", "zh").words
    assert client.get("/cameras").json() == []


def test_the_list_shows_what_counts_and_why_not(client: TestClient) -> None:
    fill(client)
    words = page(client, "/cameras").words
    for told in ("Feed pump", "held back: 9 bar", "more than 1 bar a minute", "high", "no picture comes since", "HTTP 500"):
        assert told in words, told
    assert "s3cret" not in words
    chinese = page(client, "/cameras", "zh").words
    for told in ("摄像头", "保留不用：9 bar", "超过每分钟 1 bar", "再有 2 次读数一致才算数", "没有图像"):
        assert told in chinese, told


def test_a_camera_nobody_watches_says_so(client: TestClient) -> None:
    fill(client)
    CameraStates(store_of(client).database).beat(["p1"], last=True)
    assert "nobody watches it since" in page(client, "/cameras").words
    assert "nobody watches it since" in page(client, "/cameras/p1").words
    assert [one["watched"] for one in client.get("/cameras").json()] == [True, False]


def test_a_picture_that_is_long_overdue_is_told(client: TestClient) -> None:
    fill(client).add(good(), next_at=time.time() - 600)
    assert "was due" in page(client, "/cameras").words


def test_a_cameras_page_has_chart_alarms_readings_and_the_table(client: TestClient) -> None:
    fill(client)
    shown = page(client, "/cameras/p1")
    assert "high began" in shown.words
    assert "between 4.20 and 4.40" in shown.words or "between 4.2 and 4.4" in shown.words
    assert "held back: 9 bar" in shown.words
    links = [attributes.get("href") or "" for tag, attributes in shown.tags if tag == "a"]
    assert any(link.endswith("/cameras/p1/readings.csv") for link in links)
    dots = [link for link in links if "#e" in link]
    assert len(dots) == 3, "two values and one that was held back"
    assert "no value counted" not in shown.words.lower()
    assert "No value counted in this time." in page(client, "/cameras/away").words
    assert "警报的开始与结束" in page(client, "/cameras/p1", "zh").words
    answer = client.get(dots[0].split("#")[0], headers=HTML)
    assert f'id="{dots[0].split("#")[1]}"' in answer.text


def test_pages_of_readings_follow_each_other(client: TestClient) -> None:
    kept = fill(client)
    for number in range(60):
        kept.add(good(float(number)))
    first = page(client, "/cameras/p1?span=hour")
    older = next(a["href"] for tag, a in first.tags if tag == "a" and a.get("rel") == "next")
    second = page(client, str(older))
    rows = [a["id"] for tag, a in [*first.tags, *second.tags] if tag == "tr" and "id" in a]
    assert rows == [f"e{seq}" for seq in range(63, 0, -1)]
    assert "refresh" not in str(second.tags)


def test_json_pages_follow_each_other(client: TestClient) -> None:
    kept = fill(client)
    for number in range(5):
        kept.add(good(float(number)))
    seen: list[int] = []
    before: int | None = None
    while True:
        asked = {"limit": 3} | ({"before": before} if before is not None else {})
        body = client.get("/cameras/p1", params=asked).json()
        seen += [one["seq"] for one in body["readings"]]
        before = body["next"]
        if before is None:
            break
    assert seen == list(range(8, 0, -1))
    assert body["camera"]["events"]["good"] == 7
    assert body["camera"]["about"]["address"] == "http://camera/p.jpg"


@pytest.mark.parametrize("path", ["/cameras/none", "/cameras/none/readings.csv", "/cameras/%00", "/cameras/" + "x" * 61])
def test_a_camera_that_is_none_is_a_problem(client: TestClient, path: str) -> None:
    assert client.get(path).status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)
    assert client.get(path, headers=HTML).status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "before=0", "before=x", "before=99999999999"])
def test_numbers_that_are_none_are_named(client: TestClient, query: str) -> None:
    fill(client)
    assert client.get(f"/cameras/p1?{query}").status_code == HTTPStatus.UNPROCESSABLE_ENTITY


def test_hostile_names_of_files_break_nothing(client: TestClient) -> None:
    fill(client).add(bad(source="<script>alert(1)</script>.jpg", reason="<b>x</b> {reason}"))
    text = client.get("/cameras/p1", headers=HTML).text
    assert "<script>alert" not in text
    assert "<b>x</b>" not in text


def test_csv_has_every_reading(client: TestClient) -> None:
    kept = fill(client)
    for number in range(600):
        kept.add(good(float(number)))
    answer = client.get("/cameras/p1/readings.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'filename="p1.csv"' in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [int(row["seq"]) for row in rows] == list(range(1, 604))
    assert rows[2]["reason"].startswith("from 4.3 bar")


def test_another_tenants_key_sees_no_camera_anywhere(client: TestClient) -> None:
    fill(client, "plant-1")
    keys = store_of(client).keys
    mine = {"X-API-Key": keys.create("a", SCOPES, "plant-1").secret}
    other = {"X-API-Key": keys.create("b", SCOPES, "plant-2").secret}
    for path in ("/cameras", "/cameras/p1", "/cameras/p1/readings.csv", "/metrics"):
        assert ("seq," if path.endswith("csv") else "p1") in client.get(path, headers=mine).text, path
    for path in ("/cameras", "/metrics"):
        for accept in ({}, HTML):
            answer = client.get(path, headers={**other, **accept})
            assert answer.status_code == HTTPStatus.OK
            assert "p1" not in answer.text
    for path in ("/cameras/p1", "/cameras/p1/readings.csv"):
        for accept in ({}, HTML):
            assert client.get(path, headers={**other, **accept}).status_code == HTTPStatus.NOT_FOUND
    assert client.get("/cameras", headers=HTML).headers["location"].startswith("/sign-in?back=")
    assert client.get("/cameras").status_code == HTTPStatus.UNAUTHORIZED


def test_metrics_of_the_server_show_the_cameras(client: TestClient) -> None:
    fill(client).add(good(4.4))
    text = client.get("/metrics").text
    assert 'gauge_camera_value{camera="p1",unit="bar"} 4.4' in text
    assert 'gauge_camera_events_total{camera="away",status="no_picture"} 1.0' in text
    assert "gauge_requests_running" in text
