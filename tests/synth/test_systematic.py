"""The full panel recipe: every state of the XYZ-2000 comes, as often as every other."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from synth.errors import RecipeError
from synth.recipe import load_recipe
from synth.sampler import EVALUATION_SEED, scene_of_seed
from synth.scene import GaugeScene
from synth.systematic import COMBINATIONS, DEGREES, MODES, STEP, PanelState, panel_state
from vision.fields import LAMP_COLORS

FULL = load_recipe("xyz2000_100k")


def shown(scene: GaugeScene) -> PanelState:
    dial, lamp, selector = scene.truth().instruments
    assert dial.true_pointer_angle is not None
    assert lamp.fields.warning_light_color is not None
    assert selector.fields.mode_dial_position is not None
    assert dial.true_pointer_angle == pytest.approx(round(dial.true_pointer_angle), abs=1e-3)
    return PanelState(round(dial.true_pointer_angle), lamp.fields.warning_light_color, selector.fields.mode_dial_position)


def test_the_recipe_is_the_documents_one() -> None:
    assert FULL.systematic
    assert tuple(range(30, 331)) == DEGREES, "each degree of the scale, both ends included"
    assert set(LAMP_COLORS) == {"red", "yellow", "green", "off"}
    assert MODES == (1, 2, 3, 4, 5)
    assert COMBINATIONS == 6020
    assert math.gcd(STEP, COMBINATIONS) == 1


@pytest.mark.parametrize("first", [0, 123_456, EVALUATION_SEED])
def test_a_full_round_shows_every_state_once(first: int) -> None:
    assert len({panel_state(seed) for seed in range(first, first + COMBINATIONS)}) == COMBINATIONS


def test_hundred_thousand_show_every_state_alike() -> None:
    counts = Counter(panel_state(seed) for seed in range(100_000))
    assert len(counts) == COMBINATIONS
    assert set(counts.values()) == {16, 17}


def test_a_slice_of_two_thousand_covers_degrees_lamps_and_modes() -> None:
    states = [panel_state(seed) for seed in range(2000)]
    assert len(set(states)) == 2000
    degrees = Counter(state.pointer_deg for state in states)
    assert set(degrees) == set(DEGREES)
    assert max(degrees.values()) <= 8
    pairs = Counter((state.lamp, state.mode) for state in states)
    assert len(pairs) == 20
    assert max(pairs.values()) - min(pairs.values()) <= 10


def test_scenes_are_in_the_state_of_their_seed() -> None:
    for seed in range(0, 2000, 13):
        scene = scene_of_seed(seed, FULL)
        assert shown(scene) == panel_state(seed)
        dial = scene.truth().instruments[0]
        assert dial.instrument_model == "XYZ-2000"
        assert dial.value is not None
        assert dial.value_low is not None
        assert dial.value_high is not None
        assert dial.value_low <= (panel_state(seed).pointer_deg - 30) / 2.5 <= dial.value_high


@pytest.mark.slow
def test_the_whole_slice_of_scenes() -> None:
    states = [shown(scene_of_seed(seed, FULL)) for seed in range(2000)]
    assert states == [panel_state(seed) for seed in range(2000)]


def test_the_rest_is_random() -> None:
    same_state = [scene_of_seed(seed, FULL) for seed in (5, 5 + COMBINATIONS)]
    assert shown(same_state[0]) == shown(same_state[1])
    assert same_state[0].instruments[0].pose != same_state[1].instruments[0].pose
    assert same_state[0].background != same_state[1].background


def test_other_layouts_have_no_states(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("recipes") / "bad.toml"
    path.write_text(
        """name = "bad"
layout = "close"
systematic = true
[kinds]
dial = 1.0
[dial_styles]
pressure = 1.0
[backgrounds]
white = 1.0
""",
        encoding="utf-8",
    )
    with pytest.raises(RecipeError, match="needs the layout 'panel'"):
        load_recipe(path)
