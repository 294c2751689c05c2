"""`/models`: what is known of each instrument model, and teaching the reader one from photos."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, File, Form, Path, Request, Response, UploadFile

from serve.api.adaptation import queue_adaptation
from serve.api.auth import Adapting, Reading
from serve.api.models import ModelOut, list_models
from serve.api.parts import parts_of
from serve.api.problems import problem_docs
from serve.store.jobs import Job

router = APIRouter(tags=["models"], responses=problem_docs(401, 403, 422, 429, 503))


@router.get("/models")
def models(request: Request, who: Reading) -> tuple[ModelOut, ...]:
    """The instrument models: documents in force, adapter, measured accuracy, and how often each was read here."""
    return list_models(parts_of(request), who.tenant)


@router.post("/models/{id}/photos", status_code=HTTPStatus.ACCEPTED, responses=problem_docs(408, 413))
async def adapt(
    request: Request,
    response: Response,
    who: Adapting,
    id: Annotated[str, Path(max_length=80, description="Model of the instrument.", examples=["XYZ-2000"])],
    file: Annotated[list[UploadFile], File(description="About 50 photos, and labels.csv where labels are not sent as JSON.")],
    labels: Annotated[
        str | None,
        Form(
            max_length=2_000_000,
            description="A JSON list of one object a photo with the columns of labels.csv.",
            examples=['[{"file_name": "1.jpg", "value": 4.2, "scale_min": 0, "scale_max": 10, "unit": "bar"}]'],
        ),
    ] = None,
) -> Job:
    """Teach the reader a model from labelled photos, as `gauge adapt` does; the answer is a job, at `/jobs/{id}`.

    The adapter is used from its end on, for this tenant, if photos that were held out are read better with it.
    """
    parts = parts_of(request)
    job = await parts.writers.run(lambda: queue_adaptation(parts, who.tenant, id, file, labels))
    parts.runner.wake()
    response.headers["Location"] = f"/jobs/{job.id}"
    return job
