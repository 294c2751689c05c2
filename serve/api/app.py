"""The HTTP door: `POST /inspect`, `/health`, `/ready` and the upload page."""

from __future__ import annotations

import copy
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import anyio.to_thread
from fastapi import APIRouter, FastAPI, File, Form, Request, UploadFile
from fastapi.responses import JSONResponse, Response

from eval.failures import MAX_REPORT_BYTES, FailureError, FailureLibrary, parse_report
from rag.pipeline import Inspection
from rag.trace import RequestFilter
from serve.api.middleware import Gatekeeper
from serve.api.problems import Problem, ProblemError, add_problem_handlers, photo_problem, request_id_of
from serve.api.workers import Workers
from serve.service import Service, open_service
from serve.settings import MIB, Language, Settings, WriterName, load_settings
from vision.fields import Contract, Weights
from vision.photos import PhotoError, display_name, load_photo

logger = logging.getLogger("gauge.http")

WEB = Path(__file__).parents[1] / "web"
PAGE_FILES = {"": ("index.html", "text/html"), "page.css": ("page.css", "text/css"), "page.js": ("page.js", "text/javascript")}
MAX_NAME = 200

router = APIRouter()


class Health(Contract):
    """Whether the server lives, and with what it reads once it is ready."""

    status: Literal["ok", "loading"]
    version: str
    weights: Weights | None


class Upload(NamedTuple):
    """One uploaded photo: a name fit to be shown, and the bytes."""

    name: str
    data: bytes


class Wishes(NamedTuple):
    """What a request asks for beside its photos; None leaves a matter to the settings."""

    request_id: str
    model: str | None
    language: Language | None
    writer: WriterName | None


class Parts(NamedTuple):
    """What the routes share, kept in the app's state."""

    settings: Settings
    service: Service
    workers: Workers


def create_app(settings: Settings | None = None, service: Service | None = None) -> FastAPI:
    """The application. The service loads while the server starts, before the first request is taken."""
    settings = settings or load_settings()
    parts = Parts(settings, service or open_service(settings), Workers(settings.concurrency, settings.max_waiting))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await anyio.to_thread.run_sync(parts.service.load)
        yield

    # The interactive documentation pages load their scripts from elsewhere, so they are off; /openapi.json is on.
    app = FastAPI(title="GaugeRAG", version=_version(), lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.parts = parts
    app.include_router(router)
    add_problem_handlers(app)
    app.add_middleware(Gatekeeper, max_body_bytes=int(settings.max_request_mib * MIB))
    return app


def run_server(host: str, port: int, weights: str | None = None) -> None:
    """Serve until interrupted. Everything is loaded before the port opens, so that a fault shows at once."""
    import uvicorn

    settings = load_settings().model_copy(update={"traceback": True})  # A log is read later, by somebody else.
    service = open_service(settings, weights=weights)
    service.load()
    app = create_app(settings, service)
    uvicorn.run(app, host=host, port=port, log_level="info", log_config=server_logging(), server_header=False)


def server_logging() -> dict[str, Any]:
    """The server's own logging, each line with the id of its request."""
    from uvicorn.config import LOGGING_CONFIG

    config: dict[str, Any] = copy.deepcopy(LOGGING_CONFIG)
    config["filters"] = {"request": {"()": RequestFilter}}
    for handler in config["handlers"].values():
        handler["filters"] = ["request"]
    for formatter in config["formatters"].values():
        formatter["fmt"] += "%(request)s"
    return config


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gaugerag")
    except PackageNotFoundError:
        return "0"


def _parts(request: Request) -> Parts:
    parts: Parts = request.app.state.parts
    return parts


@router.get("/health")
async def health(request: Request) -> Health:
    """Whether the server lives."""
    weights = _parts(request).service.weights
    return Health(status="ok" if weights else "loading", version=_version(), weights=weights)


@router.get("/ready", responses={503: {"model": Problem}})
async def ready(request: Request) -> Health:
    """Whether photos can be inspected now: 503 until the model is loaded."""
    answer = await health(request)
    if answer.weights is None:
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "loading", "the model is still loading", {"Retry-After": "5"})
    return answer


PROBLEM_DOCS = {status: {"model": Problem} for status in (413, 415, 422, 503)}


