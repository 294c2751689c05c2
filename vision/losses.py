"""Field-wise losses: soft bins for what is continuous, cross-entropy for classes and characters, maps for points.

Every loss is restricted to the tokens that the grammar allows at its place, and grammar tokens have none: under
plain token cross-entropy the field names and priors drown the few tokens that depend on the image.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from vision.dense import DenseOutput
from vision.fields import Contract
from vision.targets import ANGLE, CHARACTER, CLASS, FRACTION, LOCATION, TOKEN_TYPE_NAMES, Batch
from vision.vocabulary import (
    ANGLE_0,
    ANGLE_BINS,
    FRACTION_0,
    FRACTION_BINS,
    LOCATION_0,
    LOCATION_BINS,
    PAD_ID,
)


class LossOptions(Contract):
    """Widths of the soft targets (in bins, cells) and weights of the parts.

    Two switches are there to be compared with: `mode` "token" is plain cross-entropy over all tokens, grammar included,
    and `dense` False leaves out what the read task learns beside its tokens (points, numerals, rows, units).
    """

    mode: Literal["field_wise", "token"] = "field_wise"
    dense: bool = True
    angle_sigma: float = 2.0
    fraction_sigma: float = 2.0
    location_sigma: float = 2.0
    point_sigma: float = 1.0
    angle: float = 1.0
    fraction: float = 0.5
    location: float = 0.5
    class_: float = 0.5
    character: float = 0.5
    points: float = 1.0
    numerals: float = 0.3
    row: float = 0.5
    units: float = 0.3
    token: float = 1.0
    centers: float = 1.0
    sides: float = 1.0


class Losses(NamedTuple):
    """Weighted total and the unweighted parts by name."""

    total: Tensor
    parts: dict[str, Tensor]


def _soft_bins(places: Tensor, bins: int, sigma: float, circular: bool) -> Tensor:
    """(n,) exact places -> (n, bins) Gaussian weights that sum to one."""
    distance = torch.arange(bins, device=places.device) - places[:, None]
    if circular:
        distance = (distance + bins / 2) % bins - bins / 2
    return torch.softmax(-(distance**2) / (2 * sigma**2), -1)


_AXES = {
    ANGLE: (ANGLE_0, ANGLE_BINS, True),
    FRACTION: (FRACTION_0, FRACTION_BINS, False),
    LOCATION: (LOCATION_0, LOCATION_BINS, False),
}


def token_losses(logits: Tensor, batch: Batch, choices: Tensor, options: LossOptions) -> dict[str, Tensor]:
    """Mean loss of each type of token that occurs. logits (B, T, V), choices (R, V) boolean."""
    parts: dict[str, Tensor] = {}
    sigmas = {ANGLE: options.angle_sigma, FRACTION: options.fraction_sigma, LOCATION: options.location_sigma}
    for kind in (CLASS, CHARACTER, ANGLE, FRACTION, LOCATION):
        chosen = batch.loss_types == kind
        if not bool(chosen.any()):
            continue
        allowed = choices[batch.choice_rows[chosen]]  # (n, V)
        log_probability = logits[chosen].float().masked_fill(~allowed, -1e9).log_softmax(-1)
        if kind in _AXES:
            first, bins, circular = _AXES[kind]
            weights = _soft_bins(batch.places[chosen], bins, sigmas[kind], circular) * allowed[:, first : first + bins]
            weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-9)
            loss = -(weights * log_probability[:, first : first + bins]).sum(-1)
        else:
            loss = -log_probability.gather(1, batch.target_ids[chosen][:, None])[:, 0]
        parts[TOKEN_TYPE_NAMES[kind]] = loss.mean()
    return parts


def plain_token_loss(logits: Tensor, batch: Batch) -> Tensor:
    """Mean cross-entropy over every token of the sequences, whatever the grammar allows. logits (B, T, V)."""
    return F.cross_entropy(logits.float().flatten(0, 1), batch.target_ids.flatten(), ignore_index=PAD_ID)


def _cell_distances(points: Tensor, height: int, width: int) -> Tensor:
    """Squared distance in cells from each point (..., 2) in [0, 1] to each cell centre: (..., h, w)."""
    y = torch.arange(height, device=points.device) + 0.5
    x = torch.arange(width, device=points.device) + 0.5
    dy = y - points[..., 1, None] * height
    dx = x - points[..., 0, None] * width
    return dy[..., :, None] ** 2 + dx[..., None, :] ** 2


def point_loss(logits: Tensor, points: Tensor, sigma: float) -> Tensor | None:
    """Cross-entropy of spatial-softmax maps (B, P, h, w) against Gaussians at `points` (B, P, 2); NaN points are skipped."""
    valid = points.isfinite().all(-1)
    if not bool(valid.any()):
        return None
    chosen = logits[valid].float()  # (n, h, w)
    distance = _cell_distances(points[valid], *chosen.shape[-2:])
    target = torch.softmax((-distance / (2 * sigma**2)).flatten(1), -1)
    return -(target * chosen.flatten(1).log_softmax(-1)).sum(-1).mean()


def focal_loss(logits: Tensor, heat: Tensor) -> Tensor:
    """CenterNet's penalty-reduced focal loss of a heat map, per true peak (Zhou et al., 2019, equation 1)."""
    probability = logits.float().sigmoid()
    peak = heat > 0.99
    positive = (1 - probability) ** 2 * F.logsigmoid(logits.float()) * peak
    negative = (1 - heat) ** 4 * probability**2 * F.logsigmoid(-logits.float()) * ~peak
    return -(positive.sum() + negative.sum()) / peak.sum().clamp_min(1)


