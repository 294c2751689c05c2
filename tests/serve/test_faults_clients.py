"""Clients that send or take too slowly, on purpose or not: they are cut off, and the others do not notice."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from serve.api import server as server_module
from serve.api.app import create_app
from serve.service import Service
from tests.serve.doubles import picture_bytes
from tests.serve.live import serving

MIB = 2**20


@pytest.fixture
def url(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(server_module, "WATCH_S", 0.2)
    monkeypatch.setattr(server_module, "HEAD_S", 1.0)
    settings = service.settings.model_copy(update={"upload_timeout_s": 1.0, "rate_limit": "100000/minute"})
    with serving(
        create_app(settings, Service(settings, reader=service.reader, knowledge=service.knowledge)), stall_s=1.0
    ) as address:
        yield address


def connect(url: str) -> socket.socket:
    place = urlsplit(url)
    assert place.hostname is not None
    connection = socket.create_connection((place.hostname, place.port or 80), timeout=20)
    connection.settimeout(20)
    return connection


def post_head(length: int, path: str = "/inspect") -> bytes:
    form = "Content-Type: multipart/form-data; boundary=x"
    return f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{form}\r\nContent-Length: {length}\r\n\r\n".encode()


def received(connection: socket.socket) -> bytes:
    """All that comes until the server closes, or cuts off."""
    data = b""
    try:
        while part := connection.recv(65536):
            data += part
    except ConnectionError:
        pass
    return data


def check_others(url: str) -> None:
    """Somebody else is answered now."""
    with httpx.Client(timeout=20, trust_env=False) as client:
        assert client.get(f"{url}/health").status_code == 200
        assert client.post(f"{url}/inspect", files={"file": ("a.png", picture_bytes())}).status_code == 200


def test_an_upload_that_drips_is_cut_off_with_a_reason(url: str) -> None:
    with connect(url) as slow:
        slow.sendall(post_head(10_000))
        began = time.monotonic()
        for _ in range(6):
            slow.sendall(b"--x")
            time.sleep(0.1)
        check_others(url)
        answer = received(slow)
        assert time.monotonic() - began < 15
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"application/problem+json" in answer


def test_a_head_that_drips_is_cut_off(url: str) -> None:
    with connect(url) as slow:
        slow.sendall(b"POST /inspect HT")
        began = time.monotonic()
        check_others(url)
        assert b"200" not in received(slow)
        assert time.monotonic() - began < 15


def test_a_client_that_says_nothing_is_cut_off(url: str) -> None:
    with connect(url) as silent:
        began = time.monotonic()
        assert received(silent) == b""
        assert time.monotonic() - began < 15


def test_a_client_that_goes_in_the_middle_costs_nothing(url: str) -> None:
    for share in (0.1, 0.5, 0.99):
        body = (
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n' + picture_bytes() + b"\r\n--x--\r\n"
        )
        with connect(url) as gone:
            gone.sendall(post_head(len(body)) + body[: int(share * len(body))])
    check_others(url)
    with httpx.Client(timeout=20, trust_env=False) as client:
        assert len(client.get(f"{url}/reports").json()["reports"]) == 1, "half an upload is no report"


def test_clients_that_never_read_hold_no_memory_for_ever(url: str) -> None:
    # Answers pile up in the sockets' buffers, then in the server's; the reading side takes nothing.
    ask = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 40
    before = psutil.Process().memory_info().rss / MIB
    lazy = [connect(url) for _ in range(10)]
    try:
        for one in lazy:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.settimeout(0.5)
            try:
                for _ in range(20):
                    one.sendall(ask)
            except (TimeoutError, ConnectionError):
                pass
        check_others(url)
        assert psutil.Process().memory_info().rss / MIB - before < 150
        port = urlsplit(url).port
        until = time.monotonic() + 20
        while time.monotonic() < until and _open(port) > 0:
            time.sleep(0.2)
        assert _open(port) == 0, "connections that take nothing are cut off"
    finally:
        for one in lazy:
            one.close()


def _open(port: int | None) -> int:
    """Connections that the server still holds."""
    held = psutil.Process().net_connections(kind="tcp")
    return sum(one.status == psutil.CONN_ESTABLISHED and bool(one.laddr) and one.laddr.port == port for one in held)


def test_a_crowd_of_slow_uploads_does_not_shut_the_door(url: str) -> None:
    crowd = [connect(url) for _ in range(60)]
    try:
        for one in crowd:
            one.sendall(post_head(10_000) + b"--x")
        began = time.monotonic()
        check_others(url)
        assert time.monotonic() - began < 15
    finally:
        for one in crowd:
            one.close()


@pytest.mark.parametrize(
    "junk",
    [
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03" + b"\0" * 200,
        b"GET / HTTX/1.1\r\n\r\n",
        b"GET " + b"/a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /inspect HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /inspect HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /inspect HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: y\r\n" * 50_000 + b"\r\n",
        b"\0" * 10_000,
    ],
    ids=[
        "TLS",
        "another protocol",
        "long path",
        "two lengths",
        "negative length",
        "lengths that differ",
        "many headers",
        "zeros",
    ],
)
def test_what_is_no_http_is_refused_and_ends_there(url: str, junk: bytes) -> None:
    with connect(url) as stranger:
        with contextlib.suppress(ConnectionError):
            stranger.sendall(junk)
        answer = received(stranger)
    assert b" 500 " not in answer.split(b"\r\n", 1)[0]
    assert not answer.startswith(b"HTTP/1.1 200")
    check_others(url)


def test_threads_do_not_pile_up(url: str) -> None:
    check_others(url)
    before = threading.active_count()
    for _ in range(20):
        with connect(url) as gone:
            gone.sendall(post_head(10_000) + b"--x")
    check_others(url)
    assert threading.active_count() <= before + 4
