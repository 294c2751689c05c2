"""Cameras for Prometheus, on a port of their own: their values are not for everyone who may see the server's counts."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from serve.cameras.errors import OutputError
from serve.cameras.events import CameraEvent

STATUSES = ("good", "held", "not_read", "no_picture")


class Board(Collector):
    """The newest event of each camera and how many there were. Safe to share between threads."""

    def __init__(self, cameras: Sequence[str], steady: Callable[[], float]) -> None:
        self._lock = threading.Lock()
        self._steady = steady
        self._newest: dict[str, CameraEvent] = {}
        self._good_at_s: dict[str, float] = {}
        self._counts: Counter[tuple[str, str]] = Counter({(camera, status): 0 for camera in cameras for status in STATUSES})

    def see(self, event: CameraEvent) -> None:
        """A new event."""
        with self._lock:
            self._newest[event.camera] = event
            self._counts[event.camera, event.status] += 1
            if event.status == "good":
                self._good_at_s[event.camera] = self._steady()

    def describe(self) -> Iterable[Any]:
        """What it has."""
        return _families().values()

    def collect(self) -> Iterator[Any]:
        """The state now. A value that is not good has no sample: an old number must not look like a new one."""
        families = _families()
        with self._lock:
            for name, event in self._newest.items():
                if event.value is not None:
                    for end in ("value", "low", "high"):
                        families[end].add_metric((name, event.unit or ""), getattr(event, end))
                for alarm, on in event.alarms.items():
                    families["alarm"].add_metric((name, alarm), float(on))
            for name, at_s in self._good_at_s.items():
                families["age"].add_metric((name,), self._steady() - at_s)
            for (name, status), count in self._counts.items():
                families["events"].add_metric((name, status), count)
        yield from families.values()


def _families() -> dict[str, Any]:
    return {
        "value": GaugeMetricFamily("gauge_camera_value", "Smoothed value, while it is good.", labels=("camera", "unit")),
        "low": GaugeMetricFamily("gauge_camera_value_low", "Lower end of its interval.", labels=("camera", "unit")),
        "high": GaugeMetricFamily("gauge_camera_value_high", "Upper end of its interval.", labels=("camera", "unit")),
        "age": GaugeMetricFamily("gauge_camera_age_seconds", "Since the last good reading.", labels=("camera",)),
        "alarm": GaugeMetricFamily("gauge_camera_alarm", "Whether an alarm is on.", labels=("camera", "alarm")),
        "events": CounterMetricFamily("gauge_camera_events", "Pictures by what they came to.", labels=("camera", "status")),
    }


def serve_gauges(board: Board, port: int) -> Callable[[], None]:
    """Answer Prometheus on a port of this machine; what ends it. Raises OutputError."""
    registry = CollectorRegistry()
    registry.register(board)
    try:
        server, thread = start_http_server(port, addr="127.0.0.1", registry=registry)
    except OSError as error:
        raise OutputError(f"--metrics-port {port}: {error.strerror or error}") from error

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join(5.0)

    return stop
