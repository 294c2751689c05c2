"""Accuracy of each instrument model under each condition: how legible, how large, how far tilted; and what is mixed up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from eval.bench_vision_cases import tilt_of
from eval.bench_vision_curves import LEGIBILITY_EDGES, SIZE_EDGES_PX, TILT_EDGES_DEG
from eval.matching import Pair, match_instruments
from eval.readings import ReaderProtocol, Slice, kind_of, model_of, score_slice, with_progress
from eval.score import NAN, EvalError, Share, share_of
from vision.fields import Contract, GaugeFields, PhotoReading
from vision.samples import InstrumentTruth, SampleRecord, read_records

Group = Literal["model", "kind"]
MixedField = Literal["scale", "unit"]
MIXED_FIELDS: tuple[MixedField, ...] = ("scale", "unit")
ConditionName = Literal["legibility", "size (px)", "tilt (degrees)"]
OPEN_END = 1e9
"""Stands for "and more": JSON has no infinity."""
NOT_THERE = "none"
NOT_GIVEN = "not read"


class ConditionSlice(Contract):
    """The instruments whose `condition` lies in [low, high)."""

    condition: ConditionName
    low: float
    high: float
    slice: Slice

    @property
    def name(self) -> str:
        """The range for people."""
        return f"{self.low:g} and more" if self.high >= OPEN_END else f"{self.low:g} to {self.high:g}"


class Mixup(Contract):
    """How often an instrument's scale or unit was read as something; right ones too."""

    field: MixedField
    truth: str
    given: str
    count: int

    @property
    def right(self) -> bool:
        """Whether it was read as it is."""
        return self.truth == self.given


class ModelAccuracy(Contract):
    """One model: all its instruments, then by condition. Instruments of which a condition is not known are left out there."""

    name: str
    overall: Slice
    conditions: tuple[ConditionSlice, ...]
    mixups: tuple[Mixup, ...]

    def read_right(self, field: MixedField) -> Share:
        """Share of the instruments with a printed scale (or unit) that was read as it is."""
        known = [one for one in self.mixups if one.field == field and one.truth != NOT_THERE]
        return share_of(sum(one.count for one in known if one.right), sum(one.count for one in known))

    def confused(self, most: int) -> tuple[Mixup, ...]:
        """The most frequent wrong readings of scale and unit."""
        wrong = sorted((one for one in self.mixups if not one.right), key=lambda one: -one.count)
        return tuple(wrong[:most])


class AccuracyCard(Contract):
    """Every model of a dataset (or kind of instrument); readings of instruments that are not there count with what they claim."""

    dataset: str
    group: Group
    pictures: int
    failed: int
    models: tuple[ModelAccuracy, ...]


class _Condition(NamedTuple):
    name: ConditionName
    of: Callable[[InstrumentTruth], float]
    edges: Sequence[float]


_CONDITIONS = (
    _Condition("legibility", lambda truth: NAN if truth.legibility is None else truth.legibility, LEGIBILITY_EDGES),
    _Condition("size (px)", lambda truth: max(truth.box[2] - truth.box[0], truth.box[3] - truth.box[1]), SIZE_EDGES_PX),
    _Condition("tilt (degrees)", lambda truth: tilt_of(truth.homography), TILT_EDGES_DEG),
)


def evaluate_by(
    folder: Path, reader: ReaderProtocol, group: Group, *, limit: int | None = None, progress: bool = True
) -> AccuracyCard:
    """Read the first `limit` pictures of a dataset folder (all where None) and score them by group.

    Raises SampleError where the folder is not a dataset, EvalError where it is empty.
    """
    records = list(islice(read_records(folder), limit))
    if not records:
        raise EvalError(f"{folder} holds no pictures to score")
    readings = reader.read_photos([folder / record.file_name for record in records])
    return score_by(folder.name, records, list(with_progress(readings, len(records), progress)), group)


def score_by(dataset: str, records: Sequence[SampleRecord], readings: Sequence[PhotoReading], group: Group) -> AccuracyCard:
    """Readings against the truths of the same pictures, one each, in order. Raises EvalError where one is missing."""
    if len(records) != len(readings):
        raise EvalError(f"{len(records)} pictures but {len(readings)} readings: score them one to one")
    name_of = model_of if group == "model" else kind_of
    pairs_of: dict[str, list[Pair]] = {}
    for record, reading in zip(records, readings, strict=True):
        for pair in match_instruments(record.truth.instruments, reading.instruments):
            pairs_of.setdefault(name_of(pair), []).append(pair)
    return AccuracyCard(
        dataset=dataset,
        group=group,
        pictures=len(records),
        failed=sum(reading.status == "error" for reading in readings),
        models=tuple(score_model(name, pairs_of[name]) for name in sorted(pairs_of)),
    )


def score_model(name: str, pairs: Sequence[Pair]) -> ModelAccuracy:
    """One model from its matched pairs."""
    return ModelAccuracy(
        name=name,
        overall=score_slice(name, pairs),
        conditions=tuple(one for condition in _CONDITIONS for one in _by_condition(condition, pairs)),
        mixups=count_mixups(pairs),
    )


def _by_condition(condition: _Condition, pairs: Sequence[Pair]) -> Iterable[ConditionSlice]:
    """The ranges that hold an instrument; a made-up one has no condition of its own."""
    for low, high in pairwise(condition.edges):
        inside = [pair for pair in pairs if pair.truth is not None and low <= condition.of(pair.truth) < high]
        if inside:
            scores = score_slice(f"{condition.name} from {low:g}", inside)
            yield ConditionSlice(condition=condition.name, low=low, high=min(high, OPEN_END), slice=scores)


def count_mixups(pairs: Sequence[Pair]) -> tuple[Mixup, ...]:
    """What the scales and units of true instruments were read as, mix-ups first, the most frequent first."""
    counts: Counter[tuple[MixedField, str, str]] = Counter()
    for pair in pairs:
        if pair.truth is None:
            continue
        true, given = pair.truth.fields, pair.reading.fields if pair.reading is not None else None
        for field, text_of in _TEXTS.items():
            truth, read = text_of(true), text_of(given) if given is not None else None
            if truth is not None or read is not None:
                counts[field, truth or NOT_THERE, read or NOT_GIVEN] += 1
    found = [Mixup(field=field, truth=truth, given=given, count=count) for (field, truth, given), count in counts.items()]
    return tuple(sorted(found, key=lambda one: (one.field, one.right, -one.count, one.truth, one.given)))


def scale_text(fields: GaugeFields) -> str | None:
    """The printed ends of a scale, with its multiplier; None without them, a question mark for the one that is missing."""
    if fields.scale_min is None and fields.scale_max is None:
        return None
    low, high = ("?" if end is None else f"{end:g}" for end in (fields.scale_min, fields.scale_max))
    factor = f" x{fields.scale_multiplier:g}" if fields.scale_multiplier not in (None, 1.0) else ""
    return f"{low} to {high}{factor}"


_TEXTS: dict[MixedField, Callable[[GaugeFields], str | None]] = {"scale": scale_text, "unit": lambda fields: fields.unit}
