"""A real local HTTP server that answers well, badly, slowly or not at all: a text, or one line that says why not, in time."""

from __future__ import annotations

import email.utils
import itertools
import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.chat_answer import EventReader
from rag.chat_client import ChatClient, ServerOptions, retry_after
from rag.errors import WriterError
from tests.rag.chat_server import Answer, ChatServer, completion, event, reply, say, stream

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
KEY = "sk-secret-123"
Handler = BaseHTTPRequestHandler


@pytest.fixture
def server() -> Iterator[ChatServer]:
    running = ChatServer()
    running.answer = lambda handler, body: say(handler, '["a.", "温度为 5 °C。"]', body)
    yield running
    running.close()


def client(server: ChatServer, **changes: Any) -> ChatClient:
    given: dict[str, Any] = {"timeout_s": 20.0, "idle_timeout_s": 10.0, "backoff_s": 0.01, **changes}
    return ChatClient(server.url, KEY, ServerOptions(**given))


@pytest.mark.parametrize("streamed", [True, False])
def test_an_answer_whole_or_streamed(server: ChatServer, streamed: bool) -> None:
    heard: list[str] = []
    assert client(server, stream=streamed).complete(BODY, heard.append) == '["a.", "温度为 5 °C。"]'
    assert "".join(heard) == '["a.", "温度为 5 °C。"]'
    assert (len(heard) > 1) is streamed
    assert server.bodies == [{**BODY, "stream": streamed}]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.paths == ["/v1/chat/completions"]


def test_a_server_that_cannot_stream_answers_whole(server: ChatServer) -> None:
    server.answer = lambda h, b: reply(h, completion("whole"))
    assert client(server).complete(BODY) == "whole"


def test_events_under_another_content_type(server: ChatServer) -> None:
    server.answer = lambda h, b: reply(h, event("a") + event("b", "stop") + b"data: [DONE]\n\n", kind="text/plain")
    assert client(server).complete(BODY) == "ab"


def test_what_streams_carry_besides_text(server: ChatServer) -> None:
    usage = b'data: {"choices": [], "usage": {"total_tokens": 5}}\n\n'
    quiet = b'data: {"choices": [{"delta": {"role": "assistant", "content": null}, "finish_reason": null}]}\n\n'
    parts = [b"\xef\xbb\xbf: keep-alive\r\n\r\n", b"event: x\r\nid: 1\r\n", quiet, event("a"), event("b", "stop"), usage]
    server.answer = lambda h, b: stream(h, parts)
    assert client(server).complete(BODY) == "ab"


def test_nothing_is_read_behind_the_end(server: ChatServer) -> None:
    server.answer = lambda h, b: stream(h, [event("a"), b"data: [DONE]\n\n", event("b"), b"data: nonsense\n\n"])
    assert client(server).complete(BODY) == "a"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda h, b: reply(h, b"<html><body>Welcome</body></html>", kind="text/html"), "text/html.*not a chat completion"),
        (lambda h, b: reply(h, b"not json"), "not a chat completion"),
        (lambda h, b: reply(h, b""), "not a chat completion"),
        (lambda h, b: reply(h, completion("half")[:40]), "not a chat completion"),
        (lambda h, b: reply(h, b"[]"), "not a chat completion"),
        (lambda h, b: reply(h, b"{}"), "no choices"),
        (lambda h, b: reply(h, b'{"choices": []}'), "no choices"),
        (lambda h, b: reply(h, b'{"choices": [5]}'), "no choices"),
        (lambda h, b: reply(h, completion(5)), "no text"),
        (lambda h, b: reply(h, completion(None)), "no text"),
        (lambda h, b: reply(h, completion("[", "length")), "limit of tokens"),
        (lambda h, b: reply(h, completion("", "content_filter")), "filter"),
        (lambda h, b: reply(h, b'{"error": {"message": "out of memory"}}'), "out of memory"),
        (lambda h, b: reply(h, b"[" * 100_000), "not a chat completion"),
        (lambda h, b: reply(h, b'{"a": "\xff\xfe"}'), "not UTF-8"),
        (lambda h, b: reply(h, b" " * 1_200_000), "larger than 1000000 bytes"),
        (lambda h, b: stream(h, [event("a"), b"data: \xff\xff\n\n"]), "not UTF-8"),
        (lambda h, b: stream(h, [event("a"), b"data: {half\n\n"]), "not a chat completion"),
        (lambda h, b: stream(h, [event("a"), b'data: {"error": "overloaded"}\n\n']), "overloaded"),
        (lambda h, b: stream(h, [event("a"), event(None, "length")]), "limit of tokens"),
        (lambda h, b: stream(h, [event("a")]), "broke off"),
        (lambda h, b: stream(h, []), "broke off"),
        (lambda h, b: stream(h, [b"x" * 70_000] * 20), "larger than"),
        (lambda h, b: h.connection.close(), "reached|protocol"),
        (lambda h, b: h.wfile.write(b"garbage\r\n\r\n"), "protocol|reached"),
        (lambda h, b: h.wfile.write(b"HTTP/1.0 200 OK\r\n" + b"X: y\r\n" * 300 + b"\r\n"), "protocol"),
    ],
)
def test_bad_answers_are_one_line(server: ChatServer, answer: Answer, message: str) -> None:
    server.answer = answer
    started = time.monotonic()
    with pytest.raises(WriterError, match=message) as caught:
        client(server).complete(BODY)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(("status", "message"), [(401, "401 Unauthorized.*API key"), (403, "key"), (404, "model"), (400, "400")])
