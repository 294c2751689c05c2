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
from datetime import UTC, date, datetime
from pathlib import Path

from pydantic import ValidationError

from knowledge import lexical, structured
from knowledge.articles import Article, ArticleError, Chunk, KnowledgeError, read_corpus
from knowledge.chunks import build_chunks
from knowledge.embedder import CachedEmbedder, Embedder
from knowledge.index import DenseIndex, content_hash, embedding_texts
from knowledge.timeline import DocumentEntry
from vision.fields import Contract

SHIPPED_CORPUS = Path(__file__).parent / "corpus"
DATABASE, VECTORS, MANIFEST = "knowledge.sqlite", "vectors.faiss", "manifest.json"
_STALE_BUILD_S = 3600.0
# fmt: off
_SHAPING_MODULES = (
    "arithmetic", "articles", "chunks", "embedder", "facts", "formula_text", "index", "lexical", "publish", "sentences",
    "statements", "structured", "synonyms", "timeline", "units",
)
# fmt: on


class PublishError(KnowledgeError):
    """A publication that is missing, damaged or cannot be made."""


class Manifest(Contract):
    """What a publication is made of; `files` maps each file to its SHA-256."""

    version: str
    embedder: str
    published_at: datetime
    documents: tuple[DocumentEntry, ...]
    chunks: int
    files: dict[str, str]

    @property
    def newest_effective_date(self) -> date:
        """The latest effective date of a valid document, to be read beside `published_at`."""
        return max((d.effective_date for d in self.documents if d.status == "valid"), default=date.min)


def knowledge_root(home: Path) -> Path:
    """Folder of all publications under a home."""
    return home / "knowledge"


def user_corpus(home: Path) -> Path:
    """Folder of the articles that the user added."""
    return home / "corpus" / "documents"


def default_corpora(home: Path) -> tuple[Path, ...]:
    """What is published where nothing else is named: the shipped corpus and the user's own articles, where there are any."""
    own = user_corpus(home)
    return (SHIPPED_CORPUS, own) if any(own.glob("*.md")) else (SHIPPED_CORPUS,)


def corpus_version(corpus: Path | Sequence[Path], embedder: Embedder) -> str:
    """Version that corpus folders would be published as: 16 hex digits over all that shapes the index."""
    digest = hashlib.sha256(embedder.name.encode())
    code = Path(__file__).parent
    files = [(path.name, path) for path in (*(code / f"{name}.py" for name in _SHAPING_MODULES), code / "synonyms.toml")]
    for number, folder in enumerate(_folders(corpus)):
        files += [(f"{number or ''}{path.relative_to(folder).as_posix()}", path) for path in sorted(folder.rglob("*.md"))]
    for name, path in files:
        digest.update(f"\0{name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def read_corpora(corpus: Path | Sequence[Path]) -> tuple[Article, ...]:
    """Articles of one or several folders, ready to be published side by side.

    Of an id with several versions the newest keeps the id; the older ones are told apart as `id@version`, so that
    their chunks and facts have names of their own. Raises ArticleError on two that claim the same id and version.
    """
    articles = [article for folder in _folders(corpus) for article in read_corpus(folder)]
    seen: dict[tuple[str, str], Article] = {}
    for article in articles:
        other = seen.setdefault((article.id, article.version), article)
        if other is not article:
            raise ArticleError(
                f"{article.source}: id {article.id!r} version {article.version!r} is already taken by {other.source}"
            )
    heads: dict[str, Article] = {}
    for article in articles:
        best = heads.setdefault(article.id, article)
        if _recency(article) > _recency(best):
            heads[article.id] = article
    return tuple(a if heads[a.id] is a else a.model_copy(update={"id": f"{a.id}@{a.version}"}) for a in articles)


def _recency(article: Article) -> tuple[bool, date, str]:
    return article.status == "valid", article.effective_date, article.version


def _folders(corpus: Path | Sequence[Path]) -> tuple[Path, ...]:
    return (corpus,) if isinstance(corpus, Path) else tuple(corpus)


def publish(home: Path, corpus: Path | Sequence[Path], embedder: Embedder) -> Path:
    """Publish one or several folders if that is not done yet and make it current. Returns the publication's folder.

    Raises ArticleError where the corpus does not hold, PublishError where the home cannot be written; what
    was published before stays current then.
    """
    for folder in _folders(corpus):
        if not folder.is_dir():
            raise PublishError(f"{folder} is not a folder of articles")
    try:
        return _publish(knowledge_root(home), corpus, embedder)
    except OSError as error:
        names = ", ".join(str(folder) for folder in _folders(corpus))
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


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a publication whose files are all there and unchanged, else None."""
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
        whole = set(manifest.files) == {DATABASE, VECTORS} and manifest.version == folder.name
        return manifest if whole and all(_sha256(folder / name) == sha for name, sha in manifest.files.items()) else None
    except (OSError, ValidationError, ValueError):
        return None


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _build(folder: Path, version: str, articles: Sequence[Article], embedder: Embedder, root: Path) -> None:
    by_article = [(article, build_chunks(article)) for article in articles]
    chunks = [chunk for _, own in by_article for chunk in own]
    cache = CachedEmbedder(embedder, root / "embeddings.sqlite")
    DenseIndex.build(cache.encode(embedding_texts(chunks))).save(folder / VECTORS)
    with closing(sqlite3.connect(folder / DATABASE)) as db, db:
        _write_chunks(db, chunks)
        lexical.create_table(db)
        lexical.add_chunks(db, chunks)
        structured.create_table(db)
        for article, own in by_article:
            structured.add_facts(db, article, own)
    manifest = Manifest(
        version=version,
        embedder=embedder.name,
        published_at=datetime.now(UTC),
        documents=_entries(by_article, _earlier_entries(root)),
        chunks=len(chunks),
        files={name: _sha256(folder / name) for name in (DATABASE, VECTORS)},
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    for name in (DATABASE, VECTORS, MANIFEST):
        _flush(folder / name)


def _write_chunks(db: sqlite3.Connection, chunks: Sequence[Chunk]) -> None:
    db.execute(
        "CREATE TABLE chunks (row INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, sha256 TEXT NOT NULL, content TEXT NOT NULL)"
    )
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


def read_chunks(db: sqlite3.Connection) -> tuple[Chunk, ...]:
    """All chunks in row order. Raises PublishError where a row does not hold."""
    chunks: list[Chunk] = []
    for row, sha, content in db.execute("SELECT row, sha256, content FROM chunks ORDER BY row"):
        try:
            chunk = Chunk.model_validate_json(content)
        except ValidationError as error:
            raise PublishError(f"chunk {row} of the index does not hold: {error}") from error
        if row != len(chunks) or content_hash(chunk) != sha:
            raise PublishError(f"row {row} of the index is not the chunk that was embedded")
        chunks.append(chunk)
    return tuple(chunks)
