"""Keys, scopes, rates and forged requests at the door; and that no route lets one tenant see another's data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from starlette.routing import BaseRoute, Mount, Route

from serve.api.app import create_app
from serve.api.auth import COOKIE, FAILED_RATE
from serve.api.parts import Parts
from serve.cameras.kept import KeptEvents
from serve.service import Service
from serve.store.keys import SCOPES
from serve.store.tenants import Limits
from tests.serve.camera_doubles import bad
from tests.serve.doubles import picture_bytes

PHOTO = {"file": ("gauge.png", picture_bytes(), "image/png")}


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(create_app(service.settings, service)) as client:
        yield client


def parts(client: TestClient) -> Parts:
    found: Parts = client.app.state.parts  # type: ignore[attr-defined]
    return found


def key(client: TestClient, *scopes: str, tenant: str = "a") -> str:
    return parts(client).store.keys.create("test", scopes or SCOPES, tenant).secret


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def problem(answer: Response, status: int, kind: str) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["type"].rsplit(":", 1)[-1]) == (status, kind), answer.text
    assert body["request_id"] == answer.headers["x-request-id"]
    return body


def test_without_keys_the_machine_itself_is_served(client: TestClient) -> None:
    assert client.get("/reports").json() == {"reports": [], "next": None}
    assert client.post("/inspect", files=PHOTO).status_code == 200
    assert client.get("/metrics").status_code == 200


def test_from_the_first_key_on_every_request_needs_one(client: TestClient) -> None:
    secret = key(client)
    body = problem(client.get("/reports"), 401, "no-key")
    assert "Bearer" in body["detail"]
    assert client.get("/reports").headers["www-authenticate"].startswith("Bearer")
    for headers in (bearer(secret), {"X-API-Key": secret}, {"Cookie": f"{COOKIE}={secret}"}):
        assert client.get("/reports", headers=headers).status_code == 200
    assert client.get("/health").status_code == 200
    assert client.get("/ready").status_code == 200


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "Basic dTpw", "Bearer gauge_no", "Bearer " + "x" * 5000, "bearer 压".encode()]
)
def test_wrong_keys_are_refused(client: TestClient, header: str | bytes) -> None:
    key(client)
    problem(client.get("/reports", headers={"Authorization": header}), 401, "no-key")


def test_revoked_at_once(client: TestClient) -> None:
    secret = key(client)
    assert client.get("/reports", headers=bearer(secret)).status_code == 200
    parts(client).store.keys.revoke(parts(client).store.keys.list()[0].id)
    problem(client.get("/reports", headers=bearer(secret)), 401, "no-key")
    problem(client.get("/reports"), 401, "no-key")


NEEDED = {
    ("GET", "/reports"): "read",
    ("GET", "/reports/x"): "read",
    ("GET", "/reports/x/photo"): "read",
    ("GET", "/reports/x/overlay"): "read",
    ("GET", "/walkthrough/x"): "read",
    ("GET", "/places"): "read",
    ("GET", "/history?place=x"): "read",
    ("GET", "/models"): "read",
    ("GET", "/kb/search?query=x"): "read",
    ("GET", "/kb/documents"): "read",
    ("GET", "/cameras"): "read",
    ("GET", "/cameras/x"): "read",
    ("GET", "/cameras/x/readings.csv"): "read",
    ("GET", "/jobs"): "read",
    ("GET", "/jobs/x"): "read",
    ("POST", "/jobs/x/cancel"): "inspect",
    ("POST", "/inspect"): "inspect",
    ("POST", "/feedback"): "inspect",
    ("POST", "/failures"): "inspect",
    ("POST", "/models/x/photos"): "adapt",
    ("POST", "/kb/documents"): "knowledge",
    ("GET", "/metrics"): "admin",
    ("GET", "/monitor/status"): "admin",
    ("POST", "/monitor/resume"): "admin",
}


@pytest.mark.parametrize(("method", "path"), NEEDED)
def test_a_key_opens_what_its_scopes_say_alone(client: TestClient, method: str, path: str) -> None:
    needed = NEEDED[method, path]
    others = bearer(key(client, *(scope for scope in SCOPES if scope != needed)))
    body = problem(client.request(method, path, headers=others, files=PHOTO if method == "POST" else None), 403, "no-scope")
    assert f"`{needed}`" in body["detail"]
    right = client.request(method, path, headers=bearer(key(client, needed)))
    assert right.status_code not in (401, 403)


def test_every_route_asks_for_a_key_or_is_known_to_be_open(client: TestClient) -> None:
    """A new route must choose: this test walks all of them without a key."""
    key(client)
    open_to_all = {"/health", "/ready", "/openapi.json"}
    for method, path in all_routes(client):
        if path in open_to_all:
            continue
        answer = client.request(method, _filled(path, "x"), follow_redirects=False)
        shown = (method, path, answer.status_code)
        assert answer.status_code in (401, 303) or is_public_page(path), shown


def is_public_page(path: str) -> bool:
    """What a browser needs before anybody has signed in: the form, its style, its language."""
    return path in {"/sign-in", "/sign-out", "/favicon.ico", "/language/{code}"} or path.startswith("/static/")


def all_routes(client: TestClient) -> list[tuple[str, str]]:
    """Methods and patterns of every route of the app, those that routers bring too."""
    found = list(_routes(client.app.routes))  # type: ignore[attr-defined]
    assert len(found) > 15
    assert ("POST", "/inspect") in found
    return found


def _routes(routes: Iterable[BaseRoute]) -> Iterator[tuple[str, str]]:
    for route in routes:
        if isinstance(route, Route):
            yield from ((method, route.path) for method in sorted(route.methods or ()) if method not in ("HEAD", "OPTIONS"))
        elif isinstance(route, Mount):
            yield "GET", f"{route.path}/x"
        else:  # FastAPI keeps what a router brought in a wrapper of its own.
            yield from _routes(route.original_router.routes)  # type: ignore[attr-defined]


MARKER, PLACE, CAMERA = "marker-of-tenant-a", "pump-of-tenant-a", "camera-of-tenant-a"


def test_no_route_shows_one_tenant_anothers_data(client: TestClient) -> None:
    """Tenant `a` has one of everything; with `b`'s key every route is asked for it, by id and by name."""
    mine, other = bearer(key(client, tenant="a")), bearer(key(client, tenant="b"))
    form = {"model": "XYZ-2000", "place": PLACE}
    report = client.post("/inspect", files={"file": (f"{MARKER}.png", picture_bytes())}, data=form, headers=mine).json()
    sent = {"report": report["id"], "note": MARKER, "value": 1.5}
    assert client.post("/feedback", json=sent, headers=mine).status_code == 201
    job = parts(client).store.jobs.add("a", "drill", {"marker": MARKER})  # Of a kind that nobody does: it stays queued.
    KeptEvents(parts(client).store.database, "a").add(bad(camera=CAMERA, reason=MARKER))
    ids = (report["id"], job.id, report["request_id"], report["reading"]["sha256"], CAMERA)
    for id in ids[:1]:  # What `a` sees itself, so that the walk below is no empty test.
        assert MARKER in client.get(f"/reports/{id}", headers=mine).text
        assert client.get(f"/walkthrough/{id}", headers=mine).status_code == 200
    assert PLACE in client.get("/places", headers=mine).text
    assert MARKER in client.get(f"/cameras/{CAMERA}", headers=mine).text
    assert CAMERA in client.get("/metrics", headers=mine).text
    assert report["id"] in client.get("/history", params={"place": PLACE}, headers=mine).text
    asked = 0
    for method, path in all_routes(client):
        for id in ids if "{" in path else ids[:1]:
            address = _filled(path, id)
            for body in _bodies(method, report["id"]):
                asking = {"place": PLACE, "query": "red lamp"}
                answer = client.request(method, address, headers=other, params=asking, **body)
                asked += 1
                assert MARKER not in answer.text, (method, address)
                if "{" not in path:  # What was asked for by id may be told again in a refusal.
                    assert not [one for one in (*ids[1:3], CAMERA) if one in answer.text], (method, address)
                if "{" in path and method == "GET":
                    assert answer.status_code in (404, 401, 403, 406, 422, 303), (method, address, answer.status_code)
                if method == "GET":  # Its own question may stand in an answer; without one nothing of the place may.
                    assert PLACE not in client.get(address, headers=other, params={"query": "red lamp"}).text, address
    assert asked > 30
    assert parts(client).store.jobs.get("a", job.id).state == "queued"
    assert len(parts(client).store.feedback.of_report("a", report["id"])) == 1
    assert client.get(f"/reports/{report['id']}", headers=mine).status_code == 200


