"""`gauge adapt` and `gauge models`: adapters for instrument models, made from labelled photos and stored below `home`."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from vision.samples import METADATA_NAME, SampleError

if TYPE_CHECKING:
    from vision.adapter_files import AdapterCard
    from vision.dataset import Pictures
    from vision.donut import GaugeDonut

ADAPTERS = "adapters"


def adapt_reader(
    model_id: str, photos: Path, *, weights: str | None, steps: int | None = None, minutes: float | None = None
) -> tuple[str, bool]:
    """Train an adapter for `model_id` on labelled photos and store it if photos that were held out are read better.

    `photos` holds pictures with `metadata.jsonl` or `labels.csv` (`vision.adapter_labels`). Says what the held-out photos
    say, and whether the adapter was stored. Raises SampleError where `photos` has neither or a row is wrong, AdapterError
    where the id or the photos will not do, DonutError where there are no such weights.
    """
    from serve.settings import load_settings
    from vision.adapter_files import folder_name, save_adapter, weights_sha256
    from vision.adapter_labels import LABELS_NAME
    from vision.adapter_training import AdaptOptions, adapt
    from vision.donut import load
    from vision.weights_folder import weights_folder, weights_identity

    folder_name(model_id)  # An id that cannot be stored is an error now, not after minutes of training.
    if not (photos / METADATA_NAME).is_file() and not (photos / LABELS_NAME).is_file():
        raise SampleError(
            f"{photos} is not a dataset folder: it has no {METADATA_NAME} and no {LABELS_NAME}; {LABELS_NAME} has a row a photo "
            "with file_name, value, scale_min, scale_max, unit, ...; gauge synth writes folders with the other"
        )
    settings = load_settings()
    base = weights_folder(weights if weights is not None else settings.weights)
    options = AdaptOptions(minutes=minutes)
    if steps is not None:
        options = options.model_copy(update={"steps": steps})
    _one_thread(settings.device)
    model = load(base).to(settings.device)
    result = adapt(model, _pictures(model, photos, model_id, settings.device), model_id, options)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    card = result.card(model_id, weights_identity(base), weights_sha256(base), today)
    text = _held_out_text(card)
    if not result.helps:
        return f"{text}\nNot stored: the held-out photos are read no better with it. More photos or other ones may help.", False
    return f"{text}\nStored in {save_adapter(result.adapter, card, settings.home / ADAPTERS)}", True


def _pictures(model: GaugeDonut, photos: Path, model_id: str, device: str) -> Pictures:
    """The labelled pictures of a folder; where a row of `labels.csv` gives no box, the base finds the instrument."""
    from vision.adapter_labels import read_labelled_photos
    from vision.crops import Pixels
    from vision.dataset import Pictures
    from vision.fields import Box
    from vision.locate import LocateOptions, locate

    if (photos / METADATA_NAME).is_file():
        return Pictures([photos])

    def find_box(image: Pixels) -> Box | None:
        found = locate(model.eval(), image, LocateOptions(), device)
        return found[0].box if found else None

    return read_labelled_photos(photos, model_id, find_box)


def models_text(weights: str | None, *, as_json: bool = False) -> str:
    """The adapters below `home`: model, the weights it fits, size, and what held-out photos say without it and with it."""
    import json

    from serve.settings import load_settings
    from vision.adapter_files import ADAPTER_FILE, folder_name, list_adapters, weights_sha256
    from vision.weights_folder import weights_folder

    settings = load_settings()
    home = settings.home / ADAPTERS
    current = weights_sha256(weights_folder(weights if weights is not None else settings.weights))
    rows = []
    for card in list_adapters(home):
        file = home / folder_name(card.instrument_model) / ADAPTER_FILE
        size = file.stat().st_size if file.is_file() else 0
        rows.append((card, card.base_sha256 == current, size))
    if as_json:
        cards = [card.model_dump(mode="json") | {"fits": fits, "size_bytes": size} for card, fits, size in rows]
        return json.dumps(cards, ensure_ascii=False)
    if not rows:
        return f"No adapters in {home}; gauge adapt MODEL_ID --photos DIR makes one from about 50 labelled photos."
    return "\n".join(_model_line(card, fits, size) for card, fits, size in rows)


def _model_line(card: AdapterCard, fits: bool, size_bytes: int) -> str:
    base = f"{card.base.name} {card.base.version}" + ("" if fits else " (not the present weights: not used; adapt anew)")
    size = f"{size_bytes / 1000:.0f} kB" if size_bytes else "file missing: not used"
    right = f"right {card.before.right:.0%} -> {card.after.right:.0%} of {card.held_out} photos held out"
    return f"{card.instrument_model}: for {base}, {size}, {right}, made {card.date} from {card.photos} photos"


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
