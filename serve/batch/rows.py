"""The table of a batch: one row a photo and instrument; a photo without instruments has one row with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal, NamedTuple

from serve.show import value_text
from vision.fields import Contract, PhotoReading


class Row(Contract):
    """One instrument of one photo, or a photo of which there is none (`instrument` None).

    `shown` is what the instrument says in words (a colour, a position, digits); `value` with its interval and `unit` is set
    where a number is stated. `reason` says why something was not read. `duplicate_of` names the photo with the same bytes
    that was read in its place. `box_*` are pixels of the upright photo.
    """

    photo: str
    sha256: str | None
    duplicate_of: str | None
    instrument: int | None
    status: Literal["read", "abstained", "error"]
    reason: str | None
    kind: str | None = None
    instrument_model: str | None = None
    model_source: str | None = None
    shown: str | None = None
    value: float | None = None
    value_low: float | None = None
    value_high: float | None = None
    unit: str | None = None
    value_confidence: float | None = None
    value_source: str | None = None
    adapted: bool | None = None
    box_left: float | None = None
    box_top: float | None = None
    box_right: float | None = None
    box_bottom: float | None = None
    weights: str | None = None


class Outcome(NamedTuple):
    """What came of one photo: its reading, or where there was no file to read, the problem."""

    name: str
    path: str
    sha256: str | None
    duplicate_of: str | None
    reading: PhotoReading | None
    problem: str | None = None

    @property
    def status(self) -> Literal["read", "abstained", "error"]:
        """Of the photo as a whole."""
        return self.reading.status if self.reading is not None else "error"


def rows_of(outcome: Outcome) -> Iterator[Row]:
    """The rows of a photo, at least one."""
    reading = outcome.reading
    row = partial(Row, photo=outcome.name, sha256=outcome.sha256, duplicate_of=outcome.duplicate_of)
    if reading is None:
        yield row(instrument=None, status="error", reason=outcome.problem)
        return
    row = partial(row, weights=f"{reading.weights.name} {reading.weights.version}")
    if not reading.instruments:
        yield row(instrument=None, status=reading.status, reason=reading.reason)
    for number, one in enumerate(reading.instruments, 1):
        read = one.status == "read"
        left, top, right, bottom = one.box
        yield row(
            instrument=number,
            status=one.status,
            reason=one.reason,
            kind=one.kind,
            instrument_model=one.instrument_model,
            model_source=one.model_source,
            shown=value_text(one) if read else None,
            value=one.value,
            value_low=one.value_low,
            value_high=one.value_high,
            unit=one.unit,
            value_confidence=(one.value_confidence or None) if read else None,  # 0 is what is not stated.
            value_source=one.value_source,
            adapted=one.adapted,
            box_left=left,
            box_top=top,
            box_right=right,
            box_bottom=bottom,
        )
