"""What is known of each camera now: one row in the store, whichever process watches it, for pages and for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from serve.cameras.events import STATUSES, CameraEvent, EventStatus
from serve.cameras.registry import Camera
from serve.store.database import Database
from serve.store.errors import NotFoundError
from serve.store.tables import camera_states as table
from serve.store.tenants import LOCAL
from vision.fields import Contract, Kind

BEAT_S = 60.0
"""How often a watcher says that it is there."""
SILENT_S = 2.5 * BEAT_S
"""After so long without a word nobody watches."""


class AboutCamera(Contract):
    """What the file of cameras says of one, for people: `address` has no name, password and query."""

    label: str
    address: str
    model: str | None
    kind: Kind | None
    unit: str | None
    every_s: float | None
    cron: str | None
    alarms: tuple[str, ...]


class CameraState(Contract):
    """One camera now. Moments are in seconds since 1970.

    `newest` is its last event, `good_at` the moment of the last value that counts. `is_up` says whether its last picture
    came, `since` since when that is so; `next_at` when the next picture is due, None of a folder. `watched_until` lies in
    the past where nobody watches it. `events` counts all events by status, also those that are not kept any more.
    """

    camera: str
    seq: int
    about: AboutCamera | None
    watched_until: float | None
    newest: CameraEvent | None
    good_at: float | None
    is_up: bool | None
    since: float | None
    next_at: float | None
    events: dict[EventStatus, int]

    def is_watched(self, now: float) -> bool:
        """Whether some process takes its pictures."""
        return self.watched_until is not None and self.watched_until > now


class CameraStates:
    """The cameras of one tenant as they are now. Safe to share between threads."""

    def __init__(self, database: Database, tenant: str = LOCAL, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._tenant = tenant
        self._clock = clock

    def announce(self, cameras: Sequence[Camera]) -> None:
        """These are watched from now on. Raises StoreError."""
        with self._database.write() as db:
            for camera in cameras:
                _ensure(self._database, db, self._tenant, camera.name)
                mine = _of(self._tenant, camera.name)
                values = {
                    "about": about_camera(camera).model_dump_json(),
                    "watched_until": self._clock() + SILENT_S,
                    "next_at": _first_due(camera, self._clock()),
                }
                db.execute(table.update().where(mine).values(values))

    def beat(self, cameras: Sequence[str], *, last: bool = False) -> None:
        """A watcher is still there, or says good-bye. Raises StoreError."""
        until = self._clock() + (0.0 if last else SILENT_S)
        which = (table.c.tenant == self._tenant) & table.c.camera.in_(cameras)
        with self._database.note() as db:
            db.execute(table.update().where(which).values(watched_until=until))

    def list(self) -> tuple[CameraState, ...]:
        """All cameras, by name."""
        with self._database.read() as db:
            rows = db.execute(select(table).where(table.c.tenant == self._tenant).order_by(table.c.camera)).mappings().all()
        return tuple(_state(row) for row in rows)

    def get(self, camera: str) -> CameraState:
        """One camera. Raises NotFoundError."""
        with self._database.read() as db:
            row = db.execute(select(table).where(_of(self._tenant, camera))).mappings().one_or_none()
        if row is None:
            raise NotFoundError(f"no camera {camera[:60]!r}")
        return _state(row)


def note_event(database: Database, db: Connection, tenant: str, event: CameraEvent, next_at: float | None) -> int:
    """Let an event be its camera's newest, inside an open transaction; its number: 1, 2, 3 ... without a gap."""
    _ensure(database, db, tenant, event.camera)
    mine = _of(tenant, event.camera)
    # Whoever else would add to this camera waits here until this transaction has ended.
    row = db.execute(select(table).where(mine).with_for_update()).mappings().one()
    is_up = event.status != "no_picture"
    values: dict[str, Any] = {
        "seq": row["seq"] + 1,
        event.status: row[event.status] + 1,
        "event": event.model_dump_json(),
        "at": event.at,
        "next_at": next_at,
    }
    if event.status == "good":
        values["good_at"] = event.at
    if row["is_up"] is not is_up:
        values |= {"is_up": is_up, "since": event.at}
    db.execute(table.update().where(mine).values(values))
    return int(values["seq"])


def about_camera(camera: Camera) -> AboutCamera:
    """What people may know of a camera's entry in the file."""
    return AboutCamera(
        label=camera.label,
        address=camera.address,
        model=camera.model,
        kind=camera.kind,
        unit=camera.unit,
        every_s=camera.every_s,
        cron=camera.cron,
        alarms=tuple(rule.name for rule in camera.alarms),
    )


def _first_due(camera: Camera, now: float) -> float | None:
    schedule = camera.schedule()
    return None if schedule is None else now + schedule.wait_s(datetime.fromtimestamp(now).astimezone(), None, None)


def _ensure(database: Database, db: Connection, tenant: str, camera: str) -> None:
    row: dict[str, str | int] = {"tenant": tenant, "camera": camera, "seq": 0}
    row.update(dict.fromkeys(STATUSES, 0))
    db.execute(database.insert(table).values(row).on_conflict_do_nothing())


def _of(tenant: str, camera: str) -> Any:
    return (table.c.tenant == tenant) & (table.c.camera == camera)


def _state(row: Mapping[Any, Any]) -> CameraState:
    return CameraState(
        camera=row["camera"],
        seq=row["seq"],
        about=AboutCamera.model_validate_json(row["about"]) if row["about"] is not None else None,
        watched_until=row["watched_until"],
        newest=CameraEvent.model_validate_json(row["event"]) if row["event"] is not None else None,
        good_at=row["good_at"],
        is_up=row["is_up"],
        since=row["since"],
        next_at=row["next_at"],
        events={status: row[status] for status in STATUSES},
    )
