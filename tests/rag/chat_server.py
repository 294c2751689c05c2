"""A real HTTP server on this machine that speaks the chat protocol, and whatever else a test wants of it."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


class ChatServer:
    """An OpenAI-compatible server whose answer a test chooses; it keeps what it was sent."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.answer: Answer = echo
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                outer.headers.append(dict(self.headers))
                outer.paths.append(self.path)
                outer.answer(self, body)

            def log_message(self, *_: Any) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass  # the client hangs up on purpose in some tests

        self._http = Quiet(("127.0.0.1", 0), Handler)
        if context is not None:
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        scheme = "http" if context is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self._http.server_port}/v1"

    def close(self) -> None:
        """Stop serving."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def reply(
    handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, kind: str = "application/json", **headers: str
) -> None:
    """One whole answer."""
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def completion(text: Any, finish: str | None = "stop") -> bytes:
    """A chat completion with this content."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return json.dumps({"object": "chat.completion", "choices": [choice]}).encode()


def event(text: str | None, finish: str | None = None) -> bytes:
    """One server-sent event of a chat completion."""
    delta = {} if text is None else {"content": text}
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


def stream(handler: BaseHTTPRequestHandler, parts: Iterable[bytes], kind: str = "text/event-stream; charset=utf-8") -> None:
    """An answer in chunked pieces, each sent at once."""
    handler.protocol_version = "HTTP/1.1"
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for part in parts:
        handler.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        handler.wfile.flush()
    handler.wfile.write(b"0\r\n\r\n")


def say(handler: BaseHTTPRequestHandler, text: str, body: dict[str, Any]) -> None:
    """`text` as the answer: in events of a few characters where the client asked for a stream, else whole."""
    if not body.get("stream"):
        reply(handler, completion(text))
        return
    pieces = [event(text[at : at + 7]) for at in range(0, len(text), 7)]
    stream(handler, [event(""), *pieces, event(None, "stop"), b"data: [DONE]\n\n"])


def facts_of(body: dict[str, Any]) -> list[str]:
    """The facts that a prompt asks to put into words."""
    user = body["messages"][1]["content"]
    head = "# Facts\n" if "# Facts\n" in user else "# 事实\n"
    facts = user.split(head)[1].split("\n#")[0]
    return [line.split("<<<", 1)[1].removesuffix(">>>") for line in facts.splitlines()]


def echo(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Every fact as it is."""
    say(handler, json.dumps(facts_of(body), ensure_ascii=False), body)
