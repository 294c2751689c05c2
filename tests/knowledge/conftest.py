"""Fixtures of the knowledge room: the shipped corpus published once, a cheap embedder, and small articles."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from knowledge.articles import Article, parse_article, read_corpus
from knowledge.corpora import SHIPPED_CORPUS
from knowledge.embedder import Vectors
from knowledge.lexical import terms
from knowledge.manifest import knowledge_root
from knowledge.search import KnowledgeBase

HEAD = """---
id: {id}
title: {title}
models: [{models}]
kind: dial
language: {language}
authority: specification
status: {status}
version: "{version}"
effective_date: {date}
---
"""


class HashEmbedder:
    """Bag of hashed words: fast, deterministic, and good enough where the model's quality is not the point."""

    dimension = 64

    def __init__(self, name: str = "hash") -> None:
        self.name = name
        self.seen: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (N, 64)."""
        self.seen.extend(texts)
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for term in terms(text) or [""]:
                vectors[row, int.from_bytes(hashlib.sha256(term.encode()).digest()[:2], "big") % self.dimension] += 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9) if len(texts) else vectors


def article_text(body: str, **head: str) -> str:
    """An article's file: front matter with defaults, then `body`."""
    values = {"id": "t-1-en", "title": "T-1 Manual", "models": "T-1", "language": "en", "status": "valid", "version": "1"}
    return HEAD.format(**(values | {"date": "2024-01-01"} | head)) + body


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
def make_article() -> Callable[..., Article]:
    def make(body: str, **head: str) -> Article:
        return parse_article(article_text(body, **head), f"{head.get('id', 't-1-en')}.md")

    return make


@pytest.fixture
def make_corpus(tmp_path: Path) -> Callable[..., Path]:
    """Writes files `name -> body` as articles into a fresh folder; a body that begins with '---' is written as it is."""

    def make(folder: str = "corpus", /, **bodies: str) -> Path:
        root = tmp_path / folder
        root.mkdir(exist_ok=True)
        for name, body in bodies.items():
            ident = name.replace("_", "-")
            (root / f"{ident}.md").write_text(body if body.startswith("---") else article_text(body, id=ident), encoding="utf-8")
        return root

    return make


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[str]:
    """Address of a fresh database on a real PostgreSQL with pgvector; the server's files are kept between runs."""
    from tests.serve.databases import fresh_database
    from tests.serve.databases import postgres_server as run_server

    cache = getattr(pytestconfig, "cache", None)
    folder = Path(cache.mkdir("postgres")) if cache else tmp_path_factory.mktemp("postgres")
    with run_server(folder) as server, fresh_database(server) as address:
        yield address


@pytest.fixture
def database(postgres_server: str) -> Iterator[str]:
    """Address of a database in which nothing is published."""
    import psycopg

    from knowledge.postgres.tables import SCHEMA

    yield postgres_server
    with psycopg.connect(postgres_server.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")


@pytest.fixture(scope="session")
def corpus() -> tuple[Article, ...]:
    return read_corpus(SHIPPED_CORPUS)


@pytest.fixture(scope="session")
def kb(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[KnowledgeBase]:
    """The shipped corpus with the packaged embedder, published afresh; vectors of known texts are kept between runs."""
    home = tmp_path_factory.mktemp("home")
    vectors = knowledge_root(home) / "embeddings.sqlite"
    cache = getattr(pytestconfig, "cache", None)
    kept = cache.mkdir("knowledge") / "embeddings.sqlite" if cache else None
    if kept and kept.is_file():
        vectors.parent.mkdir(parents=True)
        shutil.copy(kept, vectors)
    base = KnowledgeBase.open(home)
    if kept:
        shutil.copy(vectors, kept)
    yield base
    base.close()
