"""From uploads to kept reports: counted, read, kept whole, and made once for one Idempotency-Key."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from http import HTTPStatus
from typing import NamedTuple

from fastapi import Request, UploadFile

from rag.errors import WriterError
from rag.pipeline import Run
from serve.api.auth import Caller
from serve.api.parts import Parts, parts_of
from serve.api.problems import ProblemError, photo_problem, request_id_of
from serve.monitor.degradation import DEGRADED, say_degraded
from serve.settings import MIB, Language, WriterName
from serve.store.errors import StoreError
from serve.store.idempotency import DoneError
from serve.store.reports import StoredReport, make_report
from serve.store.usage import PHOTOS
from vision.photos import PhotoError, display_name, load_photo

logger = logging.getLogger("gauge.http")

MAX_NAME = 200
LEASE_MARGIN_S = 60.0
"""How much longer than a request's own time its Idempotency-Key is held: work that has begun is ended."""


class Upload(NamedTuple):
    """One uploaded photo: a name fit to be shown, and the bytes."""

    name: str
    data: bytes


class Wishes(NamedTuple):
    """What a request asks for beside its photos; None leaves a matter to the settings."""

    model: str | None = None
    language: Language | None = None
    writer: WriterName | None = None
    place: str | None = None


class Order(NamedTuple):
    """A whole request: whose it is, its id, photos and wishes, and the key that stands for it where it has one."""

    caller: Caller
    request_id: str
    uploads: tuple[Upload, ...]
    wishes: Wishes
    key: str | None = None

    @property
    def fingerprint(self) -> str:
        """A digest of all that is asked."""
        photos = [(one.name, hashlib.sha256(one.data).hexdigest()) for one in self.uploads]
        return hashlib.sha256(json.dumps([photos, self.wishes]).encode()).hexdigest()


async def inspect_uploads(
    request: Request, caller: Caller, files: Sequence[UploadFile], wishes: Wishes, key: str | None = None
) -> tuple[StoredReport, ...]:
    """The kept reports of uploaded photos, in their order.

    Of several photos, those that cannot be opened have a report that says so. Raises ProblemError where none can be opened
    (the first one's problem), where a limit is reached, and where too many requests wait.
    """
    parts = parts_of(request)
    check_count(parts, len(files))
    request_id = request_id_of(request)

    def work() -> tuple[StoredReport, ...]:
        uploads = tuple(Upload(shown_name(one.filename), one.file.read()) for one in files)
        return make_reports(parts, Order(caller, request_id, uploads, clean_wishes(wishes), key))

    return await parts.workers.run(work)


def check_count(parts: Parts, count: int) -> None:
    """Raises ProblemError (413) for more photos than one request may have."""
    if count > parts.settings.max_photos:
        detail = f"{count} photos in one request, more than the limit of {parts.settings.max_photos}"
        raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-many-photos", detail)


def make_reports(parts: Parts, order: Order) -> tuple[StoredReport, ...]:
    """The kept reports of an order, or those that were made for its key before. Blocks."""
    tenant = order.caller.tenant
    if order.key is None:
        return _make(parts, order)
    lease_s = parts.settings.request_timeout_s + LEASE_MARGIN_S
    made = parts.store.idempotency.begin(tenant, order.key, order.fingerprint, lease_s)
    if made is not None:
        return tuple(parts.store.reports.get(tenant, id) for id in made)
    try:
        return _make(parts, order)
    except DoneError as done:  # Another worker took over and was faster: one piece of work, one answer.
        return tuple(parts.store.reports.get(tenant, id) for id in done.made)
    except BaseException:
        _free(parts, tenant, order.key)
        raise


def _make(parts: Parts, order: Order) -> tuple[StoredReport, ...]:
    tenant, store, count = order.caller.tenant, parts.store, len(order.uploads)
    store.spend_photos(tenant, count, sum(len(one.data) for one in order.uploads) / MIB)
    try:
        runs = _written(parts, order)
        for run in runs:
            parts.metrics.count_inspection(run.inspection)
        if all(run.inspection.reading.status == "error" for run in runs):
            raise first_problem(order.uploads[0], runs[0].inspection.reading.reason)
        return _keep(parts, order, runs)
    except BaseException:
        _give_back(parts, tenant, count)
        raise


def _written(parts: Parts, order: Order) -> list[Run]:
    """The runs, by templates where the language model is set aside; they say so."""
    wanted = order.wishes.writer or parts.settings.writer
    writer = parts.degradation.writer(wanted)
    if writer == wanted:
        return _runs(parts, order)
    runs = _runs(parts, order._replace(wishes=order.wishes._replace(writer=writer)))
    return [say_degraded(run, order.wishes.language or parts.settings.language) for run in runs]


def _runs(parts: Parts, order: Order) -> list[Run]:
    base, count = order.request_id, len(order.uploads)
    try:
        return list(
            parts.service_of(order.caller.tenant).inspect_runs(
                [one.data for one in order.uploads],
                names=[one.name for one in order.uploads],
                model=order.wishes.model,
                language=order.wishes.language,
                writer=order.wishes.writer,
                request_ids=[base] if count == 1 else [f"{base}-{number}" for number in range(1, count + 1)],
                place=order.wishes.place,
            )
        )
    except WriterError as error:  # A writer that is not set up; one that fails at work leaves the template's sentences.
        status = HTTPStatus.SERVICE_UNAVAILABLE if order.wishes.writer is None else HTTPStatus.UNPROCESSABLE_ENTITY
        raise ProblemError(status, "no-writer", f"{error}; or take the writer `template`") from error


def _keep(parts: Parts, order: Order, runs: Sequence[Run]) -> tuple[StoredReport, ...]:
    """Photos first, then all reports at once: a report that is there has its photo."""
    wishes, settings, tenant = order.wishes, parts.settings, order.caller.tenant
    made = tuple(
        make_report(
            tenant,
            run,
            language=wishes.language or settings.language,
            writer="template" if DEGRADED in run.inspection.scores else wishes.writer or settings.writer,
            place=wishes.place,
            model=wishes.model,
        )
        for run in runs
    )
    if settings.photo_days > 0:
        for upload, report in zip(order.uploads, made, strict=True):
            if report.status != "error":
                parts.store.photos.keep(tenant, upload.data)
    parts.store.keep_reports(made, order.key)
    return made


def first_problem(upload: Upload, reason: str | None) -> ProblemError:
    """Why a photo was not opened, as a problem: opened once more for the kind of fault, which a reading does not keep."""
    try:
        load_photo(upload.data, name=upload.name)
    except PhotoError as error:
        return photo_problem(error)
    return ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "photo-unreadable", reason or "the photo could not be read")


def shown_name(filename: str | None) -> str:
    """The uploaded name for messages: without folders, printable, not endless; it never becomes a path."""
    name = display_name((filename or "").replace("\\", "/").rsplit("/", 1)[-1])
    return name[:MAX_NAME] or "photo"


def clean_wishes(wishes: Wishes) -> Wishes:
    """Texts without control characters and outer spaces; an empty one is none."""
    model, place = (display_name(text).strip() or None if text else None for text in (wishes.model, wishes.place))
    return wishes._replace(model=model, place=place)


def _free(parts: Parts, tenant: str, key: str) -> None:
    try:
        parts.store.idempotency.give_up(tenant, key)
    except StoreError as error:
        logger.warning("an Idempotency-Key stays taken until its lease runs out: %s", error)


def _give_back(parts: Parts, tenant: str, count: int) -> None:
    try:
        parts.store.usage.give_back(tenant, PHOTOS, count)
    except StoreError as error:
        logger.warning("photos that were not inspected stay counted: %s", error)
