"""Publishing: a corpus becomes a versioned, immutable index folder, at once or not at all.

`<home>/knowledge/versions/<version>/` holds one publication; `<home>/knowledge/current` names the newest.
A publication is built in a folder of its own and appears by one rename, so a killed build leaves nothing
that anyone would open. The version follows from content alone (corpus, embedder and the code that shapes
an index), so two processes that publish at once arrive at the same folder and the second gives way.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from knowledge import lexical, passages, structured
from knowledge.articles import Chunk
from knowledge.corpora import corpus_folders, corpus_version, read_corpora
from knowledge.edition import Edition, build_edition
from knowledge.embedder import Embedder
from knowledge.index import DenseIndex, content_hash
from knowledge.manifest import (
    DATABASE,
    MANIFEST,
    VECTORS,
    Manifest,
    PublishError,
    current_folder,
    knowledge_root,
    read_manifest,
    sha256_of,
)
from knowledge.timeline import DocumentEntry

CHUNK_TABLE = (
    "CREATE TABLE chunks (row INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, sha256 TEXT NOT NULL, content TEXT NOT NULL)"
)
_STALE_BUILD_S = 3600.0


def publish(home: Path, corpus: Path | Sequence[Path], embedder: Embedder) -> Path:
    """Publish one or several folders if that is not done yet and make it current. Returns the publication's folder.

    Raises ArticleError where the corpus does not hold, PublishError where the home cannot be written; what
    was published before stays current then.
    """
    with writing(home, corpus):
        return _publish(knowledge_root(home), corpus, embedder)


@contextlib.contextmanager
def writing(home: Path, corpus: Path | Sequence[Path]) -> Iterator[None]:
    """Raises PublishError where a folder of the corpus is none, and where the home cannot be written in the block."""
    for folder in corpus_folders(corpus):
        if not folder.is_dir():
            raise PublishError(f"{folder} is not a folder of articles")
    try:
        yield
    except OSError as error:
        names = ", ".join(str(folder) for folder in corpus_folders(corpus))
        raise PublishError(f"cannot publish {names} under {home}: {error}; choose a home that can be written") from error


def _publish(root: Path, corpus: Path | Sequence[Path], embedder: Embedder) -> Path:
    version = corpus_version(corpus, embedder)
    folder = root / "versions" / version
    if read_manifest(folder) is None:
        with building(folder, read_manifest) as fresh:
            _build(fresh, build_edition(version, read_corpora(corpus), embedder, root, _earlier(root)))
    _make_current(root, version)
    return folder


@contextlib.contextmanager
def building(folder: Path, whole: Callable[[Path], Manifest | None]) -> Iterator[Path]:
    """A fresh folder that takes the place of `folder` when the block is left; `whole` says what would win over it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    _clear_stale_builds(folder.parent)
    fresh = Path(tempfile.mkdtemp(prefix=".building-", dir=folder.parent))
    try:
        yield fresh
        _put_in_place(fresh, folder, whole)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _build(folder: Path, edition: Edition) -> None:
    DenseIndex.build(np.concatenate([edition.texts, edition.summaries])).save(folder / VECTORS)
    with closing(sqlite3.connect(folder / DATABASE)) as db, db:
        write_words(db, edition.chunks)
        passages.create_table(db)
        passages.add_passages(db, edition.passages)
        structured.create_table(db)
        for article, own in edition.articles:
            structured.add_facts(db, article, own)
    files = {name: sha256_of(folder / name) for name in (DATABASE, VECTORS)}
    seal(folder, edition.manifest.model_copy(update={"files": files}))


def write_words(db: sqlite3.Connection, chunks: Iterable[Chunk]) -> None:
    """The chunks and what the lexical route reads, in a fresh database; one chunk at a time, they may be many."""
    db.execute(CHUNK_TABLE)
    lexical.create_table(db)

    def kept() -> Iterator[Chunk]:
        for row, chunk in enumerate(chunks):
            db.execute("INSERT INTO chunks VALUES (?, ?, ?, ?)", (row, chunk.id, content_hash(chunk), chunk.model_dump_json()))
            yield chunk

    lexical.add_chunks(db, kept())


def seal(folder: Path, manifest: Manifest) -> None:
    """Write the manifest that vouches for the files of a folder, and all of it onto the disk."""
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    for name in (*manifest.files, MANIFEST):
        _flush(folder / name)


def _earlier(root: Path) -> tuple[DocumentEntry, ...]:
    try:
        manifest = read_manifest(current_folder(root.parent))
    except PublishError:
        return ()
    return manifest.documents if manifest else ()


def _put_in_place(fresh: Path, folder: Path, whole: Callable[[Path], Manifest | None]) -> None:
    """Rename the finished build to its version. A whole one that is there already wins; a damaged one is moved away."""
    # mkdtemp makes folders for the owner alone; a published index may be read by a service under another user.
    fresh.chmod(0o755)
    for _ in range(10):
        try:
            fresh.rename(folder)
            return
        except OSError:
            if whole(folder) is not None:
                return
            grave = Path(tempfile.mkdtemp(prefix=".building-damaged-", dir=folder.parent))
            with contextlib.suppress(OSError):
                folder.rename(grave / "index")
            shutil.rmtree(grave, ignore_errors=True)
    raise PublishError(f"cannot put the index at {folder}: check the rights of its parent folder")


def _make_current(root: Path, version: str) -> None:
    pointer = root / "current"
    if pointer.is_file() and pointer.read_text(encoding="utf-8", errors="replace") == version:
        return
    handle, name = tempfile.mkstemp(prefix=".current-", dir=root)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(version)
    _flush(Path(name))
    Path(name).replace(pointer)


def _flush(path: Path) -> None:
    """Onto the disk before the rename that makes it visible: a power cut must not leave the name without the content."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _clear_stale_builds(versions: Path) -> None:
    for leftover in versions.glob(".building-*"):
        with contextlib.suppress(OSError):
            if time.time() - leftover.stat().st_mtime > _STALE_BUILD_S:
                shutil.rmtree(leftover, ignore_errors=True)
