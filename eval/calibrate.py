"""Fit the confidences of a reader on rendered pictures that training never drew.

Reads dataset folders as a user would (boxes found, not given) in one pass of the model: what it wrote and pointed at
gives one isotonic curve per field, lamps and selectors their limits and the pixel model of colours (`eval.class_fit`);
with these in place the witnesses are heard, and their signals give the probability and the width of values
(`eval.support_fit`). All that was read is kept as rows, so that a fit can be done again in a second. Nothing real is
fitted on. Without a folder the pictures of `eval.calibration_sets` are drawn and used: everything that new weights need.

    python -m eval.calibrate WEIGHTS [FOLDER ...] [--limit N] [--rows FILE] [--from-rows] [--no-save]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from eval.calibration_sets import SETS, Folders, draw_sets
from eval.class_fit import ClassReport, class_limits, class_outcomes, class_reports, fit_lamp, fit_pools
from eval.fit_text import describe, note_on_card
from eval.matching import Pair, match_instruments
from eval.support_fit import SupportReport, fit_support
from eval.support_rows import (
    ClassRow,
    FieldRow,
    Row,
    ValueRow,
    class_row,
    load_rows,
    pixel_rows,
    value_rows,
    write_rows,
)
from eval.values import angle_error_deg
from vision.calibration import Calibration, fit_curve, flat_curve
from vision.fields import POINT_NAMES, Box, InstrumentReading
from vision.lamp_color import LampModel
from vision.looked import Looked, unjudged
from vision.photos import Photo, load_photo
from vision.reader import Reader
from vision.samples import InstrumentTruth, SampleRecord, read_records
from vision.scale_end import upright_angle
from vision.state_pool import StatePools
from vision.support import Support

NEEDLE_RIGHT_DEG = 2.0
FRACTION_RIGHT = 0.02
POINT_RIGHT_OF_BOX = 0.05
ANGLE_FIELDS = ("pointer_angle", "start_angle", "end_angle")
# The unit is left out: it may be the Donut's or the printed text's, and the two must not share a curve.
# Colours of lamps and positions of selectors have their own rows: several looks and the pixels say them together.
CLASS_FIELDS = ("kind", "clockwise", "digital_readout")
NUMBER_FIELDS = ("scale_min", "scale_max", "scale_multiplier")
CALIBRATED = (*ANGLE_FIELDS, *CLASS_FIELDS, "scale_fraction", *NUMBER_FIELDS, *POINT_NAMES)


def is_right(field: str, truth: InstrumentTruth, reading: InstrumentReading) -> bool | None:
    """Whether a field or point of a reading is right; None where truth or reading has none."""
    if field in POINT_NAMES:
        true, found = getattr(truth.points, field), getattr(reading.points, field)
        if true is None or found is None:
            return None
        side = max(truth.box[2] - truth.box[0], truth.box[3] - truth.box[1])
        return math.dist(true, found) <= POINT_RIGHT_OF_BOX * side
    true, found = getattr(truth.fields, field), getattr(reading.fields, field)
    if found is None:
        return None
    if true is None:
        return False
    if field in ANGLE_FIELDS:
        return angle_error_deg(true, found) <= NEEDLE_RIGHT_DEG
    if field == "scale_fraction":
        return bool(abs(true - found) <= FRACTION_RIGHT)
    if field in NUMBER_FIELDS:
        return math.isclose(true, found, rel_tol=1e-6, abs_tol=1e-9)
    return bool(true == found)


_Item = TypeVar("_Item")


class Fitted(NamedTuple):
    """What a fit gives: curves and limits of fields, the support of values, the pixel model of lamps, and the reports."""

    calibration: Calibration
    support: Support
    report: SupportReport
    rows: tuple[Row, ...]
    lamp: LampModel | None = None
    classes: tuple[ClassReport, ...] = ()
    pools: StatePools = StatePools()

    def save(self, folder: Path) -> None:
        """Write all that was fitted beside the weights; where there were too few lamps, the model that is there stays."""
        self.calibration.save(folder)
        self.support.save(folder)
        if self.lamp is not None:
            self.lamp.save(folder)
        if self.pools != StatePools():
            self.pools.save(folder)


class _Picture(NamedTuple):
    """One drawn picture on its way: its name in the rows, its file and truth, and what the model saw in it."""

    name: str
    path: Path
    record: SampleRecord
    looked: Looked


def field_rows(picture: str, pairs: Sequence[Pair]) -> list[FieldRow]:
    """One row for each field and point of the readings that has a raw confidence and can be judged."""
    rows = []
    for pair in pairs:
        if pair.truth is None or pair.reading is None:
            continue
        for name, confidence in pair.reading.confidence.items():
            right = is_right(name, pair.truth, pair.reading) if name in CALIBRATED else None
            if right is not None:
                rows.append(FieldRow(picture=picture, name=name, confidence=confidence, right=right))
    return rows


def angle_rows(picture: str, pairs: Sequence[Pair]) -> list[FieldRow]:
    """Rows of needle angles that follow from the points: known only after the witnesses looked at the needle."""
    rows = []
    for pair in pairs:
        if pair.truth is None or pair.reading is None or not _by_points(pair.reading):
            continue
        right = is_right("pointer_angle", pair.truth, pair.reading)
        confidence = pair.reading.confidence.get("pointer_angle")
        if right is not None and confidence is not None:
            rows.append(FieldRow(picture=picture, name="pointer_angle_by_points", confidence=confidence, right=right))
    return rows


def _by_points(reading: InstrumentReading) -> bool:
    """Whether the needle's angle was read from its points: it then follows from them, up to the rounding of pixels."""
    angle = upright_angle(reading.fields, reading.points)
    return (
        angle is not None
        and reading.fields.pointer_angle is not None
        and angle_error_deg(angle, reading.fields.pointer_angle) < 0.7
    )


