"""From a labelled picture to what the losses need: a view, its tokens and its dense targets."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vision.crops import View
from vision.dense import ROW_POINTS
from vision.fields import POINT_NAMES, Box, GaugeFields
from vision.grammar import Choices, choices_along
from vision.samples import DigitRow, InstrumentTruth, PhotoTruth
from vision.tokens import Encoded, Located, encode, encode_location
from vision.vocabulary import (
    ANGLE_0,
    ANGLE_BINS,
    END_ID,
    FRACTION_0,
    FRACTION_BINS,
    ID,
    LOCATION_0,
    LOCATION_BINS,
    NUMBER_CHARS,
    PAD_ID,
    VOCABULARY,
)

MAX_NUMERALS = 40
MAX_UNITS = 6
MAX_BOXES = 8
MIN_READ_SIDE_PX = 24.0
"""Instruments smaller than this in a picture are located but not read: nothing on them can be made out."""

NO_LOSS, CLASS, CHARACTER, ANGLE, FRACTION, LOCATION = range(6)
TOKEN_TYPE_NAMES = ("none", "class", "character", "angle", "fraction", "location")


@lru_cache(maxsize=1)
def token_types() -> NDArray[np.int64]:
    """(V,) the kind of loss each token has where it is a choice; what ends a number counts as a character."""
    types = np.full(len(VOCABULARY), CLASS, np.int64)
    types[[ID[char] for char in NUMBER_CHARS]] = CHARACTER
    types[ANGLE_0 : ANGLE_0 + ANGLE_BINS] = ANGLE
    types[FRACTION_0 : FRACTION_0 + FRACTION_BINS] = FRACTION
    types[LOCATION_0 : LOCATION_0 + LOCATION_BINS] = LOCATION
    return types


class ChoiceTable:
    """Numbers the sets of allowed tokens, so that a batch refers to them by row of one boolean table."""

    def __init__(self) -> None:
        self._rows: dict[Choices, int] = {frozenset(range(len(VOCABULARY))): 0}
        self._table: Tensor | None = None

    def row(self, choices: Choices) -> int:
        return self._rows.setdefault(choices, len(self._rows))

    def table(self) -> Tensor:
        """(R, V) boolean: which tokens each row allows."""
        if self._table is None or len(self._table) != len(self._rows):
            table = torch.zeros(len(self._rows), len(VOCABULARY), dtype=torch.bool)
            for choices, row in self._rows.items():
                table[row, sorted(choices)] = True
            self._table = table
        return self._table


class Target(NamedTuple):
    """What one view teaches; coordinates in fractions of the view, NaN where there is nothing to learn."""

    is_read: bool
    tokens: Encoded
    allowed: list[Choices]
    points: NDArray[np.float32]  # (4, 2)
    numerals: NDArray[np.float32]  # (MAX_NUMERALS, 2)
    boxes: NDArray[np.float32]  # (MAX_BOXES, 4)
    row: NDArray[np.float32]  # (ROW_POINTS, 2) left end, right end and top of the main row of digits
    units: NDArray[np.float32]  # (MAX_UNITS, 2)
    given: frozenset[str] | None = None
    """Fields whose tokens are learned; None for all of them."""


def training_fields(instrument: InstrumentTruth) -> GaugeFields:
    """The part of the fields that the model learns to write: the core slots, without further channels.

    Of an instrument that nobody could read it learns the kind alone: to write nothing is to abstain.
    """
    fields = instrument.fields
    if not instrument.readable:
        return GaugeFields(kind=fields.kind)
    return fields.model_copy(update={"channels": (), "scale_points": ()})


def read_target(instrument: InstrumentTruth | None, view: View, given: frozenset[str] | None = None) -> Target:
    """Target of the read task; None teaches that the view holds nothing to read. `given`: the fields that are known."""
    points, numerals, boxes, row, units = _nothing()
    if instrument is not None:
        for index, name in enumerate(POINT_NAMES):
            point = getattr(instrument.points, name)
            if point is not None:
                x, y = view.to_view(point)
                if 0 <= x < 1 and 0 <= y < 1:
                    points[index] = x, y
        for index, numeral in enumerate(instrument.numerals[:MAX_NUMERALS]):
            numerals[index] = view.to_view(numeral.center)
        for index, unit in enumerate(instrument.units[:MAX_UNITS]):
            units[index] = view.to_view(unit.center)
        if instrument.rows:
            row[:] = _row_points(instrument.rows[0], view)
    tokens = encode(None if instrument is None else training_fields(instrument))
    return Target(True, tokens, choices_along(tokens.ids), points, numerals, boxes, row, units, given)


def _nothing() -> tuple[NDArray[np.float32], ...]:
    """Dense targets of a view that teaches none: points, numerals, boxes, row, units."""
    shapes = ((len(POINT_NAMES), 2), (MAX_NUMERALS, 2), (MAX_BOXES, 4), (ROW_POINTS, 2), (MAX_UNITS, 2))
    return tuple(np.full(shape, np.nan, np.float32) for shape in shapes)


def _row_points(row: DigitRow, view: View) -> NDArray[np.float32]:
    """Middles of a row's left, right and top edge in fractions of the view; NaN where one lies outside."""
    top_left, top_right, low_right, low_left = (np.array(view.to_view(corner)) for corner in row.corners)
    found = np.array([(top_left + low_left) / 2, (top_right + low_right) / 2, (top_left + top_right) / 2], np.float32)
    found[~((found >= 0) & (found < 1)).all(-1)] = np.nan
    return found


