"""What is known of each instrument model: manuals, adapter, measured accuracy, and how it was read here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from eval.by_model import ModelAccuracy
from eval.score import Share
from knowledge.timeline import DocumentEntry, in_force
from serve.accuracy import Measured, read_accuracy
from serve.api.parts import Parts
from serve.store.tenants import LOCAL
from vision.adapter_files import AdapterCard, HeldOutScore, list_adapters
from vision.fields import Contract, Weights


class AdapterOut(Contract):
    """An adapter, and what photos that it was not trained on say without it and with it. `fits`: made for these weights."""

    base: Weights
    fits: bool
    photos: int
    held_out: int
    made: str
    before: HeldOutScore
    after: HeldOutScore


class AccuracyOut(Contract):
    """Accuracy on a labelled data set, measured on a day: shares of its `instruments` with 95 % intervals."""

    dataset: str
    day: str
    instruments: int
    located: Share
    right: Share
    abstained: Share


class ModelOut(Contract):
    """One instrument model. `documents` answer for it now; `read` and `abstained` count what was read here for the caller.

    `accuracy` is None where nothing was measured.
    """

    model: str
    documents: tuple[DocumentEntry, ...] = ()
    has_formula: bool = False
    adapter: AdapterOut | None = None
    accuracy: AccuracyOut | None = None
    read: int = 0
    abstained: int = 0


def list_models(parts: Parts, tenant: str) -> tuple[ModelOut, ...]:
    """Every model with a manual, an adapter, a measured accuracy or a reading here, by name. Blocks."""
    service = parts.service_of(tenant)
    manuals = service.knowledge
    entries = manuals.manifest.documents
    live = in_force(entries, datetime.now(UTC))
    homes = [parts.store.tenant_home(tenant), *([parts.store.home] if tenant != LOCAL else [])]
    adapters = _adapters(parts, homes)
    measured = _measured(homes)
    used = {one.model: one for one in parts.store.reports.by_model(tenant)}
    names = sorted({*manuals.models(), *adapters, *measured, *used})
    return tuple(
        ModelOut(
            model=name,
            documents=tuple(one for one in entries if one.id in live and name in one.models),
            has_formula=(facts := manuals.facts(name, service.settings.language)) is not None and facts.formula is not None,
            adapter=adapters.get(name),
            accuracy=measured.get(name),
            read=used[name].instruments - used[name].abstained if name in used else 0,
            abstained=used[name].abstained if name in used else 0,
        )
        for name in names
    )


def _adapters(parts: Parts, homes: list[Path]) -> Mapping[str, AdapterOut]:
    """A tenant's own go before the house's."""
    found: dict[str, AdapterOut] = {}
    reader = parts.service.reader
    base = getattr(getattr(reader, "adapters", None), "base_sha256", None)
    for home in reversed(homes):
        for card in list_adapters(home / "adapters"):
            found[card.instrument_model] = _adapter(card, fits=card.base_sha256 == base)
    return found


def _adapter(card: AdapterCard, *, fits: bool) -> AdapterOut:
    return AdapterOut(
        base=card.base,
        fits=fits,
        photos=card.photos,
        held_out=card.held_out,
        made=card.date,
        before=card.before,
        after=card.after,
    )


def _measured(homes: list[Path]) -> Mapping[str, AccuracyOut]:
    found: dict[str, AccuracyOut] = {}
    for home in reversed(homes):
        measured = read_accuracy(home)
        if measured is not None:
            found |= {one.name: _accuracy(measured, one) for one in measured.card.models}
    return found


def _accuracy(measured: Measured, one: ModelAccuracy) -> AccuracyOut:
    whole = one.overall
    return AccuracyOut(
        dataset=measured.card.dataset,
        day=measured.day,
        instruments=whole.instruments,
        located=whole.located,
        right=whole.value.right,
        abstained=whole.value.abstained,
    )
