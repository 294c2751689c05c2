"""The optional cross-encoder, through a tiny one that is built here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from knowledge.rerank import CrossEncoderReranker, RerankError
from knowledge.search import KnowledgeBase

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


class Longest:
    """A reranker that likes long passages."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def score(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """Lengths, scaled."""
        self.seen.append(query)
        return [min(1.0, len(passage) / 2000) for passage in passages]


def test_a_reranker_orders_the_head_and_its_score_is_shown(kb: KnowledgeBase) -> None:
    plain = kb.search("calibration of the gauge", model="XYZ-2000", k=8)
    before = kb.options
    kb.reranker = Longest()
    try:
        kb.options = kb.with_options(rerank_weight=1.0, link=0.0, reranked=6)
        hits = kb.search("calibration of the gauge", model="XYZ-2000", k=6)
    finally:
        kb.reranker, kb.options = None, before
    assert all(hit.reranked is not None and hit.score == pytest.approx(hit.reranked) for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert [hit.chunk.id for hit in hits] != [hit.chunk.id for hit in plain[:6]]
    assert all(hit.reranked is None for hit in plain)


@pytest.mark.slow
def test_any_cross_encoder_folder_will_do(tmp_path: Path) -> None:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lamp", "red", "valve", "is", "the"]
    (tmp_path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(0)
    for labels in (1, 2):
        config = BertConfig(
            vocab_size=len(words),
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=8,
            num_labels=labels,
        )
        folder = tmp_path / str(labels)
        BertForSequenceClassification(config).save_pretrained(folder)
        BertTokenizerFast(vocab_file=str(tmp_path / "vocab.txt")).save_pretrained(folder)
    reranker = CrossEncoderReranker(str(tmp_path / "1"))
    scores = reranker.score("the lamp", ["lamp is red", "the valve", "lamp is red"])
    assert len(scores) == 3
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores[0] == pytest.approx(scores[2])
    assert scores[0] != scores[1]
    assert reranker.score("the lamp", []) == ()
    with pytest.raises(RerankError, match="2 outputs"):
        CrossEncoderReranker(str(tmp_path / "2")).score("a", ["b"])


@pytest.mark.slow
def test_a_missing_reranker_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(RerankError, match="nowhere"):
        CrossEncoderReranker(str(tmp_path / "nowhere")).score("a", ["b"])
