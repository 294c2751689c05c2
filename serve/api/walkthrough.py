"""The page of a kept report's request: its trace, its manuals as they were, its photo."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

from fastapi.responses import Response

from eval.score import EvalError
from rag.errors import TraceError
from serve.api.auth import Caller
from serve.api.formats import PAGE_POLICY
from serve.api.parts import Parts
from serve.api.problems import ProblemError
from serve.store.errors import NotFoundError
from serve.store.reports import StoredReport


def report_walkthrough(parts: Parts, who: Caller, id: str, report_to: str) -> Response:
    """The page of a report. Blocks. Raises ProblemError (404) where the trace is not kept any more."""
    from serve.walking import make_page  # Brings the whole page with it; few servers are asked for one.

    report = parts.store.reports.get(who.tenant, id)
    service = parts.service_of(who.tenant)
    try:
        trace = service.traces.load(report.request_id)
    except TraceError as error:
        raise ProblemError(HTTPStatus.NOT_FOUND, "no-trace", "the trace of this report is not kept any more") from error
    if report.document is not None and trace.made_at != report.document.about.made_at:
        # A client may send one request id twice: the newest trace is another request's.
        raise ProblemError(HTTPStatus.NOT_FOUND, "no-trace", "the trace of this report was replaced by a later request's")
    homes = (service.settings, parts.settings)
    try:
        page = make_page(homes, trace, _photo_path(parts, report), report_to)
    except EvalError as error:
        raise ProblemError(HTTPStatus.NOT_FOUND, "no-trace", str(error)) from error
    return Response(page.html, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": PAGE_POLICY})


def _photo_path(parts: Parts, report: StoredReport) -> Path:
    """The kept photo, or a file that is not there: the name in the trace is the uploader's and is never opened."""
    try:
        return parts.store.photos.find(report.tenant, report.photo_sha256 or "").path
    except NotFoundError:
        return parts.store.photos.folder / "gone"
