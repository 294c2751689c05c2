"""A picture over HTTP: a snapshot, or the first whole picture of an MJPEG stream. Bounded in time and bytes."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator

import httpx

from serve.cameras.address import public_address, split_credentials
from serve.cameras.errors import SourceError
from serve.cameras.frames import Frame

MOST_BYTES = 20 * 2**20
_START, _END = b"\xff\xd8\xff", b"\xff\xd9"


class CameraAuth(httpx.Auth):
    """Answers the way the camera asks for, Basic or Digest; nothing is sent before it asks."""

    def __init__(self, name: str, password: str) -> None:
        self._basic = httpx.BasicAuth(name, password)
        self._digest = httpx.DigestAuth(name, password)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """The request, and once more with what the camera asked for."""
        response = yield request
        asked = response.headers.get("www-authenticate", "").lower()
        if response.status_code != 401 or not asked:
            return
        if "digest" in asked:
            flow = self._digest.auth_flow(request)
            next(flow)
            yield flow.send(response)
        elif "basic" in asked:
            yield next(self._basic.auth_flow(request))


class HttpSource:
    """One picture a call; each opens the stream anew, so that no picture is older than its call."""

    def __init__(self, source: str, timeout_s: float, password: str | None = None) -> None:
        self._address, name, written = split_credentials(source)
        self._public = public_address(source)
        secret = password if password is not None else written
        self._auth = CameraAuth(name, secret or "") if name is not None else None
        self._timeout_s = timeout_s
        # The environment's proxies are for the way out of the house; cameras are inside.
        self._client = httpx.Client(timeout=timeout_s, trust_env=False, follow_redirects=False, auth=self._auth)

    def take(self) -> Frame:
        """A picture taken now. Raises SourceError."""
        try:
            with self._client.stream("GET", self._address) as response:
                self._check(response)
                chunks = self._in_time(response.iter_bytes())
                if response.headers.get("content-type", "").lower().startswith("multipart/"):
                    return Frame(first_jpeg(chunks))
                return Frame(_all(chunks))
        except httpx.TimeoutException as error:
            raise SourceError(f"{self._public}: no picture within {self._timeout_s:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise SourceError(f"{self._public}: {type(error).__name__}: no connection, or it broke") from error

    def close(self) -> None:
        """Give the connection back."""
        self._client.close()

    def _check(self, response: httpx.Response) -> None:
        if response.status_code in (401, 403):
            given = "with the name and password given" if self._auth else "without a name and a password"
            raise SourceError(f"{self._public}: HTTP {response.status_code}, refused {given}")
        if response.is_redirect:
            raise SourceError(f"{self._public}: it sends elsewhere; write the address of the picture itself")
        if response.status_code != 200:
            raise SourceError(f"{self._public}: HTTP {response.status_code}")

    def _in_time(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The chunks until the time for the whole picture is over: a camera that trickles must not hold its watcher."""
        end = time.monotonic() + self._timeout_s
        for chunk in chunks:
            if time.monotonic() > end:
                raise SourceError(f"{self._public}: no whole picture within {self._timeout_s:g} s")
            yield chunk


def first_jpeg(chunks: Iterable[bytes]) -> bytes:
    """The first whole JPEG in a multipart stream, by its own markers: cameras write the parts' heads in many ways.

    Raises SourceError where the stream ends, or grows past 20 MiB, without one.
    """
    data = bytearray()
    for chunk in chunks:
        data += chunk
        start = data.find(_START)
        if start < 0:
            del data[:-2]
            continue
        end = _end_of_jpeg(data, start)
        if end is not None:
            return bytes(data[start:end])
        if len(data) - start > MOST_BYTES:
            raise SourceError(f"its picture is larger than {MOST_BYTES // 2**20} MiB")
    raise SourceError("the stream ended without a whole JPEG")


def _end_of_jpeg(data: bytearray, start: int) -> int | None:
    """Where the JPEG ends, None where it is not whole yet. Segments are stepped over: a thumbnail inside one has an end too."""
    at = start + 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            raise SourceError("the stream's JPEG is damaged")
        kind = data[at + 1]
        if kind == 0xFF:
            at += 1
            continue
        if kind == 0xD9:
            return at + 2
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if kind == 0xDA:
            found = _end_of_scan(data, at)
            if found is None:
                return None
            at = found
    return at + 2 if data[at : at + 2] == _END else None


def _end_of_scan(data: bytearray, at: int) -> int | None:
    """The next marker after compressed data (ITU T.81, B.1.1.5): FF not followed by 00 or a restart."""
    while (at := data.find(b"\xff", at)) >= 0:
        if at + 1 >= len(data):
            return None
        if data[at + 1] != 0x00 and not 0xD0 <= data[at + 1] <= 0xD7 and data[at + 1] != 0xFF:
            return at
        at += 1 if data[at + 1] == 0xFF else 2
    return None


def _all(chunks: Iterable[bytes]) -> bytes:
    data = bytearray()
    for chunk in chunks:
        data += chunk
        if len(data) > MOST_BYTES:
            raise SourceError(f"its picture is larger than {MOST_BYTES // 2**20} MiB")
    if not data:
        raise SourceError("it sent an empty picture")
    return bytes(data)
