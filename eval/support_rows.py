"""What a reader says of drawn pictures, as rows to fit on: one a field, one a value, one a value that was not stated.

Rows are plain JSON lines, so that a fit can be done again without reading the pictures again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, TypeAdapter, ValidationError

from eval.matching import Pair
from eval.score import EvalError
from eval.values import number_fits, value_fits, value_in_unit
from vision.class_value import CLASS_FIELD, ClassVotes
from vision.crops import Pixels
from vision.fields import Box, Contract, InstrumentReading, Kind
from vision.judge import Judged
from vision.lamp_color import lamp_features
from vision.photos import load_photo
from vision.samples import InstrumentTruth, read_records
from vision.signals import plain
from vision.support import Support

BOX_SD = 0.04
"""Of its side: how far a found box is off the true one."""
RIGHT_SCALE_OF_SPAN = 0.05
"""An error below this share of the span is one of measuring; above it, something else was read."""


class FieldRow(Contract):
    """One field or point that was read: its raw confidence and whether it was right."""

    row: Literal["field"] = "field"
    picture: str
    name: str
    confidence: float
    right: bool


class ValueRow(Contract):
    """One value that was stated. `truth` is the true value in the value's own unit, None where there is none.

    `low` and `high` are the witness's own interval, before any widening; `span` is the true scale's, in the same unit.
    `right`: the value lies in the truth's interval, and its unit, where one is stated, is the true one.
    """

    row: Literal["value"] = "value"
    picture: str
    source: str
    stated: float
    value: float
    low: float
    high: float
    least_half: float
    truth: float | None
    span: float | None
    right: bool
    unit_missing: bool
    signals: dict[str, float]

    def holds(self, support: Support) -> bool:
        """Whether the interval that `support` would state with it holds the truth."""
        low, high = support.widened(self.source, self.low, self.value, self.high, self.least_half)
        return self.truth is not None and low <= self.truth <= high

    @property
    def on_scale(self) -> bool | None:
        """Whether the error is one of measuring; None where that cannot be told."""
        if self.truth is None or self.span is None:
            return None
        return abs(self.value - self.truth) <= RIGHT_SCALE_OF_SPAN * self.span


class UnreadRow(Contract):
    """One instrument with a true value of which none was stated."""

    row: Literal["unread"] = "unread"
    picture: str
    kind: str
    reason: str


class ClassRow(Contract):
    """One lamp or selector that was found, or what was taken for one: `true` is its label, None where it is neither.

    `kind` and `shares` are the looks' votes (`vision.class_value`), `features` a lamp's pixels (`vision.lamp_color`), `seen`
    and `seen_kind` the state reader's votes. A lamp of which the Donut was not asked has no shares.
    """

    row: Literal["class"] = "class"
    picture: str
    name: str
    true: str | None
    kind: float
    shares: dict[str, float]
    features: tuple[float, ...] = ()
    seen: dict[str, float] | None = None
    seen_kind: float = 1.0

    @property
    def votes(self) -> ClassVotes:
        """The votes as they were given."""
        return ClassVotes(self.kind, self.shares, self.seen, self.seen_kind)


Row = FieldRow | ValueRow | UnreadRow | ClassRow
_ROW: TypeAdapter[Row] = TypeAdapter(Annotated[Row, Field(discriminator="row")])


def value_rows(picture: str, pairs: Sequence[Pair], judged: Sequence[Judged]) -> list[ValueRow | UnreadRow]:
    """The rows of one picture's values; `judged` are its readings with their signals, in any order."""
    found: list[ValueRow | UnreadRow] = []
    for pair in pairs:
        if pair.reading is None or pair.reading.value is None:
            if pair.truth is not None and pair.truth.value is not None:
                reason = "not found" if pair.reading is None else pair.reading.reason or ""
                found.append(UnreadRow(picture=picture, kind=pair.truth.fields.kind, reason=reason))
            continue
        (one,) = [one for one in judged if one.reading is pair.reading][:1]
        found.append(_value_row(picture, pair.truth, one))
    return found


