"""Requests that no honest client sends: each is answered in plain words, none is a fault of the server."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from serve.api.app import create_app
from serve.service import Service
from serve.settings import Settings
from serve.store.photos import Photos
from tests.serve.doubles import picture_bytes

PICTURE = picture_bytes(size=(160, 120))


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(create_app(service.settings, service), raise_server_exceptions=False) as client:
        yield client


def keep(client: TestClient) -> str:
    """The address of a fresh report."""
    answer = client.post("/inspect", files={"file": ("a.png", PICTURE)})
    assert answer.status_code == HTTPStatus.OK, answer.text
    return str(answer.headers["location"])


def detail(answer: Response, status: HTTPStatus) -> str:
    assert answer.status_code == status, answer.text[:300]
    assert answer.headers["content-type"] == "application/problem+json"
    return str(answer.json()["detail"])


@pytest.mark.parametrize("origin", ["http://[", "https://]", "null", "//", "http://testserver@evil", "é"])
@pytest.mark.parametrize("path", ["/feedback", "/", "/sign-in", "/sign-out"])
def test_an_origin_that_is_no_address_is_another_origin(client: TestClient, path: str, origin: str) -> None:
    answer = client.post(path, headers={"Origin": origin.encode()})
    assert answer.status_code == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("charset", ["undefined"])
@pytest.mark.parametrize("path", ["/", "/example", "/inspect", "/batch"])
def test_a_form_in_an_encoding_that_it_breaks(client: TestClient, path: str, charset: str) -> None:
    body = b'--B\r\nContent-Disposition: form-data; name="model"\r\n\r\nxn--999999999b\xff\r\n--B--\r\n'
    answer = client.post(path, content=body, headers={"Content-Type": f"multipart/form-data; boundary=B; charset={charset}"})
    assert answer.status_code == HTTPStatus.BAD_REQUEST
    assert "Internal Server Error" not in answer.text  # A request id may well hold the digits 500.


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-01:00", "9999-12-31x00:00-01:00"])
def test_a_moment_beyond_the_calendar(client: TestClient, moment: str) -> None:
    answer = client.get("/kb/search", params={"query": "red lamp", "as_of": moment})
    assert "write 2024-05-31" in detail(answer, HTTPStatus.UNPROCESSABLE_ENTITY)


def test_a_writer_that_is_not_set_up(client: TestClient, service: Service) -> None:
    answer = client.post("/inspect", files={"file": ("a.png", PICTURE)}, data={"writer": "openai"})
    assert "GAUGE_LLM_URL" in detail(answer, HTTPStatus.UNPROCESSABLE_ENTITY)
    settings = service.settings.model_copy(update={"writer": "openai"})
    other = Service(settings, reader=service.reader, knowledge=service.knowledge)
    with TestClient(create_app(settings, other), raise_server_exceptions=False) as badly_set_up:
        answer = badly_set_up.post("/inspect", files={"file": ("a.png", PICTURE)})
        assert "`template`" in detail(answer, HTTPStatus.SERVICE_UNAVAILABLE)
        page = badly_set_up.post("/", files={"file": ("a.png", PICTURE)})
        assert page.status_code == HTTPStatus.SERVICE_UNAVAILABLE
        assert "GAUGE_LLM_URL" in page.text


def test_head_is_get_without_its_body(client: TestClient) -> None:
    report = keep(client)
    for path in ("/", "/health", "/reports", report, f"{report}/photo", "/openapi.json", "/static/gauge.css"):
        got, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (HTTPStatus.OK, b""), path
        assert head.headers["content-length"] == str(len(got.content))
    assert client.head("/reports/none").status_code == HTTPStatus.NOT_FOUND
    assert client.head("/inspect").status_code == HTTPStatus.METHOD_NOT_ALLOWED


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "DELETE", "BREW"])
def test_a_method_that_there_is_not_names_those_that_there_are(client: TestClient, method: str) -> None:
    assert "POST" in detail(client.request(method, "/inspect"), HTTPStatus.METHOD_NOT_ALLOWED)
    assert "/openapi.json" in detail(client.request(method, "/nowhere"), HTTPStatus.NOT_FOUND)


@pytest.mark.parametrize(
    "wanted", ["bytes=abc", "bytes=-", "bytes=9999999-", "bytes=5-1", "lines=1-2", "bytes=" + "9" * 5000 + "-"]
)
def test_a_range_that_is_none_gives_the_whole_photo(client: TestClient, wanted: str) -> None:
    answer = client.get(f"{keep(client)}/photo", headers={"Range": wanted})
    assert (answer.status_code, answer.content) == (HTTPStatus.OK, PICTURE)
    assert answer.headers["accept-ranges"] == "none"


def test_a_photo_that_goes_between_question_and_answer(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    report, find = keep(client), Photos.find

    def find_and_lose(self: Photos, *args: str) -> object:
        found = find(self, *args)
        found.path.unlink()
        return found

    monkeypatch.setattr(Photos, "find", find_and_lose)
    assert "not kept any more" in detail(client.get(f"{report}/photo"), HTTPStatus.NOT_FOUND)


@pytest.mark.parametrize("host", ["[", "[::1", "a]b", "x:[", ""])
def test_a_host_that_is_no_name(service: Service, host: str) -> None:
    settings = Settings(home=service.settings.home)
    with TestClient(create_app(settings, service), raise_server_exceptions=False) as client:
        report = keep(client)
        for path in ("/", f"/r/{report.rsplit('/', 1)[-1]}", f"/walkthrough/{report.rsplit('/', 1)[-1]}", "/health"):
            answer = client.get(path, headers={"Host": host})
            assert answer.status_code < HTTPStatus.INTERNAL_SERVER_ERROR, (path, answer.text[:300])


def test_a_truth_value_is_no_number(client: TestClient) -> None:
    report = keep(client).rsplit("/", 1)[-1]
    for wrong in ({"value": True, "instrument": 1}, {"value": 5.0, "instrument": True}):
        answer = client.post("/feedback", json={"report": report, **wrong})
        assert "not true or false" in detail(answer, HTTPStatus.UNPROCESSABLE_ENTITY)
    kept = client.post("/feedback", json={"report": report, "value": 5.0, "instrument": 1, "note": "a\0b"})
    assert (kept.status_code, kept.json()["value"], kept.json()["note"]) == (HTTPStatus.CREATED, 5.0, "a\ufffdb")


def test_a_correction_of_an_instrument_that_there_is_not_goes_to_no_other(client: TestClient) -> None:
    report = keep(client).rsplit("/", 1)[-1]
    form = {"instrument": "7", "value": "5", "unit": "MPa"}
    assert client.post(f"/r/{report}/wrong", data=form).status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert client.get(f"/reports/{report}").json()["feedback"] == []


def test_thousands_of_wrong_fields_are_told_in_short(client: TestClient) -> None:
    answer = client.post("/feedback", json={f"{number}" + "k" * 500: 1 for number in range(3000)})
    told = detail(answer, HTTPStatus.UNPROCESSABLE_ENTITY)
    assert len(told) < 5000
    assert "and 2991 more" in told


def test_a_photo_as_text_and_a_body_that_cannot_be_read(client: TestClient) -> None:
    assert "with a file name" in detail(client.post("/inspect", data={"file": "x"}), HTTPStatus.UNPROCESSABLE_ENTITY)
    deep = client.post("/feedback", content=b"[" * 50_000, headers={"Content-Type": "application/json"})
    assert "nested too deeply" in detail(deep, HTTPStatus.BAD_REQUEST)
