"""Photos of a sequence as the reader takes them: each opened, or with the reason why it cannot be."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from vision.photos import Photo, PhotoError, load_photo


class Opened(NamedTuple):
    """A photo, or why there is none, and the milliseconds that opening it took."""

    photo: Photo | PhotoError
    ms: float


def open_photo(source: Path | bytes, index: int, names: Sequence[str] | None) -> Opened:
    """The photo with this index, by its name among `names`, else by its path or number. Nothing raises."""
    name = names[index] if names is not None else str(source) if isinstance(source, Path) else f"photo {index + 1}"
    started = time.perf_counter()
    try:
        photo: Photo | PhotoError = load_photo(source, name=name)
    except PhotoError as error:
        photo = error
    return Opened(photo, round((time.perf_counter() - started) * 1000.0, 1))
