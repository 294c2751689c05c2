"""Scores of one inspection, from the eval room; light enough to be given with every answer."""

from __future__ import annotations

from typing import Any

from eval.fci import score_report
from rag.pipeline import Inspection
from rag.readability import judge_report
from rag.report import Document, Report


def score_inspection(inspection: Inspection, document: Document | None = None) -> Inspection:
    """A copy with its scores: the factual consistency of the report (`fci` and its counts), `supported_share`, and with
    the document how it reads: `readability`, `passed` (faithful and readable, both), and `report_problems` where not.

    A score that cannot be given is None and `fci_reason` says why; it is never 0 for that.
    """
    scores: dict[str, Any] = {**score_report(inspection).summary(), "supported_share": supported_share(inspection.report)}
    verdict = judge_report(document) if document is not None else None
    scores["readability"] = verdict.readability.score if verdict is not None else None
    scores["passed"] = verdict.passed if verdict is not None else None
    scores["report_problems"] = list(verdict.reasons) if verdict is not None else []
    return inspection.model_copy(update={"scores": scores})


def supported_share(report: Report | None) -> float | None:
    """Share of the report's statements that are supported by what they cite, None without statements."""
    if report is None or not report.statements:
        return None
    return sum(statement.supported for statement in report.statements) / len(report.statements)
