"""Labelled photos for an adapter as people keep them: pictures and a `labels.csv` beside them.

The column `file_name` names the picture. All others may be there or not: the fields of the contract (`kind`, `unit`,
`scale_min`, `pointer_angle`, `digital_readout`, ...) and the points (`needle_tip`, `pivot`, `scale_start`, `scale_end` as
`x y` in pixels), `box` as `x0 y0 x1 y1`, and `value`. What a row leaves out is not known; the adapter does not learn it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from vision.crops import Pixels
from vision.dataset import Pictures
from vision.fields import POINT_NAMES, Box, EvidencePoints, GaugeFields, sweep_deg
from vision.photos import PhotoError, load_photo
from vision.samples import InstrumentTruth, PhotoTruth, SampleError
from vision.vocabulary import CORE_SLOTS, SCALAR_FIELDS

LABELS_NAME = "labels.csv"
COLUMNS = ("file_name", "kind", "value", "box", *SCALAR_FIELDS, *POINT_NAMES)

FindBox = Callable[[Pixels], Box | None]
"""Where the main instrument of a photo is, in its pixels; None where none is found."""


class LabelledPhoto(NamedTuple):
    """One picture's bytes, what is known of it, and the names of the fields that its row gives."""

    data: bytes
    truth: PhotoTruth
    given: frozenset[str]


class LabelledPhotos(Pictures):
    """Photos whose labels may say a part only: `given` names the fields that a photo teaches."""

    def __init__(self, photos: Sequence[LabelledPhoto]) -> None:
        self._bytes = [photo.data for photo in photos]
        self._truths = [photo.truth for photo in photos]
        self._given = [photo.given for photo in photos]

    def given(self, index: int) -> frozenset[str]:
        return self._given[index]


def read_labelled_photos(folder: Path, model_id: str, find_box: FindBox) -> LabelledPhotos:
    """The photos that a folder's `labels.csv` names, all of the instrument model `model_id`.

    `find_box` is asked where a row gives no box; where it finds none, the instrument fills the photo. Raises SampleError
    naming file and line where a row cannot be used.
    """
    photos = []
    for where, row in _rows(folder / LABELS_NAME):
        try:
            photos.append(_photo(folder, model_id, row, find_box))
        except PhotoError as error:
            raise SampleError(f"{where}: {error}") from error
        except ValidationError as error:
            first = error.errors()[0]
            raise SampleError(f"{where}: {'.'.join(map(str, first['loc'])) or 'the row'}: {first['msg']}") from error
        except ValueError as error:
            raise SampleError(f"{where}: {error}") from error
    if not photos:
        raise SampleError(f"{folder / LABELS_NAME} names no photos")
    return LabelledPhotos(photos)


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row without its empty cells, and where it stands."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            table = csv.DictReader(lines)
            names = [(name or "").strip() for name in table.fieldnames or ()]
            unknown = [name for name in names if name not in COLUMNS]
            if unknown or "file_name" not in names:
                what = f"the column {unknown[0]!r} is not known" if unknown else "there is no column 'file_name'"
                raise SampleError(f"{path}: {what}; columns are {', '.join(COLUMNS)}")
            table.fieldnames = names
            for row in table:
                if None in row:
                    raise SampleError(f"{path}:{table.line_num}: the row has more cells than there are columns")
                yield f"{path}:{table.line_num}", {name: text.strip() for name, text in row.items() if text and text.strip()}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SampleError(f"{path} cannot be read: {error}") from error


def _photo(folder: Path, model_id: str, row: Mapping[str, str], find_box: FindBox) -> LabelledPhoto:
    path = folder / row.get("file_name", "")
    if "file_name" not in row or not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"file_name must name a picture inside the folder, got {row.get('file_name')!r}")
    photo = load_photo(path)
    height, width = photo.image.shape[:2]
    fields = label_fields(row)
    box: Box
    if "box" in row:
        x0, y0, x1, y1 = _numbers("box", row["box"], 4)
        if not (0 <= x0 < x1 and 0 <= y0 < y1):
            raise ValueError(f"box must be x0 y0 x1 y1 with x0 < x1 and y0 < y1, got {row['box']!r}")
        box = (x0, y0, x1, y1)
    else:
        found = find_box(photo.image) or (0.0, 0.0, float(width), float(height))
        box = (*photo.to_photo(*found[:2]), *photo.to_photo(*found[2:]))
    points = EvidencePoints.model_validate({name: tuple(_numbers(name, row[name], 2)) for name in POINT_NAMES if name in row})
    truth = InstrumentTruth(instrument_model=model_id, box=box, fields=fields, points=points)
    given = frozenset(name for name in CORE_SLOTS[fields.kind] if getattr(fields, name) is not None)
    if not given and points == EvidencePoints():
        raise ValueError("the row says nothing that could be learned: give a value or a field")
    return LabelledPhoto(path.read_bytes(), PhotoTruth(instruments=(truth,)), given)


def label_fields(row: Mapping[str, str]) -> GaugeFields:
    """The fields that a row gives, and those that follow from its value.

    A dial's value needs `scale_min` and `scale_max` (an even scale; give `scale_fraction` for another); with
    `start_angle` and `end_angle` the needle's angle follows too. A display's value is its digits as written. Raises
    ValueError where a cell cannot be read or a value alone says nothing.
    """
    given = {name: _cell(name, row[name]) for name in SCALAR_FIELDS if name in row}
    kind = row.get("kind") or _kind_of(row)
    if kind is None:
        raise ValueError("a value alone is not enough: add scale_min and scale_max for a dial, or kind=digital for a display")
    if "value" in row and kind in ("digital", "counter"):
        given.setdefault("digital_readout", row["value"])
    elif "value" in row and kind == "dial":
        (value,) = _numbers("value", row["value"], 1)
        if "scale_min" in row and "scale_max" in row and "scale_fraction" not in row:
            (low,), (high,) = _numbers("scale_min", row["scale_min"], 1), _numbers("scale_max", row["scale_max"], 1)
            if low == high:
                raise ValueError(f"scale_min and scale_max are both {low:g}")
            given["scale_fraction"] = (value - low) / (high - low)
    fields = GaugeFields.model_validate({"kind": kind, **given})
    fraction, start, end = fields.scale_fraction, fields.start_angle, fields.end_angle
    if kind == "dial" and fields.pointer_angle is None and fraction is not None and start is not None and end is not None:
        clockwise = fields.clockwise is not False
        turn = fraction * sweep_deg(start, end, clockwise)
        fields = fields.model_copy(update={"pointer_angle": (start + (turn if clockwise else -turn)) % 360.0})
    return fields


def _kind_of(row: Mapping[str, str]) -> str | None:
    """The kind that a row's own columns speak of."""
    if "digital_readout" in row:
        return "digital"
    if "warning_light_color" in row:
        return "lamp"
    if "mode_dial_position" in row:
        return "selector"
    return "dial" if any(name in row for name in (*CORE_SLOTS["dial"][:-1], *POINT_NAMES)) else None


def _cell(name: str, text: str) -> object:
    if name == "clockwise":
        if text.casefold() not in ("true", "false", "1", "0", "yes", "no"):
            raise ValueError(f"clockwise must be true or false, got {text!r}")
        return text.casefold() in ("true", "1", "yes")
    return text


def _numbers(name: str, text: str, count: int) -> list[float]:
    try:
        numbers = [float(part) for part in text.replace(";", " ").split()]
    except ValueError:
        numbers = []
    if len(numbers) != count:
        raise ValueError(f"{name} must be {count} number{'s' if count > 1 else ''}, got {text!r}")
    return numbers
