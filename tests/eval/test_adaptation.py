"""The case of the finer model: both dials are drawn with their truth, and others are counted as untouched only if they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from eval.adaptation import MODEL_A, MODEL_B, count_untouched, exact_views, measure_adaptation
from eval.lettering import LETTERINGS, draw_twin, led_light, twin_dial, twin_picture
from eval.score import EvalError
from tests.vision.test_training import draw
from vision.adapter import new_adapter
from vision.adapter_training import AdaptOptions
from vision.donut import DonutConfig, build_small, save
from vision.samples import read_records

TINY = DonutConfig(
    image_size=64, hidden_size=32, encoder_layers=2, decoder_layers=1, feed_forward=32, encoder_heads=2, decoder_heads=2
)


def test_b_is_finer_than_a_and_shows_the_same() -> None:
    first, second = (twin_dial(name, 0.25) for name in (MODEL_A, MODEL_B))
    assert second.art.numeral_size < 0.6 * first.art.numeral_size
    assert second.art.major_width < 0.5 * first.art.major_width
    assert second.needle.width < 0.5 * first.needle.width
    assert first.scale == second.scale
    assert first.pointer_deg == second.pointer_deg == pytest.approx(45 + 0.25 * 270)
    assert LETTERINGS[MODEL_B].led
    assert not LETTERINGS[MODEL_A].led


def test_led_light_is_bright_banded_and_noisy() -> None:
    gray = np.full((128, 128, 3), 120, np.uint8)
    lit = led_light(np.random.default_rng(0), gray, (64, 64), 50)
    assert lit.shape == gray.shape
    assert lit.dtype == np.uint8
    assert (lit == 255).all(-1).sum() > 50
    rows = lit[:, :8].mean((1, 2))
    assert rows.std() > 4
    assert (lit[..., 0].astype(int) - lit[..., 1])[:, :8].std() > 8
    again = led_light(np.random.default_rng(0), gray, (64, 64), 50)
    assert np.array_equal(lit, again)


def test_pictures_carry_their_truth(tmp_path: Path) -> None:
    folder = draw_twin(tmp_path / "b", MODEL_B, seed=3, count=2)
    records = list(read_records(folder))
    assert [record.file_name for record in records] == ["000000.jpg", "000001.jpg"]
    for record in records:
        (truth,) = record.truth.instruments
        assert truth.instrument_model == MODEL_B
        assert (truth.fields.scale_min, truth.fields.scale_max, truth.fields.unit) == (0.0, 16.0, "bar")
        assert truth.points.needle_tip is not None
        assert truth.value_low <= truth.value <= truth.value_high  # type: ignore[operator]
    time = (folder / "metadata.jsonl").stat().st_mtime_ns
    assert draw_twin(folder, MODEL_B, seed=3, count=2) == folder
    assert (folder / "metadata.jsonl").stat().st_mtime_ns == time


def test_the_same_seed_draws_the_same_picture() -> None:
    first, again = (twin_picture(np.random.default_rng([1, 2]), MODEL_B) for _ in range(2))
    assert np.array_equal(first[0], again[0])
    assert first[1] == again[1]


def test_others_are_untouched_and_a_dead_adapter_is_no_proof(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = build_small(TINY).eval()
    views = exact_views(draw(tmp_path / "data", 6), model)
    adapter = new_adapter(model.donut.encoder).eval()
    with pytest.raises(EvalError, match="changed nothing"):
        count_untouched(model, adapter, views, views)
    for parameter in adapter.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    assert count_untouched(model, adapter, views[:5], views) == 5


@pytest.mark.slow
def test_the_case_is_measured_from_end_to_end(tmp_path: Path) -> None:
    torch.manual_seed(0)
    save(build_small(TINY), tmp_path / "base", {"name": "tiny", "version": "1"})
    others = draw(tmp_path / "others", 4)
    options = AdaptOptions(steps=2, views=1, batch_size=4)
    result = measure_adaptation(
        tmp_path / "out", others, date="2026-12-01", weights=tmp_path / "base", photos=12, tested=4, options=options
    )
    assert (result.photos, result.tested, result.others, result.untouched) == (12, 4, 4, 4)
    assert result.parameters < 100_000
    assert (tmp_path / "out" / "adapters" / "model-b" / "card.json").is_file()


def test_counts_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EvalError, match="photos 3"):
        measure_adaptation(tmp_path, tmp_path, date="2026-12-01", photos=3)
