"""Reports with their readings: kept whole, found by id, newest first, by place or by model."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, func, or_, select
from sqlalchemy.sql import ColumnElement

from rag.pipeline import Inspection, Run
from rag.report import Document
from serve.store.database import Database
from serve.store.errors import NotFoundError
from serve.store.ids import new_id
from serve.store.tables import readings, reports
from vision.fields import Contract, InstrumentReading

MOST_LISTED = 200
_HEAVY = ("inspection", "document")


class ReportLine(Contract):
    """A report in one line. The value is that of the first instrument that has one; `kind` belongs to the same instrument.

    `created` is in seconds since 1970. `status` and `reason` are the photo's; all of the value is None where none was read.
    """

    id: str
    tenant: str
    created: float
    request_id: str
    photo_sha256: str | None
    photo_name: str
    place: str | None
    model: str | None
    language: str
    writer: str
    status: str
    reason: str | None
    kind: str | None
    value: float | None
    low: float | None
    high: float | None
    unit: str | None
    confidence: float | None
    weights: str


class StoredReport(ReportLine):
    """A report whole: `inspection` as it was answered, and the document that people read, None for a photo not opened."""

    inspection: Inspection
    document: Document | None


class PlaceReading(Contract):
    """What one instrument of a report showed: a point of a place's history. Without a value it says why."""

    report: str
    number: int
    created: float
    place: str | None
    kind: str
    model: str | None
    status: str
    reason: str | None
    value: float | None
    low: float | None
    high: float | None
    unit: str | None
    confidence: float


class PlaceLine(NamedTuple):
    """A place: how many reports it has, and the newest."""

    place: str
    reports: int
    newest: ReportLine


class ModelUse(NamedTuple):
    """How instruments of a model were read here: how many in all, and how many of them without a value or meaning."""

    model: str
    instruments: int
    abstained: int


