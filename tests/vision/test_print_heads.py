"""Maps for printed units and rows of digits: targets, losses, and old weights that get them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from vision.crops import View
from vision.dense import ROW_POINTS, DenseHeads
from vision.donut import DonutConfig, build_small, load, save
from vision.fields import GaugeFields
from vision.losses import LossOptions, total_loss
from vision.recipe import TrainingRecipe
from vision.samples import DigitRow, InstrumentTruth, PrintedUnit
from vision.targets import MAX_UNITS, ChoiceTable, collate, read_target, training_fields
from vision.training import build_model

TINY = {
    "image_size": 64,
    "hidden_size": 32,
    "encoder_layers": 1,
    "encoder_heads": 2,
    "decoder_layers": 1,
    "decoder_heads": 2,
    "feed_forward": 32,
}
DISPLAY = InstrumentTruth(
    box=(0.0, 0.0, 100.0, 100.0),
    fields=GaugeFields(kind="digital", digital_readout="12.5", unit="bar"),
    rows=(DigitRow(text="12.5", corners=((20.0, 40.0), (80.0, 40.0), (80.0, 60.0), (20.0, 60.0))),),
    units=(PrintedUnit(text="bar", unit="bar", center=(90.0, 50.0), height_px=8.0),),
)


def view() -> View:
    return View((50.0, 50.0), 100.0, 64)


def test_target_places_row_ends_and_top() -> None:
    target = read_target(DISPLAY, view())
    assert np.allclose(target.row, [(0.2, 0.5), (0.8, 0.5), (0.5, 0.4)], atol=1e-6)
    assert np.allclose(target.units[0], (0.9, 0.5), atol=1e-6)
    assert np.isnan(target.units[1:]).all()
    assert len(target.units) == MAX_UNITS


def test_row_points_outside_the_view_teach_nothing() -> None:
    target = read_target(DISPLAY, View((20.0, 50.0), 60.0, 64))
    assert np.isfinite(target.row[0]).all()
    assert np.isnan(target.row[1]).all()


def test_what_nobody_could_read_teaches_the_kind_alone() -> None:
    unreadable = DISPLAY.model_copy(update={"readable": False})
    assert training_fields(unreadable) == GaugeFields(kind="digital")
    assert training_fields(DISPLAY).digital_readout == "12.5"


def test_heads_are_optional() -> None:
    grid = torch.randn(2, 32, 4, 4)
    with_heads, without = DenseHeads(32, 0, 0, 16), DenseHeads(32, 0, 0, 16, print_heads=False)
    maps = with_heads(grid, None, None)
    assert maps.row is not None
    assert maps.row.shape == (2, ROW_POINTS, 16, 16)
    assert maps.units is not None
    assert maps.units.shape == (2, 1, 16, 16)
    assert without(grid, None, None).row is None
    chosen = maps.of(torch.tensor([True, False]))
    assert chosen.row is not None
    assert chosen.row.shape[0] == 1


@pytest.mark.parametrize("print_heads", [True, False])
def test_losses_name_the_new_parts_only_where_the_heads_are(print_heads: bool) -> None:
    torch.manual_seed(0)
    model = build_small(DonutConfig(print_heads=print_heads, **TINY))  # type: ignore[arg-type]
    table = ChoiceTable()
    picture = np.full((64, 64, 3), 90, np.uint8)
    batch = collate([picture, picture], [read_target(DISPLAY, view()), read_target(None, view())], table)
    encoded = model.encode(batch.pixel_values)
    logits = model.decode(encoded, batch.input_ids)
    losses = total_loss(logits, model.dense_maps(encoded), batch, table.table(), LossOptions())
    assert ({"row", "units"} <= set(losses.parts)) is print_heads
    assert bool(losses.total.isfinite())


def test_weights_without_the_heads_get_them_for_further_training(tmp_path: Path) -> None:
    old = build_small(DonutConfig(print_heads=False, **TINY))  # type: ignore[arg-type]
    save(old, tmp_path, {})
    assert load(tmp_path).dense.print is None
    recipe = TrainingRecipe.model_validate(
        {
            "name": "further",
            "init": str(tmp_path),
            "model": TINY,
            "data": [{"recipe": "close", "count": 1, "seed": 0}],
            "stages": [{"image_size": 64, "steps": 1}],
        }
    )
    model = build_model(recipe)
    assert model.config.print_heads
    again = tmp_path / "again"
    save(model, again, {})
    kept = load(again)
    assert kept.dense.print is not None
    assert torch.allclose(kept.dense.points.weight, old.dense.points.weight, atol=1e-3)
