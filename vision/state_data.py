"""Crops to train and measure the state reader with: lamps, selectors and what is neither, in boxes that are a little off.

Boxes come from the Donut, whose errors training copies: a little aside, too large or too small. Light, sharpness and
noise change too, and at times something covers a part. What nobody can read stays in with its label: the network then
learns how unsure to be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from tqdm import tqdm

from vision.crops import Pixels, View, cut
from vision.fields import LAMP_COLORS, Box, Contract, Point
from vision.plane import box_iou
from vision.samples import InstrumentTruth, SampleError, read_records
from vision.state_network import STATE_KINDS
from vision.state_reader import StateLook, state_view

FRAME_SHARE = 0.3
"""Of the box's longer side: what is kept around it on each side."""
KEPT_BOX_PX = 120.0
"""Larger boxes are kept smaller: the network sees no more of them."""
LEAST_BOX_PX = 12.0
LAMP, SELECTOR, OTHER = range(len(STATE_KINDS))


class StateJitter(Contract):
    """Errors of boxes (deviations, as shares of the box's longer side or of a logarithm) and of light, as shares of crops."""

    shift: float = 0.035
    size: float = 0.1
    roll_deg: float = 4.0
    exposure_share: float = 0.5
    coarse_share: float = 0.2
    blur_share: float = 0.25
    noise_share: float = 0.25
    glare_share: float = 0.12
    cover_share: float = 0.12


class StateOptions(Contract):
    """How crops are drawn: `shares` are of lamps, selectors and what is neither; `most_lamps` of a folder's lamps are kept."""

    batch_size: Annotated[int, Field(ge=4)] = 64
    shares: tuple[float, float, float] = (0.3, 0.54, 0.16)
    most_lamps: int = 14_000
    jitter: StateJitter = StateJitter()


class StateCase(NamedTuple):
    """An instrument, or none, cut out of its picture: box and marks in pixels of the cut-out, labels -1 where there are none."""

    image: Pixels
    box: Box
    kind: int
    color: int = -1
    position: int = -1
    marks: tuple[Point, ...] = ()
    readable: bool = True


class StateExample(NamedTuple):
    """A crop (128, 128, 3) and its labels; `marks` are directions in degrees, the position's own is `marks[position]`."""

    crop: Pixels
    kind: int
    color: int
    position: int
    marks: tuple[float, ...]


class StateCases:
    """The lamps and selectors of dataset folders, and of each picture something that is neither."""

    def __init__(self, folders: Sequence[Path], most_lamps: int = 14_000, seed: int = 0) -> None:
        cv2.setNumThreads(1)
        self.cases: list[StateCase] = []
        rng = np.random.default_rng(seed)
        for folder in folders:
            records = list(read_records(folder))
            lamps = sum(one.fields.kind == "lamp" for record in records for one in record.truth.instruments)
            keep = min(1.0, most_lamps / max(lamps, 1))
            for record in tqdm(records, desc=str(folder), unit="img", leave=False):
                picture = cv2.imread(str(folder / record.file_name), cv2.IMREAD_COLOR_RGB)
                if picture is None:
                    raise SampleError(f"{folder / record.file_name} cannot be decoded")
                self.cases += _cases_of(rng, np.asarray(picture, np.uint8), record.truth.instruments, keep)
        if not any(case.kind == SELECTOR for case in self.cases) or not any(case.kind == LAMP for case in self.cases):
            raise SampleError(f"no lamps or no selectors in {', '.join(map(str, folders))}")


def _cases_of(rng: np.random.Generator, picture: Pixels, instruments: Sequence[InstrumentTruth], keep: float) -> list[StateCase]:
    cases = []
    for one in instruments:
        side = max(one.box[2] - one.box[0], one.box[3] - one.box[1])
        kind = {"lamp": LAMP, "selector": SELECTOR}.get(one.fields.kind, OTHER)
        if side < LEAST_BOX_PX or (kind == LAMP and rng.random() > keep):
            continue
        color = LAMP_COLORS.index(one.fields.warning_light_color) if one.fields.warning_light_color is not None else -1
        position = one.fields.mode_dial_position - 1 if one.fields.mode_dial_position is not None else -1
        image, box, marks = cut_out(picture, one.box, one.marks)
        cases.append(StateCase(image, box, kind, color, position, marks, one.readable))
    if rng.random() < 0.3:
        nothing = _elsewhere(rng, picture.shape[1], picture.shape[0], [one.box for one in instruments])
        if nothing is not None:
            image, box, _ = cut_out(picture, nothing, ())
            cases.append(StateCase(image, box, OTHER))
    return cases


