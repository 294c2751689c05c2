"""Events as they are kept: one row a picture in the store, numbered by camera, which is also the outbox for the broker."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import func, select, tuple_
from sqlalchemy.exc import IntegrityError

from serve.cameras.errors import CameraError
from serve.cameras.events import CameraEvent
from serve.store.database import Database
from serve.store.tables import camera_events as table
from serve.store.tenants import LOCAL

NEVER = 0.0
"""`published` of an event that no broker waits for."""


class Numbered(NamedTuple):
    """An event and its number: 1, 2, 3 ... of its camera, without a gap."""

    seq: int
    event: CameraEvent


class KeptEvents:
    """The events of one tenant. Safe to share between threads; one process a camera."""

    def __init__(self, database: Database, tenant: str = LOCAL) -> None:
        self._database = database
        self._tenant = tenant

    def add(self, event: CameraEvent, *, source_key: str | None = None, publish: bool = False) -> int:
        """Keep an event; its number. On the disk when this returns.

        Raises StoreError, and CameraError where the same file was taken before or another process keeps this camera's.
        """
        mine = (table.c.tenant == self._tenant) & (table.c.camera == event.camera)
        try:
            with self._database.write() as db:
                seq = int(db.execute(select(func.coalesce(func.max(table.c.seq), 0) + 1).where(mine)).scalar_one())
                row = event.model_dump(include={"camera", "at", "status", "value", "low", "high", "unit"})
                published = None if publish else NEVER
                row |= {"tenant": self._tenant, "seq": seq, "source_key": source_key, "published": published}
                db.execute(table.insert().values(**row, event=event.model_dump_json()))
                return seq
        except IntegrityError as error:
            raise CameraError(f"camera {event.camera}: another process keeps its readings; stop one of the two") from error

    def taken(self, camera: str, keys: Sequence[str]) -> set[str]:
        """Which of a folder's files, by key, were taken before."""
        found: set[str] = set()
        for start in range(0, len(keys), 500):
            some = table.c.source_key.in_(keys[start : start + 500])
            with self._database.read() as db:
                mine = (table.c.tenant == self._tenant) & (table.c.camera == camera)
                found.update(db.execute(select(table.c.source_key).where(mine, some)).scalars())
        return found

    def newest(self, camera: str, limit: int = 500) -> list[CameraEvent]:
        """The newest events of a camera, the oldest of them first."""
        mine = (table.c.tenant == self._tenant) & (table.c.camera == camera)
        with self._database.read() as db:
            rows = db.execute(select(table.c.event).where(mine).order_by(table.c.seq.desc()).limit(limit)).scalars().all()
        return [CameraEvent.model_validate_json(row) for row in reversed(rows)]

    def after(self, camera: str, seq: int, limit: int = 500) -> list[Numbered]:
        """The events of a camera after a number, in order."""
        mine = (table.c.tenant == self._tenant) & (table.c.camera == camera) & (table.c.seq > seq)
        with self._database.read() as db:
            rows = db.execute(select(table.c.seq, table.c.event).where(mine).order_by(table.c.seq).limit(limit)).all()
        return [Numbered(row.seq, CameraEvent.model_validate_json(row.event)) for row in rows]

    def unpublished(self, cameras: Sequence[str], limit: int = 100) -> list[Numbered]:
        """What the broker has not taken yet, the oldest first."""
        waiting = (table.c.published.is_(None)) & (table.c.tenant == self._tenant) & (table.c.camera.in_(cameras))
        query = select(table.c.seq, table.c.event).where(waiting).order_by(table.c.at, table.c.camera, table.c.seq).limit(limit)
        with self._database.read() as db:
            rows = db.execute(query).all()
        return [Numbered(row.seq, CameraEvent.model_validate_json(row.event)) for row in rows]

    def mark_published(self, events: Iterable[Numbered]) -> None:
        """The broker has taken them."""
        ids = [(self._tenant, one.event.camera, one.seq) for one in events]
        if not ids:
            return
        which = tuple_(table.c.tenant, table.c.camera, table.c.seq).in_(ids)
        with self._database.write() as db:
            db.execute(table.update().where(which).values(published=time.time()))

    def sweep(self, max_age_s: float) -> int:
        """Remove what is older and was published; how many. The newest of each camera stays, so that its numbers go on."""
        old = (table.c.tenant == self._tenant) & (table.c.at < time.time() - max_age_s) & table.c.published.is_not(None)
        newest = select(table.c.camera, func.max(table.c.seq)).where(table.c.tenant == self._tenant).group_by(table.c.camera)
        spared = tuple_(table.c.camera, table.c.seq).in_(newest)
        with self._database.write() as db:
            return len(db.execute(table.delete().where(old, ~spared).returning(table.c.seq)).all())
