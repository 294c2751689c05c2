"""What the monitor measured, kept by kind and moment, and what it must not forget over a restart."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from pydantic import ValidationError
from sqlalchemy import delete, select

from serve.store.database import Database
from serve.store.ids import new_id
from serve.store.tables import monitor_log, monitor_state
from vision.fields import Contract

KEPT_S = 400 * 86400.0
Kept = TypeVar("Kept", bound=Contract)


class MonitorLog:
    """The log and the state of one store. Every method raises StoreError where the database cannot be used."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def keep(self, kind: str, body: Contract) -> None:
        """Keep a result; what is older than 400 days goes."""
        now = self._clock()
        with self._database.write() as db:
            db.execute(delete(monitor_log).where(monitor_log.c.kind == kind, monitor_log.c.at < now - KEPT_S))
            db.execute(monitor_log.insert().values(id=new_id(), kind=kind, at=now, body=body.model_dump_json()))

    def newest(self, kind: str, shape: type[Kept], count: int = 1) -> tuple[Kept, ...]:
        """The newest results first; those that an older program wrote in another shape are left out.

        So are those of the future: a clock that was set back would show them as the newest until it comes there.
        """
        query = select(monitor_log.c.body).where(monitor_log.c.kind == kind, monitor_log.c.at <= self._clock())
        query = query.order_by(monitor_log.c.at.desc(), monitor_log.c.id).limit(count)
        with self._database.read() as db:
            texts = [str(row[0]) for row in db.execute(query)]
        return tuple(one for one in (_parse(shape, text) for text in texts) if one is not None)

    def set(self, name: str, body: Contract | None) -> None:
        """Hold a state, or hold it no more."""
        with self._database.write() as db:
            db.execute(delete(monitor_state).where(monitor_state.c.name == name))
            if body is not None:
                db.execute(monitor_state.insert().values(name=name, at=self._clock(), body=body.model_dump_json()))

    def get(self, name: str, shape: type[Kept]) -> Kept | None:
        """A state that is held."""
        with self._database.read() as db:
            text = db.execute(select(monitor_state.c.body).where(monitor_state.c.name == name)).scalar_one_or_none()
        return _parse(shape, str(text)) if text is not None else None


def _parse(shape: type[Kept], text: str) -> Kept | None:
    try:
        return shape.model_validate_json(text)
    except ValidationError:
        return None
