"""How far the line reader's units can be trusted: a logistic curve from drawn faces that training never saw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from tqdm import tqdm

from vision.line_reader import LineReader
from vision.numerals import NumeralReader
from vision.samples import InstrumentTruth, SampleError, read_records
from vision.text_crop import text_crop
from vision.unit_lines import asked_places
from vision.unit_witness import UnitCalibration, find_unit_lines

MIN_STATED = 0.85
"""Calibrated confidence from which a unit is stated."""
TEXT_SIDE_PX = 736
STEPS, RIDGE = 50, 0.1


class UnitCase(NamedTuple):
    """A unit that was seen on a drawn face: raw confidence, and whether the face carries it."""

    confidence: float
    right: bool


def collect_unit_cases(lines: LineReader, folder: Path, *, limit: int | None = None) -> list[UnitCase]:
    """Units seen on the main dials of a dataset folder, as the reader sees them: places from the OCR, pivot from the truth."""
    raw = LineReader(lines.network, {**lines.card, "unit_calibration": UnitCalibration()._asdict()})
    numerals = NumeralReader()
    cases: list[UnitCase] = []
    for number, record in enumerate(tqdm(read_records(folder), unit="img")):
        if limit is not None and number >= limit:
            break
        for one in record.truth.instruments[:1]:
            if one.fields.kind != "dial" or one.points.pivot is None:
                continue
            decoded = cv2.imread(str(folder / record.file_name))
            if decoded is None:
                raise SampleError(f"{folder / record.file_name} cannot be decoded")
            image = np.ascontiguousarray(decoded[..., ::-1], dtype=np.uint8)
            crop = text_crop(image, one.box, TEXT_SIDE_PX)
            places = asked_places(crop.pixels, numerals.look(crop.pixels), crop.to_crop(one.points.pivot))
            seen = find_unit_lines(raw, crop.pixels, places, threshold=0.0) if places else ()
            cases += [UnitCase(unit.confidence, unit.unit in carried_units(one)) for unit in seen]
    return cases


def carried_units(instrument: InstrumentTruth) -> frozenset[str]:
    """Every unit that is printed on the instrument."""
    named = {unit.unit for unit in instrument.units} | {channel.unit for channel in instrument.fields.channels}
    return frozenset(name for name in (*named, instrument.fields.unit) if name is not None)


def fit_unit_calibration(cases: Sequence[UnitCase], *, stated: float = MIN_STATED) -> UnitCalibration:
    """Logistic regression (Newton's method, slightly ridged) of being right on the log-odds of the raw confidence."""
    raw = np.clip([case.confidence for case in cases], 1e-6, 1.0 - 1e-6)
    x = np.column_stack([np.log(raw / (1.0 - raw)), np.ones(len(cases))])
    y = np.asarray([case.right for case in cases], float)
    w = np.array([1.0, 0.0])
    for _ in range(STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (p - y) + RIDGE * (w - [1.0, 0.0])
        curvature = (x * (p * (1.0 - p))[:, None]).T @ x + RIDGE * np.eye(2)
        w = w - np.linalg.solve(curvature, gradient)
    return UnitCalibration(round(float(w[0]), 4), round(float(w[1]), 4), stated)
