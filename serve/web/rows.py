"""Kept reports as lines of a list: what was read in words, where, when; or why it was not."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from rag.layout import shown_value
from rag.queries import format_number
from rag.reasons import localize_reason
from serve.store.errors import NotFoundError
from serve.store.reports import PlaceLine, ReportLine, Reports
from serve.web.chart import stamp, value_text
from serve.web.words import Words


class Row(NamedTuple):
    """A report in a line; without `value`, `reason` says why."""

    id: str
    value: str | None
    interval: tuple[str, str] | None
    confidence_percent: int | None
    reason: str | None
    place: str | None
    model: str | None
    photo: str
    when: str
    iso: str


class PlaceRow(NamedTuple):
    """A place with its newest report."""

    place: str
    reports: int
    row: Row


def build_rows(lines: Iterable[ReportLine], reports: Reports, words: Words) -> tuple[Row, ...]:
    """Lines of a list. What has no number (a lamp's colour, a selector's position) is looked up in the report itself."""
    return tuple(_row(line, reports, words) for line in lines)


def build_place_rows(lines: Iterable[PlaceLine], reports: Reports, words: Words) -> tuple[PlaceRow, ...]:
    """Lines of the list of places."""
    return tuple(PlaceRow(line.place, line.reports, _row(line.newest, reports, words)) for line in lines)


def _row(line: ReportLine, reports: Reports, words: Words) -> Row:
    interval = None
    if line.value is not None:
        value: str | None = value_text(line.value, line.low, line.high, line.unit)
        if line.low is not None and line.high is not None:
            half = (line.high - line.low) / 2
            interval = (format_number(line.low, half), format_number(line.high, half))
    else:
        value = _shown(line, reports, words) if line.status == "read" else None
    return Row(
        id=line.id,
        value=value,
        interval=interval,
        confidence_percent=None if line.confidence is None or line.value is None else int(100 * line.confidence + 1e-9),
        reason=localize_reason(line.reason, words.language) if value is None and line.reason else None,
        place=line.place,
        model=line.model,
        photo=line.photo_name,
        when=stamp(line.created),
        iso=datetime.fromtimestamp(line.created, UTC).isoformat(timespec="seconds"),
    )


def _shown(line: ReportLine, reports: Reports, words: Words) -> str | None:
    try:
        report = reports.get(line.tenant, line.id)
    except NotFoundError:  # Removed by its age in this moment.
        return None
    shown = (shown_value(one, words.language) for one in report.inspection.reading.instruments)
    return next((text for text in shown if text is not None), None)
