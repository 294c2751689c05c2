"""A pipeline behind HTTP: what it says is scored; what it does wrong costs one row."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from eval.endpoint import Endpoint, EndpointOptions, score_endpoint
from eval.foreign_rows import ForeignCase, Row
from eval.score import EvalError

CONTEXT = "The rated pressure of the pump is 4 MPa."
Serve = Callable[[Callable[[BaseHTTPRequestHandler], None]], str]


def answer_json(handler: BaseHTTPRequestHandler, data: Any, status: int = 200) -> None:
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that answers as told, and gives its address."""
    running: list[ThreadingHTTPServer] = []

    def start(answer: Callable[[BaseHTTPRequestHandler], None]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        running.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/answer"

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


def asked(handler: BaseHTTPRequestHandler) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
    return found


def row(question: str = "What is the rated pressure?", line: int = 1) -> Row:
    return Row(line, ForeignCase(question=question, contexts=(), answer="", ground_truth=CONTEXT), None)


def test_a_question_is_asked_and_its_answer_scored(serve: Serve) -> None:
    seen: list[dict[str, Any]] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        seen.append(asked(handler))
        answer_json(handler, {"answer": CONTEXT, "retrieved_chunks": [{"text": CONTEXT}]})

    (scored,) = score_endpoint(Endpoint(serve(answer)), [row()])
    assert seen == [{"query": "What is the rated pressure?", "question": "What is the rated pressure?"}]
    assert scored.faithful.state == scored.correct.state == "supported"
    assert scored.latency_ms > 0


def test_one_bad_answer_does_not_end_the_run(serve: Serve) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        if "bad" in asked(handler)["query"]:
            answer_json(handler, {"detail": "out of order"}, 500)
        else:
            answer_json(handler, {"answer": CONTEXT, "retrieved_chunks": [CONTEXT]})

    broken = Row(3, None, "the line is not JSON")
    scored = list(score_endpoint(Endpoint(serve(answer)), [row(), row("a bad question", 2), broken, row(" ", 4), row(line=5)]))
    states = [one.faithful.state for one in scored]
    assert states == ["supported", "not_scorable", "not_scorable", "not_scorable", "supported"]
    assert scored[1].faithful.reason == "the endpoint answered 500"
    assert scored[3].faithful.reason == "the question is empty"


@pytest.mark.parametrize("target", ["file:///etc/passwd", "/elsewhere", "http://127.0.0.1:1/"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(serve: Serve, status: int, target: str) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked(handler)
        handler.send_response(status)
        handler.send_header("Location", target)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    with pytest.raises(EvalError, match=f"answered {status}: redirects are not followed"):
        Endpoint(serve(answer)).ask("q")


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1]", b'{"answer": 3}', b'{"answer": "a"}', b"[" * 100_000, b"\xff"])
def test_what_is_no_answer_is_one_line(serve: Serve, body: bytes) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked(handler)
        answer_json(handler, body)

    with pytest.raises(EvalError) as caught:
        Endpoint(serve(answer)).ask("q")
    assert "\n" not in str(caught.value)


def test_an_endless_answer_stops_at_the_limit(serve: Serve) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked(handler)
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x" * 65536)

    with pytest.raises(EvalError, match="larger than 100000 bytes"):
        Endpoint(serve(answer), EndpointOptions(max_answer_bytes=100_000)).ask("q")


def test_a_server_that_drips_costs_its_time_and_no_more(serve: Serve) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked(handler)
        handler.send_response(200)
        handler.end_headers()
        for _ in range(40):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)

    started = time.monotonic()
    with pytest.raises(EvalError, match=r"within 0\.3 s"):
        Endpoint(serve(answer), EndpointOptions(timeout_s=0.3)).ask("q")
    assert time.monotonic() - started < 1.5


def test_nobody_there() -> None:
    with pytest.raises(EvalError, match="cannot be reached"):
        Endpoint("http://127.0.0.1:9/answer").ask("q")


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://a/b", "localhost:80", "", "http://", "http://a b/", "http://[", "x" * 999]
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(EvalError, match=r"no http\(s\) URL"):
        Endpoint(url)
