"""Training of the state reader: dataset folders become weights, with a log, a checkpoint and the shares read right."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from vision.half import computes_in_half
from vision.recipe import RECIPES, read_recipe, recipe_path
from vision.small_training import CheckpointError, SmallRecipe, SmallRun
from vision.state_data import (
    LAMP,
    SELECTOR,
    StateCase,
    StateCases,
    StateExample,
    StateOptions,
    StateStream,
    jittered_view,
)
from vision.state_network import ANGLES, STATE_KINDS, StateNetwork, StateOutput, to_network
from vision.state_reader import StateReader, StateWeightsError
from vision.state_wear import StateJitter

MARK_WIDTH_DEG = 6.0
"""Deviation of the soft bins of directions."""
RATE_FLOOR = 0.01
MOST_MEASURED = 1500
"""Cases of each kind that the card's shares are measured on: of what is neither there are many times as many."""
STATE_RECIPES = RECIPES / "states"


class StateRecipe(SmallRecipe, StateOptions):
    """All that decides a training run of a state reader; `init` may also be `shipped`.

    With `near_frozen` the first layers stay as they are, which spares a third of the time.
    """

    reader: Literal["states"] = "states"
    steps: Annotated[int, Field(ge=1)] = 6000
    weight_decay: float = 0.03
    minutes: Annotated[float, Field(gt=0)] = 25.0
    checkpoint_every: Annotated[int, Field(ge=1)] = 400
    near_frozen: bool = False


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


def train_states(
    recipe: StateRecipe, data: Sequence[Path], validation: Sequence[Path], out: Path, *, resume: bool = False
) -> StateReader:
    """Train on dataset folders, at most `recipe.minutes`; weights, card and `log.jsonl` are written to `out`.

    With `resume` the run in `out` goes on. Raises StateWeightsError where it has no checkpoint, or another network's.
    """
    torch.manual_seed(recipe.seed)
    out.mkdir(parents=True, exist_ok=True)
    network = _first_network(recipe)
    run = SmallRun(network, recipe, RATE_FLOOR)
    if recipe.near_frozen:
        network.near.requires_grad_(False).eval()
    if resume:
        try:
            run.resume(out)
        except CheckpointError as error:
            raise StateWeightsError(str(error)) from error
    stream = StateStream(StateCases(data, recipe.most_lamps), recipe, recipe.seed + run.step)

    def loss() -> Tensor:
        examples = stream.batch()
        crops = to_network(torch.from_numpy(np.stack([one.crop for one in examples])))
        with torch.autocast("cpu", torch.bfloat16, enabled=recipe.bfloat16 and computes_in_half("cpu")):
            output: StateOutput = network(crops)
        return state_loss(output, examples)

    run.train(loss, out, every=recipe.checkpoint_every, save=lambda: run.save_checkpoint(out))
    run.save_checkpoint(out)
    return _finish(run, recipe, validation, out)


def _first_network(recipe: StateRecipe) -> StateNetwork:
    first = None if recipe.init is None else StateReader.load(None if recipe.init == "shipped" else Path(recipe.init))
    network = StateNetwork() if first is None else first.network
    channels_last: StateNetwork = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return channels_last


def _finish(run: SmallRun, recipe: StateRecipe, validation: Sequence[Path], out: Path) -> StateReader:
    network = StateNetwork()
    network.load_state_dict(run.average, strict=False)
    reader = StateReader(network)
    reader.card = run.card("states", recipe.batch_size)
    if validation:
        reader.card["right"] = measure_states(reader, StateCases(validation, 1 << 30).cases)
    reader.save(out, reader.card)
    return reader


def measure_states(reader: StateReader, cases: Sequence[StateCase], *, seed: int = 1) -> dict[str, dict[str, float]]:
    """Of readable cases in boxes that are a little off (the jitter of training): the shares told right, by kind."""
    rng, jitter = np.random.default_rng(seed), StateJitter()
    right: dict[str, list[bool]] = {}
    left = dict.fromkeys(range(len(STATE_KINDS)), MOST_MEASURED)
    for case in cases:
        if not case.readable or not left[case.kind]:
            continue
        left[case.kind] -= 1
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
