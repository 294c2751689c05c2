"""Training examples from dataset folders: pictures stay compressed in memory, views are cut on the fly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from torch.utils.data import IterableDataset, get_worker_info

from vision.augment import AugmentOptions, Photometric, jittered_read_view, jittered_whole_view
from vision.crops import Pixels, View, cut, read_view, whole_view
from vision.samples import InstrumentTruth, PhotoTruth, SampleError, read_records
from vision.targets import MIN_READ_SIDE_PX, Target, locate_target, read_target

LOCATE_SHARE = 0.34
"""Share of training views that show whole photos; the rest are crops to read."""
NOTHING_SHARE = 0.12
"""Share of training views that are asked to show no instrument, as far as the picture has room for one."""


class Pictures:
    """The pictures of some dataset folders: JPEG or PNG bytes and their truth."""

    def __init__(self, folders: list[Path]) -> None:
        # Workers are forked: a thread pool that OpenCV started before the fork would hang them.
        cv2.setNumThreads(1)
        self._bytes: list[bytes] = []
        self._truths: list[PhotoTruth] = []
        for folder in folders:
            for record in read_records(folder):
                self._bytes.append((folder / record.file_name).read_bytes())
                self._truths.append(record.truth)
        if not self._bytes:
            raise SampleError(f"no pictures in {', '.join(map(str, folders))}")

    def __len__(self) -> int:
        return len(self._bytes)

    def truth(self, index: int) -> PhotoTruth:
        return self._truths[index]

    def given(self, index: int) -> frozenset[str] | None:
        """Names of the fields that are known of a picture's main instrument; None where the truth is complete."""
        return None

    def image(self, index: int) -> Pixels:
        decoded = cv2.imdecode(np.frombuffer(self._bytes[index], np.uint8), cv2.IMREAD_COLOR)
        if decoded is None:
            raise SampleError(f"picture {index} cannot be decoded")
        return np.ascontiguousarray(decoded[..., ::-1], dtype=np.uint8)


class Example:
    """A view and its target."""

    __slots__ = ("image", "target")

    def __init__(self, image: Pixels, target: Target) -> None:
        self.image = image
        self.target = target


def readable(instrument: InstrumentTruth) -> bool:
    x0, y0, x1, y1 = instrument.box
    return max(x1 - x0, y1 - y0) >= MIN_READ_SIDE_PX


class TrainingViews(IterableDataset[Example]):
    """An endless stream of augmented views, the same for the same seed and worker."""

    def __init__(self, pictures: Pictures, size: int, seed: int, options: AugmentOptions) -> None:
        self.pictures, self.size, self.seed, self.options = pictures, size, seed, options

    def __iter__(self) -> Iterator[Example]:
        worker = get_worker_info()
        rng = np.random.default_rng([self.seed, 0 if worker is None else worker.id])
        photometric = Photometric(self.options.photometric_share)
        while True:
            index = int(rng.integers(len(self.pictures)))
            image, truth = self.pictures.image(index), self.pictures.truth(index)
            view, target = self._view(rng, image, truth)
            yield Example(photometric(rng, cut(image, view)), target)

    def _view(self, rng: np.random.Generator, image: Pixels, truth: PhotoTruth) -> tuple[View, Target]:
        height, width = image.shape[:2]
        if rng.random() < NOTHING_SHARE:
            view_of_nothing = _beside_instruments(rng, width, height, truth, self.size)
            if view_of_nothing is not None:
                looks_far = rng.random() < LOCATE_SHARE
                return view_of_nothing, locate_target(PhotoTruth(), view_of_nothing) if looks_far else read_target(
                    None, view_of_nothing
                )
        if rng.random() < LOCATE_SHARE:
            view = jittered_whole_view(rng, width, height, self.size)
            return view, locate_target(truth, view)
        candidates = [instrument for instrument in truth.instruments if readable(instrument)]
        if not candidates:
            beside = _beside_instruments(rng, width, height, truth, self.size)
            if beside is not None:
                return beside, read_target(None, beside)
            view = whole_view(width, height, self.size)
            return view, locate_target(truth, view)
        instrument = candidates[int(rng.integers(len(candidates)))]
        view = jittered_read_view(rng, instrument.box, self.size, self.options)
        return view, read_target(instrument, view)


def _beside_instruments(rng: np.random.Generator, width: int, height: int, truth: PhotoTruth, size: int) -> View | None:
    """A random square of the picture, small or large, that touches no instrument; None where there is no room for one.

    Screws, nameplates, valves and bare walls seen close up must be known as nothing to read.
    """
    for _ in range(10):
        side = float(np.exp(rng.uniform(np.log(24.0), np.log(0.9 * min(width, height)))))
        x, y = (float(rng.uniform(side / 2, length - side / 2)) for length in (width, height))
        if not any(
            abs(x - (x0 + x1) / 2) < (side + x1 - x0) / 2 and abs(y - (y0 + y1) / 2) < (side + y1 - y0) / 2
            for x0, y0, x1, y1 in (instrument.box for instrument in truth.instruments)
        ):
            return View((x, y), side, size)
    return None


def validation_views(pictures: Pictures, size: int) -> list[Example]:
    """For each picture its exact locate view and the exact read view of its main instrument, without augmentation."""
    examples: list[Example] = []
    for index in range(len(pictures)):
        image, truth = pictures.image(index), pictures.truth(index)
        whole = whole_view(image.shape[1], image.shape[0], size)
        examples.append(Example(cut(image, whole), locate_target(truth, whole)))
        if truth.instruments and readable(truth.instruments[0]):
            view = read_view(truth.instruments[0].box, size)
            examples.append(Example(cut(image, view), read_target(truth.instruments[0], view)))
    return examples
