"""Lamps: lit looks lit and off looks off under every exposure; colours keep their names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from synth.devices import LampSpec
from synth.sample_other import LENSES, sample_lamp
from synth.scene import Camera
from tests.synth.device_scenes import SIZE, frontal, picture

RADIUS = 120.0
STYLES = ("dome", "led", "flat", "stack", "ring")


def ring_of(image: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Pixels between two radii in face units."""
    rows, columns = np.mgrid[0:SIZE, 0:SIZE]
    distance = np.hypot(rows - SIZE / 2, columns - SIZE / 2) * 100 / RADIUS
    return image[(distance >= low) & (distance < high)]


def lens_of(spec: LampSpec, image: NDArray[np.float64]) -> NDArray[np.float64]:
    return ring_of(image, 54, 74) if spec.style == "ring" else ring_of(image, 20, 0.9 * (100 - spec.ring))


def lamp(style: str, lens: str, lit: bool) -> LampSpec:
    color = LENSES[lens][0]  # type: ignore[index]
    return LampSpec(lens if lit else "off", color, 14, (150, 150, 150), square=style == "stack", style=style)  # type: ignore[arg-type]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("lens", ["red", "yellow", "green"])
@pytest.mark.parametrize("exposure", [0.45, 1.0, 1.9])
def test_lit_outshines_off_under_every_exposure(style: str, lens: str, exposure: float) -> None:
    camera = Camera(exposure=exposure)
    bright, dark = (
        lens_of(spec, picture(spec, camera, RADIUS)).max(axis=1).mean()
        for spec in (lamp(style, lens, True), lamp(style, lens, False))
    )
    assert bright > dark + 35
    assert bright > 1.4 * dark


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("exposure", [0.45, 1.0, 1.9])
def test_colours_keep_their_names(style: str, exposure: float) -> None:
    camera = Camera(exposure=exposure)
    for lens in ("red", "yellow", "green"):
        spec = lamp(style, lens, True)
        red, green, blue = lens_of(spec, picture(spec, camera, RADIUS)).mean(axis=0)
        if lens == "red":
            assert red > green + 25
            assert red > blue + 25
        elif lens == "green":
            assert green > red + 15
            assert green > blue + 10
        else:
            assert red > blue + 35
            assert green > blue + 20
            assert red >= green - 5


@pytest.mark.parametrize("style", ["dome", "led", "flat", "ring"])
def test_a_lit_lamp_lights_what_is_around_it(style: str) -> None:
    """The panel near a lit lamp takes on its colour; near one that is off it does not."""
    for lens, channel in (("red", 0), ("green", 1)):
        for lit in (True, False):
            image = picture(replace(lamp(style, lens, lit), glow=0.8), None, RADIUS)
            around = ring_of(image, 104, 122).mean(axis=0)
            tint = around[channel] - np.delete(around, channel).mean()
            assert (tint > 12) == lit, (style, lens, lit, tint)


def test_sampled_lamps_state_what_they_show() -> None:
    for seed in range(120):
        spec = sample_lamp(np.random.default_rng(seed))
        truth = frontal(spec, None, RADIUS).truth().instruments[0]
        assert truth.fields.warning_light_color == spec.state
        lit = replace(spec, state="red") if spec.state == "off" else spec
        if seed % 6 == 0 and spec.legend is None:
            bright, dark = (lens_of(s, picture(s, None, RADIUS)).max(axis=1).mean() for s in (lit, replace(spec, state="off")))
            assert bright > dark + 40, seed


def test_lamps_vary() -> None:
    found = [sample_lamp(np.random.default_rng(seed)) for seed in range(300)]
    assert {lamp.style for lamp in found} == set(STYLES)
    assert {lamp.state for lamp in found} == {"red", "yellow", "green", "off"}
    assert any(lamp.legend for lamp in found)
    assert any(lamp.clear for lamp in found)
    assert any(ord(c) > 0x2E80 for lamp in found for line in lamp.prints for c in line.text)
    assert 0.18 < sum(lamp.state == "off" for lamp in found) / len(found) < 0.36


def test_a_model_lamp_is_a_dome_with_its_name() -> None:
    spec = sample_lamp(np.random.default_rng(1), model="SP-3")
    assert (spec.model, spec.style, spec.prints[0].text) == ("SP-3", "dome", "SP-3")