def _filled(path: str, id: str) -> str:
    while "{" in path:
        start, end = path.index("{"), path.index("}")
        path = path[:start] + id + path[end + 1 :]
    return path


def _bodies(method: str, report: str) -> list[dict[str, Any]]:
    if method == "GET":
        return [{}]
    return [{"json": {"report": report, "note": "x"}}, {"files": PHOTO, "data": {"report": report, "format": "x"}}, {}]


def test_an_unknown_and_another_tenants_report_are_told_apart_by_nobody(client: TestClient) -> None:
    mine, other = bearer(key(client, tenant="a")), bearer(key(client, tenant="b"))
    id = client.post("/inspect", files=PHOTO, headers=mine).json()["id"]
    answers = [client.get(f"/reports/{one}", headers=other).json() for one in (id, "A" * 24)]
    for body in answers:
        body.pop("request_id")
    assert answers[0] | {"detail": ""} == answers[1] | {"detail": ""}
    assert answers[0]["detail"].replace(id, "") == answers[1]["detail"].replace("A" * 24, "")


def test_tenants_keep_history_and_traces_apart(client: TestClient, service: Service) -> None:
    mine, other = bearer(key(client, tenant="a")), bearer(key(client, tenant="b"))
    for headers in (mine, other):
        client.post("/inspect", files=PHOTO, data={"place": "pump", "model": "XYZ-2000"}, headers=headers)
    home = service.settings.home
    for tenant in ("a", "b"):
        assert (home / "tenants" / tenant / "traces.sqlite").is_file()
        assert (home / "tenants" / tenant / "history.sqlite").is_file()
    assert not (home / "traces.sqlite").exists()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://testserver"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({}, 403),
    ],
)
def test_a_cookie_does_nothing_for_another_sites_page(client: TestClient, headers: dict[str, str], status: int) -> None:
    cookie = {"Cookie": f"{COOKIE}={key(client)}"}
    assert client.post("/inspect", files=PHOTO, headers={**cookie, **headers}).status_code == status
    assert client.get("/reports", headers={**cookie, **headers}).status_code == 200


