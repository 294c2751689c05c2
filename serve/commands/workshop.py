"""What the command line makes and measures: data sets, trained readers, scorecards."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from vision.samples import METADATA_NAME

if TYPE_CHECKING:
    from vision.recipe import DataPart

MOST_ON_SHEET = 300
VALIDATION_SEED = 1_500_000_000
"""First seed of the pictures that a training is watched with: in the evaluation range, away from where tests begin."""


def draw_dataset(
    recipe: str,
    *,
    count: int,
    seed: int,
    out: Path,
    workers: int = 1,
    renderer: Literal["flat", "blender"] = "flat",
    backgrounds: Path | None = None,
) -> str:
    """Draw a dataset folder and say where it is. Seeds from 10**9 on make evaluation data."""
    from synth.factory import FactoryOptions, build_dataset
    from synth.sampler import EVALUATION_SEED

    options = FactoryOptions(
        evaluation=seed >= EVALUATION_SEED, renderer=renderer, backgrounds=backgrounds, home=_blender_home(renderer)
    )
    folder = build_dataset(recipe, seed, count, out, workers=workers, options=options)
    what = f"{count} pictures with seeds {seed} to {seed + count - 1}" if count > 1 else f"1 picture with seed {seed}"
    return f"{what} in {folder}"


def draw_sheet(
    recipe: str,
    *,
    count: int,
    seed: int,
    sheet: Path,
    renderer: Literal["flat", "blender"] = "flat",
    backgrounds: Path | None = None,
) -> str:
    """Draw a contact sheet of `count` pictures with their truth on top and say where it is."""
    from itertools import islice

    from synth.sheet import write_sheet
    from synth.stream import scene_stream

    check_sheet(sheet, count)
    stream = scene_stream(recipe, seed, renderer, backgrounds=backgrounds, home=_blender_home(renderer))
    write_sheet(sheet, ((one.picture, one.truth, f"seed {one.seed}") for one in islice(stream, count)))
    return f"A sheet of {count} picture{'s' if count > 1 else ''} in {sheet}"


def check_sheet(sheet: Path, count: int) -> None:
    """Raise FactoryError where a sheet could not be written or nobody could look at it, before anything is drawn."""
    from synth.errors import FactoryError
    from synth.sheet import check_sheet_name

    check_sheet_name(sheet)
    if count > MOST_ON_SHEET:
        raise FactoryError(
            f"a sheet shows at most {MOST_ON_SHEET} pictures, not {count}: lower --count, or write a data set (--out)"
        )


def ready_blender() -> str:
    """Install Blender's Python module into its own environment below the home folder, or find it there."""
    from serve.settings import load_settings
    from synth.blender import prepare_blender

    return f"Blender's environment is ready: {prepare_blender(load_settings().home.resolve())}"


def _blender_home(renderer: str) -> Path | None:
    if renderer != "blender":
        return None
    from serve.settings import load_settings

    return load_settings().home.resolve()


def train_reader(recipe: str, *, out: Path, resume: bool, overrides: list[str], workers: int = 1) -> str:
    """Draw the pictures that a training recipe asks for, where they are not there yet, and train on them.

    Pictures lie below `home` and serve the next run too. Says where the weights are.
    """
    from eval.card import finish_weights
    from serve.settings import load_settings
    from vision.recipe import load_recipe
    from vision.training import train

    chosen = load_recipe(recipe, overrides)
    home = load_settings().home / "datasets"
    data = [
        Path(part.folder) if part.folder else _drawn(home, part.recipe, part.seed, part.count, workers) for part in chosen.data
    ]
    watched = dict.fromkeys(part.recipe for part in chosen.data)
    validation = [_drawn(home, name, VALIDATION_SEED, chosen.validation.count, workers) for name in watched]
    weights = train(chosen, data, validation, out, resume=resume)
    finish_weights(weights, validation, validation, name=chosen.name)
    return f"Weights, confidences and model card in {weights}"


