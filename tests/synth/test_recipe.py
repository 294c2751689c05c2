"""Recipes: what ships loads, and what is wrong is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.errors import RecipeError, SynthError
from synth.recipe import load_recipe, recipe_names

MINIMAL = """
name = "mine"
layout = "close"
[kinds]
dial = 1.0
[dial_styles]
pressure = 1.0
[backgrounds]
plain = 1.0
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_shipped_recipes_load() -> None:
    assert set(recipe_names()) >= {"close", "scene", "xyz2000"}
    for name in recipe_names():
        assert load_recipe(name).name == name


def test_a_file_is_a_recipe(tmp_path: Path) -> None:
    recipe = load_recipe(write(tmp_path, MINIMAL))
    assert recipe.size == 384
    assert recipe.dial.at_rest == 0.15


@pytest.mark.parametrize(
    ("extra", "where"),
    [
        ("[pose]\nfoo = 1", "pose.foo"),
        ("[dial]\nzoness = 0.2", "dial.zoness"),
        ("[wear]\nglare = 1.5", "wear.glare"),
        ("[camera]\nblur = -0.1", "camera.blur"),
    ],
)
def test_unknown_keys_and_bad_values_are_named(tmp_path: Path, extra: str, where: str) -> None:
    with pytest.raises(RecipeError, match=where):
        load_recipe(write(tmp_path, MINIMAL + extra))


def test_unknown_top_level_key_and_kind(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="colour"):
        load_recipe(write(tmp_path, 'colour = "red"\n' + MINIMAL))
    with pytest.raises(RecipeError, match="kinds"):
        load_recipe(write(tmp_path, MINIMAL.replace("dial = 1.0", "sundial = 1.0")))


def test_weights_and_fill_must_make_sense(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="weight"):
        load_recipe(write(tmp_path, MINIMAL.replace("plain = 1.0", "plain = 0.0")))
    with pytest.raises(RecipeError, match="fill"):
        load_recipe(write(tmp_path, "fill = [0.9, 0.2]\n" + MINIMAL))


def test_missing_and_broken_recipes(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="no recipe 'nowhere'"):
        load_recipe("nowhere")
    with pytest.raises(SynthError, match="not TOML"):
        load_recipe(write(tmp_path, "name = "))
