"""Sources against real servers on this machine: pictures come, and whatever else comes is an error in time, without secrets."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from serve.cameras import source_http
from serve.cameras.errors import SourceError
from serve.cameras.frames import Frame, Stillness, open_view
from serve.cameras.source_folder import FolderSource
from serve.cameras.source_http import HttpSource, first_jpeg
from serve.cameras.source_rtsp import RtspSource
from tests.serve.doubles import picture_bytes
from tests.serve.rtsp_camera import rtsp_camera
from tests.serve.served import served
from vision.photos import load_photo

JPEG = picture_bytes("JPEG")
needs_av = pytest.mark.skipif(find_spec("av") is None, reason="the extra `cameras` is not installed")
Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def http_camera(answer: Answer) -> Iterator[str]:
    """Address of a camera that answers every GET so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                answer(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    with served(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        yield address


def reply(body: bytes, kind: str = "image/jpeg", code: int = 200, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def take(address: str, timeout_s: float = 5.0, password: str | None = None) -> bytes:
    source = HttpSource(address, timeout_s, password)
    try:
        return source.take().data
    finally:
        source.close()


def test_a_snapshot() -> None:
    with http_camera(reply(JPEG)) as host:
        assert take(f"http://{host}/a.jpg") == JPEG


def test_the_first_picture_of_an_mjpeg_stream() -> None:
    def stream(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "multipart/x-mixed-replace; boundary=x")
        handler.end_headers()
        for _ in range(1000):
            handler.wfile.write(b"--x\r\nContent-Type: image/jpeg\r\n\r\n" + JPEG + b"\r\n")
            time.sleep(0.01)

    with http_camera(stream) as host:
        assert take(f"http://{host}/") == JPEG


@pytest.mark.parametrize("size", [1, 7, 100, 10**6])
def test_a_jpeg_is_cut_out_whatever_the_chunks(size: int) -> None:
    exif = b"\xff\xe1\x00\x0a" + b"\xff\xd9\xff\xd8" + b"1234"  # A thumbnail's end inside a segment is not the picture's.
    jpeg = JPEG[:2] + exif + JPEG[2:]
    data = b"--x\r\n\xff\r\n\r\n" + jpeg + b"\r\n--x\r\n\r\n" + JPEG
    assert first_jpeg([data[n : n + size] for n in range(0, len(data), size)]) == jpeg


@pytest.mark.parametrize("data", [b"", b"garbage" * 1000, JPEG[:-20], b"\xff\xd8\xff" + b"\0" * 9])
def test_a_stream_without_a_whole_picture_is_an_error(data: bytes) -> None:
    with pytest.raises(SourceError):
        first_jpeg([data])


def test_basic_and_digest_are_answered_as_asked() -> None:
    def basic(handler: BaseHTTPRequestHandler) -> None:
        wanted = "Basic " + base64.b64encode(b"user:p:w").decode()
        if handler.headers.get("Authorization") == wanted:
            reply(JPEG)(handler)
        else:
            reply(b"", code=401, WWW_Authenticate='Basic realm="cam"')(handler)

    def digest(handler: BaseHTTPRequestHandler) -> None:
        given = handler.headers.get("Authorization", "")
        if "response=" in given:
            parts = dict(part.strip().split("=", 1) for part in given.removeprefix("Digest ").split(","))
            first = hashlib.md5(b"user:cam:p:w").hexdigest()
            second = hashlib.md5(f"GET:{handler.path}".encode()).hexdigest()
            nonce = ":".join(parts[name].strip('"') for name in ("nonce", "nc", "cnonce", "qop"))
            if parts["response"].strip('"') == hashlib.md5(f"{first}:{nonce}:{second}".encode()).hexdigest():
                return reply(JPEG)(handler)
        return reply(b"", code=401, WWW_Authenticate='Digest realm="cam", nonce="n", qop="auth", algorithm=MD5')(handler)

    for answer in (basic, digest):
        with http_camera(answer) as host:
            assert take(f"http://user:p%3Aw@{host}/a.jpg") == JPEG
            assert take(f"http://user@{host}/a.jpg", password="p:w") == JPEG
            with pytest.raises(SourceError, match="HTTP 401, refused with the name and password given") as raised:
                take(f"http://user:s3cret@{host}/a.jpg?token=t0ken")
            assert "s3cret" not in str(raised.value) + repr(raised.value.__cause__)
            assert "t0ken" not in str(raised.value)
            with pytest.raises(SourceError, match="without a name"):
                take(f"http://{host}/a.jpg")


def test_what_is_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    for answer, told in [
        (reply(b"", code=404), "HTTP 404"),
        (reply(b"", code=302, Location="http://elsewhere/"), "sends elsewhere"),
        (reply(b""), "empty picture"),
    ]:
        with http_camera(answer) as host, pytest.raises(SourceError, match=told):
            take(f"http://{host}/a.jpg")
    monkeypatch.setattr(source_http, "MOST_BYTES", 1000)
    with http_camera(reply(b"x" * 5000)) as host, pytest.raises(SourceError, match="larger than"):
        take(f"http://{host}/a.jpg")


def test_a_camera_that_is_away_stalls_or_trickles_is_an_error_in_time() -> None:
    def stall(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(2)

    def trickle(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "image/jpeg")
        handler.end_headers()
        for _ in range(60):
            handler.wfile.write(b"x")
            time.sleep(0.05)

    for answer in (stall, trickle):
        started = time.monotonic()
        with http_camera(answer) as host:
            with pytest.raises(SourceError, match=r"within 0\.5 s"):
                take(f"http://{host}/a.jpg", timeout_s=0.5)
            assert time.monotonic() - started < 2
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(SourceError, match="no connection"):
        take(f"http://127.0.0.1:{port}/a.jpg")


def test_a_picture_out_of_an_rtsp_stream() -> None:
    picture = np.zeros((96, 128, 3), np.uint8)
    picture[:, 64:] = 200
    with rtsp_camera(picture) as host:
        frame = RtspSource(f"rtsp://{host}/stream", 10.0).take()
        seen = load_photo(frame.data).image
        assert seen.shape == (96, 128, 3)
        assert abs(float(seen[:, :60].mean()) - 0) < 12
        assert abs(float(seen[:, 68:].mean()) - 200) < 12


def test_rtsp_with_a_password() -> None:
    picture = np.full((96, 128, 3), 90, np.uint8)
    with rtsp_camera(picture, credentials="us@er:p/w") as host:
        assert RtspSource(f"rtsp://us%40er:p%2Fw@{host}/stream", 10.0).take().data
        assert RtspSource(f"rtsp://us%40er@{host}/stream", 10.0, "p/w").take().data
        with pytest.raises(SourceError) as raised:
            RtspSource(f"rtsp://us%40er:s3cret@{host}/stream", 5.0).take()
        assert "s3cret" not in str(raised.value)


def test_an_rtsp_stream_of_garbage_is_an_error_in_time() -> None:
    with rtsp_camera(None) as host:
        started = time.monotonic()
        with pytest.raises(SourceError):
            RtspSource(f"rtsp://{host}/stream", 2.0).take()
        assert time.monotonic() - started < 10


@needs_av
def test_rtsp_that_is_away_is_an_error_without_the_password() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(SourceError) as raised:
        RtspSource(f"rtsp://u:s3cret@127.0.0.1:{port}/s", 2.0).take()
    assert str(raised.value).startswith(f"rtsp://127.0.0.1:{port}/s: ")
    assert "s3cret" not in str(raised.value)


@needs_av
def test_rtsp_that_says_nothing_is_an_error_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        started = time.monotonic()
        with pytest.raises(SourceError):
            RtspSource(f"rtsp://127.0.0.1:{silent.getsockname()[1]}/s", 1.0).take()
        assert time.monotonic() - started < 5


class Taken:
    """Which keys were taken, as a store would know."""

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def __call__(self, keys: Sequence[str]) -> set[str]:
        return self.keys & set(keys)


def names(source: FolderSource) -> list[str]:
    return [name for name, _ in source.ready()]


def test_a_file_is_taken_when_it_stopped_growing(tmp_path: Path) -> None:
    now, taken = [0.0], Taken()
    source = FolderSource(tmp_path, taken, lambda: now[0])
    (tmp_path / "a.jpg").write_bytes(JPEG[:50])
    assert names(source) == []
    now[0] = 0.9
    (tmp_path / "a.jpg").write_bytes(JPEG)
    assert names(source) == []
    now[0] = 1.5
    assert names(source) == []
    assert source.is_waiting
    now[0] = 2.0
    ((name, key),) = source.ready()
    assert source.read(name, key) == Frame(JPEG, "a.jpg", key)
    source.done(name, key)
    assert names(source) == []
    assert not source.is_waiting


def test_other_files_are_left_alone_and_the_oldest_comes_first(tmp_path: Path) -> None:
    now = [0.0]
    source = FolderSource(tmp_path, Taken(), lambda: now[0])
    for number, name in enumerate(["b.png", "a.png", ".hidden.jpg", "c.jpg.part", "notes.txt", "empty.jpg"]):
        (tmp_path / name).write_bytes(b"" if name == "empty.jpg" else JPEG)
        os.utime(tmp_path / name, (1000 + number, 1000 + number))
    (tmp_path / "folder.jpg").mkdir()
    (tmp_path / "link.jpg").symlink_to("/etc/passwd")
    source.ready()
    now[0] = 2.0
    assert names(source) == ["b.png", "a.png"]


def test_what_an_earlier_process_took_is_not_taken_again_unless_written_anew(tmp_path: Path) -> None:
    now, taken = [0.0], Taken()
    (tmp_path / "a.jpg").write_bytes(JPEG)
    first = FolderSource(tmp_path, taken, lambda: now[0])
    first.ready()
    now[0] = 2.0
    taken.keys.add(first.ready()[0][1])
    second = FolderSource(tmp_path, taken, lambda: now[0])
    second.ready()
    now[0] = 4.0
    assert names(second) == []
    assert not second.is_waiting
    (tmp_path / "a.jpg").write_bytes(JPEG + b"\0")
    second.ready()
    now[0] = 6.0
    assert names(second) == ["a.jpg"]


def test_a_folder_or_file_that_is_gone(tmp_path: Path) -> None:
    source = FolderSource(tmp_path / "none", Taken())
    with pytest.raises(SourceError, match="No such file"):
        source.ready()
    with pytest.raises(SourceError, match=r"a\.jpg: No such file"):
        source.read("a.jpg", "k")


def test_a_view_is_the_region_of_a_whole_picture() -> None:
    frame = Frame(picture_bytes("PNG", (120, 90)))
    assert open_view(frame, None, "p").data == frame.data
    view = open_view(frame, (30, 20, 70, 55), "p")
    assert open_view(Frame(view.data), None, "p").pixels != open_view(frame, None, "p").pixels
    with pytest.raises(SourceError, match=r"region \[0, 0, 121, 90\] reaches out of the picture of 120 x 90 pixels"):
        open_view(frame, (0, 0, 121, 90), "p")


@pytest.mark.parametrize("data", [b"", b"garbage", JPEG[:100], picture_bytes(mark=False)])
def test_garbage_and_a_covered_lens_are_no_pictures(data: bytes) -> None:
    with pytest.raises(SourceError):
        open_view(Frame(data), None, "p")


def test_a_frozen_picture_is_told_after_its_time() -> None:
    still = Stillness(60.0)
    assert [still.frozen_s("a", at) for at in (0, 30, 60, 90)] == [None, None, 60, 90]
    assert still.frozen_s("b", 100) is None
    assert [still.frozen_s("b", at) for at in (170, 171)] == [None, 71]
    off = Stillness(0.0)
    assert [off.frozen_s("a", at) for at in (0, 1000, 2000, 3000)] == [None] * 4