class Reports:
    """The reports of a store. Every question is asked for one tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, made: Sequence[StoredReport], db: Connection | None = None) -> None:
        """Keep reports, all or none; inside the transaction `db` where one is given."""
        if db is None:
            with self._database.write() as own:
                return self.add(made, own)
        for report in made:
            row = report.model_dump(exclude=set(_HEAVY))
            document = report.document.model_dump_json() if report.document is not None else None
            db.execute(reports.insert().values(**row, inspection=report.inspection.model_dump_json(), document=document))
            rows = [_reading_row(report, n, one) for n, one in enumerate(report.inspection.reading.instruments, 1)]
            if rows:
                db.execute(readings.insert(), rows)
        return None

    def get(self, tenant: str, id: str) -> StoredReport:
        """A tenant's report. Raises NotFoundError."""
        with self._database.read() as db:
            row = db.execute(select(reports).where(reports.c.tenant == tenant, reports.c.id == id)).mappings().one_or_none()
        if row is None:
            raise NotFoundError(f"no report {id[:60]!r}")
        document = json.loads(row["document"]) if row["document"] is not None else None
        return StoredReport.model_validate({**row, "inspection": json.loads(row["inspection"]), "document": document})

    def list(
        self,
        tenant: str,
        *,
        place: str | None = None,
        model: str | None = None,
        status: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> tuple[ReportLine, ...]:
        """The newest reports first; `before` is the id of the last one of the page before. Raises NotFoundError for that."""
        wanted: list[ColumnElement[bool]] = [reports.c.tenant == tenant]
        wanted += [reports.c.place == place] if place is not None else []
        wanted += [reports.c.model == model] if model is not None else []
        wanted += [reports.c.status == status] if status is not None else []
        with self._database.read() as db:
            if before is not None:
                edge = select(reports.c.created).where(reports.c.tenant == tenant, reports.c.id == before)
                created = db.execute(edge).scalar_one_or_none()
                if created is None:
                    raise NotFoundError(f"no report {before[:60]!r} to go on from")
                wanted.append(or_(reports.c.created < created, and_(reports.c.created == created, reports.c.id < before)))
            query = select(*_light()).where(*wanted).order_by(reports.c.created.desc(), reports.c.id.desc())
            rows = db.execute(query.limit(max(1, min(limit, MOST_LISTED)))).mappings().all()
        return tuple(ReportLine.model_validate(dict(row)) for row in rows)

    def places(self, tenant: str, limit: int = 1000) -> tuple[PlaceLine, ...]:
        """All places of a tenant with their newest report, that with the newest report first."""
        has_place = and_(reports.c.tenant == tenant, reports.c.place.is_not(None))
        rank = func.row_number().over(partition_by=reports.c.place, order_by=(reports.c.created.desc(), reports.c.id.desc()))
        count = func.count().over(partition_by=reports.c.place)
        ranked = select(*_light(), rank.label("rank"), count.label("count")).where(has_place).subquery()
        query = select(ranked).where(ranked.c.rank == 1).order_by(ranked.c.created.desc(), ranked.c.id).limit(limit)
        with self._database.read() as db:
            rows = [dict(row) for row in db.execute(query).mappings()]
        return tuple(PlaceLine(row["place"], row.pop("count"), _line(row)) for row in rows)

    def history(self, tenant: str, place: str, limit: int = 500) -> tuple[PlaceReading, ...]:
        """What the instruments of a place showed, read or not, the oldest of the last `limit` first."""
        query = (
            select(*(column for column in readings.c if column.name != "tenant"))
            .where(readings.c.tenant == tenant, readings.c.place == place)
            .order_by(readings.c.created.desc(), readings.c.report.desc(), readings.c.number.desc())
            .limit(limit)
        )
        with self._database.read() as db:
            rows = db.execute(query).mappings().all()
        return tuple(PlaceReading.model_validate(dict(row)) for row in reversed(rows))

    def by_model(self, tenant: str) -> tuple[ModelUse, ...]:
        """How often instruments of each model were read for a tenant, by the model's name."""
        unread = func.sum(func.coalesce((readings.c.status == "abstained").cast(readings.c.number.type), 0))
        query = (
            select(readings.c.model, func.count(), unread)
            .where(readings.c.tenant == tenant, readings.c.model.is_not(None))
            .group_by(readings.c.model)
            .order_by(readings.c.model)
        )
        with self._database.read() as db:
            return tuple(ModelUse(str(model), int(count), int(missing)) for model, count, missing in db.execute(query))

    def sweep(self, older_than_s: float) -> int:
        """Remove reports that are older, with their readings and corrections; how many went."""
        with self._database.write() as db:
            return int(db.execute(reports.delete().where(reports.c.created < time.time() - older_than_s)).rowcount)


def make_report(
    tenant: str, run: Run, *, language: str, writer: str, place: str | None = None, model: str | None = None
) -> StoredReport:
    """The report of a run, with an id of its own; `model` is what the user said, that of the instrument by default."""
    inspection = run.inspection
    reading = inspection.reading
    shown = next((one for one in reading.instruments if one.value is not None), next(iter(reading.instruments), None))
    return StoredReport(
        id=new_id(),
        tenant=tenant,
        created=time.time(),
        request_id=inspection.request_id,
        photo_sha256=reading.sha256,
        photo_name=reading.photo,
        place=place,
        model=(shown.instrument_model if shown is not None else None) or model,
        language=language,
        writer=writer,
        status=reading.status,
        reason=reading.reason,
        kind=shown.kind if shown is not None else None,
        value=shown.value if shown is not None else None,
        low=shown.value_low if shown is not None else None,
        high=shown.value_high if shown is not None else None,
        unit=shown.unit if shown is not None else None,
        confidence=shown.value_confidence if shown is not None and shown.value is not None else None,
        weights=f"{reading.weights.name} {reading.weights.version}",
        inspection=inspection,
        document=run.document,
    )


def _light() -> list[Any]:
    return [column for column in reports.c if column.name not in _HEAVY]


def _line(row: dict[str, Any]) -> ReportLine:
    return ReportLine.model_validate({name: row[name] for name in ReportLine.model_fields})


def _reading_row(report: StoredReport, number: int, one: InstrumentReading) -> dict[str, Any]:
    return {
        "report": report.id,
        "number": number,
        "tenant": report.tenant,
        "created": report.created,
        "place": report.place,
        "kind": one.kind,
        "model": one.instrument_model,
        "status": one.status,
        "reason": one.reason,
        "value": one.value,
        "low": one.value_low,
        "high": one.value_high,
        "unit": one.unit,
        "confidence": one.value_confidence,
    }
