"""Noise in photos, in the interface of `eval.noise`: blur, glare, tilt, exposure, compression, each change logged.

Level 1 is what a photo of a hurried person at a bad place looks like; nothing is drawn that hides the picture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from eval.noise import Corruption, check_level
from eval.score import EvalError

PhotoNoise = Literal["blur", "glare", "tilt", "exposure", "jpeg"]
PHOTO_NOISE: tuple[PhotoNoise, ...] = get_args(PhotoNoise)
Picture = NDArray[np.uint8]

MOST_BLUR = 0.012
"""Sigma of the blur at level 1, in parts of the picture's shorter side."""
MOST_TILT_DEG = 35.0
MOST_STOPS = 2.0
WORST_QUALITY = 8
GLARE_RADIUS = 0.3
"""Radius of the brightest glare, in parts of the shorter side."""
_FIELD_OF_VIEW = 1.4
"""Distance of the camera in parts of the longer side: a phone held close."""


class NoisyPhoto(NamedTuple):
    """A picture, what was done to it, and where its points went: `matrix` (3 x 3) takes old pixels (x, y, 1) to new ones."""

    picture: Picture
    log: tuple[Corruption, ...]
    matrix: NDArray[np.float64]


def corrupt_photo(rng: np.random.Generator, picture: Picture, kind: str, level: float) -> NoisyPhoto:
    """A picture (height x width x 3, RGB) with noise of one kind.

    Raises EvalError for an unknown kind or level, and for what is no picture.
    """
    if kind not in _CHANGES:
        raise EvalError(f"no noise of photos is called {kind!r}; known: {', '.join(_CHANGES)}")
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or not picture.size:
        raise EvalError(f"a picture is height x width x 3 of uint8, got {picture.dtype} of {picture.shape}")
    changed, before, after, matrix = _CHANGES[kind](rng, picture, check_level(level))
    return NoisyPhoto(changed, (Corruption(type=kind, original=before, corrupted=after),), matrix)


_Changed = tuple[Picture, str, str, NDArray[np.float64]]


def _blur(rng: np.random.Generator, picture: Picture, level: float) -> _Changed:
    import albumentations as A

    sigma = max(0.3, level * MOST_BLUR * min(picture.shape[:2]))
    return _by(
        A.GaussianBlur(sigma_limit=(sigma, sigma), blur_limit=0, p=1.0), rng, picture, "sharp", f"blur, sigma {sigma:.1f} px"
    )


def _exposure(rng: np.random.Generator, picture: Picture, level: float) -> _Changed:
    import albumentations as A

    stops = level * MOST_STOPS * (1 if rng.random() < 0.5 else -1)
    gain = 2.0**stops
    change = A.MultiplicativeNoise(multiplier=(gain, gain), per_channel=False, elementwise=False, p=1.0)
    return _by(change, rng, picture, "exposed as it was", f"{stops:+.1f} stops")


def _jpeg(rng: np.random.Generator, picture: Picture, level: float) -> _Changed:
    import albumentations as A

    quality = round(100 - level * (100 - WORST_QUALITY))
    return _by(
        A.ImageCompression(quality_range=(quality, quality), p=1.0), rng, picture, "not compressed", f"JPEG of quality {quality}"
    )


def _by(change: Any, rng: np.random.Generator, picture: Picture, before: str, after: str) -> _Changed:
    """A change of light or sharpness by albumentations: no point of the picture moves."""
    import albumentations as A

    pipeline = A.Compose([change])
    pipeline.set_random_seed(int(rng.integers(2**31)))
    return np.asarray(pipeline(image=picture)["image"], dtype=np.uint8), before, after, np.eye(3)


def _glare(rng: np.random.Generator, picture: Picture, level: float) -> _Changed:
    """A lamp mirrored in the glass: a soft bright patch whose middle is white at level 1."""
    height, width = picture.shape[:2]
    x, y = width * float(rng.uniform(0.3, 0.7)), height * float(rng.uniform(0.3, 0.7))
    radius = GLARE_RADIUS * min(height, width) * (0.5 + 0.5 * level)
    rows, columns = np.mgrid[0:height, 0:width]
    light = level * np.exp(-(((columns - x) ** 2 + (rows - y) ** 2) / (2 * (radius / 2) ** 2)))[..., None]
    lit = picture + (255.0 - picture) * light
    after = f"glare of {round(100 * level)} % at ({x:.0f}, {y:.0f}), radius {radius:.0f} px"
    return np.clip(np.rint(lit), 0, 255).astype(np.uint8), "no glare", after, np.eye(3)


def _tilt(rng: np.random.Generator, picture: Picture, level: float) -> _Changed:
    """The picture seen from the side, as a plane before a camera; its middle stays where it is."""
    import cv2

    height, width = picture.shape[:2]
    angle, about = level * MOST_TILT_DEG, float(rng.uniform(0, 360))
    axis = np.array([np.cos(np.radians(about)), np.sin(np.radians(about)), 0.0])
    turn, _ = cv2.Rodrigues(axis * np.radians(angle))
    focal = _FIELD_OF_VIEW * max(height, width)
    camera = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
    plane = np.column_stack([turn[:, 0], turn[:, 1], [0.0, 0.0, focal]])
    flat = np.array([[1.0, 0, -width / 2], [0, 1.0, -height / 2], [0, 0, 1.0]])
    matrix = camera @ plane @ flat
    matrix = matrix / matrix[2, 2]
    seen = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    after = f"tilted by {angle:.0f} degrees about an axis at {about:.0f} degrees"
    return np.asarray(seen, dtype=np.uint8), "seen as it was", after, matrix


_CHANGES: dict[str, Callable[[np.random.Generator, Picture, float], _Changed]] = {
    "blur": _blur,
    "glare": _glare,
    "tilt": _tilt,
    "exposure": _exposure,
    "jpeg": _jpeg,
}