def fit_curves(
    rows: Iterable[Row], sources: bool = False, classes: Mapping[str, Sequence[tuple[float, bool]]] | None = None
) -> Calibration:
    """One isotonic curve for each field; with `sources`, for each source of values too. `classes`: further outcomes."""
    outcomes: dict[str, list[tuple[float, bool]]] = {name: list(found) for name, found in (classes or {}).items()}
    for row in rows:
        if isinstance(row, FieldRow):
            outcomes.setdefault(row.name, []).append((row.confidence, row.right))
        elif isinstance(row, ValueRow) and sources:
            right = row.right or row.holds(Support())
            outcomes.setdefault(f"value_{row.source}", []).append((row.stated, right))
    curves = {name: fit_curve([c for c, _ in found], [right for _, right in found]) for name, found in outcomes.items()}
    for name, found in outcomes.items():
        if curves[name] is None and name.startswith("value_"):
            curves[name] = flat_curve([right for _, right in found])
    known = {name: curve for name, curve in sorted(curves.items()) if curve is not None}
    return Calibration({name: curve.from_nothing() if name in (classes or {}) else curve for name, curve in known.items()})


def fit_rows(rows: Sequence[Row]) -> Fitted:
    """All that rows which were collected before give. Values without a support model get a curve by source."""
    support, report = fit_support(rows)
    class_rows = [row for row in rows if isinstance(row, ClassRow)]
    outcomes = class_outcomes(class_rows)
    limits = class_limits(outcomes)
    classes = {name: [(one.confidence, one.right) for one in found] for name, found in outcomes.items()}
    calibration = Calibration(fit_curves(rows, sources=True, classes=classes).curves, limits)
    reports, pools = class_reports(outcomes, limits), fit_pools(class_rows)
    return Fitted(calibration, support, report, tuple(rows), fit_lamp(class_rows), reports, pools)


def collect_rows(reader: Reader, folders: Folders, *, limit: int | None = None, progress: bool = True) -> list[Row]:
    """All rows of the first `limit` pictures of each folder. The reader's own confidences are set aside meanwhile."""
    kept = reader.calibration, reader.support
    reader.calibration, reader.support = Calibration(), Support()
    try:
        rows: list[Row] = [row for folder in folders.pixels for row in pixel_rows(folder)]
        pictures = []
        for picture, photo in with_progress_of(_looks(reader, folders.classes, limit), progress):
            rows += class_rows_of(picture, photo)
        for picture, photo in with_progress_of(_looks(reader, folders.values, limit), progress):
            seen = match_instruments(picture.record.truth.instruments, unjudged(photo, picture.looked))
            rows += field_rows(picture.name, seen)
            rows += class_rows_of(picture, photo)
            pictures.append(picture)
        reader.calibration = fit_curves(rows)
        for picture in with_progress_of(pictures, progress):
            reading = reader.state(load_photo(picture.path), picture.looked)
            pairs = match_instruments(picture.record.truth.instruments, reading.instruments)
            rows += angle_rows(picture.name, pairs)
            rows += value_rows(picture.name, pairs, reader.last)
    finally:
        reader.calibration, reader.support = kept
    return rows


