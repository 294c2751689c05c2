"""The first page: photos in, reports out. A browser without JavaScript posts the same form and is sent on to the result."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from http import HTTPStatus
from importlib import resources
from typing import Annotated, NamedTuple

import anyio.to_thread
from fastapi import APIRouter, Query, Request, UploadFile
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import FormData
from starlette.datastructures import UploadFile as FilePart

from knowledge.articles import KnowledgeError
from rag.reasons import localize_reason
from serve.api.auth import Inspecting, Reading
from serve.api.inspecting import Wishes, inspect_uploads
from serve.api.parts import parts_of
from serve.api.problems import ProblemError, request_id_of
from serve.settings import Language
from serve.store.errors import NotFoundError, StoreError
from serve.store.reports import StoredReport
from serve.web.forms import read_form
from serve.web.rendering import PageRoute, address, language_of, render, see_other, wants_json, words_of
from serve.web.rows import build_rows
from serve.web.words import LANGUAGES, Words

router = APIRouter(route_class=PageRoute)

MAX_MODEL, MAX_PLACE = 80, 200
RECENT = 6
MOST_SHOWN = 50
MOST_OFFERED = 200
"""Places offered while one is typed."""
EXAMPLE, EXAMPLE_MODEL = "xyz2000_panel.jpg", "XYZ-2000"
SCRIPT_WORDS = (
    "read_now", "read_count", "no_photo", "not_a_picture", "too_many", "remove", "waiting", "sending", "reading",
    "busy_server", "failed_send", "failed", "all_done", "show_all", "again",
)  # fmt: skip


class Given(NamedTuple):
    """What the form's fields hold."""

    model: str
    place: str
    language: Language


@router.get("/")
def upload_page(request: Request, who: Reading, p: str = "", m: str = "") -> Response:
    """The form, and the latest readings; `p` and `m` fill in place and model."""
    return _form(request, who.tenant, Given(m[:MAX_MODEL], p[:MAX_PLACE], language_of(request)))


@router.post("/")
async def upload(request: Request, who: Inspecting) -> Response:
    """Inspect what the form holds and go on to the result: `303`, or JSON for the page's script."""
    most = parts_of(request).settings.max_photos
    form = await read_form(request, most + 2, 20)  # Two inputs, of which one is mostly empty.
    try:
        files = _files(form)
        given = _given(form, language_of(request))
        wishes = Wishes(model=given.model or None, language=given.language, place=given.place or None)
        try:
            if not files:
                raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "no-photo", words_of(request)("no_photo"))
            made = await inspect_uploads(request, who, files, wishes, request.headers.get("idempotency-key"))
        except ProblemError as problem:
            if wants_json(request):
                raise ProblemError(problem.status, problem.kind, _told(problem, request), problem.headers) from problem
            return await anyio.to_thread.run_sync(_form, request, who.tenant, given, problem)
    finally:
        await form.close()
    return await anyio.to_thread.run_sync(_results, request, made)


@router.post("/example")
async def example(request: Request, who: Inspecting) -> Response:
    """Inspect the photo that comes with the product."""
    given = _given(await read_form(request, 0, 4), language_of(request))
    with resources.as_file(resources.files("synth") / "examples" / EXAMPLE) as path, path.open("rb") as file:
        upload = UploadFile(file, filename=EXAMPLE)
        made = await inspect_uploads(request, who, [upload], Wishes(model=EXAMPLE_MODEL, language=given.language))
    return await anyio.to_thread.run_sync(_results, request, made)


@router.get("/r")
def several_page(request: Request, who: Reading, id: Annotated[list[str], Query(max_length=MOST_SHOWN)]) -> Response:
    """The reports of one upload."""
    words, reports, found = words_of(request), parts_of(request).store.reports, []
    for one in dict.fromkeys(id):
        try:
            found.append(reports.get(who.tenant, one))
        except NotFoundError:
            continue
    if not found:
        raise ProblemError(HTTPStatus.NOT_FOUND, "not-found", "no such reports")
    failed = [(one.photo_name, localize_reason(one.reason, words.language)) for one in found if one.status == "error"]
    opened = [one for one in found if one.status != "error"]
    return render(
        request,
        "several.html",
        "read",
        title=words("results_title", count=len(found)),
        failed=failed,
        rows=build_rows(opened, reports, words),
    )