def test_a_refusal_is_final_and_says_what_to_look_at(server: ChatServer, status: int, message: str) -> None:
    server.answer = lambda h, b: reply(h, json.dumps({"error": {"message": f"bad key {KEY}\nline"}}).encode(), status)
    with pytest.raises(WriterError, match=message) as caught:
        client(server).complete(BODY)
    assert KEY not in str(caught.value)
    assert "bad key *** line" in str(caught.value)
    assert len(server.paths) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(server: ChatServer, status: int) -> None:
    def first_busy(handler: Handler, body: dict[str, Any]) -> None:
        if len(server.paths) < 3:
            reply(handler, b"busy", status)
        else:
            say(handler, "done", body)

    server.answer = first_busy
    assert client(server).complete(BODY) == "done"
    assert len(server.paths) == 3


def test_tries_have_an_end(server: ChatServer) -> None:
    server.answer = lambda h, b: reply(h, b"<html>", 500, kind="text/html")
    with pytest.raises(WriterError, match=r"500 Internal Server Error, tried 3 times"):
        client(server).complete(BODY)
    assert len(server.paths) == 3


def test_the_servers_own_pause_is_kept(server: ChatServer) -> None:
    def busy_once(handler: Handler, body: dict[str, Any]) -> None:
        if len(server.paths) == 1:
            reply(handler, b"{}", 429, Retry_After="1")
        else:
            say(handler, "done", body)

    server.answer = busy_once
    started = time.monotonic()
    assert client(server).complete(BODY) == "done"
    assert time.monotonic() - started >= 1.0


def test_a_pause_that_is_too_long_is_not_waited_for(server: ChatServer) -> None:
    server.answer = lambda h, b: reply(h, b"{}", 429, Retry_After="3600")
    with pytest.raises(WriterError, match="429 Too Many Requests; to be asked again in 3600 s"):
        client(server).complete(BODY)
    assert len(server.paths) == 1


def test_pauses_as_seconds_or_dates() -> None:
    now = 1_800_000_000.0
    assert retry_after("7", now) == 7.0
    assert retry_after(email.utils.formatdate(now + 30, usegmt=True), now) == pytest.approx(30.0)
    assert retry_after(email.utils.formatdate(now - 30, usegmt=True), now) == 0.0
    assert retry_after("99999999999999999999", now) == 999_999_999.0
    for nonsense in (None, "", "soon", "-5", "Wed, 99 Foo"):
        assert retry_after(nonsense, now) is None


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(server: ChatServer, status: int) -> None:
    server.answer = lambda h, b: reply(h, b"", status, Location=f"{server.url}/elsewhere")
    with pytest.raises(WriterError, match=f"{status}.*redirects are not followed"):
        client(server).complete(BODY)
    assert len(server.paths) == 1


def drip(handler: Handler, first: bytes, part: bytes, pause_s: float) -> None:
    handler.wfile.write(first)
    for _ in range(200):
        handler.wfile.write(part)
        handler.wfile.flush()
        time.sleep(pause_s)


HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: "


@pytest.mark.parametrize(
    "answer",
    [
        lambda h, b: drip(h, HEAD + b"application/json\r\n\r\n", b" ", 0.05),
        lambda h, b: drip(h, HEAD + b"text/event-stream\r\n\r\n", b": still here\n\n", 0.05),
        lambda h, b: drip(h, HEAD + b"text/event-stream\r\n\r\n", event("and more "), 0.05),
        lambda h, b: drip(h, HEAD, b"x", 0.05),
        lambda h, b: drip(h, b"", b"H", 0.05),
    ],
    ids=["body", "comments", "endless text", "header", "status line"],
)
def test_a_server_that_drips_costs_no_more_than_the_deadline(server: ChatServer, answer: Answer) -> None:
    server.answer = answer
    started = time.monotonic()
    with pytest.raises(WriterError, match=r"did not finish within 0\.4 s"):
        client(server, timeout_s=0.4).complete(BODY)
    assert time.monotonic() - started < 5
    left = [thread for thread in threading.enumerate() if thread.name == "chat-client"]
    for thread in left:
        thread.join(5.0)
    assert not any(thread.is_alive() for thread in left)


