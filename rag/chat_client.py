"""HTTP to an OpenAI-compatible server: one answer's text, or one WriterError with one line, in bounded time and size.

`POST {base_url}/chat/completions`, answered whole or as server-sent events. The exchange runs on a thread of its own:
a server that drips bytes, answers without end or hangs in a handshake costs the caller its deadline and no more.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from rag.chat_answer import AnswerReader
from rag.errors import WriterError
from rag.templates import clean_text

RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_ADVICE = {401: "check the API key", 403: "check the API key", 404: "check the address and the model's name"}
_MAX_ERROR_BYTES = 4096


@dataclass(frozen=True)
class ServerOptions:
    """Bounds of a call. `timeout_s` holds for all of it, retries and pauses included, `idle_timeout_s` for connecting and
    for each wait for the next bytes. `backoff_s` doubles with each of the `retries`, or gives way to the server's
    Retry-After. `ca_file` (PEM) is trusted beside the system's certificates; verification itself cannot be switched off.
    """

    timeout_s: float = 60.0
    idle_timeout_s: float = 30.0
    retries: int = 2
    backoff_s: float = 0.5
    max_answer_bytes: int = 1_000_000
    stream: bool = True
    ca_file: Path | None = None


class _Retry(Exception):
    """A refusal that may pass: what to say of it, and the server's own wish when to ask again, in seconds."""

    def __init__(self, reason: str, after_s: float | None) -> None:
        super().__init__(reason)
        self.after_s = after_s


