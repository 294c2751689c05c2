"""What a training run is watched with: errors of the needle, the points, the classes and the boxes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vision.dataset import Example
from vision.dense import read_points
from vision.donut import GaugeDonut
from vision.locate import best_boxes
from vision.plane import box_iou
from vision.targets import ANGLE, CHARACTER, CLASS, Batch, ChoiceTable, collate
from vision.vocabulary import (
    ANGLE_0,
    ANGLE_BINS,
    ID,
)

Floats = NDArray[np.float64]
POINTER_TOKEN = ID["<s_pointer_angle>"]


class Metrics(NamedTuple):
    """Held-out metrics; NaN where nothing of the kind was there. Points are errors in fractions of the view."""

    needle_median_deg: float
    needle_within_5_deg: float
    needle_within_10_deg: float
    points_needle_median_deg: float
    tip_error: float
    pivot_error: float
    start_error: float
    end_error: float
    angle_median_deg: float
    class_accuracy: float
    character_accuracy: float
    box_recall: float
    box_iou_median: float
    false_boxes: float
    points_needle_within_5_deg: float = float("nan")


def _median(values: list[float]) -> float:
    return float(np.median(values)) if values else float("nan")


def _share(values: list[float], below: float) -> float:
    return float(np.mean([value < below for value in values])) if values else float("nan")


def circular_expectation(logits: Tensor, radius: int = 8) -> Tensor:
    """(n, 360) angle logits -> (n,) degrees: the expectation around the peak."""
    probability = logits.float().softmax(-1)
    peak = probability.argmax(-1)
    offsets = torch.arange(-radius, radius + 1, device=logits.device)
    window = probability.gather(1, (peak[:, None] + offsets) % ANGLE_BINS)
    shift = (window * offsets).sum(-1) / window.sum(-1).clamp_min(1e-9)
    return (peak + shift) % 360.0


def _direction_deg(tip: Floats, pivot: Floats) -> Floats:
    """Image-plane angle of pivot -> tip, clockwise from 6 o'clock."""
    return np.degrees(np.arctan2(-(tip[:, 0] - pivot[:, 0]), tip[:, 1] - pivot[:, 1])) % 360.0


def _circular_error(first: Floats, second: Floats) -> Floats:
    return np.abs((first - second + 180.0) % 360.0 - 180.0)


@torch.no_grad()
def evaluate(
    model: GaugeDonut, examples: list[Example], table: ChoiceTable, device: torch.device, batch_size: int = 32
) -> Metrics:
    """Teacher-forced metrics over `examples`."""
    needle: list[float] = []
    directions: list[float] = []
    angles: list[float] = []
    points: list[Floats] = []
    right: dict[int, list[bool]] = {CLASS: [], CHARACTER: []}
    ious: list[float] = []
    false_boxes: list[float] = []
    for start in range(0, len(examples), batch_size):
        chunk = examples[start : start + batch_size]
        batch = Batch(*(t.to(device) for t in collate([e.image for e in chunk], [e.target for e in chunk], table)))
        encoded = model.encode(batch.pixel_values)
        dense = model.dense_maps(encoded)
        logits = model.decode(encoded, batch.input_ids).float()
        choices = table.table().to(device)[batch.choice_rows]
        chosen = logits.masked_fill(~choices, -1e9).argmax(-1)
        for kind, hits in right.items():
            hits.extend((chosen == batch.target_ids)[batch.loss_types == kind].tolist())
        is_angle = batch.loss_types == ANGLE
        found = circular_expectation(logits[is_angle][:, ANGLE_0 : ANGLE_0 + ANGLE_BINS]).cpu().numpy()
        error = _circular_error(found.astype(np.float64), batch.places[is_angle].cpu().numpy())
        is_needle = (batch.input_ids[is_angle] == POINTER_TOKEN).cpu().numpy()
        angles.extend(error.tolist())
        needle.extend(error[is_needle].tolist())
        estimate = read_points(dense.points)
        found_xy, true_xy = estimate.xy.cpu().numpy(), batch.points.cpu().numpy()
        points.append(np.linalg.norm(found_xy - true_xy, axis=-1))
        both = np.isfinite(true_xy[:, :2]).all((1, 2))
        directions.extend(
            _circular_error(
                _direction_deg(found_xy[both, 0], found_xy[both, 1]), _direction_deg(true_xy[both, 0], true_xy[both, 1])
            ).tolist()
        )
        for row in (~batch.is_read).nonzero()[:, 0].tolist():
            truth = [tuple(box) for box in batch.boxes[row].tolist() if np.isfinite(box).all()]
            boxes = best_boxes(dense.centers[row], dense.sides[row])
            matches = [max((box_iou(box.box, true) for box in boxes), default=0.0) for true in truth]
            ious.extend(matches)
            false_boxes.append(float(sum(all(box_iou(box.box, true) < 0.5 for true in truth) for box in boxes)))
    errors = np.concatenate(points)
    point_errors = [_median(errors[np.isfinite(errors[:, index]), index].tolist()) for index in range(4)]
    return Metrics(
        _median(needle),
        _share(needle, 5.0),
        _share(needle, 10.0),
        _median(directions),
        point_errors[0],
        point_errors[1],
        point_errors[2],
        point_errors[3],
        _median(angles),
        float(np.mean(right[CLASS])) if right[CLASS] else float("nan"),
        float(np.mean(right[CHARACTER])) if right[CHARACTER] else float("nan"),
        1.0 - _share(ious, 0.5),
        _median(ious),
        float(np.mean(false_boxes)) if false_boxes else float("nan"),
        _share(directions, 5.0),
    )