def _value_row(picture: str, truth: InstrumentTruth | None, judged: Judged) -> ValueRow:
    reading = judged.reading
    assert reading.value is not None
    assert reading.value_low is not None
    assert reading.value_high is not None
    true, span, right = (None, None, False) if truth is None else _against(truth, reading)
    return ValueRow(
        picture=picture,
        source=reading.value_source or "",
        stated=reading.value_confidence,
        value=reading.value,
        low=reading.value_low,
        high=reading.value_high,
        least_half=judged.least_half,
        truth=true,
        span=span,
        right=right,
        unit_missing=reading.unit is None and truth is not None and truth.unit is not None,
        signals=plain(judged.signals),
    )


def _against(truth: InstrumentTruth, reading: InstrumentReading) -> tuple[float | None, float | None, bool]:
    """True value and span in the reading's unit, and whether the reading is right."""
    if truth.value is None or reading.value is None:
        return None, None, False
    low = truth.value if truth.value_low is None else truth.value_low
    high = truth.value if truth.value_high is None else truth.value_high
    if reading.unit is None:
        # No unit is claimed: the number as printed is what the reading says.
        right = number_fits(reading.value, None, low, high, truth.unit)
        true: float | None = truth.value
    else:
        converted = value_in_unit(truth.value, truth.unit, reading.unit) if truth.unit else truth.value
        right = value_fits(reading.value, reading.unit, low, high, truth.unit)
        true = converted
    least, most = truth.fields.scale_min, truth.fields.scale_max
    if true is None or least is None or most is None:
        return true, None, right
    # Differences convert by their ratio; a shifted zero (°C and °F) falls out of it.
    ends = [value_in_unit(end, truth.unit, reading.unit) if truth.unit and reading.unit else end for end in (least, most)]
    first, last = ends
    return true, None if first is None or last is None else abs(last - first), right


def class_row(
    picture: str, truth: InstrumentTruth | None, kind: Kind, votes: ClassVotes, image: Pixels, box: Box
) -> ClassRow | None:
    """The row of what was read as a lamp or a selector in `box` of `image`; None where nobody could read it."""
    if truth is not None and not truth.readable:
        return None
    name = CLASS_FIELD[kind]
    true = None if truth is None else getattr(truth.fields, name)
    pixels = lamp_features(image, box).tolist() if kind == "lamp" else ()
    return ClassRow(
        picture=picture,
        name=name,
        true=None if true is None else str(true),
        kind=votes.kind,
        shares=dict(votes.shares),
        features=tuple(round(value, 5) for value in pixels),
        seen=None if votes.seen is None else dict(votes.seen),
        seen_kind=votes.seen_kind,
    )


def pixel_rows(folder: Path) -> Iterator[ClassRow]:
    """The readable lamps of a folder of drawn pictures in their true boxes, moved a little as found boxes are."""
    for record in read_records(folder):
        lamps = [one for one in record.truth.instruments if one.fields.kind == "lamp" and one.readable]
        if not lamps:
            continue
        photo, picture = load_photo(folder / record.file_name), f"{folder.name}/{record.file_name}"
        rng = np.random.default_rng(zlib.crc32(picture.encode()))
        for lamp in lamps:
            side = max(lamp.box[2] - lamp.box[0], lamp.box[3] - lamp.box[1])
            box = np.array(lamp.box) + BOX_SD * side * rng.normal(size=4)
            features = lamp_features(photo.image, (box[0], box[1], box[2], box[3])).tolist()
            yield ClassRow(
                picture=picture,
                name=CLASS_FIELD["lamp"],
                true=lamp.fields.warning_light_color,
                kind=1.0,
                shares={},
                features=tuple(round(value, 5) for value in features),
            )


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """The rows as JSON lines."""
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row.model_dump(mode="json"), ensure_ascii=False) + "\n")


def load_rows(path: Path) -> list[Row]:
    """Rows of a file. Raises EvalError where it is missing or holds something else."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [_ROW.validate_json(line) for line in lines if line]
    except (OSError, ValidationError) as error:
        raise EvalError(f"{path} holds no rows of a fit: {error}") from error
