"""Every text that a sampler puts on a display can be written there, in each style of its digits."""

from __future__ import annotations

import string
from dataclasses import replace

import numpy as np
import pytest

from synth.devices import DigitalSpec, DisplayRow
from synth.display import POINTS, lines, shown_text
from synth.errors import SpecError
from synth.flat.pen import Pen
from synth.flat.segments import DOTS, LIT, LIT14, draw_dots, draw_segments, unwritable
from synth.recipe import load_recipe
from synth.sample_display import LEADS, STATUSES
from synth.sampler import scene_of_seed
from synth.spec import DialSpec

EVERY = string.digits + "-+ "
STYLES = {"seven": LIT, "fourteen": LIT14, "dots": DOTS}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("text", [EVERY, *STATUSES, *LEADS, "OL", "-OL", "Lo"])
def test_all_signs_are_there(style: str, text: str) -> None:
    assert unwritable(text, style) == ""


@pytest.mark.parametrize("style", STYLES)
def test_digits_look_different_from_each_other(style: str) -> None:
    glyphs = [STYLES[style][digit] for digit in string.digits]  # type: ignore[index]
    assert len(set(glyphs)) == 10


def test_a_typeface_writes_everything() -> None:
    assert unwritable("mA·h √", "type") == ""


def test_a_sign_without_glyph_is_named() -> None:
    pen = Pen(64, 64)
    with pytest.raises(SpecError, match=r"'@'.*12@"):
        draw_segments(pen, "12@", 0, 0, 20, 0.1, 0.01, 0.0, (0, 0, 0), 1.0)
    with pytest.raises(SpecError, match=r"'Z'.*Z1"):
        draw_dots(pen, "Z1", 0, 0, 20, (0, 0, 0), 1.0)
    assert unwritable("1@Z.,", "dots") == "@Z"


def texts_of(spec: object) -> list[tuple[str, str]]:
    """(text, style of its digits) of all that a spec's displays show."""
    if isinstance(spec, DigitalSpec):
        whole = [(shown_text(row), spec.digit_style) for row in spec.rows]
        return [*whole, *((line.text, spec.digit_style) for line in lines(spec))]
    if isinstance(spec, DialSpec) and spec.inner is not None:
        return [(spec.inner.digits, "seven")]
    return []


@pytest.mark.parametrize("name", ["close", "scene", "print_displays"])
def test_what_samplers_show_can_be_written(name: str) -> None:
    recipe = load_recipe(name)
    recipe = recipe.model_copy(update={"kinds": {"digital": 1.0}, "cluster_share": 0.3 if name == "scene" else 0.0})
    shown = [pair for seed in range(120) for one in scene_of_seed(seed, recipe).instruments for pair in texts_of(one.spec)]
    assert len({style for _, style in shown}) == 4
    assert [pair for pair in shown if unwritable(*pair)] == []


def test_a_display_that_shows_no_number_has_no_value() -> None:
    recipe = load_recipe("close").model_copy(update={"kinds": {"digital": 1.0}, "model_share": 0.0, "empty_share": 0.0})
    silent = 0
    for seed in range(150):
        scene = scene_of_seed(seed, recipe)
        for placed, truth in zip(scene.instruments, scene.truth().instruments, strict=True):
            spec = placed.spec
            if not isinstance(spec, DigitalSpec) or (spec.lit and spec.main is not None):
                continue
            silent += 1
            assert truth.value is truth.value_low is truth.value_high is truth.fields.digital_readout is None
            assert not truth.readable
    assert silent > 5


def test_a_code_is_no_reading() -> None:
    row = DisplayRow("", status="Err")
    recipe = load_recipe("close").model_copy(update={"kinds": {"digital": 1.0}, "model_share": 0.0, "empty_share": 0.0})
    scene = next(s for s in (scene_of_seed(seed, recipe) for seed in range(50)) if len(s.instruments) == 1)
    placed = scene.instruments[0]
    assert isinstance(placed.spec, DigitalSpec)
    coded = replace(scene, instruments=(replace(placed, spec=replace(placed.spec, rows=(row,), lit=True)),))
    (truth,) = coded.truth().instruments
    assert truth.value is None
    assert truth.fields.digital_readout is None
    assert all(cell not in POINTS for cell in shown_text(row))
    assert np.isfinite(truth.legibility)
