"""Reports as they come into the store, of all tenants: what came since a place, and the last ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import and_, or_, select

from serve.store.database import Database
from serve.store.reports import StoredReport
from serve.store.tables import reports

LAG_S = 10.0
"""A report is kept a moment after it was made: what is younger is left for the next look, so that none is passed over."""


class Place(NamedTuple):
    """How far the reports were looked at: moment and id of the last one."""

    created: float
    id: str


def read_fresh(database: Database, place: Place, now: float, most: int) -> tuple[list[StoredReport], Place]:
    """The oldest `most` reports after a place, and the place after them. Raises StoreError."""
    later = or_(reports.c.created > place.created, and_(reports.c.created == place.created, reports.c.id > place.id))
    query = select(reports).where(later, reports.c.created <= now - LAG_S).order_by(reports.c.created, reports.c.id).limit(most)
    with database.read() as db:
        found = [_report(dict(row)) for row in db.execute(query).mappings()]
    return found, Place(found[-1].created, found[-1].id) if found else place


def last_reports(database: Database, count: int) -> list[StoredReport]:
    """The newest reports, the newest first. Raises StoreError."""
    query = select(reports).order_by(reports.c.created.desc(), reports.c.id.desc()).limit(count)
    with database.read() as db:
        return [_report(dict(row)) for row in db.execute(query).mappings()]


def _report(row: Mapping[str, Any]) -> StoredReport:
    document = json.loads(row["document"]) if row["document"] is not None else None
    return StoredReport.model_validate({**row, "inspection": json.loads(row["inspection"]), "document": document})
