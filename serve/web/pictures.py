"""Photos as pages show them: upright JPEGs of a screen's size without the camera's metadata, and what was measured.

Opening a photo costs a tenth of a second or more, and a page asks several times: the last ones are kept in memory.
"""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from PIL import Image

from serve.overlay import photo_as_read
from serve.web.guidance import Advice, advise
from vision.fields import PhotoReading

LARGE_PX, SMALL_PX = 1600, 216
KEPT = 48
"""Photos kept: about 300 KiB each."""


class Picture(NamedTuple):
    """A photo as it is shown: JPEGs, the upright photo's own size in pixels, and the advice measured on it."""

    large: bytes
    small: bytes
    width: int
    height: int
    advice: tuple[Advice, ...]


class Pictures:
    """The last pictures by key. Safe to share between threads."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._pictures: OrderedDict[tuple[str, str], Picture] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, str], load: Callable[[], bytes], reading: PhotoReading) -> Picture | None:
        """The picture of a report, `key` being its tenant and its id; None where the photo cannot be opened any more.

        What `load` raises is passed on.
        """
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
                return self._pictures[key]
        picture = make_picture(load(), reading)
        if picture is None:
            return None
        with self._lock:
            self._pictures[key] = picture
            while len(self._pictures) > self._kept:
                self._pictures.popitem(last=False)
        return picture


def make_picture(data: bytes, reading: PhotoReading) -> Picture | None:
    """The picture of a photo's bytes, None where they are not the photo that was read."""
    photo = photo_as_read(data, reading)
    if photo is None:
        return None
    shown = Image.fromarray(photo.image)
    large = _jpeg(shown, LARGE_PX, 86)
    return Picture(large, _jpeg(shown, SMALL_PX, 78), photo.width, photo.height, advise(photo, reading))


def _jpeg(picture: Image.Image, side: int, quality: int) -> bytes:
    shown = picture
    if max(picture.size) > side:
        shown = picture.copy()
        shown.thumbnail((side, side), Image.Resampling.LANCZOS)
    data = io.BytesIO()
    Image.fromarray(np.asarray(shown)).save(data, "JPEG", quality=quality)  # From pixels alone: no metadata goes along.
    return data.getvalue()