def class_rows_of(picture: _Picture, photo: Photo) -> list[ClassRow]:
    """The rows of a picture's lamps and selectors, and of what was taken for one.

    Lamps that a display carries itself are drawn without a label: nobody can say whether their colour was read right.
    """
    spelled = [crop for crop in picture.looked.crops if crop.fields is not None]
    readings = unjudged(photo, picture.looked)
    truths = {id(pair.reading): pair.truth for pair in match_instruments(picture.record.truth.instruments, readings)}
    displays = [one.box for one in picture.record.truth.instruments if one.fields.kind == "digital"]
    rows = []
    for crop, reading in zip(spelled, readings, strict=True):
        on_display = reading.kind == "lamp" and any(lies_in(reading.box, box) for box in displays)
        if crop.votes is not None and not (on_display and truths.get(id(reading)) is None):
            row = class_row(picture.name, truths.get(id(reading)), reading.kind, crop.votes, photo.image, crop.box.box)
            rows += [] if row is None else [row]
    return rows


def lies_in(box: Box, other: Box) -> bool:
    """Whether the middle of a box lies in another one."""
    x, y = (box[0] + box[2]) / 2.0, (box[1] + box[3]) / 2.0
    return other[0] <= x <= other[2] and other[1] <= y <= other[3]


def fit_calibration(reader: Reader, folders: Sequence[Path], *, limit: int | None = None, progress: bool = True) -> Fitted:
    """Everything that confidences of `reader` need, fitted on the first `limit` pictures of each dataset folder."""
    return fit_rows(collect_rows(reader, Folders(values=tuple(folders)), limit=limit, progress=progress))


def _looks(reader: Reader, folders: Sequence[Path], limit: int | None) -> Iterator[tuple[_Picture, Photo]]:
    for folder in folders:
        for record in list(read_records(folder))[:limit]:
            path = folder / record.file_name
            photo = load_photo(path)
            yield _Picture(f"{folder.name}/{record.file_name}", path, record, reader.look(photo)), photo


def with_progress_of(items: Iterable[_Item], progress: bool) -> Iterable[_Item]:
    """The items behind a progress bar on stderr."""
    from tqdm import tqdm

    return tqdm(items, desc="calibrating", unit="photo", disable=not progress)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line of the module."""
    parser = argparse.ArgumentParser(prog="python -m eval.calibrate", description="Fit a reader's confidences on drawn pictures.")
    parser.add_argument("weights", help="shipped weights by name, or their folder")
    parser.add_argument("folders", nargs="*", type=Path, help="dataset folders of drawn pictures; none: draw them into --data")
    parser.add_argument("--data", type=Path, default=Path(".gauge/calibration"), help="where pictures are drawn")
    parser.add_argument("--classes", type=Path, action="append", default=[], help="folder of lamps and selectors; repeatable")
    parser.add_argument("--limit", type=int, default=None, help="pictures of each folder")
    parser.add_argument("--rows", type=Path, default=None, help="file that the rows are kept in")
    parser.add_argument("--from-rows", action="store_true", help="fit on the rows that are there, without reading pictures")
    parser.add_argument("--no-save", action="store_true", help="print only")
    chosen = parser.parse_args(arguments)
    from vision.weights_folder import weights_folder

    folder = weights_folder(chosen.weights)
    if chosen.from_rows:
        if chosen.rows is None:
            parser.error("--from-rows needs --rows FILE")
        rows = load_rows(chosen.rows)
    else:
        reader, folders = Reader.load(folder), Folders(tuple(chosen.folders), tuple(chosen.classes))
        if folders == Folders():
            folders = draw_sets(chosen.data, SETS, chosen.limit)
        rows = collect_rows(reader, folders, limit=chosen.limit)
        if chosen.rows is not None:
            write_rows(chosen.rows, rows)
    fitted = fit_rows(rows)
    print(describe(fitted.report, fitted.classes))
    if not chosen.no_save:
        fitted.save(folder)
        note_on_card(folder, fitted.report, fitted.classes, sorted({row.picture.split("/")[0] for row in rows}))


if __name__ == "__main__":
    main()
