"""`POST /feedback`: what an instrument really showed; `POST /failures`: the form of a walkthrough page."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Form, Request

from eval.failures import MAX_REPORT_BYTES, FailureError, FailureLibrary, parse_report
from serve.api.auth import Inspecting
from serve.api.correcting import keep_correction, library_problem
from serve.api.parts import parts_of
from serve.api.problems import ProblemError, problem_docs
from serve.store.feedback import Correction, KeptCorrection
from vision.fields import Contract

router = APIRouter(tags=["feedback"], responses=problem_docs(401, 403, 422, 429, 503))


class KeptFailure(Contract):
    """The number under which a reported answer stands in the failure library."""

    case: int
    about: str


@router.post("/feedback", status_code=HTTPStatus.CREATED, responses=problem_docs(404))
def feedback(request: Request, who: Inspecting, correction: Correction) -> KeptCorrection:
    """Keep a correction beside its report and as a case of the failure library."""
    return keep_correction(parts_of(request), who, correction)


@router.post("/failures", status_code=HTTPStatus.CREATED)
async def failures(
    request: Request,
    who: Inspecting,
    report: Annotated[str, Form(max_length=MAX_REPORT_BYTES, description="The JSON of a walkthrough's form.")],
) -> KeptFailure:
    """Keep what somebody reports about an answer (`gauge walkthrough --report-to URL/failures`); twice the same is one case."""
    try:
        parsed = parse_report(report)
    except FailureError as error:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "no-failure-report", str(error)) from error
    library = FailureLibrary(parts_of(request).store.tenant_home(who.tenant))
    try:
        case = await anyio.to_thread.run_sync(library.add, parsed)
    except FailureError as error:
        raise library_problem(error) from error
    return KeptFailure(case=case.id, about=case.report.request_id)
