"""A kept report as a page: the photo with what was read, values, sentences with their passages, and the form that corrects it."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Literal, NamedTuple

import anyio.to_thread
from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import Response

from eval.failures import COMPLAINTS
from knowledge.articles import KnowledgeError
from knowledge.facts import ModelFacts
from serve.api.auth import Caller, Inspecting, Reading
from serve.api.correcting import keep_correction
from serve.api.formats import download_name
from serve.api.parts import Parts, parts_of
from serve.api.problems import ProblemError
from serve.settings import Language
from serve.store.errors import NotFoundError
from serve.store.feedback import MAX_NOTE
from serve.store.reports import StoredReport
from serve.web.corrections import CorrectionError, parse_correction
from serve.web.drawing import draw_shapes
from serve.web.pictures import Picture, Pictures
from serve.web.rendering import PageRoute, render, see_other, words_of
from serve.web.rows import build_rows
from serve.web.views import Card, view_advice, view_report
from serve.web.words import Words
from vision.units import UNIT_NAMES

router = APIRouter(route_class=PageRoute)

ReportId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,60}$")]
DAY_S = 86400
_pictures = Pictures()


class Wrong(NamedTuple):
    """The correction form as it was filled in, with what is wrong with it."""

    instrument: int = 1
    complaint: str = "misread"
    value: str = ""
    unit: str = ""
    note: str = ""
    problem: str = ""


@router.get("/r/{id}")
def report_page(request: Request, who: Reading, id: ReportId) -> Response:
    """A report."""
    return _page(request, parts_of(request).store.reports.get(who.tenant, id), Wrong())


@router.get("/r/{id}/photo.jpg")
def photo(request: Request, who: Reading, id: ReportId, size: Literal["large", "small"] = "large") -> Response:
    """The photo of a report as a JPEG of a screen's size, upright and without the camera's metadata."""
    report = parts_of(request).store.reports.get(who.tenant, id)
    picture = _picture(parts_of(request), report)
    if picture is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "no-photo", "the photo is not kept any more")
    data = picture.large if size == "large" else picture.small
    # Another key of the same browser must not see it: private, and asked again under another cookie.
    headers = {"Cache-Control": f"private, max-age={DAY_S}", "Vary": "Cookie, Authorization"}
    return Response(data, media_type="image/jpeg", headers=headers)


@router.post("/r/{id}/wrong")
async def correct(
    request: Request,
    who: Inspecting,
    id: ReportId,
    instrument: Annotated[int, Form(ge=1, le=1000)] = 1,
    complaint: Annotated[str, Form(max_length=40)] = "misread",
    value: Annotated[str, Form(max_length=100)] = "",
    unit: Annotated[str, Form(max_length=40)] = "",
    note: Annotated[str, Form(max_length=MAX_NOTE)] = "",
) -> Response:
    """Keep a correction beside the report and in the failure library, and say under which number."""
    wrong = Wrong(instrument, complaint, value.strip(), unit.strip(), note.strip())
    return await anyio.to_thread.run_sync(_correct, request, who, id, wrong)


def _correct(request: Request, who: Caller, id: str, wrong: Wrong) -> Response:
    parts, words = parts_of(request), words_of(request)
    report = parts.store.reports.get(who.tenant, id)
    if wrong.complaint not in COMPLAINTS:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "no-complaint", f"no complaint {wrong.complaint[:40]!r}")
    try:
        # A photo without instruments is corrected as a whole; another number is never taken for the last instrument's.
        number = wrong.instrument if report.inspection.reading.instruments else None
        correction = parse_correction(report, number, wrong.complaint, wrong.value, wrong.unit, wrong.note, words)
    except CorrectionError as error:
        return _page(request, report, wrong._replace(problem=str(error)), HTTPStatus.UNPROCESSABLE_ENTITY)
    kept = keep_correction(parts, who, correction)
    return see_other(request, f"/r/{id}/thanks?case={kept.failure_case}")


@router.get("/r/{id}/thanks")
def thanks_page(request: Request, who: Reading, id: ReportId, case: Annotated[int, Query(ge=0, le=10**9)] = 0) -> Response:
    """The number of the case."""
    parts_of(request).store.reports.get(who.tenant, id)
    return render(request, "thanks.html", "read", id=id, case=case) if case else see_other(request, f"/r/{id}")


def _page(request: Request, report: StoredReport, wrong: Wrong, status: int = HTTPStatus.OK) -> Response:
    parts, words = parts_of(request), words_of(request)
    reading = report.inspection.reading
    picture = _picture(parts, report)
    view = view_report(report.inspection, report.document, words, facts_of_report(parts, report, words.language))
    (row,) = build_rows([report], parts.store.reports, words)
    return render(
        request,
        "result.html",
        "read",
        status=status,
        id=report.id,
        title=row.value or words("not_read"),
        photo_name=report.photo_name,
        place=report.place,
        when=row.when,
        iso=row.iso,
        view=view,
        overlay=draw_shapes(reading, picture.width, picture.height) if picture is not None else None,
        labels={card.number: _label(card, words) for card in view.cards},
        advice=view_advice(picture.advice, words) if picture is not None else (),
        walkthrough=f"/walkthrough/{report.id}" if report.document is not None else None,
        downloads={ending: download_name(report, ending) for ending in ("pdf", "html", "json")},
        complaints=COMPLAINTS,
        units=UNIT_NAMES,
        wrong=wrong,
        corrected=_corrected(parts, report, words),
    )


def _corrected(parts: Parts, report: StoredReport, words: Words) -> dict[int | None, list[str]]:
    """What people said against the report's instruments (None: against the whole), the oldest first."""
    said: dict[int | None, list[str]] = {}
    for one in parts.store.feedback.of_report(report.tenant, report.id):
        if one.value is not None:
            text = words("corrected", value=f"{one.value:.10g} {one.unit or ''}".strip())
        else:
            text = words("reported", complaint=words(f"complaint_{one.complaint}"))
        said.setdefault(one.instrument, []).append(text)
    return said


def _label(card: Card, words: Words) -> str:
    """What a screen reader says of an instrument's box: `1 pressure gauge: 42.9 MPa`."""
    shown = f"{card.value} {card.unit or ''}".strip() if card.value is not None else words("not_read")
    return f"{card.number} {card.title}: {shown}"


def _picture(parts: Parts, report: StoredReport) -> Picture | None:
    sha256 = report.photo_sha256
    if sha256 is None:
        return None

    def load() -> bytes:
        return parts.store.photos.find(report.tenant, sha256).path.read_bytes()

    try:
        # Whether it is kept is asked each time: what a sweep removed is not shown out of memory.
        parts.store.photos.find(report.tenant, sha256)
        return _pictures.get((report.tenant, report.id), load, report.inspection.reading)
    except (NotFoundError, OSError):
        return None


def facts_of_report(parts: Parts, report: StoredReport, language: Language) -> Mapping[str, ModelFacts]:
    """What the manuals in force say of the models that a report names; nothing where the manuals cannot be asked."""
    models = {one.instrument_model for one in report.inspection.reading.instruments if one.instrument_model}
    return facts_of_models(parts, report.tenant, models, language)


def facts_of_models(parts: Parts, tenant: str, models: set[str], language: Language) -> dict[str, ModelFacts]:
    """The facts of models that have a manual."""
    try:
        knowledge = parts.service_of(tenant).knowledge
        found = {model: knowledge.facts(model, language) for model in models}
    except KnowledgeError:
        return {}
    return {model: facts for model, facts in found.items() if facts is not None}
