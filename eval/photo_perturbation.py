"""How much noise the reader of photos bears: values right, left open and wrong per kind of noise and level, on drawn pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

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

    `wrong` is what a reader must not be: a value was given, and it is not the true one; `wrong_of_given` is its share of the
    values given. `lost`: of the instruments read right as drawn, those that are not under the noise.
    """

    kind: str
    level: float
    right: Share
    open: Share
    wrong: Share
    wrong_of_given: Share
    lost: Share


def perturb_photos(seed: int, reader: Reading, count: int, levels: Sequence[float] = LEVELS) -> tuple[PhotoNoiseRow, ...]:
    """`count` drawn pictures as they are, then with every kind of noise at every level. The same seed, the same noise."""
    pictures = list(islice(_with_values(), count))
    plans = [(NONE, 0.0), *((kind, level) for kind in PHOTO_NOISE for level in levels)]
    answers = {plan: _answers(seed, reader, pictures, *plan) for plan in tqdm(plans, desc="photo noise", unit="kind")}
    return tuple(_row(*plan, answers[plan], answers[plans[0]]) for plan in plans)


def moved_box(box: Box, matrix: NDArray[np.float64]) -> Box:
    """The box around where the corners of a box went."""
    corners = np.array([[x, y, 1.0] for x in (box[0], box[2]) for y in (box[1], box[3])]) @ matrix.T
    points = corners[:, :2] / corners[:, 2:]
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return (float(x0), float(y0), float(x1), float(y1))


def photo_noise_markdown(rows: Iterable[PhotoNoiseRow]) -> str:
    """A row a kind of noise and level, for people."""
    header = ["photo noise", "level", "value right", "left open", "wrong", "wrong of those given", "right before, now not"]
    cells = [
        [
            r.kind,
            number(r.level),
            *(percent(share, interval=True) for share in (r.right, r.open, r.wrong, r.wrong_of_given, r.lost)),
        ]
        for r in rows
    ]
    return table(header, cells)


def _with_values() -> Iterator[tuple[str, Picture, InstrumentTruth]]:
    from synth.stream import scene_stream

    for one in scene_stream(RECIPE, PICTURE_SEED):
        truth = next(iter(one.truth.instruments), None)
        if truth is not None and truth.value is not None and truth.readable:
            yield f"{RECIPE}-{one.seed}", one.picture, truth


def _answers(
    seed: int, reader: Reading, pictures: Sequence[tuple[str, Picture, InstrumentTruth]], kind: str, level: float
) -> list[bool | None]:
    """Of each picture whether its value was right, None where none was given."""
    answers: list[bool | None] = []
    for number_of, (name, picture, truth) in enumerate(pictures):
        if kind != NONE:
            noisy = corrupt_photo(np.random.default_rng([seed, number_of]), picture, kind, level)
            picture, truth = noisy.picture, truth.model_copy(update={"box": moved_box(truth.box, noisy.matrix)})
        (reading,) = reader.read_photos([to_png(picture)], names=[name])
        found = match_instruments((truth,), reading.instruments)[0].reading
        answer = judge_value(truth, found) if found is not None else None
        answers.append(None if answer is None else answer.right)
    return answers


def _row(kind: str, level: float, answers: Sequence[bool | None], clean: Sequence[bool | None]) -> PhotoNoiseRow:
    return PhotoNoiseRow(
        kind=kind,
        level=level,
        right=share_true(one is True for one in answers),
        open=share_true(one is None for one in answers),
        wrong=share_true(one is False for one in answers),
        wrong_of_given=share_true(not one for one in answers if one is not None),
        lost=share_true(one is not True for one, before in zip(answers, clean, strict=True) if before is True),
    )
