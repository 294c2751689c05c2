"""Ways to run the encoder: each is measured against single precision as trained, or said to be missing."""

from __future__ import annotations

import pytest
import torch

from eval.bench_speed import WaySpeed, drawn_views, measure_ways
from vision.donut import DonutConfig, build_small

TINY = DonutConfig(
    image_size=64, hidden_size=32, encoder_layers=1, decoder_layers=1, feed_forward=32, encoder_heads=2, decoder_heads=2
)


@pytest.fixture(scope="module")
def ways() -> dict[str, WaySpeed]:
    torch.manual_seed(0)
    model = build_small(TINY).eval()
    return {row.way: row for row in measure_ways(model, drawn_views(2, 64), rounds=1, only=("torch", "folded", "onnxruntime"))}


def test_what_is_trained_is_the_measure(ways: dict[str, WaySpeed]) -> None:
    trained = ways["torch"]
    assert trained.median_s is not None
    assert trained.median_s > 0.0
    assert (trained.points_moved_px, trained.same_fields, trained.views) == (0.0, 2, 2)


def test_folded_norms_give_the_same_fields(ways: dict[str, WaySpeed]) -> None:
    folded = ways["torch, norms folded, channels last"]
    assert folded.points_moved_px == pytest.approx(0.0, abs=0.05)
    assert folded.same_fields == 2


def test_a_way_that_cannot_be_gone_here_is_named_with_the_reason(ways: dict[str, WaySpeed]) -> None:
    for row in ways.values():
        assert (row.missing is None) == (row.median_s is not None)
    assert {"onnxruntime", "onnxruntime, int8 (dynamic)"} <= set(ways)


def test_no_way_leaves_the_fused_attention_switched_off(ways: dict[str, WaySpeed]) -> None:
    assert ways
    assert torch.backends.mha.get_fastpath_enabled()


def test_drawn_views_are_what_the_encoder_takes() -> None:
    views = drawn_views(2, 96)
    assert views.shape == (2, 3, 96, 96)
    assert -1.0 <= float(views.min()) < float(views.max()) <= 1.0
    assert not torch.equal(views[0], views[1])
