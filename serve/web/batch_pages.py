"""Batches as pages: photos in, a page that renews itself while they are read, and the rows with their downloads."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, NamedTuple

import anyio.to_thread
from fastapi import APIRouter, Path, Query, Request, UploadFile
from fastapi.responses import Response
from starlette.datastructures import UploadFile as FilePart

from rag.reasons import localize_reason
from serve.api.auth import Inspecting, Reading
from serve.api.parts import parts_of
from serve.api.problems import ProblemError
from serve.batch.job import KIND, MAX_PHOTOS, batch_job, queue_folder, queue_uploads, rows_so_far
from serve.batch.rows import Row
from serve.batch.run import Progress
from serve.store.jobs import Job
from serve.web.forms import read_form
from serve.web.rendering import PageRoute, render, see_other, words_of
from serve.web.words import Words
from vision.photos import display_name

router = APIRouter(route_class=PageRoute)

JobId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,60}$")]
MAX_MODEL, MAX_FOLDER = 80, 500
RECENT, ROWS_A_PAGE = 20, 100


class JobLine(NamedTuple):
    """A batch in a line: when it was asked for, its state in words, how far it is."""

    id: str
    when: str
    source: str | None
    state: str
    progress: Progress


class RowLine(NamedTuple):
    """A row of the table as it is shown: what was read, or why not."""

    photo: str
    model: str | None
    shown: str | None
    percent: int | None
    reason: str | None
    twin: str | None


@router.get("/batches")
def batches_page(request: Request, who: Reading) -> Response:
    """The form, and the latest batches."""
    parts, words = parts_of(request), words_of(request)
    jobs = parts.store.jobs.list(who.tenant, kind=KIND, limit=RECENT)
    return render(
        request,
        "batch.html",
        "batch",
        most=MAX_PHOTOS,
        has_folder=parts.settings.batch_folder is not None,
        jobs=[_line(job, words) for job in jobs],
    )


@router.post("/batches")
async def begin(request: Request, who: Inspecting) -> Response:
    """Queue what the form holds and go on to the batch's page."""
    parts, words = parts_of(request), words_of(request)
    form = await read_form(request, MAX_PHOTOS + 1, 10)
    try:
        texts = {name: value.strip() for name in ("model", "folder") if isinstance(value := form.get(name), str)}
        folder, model = texts.get("folder", "")[:MAX_FOLDER], display_name(texts.get("model", ""))[:MAX_MODEL] or None
        sent = (one for one in form.getlist("file") if isinstance(one, FilePart))
        files = [UploadFile(one.file, size=one.size, filename=one.filename) for one in sent if one.filename or one.size]
        if bool(files) == bool(folder):
            raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "no-photo", words("batch_nothing"))

        def queue() -> Job:
            if folder:
                return queue_folder(parts, who.tenant, folder, model)
            return queue_uploads(parts, who.tenant, files, model)

        job = await parts.writers.run(queue)
    finally:
        await form.close()
    parts.runner.wake()
    return see_other(request, f"/batches/{job.id}")


@router.get("/batches/{id}")
def batch_page(request: Request, who: Reading, id: JobId, start: Annotated[int, Query(ge=0, le=10**9)] = 0) -> Response:
    """A batch: how far it is, and its rows so far. It asks again by itself until the batch has ended."""
    parts, words = parts_of(request), words_of(request)
    job = batch_job(parts, who.tenant, id)
    rows = list(rows_so_far(parts, job, start, ROWS_A_PAGE + 1))
    return render(
        request,
        "batch_job.html",
        "batch",
        job=job,
        line=_line(job, words),
        is_over=job.state not in ("queued", "running"),
        reason=localize_reason(job.reason, words.language) if job.reason else None,
        rows=[_row(row, words) for row in rows[:ROWS_A_PAGE]],
        before=max(0, start - ROWS_A_PAGE) if start else None,
        after=start + ROWS_A_PAGE if len(rows) > ROWS_A_PAGE else None,
    )


@router.post("/batches/{id}/cancel")
async def cancel(request: Request, who: Inspecting, id: JobId) -> Response:
    """End a batch; what was read stays."""
    parts = parts_of(request)
    job = await anyio.to_thread.run_sync(batch_job, parts, who.tenant, id)
    await anyio.to_thread.run_sync(parts.store.jobs.cancel, who.tenant, job.id)
    return see_other(request, f"/batches/{job.id}")


def _line(job: Job, words: Words) -> JobLine:
    """The counts of a batch; before its first photo all of them are still to come."""
    told = job.result or job.progress
    counts = {name: int(told[name]) for name in Progress._fields if isinstance(told.get(name), int)}
    progress = Progress(**{"total": int(job.payload.get("photos", 0)), **counts})
    when = datetime.fromtimestamp(job.created, UTC).strftime("%Y-%m-%d %H:%M")
    ending = job.state == "running" and job.cancel_asked
    return JobLine(job.id, when, job.payload.get("source"), words("batch_ending" if ending else f"batch_{job.state}"), progress)


def _row(row: Row, words: Words) -> RowLine:
    reason = localize_reason(row.reason, words.language) if row.status != "read" else None
    percent = round(100 * row.value_confidence) if row.value_confidence is not None else None
    return RowLine(row.photo, row.instrument_model, row.shown, percent, reason, row.duplicate_of)
