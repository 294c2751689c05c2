"""Training: a recipe and dataset folders become weights, with a curve that is watched.

One loop for every base: views of pictures, field-wise losses, an exponential moving average of the weights, metrics
on held-out pictures, checkpoints that can be resumed, and an alarm when the needle stays at chance (a run whose
output does not depend on the image is to be stopped, not waited for).
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.data import DataLoader
from tqdm import tqdm

from vision.dataset import Example, Pictures, TrainingViews, validation_views
from vision.donut import SMALL, GaugeDonut, build_from_donut, build_small, load, save
from vision.half import training_precision
from vision.losses import total_loss
from vision.progress import Metrics, evaluate
from vision.recipe import OptimizerOptions, Stage, TrainingRecipe
from vision.targets import Batch, ChoiceTable, collate

STATE_FILE, LOG_FILE, RECIPE_FILE = "state.json", "log.jsonl", "recipe.json"


class TrainingError(RuntimeError):
    """A run that cannot start, or one that must not go on."""


class MovingAverage:
    """Exponential moving average of a model's trainable parameters."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.values = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}

    @torch.no_grad()
    def update(self, model: nn.Module, step: int) -> None:
        # A short memory at first: the average must not remember the untrained start.
        decay = min(self.decay, (1 + step) / (10 + step))
        for name, parameter in model.named_parameters():
            self.values[name].lerp_(parameter.detach(), 1.0 - decay)

    @torch.no_grad()
    def swap(self, model: nn.Module) -> None:
        """Exchange the model's weights with the averaged ones; a second call undoes it."""
        for name, parameter in model.named_parameters():
            current = parameter.detach().clone()
            parameter.copy_(self.values[name])
            self.values[name] = current


def build_model(recipe: TrainingRecipe) -> GaugeDonut:
    """The recipe's model: earlier weights (`init`), a fresh small Donut, or a hub's or folder's Donut."""
    if recipe.init is not None:
        model = load(Path(recipe.init)).train()
        if recipe.model.print_heads and not model.config.print_heads:
            model.dense.add_print_heads()
            model.config = model.config.model_copy(update={"print_heads": True})
        model.config = model.config.model_copy(update={"image_size": recipe.model.image_size})
        return model
    if recipe.model.base == SMALL:
        return build_small(recipe.model)
    return build_from_donut(recipe.model.base, recipe.model)


def _optimizer(model: GaugeDonut, options: OptimizerOptions) -> torch.optim.AdamW:
    encoder = model.donut.encoder
    stem = getattr(encoder, "stem", None)
    slow = list((encoder if stem is None else stem).parameters())
    slow_ids = {id(parameter) for parameter in slow}
    fast = [parameter for parameter in model.parameters() if id(parameter) not in slow_ids]
    groups = [{"params": slow, "lr": options.stem_lr}, {"params": fast, "lr": options.lr}]
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=options.weight_decay)


def _factor(step: int, total: int, options: OptimizerOptions) -> float:
    """Warm-up, then cosine down to the floor."""
    warm = min(1.0, (step + 1) / max(1, options.warmup_steps))
    return warm * (options.floor + (1 - options.floor) * 0.5 * (1 + math.cos(math.pi * min(1.0, step / max(1, total)))))


def _stage_of(stages: tuple[Stage, ...], step: int) -> int:
    end = 0
    for index, stage in enumerate(stages):
        end += stage.steps
        if step < end:
            return index
    return len(stages) - 1


