"""Malformed uploads by the hundred: an answer to each, never a 500, nothing internal in any, and memory that stays."""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from fastapi.testclient import TestClient
from httpx import Response

from knowledge.search import KnowledgeBase
from rag.pipeline import Inspection
from serve.api.app import create_app
from serve.service import Service
from serve.settings import Settings
from tests.serve.bombs import scan_bomb
from tests.serve.doubles import DoubleReader, picture_bytes
from tests.serve.malformed import MAKERS, Malformed, malformed_uploads

HONEST = {200, 400, 413, 415, 422}
INTERNAL = ("Traceback", "site-packages", 'File "', "/root/", "/home/", "/tmp/", "sqlite3", "psycopg", "RuntimeError")
MIB = 2**20
ROOMY = {"rate_limit": "1000000/minute", "quota_photos": 1_000_000}


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    settings = service.settings.model_copy(update=ROOMY)
    with TestClient(create_app(settings, Service(settings, reader=DoubleReader(), knowledge=service.knowledge))) as client:
        yield client


def send(client: TestClient, one: Malformed) -> Response:
    return client.post("/inspect", files=[("file", (one.name, one.data, one.media_type))])


def check_answer(one: Malformed, answer: Response) -> None:
    """An inspection that is one, or a problem in the client's own words; nothing of the inside in either."""
    assert answer.status_code in HONEST, (one.kind, one.name, answer.status_code, answer.text[:300])
    if answer.status_code == 200:
        inspection = Inspection.model_validate(
            {key: value for key, value in answer.json().items() if key in Inspection.model_fields}
        )
        assert inspection.reading.status in ("read", "abstained")
        shown = inspection.reading.photo
    else:
        assert answer.headers["content-type"] == "application/problem+json"
        shown = answer.json()["detail"]
        assert not any(word in answer.text for word in INTERNAL), (one.kind, answer.text[:300])
    assert "\u202e" not in shown
    assert "/etc/" not in shown or "\\" not in shown


def fuzz(client: TestClient, seed: int, count: int) -> Counter[int]:
    seen: Counter[int] = Counter()
    for one in malformed_uploads(seed, count):
        answer = send(client, one)
        check_answer(one, answer)
        seen[answer.status_code] += 1
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/ready").status_code == 200
    return seen


def test_the_same_seed_gives_the_same_uploads_and_every_kind() -> None:
    first, again = (list(malformed_uploads(7, len(MAKERS))) for _ in range(2))
    assert first == again
    assert {one.kind for one in first} == set(MAKERS)
    other = list(malformed_uploads(8, len(MAKERS)))
    assert sum(a.data != b.data for a, b in zip(first, other, strict=True)) > len(MAKERS) // 3


def test_malformed_uploads_are_answered_and_never_a_fault(client: TestClient) -> None:
    seen = fuzz(client, seed=1, count=4 * len(MAKERS))
    assert set(seen) >= {200, 413, 415, 422}
    good = client.post("/inspect", files=[("file", ("good.png", picture_bytes(), "image/png"))])
    assert good.json()["reading"]["status"] == "read"


def test_nothing_is_written_outside_of_home_and_no_name_becomes_a_path(
    client: TestClient, service: Service, tmp_path: Path
) -> None:
    for name in ("../../evil.png", "..\\evil.png", "/tmp/evil.png", "evil.png\0.txt", "a/../../../evil.png"):
        check_answer(
            Malformed("name", name, "image/png", b""),
            client.post("/inspect", files=[("file", (name, picture_bytes(), "image/png"))]),
        )
    assert {path.name for path in tmp_path.iterdir()} <= {"home"}
    assert [path for path in tmp_path.rglob("*") if "evil" in path.name] == []


