"""Sensor and lens: exposure, colour, blur, resolution, noise and JPEG, on 8-bit pictures with OpenCV.

Noise comes out of a tile drawn once a process from a fixed seed and cropped at random: the same scene gives the
same bytes, at a tenth of the time of fresh noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from synth import artefacts
from synth.lens import unbend
from synth.scene import Camera

Image = NDArray[np.uint8]
TILE = 1024

cv2.setNumThreads(1)  # one core an image: the factory runs one process a core, and threads would fight


def expose(picture: Image, camera: Camera, rng: np.random.Generator, imprint: Callable[[Image], Image] | None = None) -> Image:
    """What the camera makes of a (height, width, 3) RGB picture; `imprint` is what the recorder writes into it.

    Order of a real camera: lens, sensor, tone, recorder, resolution, noise, sharpening, compression.
    """
    picture = _through_lens(picture, camera, rng)
    picture = cv2.LUT(picture, _tone_table(camera))
    if camera.infrared:
        picture = _infrared(picture)
    elif camera.gray:
        picture = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    if camera.hdr > 0:
        picture = artefacts.local_contrast(picture, camera.hdr)
    if camera.moire > 0:
        picture = artefacts.add_moire(rng, picture, camera.moire)
    if camera.banding > 0:
        picture = artefacts.add_banding(rng, picture, camera.banding)
    if camera.interlace_px:
        picture = artefacts.interlace(picture, camera.interlace_px)
    if imprint is not None:
        picture = imprint(picture)
    if camera.grid > 0:
        picture = artefacts.add_grid(rng, picture, camera.grid)
    if camera.first_jpeg:
        picture = _jpeg(picture, camera.first_jpeg)
    return _record(picture, camera, rng)


def _through_lens(picture: Image, camera: Camera, rng: np.random.Generator) -> Image:
    height, width = picture.shape[:2]
    if camera.distortion:
        maps = _lens_maps(height, width, camera.distortion)
        picture = cv2.remap(picture, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if camera.vignette > 0:
        picture = cv2.multiply(picture, _vignette(height, width, round(camera.vignette, 2)), scale=1 / 255)
    if camera.rain > 0:
        picture = artefacts.add_rain(rng, picture, camera.rain)
    if camera.blur_px > 0.15:
        picture = blur(picture, camera.blur_px)
    if camera.motion_px >= 2:
        picture = _streak(picture, camera.motion_px, camera.motion_deg)
    if camera.spin_deg > 0:
        picture = artefacts.spin_blur(picture, camera.spin_deg)
    return picture


def _record(picture: Image, camera: Camera, rng: np.random.Generator) -> Image:
    """Resolution, noise, sharpening and the last compression."""
    height, width = picture.shape[:2]
    low = camera.low_side and camera.low_side < max(width, height)
    if low:
        factor = camera.low_side / max(width, height)
        small = (max(8, round(width * factor)), max(8, round(height * factor)))
        picture = cv2.resize(picture, small, interpolation=cv2.INTER_AREA)
    if camera.noise > 0:
        picture = _add_noise(picture, camera, rng)
    if camera.sharpen > 0:
        soft = cv2.GaussianBlur(picture, (5, 5), 1.2)
        picture = cv2.addWeighted(picture, 1 + camera.sharpen, soft, -camera.sharpen, 0)
    if camera.jpeg_quality:
        picture = _jpeg(picture, camera.jpeg_quality)
    if low:
        picture = cv2.resize(picture, (width, height), interpolation=cv2.INTER_CUBIC if rng.random() < 0.5 else cv2.INTER_LINEAR)
    return picture


def blur(picture: Image, sigma_px: float) -> Image:
    """Gaussian blur; strong ones are made at half or a quarter of the size, where they cost little and look the same."""
    height, width = picture.shape[:2]
    shrink = 4 if sigma_px >= 6 else 2 if sigma_px >= 2.2 else 1
    if shrink == 1:
        side = 2 * max(1, int(np.ceil(2.5 * sigma_px))) + 1
        soft: Image = cv2.GaussianBlur(picture, (side, side), sigma_px)
        return soft
    small = cv2.resize(picture, (max(4, width // shrink), max(4, height // shrink)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma_px / shrink)
    grown: Image = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    return grown


@lru_cache(maxsize=32)
def _lens_maps(height: int, width: int, distortion: float) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    """Where each pixel of the bent picture is taken from; pixel (0, 0) has its middle at (0.5, 0.5)."""
    across, down = np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2
    away = np.hypot(across[None, :], down[:, None])
    # The lens bends along the radius alone: one line of radii stands for the plane, at a tenth of the time.
    radii = np.linspace(0.0, math.hypot(width, height) / 2 + 1.0, 2048)
    ray = np.stack([width / 2 + radii, np.full_like(radii, height / 2)], axis=-1)
    ideal = unbend(ray, distortion, width, height)[:, 0] - width / 2
    gain = np.interp(away, radii, np.concatenate([[1.0], ideal[1:] / radii[1:]]))
    x = (width / 2 + across[None, :] * gain - 0.5).astype(np.float32)
    y = (height / 2 + down[:, None] * gain - 0.5).astype(np.float32)
    whole, part = cv2.convertMaps(x, y, cv2.CV_16SC2)
    return whole, part


def _infrared(picture: Image) -> Image:
    """Grey from mostly red light, lit from the camera itself: bright in the middle, paints look alike."""
    gray = cv2.transform(picture, np.array([[0.62, 0.3, 0.08]], np.float32))
    gray = cv2.multiply(gray, _vignette(*gray.shape[:2], 0.75)[..., 0], scale=1.12 / 255)
    grown: Image = cv2.cvtColor(gray, cv2.COLOR_GRAY2RGB)
    return grown


def _tone_table(camera: Camera) -> Image:
    level = np.arange(256, dtype=np.float32) / 255
    curve = np.clip(level * camera.exposure, 0, None) ** camera.gamma
    curve = (curve - 0.5) * camera.contrast + 0.5
    curve = curve + camera.haze * (0.62 - curve) * 0.6
    channels = [np.clip(curve * gain, 0, 1) for gain in camera.white_balance]
    return (np.stack(channels, axis=-1)[None] * 255 + 0.5).astype(np.uint8)


@lru_cache(maxsize=64)
def _vignette(height: int, width: int, strength: float) -> Image:
    """Levels 0..255 to multiply with: full in the middle, less towards the corners."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    away = ((x - width / 2) / (width / 2)) ** 2 + ((y - height / 2) / (height / 2)) ** 2
    falloff = np.clip(255 * (1 - np.float32(strength) * away / 2), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.repeat(falloff[..., None], 3, axis=-1))


