"""What the command line makes and measures: data sets, trained readers, scorecards."""

from __future__ import annotations

from pathlib import Path

from vision.samples import METADATA_NAME


def draw_dataset(recipe: str, *, count: int, seed: int, out: Path) -> str:
    """Draw a dataset folder and say where it is. Seeds from 10**9 on make evaluation data."""
    from synth.factory import FactoryOptions, build_dataset
    from synth.sampler import EVALUATION_SEED

    folder = build_dataset(recipe, seed, count, out, options=FactoryOptions(evaluation=seed >= EVALUATION_SEED))
    return f"{count} pictures with seeds {seed} to {seed + count - 1} in {folder}"


def train_reader(recipe: str, *, out: Path, resume: bool, overrides: list[str]) -> str:
    """Train by a recipe and say where the weights are."""
    from vision.training import train_from_recipe

    return f"Weights in {train_from_recipe(recipe, out, resume, overrides)}"


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
