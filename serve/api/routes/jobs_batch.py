"""`POST /batch`: many photos as a job; `/jobs/{id}/rows` and `/jobs/{id}/results`: what was read so far, and all of it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Query, Request, Response, UploadFile
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from serve.api.auth import Caller, Inspecting, Reading
from serve.api.files import WholeFile
from serve.api.parts import Parts, parts_of
from serve.api.problems import problem_docs
from serve.api.routes.jobs import Id
from serve.batch.job import batch_job, queue_folder, queue_uploads, rows_so_far
from serve.batch.rows import Row
from serve.batch.tables import write_table
from serve.store.errors import RefusedError
from serve.store.jobs import Job, JobState
from vision.fields import Contract
from vision.photos import display_name

router = APIRouter(tags=["jobs"], responses=problem_docs(401, 403, 422, 429, 503))

MOST_ROWS = 1000
MEDIA_TYPES = {"json": "application/json", "csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
RowFormat = Literal["json", "csv", "parquet"]


class RowPage(Contract):
    """Rows in the order of the photos; `next` is the `start` of the next page, None where there are no more so far."""

    state: JobState
    rows: tuple[Row, ...]
    next: int | None


@router.post("/batch", status_code=HTTPStatus.ACCEPTED, responses=problem_docs(408, 413, 507))
async def batch(
    request: Request,
    response: Response,
    who: Inspecting,
    file: Annotated[list[UploadFile] | None, File(description="Photos, each in a part named `file`.")] = None,
    folder: Annotated[
        str | None, Form(max_length=500, description="A folder below the server's folder for batches, instead of photos.")
    ] = None,
    model: Annotated[str | None, Form(max_length=80, description="The instruments' model.", examples=["XYZ-2000"])] = None,
) -> Job:
    """Read many photos as a job, at `/jobs/{id}`: rows as they come at `/jobs/{id}/rows`, the table at `/jobs/{id}/results`.

    Uploaded photos are kept until the job ends. A photo that cannot be opened is a row with the reason.
    """
    parts, files = parts_of(request), file or []
    if bool(files) == (folder is not None):
        raise RefusedError("send photos, or name a folder, one of them")
    wanted = display_name(model).strip() or None if model else None

    def queue() -> Job:
        if folder is not None:
            return queue_folder(parts, who.tenant, folder, wanted)
        return queue_uploads(parts, who.tenant, files, wanted)

    job = await parts.writers.run(queue)
    parts.runner.wake()
    response.headers["Location"] = f"/jobs/{job.id}"
    return job


@router.get("/jobs/{id}/rows", responses=problem_docs(404))
def get_rows(
    request: Request,
    who: Reading,
    id: Id,
    start: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 200,
) -> RowPage:
    """The rows of a batch as far as it is, also while it runs."""
    parts = parts_of(request)
    job = batch_job(parts, who.tenant, id)  # Before the rows: a job that is done has all of them.
    rows = tuple(rows_so_far(parts, job, start, limit))
    return RowPage(state=job.state, rows=rows, next=start + limit if len(rows) == limit else None)


@router.get(
    "/jobs/{id}/results",
    response_class=FileResponse,
    responses={200: {"content": {media_type: {} for media_type in MEDIA_TYPES.values()}}, **problem_docs(404)},
)
async def get_results(request: Request, who: Reading, id: Id, format: RowFormat = "json") -> FileResponse:
    """All rows of a batch so far as one file."""
    parts = parts_of(request)
    path = await parts.writers.run(lambda: _result_file(parts, who, id, format))
    return WholeFile(
        path,
        media_type=MEDIA_TYPES[format],
        filename=f"batch-{id}.{format}",
        background=BackgroundTask(path.unlink, missing_ok=True),
    )


def _result_file(parts: Parts, who: Caller, id: str, format: RowFormat) -> Path:
    rows = rows_so_far(parts, batch_job(parts, who.tenant, id))
    with tempfile.NamedTemporaryFile(prefix="gauge-batch-", suffix=f".{format}", delete=False) as file:
        path = Path(file.name)
    try:
        if format == "json":
            _write_json(path, (row.model_dump() for row in rows))
        else:
            write_table(path, rows)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _write_json(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, row in enumerate(rows):
            file.write((",\n" if number else "\n") + json.dumps(row, ensure_ascii=False))
        file.write("\n]\n")