def _elsewhere(rng: np.random.Generator, width: int, height: int, taken: Sequence[Box]) -> Box | None:
    """A box where no instrument lies, or one that shows a part of one."""
    for _ in range(10):
        side = float(np.exp(rng.uniform(math.log(20.0), math.log(0.6 * min(width, height)))))
        x, y = rng.uniform(0.0, width - side), rng.uniform(0.0, height - side)
        box = (float(x), float(y), float(x + side), float(y + side))
        if all(box_iou(box, other) < 0.15 and not _middle_in(box, other) for other in taken):
            return box
    return None


def _middle_in(box: Box, other: Box) -> bool:
    x, y = (other[0] + other[2]) / 2.0, (other[1] + other[3]) / 2.0
    return box[0] < x < box[2] and box[1] < y < box[3]


def cut_out(picture: Pixels, box: Box, marks: Sequence[Point]) -> tuple[Pixels, Box, tuple[Point, ...]]:
    """The box with a frame as a copy, no larger than the network can use; its box and marks in pixels of the copy."""
    side = max(box[2] - box[0], box[3] - box[1])
    frame = FRAME_SHARE * side
    left, top = int(max(0.0, box[0] - frame)), int(max(0.0, box[1] - frame))
    part = picture[top : int(box[3] + frame) + 1, left : int(box[2] + frame) + 1]
    shrink = min(1.0, KEPT_BOX_PX / side)
    if shrink < 1.0:
        size = (max(1, round(part.shape[1] * shrink)), max(1, round(part.shape[0] * shrink)))
        fx, fy = size[0] / part.shape[1], size[1] / part.shape[0]
        part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    else:
        fx = fy = 1.0
        part = part.copy()
    moved = ((box[0] - left) * fx, (box[1] - top) * fy, (box[2] - left) * fx, (box[3] - top) * fy)
    return part, moved, tuple(((x - left) * fx, (y - top) * fy) for x, y in marks)


def jittered_view(rng: np.random.Generator, box: Box, jitter: StateJitter) -> View:
    """The view of a box as somebody else would state it."""
    shift = np.clip(rng.normal(0.0, jitter.shift, 2), -3.0 * jitter.shift, 3.0 * jitter.shift)
    size = math.exp(float(np.clip(rng.normal(0.0, jitter.size), -2.5 * jitter.size, 2.5 * jitter.size)))
    return state_view(box, StateLook((float(shift[0]), float(shift[1])), size, float(rng.normal(0.0, jitter.roll_deg))))


def directions(view: View, marks: Sequence[Point]) -> tuple[float, ...]:
    """Directions of points from the view's middle, degrees clockwise from 6 o'clock."""
    found = []
    for mark in marks:
        x, y = view.to_view(mark)
        found.append(math.degrees(math.atan2(0.5 - x, y - 0.5)) % 360.0)
    return tuple(found)


class StateStream:
    """An endless stream of examples; instruments of each kind come in random order, each once before any comes again."""

    def __init__(self, cases: StateCases, options: StateOptions, seed: int) -> None:
        self.options = options
        self.rng = np.random.default_rng(seed)
        self._noise = self.rng.normal(0.0, 1.0, 1 << 18).astype(np.float32)
        self._pools = [[case for case in cases.cases if case.kind == kind] for kind in range(len(STATE_KINDS))]
        self._decks: list[list[int]] = [[] for _ in STATE_KINDS]

    def batch(self) -> list[StateExample]:
        """`batch_size` examples."""
        kinds = self.rng.choice(len(STATE_KINDS), self.options.batch_size, p=np.asarray(self.options.shares))
        return [self._example(int(kind)) for kind in kinds]

    def _example(self, kind: int) -> StateExample:
        if not self._pools[kind]:
            kind = SELECTOR
        if not self._decks[kind]:
            self._decks[kind] = self.rng.permutation(len(self._pools[kind])).tolist()
        case = self._pools[kind][self._decks[kind].pop()]
        example = example_of(case, jittered_view(self.rng, case.box, self.options.jitter))
        crop = worn_state(self.rng, example.crop, self.options.jitter, self._noise)
        if kind != SELECTOR and self.rng.random() < 0.5:
            crop = np.ascontiguousarray(crop[:, ::-1])
        return example._replace(crop=crop)


