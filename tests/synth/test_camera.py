"""The camera alone: what each setting does to a known picture."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from synth import artefacts
from synth.camera import blur, expose
from synth.lens import bend, unbend
from synth.recipe import CameraOptions
from synth.sample_look import sample_camera
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


ROOT = Path(__file__).resolve().parents[2]
EFFECTS = (
    Camera(distortion=-0.1),
    Camera(rain=0.7),
    Camera(moire=0.6),
    Camera(banding=0.6),
    Camera(interlace_px=2.0),
    Camera(hdr=0.7),
    Camera(grid=0.6),
    Camera(spin_deg=3.0),
    Camera(infrared=True),
    Camera(first_jpeg=30, jpeg_quality=70),
    Camera(haze=0.4),
    Camera(noise=5.0, noise_scale=2.0),
)
DIGEST = """
import hashlib
import numpy as np
from synth.camera import expose
from tests.synth.test_camera import CHECKS, EFFECTS
for camera in EFFECTS:
    print(hashlib.sha256(expose(CHECKS.copy(), camera, np.random.default_rng(7)).tobytes()).hexdigest())
"""


@pytest.mark.parametrize("camera", EFFECTS, ids=str)
def test_every_effect_shows_and_keeps_the_shape(camera: Camera) -> None:
    seen = shot(CHECKS, camera, 7)
    assert seen.shape == CHECKS.shape
    assert seen.dtype == np.uint8
    assert not np.array_equal(seen, CHECKS)
    assert np.array_equal(seen, shot(CHECKS, camera, 7))


def test_effects_are_the_same_in_every_process() -> None:
    script = [sys.executable, "-c", DIGEST]
    other = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert [hashlib.sha256(shot(CHECKS, camera, 7).tobytes()).hexdigest() for camera in EFFECTS] == other


@pytest.mark.parametrize("distortion", [-0.12, -0.07, -0.03, 0.04, 0.1])
@pytest.mark.parametrize(("width", "height"), [(384, 384), (320, 200)])
def test_a_dot_is_seen_where_the_lens_bends_it(distortion: float, width: int, height: int) -> None:
    for across, down in ((0.5, 0.5), (0.2, 0.3), (0.8, 0.15), (0.12, 0.85), (0.7, 0.7)):
        x, y = across * width, down * height
        picture = np.zeros((height, width, 3), np.uint8)
        cv2.circle(picture, (round(16 * (x - 0.5)), round(16 * (y - 0.5))), 16 * 4, (255, 255, 255), -1, cv2.LINE_AA, 4)
        level = shot(picture, Camera(distortion=distortion))[..., 1].astype(float)
        rows, columns = np.indices(level.shape) + 0.5
        seen = (float((columns * level).sum() / level.sum()), float((rows * level).sum() / level.sum()))
        assert seen == pytest.approx(bend([(x, y)], distortion, width, height)[0], abs=0.5)


@pytest.mark.parametrize("distortion", [-0.12, -0.05, 0.1])
def test_unbending_undoes_bending(distortion: float) -> None:
    points = [(float(x), float(y)) for x in range(20, 380, 60) for y in range(20, 380, 60)]
    back = unbend(np.array(bend(points, distortion, 384, 384)), distortion, 384, 384)
    assert np.abs(back - np.array(points)).max() < 0.02


def test_a_neutral_lens_is_left_out() -> None:
    assert np.array_equal(shot(CHECKS, Camera(distortion=0.0)), CHECKS)


@pytest.mark.parametrize("sigma", [0.8, 2.0, 2.5, 5.0, 8.0, 14.0])
def test_fast_blur_is_a_blur_of_that_strength(sigma: float) -> None:
    edge = np.zeros((128, 128, 3), np.uint8)
    edge[:, 64:] = 255
    exact = cv2.GaussianBlur(edge, (0, 0), sigma).astype(int)
    assert np.abs(blur(edge, sigma).astype(int) - exact).mean() < 1.5


def test_infrared_is_gray_and_bright_in_the_middle() -> None:
    seen = shot(np.full((128, 128, 3), 160, np.uint8), Camera(infrared=True))
    assert np.array_equal(seen[..., 0], seen[..., 2])
    assert seen[64, 64, 0] > 1.5 * seen[2, 2, 0]


def test_interlacing_moves_every_other_line() -> None:
    stripes = np.zeros((64, 64, 3), np.uint8)
    stripes[:, 30:34] = 255
    seen = artefacts.interlace(stripes, 3.0)
    assert seen[10, 31, 0] == 255
    assert seen[11, 31, 0] == 0
    assert seen[11, 34, 0] == 255


def test_spinning_blurs_the_rim_and_leaves_the_middle() -> None:
    picture = np.zeros((128, 128, 3), np.uint8)
    for x in (66, 120):
        picture[60:68, x - 2 : x + 2] = 255
    seen = artefacts.spin_blur(picture, 12.0)
    assert int(seen[:, 64:69].max()) > 1.3 * int(seen[:, 118:122].max())


def test_rolling_bars_run_along_lines() -> None:
    seen = artefacts.add_banding(np.random.default_rng(1), np.full((90, 60, 3), 200, np.uint8), 0.8)
    assert np.ptp(seen, axis=1).max() == 0
    assert np.ptp(seen[:, 0, 0].astype(int)) > 30


def test_moire_leaves_the_mean() -> None:
    gray = np.full((128, 128, 3), 128, np.uint8)
    seen = artefacts.add_moire(np.random.default_rng(3), gray, 0.8)
    assert seen.mean() == pytest.approx(128, abs=3)
    assert seen.std() > 4


def test_what_the_recorder_writes_is_not_bent() -> None:
    def write(picture: np.ndarray) -> np.ndarray:
        picture[5:9, 5:40] = (255, 255, 0)
        return picture

    seen = expose(np.zeros((128, 128, 3), np.uint8), Camera(distortion=-0.12, blur_px=3.0), np.random.default_rng(0), write)
    assert (seen[5:9, 5:40] == (255, 255, 0)).all()
    assert seen[20:].max() == 0


def test_white_stays_without_a_cast_of_its_own() -> None:
    """Clipped white is white or the light's colour, never raised in one channel."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        assert max(sample_camera(rng, CameraOptions(), 384).white_balance) == pytest.approx(1.0)


