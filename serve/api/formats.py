"""A kept report in the format that a client asks for: JSON, HTML, PDF or Markdown."""

from __future__ import annotations

from http import HTTPStatus
from typing import Literal, NamedTuple

from fastapi.responses import Response

from rag.errors import RenderError
from rag.render.html import render_html
from rag.render.markdown import render_markdown
from rag.render.pdf import render_pdf
from rag.render.picture import Picture
from serve.api.problems import ProblemError
from serve.file_names import safe_stem
from serve.overlay import overlay_picture
from serve.store.errors import NotFoundError
from serve.store.reports import StoredReport
from serve.store.store import Store

Format = Literal["json", "html", "pdf", "md"]
MEDIA_TYPES: dict[Format, str] = {
    "json": "application/json",
    "html": "text/html",
    "pdf": "application/pdf",
    "md": "text/markdown",
}
PAGE_POLICY = "frame-ancestors 'none'; base-uri 'none'"
"""The page's own policy, in its head, says the rest: which style and which script by their hashes."""


class _Wish(NamedTuple):
    type: str
    quality: float
    exactness: int


def choose_format(accept: str) -> Format:
    """The format that an Accept header likes best (RFC 9110, 12.5.1); JSON where it likes several alike.

    Raises ProblemError (406) where it likes none.
    """
    wishes = [_wish(part) for part in accept.split(",")[:50] if part.strip()] or [_Wish("*/*", 1.0, 0)]
    best: tuple[float, Format] | None = None
    for name, media_type in MEDIA_TYPES.items():
        quality = _quality(media_type, wishes)
        if quality > 0 and (best is None or quality > best[0]):
            best = (quality, name)
    if best is None:
        detail = f"a report can be had as {', '.join(MEDIA_TYPES.values())}; ask for one with Accept or with ?format="
        raise ProblemError(HTTPStatus.NOT_ACCEPTABLE, "no-such-format", detail)
    return best[1]


def report_response(store: Store, report: StoredReport, format: Literal["html", "pdf", "md"]) -> Response:
    """A report as people read it, with the photo where it is still kept. Blocks. Raises ProblemError."""
    document = report.document
    if document is None:
        detail = f"there is no report, because the photo could not be opened: {report.reason}"
        raise ProblemError(HTTPStatus.NOT_FOUND, "no-document", detail)
    picture = None if format == "md" else report_picture(store, report)
    headers = {"Content-Disposition": f'inline; filename="report-{report.id}.{format}"'}
    if format == "md":
        return Response(render_markdown(document), media_type="text/markdown; charset=utf-8", headers=headers)
    if format == "html":
        headers["Content-Security-Policy"] = PAGE_POLICY
        return Response(render_html(document, picture), media_type="text/html; charset=utf-8", headers=headers)
    try:
        return Response(render_pdf(document, picture), media_type="application/pdf", headers=headers)
    except RenderError as error:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "no-pdf", f"the report cannot be a PDF: {error}") from error


def report_picture(store: Store, report: StoredReport) -> Picture | None:
    """The photo of a report with what was read drawn on it; None where the photo is not kept. Blocks."""
    if report.photo_sha256 is None:
        return None
    try:
        photo = store.photos.find(report.tenant, report.photo_sha256)
    except NotFoundError:
        return None
    return overlay_picture(photo.path, report.inspection.reading, report.document)


def download_name(report: StoredReport, ending: str) -> str:
    """A file name for a download, in ASCII: what the photo was called is not trusted in a header."""
    stem = safe_stem(report.photo_name).encode("ascii", "ignore").decode().strip("_-") or "photo"
    return f"{stem[:60]}-{report.id[:8]}.{ending}"


def _wish(part: str) -> _Wish:
    media_type, *parameters = (word.strip().lower() for word in part.split(";"))
    quality = 1.0
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name == "q":
            try:
                quality = min(1.0, max(0.0, float(value)))
            except ValueError:
                quality = 0.0
    return _Wish(media_type, quality if quality == quality else 0.0, 2 - media_type.count("*"))


def _quality(media_type: str, wishes: list[_Wish]) -> float:
    """The quality of the most exact wish that a type fits."""
    group = f"{media_type.split('/')[0]}/*"
    fitting = [wish for wish in wishes if wish.type in (media_type, group, "*/*", "*")]
    return max(fitting, key=lambda wish: wish.exactness).quality if fitting else 0.0
