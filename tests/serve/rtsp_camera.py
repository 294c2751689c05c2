"""An RTSP camera for tests: one H.264 picture again and again, interleaved over TCP (RFC 2326, RFC 6184 single NAL units)."""

from __future__ import annotations

import base64
import os
import socketserver
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.serve.served import served

SDP = (
    "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=camera\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\n"
    "a=rtpmap:96 H264/90000\r\na=control:track\r\n"
)


@contextmanager
def rtsp_camera(picture: np.ndarray[Any, Any] | None, credentials: str | None = None) -> Iterator[str]:
    """Host and port of a camera that shows a picture (H, W, 3), or garbage for None; skips where it cannot be encoded."""
    units = _garbage() if picture is None else _encode(picture)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            try:
                while (request := self._request()) is not None:
                    method, headers = request
                    if not self._answer(method, headers):
                        return
            except OSError:
                return

        def _request(self) -> tuple[str, dict[str, str]] | None:
            lines = []
            while (line := self.rfile.readline().decode(errors="replace").strip()) or not lines:
                if not line:
                    return None
                lines.append(line)
            headers = dict(one.split(": ", 1) for one in lines[1:] if ": " in one)
            return lines[0].split()[0], {name.lower(): value for name, value in headers.items()}

        def _answer(self, method: str, headers: dict[str, str]) -> bool:
            given = headers.get("authorization", "")
            wanted = None if credentials is None else "Basic " + base64.b64encode(credentials.encode()).decode()
            if method != "OPTIONS" and wanted is not None and given != wanted:
                self._reply(headers, 'WWW-Authenticate: Basic realm="camera"', status="401 Unauthorized")
                return True
            if method == "DESCRIBE":
                self._reply(headers, "Content-Type: application/sdp", f"Content-Length: {len(SDP)}", body=SDP)
            elif method == "SETUP":
                self._reply(headers, "Transport: RTP/AVP/TCP;unicast;interleaved=0-1", "Session: 1")
            elif method == "PLAY":
                self._reply(headers, "Session: 1")
                self._play()
                return False
            else:
                self._reply(headers, "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN")
            return True

        def _reply(self, headers: dict[str, str], *more: str, status: str = "200 OK", body: str = "") -> None:
            lines = [f"RTSP/1.0 {status}", f"CSeq: {headers.get('cseq', '0')}", *more, "", body]
            self.wfile.write("\r\n".join(lines).encode())

        def _play(self) -> None:
            sequence = 0
            for moment in range(400):
                for number, unit in enumerate(units):
                    last = 0x80 if number == len(units) - 1 else 0
                    header = struct.pack(">BBHII", 0x80, last | 96, sequence & 0xFFFF, moment * 9000, 1)
                    packet = header + unit
                    self.wfile.write(b"$\0" + struct.pack(">H", len(packet)) + packet)
                    sequence += 1
                time.sleep(0.05)

    with served(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)) as address:
        yield address


def _encode(picture: np.ndarray[Any, Any]) -> list[bytes]:
    """The picture's NAL units with their parameter sets."""
    av: Any = pytest.importorskip("av", reason="the extra `cameras` is not installed")
    try:
        encoder = av.CodecContext.create("libx264", "w")
    except av.error.FFmpegError as error:
        pytest.skip(f"this PyAV cannot encode H.264: {error}")
    encoder.height, encoder.width = picture.shape[:2]
    encoder.pix_fmt, encoder.time_base = "yuv420p", Fraction(1, 10)
    encoder.options = {"tune": "zerolatency", "preset": "ultrafast", "x264-params": "annexb=1:repeat-headers=1"}
    frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
    data = b"".join(bytes(packet) for packet in [*encoder.encode(frame), *encoder.encode(None)])
    return [unit for unit in data.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1") if unit]


def _garbage() -> list[bytes]:
    pytest.importorskip("av", reason="the extra `cameras` is not installed")
    return [bytes([0x65]) + os.urandom(500)]
