"""Photos as files, one a tenant and content, with a row each that says since when.

A file is whole or not there. Rows and files change together: the name is given to the file inside the transaction.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import func, select

from serve.store.database import Database
from serve.store.errors import NotFoundError, StoreError
from serve.store.ids import new_id
from serve.store.tables import photos
from serve.store.tenants import check_tenant

FOLDER = "photos"
MEDIA_TYPES = {
    "jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "tif": "image/tiff", "bmp": "image/bmp", "gif": "image/gif",
}  # fmt: skip
_STARTS = ((b"\xff\xd8\xff", "jpg"), (b"\x89PNG", "png"), (b"GIF8", "gif"), (b"BM", "bmp"), (b"II", "tif"), (b"MM", "tif"))
_LEFT_OVER_S = 3600.0
"""A file without a row that is older than this was left by a process that was killed."""


class StoredPhoto(NamedTuple):
    """A kept photo: its file and what kind of picture it is."""

    path: Path
    media_type: str


class Photos:
    """The photos of a store, below `home`/photos."""

    def __init__(self, database: Database, home: Path) -> None:
        self._database = database
        self.folder = home / FOLDER

    def keep(self, tenant: str, data: bytes) -> str:
        """Keep a photo's bytes, its age counted from now; its SHA-256. Raises StoreError where the disk takes it not."""
        sha256, extension = hashlib.sha256(data).hexdigest(), extension_of(data)
        path = self._path(tenant, sha256, extension)
        row = {"tenant": tenant, "sha256": sha256, "extension": extension, "size_bytes": len(data), "kept": time.time()}
        insert = self._database.insert(photos).values(row)
        insert = insert.on_conflict_do_update(index_elements=["tenant", "sha256"], set_={"kept": row["kept"]})
        with _disk(path), _whole_file(path, data) as written, self._database.note() as db:
            db.execute(insert)
            os.replace(written, path)
        return sha256

    def find(self, tenant: str, sha256: str) -> StoredPhoto:
        """A tenant's photo. Raises NotFoundError where it was never kept or its time has passed."""
        query = select(photos.c.extension).where(photos.c.tenant == tenant, photos.c.sha256 == sha256)
        with self._database.read() as db:
            extension = db.execute(query).scalar_one_or_none()
        path = self._path(tenant, sha256, extension) if extension is not None else None
        if extension is None or path is None or not path.is_file():
            raise NotFoundError("the photo is not kept: its time has passed, or photos are not kept here")
        return StoredPhoto(path, MEDIA_TYPES.get(extension, "application/octet-stream"))

    def used_mib(self, tenant: str) -> float:
        """How much a tenant's photos take, in MiB."""
        query = select(func.coalesce(func.sum(photos.c.size_bytes), 0)).where(photos.c.tenant == tenant)
        with self._database.read() as db:
            return float(db.execute(query).scalar_one()) / 2**20

    def sweep(self, older_than_s: float) -> int:
        """Remove photos that were kept longer than this, and files that nobody knows; how many photos went."""
        edge, gone = time.time() - older_than_s, 0
        while True:
            with self._database.write() as db:
                old = select(photos.c.tenant, photos.c.sha256).where(photos.c.kept < edge).limit(200)
                rows = db.execute(old).all()
                for tenant, sha256 in rows:
                    match = (photos.c.tenant == tenant) & (photos.c.sha256 == sha256) & (photos.c.kept < edge)
                    extension = db.execute(photos.delete().where(match).returning(photos.c.extension)).scalar_one_or_none()
                    if extension is not None:
                        self._path(tenant, sha256, extension).unlink(missing_ok=True)
                        gone += 1
            if not rows:
                break
        self._sweep_unknown()
        return gone

    def _sweep_unknown(self) -> None:
        with self._database.read() as db:
            known = {(tenant, sha256) for tenant, sha256 in db.execute(select(photos.c.tenant, photos.c.sha256))}
        for path in self.folder.glob("*/*"):
            with contextlib.suppress(OSError):
                if (path.parent.name, path.stem) not in known and time.time() - path.stat().st_mtime > _LEFT_OVER_S:
                    path.unlink()

    def _path(self, tenant: str, sha256: str, extension: str) -> Path:
        return self.folder / check_tenant(tenant) / f"{sha256}.{extension}"


def extension_of(data: bytes) -> str:
    """The ending that fits a picture's first bytes, `bin` where they are of no kind that is opened."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((extension for start, extension in _STARTS if data.startswith(start)), "bin")


@contextlib.contextmanager
def _whole_file(path: Path, data: bytes) -> Iterator[Path]:
    """A file beside `path` with the bytes, on disk, to be renamed inside; removed where that was not done."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.parent / f".{new_id()}.part"
    try:
        with written.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield written
    finally:
        with contextlib.suppress(OSError):
            written.unlink(missing_ok=True)


@contextlib.contextmanager
def _disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"the photo cannot be kept: {error.strerror or error} (folder {path.parent.name} of {FOLDER})"
        ) from error