def view_box(view: View, box: Box) -> Box:
    """A photo box in fractions of the view, clipped to it."""
    x0, y0 = view.to_view((box[0], box[1]))
    x1, y1 = view.to_view((box[2], box[3]))
    return tuple(float(np.clip(side, 0.0, 1.0)) for side in (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))  # type: ignore[return-value]


def locate_target(truth: PhotoTruth, view: View) -> Target:
    """Target of the locate task: all boxes for the dense head, the main one for the decoder."""
    points, numerals, boxes, row, units = _nothing()
    for index, instrument in enumerate(truth.instruments[:MAX_BOXES]):
        boxes[index] = view_box(view, instrument.box)
    main = truth.instruments[0] if truth.instruments else None
    tokens = encode_location(None if main is None else Located(main.fields.kind, view_box(view, main.box)))
    return Target(False, tokens, choices_along(tokens.ids), points, numerals, boxes, row, units)


class Batch(NamedTuple):
    """Tensors of a training step."""

    pixel_values: Tensor  # (B, 3, S, S) in [-1, 1]
    is_read: Tensor  # (B,) bool
    input_ids: Tensor  # (B, T)
    target_ids: Tensor  # (B, T)
    places: Tensor  # (B, T) exact place on the bin axis
    choice_rows: Tensor  # (B, T) row of the choice table
    loss_types: Tensor  # (B, T) NO_LOSS where the grammar leaves no choice
    points: Tensor  # (B, 4, 2)
    numerals: Tensor  # (B, N, 2)
    boxes: Tensor  # (B, M, 4)
    row: Tensor  # (B, 3, 2)
    units: Tensor  # (B, U, 2)


def to_pixel_values(images: NDArray[np.uint8]) -> Tensor:
    """(B, S, S, 3) uint8 -> (B, 3, S, S) in [-1, 1], channels last in memory as the stem likes it."""
    return (torch.from_numpy(np.ascontiguousarray(images)).permute(0, 3, 1, 2).float() - 127.0) / 128.0


def collate(images: list[NDArray[np.uint8]], targets: list[Target], table: ChoiceTable) -> Batch:
    """Pad the tokens and stack everything."""
    length = max(len(target.tokens.ids) for target in targets) - 1
    shape = (len(targets), length)
    inputs, outputs = np.full(shape, PAD_ID, np.int64), np.full(shape, PAD_ID, np.int64)
    places, rows, types = np.zeros(shape, np.float32), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    kinds = token_types()
    for row, target in enumerate(targets):
        ids, count = target.tokens.ids, len(target.tokens.ids) - 1
        inputs[row, :count], outputs[row, :count] = ids[:-1], ids[1:]
        places[row, :count] = target.tokens.places[1:]
        rows[row, :count] = [table.row(choices) for choices in target.allowed]
        types[row, :count] = [
            NO_LOSS if len(choices) == 1 else CHARACTER if _ends_number(token, choices) else kinds[token]
            for token, choices in zip(ids[1:], target.allowed, strict=True)
        ]
        # Beyond the core slots the model never writes anything in training, so the last </s> is no choice either.
        if types[row, count - 1] == CLASS and ids[-1] == END_ID:
            types[row, count - 1] = NO_LOSS
        if target.given is not None:
            types[row, :count][[bool(name) and name not in target.given for name in _field_of_each(ids[1:])]] = NO_LOSS
    return Batch(
        to_pixel_values(np.stack(images)),
        torch.tensor([target.is_read for target in targets]),
        torch.from_numpy(inputs),
        torch.from_numpy(outputs),
        torch.from_numpy(places),
        torch.from_numpy(rows),
        torch.from_numpy(types),
        torch.from_numpy(np.stack([target.points for target in targets])),
        torch.from_numpy(np.stack([target.numerals for target in targets])),
        torch.from_numpy(np.stack([target.boxes for target in targets])),
        torch.from_numpy(np.stack([target.row for target in targets])),
        torch.from_numpy(np.stack([target.units for target in targets])),
    )


def _field_of_each(ids: list[int]) -> list[str]:
    """The field that each token belongs to; what opens a field ends the one before. The kind is of none."""
    names, name = [], ""
    for token in ids:
        names.append(name)
        text = VOCABULARY[token]
        name = text[3:-1] if text.startswith("<s_") else name
    return names


def _ends_number(token: int, choices: Choices) -> bool:
    return VOCABULARY[token] not in NUMBER_CHARS and ID["0"] in choices
