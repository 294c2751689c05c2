"""Scores of one inspection, from the eval room; light enough to be given with every answer."""

from __future__ import annotations

from eval.fci import score_report
from rag.pipeline import Inspection
from rag.report import Report


def score_inspection(inspection: Inspection) -> Inspection:
    """A copy with its scores: the factual consistency of the report (`fci` and its counts) and `supported_share`.

    A score that cannot be given is None and `fci_reason` says why; it is never 0 for that.
    """
    scores = {**score_report(inspection).summary(), "supported_share": supported_share(inspection.report)}
    return inspection.model_copy(update={"scores": scores})


def supported_share(report: Report | None) -> float | None:
    """Share of the report's statements that are supported by what they cite, None without statements."""
    if report is None or not report.statements:
        return None
    return sum(statement.supported for statement in report.statements) / len(report.statements)
