"""Counts a day and tenant, and the quotas that hang on them."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from math import ceil

from sqlalchemy import func, select

from serve.store.database import Database
from serve.store.errors import QuotaError
from serve.store.tables import usage

PHOTOS = "photos"
_DAY_S = 86400.0


class Usage:
    """The counts of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def spend(self, tenant: str, name: str, count: int, most: int | None = None) -> int:
        """Add to today's count; the count afterwards.

        Raises QuotaError where it would pass `most`, and counts nothing then; two at once cannot pass it together.
        """
        day, insert = today(), self._database.insert(usage)
        with self._database.note() as db:
            fresh = insert.values(tenant=tenant, day=day, name=name, count=0).on_conflict_do_nothing()
            db.execute(fresh)
            row = (usage.c.tenant == tenant) & (usage.c.day == day) & (usage.c.name == name)
            fits = row if most is None else row & (usage.c.count + count <= most)
            change = usage.update().where(fits).values(count=usage.c.count + count).returning(usage.c.count)
            after = db.execute(change).scalar_one_or_none()
        if after is None:
            raise QuotaError(f"{count} more {name} would pass today's limit of {most}", until_tomorrow_s())
        return int(after)

    def give_back(self, tenant: str, name: str, count: int) -> None:
        """Take back what was spent today on something that was not done."""
        row = (usage.c.tenant == tenant) & (usage.c.day == today()) & (usage.c.name == name) & (usage.c.count >= count)
        with self._database.note() as db:
            db.execute(usage.update().where(row).values(count=usage.c.count - count))

    def spent(self, tenant: str, name: str, day: str | None = None) -> int:
        """The count of a day (`2026-01-31`, in UTC), today by default."""
        query = select(func.coalesce(func.sum(usage.c.count), 0)).where(
            usage.c.tenant == tenant, usage.c.day == (day or today()), usage.c.name == name
        )
        with self._database.read() as db:
            return int(db.execute(query).scalar_one())


def today() -> str:
    """The present day in UTC."""
    return datetime.fromtimestamp(time.time(), UTC).date().isoformat()


def until_tomorrow_s() -> int:
    """Seconds until the next day begins in UTC, at least 1."""
    return max(1, ceil(_DAY_S - time.time() % _DAY_S))
