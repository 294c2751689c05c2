"""Train an adapter from some labelled photos of one instrument model, in minutes on a CPU; the base stays as it is.

The stem is frozen, so what it sees in each augmented view is computed once and kept. Some of the photos are held out:
they say whether the adapter helps, and one that does not is not to be used.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from tqdm import tqdm

from vision.adapter import Adapter, AdapterError, adapted, adapted_stages, new_adapter
from vision.adapter_files import AdapterCard, HeldOutScore
from vision.augment import AugmentOptions, Photometric, jittered_read_view
from vision.crops import cut, read_view
from vision.dataset import Example, Pictures, readable
from vision.donut import GaugeDonut
from vision.encoder import HybridEncoder, HybridEncoderOutput
from vision.fields import Contract, Weights
from vision.losses import LossOptions, total_loss
from vision.progress import evaluate
from vision.samples import InstrumentTruth, PhotoTruth
from vision.targets import Batch, ChoiceTable, collate, read_target

MIN_PHOTOS = 12
"""Fewer photos than this cannot be split into some that teach and some that test."""


class AdaptOptions(Contract):
    """How an adapter is trained. `minutes` ends the training early, with the schedule drawn in; `views` are the augmented
    views of each photo that are kept, `held_out` the share of photos that test."""

    steps: int = 400
    minutes: float | None = None
    views: int = 8
    batch_size: int = 12
    lr: float = 2e-3
    warmup_steps: int = 10
    weight_decay: float = 0.01
    clip: float = 1.0
    held_out: float = 0.25
    rank: int | None = None
    seed: int = 0
    augment: AugmentOptions = AugmentOptions()
    loss: LossOptions = LossOptions()


OPTIONS = AdaptOptions()


class Adaptation(NamedTuple):
    """A trained adapter, what its held-out photos say, and how it came about."""

    adapter: Adapter
    before: HeldOutScore
    after: HeldOutScore
    photos: int
    held_out: int
    steps: int
    seconds: float
    losses: list[float]

    @property
    def helps(self) -> bool:
        """Whether the held-out photos are read better: a lower loss, and no fewer fields right."""
        return self.after.loss < self.before.loss and self.after.right >= self.before.right

    def card(self, instrument_model: str, base: Weights, base_sha256: str, date: str) -> AdapterCard:
        """The card to store the adapter with; `base` and `base_sha256` name the weights it was trained on."""
        return AdapterCard(
            instrument_model=instrument_model,
            base=base,
            base_sha256=base_sha256,
            widths=self.adapter.widths,
            rank=self.adapter.rank,
            parameters=self.adapter.parameters_count,
            photos=self.photos,
            held_out=self.held_out,
            steps=self.steps,
            seconds=self.seconds,
            date=date,
            before=self.before,
            after=self.after,
        )


class Frozen(NamedTuple):
    """What the frozen part of a hybrid encoder makes of some views: the first adapted stage's input and the finer maps."""

    h: Tensor  # (n, N, C)
    stride_8: Tensor
    stride_4: Tensor

    def of(self, rows: Tensor) -> Frozen:
        return Frozen(*(part[rows] for part in self))


def instrument_of(truth: PhotoTruth, model_id: str) -> InstrumentTruth | None:
    """The photo's instrument of that model; where none is named so, its main one. None where it is too small to read."""
    named = [one for one in truth.instruments if (one.instrument_model or "").casefold() == model_id.casefold()]
    chosen = next(iter(named or truth.instruments), None)
    return chosen if chosen is not None and readable(chosen) else None


