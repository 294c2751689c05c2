"""What the trainings of the small readers share: recipe, optimizer, running mean of the weights, clock, log and checkpoint."""

from __future__ import annotations

import json
import math
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn
from tqdm import tqdm

from vision.fields import Contract
from vision.recipe import DataPart

CHECKPOINT_FILE = "checkpoint.pt"
LOG_EVERY = 50


class SmallRecipe(Contract):
    """All that decides a training run of a small reader beside its crops; `init` is a folder of weights to go on from.

    A run ends with `steps` or after `minutes`, whichever comes first. `bfloat16` computes in half the bits, which is up to
    three times as fast on processors that have it; on others it changes nothing, for there it would be slower.
    """

    name: str
    data: tuple[DataPart, ...]
    validation: tuple[DataPart, ...] = ()
    steps: Annotated[int, Field(ge=1)] = 3000
    lr: float = 2e-3
    warmup_steps: int = 100
    weight_decay: float = 0.02
    minutes: Annotated[float, Field(gt=0)] = 20.0
    seed: int = 0
    init: str | None = None
    bfloat16: bool = False


class CheckpointError(ValueError):
    """A checkpoint that is missing, or of another network."""


class SmallRun:
    """A network in training, the running mean of its weights, its optimizer, and where the run stands.

    The learning rate warms up and then falls along a cosine to the share `floor` of the recipe's.
    """

    def __init__(self, network: nn.Module, recipe: SmallRecipe, floor: float) -> None:
        self.network, self.recipe, self.floor = network.train(), recipe, floor
        self.optimizer = torch.optim.AdamW(
            network.parameters(), lr=recipe.lr, betas=(0.9, 0.98), weight_decay=recipe.weight_decay
        )
        self.average = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
        self.step, self.spent_s = 0, 0.0

    def train(self, loss: Callable[[], Tensor], out: Path, *, every: int, save: Callable[[], object]) -> None:
        """Steps on the loss of ever new batches until the run ends; `save` every so many steps. `out` gets `log.jsonl`."""
        before, started, losses = self.spent_s, time.perf_counter(), list[float]()
        with (
            (out / "log.jsonl").open("a" if self.step else "w", encoding="utf-8") as log,
            tqdm(total=self.recipe.steps, initial=self.step, unit="step") as bar,
        ):
            while self.step < self.recipe.steps:
                self.spent_s = before + time.perf_counter() - started
                done = max(self.step / self.recipe.steps, self.spent_s / 60.0 / self.recipe.minutes)
                if done >= 1.0:
                    break
                losses.append(self._advance(loss, done))
                bar.update()
                if self.step % LOG_EVERY == 0:
                    mean = round(float(np.mean(losses[-LOG_EVERY:])), 4)
                    log.write(json.dumps({"step": self.step, "minutes": round(self.spent_s / 60.0, 2), "loss": mean}) + "\n")
                    log.flush()
                    bar.set_postfix(loss=mean)
                if self.step % every == 0:
                    save()
        self.spent_s = before + time.perf_counter() - started

    def _advance(self, loss_of_batch: Callable[[], Tensor], done: float) -> float:
        """One step at the share `done` of the run; the loss."""
        warm = min(1.0, (self.step + 1) / self.recipe.warmup_steps)
        cosine = 0.5 * (1 + math.cos(math.pi * done))
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.lr * warm * (self.floor + (1.0 - self.floor) * cosine)
        loss = loss_of_batch()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), 2.0)
        self.optimizer.step()
        self.step += 1
        decay = min(0.995, (1 + self.step) / (10 + self.step))
        for name, tensor in self.network.state_dict().items():
            if tensor.is_floating_point():
                self.average[name].lerp_(tensor.detach(), 1.0 - decay)
            else:
                self.average[name].copy_(tensor)
        return float(loss.detach())

    def card(self, name: str, batch_size: int) -> dict[str, object]:
        """What the weights' card says of the run."""
        return {
            "name": name,
            "parameters": sum(p.numel() for p in self.network.parameters()),
            "recipe": self.recipe.model_dump(mode="json"),
            "steps": self.step,
            "samples": self.step * batch_size,
            "minutes": round(self.spent_s / 60.0, 1),
        }

    def save_checkpoint(self, out: Path) -> None:
        """What `resume` goes on from; renamed into place, so that a killed run leaves a whole one."""
        state = {
            "network": self.network.state_dict(),
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "spent_s": self.spent_s,
        }
        part = out / f"{CHECKPOINT_FILE}.part"
        torch.save(state, part)
        part.rename(out / CHECKPOINT_FILE)

    def resume(self, out: Path) -> None:
        """Go on where the folder's checkpoint stands. Raises CheckpointError where there is none or another network's."""
        try:
            # Own checkpoint of an own run; weights_only still refuses anything but tensors and plain containers.
            state: dict[str, Any] = torch.load(out / CHECKPOINT_FILE, map_location="cpu", weights_only=True)
            self.network.load_state_dict(state["network"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.average, self.step, self.spent_s = state["average"], state["step"], state["spent_s"]
        except (OSError, RuntimeError, KeyError, ValueError, pickle.UnpicklingError) as error:
            what = next(iter(str(error).splitlines()), type(error).__name__)
            raise CheckpointError(f"{out / CHECKPOINT_FILE} cannot be resumed from: {what}") from error
