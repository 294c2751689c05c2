"""Tuning the embedder: what is split, batched, merged and kept; the run itself is slow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from knowledge.articles import Article
from knowledge.chunks import build_chunks
from knowledge.embedder import MiniLM, load_embedder
from knowledge.manifest import PublishError
from knowledge.search import KnowledgeBase
from knowledge.synonyms import Concept, SynonymGraph
from knowledge.tune import score_pairs, tune_embedder
from knowledge.tuning_pairs import Pair, TuneError, heading_pairs, logged_pairs, split_pairs, synonym_pairs
from knowledge.tuning_training import TuneOptions, make_batches
from knowledge.usage import UsageLog

from .conftest import HashEmbedder

PAIRS = [Pair(f"word {n}", f"partner {n} {m}", "synonyms") for n in range(60) for m in range(2)]


def test_pairs_come_from_graph_manuals_and_log(corpus: tuple[Article, ...], tmp_path: Path) -> None:
    graph = SynonymGraph([Concept("lamp", ("lamp", "light"), ("指示灯",))])
    assert synonym_pairs(graph) == [Pair("lamp", "light", "synonyms"), Pair("lamp", "指示灯", "synonyms")]
    chunks = build_chunks(next(a for a in corpus if a.id == "xyz-2000-en"))
    headings = heading_pairs(chunks)
    assert any(pair.first == "Zero check XYZ-2000" and "once a month" in pair.second for pair in headings)
    log = UsageLog(tmp_path)
    log.record_search("when to calibrate", ["a:1:x", "b:1:y"], None)
    log.record_search("gone", ["c:1:z"], None)
    found = logged_pairs(log.path, {"a:1:x": "every year"}.get)
    assert found == [Pair("when to calibrate", "every year", "log")]
    assert logged_pairs(tmp_path / "missing.sqlite", {}.get) == []
    (tmp_path / "bad.sqlite").write_bytes(b"no database" * 200)
    with pytest.raises(TuneError, match="start a new log"):
        logged_pairs(tmp_path / "bad.sqlite", {}.get)


def test_held_out_words_are_never_learnt_from() -> None:
    train, held = split_pairs(PAIRS, 0.3)
    assert sorted(train + held) == sorted(PAIRS)
    assert not {pair.first for pair in train} & {pair.first for pair in held}
    assert 0.1 < len(held) / len(PAIRS) < 0.5
    assert split_pairs(PAIRS, 0.3) == (train, held)


def test_no_text_stands_twice_in_a_batch() -> None:
    batches = list(make_batches(PAIRS, np.random.default_rng(1), TuneOptions(batch=16)))
    for batch in batches:
        texts = [text for pair in batch for text in (pair.first, pair.second)]
        assert len(texts) == len(set(texts)) <= 32
    assert sum(map(len, batches)) >= len(PAIRS) - 1


def test_scores_count_other_partners_as_right() -> None:
    words = [("lamp red", "lamp red"), ("lamp red", "red lamp"), ("valve", "valve")]
    scores = score_pairs(HashEmbedder(), [Pair(a, b, "synonyms") for a, b in words])  # type: ignore[arg-type]
    assert (scores.hit1, scores.mrr) == (1.0, 1.0)
    assert scores.cosine == pytest.approx(1.0)
    assert scores.other_cosine < 0.9


def test_too_few_pairs_and_a_taken_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TuneError, match="3 pairs are too few"):
        tune_embedder(PAIRS[:3], tmp_path / "out")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("x", encoding="utf-8")
    with pytest.raises(TuneError, match="not empty"):
        tune_embedder(PAIRS, tmp_path / "taken")


def test_an_index_refuses_another_embedder(tmp_path: Path) -> None:
    from knowledge.corpora import SHIPPED_CORPUS
    from knowledge.publish import publish

    folder = publish(tmp_path, SHIPPED_CORPUS, HashEmbedder("one"))
    with pytest.raises(PublishError, match=r"built with the embedder 'one', not 'other'"):
        KnowledgeBase(folder, HashEmbedder("other"))
    KnowledgeBase(folder, HashEmbedder("one")).close()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lora", "full"])
def test_a_tuned_model_is_better_on_held_out_pairs_and_can_be_opened(tmp_path: Path, method: str) -> None:
    options = TuneOptions(method=method, epochs=1, max_tokens=16, most_pairs=160)  # type: ignore[arg-type]
    result = tune_embedder(synonym_pairs(), tmp_path / "tuned", options, progress=False)
    assert result.after.mrr > result.before.mrr
    assert result.folder is not None
    tuned = load_embedder(result.folder)
    assert isinstance(tuned, MiniLM)
    assert tuned.name.startswith("tuned@")
    assert tuned.name != MiniLM().name
    texts = ["alarm", "warning lamp"]
    assert np.abs(tuned.encode(texts) - MiniLM().encode(texts)).max() > 1e-3
    assert (tmp_path / "tuned" / "model.safetensors").is_file()