def _results(request: Request, made: Sequence[StoredReport]) -> Response:
    words = words_of(request)
    if wants_json(request):
        rows = build_rows(made, parts_of(request).store.reports, words)
        shown = [
            {"id": row.id, "href": address(request, f"/r/{row.id}"), "shown": row.value or words("not_read")} for row in rows
        ]
        return JSONResponse({"reports": shown}, HTTPStatus.CREATED)
    if len(made) == 1:
        return see_other(request, f"/r/{made[0].id}")
    return see_other(request, "/r?" + "&".join(f"id={one.id}" for one in made))


def _files(form: FormData) -> list[UploadFile]:
    """The photos; an input that was left empty sends a nameless part without bytes."""
    parts = (one for one in form.getlist("file") if isinstance(one, FilePart))
    return [UploadFile(one.file, size=one.size, filename=one.filename) for one in parts if one.filename or one.size]


def _given(form: FormData, default: Language) -> Given:
    """The fields; an unknown language is the page's, a text that is too long is cut as the form itself would."""

    def text(name: str, most: int) -> str:
        value = form.get(name)
        return value.strip()[:most] if isinstance(value, str) else ""

    chosen = text("language", 8)
    language: Language = next((one for one in LANGUAGES if one == chosen), default)
    return Given(text("model", MAX_MODEL), text("place", MAX_PLACE), language)


def _form(request: Request, tenant: str, given: Given, problem: ProblemError | None = None) -> Response:
    parts, words = parts_of(request), words_of(request)
    try:
        places = [one.place for one in parts.store.reports.places(tenant, limit=MOST_OFFERED)]
        recent = build_rows(parts.store.reports.list(tenant, limit=RECENT), parts.store.reports, words)
    except StoreError:
        if problem is None:
            raise
        places, recent = [], ()
    page = render(
        request,
        "upload.html",
        "read",
        status=problem.status if problem is not None else HTTPStatus.OK,
        problem=_told(problem, request) if problem is not None else "",
        request_id=request_id_of(request) if problem is not None and problem.status >= 500 else "",
        max_photos=parts.settings.max_photos,
        given=given,
        models=_models(request, tenant),
        places=places,
        recent=recent,
        ticks=_ticks(),
        script_words=json.dumps(_script_words(words), ensure_ascii=False),
    )
    for name, value in (problem.headers if problem is not None else {}).items():
        page.headers[name] = value
    return page


def _told(problem: ProblemError, request: Request) -> str:
    """A problem in the page's language, as far as its words are known."""
    words = words_of(request)
    if words.language == "en" or problem.kind == "no-photo":
        return problem.detail
    name, _, reason = problem.detail.partition(": ")
    if problem.kind.startswith("photo-") and reason:
        return f"{name}：{localize_reason(reason, words.language)}"
    general = f"error_{problem.status}"
    return words(general) if words.has(general) else problem.detail


def _models(request: Request, tenant: str) -> tuple[str, ...]:
    try:
        return tuple(parts_of(request).service_of(tenant).knowledge.models())
    except KnowledgeError:
        return ()


def _script_words(words: Words) -> dict[str, str]:
    return {name: words.text(name) for name in SCRIPT_WORDS}


def _ticks() -> list[tuple[float, float, float, float]]:
    """The marks of the dial that stands on the page: eleven along three quarters of a circle about (60, 50)."""
    turns = [math.radians(-120 + 24 * step) for step in range(11)]
    return [
        tuple(round(part, 1) for part in (60 + 34 * s, 50 - 34 * c, 60 + 40 * s, 50 - 40 * c))  # type: ignore[misc]
        for s, c in ((math.sin(turn), math.cos(turn)) for turn in turns)
    ]
