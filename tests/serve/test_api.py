"""The HTTP door: same objects as the command line, problems for everything else, and never a 500."""

from __future__ import annotations

import logging
import logging.config
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from rag.trace import request_context
from serve.api.app import create_app
from serve.api.middleware import REQUEST_ID_HEADER
from serve.api.routes.inspect import KeptInspection
from serve.api.server import server_logging
from serve.service import Service
from serve.settings import Settings
from tests.serve.bad_photos import ODD_BUT_GOOD, unopenable
from tests.serve.doubles import DoubleReader, picture_bytes

PROBLEM_KEYS = ["type", "title", "status", "detail", "request_id"]
BAD = unopenable()


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(create_app(service.settings, service)) as client:
        yield client


def post(client: TestClient, *files: tuple[str, bytes], headers: dict[str, str] | None = None, **form: str) -> Response:
    parts = [("file", (name, data, "application/octet-stream")) for name, data in files]
    return client.post("/inspect", files=parts, data=form, headers=headers)


def check_problem(answer: Response, status: int) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert list(body) == PROBLEM_KEYS
    assert body["status"] == status
    assert body["request_id"] == answer.headers[REQUEST_ID_HEADER]
    return body


def test_one_photo_gives_the_command_lines_object(client: TestClient) -> None:
    answer = post(client, ("gauge.png", picture_bytes()), model="XYZ-2000")
    assert answer.status_code == 200
    inspection = KeptInspection.model_validate(answer.json())
    assert inspection.reading.photo == "gauge.png"
    assert inspection.reading.instruments[0].value == pytest.approx(60.0)
    assert inspection.report is not None
    assert inspection.request_id == answer.headers[REQUEST_ID_HEADER]


def test_several_photos_give_a_list_in_order(client: TestClient, reader: DoubleReader) -> None:
    files = [("one.png", picture_bytes()), ("two.txt", b"no"), ("three.png", picture_bytes(mark=False))]
    answer = post(client, *files)
    inspections = [KeptInspection.model_validate(one) for one in answer.json()]
    assert answer.status_code == 200
    assert [one.reading.photo for one in inspections] == ["one.png", "two.txt", "three.png"]
    assert [one.reading.status for one in inspections] == ["read", "error", "abstained"]
    assert len({one.request_id for one in inspections}) == 3
    assert [one["names"] for one in reader.asked] == [["one.png"], ["two.txt"], ["three.png"]]


def test_language_and_writer(client: TestClient) -> None:
    answer = post(client, ("a.png", picture_bytes()), model="XYZ-2000", language="zh", writer="template")
    markdown = answer.json()["report"]["markdown"]
    assert any("一" <= char <= "鿿" for char in markdown)


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_opened_is_a_problem(client: TestClient, what: str) -> None:
    body = check_problem(post(client, ("dial 3.jpg", BAD[what].data)), BAD[what].status)
    assert body["detail"].startswith("dial 3.jpg: ")
    assert BAD[what].message in body["detail"]


def test_only_bad_photos_are_the_first_ones_problem(client: TestClient) -> None:
    assert check_problem(post(client, ("a.jpg", b""), ("b.jpg", b"text")), 422)["detail"].startswith("a.jpg: ")


@pytest.mark.parametrize("what", ODD_BUT_GOOD)
def test_odd_pictures_are_opened(client: TestClient, what: str) -> None:
    answer = post(client, ("odd", ODD_BUT_GOOD[what]()))
    assert answer.status_code == 200
    assert answer.json()["reading"]["status"] == "read"


def test_an_all_black_photo_abstains(client: TestClient) -> None:
    answer = post(client, ("black.png", picture_bytes(color="black", mark=False)))
    assert answer.status_code == 200
    assert answer.json()["reading"]["status"] == "abstained"


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\dial.png", "dial.png"),
        ("压力表 7.png", "压力表 7.png"),
        ("a" * 500 + ".png", "a" * 200),
    ],
)
def test_uploaded_names_are_not_trusted(client: TestClient, sent: str, shown: str) -> None:
    assert post(client, (sent, picture_bytes())).json()["reading"]["photo"] == shown


