"""Readings of real photos against hand labels: the headline number, and every way to miss it."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from eval.labels import GROUPS, PhotoLabel, read_labels
from eval.matching import LOCATED_IOU
from eval.photorows import UNREAD_GROUPS, PhotoRow, score_photo
from eval.readings import ReaderProtocol, with_progress
from eval.score import EvalError, Mean, Number, Share, calibration_error, mean_of, median, percentile, share_of, share_true
from vision.fields import Contract, PhotoReading


class PhotoGroup(Contract):
    """A group of photos; `right` counts value and unit, `right_any_unit` the number alone."""

    name: str
    right: Share
    right_any_unit: Share
    abstained: Share
    answered_right: Share
    span_error: Mean
    span_error_p95: Number
    calibration_error: Number
    interval_holds: Share
    located: Share
    iou_median: Number
    needle_median_deg: Number
    needle_n: int
    points_median_deg: Number
    points_n: int


class PhotoCard(Contract):
    """All photos scored. `headline` is the group of moving dials.

    `panel_values` and `panel_made_up`: values given on dashboards and lamp panels, and those of them that
    neither the label nor its notes bear out. `stray_values`: values given outside the labelled box on
    photos of a single instrument.
    """

    photos: int
    failed: int
    headline: PhotoGroup
    groups: tuple[PhotoGroup, ...]
    sources: tuple[PhotoGroup, ...]
    panel_photos: int
    panel_values: int
    panel_made_up: int
    out_of_scope_values: int
    stray_values: int
    rows: tuple[PhotoRow, ...]


def evaluate_photos(folder: Path, reader: ReaderProtocol, *, limit: int | None = None, progress: bool = True) -> PhotoCard:
    """Read the first `limit` labelled photos (all where None), boxes not given, and score them.

    Raises LabelError where the folder's labels cannot be read, EvalError where `limit` is not positive.
    """
    if limit is not None and limit < 1:
        raise EvalError(f"limit must be at least 1, got {limit}")
    labels = read_labels(folder)[:limit]
    readings = reader.read_photos([folder / label.image for label in labels])
    return score_photos(labels, list(with_progress(readings, len(labels), progress)))


def score_photos(labels: Sequence[PhotoLabel], readings: Sequence[PhotoReading]) -> PhotoCard:
    """Readings against labels, one each, in the same order. Raises EvalError where they do not go together."""
    if len(labels) != len(readings):
        raise EvalError(f"{len(labels)} labels but {len(readings)} readings: score them one to one")
    for label, reading in zip(labels, readings, strict=True):
        if Path(reading.photo).name != Path(label.image).name:
            raise EvalError(f"reading of {reading.photo!r} stands where {label.id!r} is scored: keep the order")
    rows = tuple(score_photo(label, reading) for label, reading in zip(labels, readings, strict=True))
    panels = [row for row in rows if row.group == "panel"]
    moving = [row for row in rows if row.group == "moving dial"]
    return PhotoCard(
        photos=len(rows),
        failed=sum(row.status == "error" for row in rows),
        headline=group_rows("moving dial", moving),
        groups=tuple(group_rows(name, [r for r in rows if r.group == name]) for name in GROUPS if name not in UNREAD_GROUPS),
        sources=_by(moving, lambda row: row.source),
        panel_photos=len(panels),
        panel_values=sum(row.values_given for row in panels),
        panel_made_up=sum(row.made_up for row in panels),
        out_of_scope_values=sum(row.values_given for row in rows if row.group == "out of scope"),
        stray_values=sum(row.made_up for row in rows if row.group not in UNREAD_GROUPS),
        rows=rows,
    )


def group_rows(name: str, rows: Sequence[PhotoRow]) -> PhotoGroup:
    """Shares, errors and honesty of a group of photos."""
    answers = [row for row in rows if row.answered]
    right = sum(row.right for row in rows)
    spans = [row.span_error for row in answers if not math.isnan(row.span_error)]
    needles = [row.needle_error_deg for row in rows if not math.isnan(row.needle_error_deg)]
    points = [row.points_error_deg for row in rows if not math.isnan(row.points_error_deg)]
    return PhotoGroup(
        name=name,
        right=share_of(right, len(rows)),
        right_any_unit=share_true(row.right_any_unit for row in rows),
        abstained=share_of(len(rows) - len(answers), len(rows)),
        answered_right=share_of(right, len(answers)),
        span_error=mean_of(spans),
        span_error_p95=percentile(spans, 95.0),
        calibration_error=calibration_error([row.value_confidence for row in answers], [row.right for row in answers]),
        interval_holds=share_true(row.holds for row in answers),
        located=share_true(row.iou >= LOCATED_IOU for row in rows if not math.isnan(row.iou)),
        iou_median=median([row.iou for row in rows if not math.isnan(row.iou)]),
        needle_median_deg=median(needles),
        needle_n=len(needles),
        points_median_deg=median(points),
        points_n=len(points),
    )


def write_rows(path: Path, rows: Sequence[PhotoRow]) -> None:
    """The rows as CSV, for looking at single photos."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, fieldnames=list(PhotoRow.model_fields))
        writer.writeheader()
        writer.writerows(row.model_dump(mode="json") for row in rows)


def _by(rows: Sequence[PhotoRow], name_of: Callable[[PhotoRow], str]) -> tuple[PhotoGroup, ...]:
    names = sorted({name_of(row) for row in rows})
    return tuple(group_rows(name, [row for row in rows if name_of(row) == name]) for name in names)