@router.post("/inspect", response_model=Inspection | list[Inspection], responses=PROBLEM_DOCS)  # type: ignore[arg-type]
async def inspect(
    request: Request,
    file: Annotated[list[UploadFile], File(description="One photo or several, each in a part named `file`.")],
    model: Annotated[str | None, Form(max_length=80, description="The instrument's model, e.g. XYZ-2000.")] = None,
    language: Annotated[Language | None, Form(description="Language of the report.")] = None,
    writer: Annotated[WriterName | None, Form(description="Who words the report.")] = None,
) -> Response:
    """Inspect photos: the object of `gauge inspect --json` for one photo, a list of them for several.

    Of several photos, those that cannot be opened come back with status `error` and the rest is inspected; where
    none can be opened, the answer is the first one's problem (413, 415 or 422).
    """
    parts = _parts(request)
    if len(file) > parts.settings.max_photos:
        detail = f"{len(file)} photos in one request, more than the limit of {parts.settings.max_photos}"
        raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-many-photos", detail)

    def work() -> list[Inspection]:
        uploads = [Upload(_shown_name(one.filename), one.file.read()) for one in file]
        wishes = Wishes(request_id_of(request), model or None, language, writer)
        return _inspect_uploads(parts, uploads, wishes)

    inspections = await parts.workers.run(work)
    body = [inspection.model_dump(mode="json") for inspection in inspections]
    return JSONResponse(body if len(file) > 1 else body[0])


def _inspect_uploads(parts: Parts, uploads: Sequence[Upload], wishes: Wishes) -> list[Inspection]:
    base = wishes.request_id
    inspections = list(
        parts.service.inspect_photos(
            [one.data for one in uploads],
            names=[one.name for one in uploads],
            model=wishes.model,
            language=wishes.language,
            writer=wishes.writer,
            request_ids=[base] if len(uploads) == 1 else [f"{base}-{number}" for number in range(1, len(uploads) + 1)],
        )
    )
    if all(inspection.reading.status == "error" for inspection in inspections):
        raise _first_problem(uploads[0], inspections[0])
    return inspections


def _first_problem(upload: Upload, inspection: Inspection) -> ProblemError:
    """Why a photo was not opened, as a problem: opened once more for the kind of fault, which a reading does not keep."""
    try:
        load_photo(upload.data, name=upload.name)
    except PhotoError as error:
        return photo_problem(error)
    reason = inspection.reading.reason or "the photo could not be read"
    return ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "photo-unreadable", reason)


class KeptFailure(Contract):
    """The number under which a reported answer stands in the failure library."""

    case: int
    about: str


@router.post("/failures", status_code=HTTPStatus.CREATED, responses={status: {"model": Problem} for status in (422, 503)})
async def failures(
    request: Request, report: Annotated[str, Form(max_length=MAX_REPORT_BYTES, description="The JSON of a walkthrough's form.")]
) -> KeptFailure:
    """Keep what somebody reports about an answer (`gauge walkthrough --report-to URL/failures`); twice the same is one case."""
    try:
        parsed = parse_report(report)
    except FailureError as error:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "no-failure-report", str(error)) from error
    library = FailureLibrary(_parts(request).settings.home)
    try:
        case = await anyio.to_thread.run_sync(library.add, parsed)
    except FailureError as error:
        logger.error("%s", error)
        detail = "the failure library cannot take it now"  # Not where it lies: that is the server's own matter.
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "no-failure-library", detail) from error
    return KeptFailure(case=case.id, about=case.report.request_id)


def _shown_name(filename: str | None) -> str:
    """The uploaded name for messages: without folders, printable, not endless; it never becomes a path."""
    name = display_name((filename or "").replace("\\", "/").rsplit("/", 1)[-1])
    return name[:MAX_NAME] or "photo"


def _page_file(name: str) -> Response:
    file_name, media_type = PAGE_FILES[name]
    return Response((WEB / file_name).read_bytes(), media_type=media_type)


@router.get("/", include_in_schema=False)
async def page() -> Response:
    """The upload page."""
    return _page_file("")


@router.get("/page.css", include_in_schema=False)
async def page_style() -> Response:
    """The page's style."""
    return _page_file("page.css")


@router.get("/page.js", include_in_schema=False)
async def page_script() -> Response:
    """The page's script."""
    return _page_file("page.js")
