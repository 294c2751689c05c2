"""Photo -> reading: locate, read each crop in one batch, let the witnesses speak, decide what may be stated.

The Donut gives kind, fields and evidence points; the printed numerals give a dial's scale, a second look at a
display its digits. A value is stated where it is supported; otherwise the reading abstains and says why.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch

from vision.adapter import Adapter
from vision.adapter_files import AdapterFolder, weights_sha256
from vision.calibration import Calibration
from vision.cluster import doubt_resting_needles
from vision.crop_reading import CropReading, read_crops
from vision.crops import Pixels
from vision.digit_reader import DigitReader, digits_shipped
from vision.donut import GaugeDonut, load
from vision.fields import POINT_NAMES, EvidencePoints, InstrumentReading, PhotoReading, Weights
from vision.judge import Evidence, Judged, judge, raw_confidence
from vision.lamp_color import LampModel
from vision.line_reader import LineReader, lines_shipped
from vision.locate import FoundBox, LocateOptions, locate
from vision.looks import LOOKS, Look
from vision.nameplate import find_model
from vision.numerals import NumeralReader
from vision.photos import Photo, PhotoError, load_photo
from vision.state_pool import StatePools
from vision.state_reader import StateReader, states_shipped
from vision.support import NO_SUPPORT, Support
from vision.weights_folder import weights_folder, weights_identity

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReaderOptions:
    """Limits of the reader: a box smaller than `min_box_px` in the photo is reported as too small to read.

    `min_value_confidence`: a value that is right with a lower probability is not stated; the reading abstains and names
    the doubt. It counts where the weights carry a support model.

    `threads` are torch's on a CPU: more than one makes small models slower where other work shares the cores.
    """

    locate: LocateOptions = field(default_factory=LocateOptions)
    min_box_px: float = 28.0
    threads: int = 1
    text_side_px: int = 736
    looks: tuple[Look, ...] = LOOKS
    batch_size: int = 8
    min_value_confidence: float = 0.5


class Looked(NamedTuple):
    """What the Donut saw in a photo, and the milliseconds it took by stage."""

    crops: tuple[CropReading, ...]
    timing_ms: dict[str, float]


class Reader:
    """Reads photos with one model that is loaded once. Not for use by several threads at a time."""

    def __init__(
        self,
        model: GaugeDonut,
        weights: Weights,
        calibration: Calibration,
        options: ReaderOptions = ReaderOptions(),
        device: str = "cpu",
        adapters: AdapterFolder | None = None,
        support: Support = NO_SUPPORT,
        lamp: LampModel | None = None,
        pools: StatePools | None = None,
    ) -> None:
        self.model = model.to(device).eval()
        self.adapters = adapters
        self.weights = weights
        self.calibration = calibration
        self.support = support
        self.lamp = lamp
        self.pools = pools
        self.options = options
        self.device = device
        self.last: tuple[Judged, ...] = ()
        """The instruments of the photo read last, with the signals of their values."""
        self.numerals = NumeralReader()
        self.lines = LineReader.load() if lines_shipped() else None
        self.digits = DigitReader.load() if digits_shipped() else None
        self.states = StateReader.load() if states_shipped() else None

    @classmethod
    def load(
        cls,
        weights: str | Path | None = None,
        *,
        device: str = "cpu",
        options: ReaderOptions = ReaderOptions(),
        adapters: Path | None = None,
    ) -> Reader:
        """The reader of a weights folder, or of shipped weights by name. Raises DonutError where there are none.

        `adapters` is a folder of adapters by instrument model; each is loaded when a photo asks for it.
        """
        if device == "cpu":
            torch.set_num_threads(options.threads)
        folder = weights_folder(weights)
        model = load(folder)
        found = None if adapters is None else AdapterFolder(adapters, weights_sha256(folder), device)
        fitted = Support.load(folder), LampModel.load(folder), StatePools.load(folder)
        return cls(model, weights_identity(folder), Calibration.load(folder), options, device, found, *fitted)

    def read_photos(
        self,
        sources: Iterable[Path | bytes],
        *,
        names: Sequence[str] | None = None,
        model: str | None = None,
        known_models: Sequence[str] = (),
    ) -> Iterator[PhotoReading]:
        """One reading a photo, in order. A photo that cannot be opened comes out with status `error`; nothing raises."""
        for index, source in enumerate(sources):
            name = names[index] if names is not None else str(source) if isinstance(source, Path) else f"photo {index + 1}"
            started = time.perf_counter()
            try:
                photo = load_photo(source, name=name)
            except PhotoError as error:
                yield PhotoReading(
                    photo=error.name, sha256=error.sha256, status="error", reason=error.reason, weights=self.weights
                )
                continue
            opened_ms = _ms(started)
            try:
                reading = self.read_photo(photo, model=model, known_models=known_models)
            except (ArithmeticError, IndexError, LookupError, RuntimeError, TypeError, ValueError) as error:
                # A fault of ours on one photo must not take the rest of a batch with it.
                LOG.debug("the reader failed on %s", photo.name, exc_info=True)
                reason = f"the reader itself failed on this photo ({type(error).__name__}: {error}); please report it"
                reading = PhotoReading(photo=photo.name, sha256=photo.sha256, status="error", reason=reason, weights=self.weights)
            yield reading.model_copy(update={"timing_ms": {"open": opened_ms, **reading.timing_ms}})

    def read_photo(self, photo: Photo, *, model: str | None = None, known_models: Sequence[str] = ()) -> PhotoReading:
        """Locate and read every instrument of an opened photo."""
        return self.state(photo, self.look(photo, model=model), model=model, known_models=known_models)

    def look(self, photo: Photo, *, model: str | None = None) -> Looked:
        """What the Donut sees in an opened photo, before the witnesses speak."""
        timing: dict[str, float] = {}
        started = time.perf_counter()
        boxes = locate(self.model, photo.image, self.options.locate, self.device)
        timing["locate"] = _ms(started)
        started = time.perf_counter()
        crops = self._read_crops(photo.image, boxes, [self._adapter(model)] * len(boxes))
        timing["donut"] = _ms(started)
        return Looked(tuple(crops), timing)

    def state(self, photo: Photo, looked: Looked, *, model: str | None = None, known_models: Sequence[str] = ()) -> PhotoReading:
        """The reading of a photo that was looked at: witnesses heard, values stated or not."""
        started = time.perf_counter()
        known = known_models if self.adapters is None else [*known_models, *self.adapters.models()]
        judged = [one for crop in looked.crops if (one := self._judge_named(photo, crop, model, known)) is not None]
        stated = doubt_resting_needles(judged)
        instruments = tuple(one.reading for one in stated)
        self.last = stated
        timing = {**looked.timing_ms, "witnesses": _ms(started)}
        read = any(instrument.status == "read" for instrument in instruments)
        return PhotoReading(
            photo=photo.name,
            sha256=photo.sha256,
            status="read" if read else "abstained",
            reason=None if read else _why_not(instruments),
            instruments=instruments,
            weights=self.weights,
            timing_ms=timing,
        )

    def _read_crops(self, image: Pixels, boxes: list[FoundBox], adapters: Sequence[Adapter | None]) -> list[CropReading]:
        crops: list[CropReading] = []
        size = self.options.batch_size
        for start in range(0, len(boxes), size):
            rows = slice(start, start + size)
            crops += read_crops(self.model, image, boxes[rows], adapters[rows], self.options.looks, self.device, self.states)
        return crops

    def _adapter(self, instrument_model: str | None) -> Adapter | None:
        return None if self.adapters is None or instrument_model is None else self.adapters.find(instrument_model)

    def _judge_named(self, photo: Photo, crop: CropReading, model: str | None, known_models: Sequence[str]) -> Judged | None:
        """The reading of a crop; where its nameplate names a model that has an adapter, that of a second pass with it."""
        judged = self._judge(photo, crop, model, known_models)
        if judged is None:
            return None
        reading = judged.reading
        if reading.model_source != "nameplate":
            adapted = reading.model_copy(update={"adapted": self._adapter(model) is not None})
            return judged._replace(reading=adapted)
        adapter = self._adapter(reading.instrument_model)
        if adapter is None:
            return judged
        (second,) = self._read_crops(photo.image, [crop.box], [adapter])
        again = self._judge(photo, second, model, known_models)
        if again is None:
            return judged
        named = {"instrument_model": reading.instrument_model, "model_source": reading.model_source, "adapted": True}
        return again._replace(reading=again.reading.model_copy(update=named))

    def _judge(self, photo: Photo, crop: CropReading, model: str | None, known_models: Sequence[str]) -> Judged | None:
        if crop.fields is None and crop.problem is None:
            return None  # a closer look says that there is no instrument here
        evidence = Evidence(
            image=photo.image,
            box=crop.box.box,
            box_score=crop.box.score,
            fields=crop.fields,
            problem=crop.problem,
            chosen=crop.chosen,
            points=crop.points,
            point_confidence=crop.point_confidence,
            point_spread=crop.point_spread,
            unit_places=crop.printed.units,
            numeral_places=crop.printed.numerals,
            row_place=crop.printed.row,
            votes=crop.votes,
            too_small=max(crop.box.box[2] - crop.box.box[0], crop.box.box[3] - crop.box.box[1]) < self.options.min_box_px,
        )
        judged = judge(
            evidence,
            self.numerals,
            self.calibration,
            self.options.text_side_px,
            self.lines,
            self.support,
            self.options.min_value_confidence,
            self.digits,
            self.lamp,
            self.pools,
        )
        printed = find_model(judged.texts, known_models) if known_models else None
        reading = _in_photo_pixels(photo, judged.reading).model_copy(
            update={
                "instrument_model": model or printed,
                "model_source": "given" if model else "nameplate" if printed else None,
            }
        )
        return judged._replace(reading=reading)


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
        readings.append(_in_photo_pixels(photo, reading))
    return tuple(readings)


def _in_photo_pixels(photo: Photo, reading: InstrumentReading) -> InstrumentReading:
    x0, y0 = photo.to_photo(*reading.box[:2])
    x1, y1 = photo.to_photo(*reading.box[2:])
    points = {
        name: None if point is None else tuple(round(v, 1) for v in photo.to_photo(*point))
        for name, point in ((name, getattr(reading.points, name)) for name in POINT_NAMES)
    }
    box = tuple(round(side, 1) for side in (x0, y0, x1, y1))
    return reading.model_copy(update={"box": box, "points": EvidencePoints.model_validate(points)})


def _why_not(instruments: Sequence[InstrumentReading]) -> str:
    if not instruments:
        return "no instrument was found in the photo"
    return "; ".join(dict.fromkeys(instrument.reason or "" for instrument in instruments))


def _ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1000.0, 1)
