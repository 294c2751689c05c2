"""`gauge adapt`: an adapter for one instrument model, from labelled photos of it, stored below `home`."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from vision.samples import METADATA_NAME, SampleError

if TYPE_CHECKING:
    from vision.adapter_files import AdapterCard

ADAPTERS = "adapters"


def adapt_reader(
    model_id: str, photos: Path, *, weights: str | None, steps: int | None = None, minutes: float | None = None
) -> tuple[str, bool]:
    """Train an adapter for `model_id` on a dataset folder and store it if photos that were held out are read better.

    Says what the held-out photos say, and whether the adapter was stored. Raises SampleError where `photos` is no
    dataset folder, AdapterError where the id or the photos will not do, DonutError where there are no such weights.
    """
    from serve.settings import load_settings
    from vision.adapter_files import folder_name, save_adapter, weights_sha256
    from vision.adapter_training import AdaptOptions, adapt
    from vision.dataset import Pictures
    from vision.donut import load
    from vision.reader import weights_folder, weights_identity

    folder_name(model_id)  # An id that cannot be stored is an error now, not after minutes of training.
    if not (photos / METADATA_NAME).is_file():
        raise SampleError(
            f"{photos} is not a dataset folder: it has no {METADATA_NAME}; each line names a picture and what is true of it, "
            "as in the folders that gauge synth writes"
        )
    settings = load_settings()
    base = weights_folder(weights if weights is not None else settings.weights)
    options = AdaptOptions(minutes=minutes)
    if steps is not None:
        options = options.model_copy(update={"steps": steps})
    _one_thread(settings.device)
    result = adapt(load(base).to(settings.device), Pictures([photos]), model_id, options)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    card = result.card(model_id, weights_identity(base), weights_sha256(base), today)
    text = _held_out_text(card)
    if not result.helps:
        return f"{text}\nNot stored: the held-out photos are read no better with it. More photos or other ones may help.", False
    return f"{text}\nStored in {save_adapter(result.adapter, card, settings.home / ADAPTERS)}", True


def _one_thread(device: str) -> None:
    if device == "cpu":
        import torch

        torch.set_num_threads(1)


def _held_out_text(card: AdapterCard) -> str:
    lines = [
        f"Adapter for {card.instrument_model}: {card.parameters:,} parameters, {card.steps} steps on {card.photos} photos in "
        f"{card.seconds:.0f} s; base {card.base.name} {card.base.version}.",
        f"Of {card.held_out} photos held out (boxes given), without it and with it:",
    ]
    for label, name, percent in (
        ("needle within 5 degrees", "needle_within_5_deg", True),
        ("kinds, units, directions right", "class_accuracy", True),
        ("characters of numbers right", "character_accuracy", True),
        ("loss", "loss", False),
    ):
        before, after = getattr(card.before, name), getattr(card.after, name)
        if before is not None and after is not None:
            lines.append(f"  {label}: {before:.0%} -> {after:.0%}" if percent else f"  {label}: {before:.2f} -> {after:.2f}")
    return "\n".join(lines)
