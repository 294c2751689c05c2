"""Events of cameras go by age: in small steps, so that no watcher waits for long."""

from __future__ import annotations

import time

from sqlalchemy import select

from serve.store.database import Database
from serve.store.tables import camera_events, camera_states

A_STEP = 2000


def sweep_camera_events(database: Database, max_age_s: float) -> int:
    """Remove what is older, of all tenants; how many events. Raises StoreError.

    What a broker still waits for stays, and each camera's newest event; a camera that nobody has watched for so long
    goes with all that is left of it.
    """
    border = time.time() - max_age_s
    with database.read() as db:
        rows = db.execute(select(camera_states)).mappings().all()
    return sum(_sweep(database, row["tenant"], row["camera"], row["seq"], border) for row in rows) + _forget(database, border)


def _sweep(database: Database, tenant: str, camera: str, newest: int, border: float) -> int:
    table, removed = camera_events, 0
    mine = (table.c.tenant == tenant) & (table.c.camera == camera)
    old = mine & (table.c.at < border) & table.c.published.is_not(None) & (table.c.seq < newest)
    while True:
        some = select(table.c.seq).where(old).limit(A_STEP).scalar_subquery()
        with database.write() as db:
            count = db.execute(table.delete().where(mine, table.c.seq.in_(some))).rowcount
        removed += count
        if count < A_STEP:
            return removed


def _forget(database: Database, border: float) -> int:
    """Remove cameras that sent nothing and were not watched since."""
    states, removed = camera_states, 0
    silent = (states.c.at.is_(None) | (states.c.at < border)) & (states.c.watched_until < border)
    with database.write() as db:
        for tenant, camera in db.execute(states.delete().where(silent).returning(states.c.tenant, states.c.camera)).all():
            its = (camera_events.c.tenant == tenant) & (camera_events.c.camera == camera)
            removed += db.execute(camera_events.delete().where(its)).rowcount
    return removed
