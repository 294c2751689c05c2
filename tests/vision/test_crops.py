"""Views map there and back, and show what they say they show."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.crops import View, cut, read_view, whole_view

PLACES = st.floats(-500, 1500)


@given(PLACES, PLACES, st.floats(20, 3000), st.integers(64, 512), st.floats(-180, 180), PLACES, PLACES)
def test_there_and_back(cx: float, cy: float, side: float, size: int, roll: float, x: float, y: float) -> None:
    view = View((cx, cy), side, size, roll)
    back = view.to_photo(view.to_view((x, y)))
    assert back == pytest.approx((x, y), abs=1e-3)


def test_the_center_is_the_center_and_the_box_has_its_margin() -> None:
    view = read_view((100, 200, 300, 300), 256, margin=0.1)
    assert view.to_view((200, 250)) == pytest.approx((0.5, 0.5))
    left, _ = view.to_view((100, 250))
    assert left == pytest.approx(0.1 / 1.2)


@pytest.mark.parametrize("side", [100.0, 200.0, 800.0])
@pytest.mark.parametrize("roll", [0.0, 30.0])
def test_a_dot_appears_where_to_view_says(side: float, roll: float) -> None:
    image = np.full((900, 900, 3), 127, np.uint8)
    dot = (462.0, 431.0)
    image[425:437, 456:468] = 255
    view = View((450.0, 450.0), side, 256, roll)
    seen = np.clip(cut(image, view)[..., 0].astype(float) - 127, 0, None)  # what lies outside is mid gray
    total = seen.sum()
    ys, xs = np.mgrid[0:256, 0:256] + 0.5
    found = ((xs * seen).sum() / total / 256, (ys * seen).sum() / total / 256)
    assert found == pytest.approx(view.to_view(dot), abs=0.006)


def test_outside_is_gray_and_the_whole_photo_is_centred() -> None:
    image = np.full((50, 100, 3), 255, np.uint8)
    seen = cut(image, whole_view(100, 50, 64))
    assert seen.shape == (64, 64, 3)
    assert tuple(seen[2, 32]) == (127, 127, 127)
    assert tuple(seen[32, 32]) == (255, 255, 255)
