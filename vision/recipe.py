"""Training recipes: TOML files in `vision/recipes/`, or anywhere; an unknown key is an error."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from vision.augment import AugmentOptions
from vision.donut import DonutConfig
from vision.fields import Contract
from vision.losses import LossOptions

RECIPES = Path(__file__).parent / "recipes"
VALIDATION_SEED = 10**9

Schema = TypeVar("Schema", bound=BaseModel)


class RecipeError(ValueError):
    """A recipe that cannot be found or understood."""


class DataPart(Contract):
    """Pictures that a synth recipe draws; `folder` names a ready dataset folder instead."""

    recipe: str
    count: Annotated[int, Field(ge=1)]
    seed: Annotated[int, Field(ge=0)]
    folder: str | None = None


class Validation(Contract):
    """How many held-out pictures of each synth recipe the training is watched with."""

    count: Annotated[int, Field(ge=8)] = 400


class Stage(Contract):
    """Some steps at one image size."""

    image_size: Annotated[int, Field(ge=64, le=1280, multiple_of=32)]
    steps: Annotated[int, Field(ge=1)]
    batch_size: Annotated[int, Field(ge=2)] = 32


class OptimizerOptions(Contract):
    """AdamW with warm-up and cosine; the stem moves more slowly and its first blocks not at all."""

    stem_lr: float = 3e-4
    lr: float = 7e-4
    warmup_steps: int = 200
    weight_decay: float = 0.05
    clip: float = 1.0
    ema_decay: float = 0.998
    frozen_blocks: int = 3
    floor: float = 0.03


class Watch(Contract):
    """Logging, checkpoints and the alarm for a needle that stays at chance."""

    log_every: int = 50
    evaluate_every: int = 400
    checkpoint_every: int = 400
    alarm_after_samples: int = 30_000
    alarm_needle_deg: float = 60.0


class TrainingRecipe(Contract):
    """All that decides a training run; written resolved into the run's folder."""

    name: str
    init: str | None = None
    model: DonutConfig = DonutConfig()
    data: tuple[DataPart, ...]
    validation: Validation = Validation()
    stages: tuple[Stage, ...]
    optimizer: OptimizerOptions = OptimizerOptions()
    augment: AugmentOptions = AugmentOptions()
    loss: LossOptions = LossOptions()
    watch: Watch = Watch()
    seed: int = 0
    threads: int = 0


def load_recipe(name: str, overrides: Sequence[str] = ()) -> TrainingRecipe:
    """A recipe by name or path, with `key=value` or `section.key=value` overrides in TOML syntax.

    Raises RecipeError naming the recipe, and the key that is unknown or has a wrong value.
    """
    return read_recipe(TrainingRecipe, name, RECIPES, "training recipe", overrides)


def read_recipe(schema: type[Schema], name: str, folder: Path, what: str, overrides: Sequence[str] = ()) -> Schema:
    """What `schema` makes of a recipe, by its name in `folder` or by path; `what` is the sort of recipe, for messages.

    Raises RecipeError as `load_recipe` does.
    """
    path = recipe_path(name, folder)
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.toml")))
        raise RecipeError(f"no {what} {name!r}; known ones: {known}; or give the path of a .toml file")
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        for override in overrides:
            _apply(raw, override)
        return schema.model_validate({"name": path.stem, **raw})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise RecipeError(f"recipe {path}: {error}") from error


def recipe_path(name: str, folder: Path) -> Path:
    """Where a recipe lies that is given by its name in `folder` or by its path."""
    return Path(name) if name.endswith(".toml") else folder / f"{name}.toml"


def _apply(raw: dict[str, Any], override: str) -> None:
    key, equals, value = override.partition("=")
    if not equals:
        raise RecipeError(f"override {override!r} is not of the form key=value")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value
    *sections, last = key.strip().split(".")
    place = raw
    for section in sections:
        place = place.setdefault(section, {})
        if not isinstance(place, dict):
            raise RecipeError(f"override {override!r}: {section} is not a section")
    place[last] = parsed
