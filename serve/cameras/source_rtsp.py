"""A picture out of an RTSP stream: opened, decoded to the first whole picture, and closed, all within a time."""

from __future__ import annotations

import io
import time
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from serve.cameras.address import public_address, split_credentials
from serve.cameras.errors import SourceError
from serve.cameras.frames import Frame

MOST_PACKETS = 600


class RtspSource:
    """One picture a call. Opening anew costs a second and gives the picture of now: a stream left open has old ones waiting."""

    def __init__(self, source: str, timeout_s: float, password: str | None = None) -> None:
        try:
            import av
        except ImportError as error:
            raise SourceError("RTSP needs the extra `cameras`: pip install 'gaugerag[cameras]'") from error
        av.logging.set_level(av.logging.PANIC)  # FFmpeg prints addresses with their passwords.
        self._av: Any = av
        bare, name, written = split_credentials(source)
        self._address = _with_credentials(bare, name, password if password is not None else written)
        self._public = public_address(source)
        self._timeout_s = timeout_s

    def take(self) -> Frame:
        """A picture taken now. Raises SourceError."""
        end = time.monotonic() + self._timeout_s
        options = {"rtsp_transport": "tcp", "timeout": str(int(self._timeout_s * 1e6))}
        try:
            with self._av.open(self._address, options=options, timeout=(self._timeout_s, self._timeout_s)) as stream:
                return Frame(self._first_picture(stream, end))
        except self._av.error.FFmpegError as error:
            raise SourceError(f"{self._public}: {_reason(error)}") from None  # The cause names the address with its password.

    def close(self) -> None:
        """Nothing is open between pictures."""

    def _first_picture(self, stream: Any, end: float) -> bytes:
        if not stream.streams.video:
            raise SourceError(f"{self._public}: the stream has no picture")
        for number, packet in enumerate(stream.demux(stream.streams.video[0])):
            if time.monotonic() > end or number > MOST_PACKETS:
                raise SourceError(f"{self._public}: no whole picture within {self._timeout_s:g} s")
            try:
                frames = packet.decode()
            except self._av.error.InvalidDataError:
                continue  # Before the first whole picture there is nothing that the packet could change.
            for frame in frames:
                if frame.is_corrupt:
                    continue
                out = io.BytesIO()
                frame.to_image().save(out, "PNG", compress_level=1)
                return out.getvalue()
        raise SourceError(f"{self._public}: the stream ended without a picture")


def _reason(error: Any) -> str:
    return " ".join(str(error.strerror or type(error).__name__).split())[:120]


def _with_credentials(bare: str, name: str | None, password: str | None) -> str:
    if name is None:
        return bare
    parts = urlsplit(bare)
    who = quote(name, safe="") + (f":{quote(password, safe='')}" if password else "")
    return urlunsplit((parts.scheme, f"{who}@{parts.netloc}", parts.path, parts.query, ""))
