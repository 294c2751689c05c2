"""The dense index: exact cosines, filters, and damage that is noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from knowledge.articles import Article
from knowledge.chunks import build_chunks
from knowledge.dense import cosines
from knowledge.index import DenseIndex, IndexFault, content_hash, embedding_text, embedding_texts, summary_text


def unit_vectors(count: int, dimension: int = 16) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    vectors = np.random.default_rng(5).normal(size=(count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_search_equals_brute_force() -> None:
    vectors = unit_vectors(50)
    index = DenseIndex.build(vectors)
    query = unit_vectors(51)[50]
    found = index.search(query, range(50), 5)
    cosines = vectors @ query
    expected = sorted(range(50), key=lambda row: -cosines[row])[:5]
    assert list(found) == expected
    assert list(found.values()) == pytest.approx([max(0.0, float(cosines[row])) for row in expected], abs=1e-5)


def test_only_allowed_rows_are_found_however_far() -> None:
    vectors = unit_vectors(50)
    index = DenseIndex.build(vectors)
    found = index.search(vectors[7], [3, 11, 29], 5)
    assert set(found) == {3, 11, 29}
    assert index.search(vectors[7], [], 5) == {}
    assert index.search(vectors[7], [7], 0) == {}


def test_scores_stay_in_range() -> None:
    vectors = unit_vectors(4)
    found = DenseIndex.build(np.concatenate([vectors, -vectors])).search(vectors[0], range(8), 8)
    assert found[0] == pytest.approx(1.0)
    assert found[4] == 0.0
    assert all(0.0 <= score <= 1.0 for score in found.values())


def test_saved_and_loaded(tmp_path: Path) -> None:
    vectors = unit_vectors(9)
    DenseIndex.build(vectors).save(tmp_path / "v.faiss")
    loaded = DenseIndex.load(tmp_path / "v.faiss", 9)
    assert len(loaded) == 9
    assert loaded.vectors([4, 2]) == pytest.approx(vectors[[4, 2]])
    assert loaded.vectors([]).shape == (0, 16)


def test_damage_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "v.faiss"
    DenseIndex.build(unit_vectors(9)).save(path)
    with pytest.raises(IndexFault, match="9 vectors for 8 chunks"):
        DenseIndex.load(path, 8)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(IndexFault, match="not a FAISS index"):
        DenseIndex.load(path, 9)
    with pytest.raises(IndexFault):
        DenseIndex.load(tmp_path / "missing", 9)


def test_an_empty_index_finds_nothing() -> None:
    assert DenseIndex.build(np.zeros((0, 16), np.float32)).search(unit_vectors(1)[0], [], 3) == {}


def test_few_allowed_rows_and_many_give_the_same_scores() -> None:
    vectors = unit_vectors(200)
    index = DenseIndex.build(vectors)
    query = unit_vectors(201)[200]
    everything = index.search(query, np.ones(200, np.bool_), 200)
    few = np.zeros(200, np.bool_)
    few[[list(everything)[place] for place in (3, 10, 30)]] = True
    found = index.search(query, few, 2)
    assert list(found) == [row for row in everything if few[row]][:2]
    assert all(score == pytest.approx(everything[row], abs=1e-5) for row, score in found.items())


def test_of_copies_the_first_rows_are_found_whatever_is_allowed() -> None:
    vectors = np.repeat(unit_vectors(3), 100, axis=0)
    index = DenseIndex.build(vectors)
    for allowed in (range(300), range(0, 300, 2), range(0, 300, 20)):
        found = index.search(vectors[150], allowed, 4)
        copies = [row for row in allowed if 100 <= row < 200]
        assert list(found) == copies[:4]
        assert len(set(found.values())) == 1


def test_a_cosine_does_not_depend_on_the_rows_beside_it() -> None:
    vectors, query = unit_vectors(200, 384), unit_vectors(1, 384)[0]
    together = cosines(vectors, query)
    assert together.tolist() == [float(cosines(vectors[row : row + 1], query)[0]) for row in range(200)]
    assert together == pytest.approx(vectors @ query, abs=1e-6)


def test_a_summary_leads_to_its_chunk(tmp_path: Path) -> None:
    vectors = unit_vectors(12)
    DenseIndex.build(vectors).save(tmp_path / "v.faiss")
    index = DenseIndex.load(tmp_path / "v.faiss", 6)
    assert index.summarised
    assert next(iter(index.search(vectors[9], range(6), 3))) == 3
    alone = index.search(vectors[9], range(6), 6, summaries=False)
    assert alone[3] == pytest.approx(max(0.0, float(vectors[3] @ vectors[9])), abs=1e-5)
    assert set(index.search(vectors[9], [1, 2], 6)) == {1, 2}


def test_a_vector_of_another_model_is_refused() -> None:
    with pytest.raises(IndexFault, match=r"\(8,\).*dimension 16"):
        DenseIndex.build(unit_vectors(3)).search(unit_vectors(1, 8)[0], [0], 1)


def test_summaries_name_model_and_heading(corpus: tuple[Article, ...]) -> None:
    article = next(a for a in corpus if a.id == "xyz-2000-en")
    chunk = next(c for c in build_chunks(article) if c.section == "6.2")
    assert summary_text(chunk).startswith("XYZ-2000 Zero check: Check the zero point once a month")
    assert len(summary_text(chunk)) < 120
    assert embedding_texts([chunk]) == [embedding_text(chunk), summary_text(chunk)]


def test_what_is_embedded_names_the_place_and_carries_the_unit(corpus: tuple[Article, ...]) -> None:
    article = next(a for a in corpus if a.id == "xyz-2000-en")
    chunk = next(c for c in build_chunks(article) if c.semantic_type == "formula")
    assert embedding_text(chunk).startswith("XYZ-2000 Pressure Gauge, Operating Manual. Calibration formula\n")
    assert "The unit of pressure is MPa" in embedding_text(chunk)
    assert content_hash(chunk) != content_hash(chunk.model_copy(update={"text": "other"}))
