"""Instrument models: how often a value is right and how often none is given, with n; the adapter, the manual in force."""

from __future__ import annotations

from typing import NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import Response

from eval.by_model import ModelAccuracy
from eval.tables import percent
from knowledge.articles import KnowledgeError
from knowledge.facts import ModelFacts
from serve.accuracy import Measured, read_accuracy
from serve.api.auth import Reading
from serve.api.parts import Parts, parts_of
from serve.web.rendering import PageRoute, render, words_of
from serve.web.report_pages import facts_of_models
from serve.web.words import Words

router = APIRouter(route_class=PageRoute)

ADAPTERS = "adapters"


class ModelRow(NamedTuple):
    """A model; `right` is None where its accuracy was not measured."""

    name: str
    right: str | None
    n: int
    abstained: str | None
    adapter: str | None
    manual: str | None


@router.get("/accuracy")
def accuracy_page(request: Request, who: Reading) -> Response:
    """All models that are known here."""
    parts, words = parts_of(request), words_of(request)
    measured = read_accuracy(parts.store.tenant_home(who.tenant)) or read_accuracy(parts.store.home)
    rows = _rows(parts, who.tenant, measured, words)
    source = words("accuracy_source", dataset=measured.card.dataset, day=measured.day) if measured is not None else ""
    return render(request, "accuracy.html", "accuracy", models=rows, measured=measured is not None, source=source)


def _rows(parts: Parts, tenant: str, measured: Measured | None, words: Words) -> list[ModelRow]:
    adapters = _adapters(parts, tenant, words)
    known = _models(parts, tenant)
    scored = [one.name for one in measured.card.models] if measured is not None else []
    facts = facts_of_models(parts, tenant, set(known), words.language)
    return [
        _row(name, measured.of(name) if measured is not None else None, adapters.get(name), facts.get(name))
        for name in sorted({*known, *scored, *adapters}, key=str.casefold)
    ]


def _row(name: str, accuracy: ModelAccuracy | None, adapter: str | None, facts: ModelFacts | None) -> ModelRow:
    value = accuracy.overall.value if accuracy is not None else None
    measured = value is not None and value.right.n > 0
    return ModelRow(
        name=name,
        right=percent(value.right, interval=True) if value is not None and measured else None,
        n=value.right.n if value is not None else 0,
        abstained=percent(value.abstained) if value is not None and measured else None,
        adapter=adapter,
        manual=f"{facts.document}, v{facts.version}" if facts is not None else None,
    )


def _models(parts: Parts, tenant: str) -> tuple[str, ...]:
    try:
        return tuple(parts.service_of(tenant).knowledge.models())
    except KnowledgeError:
        return ()


def _adapters(parts: Parts, tenant: str, words: Words) -> dict[str, str]:
    from vision.adapter_files import list_adapters  # torch comes with it.

    cards = list_adapters(parts.store.tenant_home(tenant) / ADAPTERS)
    return {card.instrument_model: words("adapter_card", photos=card.photos, date=card.date) for card in cards}
