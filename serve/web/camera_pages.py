"""Cameras as pages: what all of them show now, and for each a chart, its alarms and its readings. They renew themselves."""

from __future__ import annotations

import time
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from serve.api.auth import Caller, Reading
from serve.api.parts import parts_of
from serve.api.routes.cameras import MOST_SEQ
from serve.cameras.kept import KeptEvents
from serve.cameras.states import CameraState, CameraStates
from serve.web.browser_route import BrowserRoute
from serve.web.camera_views import as_history, camera_line, change_lines, event_line
from serve.web.chart import Chart, build_charts
from serve.web.history_pages import Titled
from serve.web.rendering import address, render, words_of
from serve.web.report_pages import facts_of_models

router = APIRouter(route_class=BrowserRoute)

A_PAGE = 50
MOST_CHANGES = 20
STRETCHES = 200

Span = Literal["hour", "day", "week", "month"]
SPANS_S: dict[Span, float] = {"hour": 3600.0, "day": 86400.0, "week": 7 * 86400.0, "month": 30 * 86400.0}


@router.get("/cameras")
def cameras_page(request: Request, who: Reading) -> Response:
    """All cameras and what they show now."""
    words, states = words_of(request), CameraStates(parts_of(request).store.database, who.tenant)
    now = time.time()
    return render(request, "cameras.html", "cameras", cameras=[camera_line(state, now, words) for state in states.list()])


@router.get("/cameras/{name}")
def camera_page(
    request: Request,
    who: Reading,
    name: Annotated[str, Path(max_length=60)],
    span: Span = "day",
    before: Annotated[int | None, Query(ge=1, le=MOST_SEQ)] = None,
) -> Response:
    """One camera."""
    words, database = words_of(request), parts_of(request).store.database
    state = CameraStates(database, who.tenant).get(name)
    kept = KeptEvents(database, who.tenant)
    found = kept.page(state.camera, before=before, limit=A_PAGE + 1)
    here = address(request, f"/cameras/{state.camera}")
    return render(
        request,
        "camera.html",
        "cameras",
        camera=camera_line(state, time.time(), words),
        charts=[Titled(chart.unit or words("no_unit"), chart) for chart in _charts(request, who, state, kept, span)],
        span=span,
        spans=tuple(SPANS_S),
        changes=change_lines(kept.changes(state.camera, MOST_CHANGES), words),
        rows=[event_line(one, words) for one in found[:A_PAGE]],
        before=before,
        older=found[A_PAGE - 1].seq if len(found) > A_PAGE else None,
        here_of=lambda seq: f"{here}?span={span}&before={int(seq) + 1}#e{seq}",
    )


def _charts(request: Request, who: Caller, state: CameraState, kept: KeptEvents, span: Span) -> tuple[Chart, ...]:
    course = kept.course(state.camera, time.time() - SPANS_S[span], STRETCHES)
    history = as_history(course, state)
    models = {one.model for one in history if one.model is not None}
    return build_charts(history, facts_of_models(parts_of(request), who.tenant, models, words_of(request).language))
