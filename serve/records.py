"""What stays of an inspection in a home: values of a place for the next report there, and which manuals were of use."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path

from knowledge.usage import UsageLog
from rag.history import History, HistoryError, Sighting, recall, record_photo
from rag.pipeline import Inspection, Pipeline, Run
from vision.fields import PhotoReading

logger = logging.getLogger("gauge.service")


def report_at(home: Path, place: str | None, pipeline: Pipeline, reading: PhotoReading, request_id: str) -> Run:
    """The report of a reading, held against what was read at the place before; its values join what is known of it.

    Without a place, or where its history cannot be read, the report stands for itself.
    """
    if place is None:
        return pipeline.run(reading, request_id=request_id)
    history, sighting = History(home / "history.sqlite"), Sighting(place, datetime.now(UTC))
    try:
        past = recall(history, sighting, reading)
        run = pipeline.run(reading, request_id=request_id, past=past)
        record_photo(history, sighting, run.inspection.reading, request_id)
        return run
    except HistoryError as error:
        logger.warning("the reading is not held against earlier ones: %s", error)
        return pipeline.run(reading, request_id=request_id)


def record_use(home: Path, inspection: Inspection) -> None:
    """What was found for a report and what it cites: the knowledge base's health audit counts it."""
    if inspection.report is None or not inspection.evidence:
        return
    log = UsageLog(home)
    log.record_search("inspection", [one.chunk for one in inspection.evidence])
    log.record_use(dict.fromkeys(one for statement in inspection.report.statements for one in statement.citations))
