"""Truths and readings for the tests of this room, made by hand: no model, no picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vision.fields import Box, GaugeFields, InstrumentReading, PhotoReading, Weights
from vision.samples import InstrumentTruth, PhotoTruth, SampleRecord

CORPUS_HOME = Path(__file__).parents[2] / ".gauge" / "tests"
"""Where the shipped corpus is published for tests."""
WEIGHTS = Weights(name="test", version="1")
DIAL = GaugeFields(
    kind="dial",
    pointer_angle=140.0,
    start_angle=45.0,
    end_angle=315.0,
    clockwise=True,
    scale_fraction=0.35,
    scale_min=0.0,
    scale_max=10.0,
    unit="bar",
)


def make_truth(box: Box = (10, 10, 110, 110), model: str | None = None, **changes: Any) -> InstrumentTruth:
    """A dial at 3.5 bar on a 10 bar scale, or that with changed fields and values."""
    values: dict[str, Any] = {"value": 3.5, "value_low": 3.4, "value_high": 3.6, "unit": "bar"}
    values.update({key: changes.pop(key) for key in list(changes) if key in values})
    fields = GaugeFields.model_validate(DIAL.model_dump() | changes)
    return InstrumentTruth(instrument_model=model, box=box, fields=fields, **values)


def make_lamp(box: Box = (200, 10, 240, 50), color: str = "red", model: str | None = None) -> InstrumentTruth:
    """A lamp: an instrument without a value."""
    fields = GaugeFields.model_validate({"kind": "lamp", "warning_light_color": color})
    return InstrumentTruth(instrument_model=model, box=box, fields=fields)


def perfect_reading(truth: InstrumentTruth, **changes: Any) -> InstrumentReading:
    """What a reader without fault says of the truth, or that with changes."""
    data: dict[str, Any] = {
        "kind": truth.fields.kind,
        "instrument_model": truth.instrument_model,
        "box": truth.box,
        "points": truth.points,
        "fields": truth.fields,
        "status": "read",
    }
    if truth.value is not None:
        data |= {"value": truth.value, "value_low": truth.value_low, "value_high": truth.value_high, "unit": truth.unit}
        data |= {"value_source": "printed_scale", "value_confidence": 1.0}
    return InstrumentReading.model_validate(data | changes)


def abstained_reading(truth: InstrumentTruth, reason: str = "needle not found") -> InstrumentReading:
    """A reading that found the instrument and says nothing about it."""
    fields = GaugeFields(kind=truth.fields.kind)
    return InstrumentReading(kind=truth.fields.kind, box=truth.box, fields=fields, status="abstained", reason=reason)


def valued(reading: InstrumentReading, value: float, unit: str | None = "bar", confidence: float = 0.9) -> InstrumentReading:
    """The reading with another value, its interval a tenth to either side."""
    changes = {"value": value, "value_low": value - 0.1, "value_high": value + 0.1, "unit": unit}
    changes |= {"value_source": "printed_scale", "value_confidence": confidence, "status": "read", "reason": None}
    return InstrumentReading.model_validate(reading.model_dump() | changes)


def make_record(name: str, *truths: InstrumentTruth) -> SampleRecord:
    """A picture with these instruments."""
    return SampleRecord(file_name=name, truth=PhotoTruth(instruments=truths))


def make_photo(name: str, *instruments: InstrumentReading) -> PhotoReading:
    """A photo read as these instruments; abstained where none was read."""
    status = "read" if any(one.status == "read" for one in instruments) else "abstained"
    reason = None if status == "read" else "nothing read"
    return PhotoReading.model_validate(
        {"photo": name, "sha256": "0" * 64, "status": status, "reason": reason, "instruments": instruments, "weights": WEIGHTS}
    )


def failed_photo(name: str) -> PhotoReading:
    """A photo that could not be opened."""
    return PhotoReading(photo=name, sha256=None, status="error", reason="not an image", weights=WEIGHTS)


class ScriptedReader:
    """A reader that knows its answers by file name; what it does not know it abstains on."""

    def __init__(self, *readings: PhotoReading) -> None:
        self.answers = {Path(reading.photo).name: reading for reading in readings}
        self.asked: list[Path] = []

    def read_photos(self, paths: Any) -> Any:
        for path in paths:
            self.asked.append(path)
            known = self.answers.get(path.name)
            yield known.model_copy(update={"photo": str(path)}) if known else make_photo(str(path))


class Clock:
    """A clock that stands until a test sets `now`, in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def as_json(model: Any) -> Any:
    """A model through strict JSON: NaN and infinity are not allowed in it."""

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is not JSON")

    return json.loads(model.model_dump_json(), parse_constant=refuse)
