"""Cameras for Prometheus: one tenant's, out of the store, whichever process watches them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from serve.cameras.errors import OutputError
from serve.cameras.states import CameraState, CameraStates
from serve.store.errors import StoreError


class CameraValues(Collector):
    """The cameras as they are when they are asked for; `cameras` names them, None all. None where the store does not answer."""

    def __init__(
        self, states: CameraStates, cameras: Collection[str] | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._states = states
        self._cameras = cameras
        self._clock = clock

    def describe(self) -> Iterable[Any]:
        """What it has, without asking the store."""
        return _families().values()

    def collect(self) -> Iterator[Any]:
        """The cameras now."""
        try:
            states = self._states.list()
        except StoreError:
            return
        families = _families()
        for state in states:
            if self._cameras is None or state.camera in self._cameras:
                _add(families, state, self._clock())
        yield from families.values()


def _add(families: dict[str, Any], state: CameraState, now: float) -> None:
    """A camera's samples. A value that is not good, or that nobody watches, has none: an old number must not look new."""
    name, event = state.camera, state.newest
    if event is not None and state.is_watched(now):
        if event.value is not None:
            for end in ("value", "low", "high"):
                families[end].add_metric((name, event.unit or ""), getattr(event, end))
        for alarm, on in event.alarms.items():
            families["alarm"].add_metric((name, alarm), float(on))
    if state.is_up is not None:
        families["up"].add_metric((name,), float(state.is_up and state.is_watched(now)))
    if state.good_at is not None:
        families["age"].add_metric((name,), max(0.0, now - state.good_at))
    for status, count in state.events.items():
        families["events"].add_metric((name, status), count)


def _families() -> dict[str, Any]:
    return {
        "value": GaugeMetricFamily("gauge_camera_value", "Smoothed value, while it is good.", labels=("camera", "unit")),
        "low": GaugeMetricFamily("gauge_camera_value_low", "Lower end of its interval.", labels=("camera", "unit")),
        "high": GaugeMetricFamily("gauge_camera_value_high", "Upper end of its interval.", labels=("camera", "unit")),
        "up": GaugeMetricFamily("gauge_camera_up", "Whether pictures come and somebody takes them.", labels=("camera",)),
        "age": GaugeMetricFamily("gauge_camera_age_seconds", "Since the last good reading.", labels=("camera",)),
        "alarm": GaugeMetricFamily("gauge_camera_alarm", "Whether an alarm is on.", labels=("camera", "alarm")),
        "events": CounterMetricFamily("gauge_camera_events", "Pictures by what they came to.", labels=("camera", "status")),
    }


def serve_gauges(values: CameraValues, port: int) -> Callable[[], None]:
    """Answer Prometheus on a port of this machine; what ends it. Raises OutputError."""
    registry = CollectorRegistry()
    registry.register(values)
    try:
        server, thread = start_http_server(port, addr="127.0.0.1", registry=registry)
    except OSError as error:
        raise OutputError(f"--metrics-port {port}: {error.strerror or error}") from error

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join(5.0)

    return stop
