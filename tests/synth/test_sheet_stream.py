"""Contact sheets show the truth; streams are the same pictures as the factory's."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path

import cv2
import numpy as np
import pytest

from synth.errors import FactoryError
from synth.flat import render
from synth.recipe import load_recipe
from synth.sampler import EVALUATION_SEED, scene_of_seed
from synth.sheet import BOX, LOST, sheet, tile, value_text, write_sheet
from synth.stream import DrawnPictures, scene_stream
from vision.fields import GaugeFields
from vision.samples import InstrumentTruth, PhotoTruth

SMALL = load_recipe("close").model_copy(update={"size": 96})


def lamp(readable: bool = True) -> InstrumentTruth:
    return InstrumentTruth(box=(20, 20, 80, 80), fields=GaugeFields(kind="lamp", warning_light_color="red"), readable=readable)


def test_a_tile_shows_the_box_and_says_what_nobody_can_read() -> None:
    picture = np.zeros((100, 100, 3), np.uint8)
    shown = tile(picture, PhotoTruth(instruments=(lamp(),)), side=200)
    assert shown.shape[1] == 200
    assert shown.shape[0] > 200
    assert np.abs(shown[40, 100].astype(int) - BOX).max() < 40, "the upper edge of the box at twice the size"
    lost = tile(picture, PhotoTruth(instruments=(lamp(readable=False),)), side=200)
    assert np.abs(lost[40, 130].astype(int) - LOST).max() < 40
    assert not (tile(picture, PhotoTruth(), side=200)[:200] > 0).any()


def test_values_are_written_for_people() -> None:
    assert value_text(lamp()) == "lamp red"
    assert value_text(lamp(readable=False)) == "lamp: unreadable"
    assert (
        value_text(InstrumentTruth(box=(0, 0, 9, 9), fields=GaugeFields(kind="selector", mode_dial_position=2))) == "selector 2"
    )
    dial = InstrumentTruth(box=(0, 0, 9, 9), fields=GaugeFields(kind="dial", pointer_angle=137.2), value=42.88, unit="MPa")
    assert value_text(dial) == "42.88 MPa (137.2 deg)"
    assert value_text(dial.model_copy(update={"unit": "°C", "value": None})) == "- deg C (137.2 deg)"


def test_a_sheet_has_rows_and_columns(tmp_path: Path) -> None:
    tiles = [np.full((30, 20, 3), level, np.uint8) for level in range(7)]
    assert sheet(tiles, columns=3).shape == (90, 60, 3)
    assert sheet(tiles[:2], columns=3).shape == (30, 40, 3)
    with pytest.raises(FactoryError, match="at least one"):
        sheet([])
    pictures = [(one.picture, one.truth, "") for one in itertools.islice(scene_stream(SMALL, 3), 4)]
    for name in ("deep/sheet.png", "sheet.jpg"):
        write_sheet(tmp_path / name, pictures, side=128, columns=2)
        assert cv2.imread(str(tmp_path / name)).shape[1] == 256
    with pytest.raises(FactoryError, match=r"sheet\.txt"):
        write_sheet(tmp_path / "sheet.txt", pictures)


def test_the_stream_is_the_seeds_in_order() -> None:
    for seed, one in zip(range(40, 44), scene_stream(SMALL, 40), strict=False):
        scene = scene_of_seed(seed, SMALL)
        assert one.seed == seed
        assert one.truth == scene.truth()
        assert np.array_equal(one.picture, render(scene))


def test_workers_share_the_stream() -> None:
    whole = [one.seed for one in itertools.islice(scene_stream(SMALL, 5), 6)]
    parts = [[one.seed for one in itertools.islice(scene_stream(SMALL, 5, worker=w, workers=3), 2)] for w in range(3)]
    assert sorted(itertools.chain(*parts)) == whole
    with pytest.raises(FactoryError, match="worker"):
        scene_stream(SMALL, 5, worker=3, workers=3)
    with pytest.raises(FactoryError, match="seed"):
        scene_stream(SMALL, -1)


def test_a_training_stream_ends_before_the_evaluation_seeds() -> None:
    assert [one.seed for one in scene_stream(SMALL, EVALUATION_SEED - 2)] == [EVALUATION_SEED - 2, EVALUATION_SEED - 1]
    assert next(scene_stream(SMALL, EVALUATION_SEED)).seed == EVALUATION_SEED


def test_drawn_pictures_answer_like_a_folder() -> None:
    pictures = DrawnPictures(SMALL, 60, 3)
    assert len(pictures) == 3
    first = pickle.loads(pickle.dumps(pictures))  # as a data loader's workers get it
    for index in (2, 0):
        scene = scene_of_seed(60 + index, SMALL)
        assert pictures.truth(index) == scene.truth()
        assert np.array_equal(first.image(index), render(scene))
    with pytest.raises(IndexError):
        pictures.image(3)
    with pytest.raises(FactoryError, match="count"):
        DrawnPictures(SMALL, 60, 0)
    with pytest.raises(FactoryError, match="cross"):
        DrawnPictures(SMALL, EVALUATION_SEED - 1, 5)
