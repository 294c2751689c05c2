"""`/reports`: kept reports, whole, in every format, with their photos; `/places`: an instrument's history."""

from __future__ import annotations

from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import FileResponse, Response

from serve.api.auth import Caller, Reading
from serve.api.files import WholeFile
from serve.api.formats import MEDIA_TYPES, Format, choose_format, download_name, report_picture, report_response
from serve.api.parts import Parts, parts_of
from serve.api.problems import problem_docs
from serve.api.walkthrough import report_walkthrough
from serve.store.errors import NotFoundError
from serve.store.feedback import KeptCorrection
from serve.store.reports import MOST_LISTED, PlaceReading, ReportLine, StoredReport
from vision.fields import Contract

router = APIRouter(tags=["reports"], responses=problem_docs(401, 403, 404, 422, 429, 503))

Id = Annotated[str, Path(max_length=60, description="Id of a report, as `POST /inspect` answered it.")]
AS_PHOTO: dict[int | str, dict[str, Any]] = {200: {"content": {"image/*": {}}}}


class FullReport(StoredReport):
    """A kept report and what was said about it since."""

    feedback: tuple[KeptCorrection, ...] = ()


class ReportPage(Contract):
    """Reports, the newest first; `next` is the `before` of the next page, None on the last one."""

    reports: tuple[ReportLine, ...]
    next: str | None


class PlaceOut(Contract):
    """A place: how many reports it has, and the newest."""

    place: str
    reports: int
    newest: ReportLine


class History(Contract):
    """What the instruments of a place showed, the oldest first."""

    place: str
    readings: tuple[PlaceReading, ...]


@router.get("/reports")
def list_reports(
    request: Request,
    who: Reading,
    place: Annotated[str | None, Query(max_length=200)] = None,
    model: Annotated[str | None, Query(max_length=80)] = None,
    before: Annotated[str | None, Query(max_length=60, description="Id of the last report of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 50,
) -> ReportPage:
    """The newest reports, of a place or a model where one is given."""
    found = parts_of(request).store.reports.list(who.tenant, place=place, model=model, before=before, limit=limit)
    return ReportPage(reports=found, next=found[-1].id if len(found) == limit else None)


@router.get(
    "/reports/{id}",
    response_model=FullReport,
    responses={200: {"content": {media_type: {} for media_type in MEDIA_TYPES.values()}}, **problem_docs(404, 406)},
)
async def get_report(
    request: Request,
    who: Reading,
    id: Id,
    format: Annotated[Format | None, Query(description="Goes before the header Accept.")] = None,
    accept: Annotated[str, Header()] = "*/*",
) -> object:
    """A report as JSON, HTML, PDF or Markdown, by the header Accept or by `format`."""
    parts = parts_of(request)
    wanted = format or choose_format(accept)

    def write() -> object:
        report = parts.store.reports.get(who.tenant, id)
        if wanted == "json":
            feedback = parts.store.feedback.of_report(who.tenant, id)
            return FullReport.model_construct(**dict(report), feedback=feedback)
        return report_response(parts.store, report, wanted)

    if wanted == "json":
        return await anyio.to_thread.run_sync(write)
    return await parts.writers.run(write)


@router.get("/reports/{id}/photo", response_class=FileResponse, responses=AS_PHOTO)
def get_photo(request: Request, who: Reading, id: Id) -> FileResponse:
    """The photo of a report, as long as it is kept."""
    parts, report = _report(request, who, id)
    if report.photo_sha256 is None:
        raise NotFoundError("this report has no photo")
    photo = parts.store.photos.find(who.tenant, report.photo_sha256)
    ending = photo.path.suffix.lstrip(".")
    return WholeFile(
        photo.path,
        media_type=photo.media_type,
        filename=download_name(report, ending),
        content_disposition_type="inline",
        headers={"Cache-Control": "private, max-age=3600"},
    )


@router.get("/reports/{id}/overlay", response_class=Response, responses={200: {"content": {"image/jpeg": {}}}})
async def get_overlay(request: Request, who: Reading, id: Id) -> Response:
    """The photo with boxes, needles and scale ends drawn on it, as JPEG."""
    parts = parts_of(request)

    def draw() -> bytes:
        picture = report_picture(parts.store, parts.store.reports.get(who.tenant, id))
        if picture is None:
            raise NotFoundError("the photo is not kept: its time has passed, or photos are not kept here")
        return picture.jpeg

    return Response(await parts.writers.run(draw), media_type="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})


@router.get("/walkthrough/{id}", response_class=Response, responses={200: {"content": {"text/html": {}}}})
async def get_walkthrough(request: Request, who: Reading, id: Id) -> Response:
    """What happened to a report's request on one HTML page, as long as its trace is kept."""
    parts = parts_of(request)
    report_to = f"{request.base_url}failures"
    return await parts.writers.run(lambda: report_walkthrough(parts, who, id, report_to))


@router.get("/places")
def list_places(request: Request, who: Reading) -> tuple[PlaceOut, ...]:
    """The places that photos were taken of, that with the newest report first."""
    places = parts_of(request).store.reports.places(who.tenant)
    return tuple(PlaceOut(place=line.place, reports=line.reports, newest=line.newest) for line in places)


@router.get("/history")
def get_history(
    request: Request,
    who: Reading,
    place: Annotated[str, Query(min_length=1, max_length=200)],
    limit: Annotated[int, Query(ge=1, le=5000)] = 500,
) -> History:
    """What the instruments of a place showed, those that were not read with the reason."""
    return History(place=place, readings=parts_of(request).store.reports.history(who.tenant, place, limit))


def _report(request: Request, who: Caller, id: str) -> tuple[Parts, StoredReport]:
    parts = parts_of(request)
    return parts, parts.store.reports.get(who.tenant, id)
