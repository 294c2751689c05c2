"""Field and value accuracy on a dataset folder, per instrument model and per kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from eval.fieldscores import FieldScore, score_fields
from eval.matching import LOCATED_IOU, Pair, match_instruments
from eval.score import EvalError, Share, share_true
from eval.valuescores import ValueScore, score_values
from vision.fields import KINDS, Contract, PhotoReading
from vision.samples import SampleRecord, read_records

UNKNOWN_MODEL = "unknown model"


class ReaderProtocol(Protocol):
    """What the evaluation needs of a reader: one reading a photo, in order, errors as readings."""

    def read_photos(self, paths: Sequence[Path]) -> Iterator[PhotoReading]:
        """Readings of the photos, one each, in the order of the paths."""
        ...


class Slice(Contract):
    """One group of instruments: how many there are, how many were found, their values and fields."""

    name: str
    instruments: int
    located: Share
    value: ValueScore
    fields: tuple[FieldScore, ...]


class Scorecard(Contract):
    """Accuracy over a dataset. `main` holds each picture's first instrument alone.

    `made_up_on_empty`: of the pictures without any instrument, those for which a value was given all the same.
    """

    pictures: int
    failed: int
    made_up_on_empty: Share
    overall: Slice
    main: Slice
    models: tuple[Slice, ...]
    kinds: tuple[Slice, ...]


def score_readings(truths: Sequence[SampleRecord], readings: Sequence[PhotoReading]) -> Scorecard:
    """Readings against the truths of the same pictures, one reading a record, in the same order.

    Raises EvalError where the two do not go together: a reading lost on the way must not shift the rest.
    """
    if len(truths) != len(readings):
        raise EvalError(f"{len(truths)} pictures but {len(readings)} readings: score them one to one")
    for record, reading in zip(truths, readings, strict=True):
        if Path(reading.photo).name != Path(record.file_name).name:
            raise EvalError(f"reading of {reading.photo!r} stands where {record.file_name!r} is scored: keep the order")
    matched = [match_instruments(t.truth.instruments, r.instruments) for t, r in zip(truths, readings, strict=True)]
    pairs = [pair for picture in matched for pair in picture]
    empty = [r for t, r in zip(truths, readings, strict=True) if not t.truth.instruments]
    return Scorecard(
        pictures=len(truths),
        failed=sum(reading.status == "error" for reading in readings),
        made_up_on_empty=share_true(any(one.value is not None for one in reading.instruments) for reading in empty),
        overall=score_slice("all instruments", pairs),
        main=score_slice("main instrument", [pair for pair in pairs if pair.main]),
        models=_slices(pairs, model_of),
        kinds=tuple(part for kind in KINDS for part in _slices(pairs, kind_of) if part.name == kind),
    )


def score_slice(name: str, pairs: Sequence[Pair]) -> Slice:
    """One group of matched pairs."""
    true_ones = [pair for pair in pairs if pair.truth is not None]
    return Slice(
        name=name,
        instruments=len(true_ones),
        located=share_true(pair.iou >= LOCATED_IOU for pair in true_ones),
        value=score_values(pairs),
        fields=score_fields(pairs),
    )


def evaluate_dataset(folder: Path, reader: ReaderProtocol, *, limit: int | None = None, progress: bool = True) -> Scorecard:
    """Read the first `limit` pictures of a dataset folder (all where None) and score them.

    Raises SampleError where the folder is not a dataset, EvalError where it is empty or `limit` is not positive.
    """
    if limit is not None and limit < 1:
        raise EvalError(f"limit must be at least 1, got {limit}")
    records = list(islice(read_records(folder), limit))
    if not records:
        raise EvalError(f"{folder} holds no pictures to score")
    readings = reader.read_photos([folder / record.file_name for record in records])
    return score_readings(records, list(with_progress(readings, len(records), progress)))


def with_progress(readings: Iterable[PhotoReading], total: int, progress: bool) -> Iterable[PhotoReading]:
    """The readings behind a progress bar on stderr."""
    from tqdm import tqdm

    return tqdm(readings, total=total, desc="reading", unit="photo", disable=not progress)


def model_of(pair: Pair) -> str:
    """The true instrument's model; of a reading without a truth, the model it claims."""
    source = pair.truth or pair.reading
    return (source.instrument_model if source else None) or UNKNOWN_MODEL


def kind_of(pair: Pair) -> str:
    """The true instrument's kind; of a reading without a truth, the kind it claims."""
    if pair.truth is not None:
        return pair.truth.fields.kind
    return pair.reading.kind if pair.reading is not None else "none"


def _slices(pairs: Sequence[Pair], name_of: Callable[[Pair], str]) -> tuple[Slice, ...]:
    names = sorted({name_of(pair) for pair in pairs})
    return tuple(score_slice(name, [pair for pair in pairs if name_of(pair) == name]) for name in names)
