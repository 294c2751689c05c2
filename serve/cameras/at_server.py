"""Cameras watched by the server itself: a thread beside the requests, whose photos always go first."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from serve.background import Background
from serve.cameras.errors import BusyError, CameraError
from serve.cameras.events import CameraEvent
from serve.cameras.reading import read_with
from serve.cameras.registry import load_registry
from serve.cameras.station import Outputs, Station, check_sources
from serve.cameras.watcher import StoppedError
from serve.service import Service
from serve.store.errors import StoreError
from serve.store.store import Store
from vision.fields import PhotoReading

logger = logging.getLogger("gauge.cameras")

AGAIN_S = 5.0
PATIENCE_S = 20.0
"""For so long requests that come one after another hold up one picture of a camera."""
LOOK_S = 0.5


class ServerCameras:
    """The cameras of a file. Of several servers on one home one watches them, and another one takes over where it ends.

    `wait_idle` waits so long for a moment without requests and says whether it came. Raises RegistryError, with file, key
    and value, where the file cannot be used.
    """

    def __init__(self, file: Path, service: Service, store: Store, wait_idle: Callable[[float], bool]) -> None:
        self._registry = load_registry(file)
        check_sources(self._registry)
        self._store = store
        self._read = read_with(service, self._registry.tenant)
        self._wait_idle = wait_idle
        self._turn = threading.Lock()
        self._background = Background("gauge-cameras", self._run)
        self._stopping = self._background.stopping

    def start(self) -> None:
        """Begin on a thread of its own."""
        self._background.start()

    def stop(self, wait_s: float = 60.0) -> None:
        """End: what was read is kept, what waits for the broker is sent or waits in the store. Blocks."""
        self._background.stop(wait_s)

    def _run(self) -> None:
        told = ""
        while not self._stopping.is_set():
            try:
                Station(self._registry, self._store, self._read_behind, Outputs(), _say_change).run(self._stopping)
            except BusyError as error:
                told = _warn_once(f"cameras are not watched here while another process does: {error}", told)
            except (CameraError, StoreError) as error:
                told = _warn_once(f"cameras cannot be watched now: {error}", told)
            except Exception:
                logger.exception("watching cameras stumbled and begins anew")
            self._stopping.wait(AGAIN_S)

    def _read_behind(self, data: bytes, name: str, model: str | None) -> PhotoReading:
        """Read a picture when no request is worked on or waits, or else has waited long enough; one camera at a time.

        So a request waits for one picture of a camera at the most, whatever the number of cameras.
        """
        with self._turn:
            left_s = PATIENCE_S
            while left_s > 0 and not self._stopping.is_set() and not self._wait_idle(LOOK_S):
                left_s -= LOOK_S
            if self._stopping.is_set():
                raise StoppedError
            return self._read(data, name, model)


def _warn_once(text: str, told: str) -> str:
    if text != told:
        logger.warning("%s", text)
    return text


def _say_change(event: CameraEvent) -> None:
    """Alarms stand in the server's log too."""
    for change in event.changes:
        logger.warning("camera %s: alarm %s %s", event.camera, change.name, change.to)
