"""Pictures that come as files: one is taken when it has stopped growing, and once."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from serve.cameras.errors import SourceError
from serve.cameras.frames import Frame

ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp", ".gif"})
SETTLE_S = 1.0
"""For so long size and time of a file must not change before it counts as whole."""
MOST_BYTES = 50 * 2**20


class _Look(NamedTuple):
    size: int
    mtime_ns: int
    since: float


class FolderSource:
    """The files of a folder, the oldest first. `taken` tells which keys were taken before, by this process or another one."""

    def __init__(
        self, folder: Path, taken: Callable[[Sequence[str]], set[str]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.folder = folder
        self._taken = taken
        self._clock = clock
        self._looks: dict[str, _Look] = {}
        self._known: dict[str, str] = {}
        """Name and key of files that need no further question."""

    @property
    def is_waiting(self) -> bool:
        """Whether a file was seen that is not known to be whole yet."""
        return bool(self._looks)

    def ready(self) -> list[tuple[str, str]]:
        """Name and key of the files that are whole and not taken, the oldest first. Raises SourceError."""
        now, whole, present = self._clock(), [], set()
        for name, size, mtime_ns in self._list():
            present.add(name)
            key = file_key(name, size, mtime_ns)
            if self._known.get(name) == key:
                continue
            look = self._looks.get(name)
            if look is None or (look.size, look.mtime_ns) != (size, mtime_ns):
                self._looks[name] = _Look(size, mtime_ns, now)
            elif now - look.since >= SETTLE_S and size > 0:
                whole.append((mtime_ns, name, key))
        self._forget(present)
        taken = self._taken([key for _, _, key in whole]) if whole else set()
        for _, name, key in whole:
            if key in taken:
                self.done(name, key)
        return [(name, key) for _, name, key in sorted(whole) if key not in taken]

    def read(self, name: str, key: str) -> Frame:
        """The bytes of a file. Raises SourceError where it has gone or is too large."""
        path = self.folder / name
        try:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise SourceError(f"{name}: {error.strerror or error}") from error
        if len(data) > MOST_BYTES:
            raise SourceError(f"{name}: it is larger than {MOST_BYTES // 2**20} MiB")
        return Frame(data, name, key)

    def done(self, name: str, key: str) -> None:
        """The file was taken and its event kept."""
        self._known[name] = key
        self._looks.pop(name, None)

    def _list(self) -> list[tuple[str, int, int]]:
        found = []
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if entry.name.startswith(".") or Path(entry.name).suffix.lower() not in ENDINGS:
                        continue
                    try:
                        if not entry.is_file(follow_symlinks=False):
                            continue
                        state = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue  # It went away between two looks.
                    found.append((entry.name, state.st_size, state.st_mtime_ns))
        except OSError as error:
            raise SourceError(f"the folder {self.folder}: {error.strerror or error}") from error
        return found

    def _forget(self, present: set[str]) -> None:
        """Keep nothing of files that are gone: a folder that a camera fills and empties must not fill the memory."""
        for seen in (self._looks, self._known):
            for name in [name for name in seen if name not in present]:
                del seen[name]


def file_key(name: str, size: int, mtime_ns: int) -> str:
    """What a file is known by: written anew, it is another one."""
    return hashlib.sha256(f"{name}\0{size}\0{mtime_ns}".encode(errors="surrogateescape")).hexdigest()
