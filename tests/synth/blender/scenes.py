"""Scenes with clear answers: one instrument, clean light, no camera."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth.blender.room import find_blender
from synth.devices import CounterSpec, DigitalSpec, DisplayRow, InstrumentSpec, LampSpec, SelectorSpec
from synth.errors import BlenderError
from synth.models import model_dial
from synth.scene import Background, Camera, GaugeScene, Light, Placed, Pose
from synth.spec import Case, DialSpec

HOME = Path(os.environ.get("GAUGE_HOME", Path(__file__).resolve().parents[3] / ".gauge"))
CASE = Case("square", 4.0, (60, 60, 64), "flat", 12.0, (40, 40, 42), recess=3.0)
FONT = "DejaVuSans.ttf"


def has_blender() -> bool:
    try:
        find_blender(HOME)
    except BlenderError:
        return False
    return True


needs_blender = pytest.mark.skipif(not has_blender(), reason=f"no Blender under {HOME}")


def red_dial(fraction: float = 0.3, height: float = 3.0) -> DialSpec:
    """A white dial whose needle is the only red thing."""
    spec = model_dial(np.random.default_rng(0), "BT-160", fraction, dark=False)
    needle = replace(
        spec.needle,
        color=(255, 0, 0),
        hub_color=(255, 0, 0),
        tail=0.0,
        tail_shape="none",
        shape="taper",
        width=6.0,
        tip_width=3.0,
    )
    needle = replace(needle, cap=0.0, height=height)
    return replace(spec, needle=needle, glass=0.0, prints=(), zones=(), hands=(), screws=(), face_color=(235, 235, 235))


def scene_of(spec: InstrumentSpec, pose: Pose, side: int = 192, seed: int = 7) -> GaugeScene:
    light = Light(shadow=0.1, softness=1.0, shade=0.0)
    return GaugeScene(side, side, seed, Background("plain", 4), (Placed(spec, pose),), light=light, camera=Camera())


def display(lit: bool = True) -> DigitalSpec:
    return DigitalSpec(
        CASE, (DisplayRow("12.5"),), (-70, -40, 70, 30), (8, 6, 6), (255, 40, 20), True, 0.1, 0.14, 0.02, 0.0, lit=lit
    )


def lamp(state: str) -> LampSpec:
    color = {"red": (205, 35, 35), "green": (40, 170, 70), "off": (205, 35, 35), "yellow": (240, 150, 30)}[state]
    return LampSpec(state, color, 18.0, (150, 150, 150))  # type: ignore[arg-type]


def counter() -> CounterSpec:
    return CounterSpec(CASE, "01234", 2, 0.0, (20, 20, 20), (240, 240, 240), (180, 30, 30), "m3", FONT)


def selector(position: int = 2) -> SelectorSpec:
    return SelectorSpec(
        (120.0, 180.0, 240.0), position, ("1", "2", "3"), 45.0, (25, 25, 25), (240, 240, 240), (190, 190, 190), (10, 10, 10),
        "pointer", True, FONT,
    )  # fmt: skip
