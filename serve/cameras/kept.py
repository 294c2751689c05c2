"""Events as they are kept: one row a picture in the store, numbered by camera, which is also the outbox for the broker."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Integer, func, select, tuple_
from sqlalchemy.exc import IntegrityError

from serve.cameras.errors import CameraError
from serve.cameras.events import CameraEvent
from serve.cameras.states import note_event
from serve.store.database import Database
from serve.store.tables import camera_events as table
from serve.store.tenants import LOCAL

NEVER = 0.0
"""`published` of an event that no broker waits for."""


class Numbered(NamedTuple):
    """An event and its number: 1, 2, 3 ... of its camera, without a gap."""

    seq: int
    event: CameraEvent


class Moment(NamedTuple):
    """What a camera showed at a moment (seconds since 1970), without a value where it was not good."""

    seq: int
    at: float
    value: float | None
    low: float | None
    high: float | None
    unit: str | None


class KeptEvents:
    """The events of one tenant. Safe to share between threads and processes."""

    def __init__(self, database: Database, tenant: str = LOCAL) -> None:
        self._database = database
        self._tenant = tenant

    def add(
        self, event: CameraEvent, *, source_key: str | None = None, publish: bool = False, next_at: float | None = None
    ) -> int:
        """Keep an event as its camera's newest; its number. On the disk when this returns. `next_at`: the next picture is due.

        Raises StoreError, and CameraError where the same file was taken before.
        """
        try:
            with self._database.write() as db:
                seq = note_event(self._database, db, self._tenant, event, next_at)
                row = event.model_dump(include={"camera", "at", "status", "value", "low", "high", "unit"})
                published = None if publish else NEVER
                row |= {"tenant": self._tenant, "seq": seq, "source_key": source_key, "published": published}
                db.execute(table.insert().values(**row, changed=bool(event.changes), event=event.model_dump_json()))
                return seq
        except IntegrityError as error:
            name = event.source or "a file"
            raise CameraError(f"camera {event.camera}: {name} was taken by another process; stop one of the two") from error

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

    def page(self, camera: str, *, before: int | None = None, limit: int = 50) -> list[Numbered]:
        """The newest events of a camera, the newest first; `before` is the number of the last one of the page before."""
        mine = (table.c.tenant == self._tenant) & (table.c.camera == camera)
        if before is not None:
            mine &= table.c.seq < before
        with self._database.read() as db:
            rows = db.execute(select(table.c.seq, table.c.event).where(mine).order_by(table.c.seq.desc()).limit(limit)).all()
        return [Numbered(row.seq, CameraEvent.model_validate_json(row.event)) for row in rows]

    def changes(self, camera: str, limit: int = 20) -> list[Numbered]:
        """The newest events with which an alarm began or ended, the newest first."""
        changed = (table.c.tenant == self._tenant) & (table.c.camera == camera) & table.c.changed
        with self._database.read() as db:
            rows = db.execute(select(table.c.seq, table.c.event).where(changed).order_by(table.c.seq.desc()).limit(limit)).all()
        return [Numbered(row.seq, CameraEvent.model_validate_json(row.event)) for row in rows]

    def course(self, camera: str, since: float, stretches: int) -> list[Moment]:
        """What a camera showed since a moment, in order of time: of many events the lowest and the highest value of each of so
        many stretches, and the first and the last of those without a value.
        """
        counts = (table.c.tenant == self._tenant) & (table.c.camera == camera) & (table.c.at >= since)
        length = max((time.time() - since) / stretches, 1e-3)
        stretch = ((table.c.at - since) / length).cast(Integer)
        apart = (stretch, table.c.value.is_(None))
        low, high = (table.c.value, table.c.seq), (table.c.value.desc(), table.c.seq.desc())
        rank = func.row_number()
        ranked = (
            select(
                *(table.c[name] for name in Moment._fields),
                rank.over(partition_by=apart, order_by=low).label("lowest"),
                rank.over(partition_by=apart, order_by=high).label("highest"),
            )
            .where(counts)
            .subquery()
        )
        query = select(*(ranked.c[name] for name in Moment._fields)).where((ranked.c.lowest == 1) | (ranked.c.highest == 1))
        with self._database.read() as db:
            return [Moment(*row) for row in db.execute(query.order_by(ranked.c.at, ranked.c.seq))]
