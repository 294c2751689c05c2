"""A real server on a real port in a thread of the tests, for what only sockets show."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from serve.api.server import _patient
from serve.commands.serve_bench_server import free_port


@contextmanager
def serving(app: FastAPI, stall_s: float = 60.0) -> Iterator[str]:
    """The address of `app`, served as `gauge serve` serves it."""
    port = free_port()
    config = uvicorn.Config(app, port=port, log_level="warning", http=_patient(stall_s), ws="none", server_header=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + 60
    while not server.started:
        assert time.monotonic() < until, "the server did not start"
        assert thread.is_alive(), "the server ended"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive(), "the server does not end"
