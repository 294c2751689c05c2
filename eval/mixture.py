"""What photo-real pictures are worth in training: the same few further steps with and without them.

Both runs start from the same weights and see as many pictures; of the second, half were drawn by Blender. Each is scored on
held-out pictures of either renderer, apart, and so are the weights that they started from.

    python -m eval.mixture WEIGHTS OUT --flat DIR --blender DIR --held-out-flat DIR --held-out-blender DIR [--steps N]
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from eval.score import EvalError, Number
from vision.dataset import Pictures, validation_views
from vision.donut import DonutConfig, GaugeDonut, load
from vision.fields import Contract
from vision.progress import evaluate
from vision.recipe import TrainingRecipe
from vision.targets import ChoiceTable
from vision.training import train

TABLE_FILE = "mixture.json"
BEFORE, FLAT, MIXED = "before", "flat alone", "flat and Blender"


class MixtureRow(Contract):
    """One run on the held-out pictures of one renderer; errors in degrees, shares in [0, 1], points in parts of the view."""

    run: str
    held_out: str
    pictures: int
    needle_median_deg: Number
    points_needle_median_deg: Number
    points_needle_within_5_deg: Number
    class_accuracy: Number
    character_accuracy: Number
    tip_error: Number
    box_recall: Number


class MixtureTable(Contract):
    """All runs after the same number of steps from the same weights."""

    weights: str
    steps: int
    image_size: int
    pictures_of_a_run: int
    rows: tuple[MixtureRow, ...]


def run_mixture(
    weights: Path,
    out: Path,
    flat: Path,
    blender: Path,
    held_out: Mapping[str, Path],
    *,
    steps: int = 150,
    image_size: int = 192,
    batch_size: int = 32,
    seed: int = 0,
    threads: int = 1,
) -> MixtureTable:
    """Train both runs below `out` and score them on each of the `held_out` folders; the table is written there too.

    `flat` must hold twice as many pictures as `blender`: the run without Blender's sees as many different ones. Raises
    EvalError where it does not.
    """
    photo_real, plain = len(Pictures([blender])), len(Pictures([flat]))
    if plain < 2 * photo_real or not photo_real:
        raise EvalError(f"{flat} has {plain} pictures: twice as many as {blender} ({photo_real}) are needed, and one at least")
    model = load(weights)
    config = model.config
    rows = _scores(BEFORE, model, held_out, image_size)
    half, whole = _part(flat, photo_real, out / "flat_half"), _part(flat, 2 * photo_real, out / "flat_whole")
    for name, folders in ((FLAT, [whole]), (MIXED, [half, blender])):
        recipe = _recipe(name, weights, config, folders, (steps, image_size, batch_size), seed, threads)
        run = train(recipe, folders, [next(iter(held_out.values()))], out / name.replace(" ", "_"))
        rows += _scores(name, load(run), held_out, image_size)
    table = MixtureTable(
        weights=weights.name, steps=steps, image_size=image_size, pictures_of_a_run=2 * photo_real, rows=tuple(rows)
    )
    (out / TABLE_FILE).write_text(table.model_dump_json(indent=1), encoding="utf-8")
    return table


def _part(folder: Path, count: int, out: Path) -> Path:
    """The first pictures of a dataset as a dataset of its own."""
    out.mkdir(parents=True, exist_ok=True)
    lines = (folder / "metadata.jsonl").read_text(encoding="utf-8").splitlines()[:count]
    for line in lines:
        name = json.loads(line)["file_name"]
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, out / name)
    (out / "metadata.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return out


def _recipe(
    name: str,
    weights: Path,
    config: DonutConfig,
    folders: Sequence[Path],
    stage: tuple[int, int, int],
    seed: int,
    threads: int,
) -> TrainingRecipe:
    steps, image_size, batch_size = stage
    values: dict[str, Any] = {
        "name": name,
        "init": str(weights),
        "model": config,
        "data": [{"recipe": folder.name, "count": 1, "seed": 0, "folder": str(folder)} for folder in folders],
        "stages": [{"image_size": image_size, "steps": steps, "batch_size": batch_size}],
        # Further training: slow enough that a few hundred pictures do not undo what many thousands taught.
        "optimizer": {"stem_lr": 1e-4, "lr": 2e-4, "warmup_steps": max(1, steps // 10), "frozen_blocks": 3, "ema_decay": 0.97},
        "watch": {"log_every": 10, "evaluate_every": steps, "checkpoint_every": steps},
        "seed": seed,
        "threads": threads,
    }
    return TrainingRecipe.model_validate(values)


@torch.inference_mode()
def _scores(run: str, model: GaugeDonut, held_out: Mapping[str, Path], image_size: int) -> list[MixtureRow]:
    rows = []
    for name, folder in held_out.items():
        pictures = Pictures([folder])
        metrics = evaluate(model.eval(), validation_views(pictures, image_size), ChoiceTable(), torch.device("cpu"))
        known = {field: getattr(metrics, field) for field in MixtureRow.model_fields if hasattr(metrics, field)}
        rows.append(MixtureRow(run=run, held_out=name, pictures=len(pictures), **known))
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Command line of the module."""
    parser = argparse.ArgumentParser(description="Further training with and without photo-real pictures.")
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    for name in ("flat", "blender", "held-out-flat", "held-out-blender"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--image-size", type=int, default=192)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(argv)
    held_out = {"flat": options.held_out_flat, "Blender": options.held_out_blender}
    table = run_mixture(
        options.weights,
        options.out,
        options.flat,
        options.blender,
        held_out,
        steps=options.steps,
        image_size=options.image_size,
        batch_size=options.batch_size,
        threads=options.threads,
    )
    for row in table.rows:
        print(row.model_dump_json())


if __name__ == "__main__":
    main()
