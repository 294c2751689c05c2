"""Which predicted instrument belongs to which true one: greedy by overlap of their boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vision.fields import Box, InstrumentReading
from vision.samples import InstrumentTruth

MATCH_IOU = 0.1
"""Below this two boxes show different things. Low on purpose: a loose box with the right value is a poor box, no invention."""
LOCATED_IOU = 0.5


class Pair(NamedTuple):
    """A true instrument with the reading matched to it, either of which may be missing."""

    truth: InstrumentTruth | None
    reading: InstrumentReading | None
    iou: float
    main: bool


def box_iou(first: Box, second: Box) -> float:
    """Intersection over union of two boxes x0 y0 x1 y1, in [0, 1]; 0 for empty boxes."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    overlap = width * height
    union = box_area(first) + box_area(second) - overlap
    return min(1.0, overlap / union) if union > 0 else 0.0


def box_area(box: Box) -> float:
    """Area in square pixels, 0 for a box turned inside out."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def match_instruments(truths: Sequence[InstrumentTruth], readings: Sequence[InstrumentReading]) -> list[Pair]:
    """Pairs by falling overlap; what stays alone on either side becomes a half-empty pair.

    At equal overlap the same kind goes first. The order of the readings does not matter: they are put
    into a canonical order before. The first truth is the picture's main instrument.
    """
    ordered = sorted(readings, key=lambda reading: reading.model_dump_json())
    candidates = sorted(
        (
            (-box_iou(truth.box, reading.box), truth.fields.kind != reading.kind, t, r)
            for t, truth in enumerate(truths)
            for r, reading in enumerate(ordered)
        ),
    )
    reading_of: dict[int, tuple[int, float]] = {}
    taken: set[int] = set()
    for negative_iou, _, t, r in candidates:
        if -negative_iou >= MATCH_IOU and t not in reading_of and r not in taken:
            reading_of[t] = (r, -negative_iou)
            taken.add(r)
    pairs = []
    for t, truth in enumerate(truths):
        r, iou = reading_of.get(t, (-1, 0.0))
        pairs.append(Pair(truth, ordered[r] if r >= 0 else None, iou, main=t == 0))
    pairs += [Pair(None, reading, 0.0, main=not truths) for r, reading in enumerate(ordered) if r not in taken]
    return pairs
