"""What the Donut saw in a photo, and readings in the photo's own pixels."""

from __future__ import annotations

from typing import NamedTuple

from vision.crop_reading import CropReading
from vision.fields import POINT_NAMES, EvidencePoints, InstrumentReading
from vision.judge import raw_confidence
from vision.photos import Photo


class Looked(NamedTuple):
    """What the Donut saw in a photo, and the milliseconds it took by stage; of photos seen together, an equal share."""

    crops: tuple[CropReading, ...]
    timing_ms: dict[str, float]


def unjudged(photo: Photo, looked: Looked) -> tuple[InstrumentReading, ...]:
    """What the Donut wrote and pointed at, with raw confidences and no value: what its confidences are fitted on."""
    readings = []
    for crop in looked.crops:
        if crop.fields is None:
            continue
        raw = {name: raw_confidence(choices) for name, choices in crop.chosen.items()}
        reading = InstrumentReading(
            kind=crop.fields.kind,
            box=crop.box.box,
            points=crop.points,
            fields=crop.fields,
            confidence={name: min(value, 1.0) for name, value in (raw | crop.point_confidence).items()},
            status="abstained",
            reason="not judged",
        )
        readings.append(in_photo_pixels(photo, reading))
    return tuple(readings)


def in_photo_pixels(photo: Photo, reading: InstrumentReading) -> InstrumentReading:
    """A reading of the upright, perhaps reduced image, with box and points where the photo has them."""
    x0, y0 = photo.to_photo(*reading.box[:2])
    x1, y1 = photo.to_photo(*reading.box[2:])
    points = {
        name: None if point is None else tuple(round(v, 1) for v in photo.to_photo(*point))
        for name, point in ((name, getattr(reading.points, name)) for name in POINT_NAMES)
    }
    box = tuple(round(side, 1) for side in (x0, y0, x1, y1))
    return reading.model_copy(update={"box": box, "points": EvidencePoints.model_validate(points)})
