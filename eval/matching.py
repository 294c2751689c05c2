"""Which predicted instrument belongs to which true one: greedy by overlap of their boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vision.fields import InstrumentReading
from vision.plane import box_iou
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