@pytest.mark.parametrize("begun", [b"", HEAD + b"text/event-stream\r\n\r\n" + event("a")])
def test_a_server_that_falls_silent(server: ChatServer, begun: bytes) -> None:
    def silent(handler: Handler, body: dict[str, Any]) -> None:
        handler.wfile.write(begun)
        handler.wfile.flush()
        time.sleep(1.5)

    server.answer = silent
    started = time.monotonic()
    with pytest.raises(WriterError, match=r"sent nothing within 0\.2 s"):
        client(server, idle_timeout_s=0.2).complete(BODY)
    assert time.monotonic() - started < 5


def test_an_endless_fast_stream_ends_at_its_size(server: ChatServer) -> None:
    server.answer = lambda h, b: stream(h, itertools.repeat(event("x" * 1000)))
    started = time.monotonic()
    with pytest.raises(WriterError, match="larger than 50000 bytes"):
        client(server, max_answer_bytes=50_000).complete(BODY)
    assert time.monotonic() - started < 20


def test_nothing_is_heard_after_the_deadline(server: ChatServer) -> None:
    server.answer = lambda h, b: drip(h, HEAD + b"text/event-stream\r\n\r\n", event("x"), 0.05)
    heard: list[str] = []
    with pytest.raises(WriterError, match="did not finish"):
        client(server, timeout_s=0.3).complete(BODY, heard.append)
    count = len(heard)
    time.sleep(0.2)
    assert len(heard) == count > 0


def test_a_listener_that_fails_is_the_callers_business(server: ChatServer) -> None:
    def fail(text: str) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        client(server).complete(BODY, fail)


def test_a_server_that_is_down() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(WriterError, match="cannot be reached"):
        ChatClient(f"http://127.0.0.1:{port}/v1").complete(BODY)


def test_a_server_that_does_not_speak_tls(server: ChatServer) -> None:
    with pytest.raises(WriterError, match=r"cannot be reached.*SSL"):
        ChatClient(server.url.replace("http:", "https:")).complete(BODY)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate and its key for 127.0.0.1, in one file."""
    folder = tmp_path_factory.mktemp("tls")
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *name]
    try:
        subprocess.run(
            [*made, "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")], check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("openssl is not installed")
    whole = folder / "both.pem"
    whole.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return whole


@pytest.fixture
def secure_server(certificate: Path) -> Iterator[ChatServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    running = ChatServer(context)
    running.answer = lambda handler, body: say(handler, "done", body)
    yield running
    running.close()


def test_a_certificate_that_nobody_vouches_for_is_refused(secure_server: ChatServer) -> None:
    with pytest.raises(WriterError, match="certificate is not trusted"):
        client(secure_server).complete(BODY)
    assert secure_server.headers == []


def test_a_certificate_can_be_trusted_by_file(secure_server: ChatServer, certificate: Path) -> None:
    assert client(secure_server, ca_file=certificate).complete(BODY) == "done"


def test_a_file_that_holds_no_certificates(secure_server: ChatServer, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing")
    for path in (tmp_path / "ca.pem", tmp_path / "missing.pem"):
        with pytest.raises(WriterError, match="no certificates"):
            client(secure_server, ca_file=path).complete(BODY)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "file:///etc/passwd",
        "ftp://x/v1",
        "http://",
        "javascript:1",
        "http://a b/v1",
        "http://x:99999",
        "http://[::1",
    ],
)
def test_addresses_that_are_not_http_are_refused_at_once(url: str) -> None:
    with pytest.raises(WriterError, match=r"not an http\(s\) URL"):
        ChatClient(url)


def test_secrets_in_an_address_are_refused_and_not_repeated() -> None:
    for url in ("http://user:hunter2@host/v1", "http://host/v1?key=hunter2", "http://host/v1#hunter2"):
        with pytest.raises(WriterError) as caught:
            ChatClient(url)
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("key", ["line\nbreak", "sp ace", "schlüssel", "\x00"])
def test_a_key_that_no_header_can_carry_is_not_repeated(key: str) -> None:
    with pytest.raises(WriterError, match="API key") as caught:
        ChatClient("http://host/v1", key)
    assert key not in str(caught.value)


def test_the_key_is_in_no_repr() -> None:
    assert KEY not in repr(ChatClient("http://host/v1", KEY))


EVENTS = "data: 一二\r\n\r\n: comment\n\ndata: a\ndata: b\n\rdata:c\r\revent: x\n\ndata: [DONE]\n\n".replace(
    "\n\r", "\n\n"
).encode()


@given(st.lists(st.integers(1, len(EVENTS) - 1), max_size=12))
def test_events_are_the_same_however_the_bytes_are_cut(cuts: list[int]) -> None:
    bounds = [0, *sorted(set(cuts)), len(EVENTS)]
    reader = EventReader()
    found = [data for start, end in itertools.pairwise(bounds) for data in reader.feed(EVENTS[start:end])]
    found += reader.feed(b"", last=True)
    assert found == ["一二", "a\nb", "c", "[DONE]"]