def adapt(model: GaugeDonut, pictures: Pictures, model_id: str, options: AdaptOptions = OPTIONS) -> Adaptation:
    """Train an adapter for the instrument model `model_id` on labelled pictures of it. The model itself does not change.

    Raises AdapterError where fewer than MIN_PHOTOS pictures show an instrument that can be read.
    """
    rng = np.random.default_rng(options.seed)
    torch.manual_seed(options.seed)
    usable = [index for index in range(len(pictures)) if instrument_of(pictures.truth(index), model_id) is not None]
    if len(usable) < MIN_PHOTOS:
        raise AdapterError(
            f"{len(usable)} of {len(pictures)} photos show an instrument of {model_id!r} that can be read; "
            f"at least {MIN_PHOTOS} are needed, and about 50 are good"
        )
    order = [usable[place] for place in rng.permutation(len(usable))]
    count = min(max(3, round(options.held_out * len(order))), len(order) // 2)
    held_out = [exact_view(pictures, index, model_id, model.config.image_size) for index in order[:count]]
    started = time.monotonic()
    model.eval()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    try:
        table = ChoiceTable()
        before = score_views(model, None, held_out, table, options.loss)
        adapter = new_adapter(model.donut.encoder, options.rank).to(next(model.parameters()).device)
        losses = _train(rng, model, adapter, _views(rng, pictures, order[count:], model_id, model, options), table, options)
        adapter.eval()
        after = score_views(model, adapter, held_out, table, options.loss)
    finally:
        for parameter in model.parameters():
            parameter.requires_grad_(True)
    seconds = time.monotonic() - started
    return Adaptation(adapter, before, after, len(order) - count, count, len(losses), round(seconds, 1), losses)


def exact_view(pictures: Pictures, index: int, model_id: str, size: int) -> Example:
    """The read view of a picture's instrument of that model, without augmentation."""
    instrument = instrument_of(pictures.truth(index), model_id)
    assert instrument is not None
    view = read_view(instrument.box, size)
    return Example(cut(pictures.image(index), view), read_target(instrument, view, pictures.given(index)))


def _views(
    rng: np.random.Generator, pictures: Pictures, indices: Sequence[int], model_id: str, model: GaugeDonut, options: AdaptOptions
) -> list[Example]:
    """Augmented read views, `options.views` of each photo."""
    photometric = Photometric(options.augment.photometric_share)
    views = []
    for index in indices:
        image, instrument = pictures.image(index), instrument_of(pictures.truth(index), model_id)
        assert instrument is not None
        for _ in range(options.views):
            view = jittered_read_view(rng, instrument.box, model.config.image_size, options.augment)
            views.append(Example(photometric(rng, cut(image, view)), read_target(instrument, view, pictures.given(index))))
    return views


def _train(
    rng: np.random.Generator,
    model: GaugeDonut,
    adapter: Adapter,
    views: list[Example],
    table: ChoiceTable,
    options: AdaptOptions,
) -> list[float]:
    """Loss of each step."""
    batch_size = min(options.batch_size, len(views))
    whole = collate([view.image for view in views], [view.target for view in views], table)
    device = next(model.parameters()).device
    started = time.monotonic()
    encode = _encoder(model, whole.pixel_values, device)
    optimizer = torch.optim.AdamW(adapter.parameters(), lr=options.lr, weight_decay=options.weight_decay)
    choices = table.table().to(device)
    losses: list[float] = []
    order: list[int] = []
    bar = tqdm(total=options.steps, unit="step", desc="adapting", mininterval=1.0)
    while len(losses) < options.steps:
        spent = 0.0 if options.minutes is None else (time.monotonic() - started) / (60.0 * options.minutes)
        if spent >= 1.0:
            break
        if len(order) < batch_size:
            order = rng.permutation(len(views)).tolist()
        rows = torch.tensor([order.pop() for _ in range(batch_size)])
        batch = Batch(*(part[rows].to(device) for part in whole))
        part_done = max(len(losses) / options.steps, spent)
        warm = min(1.0, (len(losses) + 1) / max(1, options.warmup_steps))
        optimizer.param_groups[0]["lr"] = options.lr * warm * 0.5 * (1.0 + math.cos(math.pi * part_done))
        # The fused attention's backward pass is several times slower than plain matrix products on a CPU.
        with sdpa_kernel([SDPBackend.MATH]):
            encoded = encode(rows, adapter)
            loss = total_loss(
                model.decode(encoded, batch.input_ids), model.dense_maps(encoded), batch, choices, options.loss
            ).total
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(adapter.parameters(), options.clip)
        optimizer.step()
        losses.append(float(loss.detach()))
        if not math.isfinite(losses[-1]):
            raise AdapterError(f"the loss is not finite at step {len(losses)}; lower the learning rate {options.lr}")
        bar.update()
        bar.set_postfix(loss=f"{np.mean(losses[-20:]):.3f}", refresh=False)
    bar.close()
    if not losses:
        raise AdapterError(f"{options.minutes} minutes were over before the first step; give more")
    return losses


def _encoder(model: GaugeDonut, pixel_values: Tensor, device: torch.device) -> Callable[[Tensor, Adapter], HybridEncoderOutput]:
    """A function from rows of the views and an adapter to encodings. The frozen part is computed once where it can be kept."""
    encoder = model.donut.encoder
    if not isinstance(encoder, HybridEncoder):
        return lambda rows, adapter: model.encode(pixel_values[rows].to(device), adapter)
    frozen = freeze(encoder, pixel_values, device)
    side = pixel_values.shape[-1] // 16
    return lambda rows, adapter: run_adapted(encoder, adapter, frozen.of(rows), side, device)


@torch.no_grad()
def freeze(encoder: HybridEncoder, pixel_values: Tensor, device: torch.device, batch_size: int = 16) -> Frozen:
    """What the frozen part makes of views (n, 3, S, S), in half precision."""
    first = adapted_stages(encoder)[0]
    parts: list[Frozen] = []
    inputs: list[Tensor] = []
    handle = first.register_forward_pre_hook(lambda _, args: inputs.append(args[0]))
    try:
        for start in tqdm(range(0, len(pixel_values), batch_size), unit="batch", desc="looking", mininterval=1.0):
            output = encoder(pixel_values[start : start + batch_size].to(device))
            kept = (inputs.pop(), output.stride_8, output.stride_4)
            parts.append(Frozen(*(part.half().cpu() for part in kept)))
    finally:
        handle.remove()
    return Frozen(*(torch.cat(tensors) for tensors in zip(*parts, strict=True)))


def run_adapted(
    encoder: HybridEncoder, adapter: Adapter, frozen: Frozen, side: int, device: torch.device | str = "cpu"
) -> HybridEncoderOutput:
    """The encoder from its first adapted stage on; maps of `side` by `side` cells."""
    h, stride_8, stride_4 = (part.float().to(device) for part in frozen)
    with adapted(encoder, adapter):
        for stage in adapted_stages(encoder):
            h = stage(h)
    h = encoder.norm_out(h)
    grid = h.transpose(1, 2).reshape(h.shape[0], -1, side, side)
    return HybridEncoderOutput(last_hidden_state=h, grid=grid, stride_8=stride_8, stride_4=stride_4)


@torch.no_grad()
def score_views(
    model: GaugeDonut, adapter: Adapter | None, views: list[Example], table: ChoiceTable, loss: LossOptions = OPTIONS.loss
) -> HeldOutScore:
    """How the model, with an adapter or without, reads exact read views whose truth is known (teacher-forced)."""
    device = next(model.parameters()).device
    losses: list[float] = []
    with adapted(model.donut.encoder, adapter):
        for start in range(0, len(views), 16):
            chunk = views[start : start + 16]
            batch = Batch(*(part.to(device) for part in collate([v.image for v in chunk], [v.target for v in chunk], table)))
            encoded = model.encode(batch.pixel_values)
            logits, dense = model.decode(encoded, batch.input_ids), model.dense_maps(encoded)
            losses.append(len(chunk) * float(total_loss(logits, dense, batch, table.table().to(device), loss).total))
        metrics = evaluate(model, views, table, device)
    points = [e for e in (metrics.tip_error, metrics.pivot_error, metrics.start_error, metrics.end_error) if math.isfinite(e)]
    return HeldOutScore(
        loss=sum(losses) / len(views),
        needle_median_deg=_known(metrics.points_needle_median_deg),
        needle_within_5_deg=_known(metrics.points_needle_within_5_deg),
        points_error=float(np.median(points)) if points else None,
        class_accuracy=_known(metrics.class_accuracy),
        character_accuracy=_known(metrics.character_accuracy),
    )


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