def _heat(points: Tensor, sigma: Tensor | float, height: int, width: int) -> Tensor:
    """(B, N, 2) -> (B, h, w): the highest Gaussian at each cell, exactly 1 in the cell that holds a point."""
    valid = points.isfinite().all(-1) & (points >= 0).all(-1) & (points < 1).all(-1)
    size = torch.tensor([width, height], device=points.device)
    snapped = ((points.nan_to_num(0.0) * size).floor() + 0.5) / size
    heat = torch.exp(
        -_cell_distances(snapped, height, width) / (2 * sigma**2 if isinstance(sigma, float) else 2 * sigma[..., None, None] ** 2)
    )
    return (heat * valid[..., None, None]).amax(1)


def locate_losses(dense: DenseOutput, boxes: Tensor) -> dict[str, Tensor]:
    """Losses of the locate head for `boxes` (B, M, 4) in fractions of the view; NaN rows are skipped."""
    height, width = dense.centers.shape[-2:]
    centers = (boxes[..., :2] + boxes[..., 2:]) / 2
    extent = (boxes[..., 2:] - boxes[..., :2]).nan_to_num(0.0) * torch.tensor([width, height], device=boxes.device)
    sigma = (extent.amin(-1) / 8).clamp(0.6, 4.0)
    heat = _heat(centers, sigma, height, width)
    parts = {"centers": focal_loss(dense.centers[:, 0], heat)}
    # Sides are learned around each centre, from every cell whose heat still says "this box".
    y = (torch.arange(height, device=boxes.device) + 0.5) / height
    x = (torch.arange(width, device=boxes.device) + 0.5) / width
    valid = boxes.isfinite().all(-1)
    near = (
        _cell_distances(centers.nan_to_num(-9.0), height, width) <= (sigma[..., None, None] * 1.2).clamp_min(0.8) ** 2
    ) & valid[..., None, None]
    batch_index, box_index, row, column = near.nonzero(as_tuple=True)
    if len(batch_index):
        box = boxes[batch_index, box_index]
        wanted = torch.stack([x[column] - box[:, 0], y[row] - box[:, 1], box[:, 2] - x[column], box[:, 3] - y[row]], -1)
        found = dense.sides[batch_index, :, row, column].float()
        scale = (box[:, 2:] - box[:, :2]).amax(-1, keepdim=True).clamp_min(0.02)
        parts["sides"] = ((found - wanted).abs() / scale).mean()
    return parts


def total_loss(logits: Tensor, dense: DenseOutput, batch: Batch, choices: Tensor, options: LossOptions) -> Losses:
    """All losses of a mixed batch of read and locate views."""
    if options.mode == "token":
        parts = {"token": plain_token_loss(logits, batch)}
    else:
        parts = token_losses(logits, batch, choices, options)
    read = batch.is_read
    if options.dense:
        parts.update(read_losses(dense, batch, options))
    if not bool(read.all()):
        parts.update(locate_losses(dense.of(~read), batch.boxes[~read]))
    weights = options.model_dump()
    total = torch.stack([weights["class_" if name == "class" else name] * part for name, part in parts.items()]).sum()
    return Losses(total, {name: part.detach() for name, part in parts.items()})


def read_losses(dense: DenseOutput, batch: Batch, options: LossOptions) -> dict[str, Tensor]:
    """Losses of the dense maps of the read task: points, numerals, units, ends of the row of digits."""
    parts: dict[str, Tensor] = {}
    points = point_loss(dense.points, batch.points, options.point_sigma)
    if points is not None:
        parts["points"] = points
    read = batch.is_read
    if bool(read.any()):
        height, width = dense.numerals.shape[-2:]
        parts["numerals"] = focal_loss(dense.numerals[read, 0], _heat(batch.numerals[read], 1.0, height, width))
        if dense.units is not None:
            parts["units"] = focal_loss(dense.units[read, 0], _heat(batch.units[read], 1.0, height, width))
    if dense.row is not None:
        row = point_loss(dense.row, batch.row, options.point_sigma)
        if row is not None:
            parts["row"] = row
    return parts
