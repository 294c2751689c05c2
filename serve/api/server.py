"""The server process: what it refuses to start with, how it treats slow clients, and how it ends."""

from __future__ import annotations

import asyncio
import copy
import ipaddress
import logging
import time
from types import FrameType
from typing import Any

import h11
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from rag.trace import RequestFilter
from serve.api.app import create_app
from serve.api.lifecycle import Lifecycle
from serve.service import open_service
from serve.settings import load_settings
from serve.store.home_lock import hold_home
from serve.store.store import Store

logger = logging.getLogger("gauge.http")

HEAD_S = 15.0
"""A connection that has not sent a whole request head by then is closed."""
WATCH_S = 5.0
MAX_CONNECTIONS = 512
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})


class ServeError(Exception):
    """The server must not start like this; the message says what to do."""


def run_server(host: str, port: int, weights: str | None = None) -> None:
    """Serve until interrupted. Everything is loaded before the port opens, so that a fault shows at once.

    Raises ServeError where other machines could reach a server that asks for no key, StoreError where the database cannot
    be used, RegistryError where GAUGE_CAMERAS names a file that cannot.
    """
    settings = load_settings().model_copy(update={"traceback": True})  # A log is read later, by somebody else.
    service = open_service(settings, weights=weights)
    store = Store.open(settings)
    try:
        if not is_loopback(host) and not store.keys.any_hold():
            raise ServeError(
                f"{host} can be reached from other machines and no key is set up, so anybody could use this server; make a "
                "key first (gauge keys create NAME --scopes read,inspect), or listen on 127.0.0.1"
            )
        # Where a key is asked for, a name bent to this machine wins nothing, and a proxy in front may bring its own name.
        hosts = LOOPBACK_NAMES if is_loopback(host) and not store.keys.are_asked() else None
        app = create_app(settings, service, store, hosts=hosts)  # Before the model: a wrong file of cameras shows at once.
        service.load()
        lifecycle: Lifecycle = app.state.parts.lifecycle
        config = Config(
            app,
            host=host,
            port=port,
            log_level="info",
            log_config=server_logging(),
            server_header=False,
            http=_patient(settings.upload_timeout_s),
            ws="none",
            limit_concurrency=MAX_CONNECTIONS,
            timeout_graceful_shutdown=int(settings.request_timeout_s) + 5,
        )
        with hold_home(settings.home):  # No restore puts another home under a running server.
            DrainingServer(config, lifecycle, settings.request_timeout_s).run()
    finally:
        store.close()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address to listen on."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class DrainingServer(Server):
    """At the first signal it takes nothing new (503) and ends what it took; then, or at a second signal, it stops."""

    def __init__(self, config: Config, lifecycle: Lifecycle, drain_s: float) -> None:
        super().__init__(config)
        self._lifecycle = lifecycle
        self._drain_s = drain_s
        self._told: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal drains, the next ones are uvicorn's."""
        if self._told is None:
            self._told = time.monotonic()
            self._captured_signals.append(sig)
            self._lifecycle.stop()
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Whether to stop now."""
        if self._told is not None:
            waited = time.monotonic() - self._told
            if self._lifecycle.open_requests == 0 or waited > self._drain_s:
                self.should_exit = True
        return await super().on_tick(counter)


class PatientProtocol(H11Protocol):
    """HTTP for clients of which some are slow on purpose: a head that drips in and an answer that is not taken end it."""

    stall_s = 60.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch."""
        super().connection_made(transport)
        self._head_since: float | None = self.loop.time()
        self._stuck_since: float | None = None
        self._stuck_bytes = 0
        self._watching = self.loop.call_later(WATCH_S, self._watch)

    def connection_lost(self, exc: Exception | None) -> None:
        """Watch no more."""
        self._watching.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """The head of the next request begins with its first byte."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._head_since = self._head_since or self.loop.time()
        else:
            self._head_since = None

    def _watch(self) -> None:
        now = self.loop.time()
        late = self._head_since is not None and self.conn.their_state is h11.IDLE and now - self._head_since > HEAD_S
        waiting = self.transport.get_write_buffer_size()
        if waiting == 0 or waiting != self._stuck_bytes:
            self._stuck_since = None if waiting == 0 else now
        self._stuck_bytes = waiting
        stuck = self._stuck_since is not None and now - self._stuck_since > self.stall_s
        if late or stuck:
            logger.info("a connection was cut off: %s", "no request came" if late else "its answer was not taken")
            self.transport.abort()
            return
        self._watching = self.loop.call_later(WATCH_S, self._watch)


def _patient(stall_s: float) -> type[PatientProtocol]:
    return type("Patient", (PatientProtocol,), {"stall_s": stall_s})


def server_logging() -> dict[str, Any]:
    """The server's own logging, each line with the id of its request."""
    from uvicorn.config import LOGGING_CONFIG

    config: dict[str, Any] = copy.deepcopy(LOGGING_CONFIG)
    config["filters"] = {"request": {"()": RequestFilter}}
    for handler in config["handlers"].values():
        handler["filters"] = ["request"]
    for formatter in config["formatters"].values():
        formatter["fmt"] += "%(request)s"
    return config
