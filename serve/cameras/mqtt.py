"""Events to a broker: MQTT with QoS 1 out of the store, so that a broker that is away for a day gets all of it afterwards.

An event leaves the outbox when the broker has acknowledged it. Between the two a killed process sends it again, with the
same `id` and `seq`: the broker gets each at least once, and who counts takes each id once.
"""

from __future__ import annotations

import json
import logging
import ssl
import threading
import time
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from serve.cameras.discovery import discovery_messages
from serve.cameras.kept import KeptEvents, Numbered
from serve.cameras.registry import Camera, Mqtt, read_password
from serve.store.errors import StoreError

logger = logging.getLogger("gauge.cameras.mqtt")

BATCH = 100
ACK_S = 10.0
IDLE_S = 2.0


class Publisher:
    """Sends what the store has not sent yet. `start` before, `stop` after; `wake` when something new is kept."""

    def __init__(self, options: Mqtt, cameras: Sequence[Camera], kept: KeptEvents, *, client_id: str = "") -> None:
        self._options = options
        self._cameras = cameras
        self._names = [camera.name for camera in cameras]
        self._kept = kept
        self._online = f"{options.prefix}/status"
        self._waiting: dict[int, Numbered] = {}
        """Sent and not acknowledged yet, by message id; paho sends them again when the broker is back."""
        self._acked: SimpleQueue[int] = SimpleQueue()
        self._taken: list[Numbered] = []
        self._wake, self._stop = threading.Event(), threading.Event()
        self._connected = threading.Event()
        self._client = self._make_client(client_id)
        self._thread = threading.Thread(target=self._run, name="gauge-mqtt", daemon=True)

    @property
    def is_connected(self) -> bool:
        """Whether the broker is there."""
        return self._connected.is_set()

    def start(self) -> None:
        """Connect, now or whenever the broker is there, and send."""
        self._client.connect_async(self._options.host, self._options.port, keepalive=30)
        self._client.loop_start()
        self._thread.start()

    def wake(self) -> None:
        """Something new is kept."""
        self._wake.set()

    def stop(self) -> None:
        """Send what can be sent at once, say good-bye, and end. What was not taken waits in the store."""
        self._stop.set()
        self._wake.set()
        self._thread.join(ACK_S + IDLE_S)
        if self._connected.is_set():
            self._client.publish(self._online, "offline", qos=1, retain=True).wait_for_publish(2.0)
        self._client.disconnect()
        self._client.loop_stop()

    def _make_client(self, client_id: str) -> paho.Client:
        client = paho.Client(CallbackAPIVersion.VERSION2, client_id=client_id)
        if self._options.user is not None:
            client.username_pw_set(self._options.user, read_password(self._options.password_file))
        if self._options.tls:
            client.tls_set_context(ssl.create_default_context())
        client.reconnect_delay_set(1, 60)
        client.will_set(self._online, "offline", qos=1, retain=True)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_publish = self._on_publish
        return client

    def _on_connect(self, client: paho.Client, _: Any, __: Any, reason: Any, ___: Any) -> None:
        if reason.is_failure:
            logger.error("the broker %s refuses: %s", self._options.host, reason)
            return
        for topic, message in discovery_messages(self._options, self._cameras):
            client.publish(topic, message, qos=1, retain=True)
        client.publish(self._online, "online", qos=1, retain=True)
        self._connected.set()
        self._wake.set()

    def _on_disconnect(self, _: paho.Client, __: Any, ___: Any, reason: Any, ____: Any) -> None:
        self._connected.clear()
        if not self._stop.is_set():
            logger.warning("the broker %s is away (%s): readings wait in the store", self._options.host, reason)

    def _on_publish(self, _: paho.Client, __: Any, mid: int, ___: Any, ____: Any) -> None:
        # Paho holds its own lock here, so that this may wait for nothing: the sender's thread does the rest.
        self._acked.put(mid)

    def _run(self) -> None:
        while True:
            self._wake.wait(IDLE_S)
            self._wake.clear()
            last = self._stop.is_set()
            try:
                self._settle(0.0)
                while self._connected.is_set() and not self._waiting and self._send():
                    self._settle(ACK_S)
            except StoreError as error:
                logger.error("the outbox cannot be used: %s", error)
            except Exception:
                logger.exception("sending failed; it is tried again")
            if last:
                return

    def _send(self) -> bool:
        """Give the oldest that wait to the client; whether there were any."""
        events = self._kept.unpublished(self._names, BATCH)
        for one in events:
            topic = f"{self._options.prefix}/{one.event.camera}/reading"
            info = self._client.publish(topic, message(one), qos=1, retain=True)
            self._waiting[info.mid] = one
        return bool(events)

    def _settle(self, wait_s: float) -> None:
        """Take what was acknowledged out of the outbox, waiting so long for all that was sent."""
        end = time.monotonic() + wait_s
        while True:
            left = end - time.monotonic() if self._waiting and self._connected.is_set() else 0.0
            try:
                mid = self._acked.get(block=left > 0, timeout=max(0.01, min(left, 0.5)))
            except Empty:
                if left <= 0:
                    break
                continue
            if mid in self._waiting:
                self._taken.append(self._waiting.pop(mid))
        self._kept.mark_published(self._taken)
        self._taken.clear()


def message(one: Numbered) -> str:
    """An event as JSON. Held and unread ones have `value` null and a reason: a display shows nothing rather than the past."""
    return json.dumps({"seq": one.seq, **one.event.model_dump(mode="json")}, ensure_ascii=False)