def test_a_key_in_a_header_needs_no_origin(client: TestClient) -> None:
    headers = {**bearer(key(client)), "Origin": "http://evil.example"}
    assert client.post("/inspect", files=PHOTO, headers=headers).status_code == 200


def test_without_keys_another_sites_page_cannot_post_either(client: TestClient) -> None:
    problem(client.post("/inspect", files=PHOTO, headers={"Origin": "http://evil.example"}), 403, "other-origin")
    problem(client.post("/feedback", json={"report": "x"}, headers={"Sec-Fetch-Site": "cross-site"}), 403, "other-origin")
    assert client.post("/inspect", files=PHOTO, headers={"Origin": "http://testserver"}).status_code == 200
    assert client.post("/inspect", files=PHOTO).status_code == 200  # A program, no browser.


def test_a_walkthroughs_form_may_come_from_a_file_on_the_machine(client: TestClient) -> None:
    form = {"report": json.dumps({"format": "gaugerag-failure-1", "request_id": "r", "complaint": "misread"})}
    assert client.post("/failures", data=form, headers={"Origin": "null"}).status_code == 201
    problem(client.post("/failures", data=form, headers={"Origin": "http://evil.example"}), 403, "other-origin")


def test_a_bent_name_does_not_reach_a_server_of_this_machine(service: Service) -> None:
    with TestClient(create_app(service.settings, service, hosts={"localhost", "[::1]"})) as client:
        problem(client.get("/reports", headers={"Host": "evil.example"}), 421, "other-host")
        for host in ("localhost", "localhost:8000", "[::1]:8000", "LOCALHOST"):
            assert client.get("/reports", headers={"Host": host}).status_code == 200


def test_a_key_has_its_rate(service: Service) -> None:
    settings = service.settings.model_copy(update={"rate_limit": "3/minute"})
    with TestClient(create_app(settings, service)) as client:
        first, second = bearer(key(client)), bearer(key(client))
        assert [client.get("/reports", headers=first).status_code for _ in range(4)] == [200, 200, 200, 429]
        answer = client.get("/reports", headers=first)
        problem(answer, 429, "rate")
        assert 0 < int(answer.headers["retry-after"]) <= 60
        assert client.get("/reports", headers=second).status_code == 200
        assert client.get("/health").status_code == 200


def test_guessing_keys_is_slowed_down(client: TestClient) -> None:
    secret = key(client)
    most = int(FAILED_RATE.split("/")[0])
    codes = [client.get("/reports", headers=bearer("gauge_" + "x" * 43)).status_code for _ in range(most + 1)]
    assert codes == [401] * most + [429]
    assert client.get("/reports", headers=bearer(secret)).status_code == 429


def test_quotas_are_answered_with_when_to_come_back(client: TestClient) -> None:
    headers = bearer(key(client, tenant="a"))
    parts(client).store.tenants.limit("a", Limits(photos_per_day=1))
    assert client.post("/inspect", files=PHOTO, headers=headers).status_code == 200
    answer = client.post("/inspect", files=PHOTO, headers=headers)
    problem(answer, 429, "quota")
    assert int(answer.headers["retry-after"]) > 0
    parts(client).store.tenants.limit("a", Limits(max_mib=1e-6))
    problem(client.post("/inspect", files=PHOTO, headers=headers), 507, "quota")
    assert client.post("/inspect", files=PHOTO, headers=bearer(key(client, tenant="b"))).status_code == 200


def test_what_was_not_inspected_is_not_counted(client: TestClient) -> None:
    headers = bearer(key(client, tenant="a"))
    assert client.post("/inspect", files={"file": ("a.txt", b"no photo")}, headers=headers).status_code == 415
    assert parts(client).store.usage.spent("a", "photos") == 0
    assert client.post("/inspect", files=PHOTO, headers=headers).status_code == 200
    assert parts(client).store.usage.spent("a", "photos") == 1


def test_metrics_name_no_tenant_and_no_value(client: TestClient) -> None:
    headers = bearer(key(client, tenant="secret-plant"))
    client.post("/inspect", files={"file": ("secret.png", picture_bytes())}, data={"place": "secret"}, headers=headers)
    text = client.get("/metrics", headers=headers).text
    assert "secret" not in text
    assert 'gauge_http_requests_total{method="POST",route="/inspect",status="200"} 1.0' in text
    assert 'gauge_photos_total{status="read"} 1.0' in text
    assert 'gauge_instruments_total{kind="dial",reason="",status="read"} 1.0' in text
    assert "gauge_reader_seconds_count 1.0" in text
