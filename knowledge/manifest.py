"""What a publication is made of, and as a folder: a database, vectors and a manifest that vouches for both by their hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import date, datetime
from pathlib import Path

from pydantic import Field, ValidationError

from knowledge.articles import KnowledgeError
from knowledge.timeline import DocumentEntry
from vision.fields import Contract

DATABASE, VECTORS, MANIFEST = "knowledge.sqlite", "vectors.faiss", "manifest.json"


class PublishError(KnowledgeError):
    """A publication that is missing, damaged or cannot be made."""


class DatabaseFault(KnowledgeError):
    """A database of publications that does not answer or refuses; the message names the setting and never the password."""


class Manifest(Contract):
    """What a publication is made of; `files` maps each file of a folder to its SHA-256."""

    version: str
    embedder: str
    published_at: datetime
    documents: tuple[DocumentEntry, ...]
    chunks: int
    files: dict[str, str] = Field(default_factory=dict)

    @property
    def newest_effective_date(self) -> date:
        """The latest effective date of a valid document, to be read beside `published_at`."""
        return max((d.effective_date for d in self.documents if d.status == "valid"), default=date.min)


def knowledge_root(home: Path) -> Path:
    """Folder of all publications under a home."""
    return home / "knowledge"


def current_folder(home: Path) -> Path:
    """Folder of the newest publication. Raises PublishError where there is none that is whole."""
    root = knowledge_root(home)
    try:
        version = (root / "current").read_text(encoding="utf-8").strip()
    except OSError as error:
        raise PublishError(f"nothing is published under {root}: open the knowledge base with a corpus first") from error
    folder = root / "versions" / version
    if not version.isalnum() or read_manifest(folder) is None:
        raise PublishError(f"the publication {version!r} under {root} is damaged: publish the corpus again")
    return folder


def read_manifest(folder: Path, names: Collection[str] = (DATABASE, VECTORS)) -> Manifest | None:
    """The manifest of a publication whose files are all there and unchanged, else None."""
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
        whole = set(manifest.files) == set(names) and manifest.version == folder.name
        return manifest if whole and all(sha256_of(folder / name) == sha for name, sha in manifest.files.items()) else None
    except (OSError, ValidationError, ValueError):
        return None


def sha256_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal digits, read piece by piece: an index may be larger than the memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
