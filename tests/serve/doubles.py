"""A reader whose answers are known, so that the doors can be tested without a model. Photo intake is the real one."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from vision.fields import EvidencePoints, GaugeFields, InstrumentReading, PhotoReading, Weights
from vision.photos import PhotoError, load_photo

WEIGHTS = Weights(name="double", version="1")


class DoubleReader:
    """Reads a dial in every photo that is not all of one colour, and keeps what it was asked."""

    weights = WEIGHTS
    together = 1

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.broken_on: str | None = None

    def read_photos(
        self,
        sources: Iterable[Path | bytes],
        *,
        names: Sequence[str] | None = None,
        model: str | None = None,
        known_models: Sequence[str] = (),
    ) -> Iterator[PhotoReading]:
        """One reading a photo, errors as readings."""
        self.asked.append({"names": names, "model": model, "known_models": tuple(known_models)})
        for number, source in enumerate(sources):
            yield self.read_one(source, names[number] if names else None, model)

    def read_one(self, source: Path | bytes, name: str | None, model: str | None) -> PhotoReading:
        if name is not None and name == self.broken_on:
            raise RuntimeError("secret of the reader")
        try:
            photo = load_photo(source, name=name)
        except PhotoError as error:
            return PhotoReading(photo=error.name, sha256=error.sha256, status="error", reason=error.reason, weights=WEIGHTS)
        if np.ptp(photo.image) == 0:
            return PhotoReading(
                photo=photo.name, sha256=photo.sha256, status="abstained", reason="no instrument was found", weights=WEIGHTS
            )
        dial = make_dial(photo.width, photo.height, model)
        return PhotoReading(
            photo=photo.name, sha256=photo.sha256, status="read", instruments=(dial,), weights=WEIGHTS, timing_ms={"read": 1.0}
        )


def make_dial(width: int, height: int, model: str | None = None, **changes: Any) -> InstrumentReading:
    """A dial in the middle of a photo, at half of its 0 to 100 MPa scale."""
    center = (width / 2, height / 2)
    values: dict[str, Any] = {
        "kind": "dial",
        "instrument_model": model,
        "model_source": "given" if model else None,
        "box": (width * 0.1, height * 0.1, width * 0.9, height * 0.9),
        "points": EvidencePoints(
            needle_tip=(width / 2, height * 0.2),
            pivot=center,
            scale_start=(width * 0.3, height * 0.8),
            scale_end=(width * 0.7, height * 0.8),
        ),
        "fields": GaugeFields(
            kind="dial",
            pointer_angle=180.0,
            start_angle=45.0,
            end_angle=315.0,
            clockwise=True,
            scale_fraction=0.5,
            scale_min=0.0,
            scale_max=100.0,
            unit="MPa",
        ),
        "confidence": {"kind": 0.99, "pointer_angle": 0.9},
        "value_confidence": 0.87,
        "value": 50.0,
        "value_low": 48.5,
        "value_high": 51.5,
        "unit": "MPa",
        "value_source": "printed_scale",
        "status": "read",
    }
    return InstrumentReading(**{**values, **changes})


def abstained_dial(width: int, height: int) -> InstrumentReading:
    """A dial that was seen and not read."""
    return InstrumentReading(
        kind="dial", box=(0, 0, width, height), fields=GaugeFields(kind="dial"), status="abstained", reason="the needle is hidden"
    )


def picture_bytes(kind: str = "PNG", size: tuple[int, int] = (120, 90), color: str = "white", mark: bool = True) -> bytes:
    """A small picture in a format; without `mark` it is of one colour, which the double reads as no instrument."""
    picture = Image.new("RGB", size, color)
    if mark:
        picture.paste((200, 0, 0), (size[0] // 3, size[1] // 3, size[0] // 2, size[1] // 2))
    out = io.BytesIO()
    picture.save(out, kind)
    return out.getvalue()


class HashEmbedder:
    """Texts as hashed bags of words: enough for a small corpus, and loaded in no time."""

    name = "double-hash"
    dimension = 64

    def encode(self, texts: Sequence[str]) -> Any:
        """Unit vectors (N, 64), float32."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, zlib.crc32(word.encode()) % self.dimension] += 1.0
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