def test_most_pictures_keep_ink_and_paper_apart() -> None:
    """Black print on a white face after every camera that the sampler draws: dark and bright ones included."""
    rng = np.random.default_rng(5)
    face = np.full((96, 96, 3), 235, np.uint8)
    face[40:56, 40:56] = 25
    apart = []
    for _ in range(200):
        seen = shot(face, sample_camera(rng, CameraOptions(), 96), 1)[..., 1].astype(float)
        apart.append(np.median(seen[20:76, 24:30]) - np.median(seen[46:50, 46:50]))
    assert np.mean(np.array(apart) > 40) > 0.93
    assert np.median(apart) > 120


def test_the_sampler_reaches_every_effect() -> None:
    rng = np.random.default_rng(2)
    cameras = [sample_camera(rng, CameraOptions(), 384) for _ in range(1500)]
    for name in (
        "rain",
        "moire",
        "banding",
        "hdr",
        "grid",
        "haze",
        "spin_deg",
        "infrared",
        "first_jpeg",
        "distortion",
        "interlace_px",
    ):
        assert any(getattr(camera, name) for camera in cameras), name
    assert min(camera.low_side for camera in cameras if camera.low_side) < 75
    assert len({camera.distortion for camera in cameras}) <= 32, "the lens keeps that many tables"


@pytest.mark.parametrize("angle", [0.0, 30.0, 90.0, 145.0])
@pytest.mark.parametrize("length", [3.0, 7.5, 11.0])
def test_motion_blur_keeps_things_in_their_place(angle: float, length: float) -> None:
    picture = np.zeros((96, 96, 3), np.uint8)
    picture[40:44, 60:64] = 255
    level = shot(picture, Camera(motion_px=length, motion_deg=angle))[..., 0].astype(float)
    rows, columns = np.indices(level.shape) + 0.5
    assert float((columns * level).sum() / level.sum()) == pytest.approx(62, abs=0.35)
    assert float((rows * level).sum() / level.sum()) == pytest.approx(42, abs=0.35)
    assert (level > 8).sum() > 16 + 2 * length
