"""Instrument models: how often a value is right and how often none is given, with n; the adapter, the manuals in force."""

from __future__ import annotations

from typing import NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response

from eval.tables import percent
from serve.api.auth import Reading
from serve.api.models import AdapterOut, ModelOut, list_models
from serve.api.parts import parts_of
from serve.web.rendering import PageRoute, render, words_of
from serve.web.words import Words

router = APIRouter(route_class=PageRoute)


class ModelRow(NamedTuple):
    """A model; `right` is None where its accuracy was not measured, `here` where it was never read here."""

    name: str
    right: str | None
    n: int
    abstained: str | None
    here: str | None
    adapter: str | None
    manuals: tuple[str, ...]


@router.get("/accuracy")
def accuracy_page(request: Request, who: Reading) -> Response:
    """All models that are known here."""
    words = words_of(request)
    models = list_models(parts_of(request), who.tenant)
    sources = {(one.accuracy.dataset, one.accuracy.day) for one in models if one.accuracy is not None}
    told = " ".join(words("accuracy_source", dataset=dataset, day=day) for dataset, day in sorted(sources))
    rows = [_row(one, words) for one in models]
    return render(request, "accuracy.html", "accuracy", models=rows, measured=bool(sources), source=told)


def _row(one: ModelOut, words: Words) -> ModelRow:
    accuracy = one.accuracy if one.accuracy is not None and one.accuracy.right.n else None
    used = one.read + one.abstained
    return ModelRow(
        name=one.model,
        right=percent(accuracy.right, interval=True) if accuracy is not None else None,
        n=accuracy.right.n if accuracy is not None else 0,
        abstained=percent(accuracy.abstained) if accuracy is not None else None,
        here=words("used_here", read=one.read, abstained=one.abstained) if used else None,
        adapter=_adapter(one.adapter, words) if one.adapter is not None else None,
        manuals=tuple(f"{document.id}, v{document.version}" for document in one.documents),
    )


def _adapter(adapter: AdapterOut, words: Words) -> str:
    card = words("adapter_card", photos=adapter.photos, date=adapter.made)
    return card if adapter.fits else f"{card}; {words('adapter_unfit')}"
