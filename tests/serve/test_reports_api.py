"""Kept reports over HTTP: every format, photos, pages, history, corrections, and one piece of work for one key."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from pydantic import SecretStr

from eval.failures import FailureLibrary
from serve.api.app import create_app
from serve.api.formats import choose_format
from serve.api.problems import ProblemError
from serve.service import Service
from serve.store.errors import StoreError
from tests.serve.doubles import DoubleReader, picture_bytes


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(create_app(service.settings, service)) as client:
        yield client


def inspect(client: TestClient, name: str = "gauge.png", headers: dict[str, str] | None = None, **form: str) -> dict[str, Any]:
    answer = client.post("/inspect", files={"file": (name, picture_bytes())}, data={"model": "XYZ-2000", **form}, headers=headers)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/reports/{body['id']}"
    return body


def test_a_report_is_what_was_answered(client: TestClient) -> None:
    answered = inspect(client, place="P-7")
    kept = client.get(f"/reports/{answered['id']}").json()
    assert {**kept["inspection"], "id": kept["id"]} == answered
    assert (kept["place"], kept["model"], kept["kind"], kept["unit"]) == ("P-7", "XYZ-2000", "dial", "MPa")
    assert kept["value"] == answered["reading"]["instruments"][0]["value"]
    assert kept["feedback"] == []


@pytest.mark.parametrize(
    ("format", "media_type", "start"),
    [("html", "text/html", b"<!doctype html>"), ("pdf", "application/pdf", b"%PDF-"), ("md", "text/markdown", b"# ")],
)
def test_a_report_in_every_format(client: TestClient, format: str, media_type: str, start: bytes) -> None:
    id = inspect(client)["id"]
    by_query = client.get(f"/reports/{id}", params={"format": format})
    by_accept = client.get(f"/reports/{id}", headers={"Accept": media_type})
    for answer in (by_query, by_accept):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(media_type)
        assert answer.content.lower().startswith(start.lower())
    if format == "html":
        assert "data:image/jpeg;base64," in by_query.text
        assert "60 MPa" in by_query.text


@pytest.mark.parametrize(
    ("accept", "format"),
    [
        ("*/*", "json"),
        ("", "json"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "html"),
        ("application/pdf", "pdf"),
        ("text/*", "html"),
        ("text/html;q=0.1, text/markdown", "md"),
        ("text/html;q=0, */*;q=0.5", "json"),
        ("application/json;q=nan, application/pdf;q=0.2", "pdf"),
        ("TEXT/HTML;Q=1", "html"),
    ],
)
def test_the_format_that_is_liked_best(accept: str, format: str) -> None:
    assert choose_format(accept) == format


@pytest.mark.parametrize("accept", ["image/png", "text/html;q=0", "nonsense", "a/b;q=1;" * 500])
def test_a_format_that_there_is_not(accept: str) -> None:
    with pytest.raises(ProblemError) as caught:
        choose_format(accept)
    assert caught.value.status == 406


def test_photo_and_overlay(client: TestClient) -> None:
    answered = inspect(client, "../../压力 7.png")
    photo = client.get(f"/reports/{answered['id']}/photo")
    assert photo.content == picture_bytes()
    assert photo.headers["content-type"] == "image/png"
    assert ".." not in photo.headers["content-disposition"]
    overlay = client.get(f"/reports/{answered['id']}/overlay")
    assert overlay.headers["content-type"] == "image/jpeg"
    assert Image.open(io.BytesIO(overlay.content)).size == (120, 90)


def test_a_report_outlives_its_photo(client: TestClient, service: Service) -> None:
    id = inspect(client)["id"]
    for path in (service.settings.home / "photos").rglob("*.png"):
        path.unlink()
    for what in ("photo", "overlay"):
        answer = client.get(f"/reports/{id}/{what}")
        assert answer.status_code == 404
        assert "not kept" in answer.json()["detail"]
    assert client.get(f"/reports/{id}", params={"format": "html"}).status_code == 200
    assert client.get(f"/walkthrough/{id}").status_code == 200


def test_photos_are_not_kept_where_nobody_wants_them(service: Service) -> None:
    settings = service.settings.model_copy(update={"photo_days": 0.0})
    with TestClient(create_app(settings, service)) as client:
        id = inspect(client)["id"]
        assert client.get(f"/reports/{id}/photo").status_code == 404
        assert not list((settings.home / "photos").glob("*/*"))


def test_of_several_photos_each_has_its_report(client: TestClient) -> None:
    files = [("file", ("a.png", picture_bytes())), ("file", ("b.txt", b"no")), ("file", ("c.png", picture_bytes(mark=False)))]
    answered = client.post("/inspect", files=files).json()
    kept = [client.get(f"/reports/{one['id']}").json() for one in answered]
    assert [one["status"] for one in kept] == ["read", "error", "abstained"]
    assert [one["value"] for one in kept][1:] == [None, None]
    bad = client.get(f"/reports/{kept[1]['id']}", params={"format": "pdf"})
    assert bad.status_code == 404
    assert "could not be opened" in bad.json()["detail"]
    assert client.get(f"/reports/{kept[2]['id']}", params={"format": "pdf"}).status_code == 200


def test_lists_by_place_and_model_in_pages(client: TestClient) -> None:
    ids = [inspect(client, place="P" if n % 2 else "Q")["id"] for n in range(5)]
    page = client.get("/reports", params={"limit": 3}).json()
    rest = client.get("/reports", params={"limit": 3, "before": page["next"]}).json()
    assert [one["id"] for one in page["reports"] + rest["reports"]] == ids[::-1]
    assert rest["next"] is None
    assert "inspection" not in page["reports"][0]
    assert [one["id"] for one in client.get("/reports", params={"place": "P"}).json()["reports"]] == [ids[3], ids[1]]
    assert len(client.get("/reports", params={"model": "XYZ-2000"}).json()["reports"]) == 5
    assert client.get("/reports", params={"model": "none"}).json()["reports"] == []
    assert client.get("/reports", params={"before": "nowhere"}).status_code == 404
    assert client.get("/reports", params={"limit": 0}).status_code == 422


def test_a_place_has_its_history(client: TestClient) -> None:
    for n in range(3):
        inspect(client, place="P" if n else "Q")
    client.post("/inspect", files={"file": ("x.png", picture_bytes(mark=False))}, data={"place": "P"})
    places = client.get("/places").json()
    assert [(one["place"], one["reports"]) for one in places] == [("P", 3), ("Q", 1)]
    readings = client.get("/history", params={"place": "P"}).json()["readings"]
    assert [one["value"] for one in readings] == [60.0, 60.0]
    assert client.get("/history", params={"place": "nowhere"}).json()["readings"] == []


def test_places_and_models_are_cleaned_of_what_nobody_sees(client: TestClient) -> None:
    id = inspect(client, place=" P\u202e-7\n ")["id"]
    kept = client.get(f"/reports/{id}").json()
    assert kept["place"] == kept["place"].strip()
    assert "\u202e" not in kept["place"]
    blank = client.get(f"/reports/{inspect(client, place='  ')['id']}").json()
    assert blank["place"] is None


def test_a_correction_is_kept_and_becomes_a_case(client: TestClient, service: Service) -> None:
    id = inspect(client)["id"]
    sent = {"report": id, "instrument": 1, "value": 47.5, "unit": "bar", "note": "<b>压力</b>"}
    answer = client.post("/feedback", json=sent)
    assert answer.status_code == 201
    (case,) = FailureLibrary(service.settings.home).cases()
    assert answer.json()["failure_case"] == case.id
    assert case.report.expected == ("instrument 1: 47.5 bar",)
    assert case.report.watermark["report"] == id
    (kept,) = client.get(f"/reports/{id}").json()["feedback"]
    assert (kept["value"], kept["unit"], kept["note"]) == (47.5, "bar", "<b>压力</b>")


@pytest.mark.parametrize(
    "change",
    [
        {"report": "nowhere"}, {"instrument": 2}, {"instrument": 0}, {"value": "NaN"}, {"value": 1e999}, {"unit": "bananas"},
        {"complaint": "angry"}, {"note": "x" * 2001}, {"extra": 1},
    ],
)  # fmt: skip
def test_what_is_no_correction(client: TestClient, change: dict[str, Any]) -> None:

    body = json.dumps({"report": inspect(client)["id"], "instrument": 1, **change})
    answer = client.post("/feedback", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (404, 422), answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_walkthrough_is_of_this_report(client: TestClient) -> None:
    answered = inspect(client)
    page = client.get(f"/walkthrough/{answered['id']}")
    assert page.status_code == 200
    assert answered["request_id"] in page.text
    assert "http://testserver/failures" in page.text
    assert client.get("/walkthrough/nowhere").status_code == 404


def test_a_request_id_that_comes_twice_shows_no_other_requests_trace(
    client: TestClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = inspect(client, headers={"X-Request-ID": "same"})
    trace = service.traces.load("same")
    assert service.traces.record(trace.model_copy(update={"made_at": "2001-01-01T00:00:00+00:00"}))
    answer = client.get(f"/walkthrough/{first['id']}")
    assert answer.status_code == 404
    assert "later request" in answer.json()["detail"]


def test_one_key_is_one_piece_of_work(client: TestClient, reader: DoubleReader) -> None:
    first = inspect(client, headers={"Idempotency-Key": "k-1"}, place="P")
    again = inspect(client, headers={"Idempotency-Key": "k-1"}, place="P")
    assert again == first
    assert len(reader.asked) == 1
    assert len(client.get("/reports").json()["reports"]) == 1
    other = client.post("/inspect", files={"file": ("x.png", picture_bytes())}, headers={"Idempotency-Key": "k-1"})
    assert other.status_code == 422
    assert "another request" in other.json()["detail"]
    bad = client.post("/inspect", files={"file": ("x.png", picture_bytes())}, headers={"Idempotency-Key": "two words"})
    assert bad.status_code == 422


def test_a_key_under_which_nothing_was_made_is_free_again(client: TestClient) -> None:
    headers = {"Idempotency-Key": "k"}
    assert client.post("/inspect", files={"file": ("a.txt", b"no photo")}, headers=headers).status_code == 415
    assert inspect(client, headers=headers)["reading"]["status"] == "read"


def test_the_service_works_on_each_database(service: Service, database: SecretStr | None) -> None:
    settings = service.settings.model_copy(update={"database": database})
    with TestClient(create_app(settings, service)) as client:
        first = inspect(client, headers={"Idempotency-Key": "k"}, place="压力 P-7")
        assert inspect(client, headers={"Idempotency-Key": "k"}, place="压力 P-7") == first
        assert client.post("/feedback", json={"report": first["id"], "value": 1.5, "unit": "bar"}).status_code == 201
        assert client.get(f"/reports/{first['id']}").json()["feedback"][0]["value"] == 1.5
        assert client.get("/history", params={"place": "压力 P-7"}).json()["readings"][0]["value"] == 60.0
        assert client.get("/ready").status_code == 200
        assert "gauge_http_requests_total" in client.get("/metrics").text


def test_what_cannot_be_kept_is_not_acknowledged(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    store = client.app.state.parts.store  # type: ignore[attr-defined]

    def full(*_: object, **__: object) -> None:
        raise StoreError("the database at 10.0.0.7 cannot be used: disk is full", "the database cannot be used")

    with monkeypatch.context() as broken:
        broken.setattr(store.reports, "add", full)
        answer = client.post("/inspect", files={"file": ("a.png", picture_bytes())}, headers={"Idempotency-Key": "k"})
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert "10.0.0.7" not in answer.text
    assert client.get("/reports").json()["reports"] == []
    assert inspect(client, headers={"Idempotency-Key": "k"}, model="")["id"]
    assert store.usage.spent("local", "photos") == 1


def test_ready_says_why_nothing_can_be_kept(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/ready").status_code == 200
    monkeypatch.setattr("serve.store.store.MIN_FREE_MIB", 1e12)
    monkeypatch.setattr("serve.api.routes.health.CHECK_S", 0.0)
    answer = client.get("/ready")
    assert answer.status_code == 503
    assert "disk is full" in answer.json()["detail"]
    assert client.get("/health").json()["status"] == "ok"


def test_models_say_what_is_known_and_what_was_read(client: TestClient) -> None:
    inspect(client)
    models = {one["model"]: one for one in client.get("/models").json()}
    known = models["XYZ-2000"]
    assert known["has_formula"] is True
    assert known["read"] == 1
    assert known["accuracy"] is None  # Nothing was measured, so nothing is stated.
    assert known["adapter"] is None
    assert {one["id"] for one in known["documents"]} >= {"xyz-2000-en"}


def test_the_manuals_are_searched(client: TestClient) -> None:
    found = client.get("/kb/search", params={"query": "calibration formula", "model": "XYZ-2000", "count": 3}).json()
    assert 0 < len(found["hits"]) <= 3
    assert found["version"]
    assert len(client.get("/kb/documents").json()["documents"]) > 5
    for bad in ({"query": ""}, {}, {"query": "x", "count": 0}, {"query": "x" * 2001}, {"query": "x", "as_of": "tomorrow"}):
        assert client.get("/kb/search", params=bad).status_code == 422


def test_the_schema_has_examples_and_names_every_way_to_sign_in(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    assert set(schema["components"]["securitySchemes"]) == {"bearer", "header", "cookie"}
    form = next(one for name, one in schema["components"]["schemas"].items() if name.startswith("Body_inspect"))
    assert "XYZ-2000" in str(form["properties"]["model"])
    assert {"/reports/{id}", "/kb/search", "/models/{id}/photos", "/feedback", "/metrics"} <= set(schema["paths"])
