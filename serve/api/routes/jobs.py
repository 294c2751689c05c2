"""`/jobs`: what was queued, how far it is, and ending it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from serve.api.auth import Inspecting, Reading
from serve.api.parts import parts_of
from serve.api.problems import problem_docs
from serve.store.jobs import MOST_LISTED, Job, JobState
from vision.fields import Contract

router = APIRouter(tags=["jobs"], responses=problem_docs(401, 403, 422, 429, 503))

Id = Annotated[str, Path(max_length=60, description="Id of a job, as the answer that queued it gave.")]


class JobPage(Contract):
    """Jobs, the newest first; `next` is the `before` of the next page, None on the last one."""

    jobs: tuple[Job, ...]
    next: str | None


@router.get("/jobs", responses=problem_docs(404))
def list_jobs(
    request: Request,
    who: Reading,
    kind: Annotated[str | None, Query(max_length=40)] = None,
    state: Annotated[JobState | None, Query()] = None,
    before: Annotated[str | None, Query(max_length=60, description="Id of the last job of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 50,
) -> JobPage:
    """The caller's jobs, of a kind or in a state where one is given."""
    found = parts_of(request).store.jobs.list(who.tenant, kind=kind, state=state, before=before, limit=limit)
    return JobPage(jobs=found, next=found[-1].id if len(found) == limit else None)


@router.get("/jobs/{id}", responses=problem_docs(404))
def get_job(request: Request, who: Reading, id: Id) -> Job:
    """A job: its state, how far it is, and what came of it or why it failed."""
    return parts_of(request).store.jobs.get(who.tenant, id)


@router.post("/jobs/{id}/cancel", responses=problem_docs(404))
def cancel_job(request: Request, who: Inspecting, id: Id) -> Job:
    """End a job: at once where it waits, at its next step where it runs; one that ended stays as it is."""
    return parts_of(request).store.jobs.cancel(who.tenant, id)
