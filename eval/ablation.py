"""What each part of the training is worth: the same few steps from the same seed, with one part left out at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.score import EvalError
from vision.fields import Contract
from vision.recipe import TrainingRecipe
from vision.training import LOG_FILE, train

TABLE_FILE = "ablation.json"
NEVER = 10**12

VARIANTS: dict[str, dict[str, Any]] = {
    "all parts": {},
    "plain token cross-entropy": {"loss": {"mode": "token"}},
    "untrained stem": {"model": {"pretrained_stem": False}},
    "no dense targets": {"loss": {"dense": False}},
    "plain token cross-entropy, untrained stem, no dense targets": {
        "loss": {"mode": "token", "dense": False},
        "model": {"pretrained_stem": False},
    },
}
"""Name of a variant -> what it changes in the recipe."""


class AblationRow(Contract):
    """One variant on the held-out pictures; None where there was nothing of the kind.

    `needle_median_deg`: the angle token's (90 is chance). `points_error`: the median over the four points, in fractions
    of the view; without dense targets it is that of an untrained head.
    """

    variant: str
    samples: int
    seconds: float
    needle_median_deg: float | None
    needle_within_10_deg: float | None
    points_needle_median_deg: float | None
    class_accuracy: float | None
    character_accuracy: float | None
    points_error: float | None


class AblationTable(Contract):
    """All variants after the same number of steps."""

    steps: int
    image_size: int
    batch_size: int
    seed: int
    rows: tuple[AblationRow, ...]


def run_ablation(
    out: Path,
    data: Sequence[Path],
    validation: Sequence[Path],
    *,
    steps: int,
    image_size: int = 128,
    batch_size: int = 32,
    seed: int = 0,
    variants: Mapping[str, Mapping[str, Any]] = VARIANTS,
    model: Mapping[str, Any] | None = None,
    threads: int = 1,
) -> AblationTable:
    """Train each variant on dataset folders `data` and score it on `validation`; runs and `ablation.json` lie below `out`.

    A variant whose run has ended is not trained again. `model` changes the model's shape for all. Raises EvalError
    without data or variants, TrainingError where a loss explodes.
    """
    if not data or not validation or not variants:
        raise EvalError(f"{len(data)} data folders, {len(validation)} to validate on, {len(variants)} variants: each needs one")
    rows = []
    for number, (name, changes) in enumerate(variants.items()):
        recipe = _recipe(name, changes, data, steps, image_size, batch_size, seed, dict(model or {}), threads)
        run = out / f"{number}_{'_'.join(name.replace(',', '').split())}"
        if _finished(run, recipe) is None:
            (run / LOG_FILE).unlink(missing_ok=True)
            train(recipe, list(data), list(validation), run)
        row = _finished(run, recipe)
        if row is None:
            raise EvalError(f"the run in {run} has left no metrics of step {steps}")
        rows.append(_row(name, run, row))
    table = AblationTable(steps=steps, image_size=image_size, batch_size=batch_size, seed=seed, rows=tuple(rows))
    (out / TABLE_FILE).write_text(table.model_dump_json(indent=1), encoding="utf-8")
    return table


def _recipe(
    name: str,
    changes: Mapping[str, Any],
    data: Sequence[Path],
    steps: int,
    image_size: int,
    batch_size: int,
    seed: int,
    model: dict[str, Any],
    threads: int,
) -> TrainingRecipe:
    base: dict[str, Any] = {
        "name": name,
        "model": {**model, "image_size": image_size, **changes.get("model", {})},
        "data": [{"recipe": folder.name, "count": 1, "seed": 0, "folder": str(folder)} for folder in data],
        "stages": [{"image_size": image_size, "steps": steps, "batch_size": batch_size}],
        "optimizer": {"warmup_steps": max(1, min(100, steps // 10))},
        "loss": changes.get("loss", {}),
        # A variant that stays at chance is a result here, not an alarm.
        "watch": {"evaluate_every": steps, "checkpoint_every": steps, "alarm_after_samples": NEVER},
        "seed": seed,
        "threads": threads,
    }
    unknown = set(changes) - {"model", "loss"}
    if unknown:
        raise EvalError(f"variant {name!r} changes {', '.join(sorted(unknown))}; only model and loss can be changed")
    return TrainingRecipe.model_validate(base)


def _finished(run: Path, recipe: TrainingRecipe) -> dict[str, Any] | None:
    """The validation metrics of the last step of this very recipe, or None."""
    recipe_path, log = run / "recipe.json", run / LOG_FILE
    if not recipe_path.is_file() or not log.is_file():
        return None
    if TrainingRecipe.model_validate_json(recipe_path.read_text(encoding="utf-8")) != recipe:
        return None
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    done = [row for row in rows if row["kind"] == "validation" and row["step"] == recipe.stages[0].steps]
    return done[-1] if done else None


def _row(name: str, run: Path, metrics: Mapping[str, Any]) -> AblationRow:
    points = [_known(metrics[f"{point}_error"]) for point in ("tip", "pivot", "start", "end")]
    known = sorted(error for error in points if error is not None)
    state = json.loads((run / "state.json").read_text(encoding="utf-8"))
    return AblationRow(
        variant=name,
        samples=metrics["samples"],
        seconds=round(state["seconds"], 1),
        needle_median_deg=_known(metrics["needle_median_deg"]),
        needle_within_10_deg=_known(metrics["needle_within_10_deg"]),
        points_needle_median_deg=_known(metrics["points_needle_median_deg"]),
        class_accuracy=_known(metrics["class_accuracy"]),
        character_accuracy=_known(metrics["character_accuracy"]),
        points_error=(known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2 if known else None,
    )


def _known(value: float) -> float | None:
    return value if value == value else None  # NaN is not equal to itself


def ablation_markdown(table: AblationTable) -> str:
    """The table for a model card."""
    lines = [
        f"After {table.steps} steps of {table.batch_size} views at {table.image_size} px (seed {table.seed}), held-out pictures:",
        "",
        "| variant | needle median | within 10 degrees | by points | classes | characters | points' error |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in table.rows:
        cells = [
            _cell(row.needle_median_deg, "{:.1f}°"),
            _cell(row.needle_within_10_deg, "{:.0%}"),
            _cell(row.points_needle_median_deg, "{:.1f}°"),
            _cell(row.class_accuracy, "{:.0%}"),
            _cell(row.character_accuracy, "{:.0%}"),
            _cell(row.points_error, "{:.3f}"),
        ]
        lines.append(f"| {row.variant} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)
