"""The history of places: a list of them, and for each a chart with the manual's limits and a table."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from rag.tables import tables
from serve.api.auth import Reading
from serve.api.parts import parts_of
from serve.api.problems import ProblemError
from serve.store.reports import PlaceReading
from serve.web.chart import Chart, build_charts
from serve.web.rendering import PageRoute, address, render, words_of
from serve.web.report_pages import facts_of_models
from serve.web.rows import build_place_rows, build_rows
from serve.web.words import Words

router = APIRouter(route_class=PageRoute)

A_PAGE = 50
MOST_PLACES = 1000
MOST_CHARTED = 400


class Titled(NamedTuple):
    """A chart with the words above it."""

    title: str
    it: Chart


@router.get("/instruments")
def places_page(request: Request, who: Reading) -> Response:
    """All places, that with the newest reading first."""
    reports, words = parts_of(request).store.reports, words_of(request)
    return render(
        request, "places.html", "places", places=build_place_rows(reports.places(who.tenant, MOST_PLACES), reports, words)
    )


@router.get("/instruments/of")
def place_page(
    request: Request,
    who: Reading,
    place: Annotated[str, Query(min_length=1, max_length=200)],
    before: Annotated[str | None, Query(max_length=60)] = None,
) -> Response:
    """The history of one place."""
    parts, words = parts_of(request), words_of(request)
    reports = parts.store.reports
    lines = reports.list(who.tenant, place=place, before=before, limit=A_PAGE + 1)
    if not lines and before is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "no-place", "no reading was taken there")
    return render(
        request,
        "place.html",
        "places",
        place=place,
        report_link=lambda report: address(request, f"/r/{report}"),
        charts=_charts(request, who.tenant, reports.history(who.tenant, place, MOST_CHARTED), words),
        rows=build_rows(lines[:A_PAGE], reports, words),
        older=lines[A_PAGE - 1].id if len(lines) > A_PAGE else None,
    )


def _charts(request: Request, tenant: str, history: Sequence[PlaceReading], words: Words) -> list[Titled]:
    models = {one.model for one in history if one.model is not None}
    facts = facts_of_models(parts_of(request), tenant, models, words.language)
    return [Titled(_title(chart, words), chart) for chart in build_charts(history, facts)]


def _title(chart: Chart, words: Words) -> str:
    kind = tables().kinds.get(chart.kind)
    named = kind.fill(words.language, {}) if kind is not None else chart.kind
    return " · ".join(part for part in (named, chart.model, chart.unit or words("no_unit")) if part)
