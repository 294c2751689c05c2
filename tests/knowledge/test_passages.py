"""Passages: every sentence, step and row once, and a chunk as near as the nearest of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from knowledge.articles import Article, Chunk
from knowledge.chunks import build_chunks
from knowledge.passages import SqlitePassages, add_passages, create_table, nearest_passages, passage_texts, split_vectors

from .conftest import HashEmbedder

MakeArticle = Callable[..., Article]
BODY = """# T

## 1 Valve

The valve opens at 5 bar. It closes at 4 bar, i.e. slowly.

## 2 Steps

1. Close the cock.
2. Open the vent.

## 3 Data

| Item | Value |
|---|---|
| Case | 100 mm |
| Thread | G 1/2 |
"""


@pytest.fixture
def chunks(make_article: MakeArticle) -> tuple[Chunk, ...]:
    return build_chunks(make_article(BODY))


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:")
    create_table(db)
    yield db
    db.close()


def test_sentences_steps_and_rows_stand_behind_their_heading(chunks: tuple[Chunk, ...]) -> None:
    assert [passage_texts(chunk) for chunk in chunks] == [
        ("Valve: The valve opens at 5 bar.", "Valve: It closes at 4 bar, i.e. slowly."),
        ("Steps: Close the cock.", "Steps: Open the vent."),
        ("Data: Item: Case; Value: 100 mm", "Data: Item: Thread; Value: G 1/2"),
    ]


def test_no_passage_of_the_shipped_corpus_is_empty_or_names_no_text(corpus: tuple[Article, ...]) -> None:
    for article in corpus:
        for chunk in build_chunks(article):
            texts = passage_texts(chunk)
            assert texts
            assert all(text.removeprefix(f"{chunk.section_title}:").strip() for text in texts), chunk.id


def test_vectors_come_back_with_their_chunks(chunks: tuple[Chunk, ...]) -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(6, 2)
    parts = list(split_vectors(chunks, vectors))
    assert [len(part) for part in parts] == [2, 2, 2]
    np.testing.assert_array_equal(np.concatenate(parts), vectors)


def test_a_chunk_is_as_near_as_its_nearest_passage(chunks: tuple[Chunk, ...], db: sqlite3.Connection) -> None:
    embedder = HashEmbedder()
    texts = [text for chunk in chunks for text in passage_texts(chunk)]
    vectors = embedder.encode(texts)
    add_passages(db, split_vectors(chunks, vectors))
    query = embedder.encode(["Thread G 1/2"])[0]
    found = nearest_passages(SqlitePassages(db), [0, 1, 2], query)
    cosines = np.clip(vectors @ query, 0.0, 1.0).reshape(3, 2).max(1)
    assert found == pytest.approx(dict(enumerate(cosines.tolist())), abs=2e-3)
    assert max(found, key=lambda row: found[row]) == 2
    assert nearest_passages(SqlitePassages(db), [1], query).keys() == {1}
    assert nearest_passages(SqlitePassages(db), [], query) == {}


def test_scores_stay_in_bounds_for_opposite_vectors(db: sqlite3.Connection) -> None:
    add_passages(db, [np.array([[-1.0, 0.0]], np.float32), np.array([[1.0, 0.0]], np.float32)])
    assert nearest_passages(SqlitePassages(db), [0, 1], np.array([1.0, 0.0], np.float32)) == {0: 0.0, 1: 1.0}
