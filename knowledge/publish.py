"""Publishing: a corpus becomes a versioned, immutable index folder, at once or not at all.

`<home>/knowledge/versions/<version>/` holds one publication; `<home>/knowledge/current` names the newest.
A publication is built in a folder of its own and appears by one rename, so a killed build leaves nothing
that anyone would open. The version follows from content alone (corpus, embedder and the code that shapes
an index), so two processes that publish at once arrive at the same folder and the second gives way.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from knowledge import lexical, passages, structured
from knowledge.articles import Article, Chunk
from knowledge.chunks import build_chunks
from knowledge.corpora import corpus_folders, corpus_version, read_corpora
from knowledge.embedder import CachedEmbedder, Embedder
from knowledge.index import DenseIndex, content_hash, embedding_texts
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
    for folder in corpus_folders(corpus):
        if not folder.is_dir():
            raise PublishError(f"{folder} is not a folder of articles")
    try:
        return _publish(knowledge_root(home), corpus, embedder)
    except OSError as error:
        names = ", ".join(str(folder) for folder in corpus_folders(corpus))
        raise PublishError(f"cannot publish {names} under {home}: {error}; choose a home that can be written") from error


def _publish(root: Path, corpus: Path | Sequence[Path], embedder: Embedder) -> Path:
    version = corpus_version(corpus, embedder)
    folder = root / "versions" / version
    if read_manifest(folder) is None:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _clear_stale_builds(folder.parent)
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=folder.parent))
        try:
            _build(building, version, read_corpora(corpus), embedder, root)
            _put_in_place(building, folder)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    _make_current(root, version)
    return folder


def _build(folder: Path, version: str, articles: Sequence[Article], embedder: Embedder, root: Path) -> None:
    by_article = [(article, build_chunks(article)) for article in articles]
    chunks = [chunk for _, own in by_article for chunk in own]
    cache = CachedEmbedder(embedder, root / "embeddings.sqlite")
    texts = embedding_texts(chunks)
    vectors = cache.encode([*texts, *(text for chunk in chunks for text in passages.passage_texts(chunk))])
    DenseIndex.build(vectors[: len(texts)]).save(folder / VECTORS)
    with closing(sqlite3.connect(folder / DATABASE)) as db, db:
        _write_chunks(db, chunks)
        lexical.create_table(db)
        lexical.add_chunks(db, chunks)
        passages.create_table(db)
        passages.add_passages(db, passages.split_vectors(chunks, vectors[len(texts) :]))
        structured.create_table(db)
        for article, own in by_article:
            structured.add_facts(db, article, own)
    manifest = Manifest(
        version=version,
        embedder=embedder.name,
        published_at=datetime.now(UTC),
        documents=_entries(by_article, _earlier_entries(root)),
        chunks=len(chunks),
        files={name: sha256_of(folder / name) for name in (DATABASE, VECTORS)},
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    for name in (DATABASE, VECTORS, MANIFEST):
        _flush(folder / name)


def _write_chunks(db: sqlite3.Connection, chunks: Sequence[Chunk]) -> None:
    db.execute(CHUNK_TABLE)
    rows = ((row, chunk.id, content_hash(chunk), chunk.model_dump_json()) for row, chunk in enumerate(chunks))
    db.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", rows)


def _entries(
    by_article: Sequence[tuple[Article, Sequence[Chunk]]], earlier: dict[tuple[str, str], datetime]
) -> tuple[DocumentEntry, ...]:
    now = datetime.now(UTC)
    entries: list[DocumentEntry] = []
    for article, chunks in by_article:
        base = article.id.split("@", 1)[0]
        sha = hashlib.sha256(article.model_copy(update={"id": base}).model_dump_json(exclude={"sections"}).encode()).hexdigest()
        entries.append(
            DocumentEntry(
                id=article.id,
                title=article.title,
                version=article.version,
                effective_date=article.effective_date,
                status=article.status,
                language=article.language,
                kind=article.kind,
                models=article.models,
                authority=article.authority,
                source=article.source,
                sha256=sha,
                indexed_at=earlier.get((base, sha), now),
                chunks=len(chunks),
            )
        )
    return tuple(entries)


def _earlier_entries(root: Path) -> dict[tuple[str, str], datetime]:
    try:
        manifest = read_manifest(current_folder(root.parent))
    except PublishError:
        return {}
    return {(d.base_id, d.sha256): d.indexed_at for d in manifest.documents} if manifest else {}


def _put_in_place(building: Path, folder: Path) -> None:
    """Rename the finished build to its version. A whole one that is there already wins; a damaged one is moved away."""
    # mkdtemp makes folders for the owner alone; a published index may be read by a service under another user.
    building.chmod(0o755)
    for _ in range(10):
        try:
            building.rename(folder)
            return
        except OSError:
            if read_manifest(folder) is not None:
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
