"""What the server refuses to start with, how it ends, and what it does with bodies that drip in."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from uvicorn import Config

from serve.api import server
from serve.api.app import create_app
from serve.api.lifecycle import Lifecycle
from serve.api.middleware import Gatekeeper
from serve.api.server import DrainingServer, ServeError, is_loopback, run_server
from serve.service import Service
from serve.settings import Settings
from serve.store.home_lock import UNFINISHED
from serve.store.store import Store
from tests.serve.conftest import Gauge


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        ("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("[::1]", True), ("localhost", True), ("0.0.0.0", False),
        ("::", False), ("192.168.1.4", False), ("gauge.example", False), ("", False), ("localhost.evil.example", False),
    ],
)  # fmt: skip
def test_which_addresses_only_this_machine_reaches(host: str, alone: bool) -> None:
    assert is_loopback(host) is alone


@pytest.fixture
def started(service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Config]:
    """Configurations of the servers that would have run."""
    configs: list[Config] = []
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(server, "open_service", lambda *_, **__: service)
    monkeypatch.setattr(DrainingServer, "run", lambda self: configs.append(self.config))
    return configs


def test_nobody_serves_other_machines_without_a_key(started: list[Config], tmp_path: Path) -> None:
    with pytest.raises(ServeError, match="gauge keys create"):
        run_server("0.0.0.0", 8000)
    store = Store.open(Settings(home=tmp_path / "home"))
    made = store.keys.create("a", ["read"])
    run_server("0.0.0.0", 8000)
    store.keys.revoke(made.key.id)
    store.close()
    with pytest.raises(ServeError, match="anybody could use"):
        run_server("0.0.0.0", 8000)
    assert len(started) == 1


def test_a_machine_without_keys_is_asked_under_its_own_names_and_one_with_keys_under_any(
    started: list[Config], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    real = server.create_app
    monkeypatch.setattr(server, "create_app", lambda *args, hosts: asked.append(hosts) or real(*args, hosts=hosts))
    run_server("127.0.0.1", 8000)
    store = Store.open(Settings(home=tmp_path / "home"))
    store.keys.create("a", ["read"])
    store.close()
    run_server("127.0.0.1", 8000)  # Now a proxy may stand in front of it.
    run_server("0.0.0.0", 8000)
    assert asked == [server.LOOPBACK_NAMES, None, None]


def test_this_machine_alone_needs_no_key_and_one_command(started: list[Config], gauge: Gauge) -> None:
    assert gauge("serve", "--port", "8765").code == 0
    (config,) = started
    assert (config.host, config.port) == ("127.0.0.1", 8765)
    assert not config.server_header


def test_the_refusal_is_one_line(started: list[Config], gauge: Gauge) -> None:
    answer = gauge("serve", "--host", "0.0.0.0")
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert "listen on 127.0.0.1" in answer.err


def test_a_home_whose_restore_broke_off_is_not_served(started: list[Config], tmp_path: Path, gauge: Gauge) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / UNFINISHED).touch()
    assert "restore was broken off" in gauge("serve").err
    assert started == []


def test_the_first_signal_drains_and_the_server_ends_when_all_is_answered() -> None:
    lifecycle = Lifecycle()
    draining = DrainingServer(Config(Gatekeeper, log_config=None), lifecycle, drain_s=60)
    lifecycle.begin()

    async def tick() -> bool:
        return await draining.on_tick(1)

    assert asyncio.run(tick()) is False
    draining.handle_exit(signal.SIGTERM, None)
    assert lifecycle.is_stopping
    assert asyncio.run(tick()) is False
    lifecycle.end()
    assert asyncio.run(tick()) is True


def test_who_never_ends_is_not_waited_for_for_ever_and_a_second_signal_ends_at_once() -> None:
    for drain_s, signals in ((-1.0, 1), (60.0, 2)):
        lifecycle = Lifecycle()
        draining = DrainingServer(Config(Gatekeeper, log_config=None), lifecycle, drain_s)
        lifecycle.begin()
        for _ in range(signals):
            draining.handle_exit(signal.SIGTERM, None)
        assert asyncio.run(draining.on_tick(1)) is True


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    with TestClient(create_app(service.settings, service)) as client:
        yield client


def test_while_it_ends_nothing_new_is_taken(client: TestClient) -> None:
    client.app.state.parts.lifecycle.stop()  # type: ignore[attr-defined]
    answer = client.get("/reports")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert answer.json()["type"].endswith(":stopping")
    assert client.get("/health").json()["status"] == "stopping"
    assert client.get("/ready").status_code == 503
    assert client.get("/metrics").status_code == 200


def test_a_slow_upload_is_a_problem_of_408(service: Service) -> None:
    """Through the whole app: the form parser must let the problem through."""
    settings = service.settings.model_copy(update={"upload_timeout_s": 0.1})
    app = create_app(settings, service)
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    sent: list[dict[str, object]] = []

    async def drip() -> dict[str, object]:
        await asyncio.sleep(0.03)
        return {"type": "http.request", "body": head, "more_body": True}

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/inspect", "raw_path": b"/inspect", "query_string": b"", "scheme": "http",
        "headers": [(b"content-type", b"multipart/form-data; boundary=x")], "server": ("x", 80), "client": ("y", 1),
        "http_version": "1.1", "root_path": "", "asgi": {"version": "3.0"},
    }  # fmt: skip
    with TestClient(app):
        asyncio.run(app(scope, drip, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 408
    assert b"did not arrive within 0.1 s" in sent[1]["body"]  # type: ignore[operator]
