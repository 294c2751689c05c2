"""Training of the state reader: dataset folders become weights, with a log, a checkpoint and the shares read right."""

from __future__ import annotations

import json
import math
import pickle
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn
from tqdm import tqdm

from vision.recipe import RECIPES, DataPart, read_recipe, recipe_path
from vision.state_data import (
    LAMP,
    SELECTOR,
    StateCase,
    StateCases,
    StateExample,
    StateJitter,
    StateOptions,
    StateStream,
    jittered_view,
)
from vision.state_network import ANGLES, StateNetwork, StateOutput, to_network
from vision.state_reader import StateReader, StateWeightsError

MARK_WIDTH_DEG = 6.0
"""Deviation of the soft bins of directions."""
CHECKPOINT_FILE = "checkpoint.pt"
STATE_RECIPES = RECIPES / "states"


class StateRecipe(StateOptions):
    """All that decides a training run of a state reader; `init` is a folder of weights to go on from, or `shipped`.

    `bfloat16` computes in half the bits, which is faster on processors that have it and slower on others.
    """

    name: str
    reader: Literal["states"] = "states"
    data: tuple[DataPart, ...]
    validation: tuple[DataPart, ...] = ()
    steps: Annotated[int, Field(ge=1)] = 6000
    lr: float = 2e-3
    warmup_steps: int = 100
    weight_decay: float = 0.03
    minutes: Annotated[float, Field(gt=0)] = 25.0
    seed: int = 0
    init: str | None = None
    bfloat16: bool = False
    checkpoint_every: Annotated[int, Field(ge=1)] = 400


def is_state_recipe(name: str) -> bool:
    """Whether a recipe, by name or by path, says that it is one of a state reader."""
    path = recipe_path(name, STATE_RECIPES)
    try:
        return path.is_file() and tomllib.loads(path.read_text(encoding="utf-8")).get("reader") == "states"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False  # whoever reads it as a recipe says what is wrong with it


def load_state_recipe(name: str) -> StateRecipe:
    """A recipe by name in `vision/recipes/states/` or by path. Raises RecipeError naming what is wrong."""
    return read_recipe(StateRecipe, name, STATE_RECIPES, "recipe of a state reader")


def soft_directions(angles_deg: Sequence[float]) -> NDArray[np.float32]:
    """(48,) in [0, 1]: how near the closest of some directions is, 1 at it; all 0 where there are none."""
    if not angles_deg:
        return np.zeros(ANGLES, np.float32)
    bins = np.arange(ANGLES) * 360.0 / ANGLES
    apart = np.abs((bins[:, None] - np.asarray(angles_deg)[None, :] + 180.0) % 360.0 - 180.0).min(1)
    return np.asarray(np.exp(-0.5 * (apart / MARK_WIDTH_DEG) ** 2), np.float32)


def state_loss(output: StateOutput, examples: Sequence[StateExample]) -> Tensor:
    """Mean loss of a batch: kind, colour, position, and where they are known the directions that a position follows from."""
    kinds, colors, positions = (torch.tensor([getattr(one, name) for one in examples]) for name in ("kind", "color", "position"))
    numbers = torch.tensor([len(one.marks) - 1 for one in examples])
    marked = [index for index, one in enumerate(examples) if one.position >= 0 and one.marks]
    total = 0.5 * F.cross_entropy(output.kind, kinds)
    total = (
        total + _class_loss(output.color, colors, len(examples)) + 1.5 * _class_loss(output.position, positions, len(examples))
    )
    total = total + 0.3 * _class_loss(output.number, numbers, len(examples))
    if marked:
        marks = torch.from_numpy(np.stack([soft_directions(examples[i].marks) for i in marked]))
        pointers = torch.from_numpy(np.stack([soft_directions([examples[i].marks[examples[i].position]]) for i in marked]))
        pointers = pointers / pointers.sum(1, keepdim=True)
        share = len(marked) / len(examples)
        total = total + 3.0 * share * F.binary_cross_entropy_with_logits(output.marks[marked], marks)
        total = total + 0.3 * share * F.cross_entropy(output.pointer[marked], pointers)
    return total


def _class_loss(logits: Tensor, labels: Tensor, count: int) -> Tensor:
    """Cross-entropy over those that have a label, as a share of the whole batch: a rare kind does not weigh more."""
    known = labels >= 0
    return F.cross_entropy(logits[known], labels[known], reduction="sum") / count if bool(known.any()) else logits.sum() * 0.0


