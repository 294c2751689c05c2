"""A correction becomes a case of the tenant's failure library and is kept beside its report."""

from __future__ import annotations

import logging
from http import HTTPStatus

from eval.failures import FORMAT, FailureError, FailureLibrary, FailureReport
from serve.api.auth import Caller
from serve.api.parts import Parts
from serve.api.problems import ProblemError
from serve.store.errors import RefusedError
from serve.store.feedback import Correction, KeptCorrection
from serve.store.reports import StoredReport

logger = logging.getLogger("gauge.http")


def keep_correction(parts: Parts, who: Caller, correction: Correction) -> KeptCorrection:
    """Keep a correction. Blocks. Raises NotFoundError, RefusedError for an instrument that the report has not."""
    report = parts.store.reports.get(who.tenant, correction.report)
    count = len(report.inspection.reading.instruments)
    if correction.instrument is not None and correction.instrument > count:
        raise RefusedError(f"the report has {count} instruments, no number {correction.instrument}")
    try:
        case = FailureLibrary(parts.store.tenant_home(who.tenant)).add(_failure(report, correction))
    except FailureError as error:
        raise library_problem(error) from error
    return parts.store.feedback.add(who.tenant, correction, case.id)


def library_problem(error: FailureError) -> ProblemError:
    """The answer where the library takes nothing: not where it lies, that is the server's own matter."""
    logger.error("%s", error)
    detail = "the failure library cannot take it now"
    return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "no-failure-library", detail, {"Retry-After": "30"})


def _failure(report: StoredReport, correction: Correction) -> FailureReport:
    which = f"instrument {correction.instrument}" if correction.instrument is not None else "the photo"
    unit = f" {correction.unit}" if correction.unit is not None else ""
    truth = (f"{which}: {correction.value:g}{unit}",) if correction.value is not None else ()
    weights = report.inspection.reading.weights
    watermark = {"weights": f"{weights.name} {weights.version}", "report": report.id, "photo": report.photo_sha256 or ""}
    if report.document is not None:
        watermark["manuals"] = report.document.about.knowledge_version
    return FailureReport(
        format=FORMAT,
        request_id=report.request_id,
        complaint=correction.complaint,
        question=f"what does {which} of {report.photo_name[:200]} show?",
        expected=truth,
        note=correction.note,
        watermark={name: text[:500] for name, text in watermark.items()},
    )
