"""The pixels of a lamp: what the rings see, how two witnesses are pooled, and files that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.fields import LAMP_COLORS
from vision.lamp_color import FEATURES, HUES, LAMP_FILE, RINGS, LampError, LampModel, lamp_features, pool

BOX = (60.0, 60.0, 340.0, 340.0)
EACH = len(HUES) + 3
shares = st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4).filter(lambda given: sum(given) > 0.01)


def lamp(rgb: tuple[int, int, int], around: int = 90) -> np.ndarray:
    image = np.full((400, 400, 3), around, np.uint8)
    cv2.circle(image, (200, 200), 122, rgb, -1)
    return image


def model(**changes: object) -> LampModel:
    data = {
        "means": (0.0,) * FEATURES,
        "sds": (1.0,) * FEATURES,
        "weights": ((0.0,) * FEATURES,) * 4,
        "intercepts": (0.0, 0.0, 0.0, 0.0),
        "donut_weight": 1.0,
        "examples": 50,
    }
    return LampModel.model_validate(data | changes)


@pytest.mark.parametrize(
    ("rgb", "place"), [((235, 40, 30), 0), ((250, 200, 30), 1), ((50, 220, 80), 2), ((120, 120, 120), None), ((0, 0, 0), None)]
)
def test_each_ring_sees_the_light_that_is_there(rgb: tuple[int, int, int], place: int | None) -> None:
    rings = lamp_features(lamp(rgb), BOX).reshape(len(RINGS), EACH)
    for hue in range(len(HUES)):
        assert (rings[0, hue] > 0.3) == (hue == place)
    assert rings[0, len(HUES)] == pytest.approx(max(rgb) / 255, abs=0.01)
    assert rings[2, : len(HUES)].max() < 0.1
    assert rings[2, len(HUES)] == pytest.approx(90 / 255, abs=0.08)


def test_features_do_not_depend_on_the_size_of_the_photo() -> None:
    large = cv2.resize(lamp((235, 40, 30)), (1200, 1200), interpolation=cv2.INTER_AREA)
    box = tuple(3 * side for side in BOX)
    assert lamp_features(large, box) == pytest.approx(lamp_features(lamp((235, 40, 30)), BOX), abs=0.03)  # type: ignore[arg-type]


def test_a_box_beyond_the_photo_and_one_of_a_pixel_have_features_too() -> None:
    for box in ((-50.0, -50.0, 20.0, 20.0), (3.0, 3.0, 3.0, 3.0), (390.0, 390.0, 900.0, 900.0)):
        assert np.isfinite(lamp_features(lamp((10, 200, 10)), box)).all()


@given(shares, shares, st.floats(0.0, 2.0))
def test_a_pool_is_a_distribution_and_two_that_agree_are_surer(first: list[float], second: list[float], weight: float) -> None:
    pixels = np.array(first) / sum(first)
    donut = dict(zip(LAMP_COLORS, second, strict=True))
    pooled = pool(pixels, donut, weight)
    assert sum(pooled.values()) == pytest.approx(1.0)
    same = pool(pixels, dict(zip(LAMP_COLORS, pixels.tolist(), strict=True)), 1.0)
    assert max(same.values()) >= pixels.max() - 1e-6


def test_a_weight_of_nothing_leaves_the_pixels_alone() -> None:
    pixels = np.array([0.7, 0.1, 0.1, 0.1])
    pooled = pool(pixels, {"green": 1.0}, 0.0)
    assert list(pooled.values()) == pytest.approx(pixels.tolist())
    assert max(pool(pixels, {"green": 1.0}, 1.0), key=lambda one: pool(pixels, {"green": 1.0}, 1.0)[one]) == "green"


def test_probabilities_are_the_softmax_of_the_standardised_features() -> None:
    weights = np.zeros((4, FEATURES))
    weights[2, 5] = 1.0
    known = model(weights=tuple(map(tuple, weights.tolist())), means=(0.5,) * FEATURES, sds=(0.25,) * FEATURES)
    features = np.full(FEATURES, 0.75)
    assert known.by_pixels(features)[2] == pytest.approx(np.e / (np.e + 3))
    assert known.by_pixels(np.stack([features] * 5)).shape == (5, 4)


def test_a_model_survives_its_file_and_a_broken_one_is_named(tmp_path: Path) -> None:
    assert LampModel.load(tmp_path) is None
    model().save(tmp_path)
    assert LampModel.load(tmp_path) == model()
    whole = json.loads((tmp_path / LAMP_FILE).read_text())
    for broken in (whole | {"weights": whole["weights"][:3]}, whole | {"sds": [0.0] * FEATURES}, whole | {"extra": 1}):
        (tmp_path / LAMP_FILE).write_text(json.dumps(broken))
        with pytest.raises(LampError, match=r"lamp\.json is not a lamp model"):
            LampModel.load(tmp_path)
    whole["weights"][1] = whole["weights"][1][:4]
    (tmp_path / LAMP_FILE).write_text(json.dumps(whole))
    with pytest.raises(LampError, match="needs 18 numbers"):
        LampModel.load(tmp_path)
    (tmp_path / LAMP_FILE).write_bytes(b"\xff\xfe")
    with pytest.raises(LampError):
        LampModel.load(tmp_path)
