"""One camera, watched: pictures are taken when they are due, read, weighed and kept, whatever the camera does meanwhile.

Intervals are counted by a clock that cannot be set; the clock on the wall only dates events.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from serve.cameras.errors import CameraError, SourceError
from serve.cameras.events import CameraEvent
from serve.cameras.frames import Frame, Stillness, open_view
from serve.cameras.kept import KeptEvents
from serve.cameras.registry import Camera
from serve.cameras.sighting import Sighting, sight
from serve.cameras.source_folder import FolderSource
from serve.cameras.track import Shot, Track
from serve.store.errors import StoreError
from vision.fields import PhotoReading
from vision.photos import display_name

logger = logging.getLogger("gauge.cameras")

FIRST_WAIT_S, LONGEST_WAIT_S = 2.0, 60.0
MOST_BACKLOG = 1000
"""Events that wait in memory while the disk is full; the oldest are lost beyond it."""
RESCAN_S = 30.0
"""A folder is looked through this often whatever the system tells of changes: network drives tell nothing."""

Read = Callable[[bytes, str, str | None], PhotoReading]
"""Reads a picture's bytes, called by a name, of an instrument of a model. Raises StoppedError where watching ends meanwhile."""


class StoppedError(Exception):
    """Watching ends: a picture that was not read yet is left alone."""


class LiveSource(Protocol):
    """A camera that gives a picture when it is asked."""

    def take(self) -> Frame:
        """A picture taken now. Raises SourceError."""

    def close(self) -> None:
        """Give back what is open."""


class Clocks(NamedTuple):
    """Where moments come from: `steady` in seconds, never back; `wall` in seconds since 1970, as people set it."""

    steady: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


REAL_CLOCKS = Clocks()


class _Waiting(NamedTuple):
    """An event that is to be kept, the file that it is from, and when the next picture is due."""

    event: CameraEvent
    key: str | None
    next_at: float | None


