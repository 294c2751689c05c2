"""Corrections: what somebody says an instrument really showed, kept beside the report."""

from __future__ import annotations

import time
from typing import Annotated

from pydantic import Field, field_validator
from sqlalchemy import select

from eval.failures import Complaint
from serve.store.database import Database
from serve.store.errors import NotFoundError
from serve.store.ids import new_id
from serve.store.tables import feedback, reports
from vision.fields import Contract, Finite, UnitName

MAX_NOTE = 2000


class Correction(Contract):
    """What is wrong with a report. `instrument` counts from 1, None for the whole photo.

    `value` in `unit` is what the instrument really showed, None where that is not known.
    """

    report: Annotated[str, Field(min_length=1, max_length=60)]
    instrument: Annotated[int, Field(ge=1, le=1000)] | None = None
    complaint: Complaint = "misread"
    value: Finite | None = None
    unit: UnitName | None = None
    note: Annotated[str, Field(max_length=MAX_NOTE)] = ""

    @field_validator("value", "instrument", mode="before")
    @classmethod
    def _is_no_truth_value(cls, value: object) -> object:
        if isinstance(value, bool):  # Else true would be kept as the number 1.
            raise ValueError("a number is wanted, not true or false")
        return value

    @field_validator("note")
    @classmethod
    def _without_nul(cls, note: str) -> str:
        return note.replace("\0", "\ufffd")  # PostgreSQL keeps none.


class KeptCorrection(Correction):
    """A correction that was kept: when (seconds since 1970), and its number in the failure library."""

    id: str
    created: float
    failure_case: int | None = None


class Feedback:
    """The corrections of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, tenant: str, correction: Correction, failure_case: int | None = None) -> KeptCorrection:
        """Keep a correction. Raises NotFoundError where the tenant has no such report."""
        kept = KeptCorrection(**correction.model_dump(), id=new_id(), created=time.time(), failure_case=failure_case)
        with self._database.write() as db:
            owner = select(reports.c.id).where(reports.c.tenant == tenant, reports.c.id == correction.report)
            if db.execute(owner).first() is None:
                raise NotFoundError(f"no report {correction.report!r}")
            db.execute(feedback.insert().values(tenant=tenant, **kept.model_dump()))
        return kept

    def of_report(self, tenant: str, report: str) -> tuple[KeptCorrection, ...]:
        """The corrections of a report, the oldest first."""
        query = (
            select(*(column for column in feedback.c if column.name != "tenant"))
            .where(feedback.c.tenant == tenant, feedback.c.report == report)
            .order_by(feedback.c.created, feedback.c.id)
        )
        with self._database.read() as db:
            return tuple(KeptCorrection.model_validate(dict(row)) for row in db.execute(query).mappings())