@pytest.mark.parametrize(
    ("form", "named"), [({"language": "fr"}, "language"), ({"writer": "poet"}, "writer"), ({"model": "x" * 81}, "model")]
)
def test_wrong_form_fields(client: TestClient, form: dict[str, str], named: str) -> None:
    assert named in check_problem(post(client, ("a.png", picture_bytes()), **form), 422)["detail"]


def test_requests_that_are_no_upload(client: TestClient) -> None:
    check_problem(client.post("/inspect"), 422)
    check_problem(client.post("/inspect", json={"file": "x"}), 422)
    check_problem(client.post("/inspect", data={"file": "not a file"}), 422)
    check_problem(client.post("/inspect", content=b"junk", headers={"content-type": "multipart/form-data"}), 400)
    check_problem(client.post("/inspect", content=b"junk", headers={"content-type": "multipart/form-data; boundary=x"}), 400)


def test_unknown_paths_and_methods_are_problems(client: TestClient) -> None:
    check_problem(client.get("/nowhere"), 404)
    check_problem(client.get("/inspect"), 405)
    check_problem(client.get("/docs"), 404)


def small_client(service: Service, **changes: Any) -> TestClient:
    return TestClient(create_app(service.settings.model_copy(update=changes), service))


def test_a_body_above_the_limit_is_refused_by_its_declared_length(service: Service) -> None:
    with small_client(service, max_request_mib=0.01) as client:
        assert "0.01 MiB" in check_problem(post(client, ("a.png", b"x" * 20_000)), 413)["detail"]


def test_a_body_above_the_limit_is_refused_while_it_streams(service: Service) -> None:
    sent = 0

    def stream() -> Iterator[bytes]:
        nonlocal sent
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
        for _ in range(1000):
            sent += 1
            yield b"x" * 1000

    with small_client(service, max_request_mib=0.01) as client:
        headers = {"content-type": "multipart/form-data; boundary=x"}
        check_problem(client.post("/inspect", content=stream(), headers=headers), 413)


def test_too_many_photos(service: Service) -> None:
    with small_client(service, max_photos=2) as client:
        check_problem(post(client, *[("a.png", picture_bytes())] * 3), 413)


def test_request_ids_are_kept_where_harmless(client: TestClient) -> None:
    assert client.get("/health", headers={REQUEST_ID_HEADER: "abc-1.2_3"}).headers[REQUEST_ID_HEADER] == "abc-1.2_3"
    for bad in ("two words", "x" * 65, 'a"b', ""):
        assert client.get("/health", headers={REQUEST_ID_HEADER: bad}).headers[REQUEST_ID_HEADER] != bad


def test_health_and_readiness(client: TestClient, service: Service) -> None:
    assert client.get("/health").json() == {
        "status": "ok",
        "version": "0.1.0",
        "weights": {"name": "double", "version": "1"},
        "notice": None,
    }
    assert client.get("/ready").status_code == 200


def test_not_ready_before_loading(service: Service) -> None:
    unloaded = Service(service.settings)
    client = TestClient(create_app(service.settings, unloaded))  # Without `with`: the lifespan has not run.
    assert client.get("/health").json()["status"] == "loading"
    check_problem(client.get("/ready"), 503)


