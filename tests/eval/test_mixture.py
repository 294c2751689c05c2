"""Further training with and without photo-real pictures: both runs from one start, on as many pictures, scored apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from eval.mixture import BEFORE, FLAT, MIXED, TABLE_FILE, MixtureTable, run_mixture
from eval.score import EvalError
from tests.vision.test_training import TINY, draw
from vision.dataset import Pictures
from vision.donut import DonutConfig, build_small, save


def test_both_runs_start_alike_and_see_as_many_pictures(tmp_path: Path) -> None:
    torch.manual_seed(0)
    weights = tmp_path / "weights"
    save(build_small(DonutConfig(**TINY)), weights, {})  # type: ignore[arg-type]
    flat, other = draw(tmp_path / "flat", 8), draw(tmp_path / "other", 3)
    held_out = {"flat": flat, "Blender": other}
    table = run_mixture(weights, tmp_path / "out", flat, other, held_out, steps=2, image_size=64, batch_size=4)
    assert [(row.run, row.held_out) for row in table.rows] == [(run, name) for run in (BEFORE, FLAT, MIXED) for name in held_out]
    plain, photo_real = len(Pictures([flat])), len(Pictures([other]))
    assert {row.pictures for row in table.rows} == {plain, photo_real}
    tips = [row.tip_error for row in table.rows]
    assert len(set(tips)) == len(tips), "every run and every held-out set has errors of its own"
    assert MixtureTable.model_validate_json((tmp_path / "out" / TABLE_FILE).read_text()) == table
    lengths = {path.parent.name: len(path.read_text().splitlines()) for path in (tmp_path / "out").glob("flat_*/metadata.jsonl")}
    assert lengths == {"flat_half": photo_real, "flat_whole": 2 * photo_real}
    recipes = [json.loads(path.read_text()) for path in sorted((tmp_path / "out").glob("*/recipe.json"))]
    assert [len(recipe["data"]) for recipe in recipes] == [1, 2]
    assert len({(recipe["init"], recipe["seed"]) for recipe in recipes}) == 1


def test_too_few_flat_pictures_are_an_error(tmp_path: Path) -> None:
    flat = draw(tmp_path / "flat", 3)
    with pytest.raises(EvalError, match="twice as many"):
        run_mixture(tmp_path, tmp_path / "out", flat, flat, {"flat": flat})
