"""Instruments in a whole photo: boxes of the dense locate head, each confirmed and tightened by a closer look.

The first look sees the whole photo at the model's input size and proposes generously; a screw or a nameplate can
look like a dial at a few pixels. The closer look sees each proposal large and decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from vision.crops import Pixels, View, cut, read_view, whole_view
from vision.donut import GaugeDonut
from vision.fields import Box
from vision.plane import box_iou
from vision.targets import to_pixel_values


@dataclass(frozen=True)
class LocateOptions:
    """Thresholds of the two looks; scores in [0, 1].

    The first look proposes boxes from `propose_threshold` on; a closer look, with `closer_margin` around each, must
    confirm it with `confirm_threshold`, unless the first look was as sure as `sure_threshold`. Where the whole photo
    shows none, overlapping tiles of 1 / `tile_parts` of its longer side are looked at, as far as the photo has the pixels.
    """

    propose_threshold: float = 0.2
    confirm_threshold: float = 0.4
    sure_threshold: float = 0.6
    closer_margin: float = 0.4
    max_instruments: int = 8
    tile_parts: tuple[int, ...] = (2, 4)
    tile_batch: int = 16


class FoundBox(NamedTuple):
    """A box in fractions of the view and the score of its centre."""

    box: Box
    score: float


class Seen(NamedTuple):
    """A view and the image that it is of."""

    image: Pixels
    view: View

    def to_image(self, found: FoundBox) -> FoundBox:
        """A box of the view in pixels of the image, cut off at its edges.

        In whole tenths: networks differ in the last bits from machine to machine and from batch to batch, and a crop whose
        edge falls on another pixel is another picture.
        """
        height, width = self.image.shape[:2]
        (x0, y0), (x1, y1) = ((round(x, 1), round(y, 1)) for x, y in map(self.view.to_photo, (found.box[:2], found.box[2:])))
        return FoundBox((max(0.0, x0), max(0.0, y0), min(float(width), x1), min(float(height), y1)), found.score)


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


def locate(model: GaugeDonut, image: Pixels, options: LocateOptions, device: str = "cpu") -> list[FoundBox]:
    """Boxes of instruments in image pixels: the main one (large, central, sure) first, then in reading order."""
    (found,) = locate_many(model, [image], options, device)
    return found


def locate_many(model: GaugeDonut, images: Sequence[Pixels], options: LocateOptions, device: str = "cpu") -> list[list[FoundBox]]:
    """The boxes of each image; the images are looked at in one batch, and what they propose in another."""
    size = model.config.image_size
    whole = [Seen(image, whole_view(image.shape[1], image.shape[0], size)) for image in images]
    looked = zip(whole, _look(model, whole, options, device), strict=True)
    proposed = [[seen.to_image(box) for box in boxes] for seen, boxes in looked]
    located: list[list[FoundBox]] = []
    for image, confirmed in zip(images, _look_closer(model, images, proposed, options, device), strict=True):
        height, width = image.shape[:2]
        kept = merge_duplicates(confirmed)
        for parts in options.tile_parts:
            if kept or max(width, height) < size * parts:
                break
            kept = merge_duplicates(_look_at_tiles(model, image, parts, options, device))
        located.append(_in_order(kept[: options.max_instruments], width, height))
    return located


def tiles(width: int, height: int, parts: int, size: int) -> list[View]:
    """Square views of 1 / `parts` of the longer side that cover the photo, each half over its neighbours."""
    side = max(width, height) / parts
    counts = [max(1, math.ceil((length - side) / (side / 2) - 1e-9) + 1) for length in (width, height)]
    xs, ys = (
        np.linspace(min(side, length) / 2, length - min(side, length) / 2, count)
        for length, count in zip((width, height), counts, strict=True)
    )
    return [View((float(x), float(y)), side, size) for y in ys for x in xs]


def _look_at_tiles(model: GaugeDonut, image: Pixels, parts: int, options: LocateOptions, device: str) -> list[FoundBox]:
    """Instruments too small for a look at the whole photo; boxes cut by a tile's edge are left to its neighbour."""
    height, width = image.shape[:2]
    parts_seen = [Seen(image, view) for view in tiles(width, height, parts, model.config.image_size)]
    found: list[FoundBox] = []
    for seen, boxes in zip(parts_seen, _look(model, parts_seen, options, device), strict=True):
        found += [seen.to_image(box) for box in boxes if min(box.box) > 0.01 and max(box.box) < 0.99]
    best = merge_duplicates(found)[: 2 * options.max_instruments]
    return _look_closer(model, [image], [best], options, device)[0]


@torch.inference_mode()
def _look(model: GaugeDonut, seen: Sequence[Seen], options: LocateOptions, device: str) -> list[list[FoundBox]]:
    """Boxes in each view, in fractions of it."""
    found: list[list[FoundBox]] = []
    for start in range(0, len(seen), options.tile_batch):
        chunk = seen[start : start + options.tile_batch]
        pixels = to_pixel_values(np.stack([cut(image, view) for image, view in chunk])).to(device)
        located = model.located_maps(model.encode(pixels))
        maps = zip(located.centers.cpu(), located.sides.cpu(), strict=True)
        found += [best_boxes(centers, sides, threshold=options.propose_threshold) for centers, sides in maps]
    return found


def _look_closer(
    model: GaugeDonut,
    images: Sequence[Pixels],
    proposed: Sequence[Sequence[FoundBox]],
    options: LocateOptions,
    device: str,
) -> list[list[FoundBox]]:
    """What a closer look confirms of the boxes that were proposed in each image."""
    asked = [(row, box) for row, boxes in enumerate(proposed) for box in boxes]
    size, margin = model.config.image_size, options.closer_margin
    closer = [Seen(images[row], read_view(box.box, size, margin=margin)) for row, box in asked]
    kept: list[list[FoundBox]] = [[] for _ in images]
    for (row, first), seen, boxes in zip(asked, closer, _look(model, closer, options, device), strict=True):
        again = [seen.to_image(box) for box in boxes]
        best = max(again, key=lambda box: box.score * box_iou(box.box, first.box), default=None)
        if best is not None and best.score >= options.confirm_threshold and box_iou(best.box, first.box) > 0.3:
            kept[row].append(FoundBox(best.box, math.sqrt(best.score * max(first.score, 0.5))))
        elif first.score >= options.sure_threshold:
            kept[row].append(first)
    return kept


def _in_order(found: list[FoundBox], width: int, height: int) -> list[FoundBox]:
    if not found:
        return []

    def prominence(box: FoundBox) -> float:
        x0, y0, x1, y1 = box.box
        area = math.sqrt((x1 - x0) * (y1 - y0)) / max(width, height)
        off = math.hypot((x0 + x1) / 2 / width - 0.5, (y0 + y1) / 2 / height - 0.5)
        return box.score * area * (1.0 - 0.6 * off)

    main = max(found, key=prominence)
    rest = [box for box in found if box is not main]
    return [main, *sorted(rest, key=lambda box: (round(box.box[1] / height * 4), box.box[0]))]
