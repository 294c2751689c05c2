"""`POST /inspect`: photos become readings and reports."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, Form, Header, Request, Response, UploadFile

from rag.pipeline import Inspection
from serve.api.auth import Inspecting
from serve.api.inspecting import Wishes, inspect_uploads
from serve.api.problems import problem_docs
from serve.settings import Language, WriterName
from serve.store.reports import StoredReport

router = APIRouter(tags=["inspect"])

Model = Annotated[str | None, Form(max_length=80, description="The instrument's model.", examples=["XYZ-2000"])]
Place = Annotated[
    str | None, Form(max_length=200, description="The instrument's name: values are held against earlier ones.", examples=["P-7"])
]
IdempotencyKey = Annotated[
    str | None,
    Header(description="The same request with the same key is one piece of work.", max_length=200, examples=["5f0c6d1e-pump-7"]),
]


class KeptInspection(Inspection):
    """The object of `gauge inspect --json`, and the id under which the report is kept."""

    id: str


@router.post(
    "/inspect",
    response_model=KeptInspection | list[KeptInspection],
    responses=problem_docs(400, 401, 403, 408, 409, 413, 415, 422, 429, 503, 507),
)
async def inspect(
    request: Request,
    response: Response,
    who: Inspecting,
    file: Annotated[list[UploadFile], File(description="One photo or several, each in a part named `file`.")],
    model: Model = None,
    language: Annotated[Language | None, Form(description="Language of the report.")] = None,
    writer: Annotated[WriterName | None, Form(description="Who words the report.")] = None,
    place: Place = None,
    idempotency_key: IdempotencyKey = None,
) -> object:
    """Inspect photos: the object of `gauge inspect --json` with its `id` for one photo, a list of them for several.

    The header `Location` names the report of one photo. Of several photos, those that cannot be opened come back with
    status `error` and the rest is inspected; where none can be opened, the answer is the first one's problem.
    """
    wishes = Wishes(model=model, language=language, writer=writer, place=place)
    made = await inspect_uploads(request, who, file, wishes, idempotency_key)
    if len(made) == 1:
        response.headers["Location"] = f"/reports/{made[0].id}"
    body = [kept_inspection(report) for report in made]
    return body if len(file) > 1 else body[0]


def kept_inspection(report: StoredReport) -> KeptInspection:
    """The answer for one report."""
    return KeptInspection.model_construct(**dict(report.inspection), id=report.id)
