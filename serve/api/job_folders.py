"""Folders of what was sent for a job: whole or not there, and gone after their time."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from serve.store.errors import StoreError
from serve.store.ids import new_id


def new_place(folder: Path, kept_s: float) -> Path:
    """Where a new job's folder will be, not made yet. Those in `folder` that are older than `kept_s` go."""
    for place in folder.glob("*"):
        with contextlib.suppress(OSError):
            if time.time() - place.stat().st_mtime > kept_s:
                shutil.rmtree(place)
    return folder / new_id()


@contextlib.contextmanager
def making(place: Path, what: str) -> Iterator[None]:
    """Make a job's folder and fill it inside; what fails takes it away again. Raises StoreError where the disk refuses."""
    try:
        place.mkdir(parents=True)
        yield
    except OSError as error:
        shutil.rmtree(place, ignore_errors=True)
        raise StoreError(f"{what} cannot be kept: {error.strerror or error}") from error
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