def _streak(picture: Image, length_px: float, angle_deg: float) -> Image:
    """Motion blur: the mean of pictures shifted along the way, doubling the way with every step."""
    height, width = picture.shape[:2]
    turn = math.radians(-angle_deg)
    steps = max(1, math.ceil(math.log2(max(length_px, 2.0))))
    for step in range(steps):
        way = length_px / 2 ** (step + 1)
        move = np.array([[1.0, 0.0, way * math.cos(turn)], [0.0, 1.0, way * math.sin(turn)]])
        moved = cv2.warpAffine(picture, move, (width, height), borderMode=cv2.BORDER_REPLICATE)
        picture = cv2.addWeighted(picture, 0.5, moved, 0.5, 0)
    back = -length_px * (1 - 0.5**steps) / 2
    centred = np.array([[1.0, 0.0, back * math.cos(turn)], [0.0, 1.0, back * math.sin(turn)]])
    blurred: Image = cv2.warpAffine(picture, centred, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return blurred


TILE_SIGMA = 30.0


@lru_cache(maxsize=2)
def _noise_tile(colored: bool) -> Image:
    """Noise about level 128 with a standard deviation of TILE_SIGMA levels: 8 bits add ten times as fast as floats."""
    grain = np.random.default_rng(20_26).standard_normal((TILE, TILE, 3 if colored else 1)) * TILE_SIGMA + 128
    levels = np.clip(np.round(grain), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(levels, (TILE, TILE, 3)))


def _add_noise(picture: Image, camera: Camera, rng: np.random.Generator) -> Image:
    height, width = picture.shape[:2]
    scale = max(1.0, camera.noise_scale)
    tall, wide = min(TILE, int(np.ceil(height / scale))), min(TILE, int(np.ceil(width / scale)))
    y, x = int(rng.integers(0, TILE - tall + 1)), int(rng.integers(0, TILE - wide + 1))
    grain = _noise_tile(bool(rng.random() < 0.6))[y : y + tall, x : x + wide]
    if (tall, wide) != (height, width):
        grain = cv2.resize(grain, (width, height), interpolation=cv2.INTER_LINEAR)
    gain = camera.noise / TILE_SIGMA
    noisy: Image = cv2.addWeighted(picture, 1.0, grain, gain, -128.0 * gain)
    return noisy


def _jpeg(picture: Image, quality: int) -> Image:
    _, data = cv2.imencode(".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    back: Image = cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    return back