class Run:
    """One training run in its folder `out`."""

    def __init__(self, recipe: TrainingRecipe, data: list[Path], validation: list[Path], out: Path) -> None:
        self.recipe, self.out = recipe, out
        out.mkdir(parents=True, exist_ok=True)
        (out / RECIPE_FILE).write_text(recipe.model_dump_json(indent=1), encoding="utf-8")
        if recipe.threads:
            torch.set_num_threads(recipe.threads)
        torch.manual_seed(recipe.seed)
        self.accelerator = Accelerator(cpu=not torch.cuda.is_available())
        self.pictures = Pictures(data)
        self.validation = Pictures(validation)
        self.model = build_model(recipe).train()
        if self.accelerator.device.type == "cpu":
            self.model = self.model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        if recipe.model.base == SMALL:
            frozen = recipe.optimizer.frozen_blocks if recipe.model.pretrained_stem else 0
            self.model.donut.encoder.config.frozen_blocks = frozen
        self.optimizer = _optimizer(self.model, recipe.optimizer)
        self.prepared, self.optimizer = self.accelerator.prepare(self.model, self.optimizer)
        self.average = MovingAverage(self.model, recipe.optimizer.ema_decay)
        self.table = ChoiceTable()
        self.step = self.samples = 0
        self.seconds = 0.0

    @property
    def total_steps(self) -> int:
        return sum(stage.steps for stage in self.recipe.stages)

    def _loader(self, stage: Stage) -> DataLoader[Example]:
        seed = self.recipe.seed * 1_000_003 + self.step
        views = TrainingViews(self.pictures, stage.image_size, seed, self.recipe.augment)
        return DataLoader(views, stage.batch_size, collate_fn=list, num_workers=1, prefetch_factor=3, persistent_workers=False)

    def _train_step(self, batch: Batch) -> dict[str, float]:
        factor = _factor(self.step, self.total_steps, self.recipe.optimizer)
        for group, lr in zip(self.optimizer.param_groups, (self.recipe.optimizer.stem_lr, self.recipe.optimizer.lr), strict=True):
            group["lr"] = lr * factor
        device = self.accelerator.device
        batch = Batch(*(tensor.to(device) for tensor in batch))
        # The fused attention's backward pass is several times slower than plain matrix products on a CPU.
        backend = SDPBackend.MATH if device.type == "cpu" else SDPBackend.EFFICIENT_ATTENTION
        with sdpa_kernel([backend, SDPBackend.MATH]):
            encoded = self.model.encode(batch.pixel_values)
            dense = self.model.dense_maps(encoded)
            with training_precision(device):
                logits = self.model.decode(encoded, batch.input_ids)
            losses = total_loss(logits, dense, batch, self.table.table().to(device), self.recipe.loss)
            self.optimizer.zero_grad(set_to_none=True)
            self.accelerator.backward(losses.total)
        self.accelerator.clip_grad_norm_(self.model.parameters(), self.recipe.optimizer.clip)
        self.optimizer.step()
        self.average.update(self.model, self.step)
        if not bool(losses.total.isfinite()):
            raise TrainingError(f"the loss is not finite at step {self.step}: {losses.parts}; lower the learning rate")
        return {"total": float(losses.total.detach()), **{name: float(part) for name, part in losses.parts.items()}}

    def train(self) -> Path:
        """Run to the end of the recipe; returns the folder with the weights. Raises TrainingError on the alarm."""
        watch = self.recipe.watch
        bar = tqdm(total=self.total_steps, initial=self.step, unit="step", desc=self.recipe.name, mininterval=5.0)
        recent: list[dict[str, float]] = []
        started = time.monotonic()
        while self.step < self.total_steps:
            stage_index = _stage_of(self.recipe.stages, self.step)
            stage = self.recipe.stages[stage_index]
            for examples in self._loader(stage):
                batch = collate([e.image for e in examples], [e.target for e in examples], self.table)
                recent.append(self._train_step(batch))
                self.step, self.samples = self.step + 1, self.samples + len(examples)
                bar.update()
                if self.step % watch.log_every == 0:
                    self._log("train", {**_mean(recent), "seconds": self.seconds + time.monotonic() - started})
                    bar.set_postfix(loss=f"{_mean(recent)['total']:.3f}")
                    recent = []
                last = self.step == self.total_steps
                if self.step % watch.evaluate_every == 0 or last:
                    self._watch(self.evaluate(stage.image_size))
                if self.step % watch.checkpoint_every == 0 or last:
                    now = time.monotonic()
                    self.seconds, started = self.seconds + now - started, now
                    self.checkpoint()
                if last or _stage_of(self.recipe.stages, self.step) != stage_index:
                    break
        bar.close()
        return self.out

    def evaluate(self, image_size: int) -> Metrics:
        """Metrics of the averaged weights on the held-out pictures."""
        self.average.swap(self.model)
        self.model.eval()
        metrics = evaluate(self.model, validation_views(self.validation, image_size), self.table, self.accelerator.device)
        self.model.train()
        self.average.swap(self.model)
        return metrics

    def _watch(self, metrics: Metrics) -> None:
        self._log("validation", metrics._asdict())
        watch = self.recipe.watch
        if self.samples >= watch.alarm_after_samples and metrics.needle_median_deg > watch.alarm_needle_deg:
            self.checkpoint()
            raise TrainingError(
                f"after {self.samples} samples the needle is still {metrics.needle_median_deg:.0f} degrees off (chance is 90): "
                "the output does not depend on the image; change the recipe (pretrained stem? field-wise loss? learning rate?)"
            )

    def _log(self, kind: str, values: Mapping[str, Any]) -> None:
        row = {"kind": kind, "step": self.step, "samples": self.samples, **values}
        with (self.out / LOG_FILE).open("a", encoding="utf-8") as log:
            log.write(json.dumps(row) + "\n")
        if kind == "validation":
            tqdm.write(f"step {self.step}: " + ", ".join(f"{name} {value:.3g}" for name, value in values.items()))

    def checkpoint(self) -> None:
        """Write the averaged weights as a model folder, and everything that resuming needs."""
        self.average.swap(self.model)
        card = {
            "recipe": self.recipe.model_dump(mode="json", exclude={"model": {"vocabulary"}}),
            "step": self.step,
            "samples": self.samples,
            "seconds": round(self.seconds),
        }
        save(self.model, self.out, card)
        self.average.swap(self.model)
        state = {
            "average": self.average.values,
            "model": dict(self.model.named_parameters()),
            "optimizer": self.optimizer.state_dict(),
        }
        temporary = self.out / "training.pt.tmp"
        torch.save(state, temporary)
        temporary.replace(self.out / "training.pt")
        progress = {"step": self.step, "samples": self.samples, "seconds": self.seconds}
        (self.out / STATE_FILE).write_text(json.dumps(progress), encoding="utf-8")

    def resume(self) -> None:
        """Continue where the folder's last checkpoint stands. Raises TrainingError where there is none."""
        try:
            progress = json.loads((self.out / STATE_FILE).read_text(encoding="utf-8"))
            # Own checkpoint of an own run; weights_only still refuses anything but tensors and plain containers.
            state = torch.load(self.out / "training.pt", map_location="cpu", weights_only=True)
        except FileNotFoundError as error:
            raise TrainingError(f"nothing to resume in {self.out}: {error.filename} is missing") from error
        self.step, self.samples, self.seconds = progress["step"], progress["samples"], progress["seconds"]
        _copy_into(dict(self.model.named_parameters()), state["model"])
        self.average.values = {name: tensor.to(self.accelerator.device) for name, tensor in state["average"].items()}
        self.optimizer.load_state_dict(state["optimizer"])


@torch.no_grad()
def _copy_into(parameters: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    for name, parameter in parameters.items():
        parameter.copy_(values[name])


def _mean(rows: list[dict[str, float]]) -> dict[str, float]:
    names = {name for row in rows for name in row}
    return {name: sum(row.get(name, 0.0) for row in rows) / max(1, sum(name in row for row in rows)) for name in sorted(names)}


def train(recipe: TrainingRecipe, data: list[Path], validation: list[Path], out: Path, *, resume: bool = False) -> Path:
    """Train `recipe` on dataset folders `data`, watched on `validation`; returns the folder with the weights.

    Raises TrainingError when resuming is impossible, the loss explodes, or the needle stays at chance.
    """
    run = Run(recipe, data, validation, out)
    if resume:
        run.resume()
    return run.train()
