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
from pydantic import Field
from tqdm import tqdm

from vision.crops import Pixels, View, cut
from vision.fields import LAMP_COLORS, Box, Contract, Point
from vision.plane import box_iou
from vision.samples import InstrumentTruth, PhotoTruth, SampleError, read_records
from vision.state_network import STATE_KINDS
from vision.state_reader import StateLook, state_view
from vision.state_wear import StateJitter, worn_state

FRAME_SHARE = 0.3
"""Of the box's longer side: what is kept around it on each side."""
KEPT_BOX_PX = 120.0
"""Larger boxes are kept smaller: the network sees no more of them."""
LEAST_BOX_PX = 12.0
MOST_LOOK_ALIKES = 4
"""Of one picture: a dashboard's twenty tell-tales would crowd out what else is no lamp."""
PART_OF_BOX = (0.12, 0.5)
"""Sides of parts of dials and displays, as shares of their longer side."""
LAMP, SELECTOR, OTHER = range(len(STATE_KINDS))


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
    """The lamps and selectors of dataset folders, and of each picture what is neither: look-alikes, parts, anything else."""

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
                self.cases += _cases_of(rng, np.asarray(picture, np.uint8), record.truth, keep)
        if not any(case.kind == SELECTOR for case in self.cases) or not any(case.kind == LAMP for case in self.cases):
            raise SampleError(f"no lamps or no selectors in {', '.join(map(str, folders))}")


def _cases_of(rng: np.random.Generator, picture: Pixels, truth: PhotoTruth, keep: float) -> list[StateCase]:
    cases = []
    for one in truth.instruments:
        kind = _kind(one)
        if _side(one.box) < LEAST_BOX_PX or (kind == LAMP and rng.random() > keep):
            continue
        color = LAMP_COLORS.index(one.fields.warning_light_color) if one.fields.warning_light_color is not None else -1
        position = one.fields.mode_dial_position - 1 if one.fields.mode_dial_position is not None else -1
        image, box, marks = cut_out(picture, one.box, one.marks)
        cases.append(StateCase(image, box, kind, color, position, marks, one.readable))
    for nothing in (*_look_alikes(rng, truth), *_parts(rng, truth.instruments), *_elsewhere(rng, picture, truth.instruments)):
        image, box, _ = cut_out(picture, nothing, ())
        cases.append(StateCase(image, box, OTHER))
    return cases


def _kind(one: InstrumentTruth) -> int:
    return {"lamp": LAMP, "selector": SELECTOR}.get(one.fields.kind, OTHER)


def _side(box: Box) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _look_alikes(rng: np.random.Generator, truth: PhotoTruth) -> list[Box]:
    """What could pass for a lamp or a selector, except where one of them stands before it."""
    shown = [
        box
        for box in truth.look_alikes
        if _side(box) >= LEAST_BOX_PX
        and all(_apart(box, one.box) and not (_kind(one) != OTHER and _middle_in(one.box, box)) for one in truth.instruments)
    ]
    return [shown[int(index)] for index in rng.permutation(len(shown))[:MOST_LOOK_ALIKES]]


def _parts(rng: np.random.Generator, instruments: Sequence[InstrumentTruth]) -> list[Box]:
    """A small part of one of the dials and displays: a hub, a corner, a few marks."""
    others = [one.box for one in instruments if _kind(one) == OTHER]
    if not others or rng.random() > 0.5:
        return []
    x0, y0, x1, y1 = others[int(rng.integers(len(others)))]
    side = float(rng.uniform(*PART_OF_BOX)) * max(x1 - x0, y1 - y0)
    x, y = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
    box = (x - side / 2.0, y - side / 2.0, x + side / 2.0, y + side / 2.0)
    free = all(_apart(box, one.box) and not _middle_in(one.box, box) for one in instruments if _kind(one) != OTHER)
    return [box] if free and side >= LEAST_BOX_PX else []


def _elsewhere(rng: np.random.Generator, picture: Pixels, instruments: Sequence[InstrumentTruth]) -> list[Box]:
    """In some pictures a box where no instrument lies, or one that shows a part of one."""
    height, width = picture.shape[:2]
    for _ in range(10 if rng.random() < 0.3 else 0):
        side = float(np.exp(rng.uniform(math.log(20.0), math.log(0.6 * min(width, height)))))
        x, y = rng.uniform(0.0, width - side), rng.uniform(0.0, height - side)
        box = (float(x), float(y), float(x + side), float(y + side))
        if all(_apart(box, one.box) for one in instruments):
            return [box]
    return []


def _apart(box: Box, instrument: Box) -> bool:
    """Whether a box does not show an instrument."""
    return box_iou(box, instrument) < 0.15 and not _middle_in(box, instrument)


def _middle_in(box: Box, other: Box) -> bool:
    """Whether the middle of the other box lies in a box."""
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
    if jitter.wild_share and rng.random() < jitter.wild_share:
        shift, size = jitter.wild * jitter.shift, jitter.wild * jitter.size
        jitter = jitter.model_copy(update={"shift": shift, "size": size})
    moved = np.clip(rng.normal(0.0, jitter.shift, 2), -3.0 * jitter.shift, 3.0 * jitter.shift)
    grown = math.exp(float(np.clip(rng.normal(0.0, jitter.size), -2.5 * jitter.size, 2.5 * jitter.size)))
    return state_view(box, StateLook((float(moved[0]), float(moved[1])), grown, float(rng.normal(0.0, jitter.roll_deg))))


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
