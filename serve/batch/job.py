"""A batch as a job of the server: photos kept or found, read by the server's own reader, rows kept for whoever asks."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from fastapi import UploadFile

from serve.api.inspecting import shown_name
from serve.api.job_folders import making, new_place
from serve.api.parts import Parts
from serve.api.runner import Control, JobFailed, JobStopped
from serve.batch.errors import BatchError, BusyError, WeightsError
from serve.batch.journal import Journal
from serve.batch.rows import Row
from serve.batch.run import Batch
from serve.batch.sources import Found, find_photos, look_at
from serve.batch.stage import HereEngine, Task
from serve.batch.tables import write_table
from serve.settings import MIB
from serve.store.errors import NotFoundError, RefusedError, StoreError
from serve.store.jobs import Job
from serve.store.tenants import LOCAL, tenant_home
from serve.store.usage import PHOTOS
from vision.fields import PhotoReading
from vision.photos import display_name

KIND = "batch"
FOLDER = "batches"
MAX_PHOTOS = 1000
"""Photos of one upload; a folder may hold any number."""
PARTIAL_S = 2.0
ROWS_FILE, NAMES_FILE, JOURNAL_FILE, PHOTOS_FOLDER = "rows.jsonl", "names.json", "journal", "photos"
DAY_S = 86400.0


def queue_uploads(parts: Parts, tenant: str, files: Sequence[UploadFile], model: str | None) -> Job:
    """Keep uploaded photos and put their batch into the queue. Blocks. Raises RefusedError, QuotaError, StoreError."""
    if not 1 <= len(files) <= MAX_PHOTOS:
        raise RefusedError(f"{len(files)} photos in one request; send 1 to {MAX_PHOTOS}")
    place = _new_place(parts, tenant)
    with making(place, "the photos"):
        (place / PHOTOS_FOLDER).mkdir()
        names = [shown_name(one.filename) for one in files]
        for number, one in enumerate(files):
            with (place / PHOTOS_FOLDER / f"{number:06d}").open("wb") as file:  # What was sent as a name is never a path.
                shutil.copyfileobj(one.file, file)
        (place / NAMES_FILE).write_text(json.dumps(names), encoding="utf-8")
        size = sum(path.stat().st_size for path in (place / PHOTOS_FOLDER).iterdir())
        return _queue(parts, tenant, place, {"model": model, "source": None}, len(names), size / MIB)


def queue_folder(parts: Parts, tenant: str, folder: str, model: str | None) -> Job:
    """Put the batch of a folder on this server into the queue. Blocks. Raises RefusedError, QuotaError, StoreError."""
    found = _found_in(parts, tenant, folder)
    place = _new_place(parts, tenant)
    with making(place, "the batch"):
        return _queue(parts, tenant, place, {"model": model, "source": folder}, len(found.photos), 0.0)


def _queue(parts: Parts, tenant: str, place: Path, payload: Mapping[str, Any], photos: int, mib: float) -> Job:
    parts.store.spend_photos(tenant, photos, mib)
    try:
        return parts.store.jobs.add(tenant, KIND, {**payload, "folder": place.name, "photos": photos})
    except BaseException:
        with contextlib.suppress(StoreError):
            parts.store.usage.give_back(tenant, PHOTOS, photos)
        raise


def _new_place(parts: Parts, tenant: str) -> Path:
    """A folder for a new batch; those whose time has passed go."""
    return new_place(tenant_home(parts.store.home, tenant) / FOLDER, parts.settings.report_days * DAY_S)


def run_job(parts: Parts, job: Job, control: Control) -> Mapping[str, Any]:
    """Do a batch. Its rows are kept as they are read; uploaded photos go with the end of the job."""
    place = _place(parts, job)
    if not place.is_dir():
        raise JobFailed("the photos of this batch are gone")
    try:
        try:
            result = _read(parts, job, control, place, fresh=False)
        except WeightsError:  # The server was given other weights since: one table is one reader's.
            result = _read(parts, job, control, place, fresh=True)
    except BusyError as error:
        raise StoreError(str(error)) from error  # Another worker is about to notice that it lost the job.
    except (BatchError, RefusedError) as error:
        raise JobFailed(str(error)) from error
    except OSError as error:
        raise JobFailed(f"the rows cannot be kept: {error.strerror or error}") from error
    except JobStopped:
        if parts.store.jobs.get(job.tenant, job.id).cancel_asked:
            shutil.rmtree(place / PHOTOS_FOLDER, ignore_errors=True)
        raise
    shutil.rmtree(place / PHOTOS_FOLDER, ignore_errors=True)
    return result


def _read(parts: Parts, job: Job, control: Control, place: Path, *, fresh: bool) -> Mapping[str, Any]:
    service, model = parts.service_of(job.tenant), job.payload.get("model")

    def read(tasks: Sequence[Task]) -> Iterator[PhotoReading]:
        return service.read_photos([Path(task.path) for task in tasks], names=[task.name for task in tasks], model=model)

    source = job.payload.get("source")
    found = _found_in(parts, job.tenant, str(source)) if source is not None else _uploaded(place)
    with Journal(place / JOURNAL_FILE, {"model": model}, fresh=fresh) as journal, HereEngine(read) as engine:
        batch = Batch(found, journal, place / ROWS_FILE, PARTIAL_S)
        try:
            progress = batch.run(engine, lambda now: control.report(now._asdict()))
        except JobStopped:
            if control.is_held or parts.store.jobs.get(job.tenant, job.id).cancel_asked:
                write_table(place / ROWS_FILE, batch.rows())
            raise
    skipped = [f"{_below(parts, job.tenant, one.path)}: {one.reason}" for one in found.skipped if one.lost]
    return {**progress._asdict(), "repeated": found.repeated, "skipped": skipped[:50]}


def _uploaded(place: Path) -> Found:
    names = json.loads((place / NAMES_FILE).read_text(encoding="utf-8"))
    paths = sorted((place / PHOTOS_FOLDER).iterdir())
    return Found(photos=[look_at(str(path), name) for path, name in zip(paths, names, strict=True)])


def _found_in(parts: Parts, tenant: str, folder: str) -> Found:
    """The photos of a folder below the one that the settings name. Raises RefusedError where it leads elsewhere."""
    root = _root(parts, tenant)
    try:
        top = (root / folder).resolve()
        inside = top.is_relative_to(root.resolve()) and top.is_dir()
    except (OSError, ValueError):
        inside = False
    if not inside:
        raise RefusedError(f"no folder {display_name(folder)[:200]!r} in the server's folder for batches")
    try:
        found = find_photos([str(top)])
    except BatchError as error:
        raise RefusedError(f"no photos in the folder {display_name(folder)[:200]!r}") from error
    found.photos = [look_at(one.path, os.path.relpath(one.path, root.resolve())) for one in found.photos]
    return found


def _root(parts: Parts, tenant: str) -> Path:
    base = parts.settings.batch_folder
    if base is None:
        raise RefusedError("this server has no folder for batches (GAUGE_BATCH_FOLDER): send the photos")
    return base if tenant == LOCAL else base / tenant


def _below(parts: Parts, tenant: str, path: str) -> str:
    return display_name(os.path.relpath(path, _root(parts, tenant).resolve()))


def _place(parts: Parts, job: Job) -> Path:
    return tenant_home(parts.store.home, job.tenant) / FOLDER / str(job.payload.get("folder", "gone"))


def batch_job(parts: Parts, tenant: str, id: str) -> Job:
    """A tenant's batch by its job. Raises NotFoundError."""
    job = parts.store.jobs.get(tenant, id)
    if job.kind != KIND:
        raise NotFoundError(f"the job {id[:60]!r} is no batch")
    return job


def rows_so_far(parts: Parts, job: Job, start: int = 0, count: int | None = None) -> Iterator[Row]:
    """The rows of a batch as far as it is, in the order of its photos, from row `start` on."""
    try:
        file = (_place(parts, job) / ROWS_FILE).open(encoding="utf-8")
    except FileNotFoundError:
        return
    with file:
        for line in islice(file, start, None if count is None else start + count):
            yield Row.model_validate_json(line)