def forms(rng: np.random.Generator) -> list[tuple[str, dict[str, str], bytes]]:
    """Requests that are hardly forms: what is wrong, their headers, their body."""
    multipart = {"content-type": "multipart/form-data; boundary=x"}
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n' + picture_bytes() + b"\r\n"
    field = b'--x\r\nContent-Disposition: form-data; name="model"\r\n\r\n'
    return [
        ("no end", multipart, part),
        ("no boundary", {"content-type": "multipart/form-data"}, part + b"--x--\r\n"),
        ("another boundary", {"content-type": "multipart/form-data; boundary=y"}, part + b"--x--\r\n"),
        ("boundary of junk", {"content-type": 'multipart/form-data; boundary="\x01\xff' + "x" * 3000}, part),
        ("part without headers", multipart, b"--x\r\n\r\nhello\r\n--x--\r\n"),
        ("header without colon", multipart, b"--x\r\nContent-Disposition form-data\r\n\r\nhello\r\n--x--\r\n"),
        ("endless header", multipart, b"--x\r\nX: " + b"a" * 300_000 + b"\r\n\r\nhello\r\n--x--\r\n"),
        ("3,000 fields", multipart, b"".join(field + b"v\r\n" for _ in range(3_000)) + part + b"--x--\r\n"),
        ("1,500 files", multipart, part * 1_500 + b"--x--\r\n"),
        ("field of 3 MB", multipart, field + b"v" * 3_000_000 + b"\r\n" + part + b"--x--\r\n"),
        ("model that is no text", multipart, field + b"\xff\xfe\0\r\n" + part + b"--x--\r\n"),
        ("a file as model", multipart, part.replace(b'name="file"', b'name="model"') + part + b"--x--\r\n"),
        ("nested", multipart, b"--x\r\nContent-Type: multipart/mixed; boundary=z\r\n\r\n" + part + b"--x--\r\n"),
        ("packed body", {**multipart, "content-encoding": "gzip"}, part + b"--x--\r\n"),
        ("JSON", {"content-type": "application/json"}, b'{"file": ' + b"[" * 100_000),
        ("urlencoded", {"content-type": "application/x-www-form-urlencoded"}, b"file=%FF&" * 5_000),
        ("random", multipart, b"--x\r\n" + rng.bytes(5_000)),
        ("nothing", multipart, b""),
        ("unknown charset", {"content-type": "multipart/form-data; boundary=x; charset=utf-99"}, part + b"--x--\r\n"),
        ("lengths that lie", {**multipart, "content-length": "99999999999999999999"}, part),
    ]


FORM_NAMES = [name for name, _, _ in forms(np.random.default_rng(0))]


# The framework leaves the file of a form without an end to Python's reference counts.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore:Unclosed file:ResourceWarning")
@pytest.mark.parametrize("what", FORM_NAMES)
def test_what_is_hardly_a_form_is_a_problem_or_a_photo(client: TestClient, what: str) -> None:
    (headers, body) = next((headers, body) for name, headers, body in forms(np.random.default_rng(3)) if name == what)
    answer = client.post("/inspect", content=body, headers={name: value.encode("latin-1") for name, value in headers.items()})
    assert answer.status_code in HONEST, (what, answer.status_code, answer.text[:300])
    if answer.status_code != 200:
        assert answer.headers["content-type"] == "application/problem+json"
    assert not any(word in answer.text for word in INTERNAL), answer.text[:300]
    assert client.get("/ready").status_code == 200


def test_few_kilobytes_do_not_buy_minutes_of_a_processor(client: TestClient) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    answer = client.post("/inspect", files=[("file", ("scans.jpg", scan_bomb(9_000, 50_000), "image/jpeg"))])
    assert answer.status_code == 413
    assert "scans" in answer.json()["detail"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < 5.0


@pytest.mark.slow
def test_a_thousand_malformed_uploads_leave_memory_as_it_was(client: TestClient) -> None:
    fuzz(client, seed=2, count=240)
    process = psutil.Process()
    warm = process.memory_info().rss / MIB
    seen = fuzz(client, seed=3, count=1_000)
    grown = process.memory_info().rss / MIB - warm
    print(f"\n1,000 malformed uploads: {dict(seen)}, grown by {grown:.1f} MiB of {warm:.0f}")
    assert grown < 60.0


@pytest.mark.slow
def test_a_hundred_malformed_uploads_before_the_real_reader(tmp_path: Path, knowledge: KnowledgeBase) -> None:
    settings = Settings(home=tmp_path / "home", **ROOMY)  # type: ignore[arg-type]
    with TestClient(create_app(settings, Service(settings, knowledge=knowledge))) as client:
        seen = fuzz(client, seed=4, count=100)
        print(f"\n100 malformed uploads: {dict(seen)}")
        assert seen[200] > 20
