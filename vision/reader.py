"""Photo -> reading: locate, read each crop in one batch, let the witnesses speak, decide what may be stated.

The Donut gives kind, fields and evidence points; the printed numerals give a dial's scale, a second look at a
display its digits. A value is stated where it is supported; otherwise the reading abstains and says why.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import torch

from vision.adapter import Adapter
from vision.adapter_files import AdapterFolder, weights_sha256
from vision.calibration import Calibration
from vision.cluster import doubt_resting_needles
from vision.crop_reading import CropReading, read_crops
from vision.crops import Pixels
from vision.digit_reader import DigitReader, digits_shipped
from vision.donut import GaugeDonut, load
from vision.fields import InstrumentReading, PhotoReading, Weights
from vision.judge import Evidence, Judged, judge
from vision.lamp_color import LampModel
from vision.line_reader import LineReader, lines_shipped
from vision.locate import FoundBox, LocateOptions, locate_many
from vision.looked import Looked, in_photo_pixels
from vision.looks import LOOKS, Look
from vision.nameplate import find_model
from vision.numerals import NumeralReader
from vision.opening import open_photo
from vision.photos import Photo, PhotoError
from vision.state_pool import StatePools
from vision.state_reader import StateReader, states_shipped
from vision.support import NO_SUPPORT, Support
from vision.weights_folder import weights_folder, weights_identity

LOG = logging.getLogger(__name__)

FAULTS = (ArithmeticError, IndexError, LookupError, RuntimeError, TypeError, ValueError)
"""What a fault of ours raises; on one photo it must not take the rest of a batch with it."""


@dataclass(frozen=True)
class ReaderOptions:
    """Limits of the reader: boxes below `min_box_px` in the photo, lamps below `min_lamp_px`, are too small to be read.

    `min_value_confidence`: a value that is right with a lower probability is not stated; the reading abstains and names
    the doubt. It counts where the weights carry a support model.

    `threads` are torch's on a CPU: more than one makes small models slower where other work shares the cores.

    `batch_size` crops are read at once, and of a sequence of photos as many are looked at together on a GPU.
    """

    locate: LocateOptions = field(default_factory=LocateOptions)
    min_box_px: float = 28.0
    min_lamp_px: float = 14.0
    threads: int = 1
    text_side_px: int = 736
    looks: tuple[Look, ...] = LOOKS
    batch_size: int = 8
    min_value_confidence: float = 0.5


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
        self.model.reads_in_half = torch.device(device).type == "cuda"
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
        waiting = enumerate(sources)
        while group := list(islice(waiting, self.together)):
            opened = [open_photo(source, index, names) for index, source in group]
            photos = [one for one, _ in opened if isinstance(one, Photo)]
            looks = iter(self._look_together(photos, model))
            for photo, opened_ms in opened:
                if isinstance(photo, PhotoError):
                    yield self._error(photo.name, photo.sha256, photo.reason)
                    continue
                reading = self._read_looked(photo, next(looks), model, known_models)
                yield reading.model_copy(update={"timing_ms": {"open": opened_ms, **reading.timing_ms}})

    @property
    def together(self) -> int:
        """How many photos of a sequence are looked at in one batch. On a CPU one: eight dials together save 4 % of a photo's
        processor time (n 16), and boxes that differ in their last bits would let a reading depend on its neighbours."""
        return 1 if self.device == "cpu" else self.options.batch_size

    def _look_together(self, photos: Sequence[Photo], model: str | None) -> Sequence[Looked | None]:
        """What is seen in some photos; None where each is to be looked at by itself."""
        if len(photos) > 1:
            try:
                return self.look_many(photos, [model] * len(photos))
            except FAULTS:
                LOG.debug("%d photos cannot be looked at together", len(photos), exc_info=True)
        return [None] * len(photos)

    def _read_looked(self, photo: Photo, looked: Looked | None, model: str | None, known_models: Sequence[str]) -> PhotoReading:
        try:
            if looked is None:
                return self.read_photo(photo, model=model, known_models=known_models)
            return self.state(photo, looked, model=model, known_models=known_models)
        except FAULTS as error:
            LOG.debug("the reader failed on %s", photo.name, exc_info=True)
            reason = f"the reader itself failed on this photo ({type(error).__name__}: {error}); please report it"
            return self._error(photo.name, photo.sha256, reason)

    def _error(self, name: str, sha256: str | None, reason: str) -> PhotoReading:
        return PhotoReading(photo=name, sha256=sha256, status="error", reason=reason, weights=self.weights)

    def read_photo(self, photo: Photo, *, model: str | None = None, known_models: Sequence[str] = ()) -> PhotoReading:
        """Locate and read every instrument of an opened photo."""
        return self.state(photo, self.look(photo, model=model), model=model, known_models=known_models)

    def look(self, photo: Photo, *, model: str | None = None) -> Looked:
        """What the Donut sees in an opened photo, before the witnesses speak."""
        (looked,) = self.look_many([photo], [model])
        return looked

    def look_many(self, photos: Sequence[Photo], models: Sequence[str | None]) -> list[Looked]:
        """What the Donut sees in each of some opened photos, whole ones and crops of all in common batches.

        `models` are the instruments' models by photo, None where it is not known.
        """
        started = time.perf_counter()
        found = locate_many(self.model, [photo.image for photo in photos], self.options.locate, self.device)
        timing = {"locate": round(_ms(started) / len(photos), 1)}
        started = time.perf_counter()
        images: list[Pixels] = []
        adapters: list[Adapter | None] = []
        for photo, model, boxes in zip(photos, models, found, strict=True):
            images += [photo.image] * len(boxes)
            adapters += [self._adapter(model)] * len(boxes)
        crops = iter(self._read_crops(images, [box for boxes in found for box in boxes], adapters))
        timing["donut"] = round(_ms(started) / len(photos), 1)
        return [Looked(tuple(islice(crops, len(boxes))), timing) for boxes in found]

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

    def _read_crops(
        self, images: Sequence[Pixels], boxes: Sequence[FoundBox], adapters: Sequence[Adapter | None]
    ) -> list[CropReading]:
        crops: list[CropReading] = []
        size = self.options.batch_size
        for start in range(0, len(boxes), size):
            rows = slice(start, start + size)
            some = images[rows], boxes[rows], adapters[rows]
            crops += read_crops(self.model, *some, self.options.looks, self.device, self.states)
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
        (second,) = self._read_crops([photo.image], [crop.box], [adapter])
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
            too_small=crop.side_px < (self.options.min_lamp_px if crop.is_lamp else self.options.min_box_px),
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
        reading = in_photo_pixels(photo, judged.reading).model_copy(
            update={
                "instrument_model": model or printed,
                "model_source": "given" if model else "nameplate" if printed else None,
            }
        )
        return judged._replace(reading=reading)


def _why_not(instruments: Sequence[InstrumentReading]) -> str:
    if not instruments:
        return "no instrument was found in the photo"
    return "; ".join(dict.fromkeys(instrument.reason or "" for instrument in instruments))


def _ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1000.0, 1)
