"""Tenants: whose data it is. Every other table's rows carry a tenant, and every query asks for one."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, select

from serve.store.database import Database
from serve.store.errors import RefusedError
from serve.store.tables import tenants

LOCAL = "local"
"""Who works on the machine itself, without a key: what the command line keeps in the home is this tenant's."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


class Limits(NamedTuple):
    """A tenant's own limits; None leaves one to the settings."""

    photos_per_day: int | None = None
    max_mib: float | None = None


class Tenants:
    """The tenants of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ensure(self, tenant: str, db: Connection) -> None:
        """Make a tenant where there is none of that name. Raises RefusedError for what is no name."""
        check_tenant(tenant)
        row = {"id": tenant, "created": time.time()}
        db.execute(self._database.insert(tenants).values(row).on_conflict_do_nothing())

    def limit(self, tenant: str, limits: Limits) -> None:
        """Set a tenant's own limits; None gives one back to the settings."""
        with self._database.write() as db:
            self.ensure(tenant, db)
            db.execute(tenants.update().where(tenants.c.id == tenant).values(limits._asdict()))

    def limits(self, tenant: str) -> Limits:
        """A tenant's own limits."""
        query = select(tenants.c.photos_per_day, tenants.c.max_mib).where(tenants.c.id == tenant)
        with self._database.read() as db:
            row = db.execute(query).one_or_none()
        return Limits(*row) if row is not None else Limits()

    def names(self) -> tuple[str, ...]:
        """All tenants, by name."""
        with self._database.read() as db:
            return tuple(db.execute(select(tenants.c.id).order_by(tenants.c.id)).scalars())


def check_tenant(name: str) -> str:
    """The name itself. Raises RefusedError where it is none: it becomes a folder's name."""
    if not _NAME.fullmatch(name):
        raise RefusedError(f"{name[:70]!r} is no tenant's name; write 1 to 63 small letters, digits and dashes, e.g. plant-2")
    return name


def tenant_home(home: Path, tenant: str) -> Path:
    """Where a tenant's traces, history, failures, adapters and own manuals lie: the home itself for `local`."""
    return home if tenant == LOCAL else home / "tenants" / check_tenant(tenant)
