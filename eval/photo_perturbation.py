"""How much noise the reader of photos bears: values right, left open and wrong per kind of noise and level, on drawn pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from eval.gate_rows import Reading
from eval.matching import match_instruments
from eval.noise import LEVELS
from eval.photo_noise import PHOTO_NOISE, Picture, corrupt_photo
from eval.score import Share, share_true
from eval.sweeps import to_png
from eval.tables import number, percent, table
from eval.valuescores import judge_value
from vision.fields import Box, Contract
from vision.samples import InstrumentTruth

PICTURE_SEED = 1_730_000_000
RECIPE = "close"
NONE = "none"


class PhotoNoiseRow(Contract):
    """One kind of noise at one level, over the instruments that have a value; kind `none` at level 0 is the picture as drawn.

    `wrong` is what a reader must not be: a value was given, and it is not the true one.
    """

    kind: str
    level: float
    right: Share
    open: Share
    wrong: Share


def perturb_photos(seed: int, reader: Reading, count: int, levels: Sequence[float] = LEVELS) -> tuple[PhotoNoiseRow, ...]:
    """`count` drawn pictures as they are, then with every kind of noise at every level. The same seed, the same noise."""
    pictures = list(islice(_with_values(), count))
    plans = [(NONE, 0.0), *((kind, level) for kind in PHOTO_NOISE for level in levels)]
    return tuple(_row(seed, reader, pictures, kind, level) for kind, level in plans)


def moved_box(box: Box, matrix: NDArray[np.float64]) -> Box:
    """The box around where the corners of a box went."""
    corners = np.array([[x, y, 1.0] for x in (box[0], box[2]) for y in (box[1], box[3])]) @ matrix.T
    points = corners[:, :2] / corners[:, 2:]
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return (float(x0), float(y0), float(x1), float(y1))


def photo_noise_markdown(rows: Iterable[PhotoNoiseRow]) -> str:
    """A row a kind of noise and level, for people."""
    header = ["photo noise", "level", "value right", "left open", "wrong"]
    return table(header, [[r.kind, number(r.level), percent(r.right), percent(r.open), percent(r.wrong)] for r in rows])


def _with_values() -> Iterator[tuple[str, Picture, InstrumentTruth]]:
    from synth.stream import scene_stream

    for one in scene_stream(RECIPE, PICTURE_SEED):
        truth = next(iter(one.truth.instruments), None)
        if truth is not None and truth.value is not None and truth.readable:
            yield f"{RECIPE}-{one.seed}", one.picture, truth


def _row(
    seed: int, reader: Reading, pictures: Sequence[tuple[str, Picture, InstrumentTruth]], kind: str, level: float
) -> PhotoNoiseRow:
    answers: list[bool | None] = []
    for number_of, (name, picture, truth) in enumerate(pictures):
        if kind != NONE:
            noisy = corrupt_photo(np.random.default_rng([seed, number_of]), picture, kind, level)
            picture, truth = noisy.picture, truth.model_copy(update={"box": moved_box(truth.box, noisy.matrix)})
        (reading,) = reader.read_photos([to_png(picture)], names=[name])
        found = match_instruments((truth,), reading.instruments)[0].reading
        answer = judge_value(truth, found) if found is not None else None
        answers.append(None if answer is None else answer.right)
    return PhotoNoiseRow(
        kind=kind,
        level=level,
        right=share_true(one is True for one in answers),
        open=share_true(one is None for one in answers),
        wrong=share_true(one is False for one in answers),
    )
