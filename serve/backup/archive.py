"""The file of a backup: a tar whose last member lists all others with size and SHA-256."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Annotated, Literal, NamedTuple

from pydantic import Field, ValidationError

from serve.store.errors import RefusedError
from vision.fields import Contract

MANIFEST = "manifest.json"
FORMAT = "gaugerag-backup-1"
MAX_MANIFEST_BYTES = 256 * 2**20
_CHUNK = 2**20


class Member(Contract):
    """One file of a backup; `name` is its path below the home, or below `tables/`."""

    name: str
    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(Contract):
    """What a backup holds. `revision` is the step of the tables; `made_at` an ISO 8601 moment in UTC."""

    format: Literal["gaugerag-backup-1"]
    made_at: str
    program: str
    revision: str
    members: tuple[Member, ...]


class Head(NamedTuple):
    """What a manifest says beside its members."""

    made_at: str
    program: str
    revision: str


class Writer:
    """Writes a backup beside `path` and gives it the name when `close` is reached: it is whole or not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.part = path.with_name(f".{path.name}.part")
        self._file = self.part.open("wb")
        self._tar = tarfile.open(fileobj=self._file, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115 - closed in close
        self.members: list[Member] = []

    def add(self, source: Path, name: str) -> None:
        """Add a file under a name. One that shrinks or grows meanwhile is taken at the length that it had when it was opened."""
        with source.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            digest = hashlib.sha256()
            self._tar.addfile(_info(name, size), _Hashing(file, digest, size))
        self.members.append(Member(name=name, size=size, sha256=digest.hexdigest()))

    def close(self, head: Head) -> Manifest:
        """Write the list of members, and the file to the disk."""
        manifest = Manifest(format=FORMAT, members=tuple(self.members), **head._asdict())
        text = manifest.model_dump_json().encode()
        self._tar.addfile(_info(MANIFEST, len(text)), io.BytesIO(text))
        self._tar.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        os.replace(self.part, self.path)
        return manifest

    def abandon(self) -> None:
        """Leave nothing behind."""
        self._file.close()
        self.part.unlink(missing_ok=True)


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """A backup that is abandoned where the block fails before `close`. Raises OSError."""
    writer = Writer(path)
    try:
        yield writer
    except BaseException:
        writer.abandon()
        raise


def unpack(path: Path, folder: Path) -> Manifest:
    """Unpack a backup into an empty folder and hold every byte against its list.

    Raises RefusedError where it is no backup, is cut off, or differs from its list in anything: no link, no path that leads
    out of the folder, no file more or less is let through. OSError where the folder cannot be written.
    """
    found: dict[str, Member] = {}
    manifest: Manifest | None = None
    try:
        with tarfile.open(path, mode="r:") as tar:
            for info in tar:
                if manifest is not None:
                    raise RefusedError(f"{path}: there is something behind the list of its files; it is damaged")
                file = tar.extractfile(info) if info.isreg() else None
                if file is None:
                    raise RefusedError(f"{path}: {info.name[:80]!r} is no plain file; this is no backup of this program")
                if info.name == MANIFEST:
                    manifest = _manifest(path, file, info.size)
                    continue
                if info.name in found:
                    raise RefusedError(f"{path}: {info.name[:80]!r} is in it twice; it is damaged")
                found[info.name] = _extract(file, folder / _safe(path, info.name), info.name)
    except (tarfile.TarError, EOFError) as error:
        raise RefusedError(f"{path} is no whole backup: {error}") from error
    if manifest is None:
        raise RefusedError(f"{path} is no whole backup: the list of its files is missing; it was cut off")
    listed = {one.name: one for one in manifest.members}
    if listed != found or len(listed) != len(manifest.members):
        wrong = sorted(name for name in {*listed, *found} if listed.get(name) != found.get(name))
        raise RefusedError(
            f"{path}: {len(wrong)} files differ from the list, the first is {(wrong or ['?'])[0][:80]!r}; it is damaged"
        )
    return manifest


def _extract(source: IO[bytes], target: Path, name: str) -> Member:
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with target.open("xb") as file:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            file.write(chunk)
    return Member(name=name, size=size, sha256=digest.hexdigest())


def _safe(path: Path, name: str) -> PurePosixPath:
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts or "\\" in name or "\0" in name or not parts.parts:
        raise RefusedError(f"{path}: {name[:80]!r} leads out of the folder; this is no backup of this program")
    return parts


def _manifest(path: Path, file: IO[bytes], size: int) -> Manifest:
    if size > MAX_MANIFEST_BYTES:
        raise RefusedError(f"{path}: the list of its files is too long to be one")
    try:
        return Manifest.model_validate_json(file.read())
    except ValidationError as error:
        raise RefusedError(f"{path}: the list of its files cannot be read; it is of another version or damaged") from error


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info


class _Hashing(io.RawIOBase):
    """Reads exactly `size` bytes of a file, hashing them; what the file lacks by now is zeros."""

    def __init__(self, file: IO[bytes], digest: hashlib._Hash, size: int) -> None:
        super().__init__()
        self._file, self._digest, self._left = file, digest, size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        wanted = self._left if size < 0 else min(size, self._left)
        data = self._file.read(wanted)
        data += b"\0" * (wanted - len(data))
        self._digest.update(data)
        self._left -= wanted
        return data
