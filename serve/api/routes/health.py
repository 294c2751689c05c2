"""`/health`, `/ready` and `/metrics`: for whoever watches the server."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import Literal

import anyio.to_thread
from fastapi import APIRouter, Request
from fastapi.responses import Response

from serve.api.auth import Administering
from serve.api.metrics import MEDIA_TYPE
from serve.api.parts import Parts, parts_of
from serve.api.problems import Problem, ProblemError, problem_docs
from serve.api.version import program_version
from serve.cameras.gauges import CameraValues
from serve.cameras.states import CameraStates
from serve.store.errors import StoreError
from vision.fields import Contract, Weights

router = APIRouter(tags=["health"])

CHECK_S = 1.0
"""How long an answer about the store holds: who asks more often asks the disk no more often."""


class Health(Contract):
    """Whether the server lives, and with what it reads once it is ready. `notice`: what is not as it is set up to be."""

    status: Literal["ok", "loading", "stopping"]
    version: str
    weights: Weights | None
    notice: str | None = None


@router.get("/health")
async def health(request: Request) -> Health:
    """Whether the server lives."""
    parts = parts_of(request)
    weights = parts.service.weights
    status: Literal["ok", "loading", "stopping"] = "ok" if weights else "loading"
    aside = parts.degradation.last
    return Health(
        status="stopping" if parts.lifecycle.is_stopping else status,
        version=program_version(),
        weights=weights,
        notice=f"language models are set aside, templates write: {aside.reason}" if aside is not None else None,
    )


@router.get("/ready", responses={503: {"model": Problem}})
async def ready(request: Request) -> Health:
    """Whether photos can be inspected and their reports be kept now: 503 with the reason where not."""
    answer = await health(request)
    if answer.status == "stopping":
        raise _not_ready("stopping", "the server is ending")
    if answer.weights is None:
        raise _not_ready("loading", "the model is still loading")
    reason = await anyio.to_thread.run_sync(_store_fault, parts_of(request))
    if reason is not None:
        raise _not_ready("store", reason)
    return answer


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **problem_docs(401, 403, 429)},
)
def metrics(request: Request, who: Administering) -> Response:
    """Counts and times in Prometheus' text format, over all tenants and without their names, and the values of the cameras
    of the key's own tenant. Scope `admin`.
    """
    parts = parts_of(request)
    cameras = CameraValues(CameraStates(parts.store.database, who.tenant))
    return Response(parts.metrics.text(cameras), media_type=MEDIA_TYPE)


def _store_fault(parts: Parts) -> str | None:
    """Why nothing can be kept now, None where it can."""
    checked = parts.lifecycle.last_check
    if checked is not None and time.monotonic() - checked[0] < CHECK_S:
        return checked[1]
    try:
        parts.store.check()
        parts.degradation.now()
        reason = None
    except StoreError as error:
        reason = f"nothing can be kept now: {error.public}"
    parts.lifecycle.last_check = (time.monotonic(), reason)
    return reason


def _not_ready(kind: str, detail: str) -> ProblemError:
    return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, kind, detail, {"Retry-After": "5"})