def example_of(case: StateCase, view: View) -> StateExample:
    """The example of a case in a view."""
    return StateExample(cut(case.image, view), case.kind, case.color, case.position, directions(view, case.marks))


def worn_state(rng: np.random.Generator, crop: Pixels, jitter: StateJitter, noise: NDArray[np.float32]) -> Pixels:
    """The crop in a somewhat different light, coarser, less sharp, with noise, glare or something over a part of it.

    `noise` is a store of normal numbers, at least twice as long as the crop.
    """
    size = crop.shape[0]
    picture = crop
    if rng.random() < jitter.coarse_share:
        small = max(12, round(size * math.exp(rng.uniform(math.log(0.14), math.log(0.8)))))
        reduced = cv2.resize(picture, (small, small), interpolation=cv2.INTER_AREA)
        picture = np.asarray(cv2.resize(reduced, (size, size), interpolation=cv2.INTER_LINEAR), np.uint8)
    if rng.random() < jitter.blur_share:
        sigmas = np.exp(rng.uniform(math.log(0.4), math.log(3.0))) * np.exp(rng.normal(0.0, 0.3, 2))
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(sigmas[0]), sigmaY=float(sigmas[1])), np.uint8)
    if rng.random() < jitter.exposure_share:
        levels = np.arange(256, dtype=np.float32) / 255.0
        gains = math.exp(rng.normal(0.0, 0.15)) * np.exp(rng.normal(0.0, 0.05, 3))
        gamma, contrast = math.exp(rng.normal(0.0, 0.2)), math.exp(rng.normal(0.0, 0.15))
        curve = (np.clip(levels[:, None] * gains, 0.0, 1.0) ** gamma - 0.5) * contrast + 0.5
        table = np.asarray(np.clip(255.0 * curve, 0, 255), np.uint8).reshape(256, 1, 3)
        picture = np.asarray(cv2.LUT(picture, table), np.uint8)
    if rng.random() < jitter.glare_share:
        picture = _with_glare(rng, picture)
    if rng.random() < jitter.cover_share:
        picture = _covered(rng, picture)
    if rng.random() < jitter.noise_share:
        start = int(rng.integers(0, len(noise) - picture.size))
        grain = noise[start : start + picture.size].reshape(picture.shape) * float(rng.uniform(2.0, 16.0))
        picture = np.asarray(np.clip(picture + grain, 0, 255), np.uint8)
    return picture


def _with_glare(rng: np.random.Generator, picture: Pixels) -> Pixels:
    size = picture.shape[0]
    x, y = rng.uniform(0.1, 0.9, 2) * size
    radius = rng.uniform(0.06, 0.3) * size
    columns, rows = np.arange(size, dtype=np.float32)[None, :], np.arange(size, dtype=np.float32)[:, None]
    spot = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * radius**2))[..., None] * float(rng.uniform(0.3, 1.0))
    return np.asarray(np.clip(picture + (255.0 - picture) * spot, 0, 255), np.uint8)


def _covered(rng: np.random.Generator, picture: Pixels) -> Pixels:
    """A plain stripe or patch over a part: a cable, a finger, an edge."""
    size = picture.shape[0]
    covered = picture.copy()
    middle, turn = rng.uniform(0.0, 1.0, 2) * size, rng.uniform(0.0, math.pi)
    along, across = rng.uniform(0.15, 0.9) * size, rng.uniform(0.05, 0.3) * size
    rotated = cv2.boxPoints(((float(middle[0]), float(middle[1])), (float(along), float(across)), float(math.degrees(turn))))
    color = tuple(int(level) for level in rng.integers(0, 256, 3))
    cv2.fillPoly(covered, [np.asarray(rotated, np.int32)], color)
    return covered