class _Sockets:
    """Sockets of one exchange, so that its deadline can cut them from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self.cut = False

    def add(self, one: socket.socket) -> None:
        """Keep a socket; one that comes after the cut is cut at once."""
        with self._lock:
            self._open.append(one)
        if self.cut:
            self.close()

    def close(self) -> None:
        """End all of them: whoever waits in a read wakes up."""
        self.cut = True
        with self._lock:
            for one in self._open:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)


class _Connection(http.client.HTTPConnection):
    def __init__(self, host: str, *, sockets: _Sockets, **given: Any) -> None:
        super().__init__(host, **given)
        self._sockets = sockets

    def connect(self) -> None:
        super().connect()
        self._sockets.add(self.sock)


class _SecureConnection(http.client.HTTPSConnection):
    def __init__(self, host: str, *, sockets: _Sockets, **given: Any) -> None:
        super().__init__(host, **given)
        self._sockets = sockets

    def connect(self) -> None:
        super().connect()
        self._sockets.add(self.sock)


class _Handler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Both schemes, with the system's proxies left to urllib."""

    def __init__(self, sockets: _Sockets, context: ssl.SSLContext | None) -> None:
        super().__init__()
        self._sockets, self._trusted = sockets, context

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_Connection, sockets=self._sockets), request)

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_SecureConnection, sockets=self._sockets), request, context=self._trusted)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to a host that nobody named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class ChatClient:
    """Asks one server. Raises WriterError at once where the address or the key cannot be one; neither message nor
    `repr` ever holds the key."""

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    options: ServerOptions = field(default_factory=ServerOptions)

    def __post_init__(self) -> None:
        try:
            parts = urllib.parse.urlsplit(self.base_url)
            valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            valid = False
        if not valid or not self.base_url.isascii() or any(char.isspace() for char in self.base_url):
            raise WriterError(f"server address {self.base_url!r} is not an http(s) URL such as http://localhost:8000/v1")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise WriterError("a server address holds no user name, password, query or fragment; the key is set apart from it")
        if self.api_key is not None and not (self.api_key.isascii() and self.api_key.isprintable() and " " not in self.api_key):
            raise WriterError("the API key holds white space or characters that no HTTP header can carry")

    def complete(self, body: Mapping[str, Any], on_text: Callable[[str], None] | None = None) -> str:
        """The text that the server answers to a chat completion's `body`, its pieces also given to `on_text` as they come.

        Raises WriterError where the server is down, slow, refuses or breaks the protocol.
        """
        deadline = time.monotonic() + self.options.timeout_s
        attempts = max(0, self.options.retries) + 1
        for attempt in range(1, attempts + 1):
            try:
                return self._bounded(body, deadline, on_text)
            except _Retry as again:
                pause_s = self.options.backoff_s * 2 ** (attempt - 1) if again.after_s is None else again.after_s
                tried = f", tried {attempt} times" if attempt > 1 else ""
                if attempt == attempts:
                    raise WriterError(f"{again}{tried}") from None
                if time.monotonic() + pause_s >= deadline:
                    raise WriterError(f"{again}{tried}; to be asked again in {pause_s:g} s, which is too late") from None
                time.sleep(pause_s)
        raise AssertionError("the last attempt returns or raises")

    def _bounded(self, body: Mapping[str, Any], deadline: float, on_text: Callable[[str], None] | None) -> str:
        sockets = _Sockets()
        future: Future[str] = Future()

        def hear(text: str) -> None:
            # What comes after the deadline is nobody's business any more.
            if on_text is not None and not sockets.cut:
                on_text(text)

        def work() -> None:
            try:
                future.set_result(self._exchange(body, sockets, hear))
            except BaseException as error:  # handed to the waiting thread
                future.set_exception(error)

        threading.Thread(target=work, name="chat-client", daemon=True).start()
        try:
            return future.result(timeout=max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            raise WriterError(f"the language server did not finish within {self.options.timeout_s:g} s") from None
        finally:
            sockets.close()

    def _exchange(self, body: Mapping[str, Any], sockets: _Sockets, hear: Callable[[str], None]) -> str:
        accept = "text/event-stream, application/json" if self.options.stream else "application/json"
        headers = {"Content-Type": "application/json", "Accept": accept}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        data = json.dumps({**body, "stream": self.options.stream}).encode("utf-8")
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        request = urllib.request.Request(url, data=data, headers=headers, method="POST")  # noqa: S310 - scheme checked above
        try:
            opener = urllib.request.build_opener(_Handler(sockets, self._context()), _NoRedirect)
            with opener.open(request, timeout=self.options.idle_timeout_s) as response:
                return self._read(response, sockets, hear)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except TimeoutError:
            raise self._silence() from None
        except (urllib.error.URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise self._silence() from None
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise WriterError(f"the language server's certificate is not trusted: {reason.verify_message}") from None
            raise WriterError(f"the language server cannot be reached: {self._shown(str(reason))}") from None
        except (http.client.HTTPException, ValueError) as error:
            raise WriterError(f"the language server broke the protocol: {type(error).__name__}") from None

    def _context(self) -> ssl.SSLContext | None:
        if not self.base_url.lower().startswith("https:"):
            return None  # reading the system's certificates takes a while
        context = ssl.create_default_context()
        if self.options.ca_file is not None:
            try:
                context.load_verify_locations(cafile=self.options.ca_file)
            except (OSError, ssl.SSLError) as error:
                raise WriterError(f"{self.options.ca_file} holds no certificates that can be read: {error}") from None
        return context

    def _read(self, response: Any, sockets: _Sockets, hear: Callable[[str], None]) -> str:
        reader = AnswerReader(response.headers.get_content_type(), hear)
        size = 0
        try:
            while not reader.finished and not sockets.cut:
                part: bytes = response.read1(65536)
                if not part:
                    break
                size += len(part)
                if size > self.options.max_answer_bytes:
                    raise WriterError(f"the language server's answer is larger than {self.options.max_answer_bytes} bytes")
                reader.feed(part)
            return reader.text()
        except WriterError as error:
            raise WriterError(self._shown(str(error))) from None

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        """What an answer with another status than 200 comes to; the server's own words, shortened and without the key."""
        phrase = HTTPStatus(error.code).phrase if error.code in HTTPStatus._value2member_map_ else "an unknown status"
        reason = f"the language server answered {error.code} {phrase}"
        if 300 <= error.code < 400:
            return WriterError(f"{reason}: redirects are not followed, name the final address")
        told = self._told(error)
        reason += f" ({told})" if told else ""
        if error.code in RETRIED:
            return _Retry(reason, retry_after(error.headers.get("Retry-After"), time.time()))
        return WriterError(f"{reason}; {_ADVICE[error.code]}" if error.code in _ADVICE else reason)

    def _told(self, error: urllib.error.HTTPError) -> str:
        try:
            found = json.loads(error.read1(_MAX_ERROR_BYTES))["error"]
            return self._shown(str(found["message"] if isinstance(found, dict) else found))
        except Exception:  # an explanation that cannot be read is none; the status was said
            return ""

    def _shown(self, text: str) -> str:
        return clean_text(text.replace(self.api_key, "***") if self.api_key else text, 160)

    def _silence(self) -> WriterError:
        return WriterError(f"the language server sent nothing within {self.options.idle_timeout_s:g} s")


def retry_after(header: str | None, now: float) -> float | None:
    """Seconds that a Retry-After header asks for (RFC 9110, 10.2.3: seconds or a date); None where it is none."""
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header.strip()[:9])
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None
