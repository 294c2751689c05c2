"""The table of bases: all of them really train, keep their grids whole, and are timed."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from eval.bases import BasesTable, bases_markdown, compare_bases, write_untrained_swin, write_untrained_vit
from tests.vision.test_training import TINY, draw
from vision.donut import DonutConfig, DonutError, build_from_donut

SMALL = {key: value for key, value in TINY.items() if key != "image_size"}


@pytest.mark.parametrize("write", [write_untrained_swin, write_untrained_vit])
def test_a_cell_of_the_grid_is_its_own_patch(write: object, tmp_path: Path) -> None:
    write(tmp_path, 128)  # type: ignore[operator]
    model = build_from_donut(str(tmp_path), DonutConfig(image_size=128)).eval()
    with torch.inference_mode():
        encoded = model.encode(torch.zeros(1, 3, 128, 128))
    assert encoded.grid is not None
    assert encoded.last_hidden_state is not None
    tokens, grid = encoded.last_hidden_state, encoded.grid
    assert grid.shape[2] == grid.shape[3]
    assert grid.shape[2] * grid.shape[3] <= tokens.shape[1]
    assert torch.equal(grid.flatten(2)[0, :, -1], tokens[0, -1])


def test_every_base_is_trained_scored_and_timed(tmp_path: Path) -> None:
    data = draw(tmp_path / "data", 6)
    table = compare_bases(tmp_path / "out", [data], [data], steps=1, image_size=64, batch_size=4, small=SMALL)
    assert [row.scores.variant for row in table.rows] == [
        "small, ImageNet stem",
        "small, untrained stem",
        "Donut's Swin, untrained",
        "plain ViT, untrained",
    ]
    assert all(row.parameters > 100_000 and row.seconds_a_crop > 0 and row.scores.samples == 4 for row in table.rows)
    assert table.rows[0].parameters == table.rows[1].parameters
    assert BasesTable.model_validate_json((tmp_path / "out" / "bases.json").read_text()) == table
    assert bases_markdown(table).count("\n| ") == 5


def test_a_base_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    with pytest.raises(DonutError, match="no/such"):
        build_from_donut("no/such")
