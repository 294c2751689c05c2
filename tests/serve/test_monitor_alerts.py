"""Alerts: none lost, none twice, none that hurts the program; sent to a real local server that fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from serve.monitor.alerts import Alert, AlertOptions, Alerts
from serve.monitor.webhook import Webhook, alert_body, sign
from serve.settings import Settings
from serve.store.store import Store


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Receiver:
    """A webhook's other end: answers with the statuses given, then 200, and keeps what came."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.taken: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver.statuses.pop(0) if receiver.statuses else 200
                if status == 200:
                    receiver.taken.append((dict(self.headers), body))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                if status == 302:
                    self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/token-of-a-chat"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    one = Receiver()
    yield one
    one.server.shutdown()
    one.server.server_close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def alerts(store: Store, clock: Clock) -> Alerts:
    return Alerts(store.database, clock=clock)


def test_one_key_is_said_once_in_its_time(alerts: Alerts, clock: Clock) -> None:
    assert alerts.say("latency", "alarm", "slow") is not None
    clock.now += 3599
    assert alerts.say("latency", "alarm", "still slow") is None
    assert alerts.say("anchors", "alarm", "another key") is not None
    clock.now += 2
    assert alerts.say("latency", "alarm", "slow again") is not None
    assert alerts.waiting() == 3


def test_a_clock_set_back_silences_nothing(alerts: Alerts, clock: Clock) -> None:
    alerts.say("latency", "alarm", "slow")
    clock.now -= 86_400
    assert alerts.say("latency", "alarm", "slow") is not None


def test_a_clock_set_back_delays_no_sending(alerts: Alerts, clock: Clock, receiver: Receiver) -> None:
    clock.now += 30 * 86_400  # it was wrong when this was said
    alerts.say("latency", "alarm", "slow")
    assert alerts.deliver(lambda _: "not now") == 0
    clock.now -= 30 * 86_400
    assert alerts.deliver(Webhook(receiver.url).send) == 1
    assert alerts.deliver(Webhook(receiver.url).send) == 0


def test_a_failing_receiver_gets_it_later_and_once(alerts: Alerts, clock: Clock, receiver: Receiver) -> None:
    hook = Webhook(receiver.url, "secret", clock)
    receiver.statuses = [500, 503, 302]
    said = alerts.say("latency", "alarm", "P95 1200 ms")
    assert said is not None
    for wait in (5, 10, 20):
        assert alerts.deliver(hook.send) == 0
        clock.now += wait - 0.5
        assert alerts.deliver(hook.send) == 0  # not due yet: the server is not asked
        clock.now += 0.6
    assert alerts.deliver(hook.send) == 1
    assert alerts.deliver(hook.send) == 0
    (taken,) = receiver.taken
    assert json.loads(taken[1])["text"] == "GaugeRAG alarm: P95 1200 ms"
    assert taken[0]["X-Gauge-Delivery"] == said.id
    assert taken[0]["X-Gauge-Signature"] == sign("secret", taken[0]["X-Gauge-Timestamp"], taken[1])
    assert taken[0]["X-Gauge-Signature"] != sign("another", taken[0]["X-Gauge-Timestamp"], taken[1])
    assert alerts.waiting() == 0
    assert alerts.newest()[0].sent == clock.now


def test_the_outbox_survives_a_restart(tmp_path: Path, clock: Clock, receiver: Receiver) -> None:
    settings = Settings(home=tmp_path / "home")
    first = Store.open(settings)
    Alerts(first.database, clock=clock).say("anchors", "warning", "three failed")
    first.close()
    second = Store.open(settings)
    assert Alerts(second.database, clock=clock).deliver(Webhook(receiver.url).send) == 1
    second.close()
    assert "X-Gauge-Signature" not in receiver.taken[0][0]


def test_nobody_there_is_a_reason_and_shows_no_address(alerts: Alerts) -> None:
    hook = Webhook("http://127.0.0.1:9/token-of-a-chat")
    alerts.say("latency", "alarm", "slow")
    assert alerts.deliver(hook.send) == 0
    reason = alerts.newest()[0].reason
    assert reason is not None
    assert "ConnectError" in reason
    assert "token" not in reason


@pytest.mark.parametrize("url", ["nonsense", "http://", "http://[::1", "ftp://127.0.0.1/x"])
def test_a_wrong_address_is_a_reason(url: str) -> None:
    assert Webhook(url).send(Alert(id="1", at=0.0, key="k", level="alarm", text="x")) is not None


def test_what_nobody_ever_takes_is_given_up(store: Store, clock: Clock) -> None:
    alerts = Alerts(store.database, AlertOptions(tries=3), clock)
    alerts.say("latency", "alarm", "slow")
    tried: list[str] = []

    def refuse(alert: Alert) -> str:
        tried.append(alert.id)
        return "no"

    for _ in range(10):
        alerts.deliver(refuse)
        clock.now += 3600
    assert len(tried) == 3
    assert alerts.waiting() == 0
    assert alerts.newest()[0].reason == "given up after 3 tries: no"


def test_two_processes_do_not_send_one_alert_twice(store: Store, clock: Clock) -> None:
    one, two = Alerts(store.database, clock=clock), Alerts(store.database, clock=clock)
    for n in range(10):
        one.say(f"k{n}", "alarm", "x")
    sent: list[str] = []

    def take(alert: Alert) -> None:
        sent.append(alert.id)
        if len(sent) < 5:
            two.deliver(take, most=1)  # while the first one is still sending

    one.deliver(take)
    assert len(sent) == len(set(sent)) == 10


def test_texts_of_any_kind_become_json() -> None:
    for text in ("中文 🙂", "\x00\ud800", "<script>", "x" * 100_000):
        body = alert_body(Alert(id="1", at=0.0, key="k", level="notice", text=text))
        assert json.loads(body.decode("utf-8", "surrogatepass"))["text"].endswith(text)
