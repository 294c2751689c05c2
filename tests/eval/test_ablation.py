"""The ablation table: every variant from the same start, its switch really thrown, and a finished run not run again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from eval.ablation import TABLE_FILE, VARIANTS, AblationTable, ablation_markdown, run_ablation
from eval.score import EvalError
from tests.vision.test_training import TINY, draw
from vision.dataset import Pictures, validation_views
from vision.donut import DonutConfig, GaugeDonut, build_small
from vision.losses import Losses, LossOptions, total_loss
from vision.targets import Batch, ChoiceTable, collate
from vision.vocabulary import PAD_ID

MODEL = {key: value for key, value in TINY.items() if key != "image_size"}


def losses(model: GaugeDonut, batch: Batch, table: ChoiceTable, options: LossOptions) -> Losses:
    encoded = model.encode(batch.pixel_values)
    return total_loss(model.decode(encoded, batch.input_ids), model.dense_maps(encoded), batch, table.table(), options)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[GaugeDonut, Batch, ChoiceTable]:
    torch.manual_seed(0)
    examples = validation_views(Pictures([draw(tmp_path_factory.mktemp("data") / "d", 3)]), 64)
    table = ChoiceTable()
    return build_small(DonutConfig(**TINY)), collate([e.image for e in examples], [e.target for e in examples], table), table  # type: ignore[arg-type]


def test_token_mode_is_cross_entropy_over_everything(parts: tuple[GaugeDonut, Batch, ChoiceTable]) -> None:
    model, batch, table = parts
    found = losses(model, batch, table, LossOptions(mode="token")).parts
    assert {"token", "points", "centers"} <= set(found)
    assert not {"angle", "class", "character", "fraction", "location"} & set(found)
    logits = model.decode(model.encode(batch.pixel_values), batch.input_ids)
    real = batch.target_ids != PAD_ID
    by_hand = -logits.log_softmax(-1).gather(2, batch.target_ids[..., None])[..., 0][real].mean()
    assert float(found["token"]) == pytest.approx(float(by_hand.detach()), rel=1e-5)


def test_without_dense_targets_the_locate_head_still_learns(parts: tuple[GaugeDonut, Batch, ChoiceTable]) -> None:
    full, thin = (set(losses(*parts, LossOptions(dense=dense)).parts) for dense in (True, False))
    assert full - thin == {"points", "numerals", "units"}
    assert {"centers", "sides", "angle"} <= thin


def test_an_untrained_stem_is_untrained_and_learns_its_statistics() -> None:
    torch.manual_seed(0)
    scratch, trained = (build_small(DonutConfig(**TINY, pretrained_stem=there)) for there in (False, True))  # type: ignore[arg-type]
    first, second = (model.donut.encoder.stem._conv_stem.weight for model in (scratch, trained))
    assert not torch.allclose(first, second)
    scratch.train()
    trained.train()
    assert scratch.donut.encoder.stem._bn0.training
    assert not trained.donut.encoder.stem._bn0.training


def test_the_table_has_every_variant_and_is_not_trained_twice(tmp_path: Path) -> None:
    data = draw(tmp_path / "data", 6)
    chosen = {name: VARIANTS[name] for name in ("all parts", "plain token cross-entropy, untrained stem, no dense targets")}
    options = {"steps": 2, "image_size": 64, "batch_size": 4, "variants": chosen, "model": MODEL}
    table = run_ablation(tmp_path / "out", [data], [data], **options)  # type: ignore[arg-type]
    assert [row.variant for row in table.rows] == list(chosen)
    assert all(row.samples == 8 and row.needle_median_deg is not None for row in table.rows)
    assert table.rows[0].needle_median_deg != table.rows[1].needle_median_deg
    written = AblationTable.model_validate_json((tmp_path / "out" / TABLE_FILE).read_text())
    assert written == table
    recipes = [json.loads(path.read_text()) for path in sorted((tmp_path / "out").glob("*/recipe.json"))]
    assert [(r["loss"]["mode"], r["loss"]["dense"], r["model"]["pretrained_stem"]) for r in recipes] == [
        ("field_wise", True, True),
        ("token", False, False),
    ]
    assert len({r["seed"] for r in recipes}) == 1
    logs = [path.stat().st_mtime_ns for path in sorted((tmp_path / "out").glob("*/log.jsonl"))]
    assert run_ablation(tmp_path / "out", [data], [data], **options) == table  # type: ignore[arg-type]
    assert logs == [path.stat().st_mtime_ns for path in sorted((tmp_path / "out").glob("*/log.jsonl"))]
    text = ablation_markdown(table)
    assert text.count("\n| ") == 3
    assert "| all parts | " in text


def test_nothing_to_compare_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EvalError, match="0 data folders"):
        run_ablation(tmp_path, [], [tmp_path], steps=1)
    with pytest.raises(EvalError, match="changes optimizer"):
        run_ablation(tmp_path, [tmp_path], [tmp_path], steps=1, variants={"x": {"optimizer": {"lr": 1.0}}})
