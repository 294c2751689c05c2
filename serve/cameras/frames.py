"""Pictures as they come from a camera: whole or not, frozen or not, and the part that is read."""

from __future__ import annotations

import hashlib
import io
from typing import NamedTuple

import numpy as np
from PIL import Image

from serve.cameras.errors import SourceError
from vision.photos import PhotoError, load_photo

FLAT = 1.5
"""Standard deviation of each of the colours, of 255, below which it shows nothing: a covered lens, a lost signal."""
FROZEN_FRAMES = 3


class Frame(NamedTuple):
    """A picture's bytes as the camera sent them; `name` and `key` are those of a file, None of a live camera."""

    data: bytes
    name: str | None = None
    key: str | None = None


class View(NamedTuple):
    """The part of a picture that is read, as PNG or as it came, the digest of its pixels and of its bytes."""

    data: bytes
    pixels: str
    sha256: str


def open_view(frame: Frame, region: tuple[int, int, int, int] | None, name: str) -> View:
    """The region of a frame. Raises SourceError: no whole picture, all of one colour, or smaller than the region."""
    try:
        photo = load_photo(frame.data, name=name)
    except PhotoError as error:
        raise SourceError(f"the picture is no good: {error.reason}") from error
    height, width = photo.image.shape[:2]
    digest = hashlib.sha256(photo.image.tobytes()).hexdigest()
    if float(photo.image.std(axis=(0, 1)).max()) < FLAT:
        raise SourceError("the picture is all of one colour: a covered lens, a dark room or a lost signal")
    if region is None:
        return View(frame.data, digest, photo.sha256)
    left, top, right, bottom = region
    if right > width or bottom > height:
        raise SourceError(
            f"region {list(region)} reaches out of the picture of {width} x {height} pixels; was the camera changed?"
        )
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(photo.image[top:bottom, left:right])).save(out, "PNG", compress_level=1)
    return View(out.getvalue(), digest, photo.sha256)


class Stillness:
    """Tells a picture that has not changed by a single pixel for too long: sensors have noise, frozen ones have not."""

    def __init__(self, after_s: float) -> None:
        self._after_s = after_s
        self._pixels = ""
        self._since_s = 0.0
        self._frames = 0

    def frozen_s(self, pixels: str, at_s: float) -> float | None:
        """For how long the picture has been the same, where that is too long."""
        if pixels != self._pixels:
            self._pixels, self._since_s, self._frames = pixels, at_s, 0
        self._frames += 1
        still_s = at_s - self._since_s
        if not self._after_s or self._frames < FROZEN_FRAMES or still_s < self._after_s:
            return None
        return still_s
