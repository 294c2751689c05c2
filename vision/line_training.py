"""Training of the line reader: dataset folders become weights, with a log and the share of held-out lines read exactly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from vision.digit_reader import DigitReader, digits_of_lines
from vision.half import computes_in_half
from vision.line_data import KINDS, LineExample, LineOptions, LinePictures, LineStream
from vision.line_reader import CHARACTERS, SHIPPED_LINES, LineReader, encode_line, load_line_card, standardised
from vision.line_wear import LineJitter, jittered
from vision.recipe import RECIPES, read_recipe
from vision.small_training import SmallRecipe, SmallRun

RATE_FLOOR, SAVE_EVERY = 0.02, 250
READERS: dict[str, type[LineReader]] = {"lines": LineReader, "digits": DigitReader}


class LineRecipe(SmallRecipe, LineOptions):
    """All that decides a training run of a line reader; `init` may also be a shipped reader's name."""

    reader: Literal["lines", "digits"] = "lines"


def load_line_recipe(name: str) -> LineRecipe:
    """A recipe by name in `vision/recipes/lines/` or by path. Raises RecipeError naming what is wrong."""
    return read_recipe(LineRecipe, name, RECIPES / "lines", "recipe of a line reader")


def line_loss(
    network: nn.Module, examples: Sequence[LineExample], characters: str = CHARACTERS, *, bfloat16: bool = False
) -> Tensor:
    """Mean CTC loss of a batch of crops of one width."""
    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16 and computes_in_half("cpu")):
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
    network = _first_network(recipe)
    run = SmallRun(network, recipe, RATE_FLOOR)

    def loss() -> Tensor:
        return line_loss(network, stream.batch(), kind.characters, bfloat16=recipe.bfloat16)

    run.train(loss, out, every=SAVE_EVERY, save=lambda: _save(run, recipe, out, None))
    return _save(run, recipe, out, held_out)


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


def _save(run: SmallRun, recipe: LineRecipe, out: Path, held_out: LinePictures | None) -> LineReader:
    kind = READERS[recipe.reader]
    network = kind.network_type()
    network.load_state_dict(run.average)
    reader = kind(network)
    card = run.card(recipe.reader, recipe.batch_size)
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
