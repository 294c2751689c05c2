"""Training of the line reader: dataset folders become weights, with a log and the share of held-out lines read exactly."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn
from tqdm import tqdm

from vision.digit_reader import DigitReader, digits_of_lines
from vision.line_data import KINDS, LineExample, LineOptions, LinePictures, LineStream
from vision.line_reader import CHARACTERS, SHIPPED_LINES, LineReader, encode_line, load_line_card, standardised
from vision.line_wear import LineJitter, jittered
from vision.recipe import RECIPES, DataPart, read_recipe

READERS: dict[str, type[LineReader]] = {"lines": LineReader, "digits": DigitReader}


class LineRecipe(LineOptions):
    """All that decides a training run of a line reader; `init` is a folder of weights to go on from, or a shipped one's name.

    `bfloat16` computes in half the bits, which is three times as fast on processors that have it and slower on others.
    """

    name: str
    reader: Literal["lines", "digits"] = "lines"
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


def load_line_recipe(name: str) -> LineRecipe:
    """A recipe by name in `vision/recipes/lines/` or by path. Raises RecipeError naming what is wrong."""
    return read_recipe(LineRecipe, name, RECIPES / "lines", "recipe of a line reader")


def line_loss(
    network: nn.Module, examples: Sequence[LineExample], characters: str = CHARACTERS, *, bfloat16: bool = False
) -> Tensor:
    """Mean CTC loss of a batch of crops of one width."""
    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
        scores = network(standardised([example.crop for example in examples]))  # (B, T, C)
    lengths = torch.tensor([len(example.text) for example in examples])
    targets = torch.tensor([code for example in examples for code in encode_line(example.text, characters)], dtype=torch.long)
    steps = torch.full((len(examples),), scores.shape[1], dtype=torch.long)
    losses = nn.functional.ctc_loss(scores.transpose(0, 1), targets, steps, lengths, reduction="none", zero_infinity=True)
    return losses.mean()


def train_lines(recipe: LineRecipe, data: Sequence[Path], validation: Sequence[Path], out: Path) -> LineReader:
    """Train on dataset folders, at most `recipe.minutes`; the weights, their card and `log.jsonl` are written to `out`."""
    torch.manual_seed(recipe.seed)
    out.mkdir(parents=True, exist_ok=True)
    kind = READERS[recipe.reader]
    pictures = LinePictures(data, recipe.min_height_px, kind.shape, kind.characters)
    held_out = LinePictures(validation, recipe.min_height_px, kind.shape, kind.characters) if validation else None
    stream = LineStream(pictures, recipe, recipe.seed)
    network = _first_network(recipe).train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=recipe.lr, betas=(0.9, 0.98), weight_decay=recipe.weight_decay)
    average = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
    started, losses = time.perf_counter(), []
    step = 0
    with (out / "log.jsonl").open("w", encoding="utf-8") as log, tqdm(total=recipe.steps, unit="step") as bar:
        while step < recipe.steps:
            minutes = (time.perf_counter() - started) / 60.0
            done = max(step / recipe.steps, minutes / recipe.minutes)
            if done >= 1.0:
                break
            rate = recipe.lr * min(1.0, (step + 1) / recipe.warmup_steps) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))
            for group in optimizer.param_groups:
                group["lr"] = rate
            loss = line_loss(network, stream.batch(), kind.characters, bfloat16=recipe.bfloat16)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 2.0)
            optimizer.step()
            step += 1
            _follow(average, network, min(0.995, (1 + step) / (10 + step)))
            losses.append(float(loss.detach()))
            bar.update()
            if step % 50 == 0:
                row = {"step": step, "minutes": round(minutes, 2), "loss": round(float(np.mean(losses[-50:])), 4)}
                log.write(json.dumps(row) + "\n")
                log.flush()
                bar.set_postfix(loss=row["loss"])
            if step % 250 == 0:
                _save(average, recipe, step, started, out, None)
    return _save(average, recipe, step, started, out, held_out)


def _first_network(recipe: LineRecipe) -> nn.Module:
    """A fresh network, or that of `init`; a digit reader may begin as the line reader that `init` holds."""
    kind = READERS[recipe.reader]
    if recipe.init is None:
        return kind.network_type()
    folder = Path(recipe.init)
    folder = folder if folder.is_dir() else SHIPPED_LINES.parent / recipe.init
    if kind is DigitReader and load_line_card(folder).get("characters") != kind.characters:
        return digits_of_lines(LineReader.load(folder)).network
    return kind.load(folder).network


def _follow(average: dict[str, Tensor], network: nn.Module, decay: float) -> None:
    for name, tensor in network.state_dict().items():
        if tensor.is_floating_point():
            average[name].lerp_(tensor.detach(), 1.0 - decay)
        else:
            average[name].copy_(tensor)


def _save(
    average: dict[str, Tensor], recipe: LineRecipe, step: int, started: float, out: Path, held_out: LinePictures | None
) -> LineReader:
    kind = READERS[recipe.reader]
    network = kind.network_type()
    network.load_state_dict(average)
    reader = kind(network)
    card: dict[str, object] = {
        "name": recipe.reader,
        "parameters": sum(p.numel() for p in network.parameters()),
        "recipe": recipe.model_dump(mode="json"),
        "steps": step,
        "samples": step * recipe.batch_size,
        "minutes": round((time.perf_counter() - started) / 60.0, 1),
    }
    if held_out is not None:
        card["exact_lines"] = measure_lines(reader, held_out, nothing=min(500, 20 * len(held_out.images)))
    reader.save(out, card)
    reader.card = card
    return reader


def measure_lines(
    reader: LineReader, pictures: LinePictures, *, seed: int = 1, nothing: int = 500
) -> dict[str, dict[str, float]]:
    """Share of lines read exactly, by kind, at places that are a little off (half the jitter of training)."""
    rng = np.random.default_rng(seed)
    mild = LineJitter(height_low=0.85, height_high=1.25, along=0.15, across=0.08, angle_deg=2.5)
    result: dict[str, dict[str, float]] = {}
    for kind in KINDS:
        if kind == "nothing":
            cases = [(*pictures.empty_place(rng), "") for _ in range(nothing)]
        else:
            lines = [line for line in pictures.lines if line.kind == kind]
            cases = [(line.picture, jittered(rng, line.place, mild, sure=kind != "numeral"), line.text) for line in lines]
        right = 0
        for picture, place, text in cases:
            right += reader.read_lines(pictures.images[picture], [place])[0].text == text
        if cases:
            result[kind] = {"count": len(cases), "exact": round(right / len(cases), 4)}
    return result