def train_small_reader(recipe: str, *, out: Path, resume: bool = False, workers: int = 1) -> str:
    """Draw the pictures that a recipe of a line or state reader asks for, where they are not there yet, and train on them.

    Says where the weights are and how much of what was held out they read exactly.
    """
    from vision.state_training import is_state_recipe

    return _train_states(recipe, out, resume, workers) if is_state_recipe(recipe) else _train_lines(recipe, out, resume, workers)


def _train_lines(recipe: str, out: Path, resume: bool, workers: int) -> str:
    from vision.line_training import load_line_recipe, train_lines
    from vision.recipe import RecipeError

    if resume:
        raise RecipeError(f"the training of lines that {recipe!r} asks for keeps no checkpoint: leave --resume out")
    chosen = load_line_recipe(recipe)
    reader = train_lines(chosen, _folders(chosen.data, workers), _folders(chosen.validation, workers), out)
    exact = ", ".join(f"{kind} {found['exact']:.1%}" for kind, found in reader.card.get("exact_lines", {}).items())
    return f"Weights of a line reader in {out}" + (f"; exact: {exact}" if exact else "")


def _train_states(recipe: str, out: Path, resume: bool, workers: int) -> str:
    from vision.state_training import load_state_recipe, train_states

    chosen = load_state_recipe(recipe)
    reader = train_states(chosen, _folders(chosen.data, workers), _folders(chosen.validation, workers), out, resume=resume)
    right = ", ".join(f"{name} {found['right']:.1%}" for name, found in reader.card.get("right", {}).items())
    return f"Weights of a state reader in {out}" + (f"; right: {right}" if right else "")


def _folders(parts: Sequence[DataPart], workers: int) -> list[Path]:
    """The dataset folders of a recipe's parts, drawn where they are missing."""
    from serve.settings import load_settings

    home = load_settings().home / "datasets"
    return [Path(part.folder) if part.folder else _drawn(home, part.recipe, part.seed, part.count, workers) for part in parts]


def _drawn(home: Path, recipe: str, seed: int, count: int, workers: int) -> Path:
    """The dataset folder of a synth recipe, drawn or completed. Its name follows from what decides the pictures."""
    from synth.recipe import load_recipe

    content = hashlib.sha256(load_recipe(recipe).model_dump_json().encode()).hexdigest()[:8]
    folder = home / f"{Path(recipe).stem}-{content}-{seed}-{count}"
    draw_dataset(recipe, count=count, seed=seed, out=folder, workers=workers)
    return folder


def score_dataset(dataset: Path, *, weights: str | None, limit: int | None, as_json: bool) -> str:
    """Score what `gauge read` gives on a dataset folder (`metadata.jsonl`) or on labelled photos (`labels.csv`).

    Raises SampleError or EvalError where the folder is neither.
    """
    from eval.labels import LABELS_NAME
    from eval.photos import evaluate_photos
    from eval.readings import evaluate_dataset
    from eval.tables import photos_markdown, scorecard_markdown
    from serve.service import open_service

    service = open_service(weights=weights)
    if (dataset / LABELS_NAME).is_file() and not (dataset / METADATA_NAME).is_file():
        photos = evaluate_photos(dataset, service, limit=limit)
        return photos.model_dump_json() if as_json else photos_markdown(photos)
    card = evaluate_dataset(dataset, service, limit=limit)
    return card.model_dump_json() if as_json else scorecard_markdown(card)


def score_by_group(
    dataset: Path, group: Literal["model", "kind"], *, weights: str | None, limit: int | None, out: Path | None, as_json: bool
) -> str:
    """Score a dataset folder by instrument model or kind; with `out` also as page, CSV and JSON in that folder.

    Raises SampleError or EvalError where the folder is no dataset with `metadata.jsonl`: hand labels name no model.
    """
    from eval.by_model import evaluate_by
    from eval.by_model_page import write_accuracy
    from eval.by_model_text import accuracy_markdown
    from serve.service import open_service

    if out is not None:
        out.mkdir(parents=True, exist_ok=True)  # Before the pictures are read, which takes a while.
    card = evaluate_by(dataset, open_service(weights=weights), group, limit=limit)
    written = write_accuracy(out, card) if out is not None else []
    if as_json:
        return card.model_dump_json()
    return accuracy_markdown(card) + "".join(f"\nWritten to {path}" for path in written)
