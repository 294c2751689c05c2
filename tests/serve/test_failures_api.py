"""POST /failures: the form of a walkthrough page into the failure library, problems for everything else."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from eval.failures import FILE, FORMAT, MAX_REPORT_BYTES, FailureLibrary
from serve.api.app import create_app
from serve.service import Service

REPORT = {"format": FORMAT, "request_id": "r-1", "complaint": "evasive", "note": "<script>压力</script>"}


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(create_app(service.settings, service)) as client:
        yield client


def test_a_form_becomes_a_case(client: TestClient, service: Service) -> None:
    form = {"report": json.dumps(REPORT), "complaint": "evasive", "note": "as the browser sends it along"}
    for _ in range(2):
        answer = client.post("/failures", data=form)
        assert answer.status_code == 201
        assert answer.json() == {"case": 1, "about": "r-1"}
    (case,) = FailureLibrary(service.settings.home).cases()
    assert case.report.note == REPORT["note"]


@pytest.mark.parametrize("report", ["", "{", json.dumps({**REPORT, "complaint": "angry"}), "x" * (MAX_REPORT_BYTES + 1)])
def test_what_is_no_report_is_a_problem(client: TestClient, service: Service, report: str) -> None:
    answer = client.post("/failures", data={"report": report})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert len(answer.text) < 1000
    assert not (service.settings.home / FILE).exists()


def test_a_library_that_cannot_be_used_tells_no_path(client: TestClient, service: Service) -> None:
    service.settings.home.mkdir(parents=True, exist_ok=True)
    (service.settings.home / FILE).write_bytes(b"no database" * 400)
    answer = client.post("/failures", data={"report": json.dumps(REPORT)})
    assert answer.status_code == 503
    assert str(service.settings.home) not in answer.text


def test_a_body_without_a_report(client: TestClient) -> None:
    assert client.post("/failures", json=REPORT).status_code == 422
    assert client.get("/failures").status_code == 405
