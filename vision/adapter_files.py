"""Adapters on disk: `<home>/<model id>/adapter.safetensors` and its card, found by the instrument's model.

An adapter belongs to one version of one base: its card carries the hash of the weights that it was made for.
"""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path
from typing import Annotated
from urllib.parse import quote, unquote

from pydantic import Field, ValidationError
from safetensors.torch import load_file, save_file

from vision.adapter import Adapter, AdapterError
from vision.donut import MODEL_FILE
from vision.fields import Contract, Weights

ADAPTER_FILE, CARD_FILE = "adapter.safetensors", "card.json"
MAX_NAME = 120

logger = logging.getLogger("gauge.adapters")


class HeldOutScore(Contract):
    """How photos that the adapter was not trained on are read, teacher-forced; None where they had nothing of the kind.

    Shares lie in 0..1. The needle's angle is that of the needle's points; `points_error` is the median distance of the
    points from the truth, in fractions of the view.
    """

    loss: float
    needle_median_deg: float | None
    needle_within_5_deg: float | None
    points_error: float | None
    class_accuracy: float | None
    character_accuracy: float | None

    @property
    def right(self) -> float:
        """Mean of the shares that are right, over those that are there."""
        shares = [s for s in (self.needle_within_5_deg, self.class_accuracy, self.character_accuracy) if s is not None]
        return sum(shares) / len(shares) if shares else 0.0


class AdapterCard(Contract):
    """What an adapter is, what it was made for and from, and what it brings. `date` is ISO 8601, given by the caller."""

    instrument_model: str
    base: Weights
    base_sha256: str
    widths: tuple[int, ...]
    rank: Annotated[int, Field(ge=1)]
    parameters: int
    photos: int
    held_out: int
    steps: int
    seconds: float
    date: str
    before: HeldOutScore
    after: HeldOutScore


def weights_sha256(folder: Path) -> str:
    """The hash of a weights folder's model file, which an adapter is tied to. Raises AdapterError where it is missing."""
    try:
        return hashlib.sha256((folder / MODEL_FILE).read_bytes()).hexdigest()
    except OSError as error:
        raise AdapterError(f"cannot read the base {folder / MODEL_FILE}: {error.strerror}") from error


def folder_name(model_id: str) -> str:
    """A file name for any instrument model id: no separators, no leading dot, the same for upper and lower case.

    Raises AdapterError for an empty or overlong id.
    """
    key = " ".join(model_id.split()).casefold()
    # quote() leaves letters, digits and _.-~ alone; a leading dot would hide the folder, or leave it.
    name = quote(key, safe="").replace("~", "%7E")
    name = "%2E" + name[1:] if name.startswith(".") else name
    if not name or len(name) > MAX_NAME:
        raise AdapterError(f"{model_id!r} is no instrument model id: 1 to {MAX_NAME} characters are needed")
    return name


def save_adapter(adapter: Adapter, card: AdapterCard, home: Path) -> Path:
    """Write the adapter and its card below `home` and return its folder; the weights appear last and whole."""
    folder = home / folder_name(card.instrument_model)
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / (ADAPTER_FILE + ".tmp")
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in adapter.state_dict().items()}, temporary)
    (folder / CARD_FILE).write_text(json.dumps(card.model_dump(mode="json"), indent=1, ensure_ascii=False), encoding="utf-8")
    temporary.replace(folder / ADAPTER_FILE)
    return folder


def load_adapter_card(folder: Path) -> AdapterCard:
    """The card of an adapter's folder. Raises AdapterError where it is missing or malformed."""
    try:
        return AdapterCard.model_validate_json((folder / CARD_FILE).read_text(encoding="utf-8"))
    except OSError as error:
        raise AdapterError(f"{folder} holds no adapter: {CARD_FILE} is missing") from error
    except (ValidationError, ValueError) as error:
        raise AdapterError(f"{folder / CARD_FILE} is not an adapter's card: {error}") from error


def load_adapter(folder: Path, base_sha256: str) -> tuple[Adapter, AdapterCard]:
    """The adapter of a folder for the base with this hash, in evaluation mode.

    Raises AdapterError where it was made for another base, or the file is missing, damaged or does not fit its card.
    """
    card = load_adapter_card(folder)
    if card.base_sha256 != base_sha256:
        raise AdapterError(
            f"the adapter of {card.instrument_model} was made for {card.base.name} {card.base.version} "
            f"({card.base_sha256[:12]}), not for these weights ({base_sha256[:12]}); make it anew with gauge adapt"
        )
    adapter = Adapter(card.widths, card.rank)
    try:
        adapter.load_state_dict(load_file(folder / ADAPTER_FILE))
    except FileNotFoundError as error:
        raise AdapterError(f"{folder} holds no adapter: {ADAPTER_FILE} is missing") from error
    except Exception as error:  # safetensors raises its own untyped error on a broken file
        raise AdapterError(f"{folder / ADAPTER_FILE} is not the adapter that its card describes: {error}") from error
    return adapter.eval(), card


class AdapterFolder:
    """The adapters below a folder for one base; each is loaded when its model is asked for, once.

    `others` is asked for models that have no adapter here.
    """

    def __init__(self, home: Path, base_sha256: str, device: str = "cpu", others: AdapterFolder | None = None) -> None:
        self.home, self.base_sha256, self.device, self.others = home, base_sha256, device, others
        self._loaded: dict[str, Adapter | None] = {}

    def forget(self) -> None:
        """Look at the folder anew from now on: an adapter was made or removed."""
        self._loaded.clear()

    def find(self, model_id: str) -> Adapter | None:
        """The adapter of an instrument model; None where there is none that fits this base.

        One that is damaged or made for another base is left aside with a warning: the base reads on.
        """
        try:
            name = folder_name(model_id)
        except AdapterError:
            return None
        if name not in self._loaded:
            self._loaded[name] = self._load(self.home / name)
        found = self._loaded[name]
        return self.others.find(model_id) if found is None and self.others is not None else found

    def _load(self, folder: Path) -> Adapter | None:
        if not (folder / CARD_FILE).is_file():
            return None
        try:
            return load_adapter(folder, self.base_sha256)[0].to(self.device)
        except AdapterError as error:
            logger.warning("%s; reading goes on without it", error)
            return None

    def models(self) -> list[str]:
        """Ids of the models that have an adapter for this base, as their cards spell them."""
        found = {card.instrument_model for card in list_adapters(self.home) if card.base_sha256 == self.base_sha256}
        return sorted(found.union(self.others.models() if self.others is not None else ()))


def list_adapters(home: Path) -> list[AdapterCard]:
    """Cards of all adapters below a folder, whatever their base; folders without a sound card are left out."""
    cards = []
    for path in sorted(home.glob(f"*/{CARD_FILE}")):
        try:
            card = load_adapter_card(path.parent)
        except AdapterError as error:
            logger.warning("%s", error)
            continue
        if folder_name(card.instrument_model) == path.parent.name:
            cards.append(card)
        else:
            logger.warning("%s holds the adapter of %s: left out", unquote(path.parent.name), card.instrument_model)
    return cards
