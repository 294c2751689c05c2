"""Locating in large photos: tiles cover everything, and a dial of 60 pixels in 4,000 is found."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from vision.locate import LocateOptions, locate, tiles
from vision.plane import box_iou
from vision.reader import Reader

EXAMPLE = Path(__file__).parents[2] / "synth" / "examples" / "xyz2000_panel.jpg"


@given(st.integers(60, 6000), st.integers(60, 6000), st.sampled_from([2, 3, 4]))
def test_tiles_cover_the_photo_and_overlap_by_half(width: int, height: int, parts: int) -> None:
    views = tiles(width, height, parts, 192)
    side = max(width, height) / parts
    for axis, length in ((0, width), (1, height)):
        places = sorted({view.center[axis] for view in views})
        assert places[0] <= side / 2 + 1e-6
        assert places[-1] >= length - side / 2 - 1e-6
        assert all(second - first <= side / 2 + 1e-6 for first, second in itertools.pairwise(places))
    assert all(view.side == side for view in views)
    assert len(views) <= (2 * parts) ** 2


@pytest.fixture(scope="module")
def reader() -> Reader:
    torch.set_num_threads(1)
    return Reader.load()


def _wall(width: int, height: int) -> np.ndarray:
    noise = np.random.default_rng(0).normal(0, 8, (height, width, 3)).astype(np.float32)
    return (150 + cv2.GaussianBlur(noise, (0, 0), 2)).clip(0, 255).astype(np.uint8)


def test_a_dial_of_60_pixels_in_4000_is_found_by_tiles_alone(reader: Reader) -> None:
    photo = cv2.cvtColor(cv2.imread(str(EXAMPLE)), cv2.COLOR_BGR2RGB)
    x0, y0, x1, y1 = json.loads(EXAMPLE.with_suffix(".json").read_text())["instruments"][0]["box"]
    dial = photo[round(y0) : round(y1), round(x0) : round(x1)]
    small = cv2.resize(dial, (60, round(60 * dial.shape[0] / dial.shape[1])), interpolation=cv2.INTER_AREA)
    wall = _wall(4000, 3000)
    wall[1200 : 1200 + len(small), 2500:2560] = small
    found = locate(reader.model, wall, LocateOptions())
    assert [box for box in found if box_iou(box.box, (2500, 1200, 2560, 1200 + len(small))) > 0.4]
    assert not locate(reader.model, wall, LocateOptions(tile_parts=()))


def test_a_wall_shows_nothing_in_tiles_either(reader: Reader) -> None:
    assert locate(reader.model, _wall(1600, 1200), LocateOptions()) == []
