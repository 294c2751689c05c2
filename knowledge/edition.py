"""An edition: a corpus made ready to be published, wherever it is then kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from knowledge.articles import Article, Chunk
from knowledge.chunks import build_chunks
from knowledge.embedder import CachedEmbedder, Embedder, Vectors
from knowledge.index import embedding_texts
from knowledge.manifest import Manifest
from knowledge.passages import passage_texts, split_vectors
from knowledge.timeline import DocumentEntry


class Edition(NamedTuple):
    """Articles with their chunks, in order; vectors (N, D) of the chunks' texts and summaries, (P, D) of each one's passages."""

    manifest: Manifest
    articles: tuple[tuple[Article, tuple[Chunk, ...]], ...]
    texts: Vectors
    summaries: Vectors
    passages: tuple[Vectors, ...]

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """All chunks; row n of the vectors is chunk n."""
        return tuple(chunk for _, own in self.articles for chunk in own)


def build_edition(
    version: str, articles: Iterable[Article], embedder: Embedder, root: Path, earlier: Sequence[DocumentEntry]
) -> Edition:
    """The edition of a corpus. Vectors are remembered below `root`; `earlier` tells since when a document is indexed."""
    by_article = tuple((article, tuple(build_chunks(article))) for article in articles)
    chunks = [chunk for _, own in by_article for chunk in own]
    texts = embedding_texts(chunks)
    cache = CachedEmbedder(embedder, root / "embeddings.sqlite")
    vectors = cache.encode([*texts, *(text for chunk in chunks for text in passage_texts(chunk))])
    manifest = Manifest(
        version=version,
        embedder=embedder.name,
        published_at=datetime.now(UTC),
        documents=_entries(by_article, {(entry.base_id, entry.sha256): entry.indexed_at for entry in earlier}),
        chunks=len(chunks),
    )
    return Edition(
        manifest=manifest,
        articles=by_article,
        texts=vectors[: len(chunks)],
        summaries=vectors[len(chunks) : len(texts)],
        passages=tuple(split_vectors(chunks, vectors[len(texts) :])),
    )


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