class Watcher:
    """Watches one camera until it is told to stop. `told` hears of each event after it is kept."""

    def __init__(
        self,
        camera: Camera,
        read: Read,
        kept: KeptEvents,
        told: Callable[[CameraEvent], None],
        *,
        publish: bool = False,
        clocks: Clocks = REAL_CLOCKS,
    ) -> None:
        self.camera = camera
        self._read = read
        self._kept = kept
        self._told = told
        self._publish = publish
        self._clocks = clocks
        self._track = Track(camera)
        self._still = Stillness(camera.frozen_after_s)
        self._backlog: deque[_Waiting] = deque(maxlen=MOST_BACKLOG)
        self._asked_s: float | None = None
        self._due: datetime | None = None
        self._failures = 0

    def recall(self) -> None:
        """Take up what an earlier process knew of this camera. Raises StoreError."""
        self._track.recall(self._kept.newest(self.camera.name), self._clocks.steady(), self._clocks.wall())

    def watch_live(self, source: LiveSource, stop: threading.Event) -> None:
        """Ask a camera on its schedule; one that fails is asked again after 2, 4, 8 ... 60 seconds."""
        if self.camera.cron is not None:
            self._due = self._now()
        while not stop.is_set():
            wait_s = self._wait_s()
            if wait_s > 0:
                stop.wait(min(wait_s, 5.0))  # In short steps: the clock that a cron line goes by may be set meanwhile.
                continue
            self.take_live(source)

    def take_live(self, source: LiveSource) -> CameraEvent:
        """One picture of a camera, as an event that was kept."""
        schedule = self.camera.schedule()
        assert schedule is not None
        self._asked_s, self._due = self._clocks.steady(), schedule.due(self._now(), self._due)
        try:
            shot = self._see(source.take())
            self._failures = 0
        except SourceError as error:
            shot = self._shot(Sighting(reason=str(error)), pictured=False)
            self._failures += 1
        return self._keep(shot, next_at=self._clocks.wall() + self._wait_s())

    def watch_folder(self, source: FolderSource, stop: threading.Event) -> None:
        """Take files as they come, until told to stop; a folder that cannot be read is tried again."""
        failures, heard, scanned = 0, self._clocks.steady(), -RESCAN_S
        tick_s = self._tick_s()
        while not stop.is_set():
            try:
                for changed in _changes(source.folder, stop):
                    now = self._clocks.steady()
                    if changed or source.is_waiting or self._backlog or now - scanned >= RESCAN_S:
                        scanned, failures = now, 0
                        heard = now if self.take_files(source, stop) else heard
                    if tick_s is not None and now - heard >= tick_s:
                        heard = now
                        self._keep(self._shot(Sighting(reason=f"no file came for {tick_s:.0f} s"), pictured=False))
            except SourceError as error:
                failures += 1
                self._keep(self._shot(Sighting(reason=str(error)), pictured=False))
                stop.wait(backoff_s(failures))

    def take_files(self, source: FolderSource, stop: threading.Event | None = None) -> int:
        """Read the files that are whole, the oldest first; how many. Raises SourceError where the folder cannot be read.

        While events cannot be kept the files stay where they are. Each is taken once, also by a process after this one.
        """
        count = 0
        try:
            ready = source.ready()
        except StoreError as error:
            logger.error("camera %s: files wait: %s", self.camera.name, error)
            return 0
        for name, key in ready:
            if (stop is not None and stop.is_set()) or not self._flush():
                break
            try:
                shot = self._see(source.read(name, key))
            except SourceError as error:
                shot = self._shot(Sighting(reason=str(error)), source=display_name(name))
            self._keep(shot, key)
            source.done(name, key)
            count += 1
        return count

    def _see(self, frame: Frame) -> Shot:
        """What a picture shows. A frozen or a bad one is not read."""
        name = display_name(frame.name) if frame.name else None
        try:
            view = open_view(frame, self.camera.region, name or self.camera.name)
        except SourceError as error:
            return self._shot(Sighting(reason=str(error)), source=name)
        at_s = self._clocks.steady()
        frozen_s = self._still.frozen_s(view.pixels, at_s)
        if frozen_s is not None:
            reason = f"the picture is frozen: not a pixel has changed for {frozen_s:.0f} s"
            return self._shot(Sighting(reason=reason), source=name, sha256=view.sha256)
        moment = self._clocks.wall()
        sighting = sight(self._read(view.data, name or self.camera.name, self.camera.model), self.camera, at_s)
        return self._shot(sighting, source=name, sha256=view.sha256, at=(at_s, moment))

    def _shot(
        self,
        sighting: Sighting,
        *,
        pictured: bool = True,
        source: str | None = None,
        sha256: str | None = None,
        at: tuple[float, float] | None = None,
    ) -> Shot:
        at_s, clock = at or (self._clocks.steady(), self._clocks.wall())
        return Shot(at_s, clock, sighting.seen, sighting.color, sighting.unit, sighting.reason, pictured, source, sha256)

    def _wait_s(self) -> float:
        """Seconds until a live camera is asked again: by its schedule, one that failed after 2, 4, 8 ... 60 seconds."""
        schedule = self.camera.schedule()
        assert schedule is not None
        elapsed = None if self._asked_s is None else self._clocks.steady() - self._asked_s
        wait_s = schedule.wait_s(self._now(), self._due, elapsed)
        if not self._failures:
            return wait_s
        again_s = max(0.0, backoff_s(self._failures) - (elapsed or 0.0))
        return max(wait_s, again_s) if schedule.every_s is not None else min(wait_s, again_s)

    def _keep(self, shot: Shot, key: str | None = None, next_at: float | None = None) -> CameraEvent:
        event = self._track.take(shot)
        if len(self._backlog) == MOST_BACKLOG:
            logger.error("camera %s: an event of %s is lost: the store takes none", self.camera.name, self._backlog[0].event.at)
        self._backlog.append(_Waiting(event, key, next_at))
        self._flush()
        self._told(event)
        return event

    def _flush(self) -> bool:
        """Keep what waits, in order; whether nothing waits any more."""
        while self._backlog:
            event, key, next_at = self._backlog[0]
            try:
                self._kept.add(event, source_key=key, publish=self._publish, next_at=next_at)
            except StoreError as error:
                if len(self._backlog) == 1:
                    logger.error("camera %s: events wait in memory: %s", self.camera.name, error)
                return False
            except CameraError as error:
                logger.error("%s", error)  # It was kept by another process: once is enough.
            self._backlog.popleft()
        return True

    def _tick_s(self) -> float | None:
        """How often a folder's silence is worth an event: only where an alarm asks for it."""
        asked = [rule.not_read_for_s for rule in self.camera.alarms if rule.not_read_for_s is not None]
        return max(1.0, min(asked) / 4.0) if asked else None

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clocks.wall()).astimezone()


def backoff_s(failures: int) -> float:
    """How long to wait after so many failures in a row: 2, 4, 8 ... 60 seconds."""
    return float(min(FIRST_WAIT_S * 2.0 ** (min(failures, 10) - 1), LONGEST_WAIT_S))


def _changes(folder: Path, stop: threading.Event) -> Iterator[bool]:
    """Whether something changed in a folder, about every second until told to stop. Raises SourceError."""
    from watchfiles import watch

    try:
        for changes in watch(
            folder, stop_event=stop, rust_timeout=1000, yield_on_timeout=True, recursive=False, debounce=200, step=50,
            raise_interrupt=False, watch_filter=None,
        ):  # fmt: skip
            yield bool(changes)
    except (OSError, RuntimeError) as error:
        with suppress(OSError):
            folder.stat()
            raise SourceError(f"the folder {folder} cannot be watched: {error}") from error
        raise SourceError(f"the folder {folder} is not there") from error
