"""The pages of batches as a browser without JavaScript gets them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from serve.api.app import create_app
from serve.api.parts import Parts
from serve.service import Service
from serve.settings import Settings
from tests.serve.batch_doubles import write_photos
from tests.serve.doubles import picture_bytes

PHOTOS = [("file", ("<b>a.png", picture_bytes())), ("file", ("b.png", picture_bytes(mark=False))), ("file", ("", b""))]


@pytest.fixture
def client(service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[TestClient]:
    """An app whose jobs are done by the tests."""
    monkeypatch.setattr("serve.api.runner.Runner.start", lambda _: None)
    settings = Settings(home=service.settings.home, batch_folder=tmp_path / "shelf")
    with TestClient(create_app(settings, service), headers={"Accept-Language": "en"}) as client:
        yield client


def run(client: TestClient) -> None:
    parts: Parts = client.app.state.parts  # type: ignore[attr-defined]
    assert parts.runner.run_one()


def test_photos_become_a_page_that_renews_itself_until_they_are_read(client: TestClient) -> None:
    answer = client.post("/batches", files=PHOTOS, data={"model": "XYZ-2000"}, follow_redirects=False)
    assert answer.status_code == 303
    address = answer.headers["location"]
    waiting = client.get(address).text
    assert "Waiting" in waiting
    assert 'http-equiv="refresh"' in waiting
    assert "0 of 2 photos" in waiting
    run(client)
    done = client.get(address).text
    assert "Done" in done
    assert "refresh" not in done
    assert "2 of 2 photos: 1 read, 1 not read, 0 could not be opened or failed." in done
    assert "60" in done  # By the formula of the model's manual.
    assert "MPa" in done
    assert "no instrument was found" in done
    assert "&lt;b&gt;a.png" in done
    assert "<b>a.png" not in done
    for format in ("csv", "json", "parquet"):
        assert client.get(f"/jobs/{address.rsplit('/', 1)[1]}/results?format={format}").status_code == 200
    assert address in client.get("/batches").text


def test_the_pages_speak_chinese_too(client: TestClient) -> None:
    address = client.post("/batches", files=PHOTOS, follow_redirects=False).headers["location"]
    run(client)
    page = client.get(address, headers={"Accept-Language": "zh"}).text
    assert "已完成" in page
    assert "原因：" in page
    assert "批量读取照片" in client.get("/batches", headers={"Accept-Language": "zh"}).text


def test_a_folder_of_the_server_is_read_and_one_outside_refused(client: TestClient, tmp_path: Path) -> None:
    write_photos(tmp_path / "shelf" / "today", 2)
    address = client.post("/batches", data={"folder": "today"}, follow_redirects=False).headers["location"]
    run(client)
    assert "today/0001.png" in client.get(address).text
    refused = client.post("/batches", data={"folder": "../home"})
    assert refused.status_code == 422
    assert "no folder" in refused.text


def test_nothing_chosen_is_said_on_a_page(client: TestClient) -> None:
    answer = client.post("/batches", data={"model": "XYZ"}, files=[("file", ("", b""))])
    assert answer.status_code == 422
    assert "Choose photos" in answer.text


def test_a_batch_is_stopped_by_its_button(client: TestClient) -> None:
    address = client.post("/batches", files=PHOTOS, follow_redirects=False).headers["location"]
    page = client.post(f"{address}/cancel")
    assert page.status_code == 200
    assert "Stopped" in page.text


def test_long_tables_come_in_pages(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serve.web.batch_pages.ROWS_A_PAGE", 1)
    address = client.post("/batches", files=PHOTOS, follow_redirects=False).headers["location"]
    run(client)
    first, second = client.get(address).text, client.get(f"{address}?start=1").text
    assert "a.png" in first
    assert "b.png" not in first
    assert f'{address}?start=1"' in first
    assert "b.png" in second
    assert f'{address}?start=0"' in second


def test_what_is_no_batch_has_no_page(client: TestClient) -> None:
    parts: Parts = client.app.state.parts  # type: ignore[attr-defined]
    job = parts.store.jobs.add("local", "drill", {})
    assert client.get(f"/batches/{job.id}").status_code == 404
    assert client.post(f"/batches/{job.id}/cancel").status_code == 404
