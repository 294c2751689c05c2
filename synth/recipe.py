"""Recipes: the sampler's settings as TOML inside the room. An unknown key is an error."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from synth.errors import RecipeError
from synth.scene import BackgroundStyle

Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0)]
Span = tuple[float, float]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PoseOptions(_Part):
    """Turns in degrees: most small and normal, a share wild and uniform."""

    tilt_std_deg: float = 9.0
    tilt_wild_share: Share = 0.2
    tilt_max_deg: Annotated[float, Field(gt=0, le=60)] = 55.0
    roll_std_deg: float = 4.0
    roll_wild_share: Share = 0.1
    roll_max_deg: float = 180.0
    quarter_turn_share: Share = 0.015


class DialOptions(_Part):
    """Shares of what dials have."""

    second_scale: Share = 0.5
    vacuum_side: Share = 0.08
    zones: Share = 0.28
    counter_clockwise: Share = 0.03
    nonlinear: Share = 0.05
    at_rest: Share = 0.15
    no_unit: Share = 0.10
    multiplier: Share = 0.08
    set_hand: Share = 0.13
    odd_gap: Share = 0.10
    dark_face: Share = 0.18
    third_scale: Share = 0.2
    rails: Share = 0.12


class WearOptions(_Part):
    glare: Share = 0.5
    flash: Share = 0.08
    cast_shadow: Share = 0.12
    dirt: Share = 0.2
    scratches: Share = 0.12
    fog: Share = 0.05
    yellowing: Share = 0.08
    liquid: Share = 0.1
    fingers: Share = 0.03
    veil: Share = 0.14
    ring: Share = 0.03
    falloff: Share = 0.22
    dust: Share = 0.1
    drops: Share = 0.03
    rust: Share = 0.08
    oil: Share = 0.04
    paint: Share = 0.03


class CameraOptions(_Part):
    blur: Share = 0.22
    motion: Share = 0.04
    low_resolution: Share = 0.15
    noise: Share = 0.45
    jpeg: Share = 0.7
    gray: Share = 0.06
    dark: Share = 0.035
    bright: Share = 0.06
    color_cast: Share = 0.25
    overlay: Share = 0.045
    defocus: Share = 0.5
    distortion: Share = 0.25
    spin: Share = 0.01
    infrared: Share = 0.03
    interlace: Share = 0.02
    double_jpeg: Share = 0.12
    rain: Share = 0.015
    moire: Share = 0.02
    banding: Share = 0.02
    hdr: Share = 0.06
    grid: Share = 0.015
    haze: Share = 0.05


class Recipe(_Part):
    """One kind of data set. `fill` is the instrument's extent across as a fraction of the picture's side."""

    name: str
    layout: Literal["close", "scene", "panel"]
    size: Annotated[int, Field(ge=64, le=2048)] = 384
    fill: Span = (0.55, 0.95)
    empty_share: Share = 0.02
    model_share: Share = 0.10
    count_weights: tuple[Weight, ...] = (1.0,)
    group_share: Share = 0.0
    systematic: bool = False
    cluster_share: Share = 0.0
    kinds: dict[Literal["dial", "digital", "lamp", "selector", "counter"], Weight]
    dial_styles: dict[
        Literal[
            "pressure",
            "thermometer",
            "transformer",
            "panel",
            "quadrant",
            "edge",
            "automotive",
            "wild",
            "compound",
            "vacuum",
            "differential",
            "contact",
            "status",
            "hygrometer",
            "barometer",
            "airspeed",
            "oven",
            "moving_iron",
            "flow",
            "logarithmic",
            "speedometer",
            "tachometer",
            "level",
            "gas",
        ],
        Weight,
    ]
    backgrounds: dict[BackgroundStyle, Weight]
    pose: PoseOptions = PoseOptions()
    dial: DialOptions = DialOptions()
    wear: WearOptions = WearOptions()
    camera: CameraOptions = CameraOptions()

    @model_validator(mode="after")
    def _weights_add_up(self) -> Recipe:
        for name in ("kinds", "dial_styles", "backgrounds"):
            if not sum(getattr(self, name).values()) > 0:
                raise ValueError(f"{name} needs at least one weight above 0")
        if self.systematic and self.layout != "panel":
            raise ValueError(f"systematic needs the layout 'panel', got {self.layout!r}")
        if not 0 < self.fill[0] <= self.fill[1] <= 1.2:
            raise ValueError(f"fill must be an increasing pair in (0, 1.2], got {self.fill}")
        return self


def recipe_names() -> tuple[str, ...]:
    """Names of the recipes that ship with the room."""
    folder = files("synth") / "recipes"
    return tuple(sorted(p.name.removesuffix(".toml") for p in folder.iterdir() if p.name.endswith(".toml")))


def load_recipe(name_or_path: str | Path) -> Recipe:
    """A recipe by name or by the path of a TOML file. Raises RecipeError saying what is wrong with it."""
    text = str(name_or_path)
    if text in recipe_names():
        source = (files("synth") / "recipes" / f"{text}.toml").read_text(encoding="utf-8")
    elif Path(text).is_file():
        try:
            source = Path(text).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RecipeError(f"recipe {text!r} cannot be read as UTF-8 text: {error}") from error
    else:
        raise RecipeError(f"no recipe {text!r}: neither a file nor one of {', '.join(recipe_names())}")
    try:
        return Recipe.model_validate(tomllib.loads(source))
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"recipe {text!r} is not TOML: {error}") from error
    except ValidationError as error:
        raise RecipeError(f"recipe {text!r}, {_first_fault(error)}") from error


def _first_fault(error: ValidationError) -> str:
    """Key, value and what is wrong with it, of the first of a recipe's faults."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "[key]")
    if first["type"] == "extra_forbidden":
        return f"key {where!r} is not known: remove it or correct its spelling"
    if first["type"] == "missing":
        return f"key {where!r} is missing"
    message = first["msg"].removeprefix("Value error, ")
    return f"key {where!r}: {message}, got {first['input']!r}" if where else message
