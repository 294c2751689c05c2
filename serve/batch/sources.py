"""Which photos a batch is of: folders, patterns, lists and files become photos in a fixed order, and what is none is named.

Nothing is opened here, and nothing that is found may raise: folders change while they are read.
"""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from serve.batch.errors import BatchError
from vision.photos import display_name

PHOTO_ENDINGS = frozenset(
    (".jpg", ".jpeg", ".jpe", ".jfif", ".mpo", ".png", ".webp", ".tif", ".tiff", ".bmp", ".gif", ".heic", ".heif", ".avif")
)
"""Files of a folder that are taken for photos, in any case; those that cannot be opened come out with the reason."""
LIST_ENDINGS = frozenset((".txt", ".lst", ".list"))
MAX_LIST_BYTES = 256 * 2**20
STDIN = "-"


class Identity(NamedTuple):
    """What makes a file the same one as before: resolved path, bytes, and nanoseconds of its last change."""

    path: bytes
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo of a batch. `path` opens it, `name` is its path fit for display; where there is no file, `problem` says why."""

    path: str
    name: str
    identity: Identity | None
    problem: str | None = None


class Skipped(NamedTuple):
    """A folder that was not looked into, and why. `lost` where photos may be missing from the batch for it."""

    path: str
    reason: str
    lost: bool


@dataclass(slots=True)
class Found:
    """The photos in their order, each once; folders that were skipped; files left aside and photos named more than once."""

    photos: list[Photo] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    other_files: int = 0
    repeated: int = 0


def find_photos(sources: Sequence[str]) -> Found:
    """The photos of `sources`: folders (with all below them), patterns such as `a/**/*.jpg`, lists and single photos.

    A list is a text file (.txt, .lst, .list) with one path a line, or `-` for standard input; relative paths start at the
    current folder. Raises BatchError where a source is nothing of the kind or there is no photo at all.
    """
    found, seen, folders = Found(), set[bytes | str](), dict[tuple[int, int], str]()
    for source in sources:
        for path in _paths(source, found, folders):
            photo = look_at(path)
            key = photo.identity.path if photo.identity is not None else photo.path
            if key in seen:
                found.repeated += 1
                continue
            seen.add(key)
            found.photos.append(photo)
    if not found.photos:
        why = "".join(f"; {display_name(one.path)}: {one.reason}" for one in found.skipped[:3])
        raise BatchError(f"no photos in {', '.join(display_name(one) for one in sources)[:300]}{why}")
    return found


def _paths(source: str, found: Found, folders: dict[tuple[int, int], str]) -> Iterator[str]:
    if source == STDIN:
        yield from _lines(sys.stdin.buffer.read(MAX_LIST_BYTES + 1), "standard input")
    elif os.path.isdir(source):
        yield from _walk(source, found, folders)
    elif os.path.splitext(source)[1].lower() in LIST_ENDINGS:
        try:
            with open(source, "rb") as file:
                yield from _lines(file.read(MAX_LIST_BYTES + 1), display_name(source))
        except (OSError, ValueError) as error:
            raise BatchError(f"the list {display_name(source)} cannot be read ({_why(error)})") from error
    elif glob.has_magic(source) and not os.path.lexists(source):
        matches = sorted(glob.iglob(source, recursive=True, include_hidden=False))
        if not matches:
            raise BatchError(f"the pattern {display_name(source)!r} matches nothing; quote it so that the shell leaves it alone")
        for match in matches:
            if os.path.isdir(match):
                continue  # `**` names folders too; the photos in them match by themselves.
            if os.path.splitext(match)[1].lower() in PHOTO_ENDINGS:
                yield match
            else:
                found.other_files += 1
    else:
        yield source


def _lines(data: bytes, name: str) -> Iterator[str]:
    if len(data) > MAX_LIST_BYTES:
        raise BatchError(f"the list {name} has more than {MAX_LIST_BYTES // 2**20} MiB: split it")
    for line in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        if line.strip():
            yield os.fsdecode(line.strip())


def _walk(top: str, found: Found, folders: dict[tuple[int, int], str]) -> Iterator[str]:
    """All photos below a folder, by name; each folder once, however many links lead to it."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            status = os.stat(folder)
            first = folders.setdefault((status.st_dev, status.st_ino), folder)
            if first != folder:
                reason = f"leads to the same folder as {display_name(first)}, which is looked into already"
                found.skipped.append(Skipped(folder, reason, lost=False))
                continue
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError as error:
            found.skipped.append(Skipped(folder, f"cannot be looked into ({_why(error)})", lost=True))
            continue
        below = []
        for path in (os.path.join(folder, name) for name in names):
            if os.path.isdir(path):
                below.append(path)
            elif os.path.splitext(path)[1].lower() in PHOTO_ENDINGS:
                yield path
            else:
                found.other_files += 1
        waiting += reversed(below)


def look_at(path: str, name: str | None = None) -> Photo:
    """A photo by its path, or the problem with it; `name` is shown for it instead of the path."""
    name = display_name(path if name is None else name)
    try:
        real = os.path.realpath(path)
        status = os.stat(path)
    except FileNotFoundError:
        return Photo(path, name, None, "no such file")
    except (OSError, ValueError) as error:
        return Photo(path, name, None, f"cannot be read ({_why(error)})")
    if stat.S_ISDIR(status.st_mode):
        return Photo(path, name, None, "is a folder, not a photo")
    if not stat.S_ISREG(status.st_mode):
        return Photo(path, name, None, "is not a regular file")
    return Photo(path, name, Identity(os.fsencode(real), status.st_size, status.st_mtime_ns))


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
