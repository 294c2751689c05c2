"""The camera alone: what each setting does to a known picture."""

from __future__ import annotations

import numpy as np
import pytest

from synth.camera import expose
from synth.scene import Camera

RAMP = np.repeat(np.tile(np.linspace(20, 230, 128).astype(np.uint8), (128, 1))[..., None], 3, axis=-1)
CHECKS = np.where((np.indices((128, 128)).sum(0) // 8 % 2)[..., None], 220, 30).astype(np.uint8).repeat(3, axis=-1)


def shot(picture: np.ndarray, camera: Camera, seed: int = 0) -> np.ndarray:
    return expose(picture.copy(), camera, np.random.default_rng(seed))


def test_a_neutral_camera_changes_nothing() -> None:
    assert np.array_equal(shot(RAMP, Camera()), RAMP)


def test_exposure_and_gamma_move_brightness() -> None:
    assert shot(RAMP, Camera(exposure=0.5)).mean() == pytest.approx(RAMP.mean() / 2, rel=0.03)
    assert shot(RAMP, Camera(exposure=3.0)).max() == 255
    assert shot(RAMP, Camera(gamma=0.5)).mean() > RAMP.mean() > shot(RAMP, Camera(gamma=2.0)).mean()


def test_contrast_turns_about_the_middle() -> None:
    flat = shot(RAMP, Camera(contrast=0.5))
    assert int(flat.max()) - int(flat.min()) == pytest.approx((int(RAMP.max()) - int(RAMP.min())) / 2, abs=2)


def test_white_balance_tints() -> None:
    warm = shot(RAMP, Camera(white_balance=(1.2, 1.0, 0.8))).astype(int)
    assert (warm[..., 0] > warm[..., 2]).mean() > 0.9


@pytest.mark.parametrize("camera", [Camera(blur_px=2.0), Camera(motion_px=9, motion_deg=0), Camera(low_side=40)])
def test_blurs_take_detail_but_not_light(camera: Camera) -> None:
    soft = shot(CHECKS, camera).astype(float)
    assert soft.std() < CHECKS.std()
    assert soft.mean() == pytest.approx(CHECKS.mean(), abs=4)


def test_motion_blurs_along_its_direction() -> None:
    stripes = np.where((np.arange(128) // 6 % 2)[None, :, None], 220, 30).astype(np.uint8) * np.ones((128, 1, 3), np.uint8)
    along, across = shot(stripes, Camera(motion_px=9, motion_deg=90)), shot(stripes, Camera(motion_px=9, motion_deg=0))
    assert across.std() < 0.6 * along.std()


def test_noise_has_its_strength_and_its_seed() -> None:
    gray = np.full((128, 128, 3), 128, np.uint8)
    noisy = shot(gray, Camera(noise=8.0), 1)
    assert noisy.std() == pytest.approx(8.0, rel=0.15)
    assert np.array_equal(noisy, shot(gray, Camera(noise=8.0), 1))
    assert not np.array_equal(noisy, shot(gray, Camera(noise=8.0), 2))
    coarse = shot(gray, Camera(noise=8.0, noise_scale=4.0), 1).astype(float)
    assert np.abs(np.diff(coarse, axis=1)).mean() < np.abs(np.diff(noisy.astype(float), axis=1)).mean()


def test_vignette_darkens_corners() -> None:
    gray = np.full((128, 128, 3), 200, np.uint8)
    dark = shot(gray, Camera(vignette=0.5))
    assert dark[64, 64, 0] > 195
    assert dark[0, 0, 0] < 120


def test_jpeg_and_size_are_kept() -> None:
    for quality in (25, 60, 95):
        picture = shot(CHECKS, Camera(jpeg_quality=quality))
        assert picture.shape == CHECKS.shape
        assert np.abs(picture.astype(int) - CHECKS).mean() < 25
    assert np.abs(shot(RAMP, Camera(jpeg_quality=95)).astype(int) - RAMP).mean() < 2


def test_sharpening_steepens_edges() -> None:
    soft = shot(CHECKS, Camera(blur_px=1.0))
    assert shot(soft, Camera(sharpen=0.8)).std() > soft.std()