def test_the_unforeseen_is_logged_and_tells_nothing(
    service: Service, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret path /root/.ssh")

    monkeypatch.setattr(service, "inspect_runs", fail)
    with TestClient(create_app(service.settings, service)) as client, caplog.at_level(logging.ERROR, "gauge.http"):
        answer = post(client, ("a.png", picture_bytes()), headers={REQUEST_ID_HEADER: "find-me"})
    body = check_problem(answer, 500)
    assert "secret" not in answer.text
    assert body["request_id"] == "find-me"
    assert "find-me" in caplog.text
    assert "secret path" in caplog.text


def test_a_fault_of_the_reader_is_the_photos_problem(service: Service, reader: DoubleReader) -> None:
    reader.broken_on = "b.png"
    with TestClient(create_app(service.settings, service)) as client:
        answer = post(client, ("a.png", picture_bytes()), ("b.png", picture_bytes()), ("c.png", picture_bytes()))
        assert [one["reading"]["status"] for one in answer.json()] == ["read", "error", "read"]
        alone = check_problem(post(client, ("b.png", picture_bytes())), 422)
    assert "the reader failed on it (RuntimeError)" in alone["detail"]
    assert "secret" not in answer.text


class SlowReader(DoubleReader):
    """Works until it is released, and notes how many work at the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.release = threading.Event()
        self.started = threading.Semaphore(0)
        self.lock = threading.Lock()
        self.now = self.most = 0

    def read_one(self, *args: Any) -> Any:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.started.release()
        assert self.release.wait(20)
        with self.lock:
            self.now -= 1
        return super().read_one(*args)


def test_few_work_some_wait_and_the_rest_is_told_to_come_back(service: Service) -> None:
    slow = SlowReader()
    settings = service.settings.model_copy(update={"concurrency": 1, "max_waiting": 1})
    with (
        TestClient(create_app(settings, Service(settings, reader=slow, knowledge=service.knowledge))) as client,
        ThreadPoolExecutor(3) as pool,
    ):
        first = pool.submit(post, client, ("a.png", picture_bytes()))
        assert slow.started.acquire(timeout=20)
        others = [pool.submit(post, client, ("b.png", picture_bytes())) for _ in range(2)]
        refused = next(answer for answer in _first_done(others))
        assert refused.headers["retry-after"]
        check_problem(refused, 503)
        assert client.get("/health").status_code == 200
        slow.release.set()
        assert first.result(20).status_code == 200
        assert sorted(one.result(20).status_code for one in others) == [200, 503]
    assert slow.most == 1


def _first_done(futures: list[Any]) -> Iterator[Response]:
    from concurrent.futures import as_completed

    for future in as_completed(futures, timeout=20):
        yield future.result()


def test_every_answer_forbids_sniffing(client: TestClient) -> None:
    for path in ("/", "/health", "/nowhere"):
        assert client.get(path).headers["x-content-type-options"] == "nosniff"


def test_the_schema_names_the_contract(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    assert {"/inspect", "/health", "/ready"} <= set(schema["paths"])
    assert {"413", "415", "422", "503"} <= set(schema["paths"]["/inspect"]["post"]["responses"])


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, service: Service) -> None:
    monkeypatch.setenv("GAUGE_MAX_PHOTOS", "1")
    with TestClient(create_app(service=service)) as client:
        check_problem(post(client, *[("a.png", picture_bytes())] * 2), 413)
    assert Settings().max_photos == 1


def test_the_servers_own_log_lines_carry_the_request(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("uvicorn", "uvicorn.error", "uvicorn.access")
    before = [(logging.getLogger(name).handlers[:], logging.getLogger(name).propagate) for name in names]
    try:
        logging.config.dictConfig(server_logging())
        with request_context("r-7"):
            logging.getLogger("uvicorn.access").info('%s - "%s %s HTTP/%s" %d', "127.0.0.1:5", "POST", "/inspect", "1.1", 200)
        logging.getLogger("uvicorn.error").info("started")
    finally:
        for name, (handlers, propagate) in zip(names, before, strict=True):
            logging.getLogger(name).handlers[:] = handlers
            logging.getLogger(name).propagate = propagate
    captured = capsys.readouterr()
    assert re.search(r'"POST /inspect HTTP/1.1" 200 OK \[r-7\]\n', re.sub(r"\x1b\[[0-9;]*m", "", captured.out))
    assert captured.err.endswith("started\n")
