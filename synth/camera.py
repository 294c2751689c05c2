"""Sensor and lens: exposure, colour, blur, resolution, noise and JPEG, on 8-bit pictures with OpenCV.

Noise comes out of a tile drawn once a process from a fixed seed and cropped at random: the same scene gives the
same bytes, at a tenth of the time of fresh noise.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.scene import Camera

Image = NDArray[np.uint8]
TILE = 1024

cv2.setNumThreads(1)  # one core an image: the factory runs one process a core, and threads would fight


def expose(picture: Image, camera: Camera, rng: np.random.Generator) -> Image:
    """What the camera makes of a (height, width, 3) RGB picture."""
    height, width = picture.shape[:2]
    if camera.vignette > 0:
        picture = cv2.convertScaleAbs(picture.astype(np.float32) * _vignette(height, width, round(camera.vignette, 2)))
    if camera.blur_px > 0.15:
        picture = cv2.GaussianBlur(picture, (0, 0), camera.blur_px)
    if camera.motion_px >= 2:
        picture = cv2.filter2D(picture, -1, _motion_kernel(camera.motion_px, camera.motion_deg))
    picture = cv2.LUT(picture, _tone_table(camera))
    if camera.gray:
        picture = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    low = camera.low_side and camera.low_side < max(width, height)
    if low:
        factor = camera.low_side / max(width, height)
        small = (max(8, round(width * factor)), max(8, round(height * factor)))
        picture = cv2.resize(picture, small, interpolation=cv2.INTER_AREA)
    if camera.noise > 0:
        picture = _add_noise(picture, camera, rng)
    if camera.sharpen > 0:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = cv2.addWeighted(picture, 1 + camera.sharpen, soft, -camera.sharpen, 0)
    if camera.jpeg_quality:
        picture = _jpeg(picture, camera.jpeg_quality)
    if low:
        picture = cv2.resize(picture, (width, height), interpolation=cv2.INTER_CUBIC if rng.random() < 0.5 else cv2.INTER_LINEAR)
    return picture


def _tone_table(camera: Camera) -> Image:
    level = np.arange(256, dtype=np.float32) / 255
    curve = np.clip(level * camera.exposure, 0, None) ** camera.gamma
    curve = (curve - 0.5) * camera.contrast + 0.5
    channels = [np.clip(curve * gain, 0, 1) for gain in camera.white_balance]
    return (np.stack(channels, axis=-1)[None] * 255 + 0.5).astype(np.uint8)


@lru_cache(maxsize=64)
def _vignette(height: int, width: int, strength: float) -> NDArray[np.float32]:
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    away = ((x - width / 2) / (width / 2)) ** 2 + ((y - height / 2) / (height / 2)) ** 2
    falloff: NDArray[np.float32] = (1 - np.float32(strength) * away / 2)[..., None].astype(np.float32)
    return falloff


def _motion_kernel(length_px: float, angle_deg: float) -> NDArray[np.float32]:
    side = int(length_px) | 1
    kernel = np.zeros((side, side), np.float32)
    kernel[side // 2] = 1.0
    turn = cv2.getRotationMatrix2D((side / 2 - 0.5, side / 2 - 0.5), angle_deg, 1)
    turned: NDArray[np.float32] = cv2.warpAffine(kernel, turn, (side, side))
    return turned / max(float(turned.sum()), 1e-6)


@lru_cache(maxsize=1)
def _noise_tile() -> NDArray[np.float32]:
    return np.random.default_rng(20_26).standard_normal((TILE, TILE, 3)).astype(np.float32)


def _add_noise(picture: Image, camera: Camera, rng: np.random.Generator) -> Image:
    height, width = picture.shape[:2]
    scale = max(1.0, camera.noise_scale)
    tall, wide = min(TILE, int(np.ceil(height / scale))), min(TILE, int(np.ceil(width / scale)))
    y, x = int(rng.integers(0, TILE - tall + 1)), int(rng.integers(0, TILE - wide + 1))
    grain = _noise_tile()[y : y + tall, x : x + wide]
    if (tall, wide) != (height, width):
        grain = cv2.resize(grain, (width, height), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.4:
        grain = np.repeat(grain[..., :1], 3, axis=-1)
    noisy: Image = cv2.add(picture, grain * np.float32(camera.noise), dtype=cv2.CV_8U)
    return noisy


def _jpeg(picture: Image, quality: int) -> Image:
    _, data = cv2.imencode(".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    back: Image = cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    return back
