"""The user's own photos as backgrounds: a folder of pictures, cropped by seed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.errors import BackgroundError

Image = NDArray[np.uint8]
SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
MIN_SIDE = 32
MOST_PIXELS = 150_000_000
"""More than any camera's photo has; unpacked, larger ones would eat the memory."""
KEEP_SIDE = 1024
"""Photos are kept at most this long in memory: a crop needs no more."""


class PhotoBackgrounds:
    """Photos of a folder, by name. All are checked at once, so that a bad file is reported before any picture is made.

    Hidden files are left alone; everything else must be a picture. Raises BackgroundError naming the folder or the
    first file that cannot be used.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise BackgroundError(f"{self.folder} is not a folder: backgrounds need a folder of photos")
        self.names: tuple[str, ...] = tuple(sorted(p.name for p in self._files()))
        if not self.names:
            raise BackgroundError(f"{self.folder} has no photos: put {', '.join(sorted(SUFFIXES))} files into it")
        for name in self.names:
            path = self.folder / name
            _check(path, path.stat().st_mtime_ns)

    def _files(self) -> Iterator[Path]:
        for path in self.folder.iterdir():
            if path.is_file() and not path.name.startswith("."):
                yield path

    def pick(self, rng: np.random.Generator) -> str:
        """A photo's name, as a scene stores it."""
        return self.names[int(rng.integers(len(self.names)))]

    def crop(self, name: str, width: int, height: int, rng: np.random.Generator) -> Image:
        """A (height, width, 3) RGB part of a photo, mirrored at times. Raises BackgroundError for an unknown name."""
        if name not in self.names:
            raise BackgroundError(f"background {name!r} is not in {self.folder}: the scene was drawn with other photos")
        photo = _load(str(self.folder / name))
        tall, wide = photo.shape[:2]
        scale = min(tall / height, wide / width) * float(rng.uniform(0.45, 1.0))
        cut_h, cut_w = max(8, min(tall, int(height * scale))), max(8, min(wide, int(width * scale)))
        y, x = int(rng.integers(0, tall - cut_h + 1)), int(rng.integers(0, wide - cut_w + 1))
        part = photo[y : y + cut_h, x : x + cut_w]
        if rng.random() < 0.5:
            part = part[:, ::-1]
        shrinks = cut_w > width
        cropped: Image = cv2.resize(
            np.ascontiguousarray(part), (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
        )
        return cropped


def _decode(path: Path) -> Image:
    try:
        data = np.fromfile(path, np.uint8)
    except OSError as error:
        raise BackgroundError(f"background {path} cannot be read: {error.strerror or error}") from error
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size and path.suffix.lower() in SUFFIXES else None
    except cv2.error:  # its own limits on sizes
        picture = None
    if picture is None:
        raise BackgroundError(f"background {path} is not an image: remove it or replace it with a photo")
    decoded: Image = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
    return decoded


@lru_cache(maxsize=4096)
def _check(path: Path, changed_ns: int) -> None:
    """Raise BackgroundError for a file that cannot be used; each state of a file is looked at once in a process."""
    _check_size(path)
    height, width = _decode(path).shape[:2]
    if min(height, width) < MIN_SIDE:
        raise BackgroundError(f"background {path} is {width} x {height} pixels: at least {MIN_SIDE} a side are needed")


def _check_size(path: Path) -> None:
    """The size that the file's head names, before anything is unpacked; a head that says nothing is left to the decoder."""
    from PIL import Image as PillowImage

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with PillowImage.open(path) as photo:
                width, height = photo.size
    except PillowImage.DecompressionBombError:
        raise BackgroundError(f"background {path} is far too large: at most {MOST_PIXELS // 10**6} megapixels") from None
    except (OSError, ValueError, SyntaxError):
        return
    if width * height > MOST_PIXELS:
        raise BackgroundError(f"background {path} is {width} x {height} pixels: at most {MOST_PIXELS // 10**6} megapixels")


@lru_cache(maxsize=48)
def _load(path: str) -> Image:
    photo = _decode(Path(path))
    factor = KEEP_SIDE / max(photo.shape[:2])
    if factor < 1:
        size = (max(8, round(photo.shape[1] * factor)), max(8, round(photo.shape[0] * factor)))
        photo = cv2.resize(photo, size, interpolation=cv2.INTER_AREA)
    return photo
