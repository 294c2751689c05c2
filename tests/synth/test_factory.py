"""The factory: readable folders, resumable runs, seeds that never mix."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from synth.errors import FactoryError
from synth.factory import FactoryOptions, build_dataset
from synth.recipe import load_recipe
from synth.sampler import EVALUATION_SEED, scene_of_seed
from vision.samples import METADATA_NAME, read_records

SMALL = load_recipe("close").model_copy(update={"size": 96})


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*.jpg"))}


def test_folder_is_readable_and_true(tmp_path: Path) -> None:
    build_dataset(SMALL, 100, 6, tmp_path / "set")
    records = list(read_records(tmp_path / "set"))
    assert len(records) == 6
    for seed, record in zip(range(100, 106), records, strict=True):
        assert record.truth == scene_of_seed(seed, SMALL).truth()
        assert (tmp_path / "set" / record.file_name).stat().st_size > 500


def test_resume_after_a_cut_gives_the_same_set(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    build_dataset(SMALL, 7, 8, whole)
    build_dataset(SMALL, 7, 3, cut)
    lines = cut / METADATA_NAME
    lines.write_text(lines.read_text(encoding="utf-8")[:-40], encoding="utf-8")  # a crash in the middle of a line
    build_dataset(SMALL, 7, 8, cut)
    assert files(whole) == files(cut)
    assert {r.file_name: r for r in read_records(whole)} == {r.file_name: r for r in read_records(cut)}


def test_a_finished_set_is_left_alone(tmp_path: Path) -> None:
    build_dataset(SMALL, 7, 2, tmp_path)
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.jpg")}
    build_dataset(SMALL, 7, 2, tmp_path)
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.jpg")} == before


def test_lost_pictures_are_drawn_again(tmp_path: Path) -> None:
    build_dataset(SMALL, 7, 3, tmp_path)
    before = files(tmp_path)
    next(iter(tmp_path.rglob("*.jpg"))).unlink()
    build_dataset(SMALL, 7, 3, tmp_path)
    assert files(tmp_path) == before
    assert len(list(read_records(tmp_path))) == 3


def test_options_are_written_and_must_agree(tmp_path: Path) -> None:
    build_dataset(SMALL, 7, 1, tmp_path)
    assert json.loads((tmp_path / "synth.json").read_text(encoding="utf-8"))["seed"] == 7
    with pytest.raises(FactoryError, match="another recipe, seed or option"):
        build_dataset(SMALL, 8, 1, tmp_path)
    with pytest.raises(FactoryError, match="another recipe, seed or option"):
        build_dataset(SMALL, 7, 1, tmp_path, options=FactoryOptions(quality=50))


def test_foreign_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / METADATA_NAME).write_text("{}\n", encoding="utf-8")
    with pytest.raises(FactoryError, match="did not write"):
        build_dataset(SMALL, 1, 1, tmp_path)


def test_training_and_evaluation_seeds_never_overlap(tmp_path: Path) -> None:
    with pytest.raises(FactoryError, match="evaluation"):
        build_dataset(SMALL, EVALUATION_SEED, 1, tmp_path)
    with pytest.raises(FactoryError, match="reaches them"):
        build_dataset(SMALL, EVALUATION_SEED - 2, 3, tmp_path)
    with pytest.raises(FactoryError, match="needs seeds from"):
        build_dataset(SMALL, EVALUATION_SEED - 1, 1, tmp_path, options=FactoryOptions(evaluation=True))
    with pytest.raises(FactoryError, match="at least"):
        build_dataset(SMALL, -1, 1, tmp_path)
    build_dataset(SMALL, EVALUATION_SEED, 1, tmp_path, options=FactoryOptions(evaluation=True))
    assert not any(p.name.startswith("0") for p in (tmp_path / "0000").glob("*.jpg"))


def test_neighbouring_seeds_differ() -> None:
    scenes = [scene_of_seed(seed, SMALL) for seed in (*range(50), *range(EVALUATION_SEED, EVALUATION_SEED + 50))]
    assert len({s.seed for s in scenes}) == 100
    assert np.std([s.light.shadow for s in scenes]) > 0.05


@pytest.mark.slow
def test_workers_give_the_same_set(tmp_path: Path) -> None:
    build_dataset(SMALL, 1, 6, tmp_path / "one")
    build_dataset(SMALL, 1, 6, tmp_path / "two", workers=2)
    assert files(tmp_path / "one") == files(tmp_path / "two")
