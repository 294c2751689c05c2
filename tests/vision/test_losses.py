"""Losses fall where they should: soft bins are circular, grammar tokens are free, missing truth teaches nothing."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from vision.crops import read_view, whole_view
from vision.dense import DenseOutput, read_points
from vision.fields import EvidencePoints, GaugeFields
from vision.locate import best_boxes
from vision.losses import LossOptions, focal_loss, locate_losses, point_loss, token_losses, total_loss
from vision.samples import InstrumentTruth, Numeral, PhotoTruth
from vision.targets import ANGLE, CHARACTER, CLASS, NO_LOSS, ChoiceTable, collate, locate_target, read_target
from vision.vocabulary import (
    ANGLE_0,
    ID,
    VOCABULARY,
)

FIELDS = GaugeFields(
    kind="dial",
    start_angle=45,
    end_angle=315,
    clockwise=True,
    pointer_angle=359.6,
    scale_fraction=0.5,
    scale_min=0,
    scale_max=1.6,
    unit="bar",
)
INSTRUMENT = InstrumentTruth(
    box=(10, 10, 90, 90),
    fields=FIELDS,
    points=EvidencePoints(needle_tip=(50, 20), pivot=(50, 50), scale_start=(20, 80)),
    numerals=(Numeral(text="0", value=0, center=(25, 75)),),
)
IMAGE = np.zeros((100, 100, 3), np.uint8)


def batch_of(*instruments: InstrumentTruth | None):  # type: ignore[no-untyped-def]
    view = read_view((10, 10, 90, 90), 64)
    table = ChoiceTable()
    targets = [read_target(instrument, view) for instrument in instruments]
    whole = whole_view(100, 100, 64)
    targets.append(locate_target(PhotoTruth(instruments=(INSTRUMENT,)), whole))
    batch = collate([IMAGE[:64, :64]] * len(targets), targets, table)
    return batch, table.table()


def logits_for(batch, value: float = 12.0) -> torch.Tensor:  # type: ignore[no-untyped-def]
    logits = torch.zeros(*batch.target_ids.shape, len(VOCABULARY))
    return logits.scatter(-1, batch.target_ids[..., None], value)


def test_right_logits_cost_little_and_wrong_ones_much() -> None:
    batch, choices = batch_of(INSTRUMENT)
    good = token_losses(logits_for(batch), batch, choices, LossOptions())
    bad = token_losses(torch.zeros(*batch.target_ids.shape, len(VOCABULARY)), batch, choices, LossOptions())
    assert set(good) == {"class", "character", "angle", "fraction", "location"}
    assert good["class"] < 0.02
    assert good["character"] < 0.02
    assert all(good[name] < bad[name] for name in ("class", "character"))


def test_field_names_carry_no_loss() -> None:
    batch, _ = batch_of(INSTRUMENT)
    names = torch.tensor([VOCABULARY[i].startswith("<s_") for i in range(len(VOCABULARY))])
    is_name = names[batch.target_ids[0]]
    # A field token that ends a number is a choice (how many digits?), every other one is grammar.
    after_number = torch.tensor([VOCABULARY[i] in "0123456789." for i in batch.input_ids[0].tolist()])
    assert bool((batch.loss_types[0][is_name & ~after_number] == NO_LOSS).all())
    assert bool((batch.loss_types[0][is_name & after_number] == CHARACTER).all())


def test_types_follow_the_tokens() -> None:
    batch, _ = batch_of(INSTRUMENT)
    row = batch.target_ids[0].tolist()
    assert batch.loss_types[0, row.index(ID["unit:bar"])] == CLASS
    assert batch.loss_types[0, row.index(ID["angle:45"])] == ANGLE
    assert batch.loss_types[0, row.index(ID["</s>"])] == NO_LOSS


def test_angle_targets_wrap_around() -> None:
    batch, choices = batch_of(INSTRUMENT)
    place = batch.input_ids[0].tolist().index(ID["<s_pointer_angle>"])
    losses = []
    for angle in (0, 180):
        logits = torch.zeros(*batch.target_ids.shape, len(VOCABULARY))
        logits[0, place, ANGLE_0 + angle] = 6.0
        losses.append(token_losses(logits, batch, choices, LossOptions())["angle"])
    assert losses[0] < losses[1]


def test_points_that_are_not_there_teach_nothing() -> None:
    logits = torch.randn(1, 4, 16, 16)
    assert point_loss(logits, torch.full((1, 4, 2), float("nan")), 1.0) is None
    points = torch.full((1, 4, 2), float("nan"))
    points[0, 1] = torch.tensor([0.53, 0.28])
    sharp = torch.zeros(1, 4, 16, 16)
    sharp[0, 1, 4, 8] = 20.0
    wrong = torch.zeros(1, 4, 16, 16)
    wrong[0, 1, 12, 2] = 20.0
    assert point_loss(sharp, points, 0.5) < point_loss(wrong, points, 0.5)  # type: ignore[operator]


@pytest.mark.parametrize("xy", [(0.5, 0.5), (0.031, 0.4), (0.97, 0.99), (0.26, 0.74)])
def test_points_are_read_between_cells(xy: tuple[float, float]) -> None:
    y, x = torch.meshgrid((torch.arange(48) + 0.5) / 48, (torch.arange(48) + 0.5) / 48, indexing="ij")
    logits = -((x - xy[0]) ** 2 + (y - xy[1]) ** 2) * 48**2 / 2
    estimate = read_points(logits[None, None])
    assert estimate.xy[0, 0].tolist() == pytest.approx(xy, abs=0.015)
    assert 0.7 < float(estimate.mass[0, 0]) <= 1.0


def test_a_flat_map_has_little_mass() -> None:
    assert float(read_points(torch.zeros(1, 1, 48, 48)).mass) < 0.02


def test_focal_loss_prefers_the_peak_and_is_finite_without_one() -> None:
    heat = torch.zeros(1, 8, 8)
    assert bool(focal_loss(torch.zeros(1, 8, 8), heat).isfinite())
    heat[0, 3, 3] = 1.0
    peak = torch.full((1, 8, 8), -6.0)
    peak[0, 3, 3] = 6.0
    assert focal_loss(peak, heat) < focal_loss(-peak, heat)


def test_boxes_come_back_from_perfect_maps() -> None:
    boxes = torch.tensor([[[0.1, 0.2, 0.5, 0.7], [0.6, 0.6, 0.9, 0.95]]])
    size = 32
    centers = torch.full((1, size, size), -9.0)
    sides = torch.zeros(4, size, size)
    for x0, y0, x1, y1 in boxes[0].tolist():
        row, column = int((y0 + y1) / 2 * size), int((x0 + x1) / 2 * size)
        centers[0, row, column] = 5.0
        x, y = (column + 0.5) / size, (row + 0.5) / size
        sides[:, row, column] = torch.tensor([x - x0, y - y0, x1 - x, y1 - y])
    found = best_boxes(centers, sides)
    assert sorted(box.box for box in found) == [pytest.approx(box, abs=1e-6) for box in sorted(boxes[0].tolist())]
    losses = locate_losses(DenseOutput(torch.zeros(1), torch.zeros(1), centers[None], sides[None]), boxes)
    assert losses["centers"] < 1.0


def test_no_boxes_no_sides() -> None:
    dense = DenseOutput(torch.zeros(1), torch.zeros(1), torch.zeros(1, 1, 8, 8), torch.ones(1, 4, 8, 8))
    assert set(locate_losses(dense, torch.full((1, 8, 4), float("nan")))) == {"centers"}


def test_total_loss_backpropagates_to_every_head() -> None:
    batch, choices = batch_of(INSTRUMENT, None)
    logits = torch.zeros(*batch.target_ids.shape, len(VOCABULARY), requires_grad=True)
    maps = [torch.zeros(3, n, 16, 16, requires_grad=True) for n in (4, 1)] + [
        torch.ones(3, n, 8, 8, requires_grad=True) for n in (1, 4)
    ]
    losses = total_loss(logits, DenseOutput(*maps), batch, choices, LossOptions())
    losses.total.backward()
    assert all(tensor.grad is not None and bool(tensor.grad.abs().sum() > 0) for tensor in (logits, *maps))
    assert {"points", "numerals", "centers", "sides", "angle"} <= set(losses.parts)
