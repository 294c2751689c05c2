"""Scores of one inspection, from the eval room; light enough to be given with every answer."""

from __future__ import annotations

from eval.score import Score, not_scorable
from rag.pipeline import Inspection


def score_inspection(inspection: Inspection) -> Inspection:
    """A copy with its scores: `supported`, the share of the report's statements that their citations support."""
    return inspection.model_copy(update={"scores": {"supported": supported_share(inspection)}})


def supported_share(inspection: Inspection) -> Score:
    """Share of statements that are supported by what they cite; not scorable without a report."""
    if inspection.report is None:
        return not_scorable("there is no report: the photo could not be opened")
    statements = inspection.report.statements
    if not statements:
        return not_scorable("the report makes no statement")
    unsupported = [statement.text for statement in statements if not statement.supported]
    value = 1.0 - len(unsupported) / len(statements)
    reason = f"{len(statements) - len(unsupported)} of {len(statements)} statements are supported by what they cite"
    return Score(value=value, state="supported" if not unsupported else "unsupported", reason=reason)
