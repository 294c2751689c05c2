"""All cameras of a registry at once: a thread each, one reader for all, and the outputs behind the store."""

from __future__ import annotations

import fcntl
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from serve.cameras.csv_files import CsvFolder
from serve.cameras.errors import BusyError, CameraError, SourceError
from serve.cameras.events import CameraEvent
from serve.cameras.gauges import CameraValues, serve_gauges
from serve.cameras.kept import KeptEvents
from serve.cameras.registry import Camera, Registry, read_password
from serve.cameras.source_folder import SETTLE_S, FolderSource
from serve.cameras.source_http import HttpSource
from serve.cameras.source_rtsp import RtspSource
from serve.cameras.states import BEAT_S, CameraStates
from serve.cameras.watcher import LiveSource, Read, StoppedError, Watcher
from serve.store.camera_age import sweep_camera_events
from serve.store.errors import StoreError
from serve.store.store import Store

logger = logging.getLogger("gauge.cameras")

_DAY_S = 86400.0
LOCK_FILE = "watch.lock"
END_S = 30.0
"""How long cameras that wait for an answer may take to end."""


@dataclass(frozen=True)
class Outputs:
    """Where events go beside the store: a folder of CSV files, a port for Prometheus, the registry's broker."""

    csv: Path | None = None
    metrics_port: int | None = None


class Station:
    """Watches until told to stop. `told` hears of each event, from several threads."""

    def __init__(
        self, registry: Registry, store: Store, read: Read, outputs: Outputs, told: Callable[[CameraEvent], None]
    ) -> None:
        self._registry = registry
        self._store = store
        self._kept = KeptEvents(store.database, registry.tenant)
        self._states = CameraStates(store.database, registry.tenant)
        self._read = read
        self._outputs = outputs
        self._told = told
        self._names = [camera.name for camera in registry.cameras]
        self._wake: list[Callable[[], None]] = []

    def run(self, stop: threading.Event) -> None:
        """Watch until `stop` is set. Raises CameraError, StoreError where it cannot begin."""
        with hold_watch(self._store.home), self._open_outputs():
            self._states.announce(self._registry.cameras)
            watching = [(self._watcher(camera), camera) for camera in self._registry.cameras]
            threads = [
                threading.Thread(target=self._watch, args=(watcher, camera, stop), name=f"gauge-{camera.name}", daemon=True)
                for watcher, camera in watching
            ]
            for thread in threads:
                thread.start()
            beaten, swept = time.monotonic(), -_DAY_S
            while not stop.wait(1.0):
                now = time.monotonic()
                if now - beaten >= BEAT_S:
                    beaten = now
                    self._beat()
                if now - swept >= _DAY_S:
                    swept = now
                    self._sweep()
            end = time.monotonic() + END_S
            for thread in threads:
                thread.join(max(0.0, end - time.monotonic()))
            self._beat(last=True)

    def once(self) -> None:
        """One picture of each camera, and the files that lie in the folders, then the outputs. Raises like `run`."""
        with hold_watch(self._store.home), self._open_outputs():
            self._states.announce(self._registry.cameras)
            for camera in self._registry.cameras:
                watcher = self._watcher(camera)
                source = self._open(camera)
                if isinstance(source, FolderSource):
                    source.ready()
                    time.sleep(SETTLE_S)
                    watcher.take_files(source)
                else:
                    watcher.take_live(source)
                    source.close()
            self._beat(last=True)

    def _watcher(self, camera: Camera) -> Watcher:
        watcher = Watcher(camera, self._read, self._kept, self._hear, publish=self._registry.mqtt is not None)
        watcher.recall()
        return watcher

    def _watch(self, watcher: Watcher, camera: Camera, stop: threading.Event) -> None:
        """A camera's thread: a fault of ours on one picture ends neither this camera nor the others."""
        while not stop.is_set():
            try:
                source = self._open(camera)
                if isinstance(source, FolderSource):
                    watcher.watch_folder(source, stop)
                else:
                    watcher.watch_live(source, stop)
                    source.close()
            except StoppedError:
                return
            except Exception:
                logger.exception("camera %s: watching failed; it begins anew in 10 s", camera.name)
                stop.wait(10.0)

    def _open(self, camera: Camera) -> LiveSource | FolderSource:
        address = camera.source.get_secret_value()
        if camera.is_folder:
            return FolderSource(Path(address), lambda keys: self._kept.taken(camera.name, keys))
        password = read_password(camera.password_file)
        source = HttpSource if address.startswith("http") else RtspSource
        return source(address, camera.timeout_s, password)

    def _hear(self, event: CameraEvent) -> None:
        self._told(event)
        for wake in self._wake:
            wake()

    @contextmanager
    def _open_outputs(self) -> Iterator[None]:
        """The outputs while the block runs; at its end they are brought up to what is kept."""
        with ExitStack() as stack:
            if self._outputs.metrics_port is not None:
                values = CameraValues(self._states, self._names)
                stack.callback(serve_gauges(values, self._outputs.metrics_port))
            if self._outputs.csv is not None:
                writer = _CsvThread(CsvFolder(self._outputs.csv, self._kept, self._names))
                stack.callback(writer.stop)
                self._wake.append(writer.wake)
            if self._registry.mqtt is not None:
                from serve.cameras.mqtt import Publisher

                publisher = Publisher(self._registry.mqtt, self._registry.cameras, self._kept)
                publisher.start()
                stack.callback(publisher.stop)
                self._wake.append(publisher.wake)
            yield

    def _beat(self, *, last: bool = False) -> None:
        try:
            self._states.beat(self._names, last=last)
        except StoreError as error:
            logger.error("that cameras are watched cannot be kept: %s", error)

    def _sweep(self) -> None:
        try:
            sweep_camera_events(self._store.database, self._store.settings.camera_days * _DAY_S)
        except StoreError as error:
            logger.error("old events are not removed: %s", error)


class _CsvThread:
    """Brings the CSV files up to date when something is kept, and every minute where that failed."""

    def __init__(self, files: CsvFolder) -> None:
        self._files = files
        self._wake, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="gauge-csv", daemon=True)
        self.catch_up()
        self._thread.start()

    def wake(self) -> None:
        self._wake.set()

    def stop(self) -> None:
        self._stop.set()
        self._wake.set()
        self._thread.join(10.0)
        self.catch_up()

    def catch_up(self) -> None:
        try:
            self._files.catch_up()
        except (CameraError, StoreError) as error:
            logger.error("%s", error)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(60.0)
            self._wake.clear()
            self.catch_up()


@contextmanager
def hold_watch(home: Path) -> Iterator[None]:
    """One watcher a home: two would read every picture twice. Raises BusyError."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / LOCK_FILE).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            other = "another `gauge watch`, or a server with GAUGE_CAMERAS, watches cameras in this home"
            raise BusyError(f"{home}: {other}; stop it, or set another GAUGE_HOME") from error
        yield


def check_sources(registry: Registry) -> None:
    """Raises where a source or the broker could never be asked: no password file, no package for RTSP."""
    if registry.mqtt is not None:
        read_password(registry.mqtt.password_file)
    for camera in registry.cameras:
        password = read_password(camera.password_file)
        if camera.source.get_secret_value().startswith("rtsp"):
            try:
                RtspSource(camera.source.get_secret_value(), camera.timeout_s, password)
            except SourceError as error:
                raise CameraError(f"camera {camera.name}: {error}") from error
