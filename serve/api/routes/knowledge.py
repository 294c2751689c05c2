"""`/kb`: the manuals, searched and added to. What a tenant adds answers that tenant alone; the house's answer everybody."""

from __future__ import annotations

import shutil
import tempfile
import threading
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Query, Request, UploadFile

from knowledge.articles import Hit, KnowledgeError
from knowledge.intake import add_files
from knowledge.intake_types import IntakeReport
from knowledge.manifest import DatabaseFault
from knowledge.timeline import DocumentEntry, MomentError, parse_moment
from knowledge.usage import UsageLog
from serve.api.auth import Knowing, Reading
from serve.api.inspecting import shown_name
from serve.api.parts import Parts, parts_of
from serve.api.problems import ProblemError, problem_docs
from serve.settings import Language
from vision.fields import Contract, Kind

router = APIRouter(prefix="/kb", tags=["knowledge"], responses=problem_docs(401, 403, 422, 429, 503))

MAX_DOCUMENTS = 50
_publishing = threading.Lock()
"""Two that add at once would each publish without the other's documents and the later one would stand."""
Authority = Literal["specification", "procedure", "notice", "forum"]


class Found(Contract):
    """Passages for a question, the best first, from one version of the manuals."""

    version: str
    hits: tuple[Hit, ...]


class Documents(Contract):
    """All documents of one version of the manuals."""

    version: str
    published_at: str
    documents: tuple[DocumentEntry, ...]


class Taken(Contract):
    """What became of uploaded documents; `published` is the version that answers from now on, None where nothing changed."""

    intake: IntakeReport
    published: str | None


@router.get("/search")
async def search(
    request: Request,
    who: Reading,
    query: Annotated[str, Query(min_length=1, max_length=2000, description="What to look for.", examples=["red lamp"])],
    model: Annotated[str | None, Query(max_length=80)] = None,
    language: Annotated[Language | None, Query()] = None,
    count: Annotated[int, Query(ge=1, le=50)] = 5,
    as_of: Annotated[str | None, Query(max_length=40, description="ISO 8601: what was in force then answers.")] = None,
) -> Found:
    """Search the manuals."""
    parts = parts_of(request)

    def work() -> Found:
        service = parts.service_of(who.tenant)
        manuals = service.knowledge
        try:
            moment = parse_moment(as_of) if as_of else None
        except MomentError as error:
            raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "no-moment", str(error)) from error
        hits = manuals.search(query, model=model or None, language=language, k=count, as_of=moment)
        if moment is None:
            UsageLog(service.settings.home).record_search(query, [hit.chunk.id for hit in hits], model)
        return Found(version=manuals.version, hits=tuple(hits))

    return await parts.writers.run(work)


@router.get("/documents")
def documents(request: Request, who: Reading) -> Documents:
    """The documents that answer this tenant's questions, older versions too."""
    manifest = parts_of(request).service_of(who.tenant).knowledge.manifest
    return Documents(version=manifest.version, published_at=manifest.published_at.isoformat(), documents=manifest.documents)


@router.post("/documents", responses=problem_docs(408, 413))
async def add(
    request: Request,
    who: Knowing,
    file: Annotated[list[UploadFile], File(description="Markdown, PDF, DOCX or CSV, each with its side-car where it has one.")],
    models: Annotated[list[str] | None, Form(description="Models that the documents are about.")] = None,
    id: Annotated[str | None, Form(max_length=80)] = None,
    title: Annotated[str | None, Form(max_length=300)] = None,
    kind: Annotated[Kind | None, Form()] = None,
    language: Annotated[Language | None, Form()] = None,
    authority: Annotated[Authority | None, Form()] = None,
    status: Annotated[Literal["valid", "draft", "archived"] | None, Form()] = None,
    version: Annotated[str | None, Form(max_length=40)] = None,
    effective_date: Annotated[str | None, Form(max_length=10, description="ISO 8601, e.g. 2026-01-31.")] = None,
) -> Taken:
    """Take documents into the manuals and publish them, all or none of what was not refused; the reasons stand beside."""
    parts = parts_of(request)
    if len(file) > MAX_DOCUMENTS:
        detail = f"{len(file)} documents in one request, more than the limit of {MAX_DOCUMENTS}"
        raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-many-documents", detail)
    given = {
        "id": id, "title": title, "kind": kind, "language": language, "authority": authority, "status": status,
        "version": version, "effective_date": effective_date, "models": [one for one in models or [] if one.strip()] or None,
    }  # fmt: skip
    options = {name: value for name, value in given.items() if value is not None}
    return await parts.writers.run(lambda: _add(parts, who.tenant, file, options))


def _add(parts: Parts, tenant: str, files: list[UploadFile], options: dict[str, Any]) -> Taken:
    service, home = parts.service_of(tenant), parts.store.tenant_home(tenant)
    home.mkdir(parents=True, exist_ok=True)
    with _publishing, tempfile.TemporaryDirectory(prefix="gauge-kb-") as folder:
        paths = [_saved(Path(folder), number, one) for number, one in enumerate(files)]
        sources = [path for path in paths if path.suffix.lower() not in (".toml", ".yaml", ".yml")]
        try:
            report = _bare(add_files(home, sources, options), Path(folder))
            published = service.reload_knowledge().version if report.added else None
        except DatabaseFault:  # Not the document's fault, and its message names hosts.
            raise
        except KnowledgeError as error:
            raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "not-published", str(error).replace(folder, "")) from error
        except OSError as error:
            detail = f"the documents cannot be kept now: {error.strerror or 'unknown reason'}"
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "store", detail, {"Retry-After": "30"}) from error
    return Taken(intake=report, published=published)


def _saved(folder: Path, number: int, upload: UploadFile) -> Path:
    """The upload in a folder of its own number: two of one name stay apart, and a side-car is found beside its document."""
    name = shown_name(upload.filename).lstrip(".") or "document"
    place = folder / ("".join(char if char.isalnum() or char in "-_. " else "_" for char in name)[-120:])
    if place.exists():
        place = folder / f"{number}-{place.name}"
    with place.open("wb") as file:
        shutil.copyfileobj(upload.file, file)
    return place


def _bare(report: IntakeReport, folder: Path) -> IntakeReport:
    """The report without the folder that the files lay in for a moment."""

    def bare(text: str) -> str:
        return text.replace(f"{folder}/", "")

    return IntakeReport(
        added=tuple(one.model_copy(update={"file": bare(one.file)}) for one in report.added),
        unchanged=tuple(one.model_copy(update={"file": bare(one.file)}) for one in report.unchanged),
        refused=tuple(one.model_copy(update={"file": bare(one.file), "reason": bare(one.reason)}) for one in report.refused),
    )