class _Run:
    """Network, its running mean, optimizer and where the run stands."""

    def __init__(self, recipe: StateRecipe) -> None:
        torch.manual_seed(recipe.seed)
        self.recipe = recipe
        first = None if recipe.init is None else StateReader.load(None if recipe.init == "shipped" else Path(recipe.init))
        self.network = StateNetwork() if first is None else first.network
        self.network = self.network.to(memory_format=torch.channels_last).train()  # type: ignore[call-overload]
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=recipe.lr, betas=(0.9, 0.98), weight_decay=recipe.weight_decay
        )
        self.average = {name: tensor.detach().clone() for name, tensor in self.network.state_dict().items()}
        self.step, self.spent_s = 0, 0.0

    def advance(self, examples: Sequence[StateExample], done: float) -> float:
        """One step at the share `done` of the run; the loss."""
        recipe = self.recipe
        for group in self.optimizer.param_groups:
            warm = min(1.0, (self.step + 1) / recipe.warmup_steps)
            group["lr"] = recipe.lr * warm * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(done, 1.0))))
        crops = to_network(torch.from_numpy(np.stack([one.crop for one in examples])))
        with torch.autocast("cpu", torch.bfloat16, enabled=recipe.bfloat16):
            output: StateOutput = self.network(crops)
        loss = state_loss(output, examples)
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

    def save(self, out: Path) -> None:
        """The checkpoint that `resume` goes on from; renamed into place, so that a killed run leaves a whole one."""
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
        """Go on where the folder's checkpoint stands. Raises StateWeightsError where there is none or another network's."""
        try:
            # Own checkpoint of an own run; weights_only still refuses anything but tensors and plain containers.
            state: dict[str, Any] = torch.load(out / CHECKPOINT_FILE, map_location="cpu", weights_only=True)
            self.network.load_state_dict(state["network"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.average, self.step, self.spent_s = state["average"], state["step"], state["spent_s"]
        except (OSError, RuntimeError, KeyError, ValueError, pickle.UnpicklingError) as error:
            what = next(iter(str(error).splitlines()), type(error).__name__)
            raise StateWeightsError(f"{out / CHECKPOINT_FILE} cannot be resumed from: {what}") from error


def train_states(
    recipe: StateRecipe, data: Sequence[Path], validation: Sequence[Path], out: Path, *, resume: bool = False
) -> StateReader:
    """Train on dataset folders, at most `recipe.minutes`; weights, card and `log.jsonl` are written to `out`."""
    out.mkdir(parents=True, exist_ok=True)
    run = _Run(recipe)
    if resume:
        run.resume(out)
    stream = StateStream(StateCases(data, recipe.most_lamps), recipe, recipe.seed + run.step)
    before, started, losses = run.spent_s, time.perf_counter(), list[float]()
    with (
        (out / "log.jsonl").open("a" if resume else "w", encoding="utf-8") as log,
        tqdm(total=recipe.steps, initial=run.step, unit="step") as bar,
    ):
        while run.step < recipe.steps:
            run.spent_s = before + time.perf_counter() - started
            done = max(run.step / recipe.steps, run.spent_s / 60.0 / recipe.minutes)
            if done >= 1.0:
                break
            losses.append(run.advance(stream.batch(), done))
            bar.update()
            if run.step % 50 == 0:
                row = {"step": run.step, "minutes": round(run.spent_s / 60.0, 2), "loss": round(float(np.mean(losses[-50:])), 4)}
                log.write(json.dumps(row) + "\n")
                log.flush()
                bar.set_postfix(loss=row["loss"])
            if run.step % recipe.checkpoint_every == 0:
                run.save(out)
    run.save(out)
    return _finish(run, validation, out)


def _finish(run: _Run, validation: Sequence[Path], out: Path) -> StateReader:
    network = StateNetwork()
    network.load_state_dict(run.average, strict=False)
    reader = StateReader(network)
    reader.card = {
        "name": "states",
        "parameters": sum(p.numel() for p in network.parameters()),
        "recipe": run.recipe.model_dump(mode="json"),
        "steps": run.step,
        "samples": run.step * run.recipe.batch_size,
        "minutes": round(run.spent_s / 60.0, 1),
    }
    if validation:
        reader.card["right"] = measure_states(reader, StateCases(validation, 1 << 30).cases)
    reader.save(out, reader.card)
    return reader


def measure_states(reader: StateReader, cases: Sequence[StateCase], *, seed: int = 1) -> dict[str, dict[str, float]]:
    """Of readable cases in boxes that are a little off (the jitter of training): the shares told right, by kind."""
    rng, jitter = np.random.default_rng(seed), StateJitter()
    right: dict[str, list[bool]] = {}
    for case in cases:
        if not case.readable:
            continue
        view = jittered_view(rng, case.box, jitter)
        x, y = view.center
        half = view.side / 2.0 / reader.side_of_box
        (seen,) = reader.read_states(case.image, [(x - half, y - half, x + half, y + half)])
        right.setdefault("kind", []).append(seen.kinds.argmax() == case.kind)
        if case.kind == LAMP:
            right.setdefault("color", []).append(seen.colors.argmax() == case.color)
        elif case.kind == SELECTOR:
            right.setdefault("position", []).append(seen.positions.argmax() == case.position)
    return {name: {"count": len(found), "right": round(float(np.mean(found)), 4)} for name, found in right.items()}
