"""Boxes of instruments in a whole photo, from the dense locate head."""

from __future__ import annotations

from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor

from vision.fields import Box


class FoundBox(NamedTuple):
    """A box in fractions of the view and the score of its centre."""

    box: Box
    score: float


def box_iou(first: Box | tuple[float, ...], second: Box | tuple[float, ...]) -> float:
    """Intersection over union of two boxes (x0, y0, x1, y1)."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    inter = width * height
    areas = (first[2] - first[0]) * (first[3] - first[1]) + (second[2] - second[0]) * (second[3] - second[1])
    return float(inter / (areas - inter)) if areas > inter else 0.0


def best_boxes(
    centers: Tensor, sides: Tensor, *, threshold: float = 0.3, limit: int = 8, overlap: float = 0.45
) -> list[FoundBox]:
    """Local maxima of a centre map (1, h, w) with their sides (4, h, w), best first, overlapping ones dropped."""
    score = centers.float().sigmoid()
    peaks = (F.max_pool2d(score[None], 3, 1, 1)[0] == score) & (score >= threshold)
    height, width = score.shape[-2:]
    found: list[FoundBox] = []
    for _, row, column in sorted(peaks.nonzero().tolist(), key=lambda place: -float(score[0, place[1], place[2]])):
        y, x = (row + 0.5) / height, (column + 0.5) / width
        left, up, right, down = sides[:, row, column].tolist()
        box = (max(0.0, x - left), max(0.0, y - up), min(1.0, x + right), min(1.0, y + down))
        if box[2] - box[0] <= 0.01 or box[3] - box[1] <= 0.01:
            continue
        if all(box_iou(box, other.box) < overlap for other in found):
            found.append(FoundBox(box, float(score[0, row, column])))
        if len(found) == limit:
            break
    return found


def merge_duplicates(boxes: list[FoundBox], overlap: float = 0.45) -> list[FoundBox]:
    """Boxes of several looks at the same photo, best first, without those that show the same instrument."""
    kept: list[FoundBox] = []
    for candidate in sorted(boxes, key=lambda found: -found.score):
        if all(box_iou(candidate.box, other.box) < overlap for other in kept):
            kept.append(candidate)
    return kept


__all__ = ["FoundBox", "best_boxes", "box_iou", "merge_duplicates"]
