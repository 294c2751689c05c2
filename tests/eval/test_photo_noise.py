"""Noise in photos: drawn from a seed, logged, worse with its level."""

from __future__ import annotations

import numpy as np
import pytest

from eval.noise import LEVELS
from eval.photo_noise import PHOTO_NOISE, Picture, corrupt_photo
from eval.score import EvalError


def rng(seed: int = 2) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def picture() -> Picture:
    """A dial-like picture: rings, ticks and a flat ground, of mid grey on average."""
    rows, columns = np.mgrid[0:120, 0:160]
    rings = 110 + 60 * np.sin(np.hypot(rows - 60, columns - 80) / 3)
    return np.repeat(rings[..., None], 3, axis=2).astype(np.uint8)


def difference(first: Picture, second: Picture) -> float:
    return float(np.abs(first.astype(float) - second).mean())


@pytest.mark.parametrize("kind", PHOTO_NOISE)
def test_noise_is_logged_and_grows_with_its_level(picture: Picture, kind: str) -> None:
    noisy = [corrupt_photo(rng(), picture, kind, level) for level in LEVELS]
    changes = [difference(one.picture, picture) for one in noisy]
    assert 0 < changes[0] < changes[-1]
    for one in noisy:
        assert one.picture.shape == picture.shape
        assert one.picture.dtype == np.uint8
        (entry,) = one.log
        assert entry.type == kind
        assert entry.original != entry.corrupted
    assert len({one.log for one in noisy}) == 3


@pytest.mark.parametrize("kind", PHOTO_NOISE)
def test_the_same_seed_gives_the_same_picture(picture: Picture, kind: str) -> None:
    first, second = corrupt_photo(rng(7), picture, kind, 0.7), corrupt_photo(rng(7), picture, kind, 0.7)
    assert np.array_equal(first.picture, second.picture)
    assert first.log == second.log


def test_the_given_picture_is_left_alone(picture: Picture) -> None:
    before = picture.copy()
    for kind in PHOTO_NOISE:
        corrupt_photo(rng(), picture, kind, 1.0)
    assert np.array_equal(picture, before)


def test_blur_takes_detail_and_keeps_light(picture: Picture) -> None:
    blurred = corrupt_photo(rng(), picture, "blur", 1.0).picture
    assert np.abs(np.diff(blurred.astype(float), axis=1)).mean() < np.abs(np.diff(picture.astype(float), axis=1)).mean()
    assert abs(float(blurred.mean()) - float(picture.mean())) < 2


def test_glare_only_brightens_and_is_white_in_its_middle(picture: Picture) -> None:
    lit = corrupt_photo(rng(), picture, "glare", 1.0).picture
    assert (lit.astype(int) >= picture).all()
    assert lit.max() >= 254
    assert difference(lit, picture) < 80


def test_exposure_goes_both_ways(picture: Picture) -> None:
    means = [float(corrupt_photo(rng(seed), picture, "exposure", 0.7).picture.mean()) for seed in range(12)]
    assert min(means) < 0.6 * picture.mean()
    assert max(means) > 1.4 * picture.mean()


def test_a_tilt_moves_points_where_its_matrix_says() -> None:
    black = np.zeros((200, 240, 3), dtype=np.uint8)
    black[48:53, 58:63] = 255
    noisy = corrupt_photo(rng(4), black, "tilt", 0.7)
    x, y, w = noisy.matrix @ np.array([60.0, 50.0, 1.0])
    rows, columns = np.nonzero(noisy.picture[..., 0] > 100)
    assert abs(columns.mean() - x / w) < 1.5
    assert abs(rows.mean() - y / w) < 1.5
    centre = noisy.matrix @ np.array([120.0, 100.0, 1.0])
    assert centre[:2] / centre[2] == pytest.approx([120.0, 100.0])


def test_only_a_tilt_moves_points(picture: Picture) -> None:
    for kind in PHOTO_NOISE:
        unmoved = np.array_equal(corrupt_photo(rng(), picture, kind, 1.0).matrix, np.eye(3))
        assert unmoved == (kind != "tilt")


def test_bad_input_is_refused_in_words(picture: Picture) -> None:
    with pytest.raises(EvalError, match="snow"):
        corrupt_photo(rng(), picture, "snow", 0.3)
    with pytest.raises(EvalError, match="level"):
        corrupt_photo(rng(), picture, "blur", 0.0)
    for wrong in (picture[..., 0], picture.astype(float), picture[:0]):
        with pytest.raises(EvalError, match="picture"):
            corrupt_photo(rng(), wrong, "blur", 0.3)
