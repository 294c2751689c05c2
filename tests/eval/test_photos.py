"""Labelled photos: a small folder of our own, and the development photos where they are at hand."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.labels import LabelError, PhotoLabel, read_labels
from eval.photos import PhotoCard, evaluate_photos, score_photos, write_rows
from eval.score import EvalError
from eval.tables import photos_markdown
from tests.eval.builders import ScriptedReader, as_json, failed_photo, make_photo
from vision.fields import Box, EvidencePoints, GaugeFields, InstrumentReading
from vision.units import convert, find_unit

COLUMNS = ["id", "source_repo", "source_path", "licence", "kind", "n_instruments", "bbox_of_main_dial"]
COLUMNS += ["scale_min", "scale_max", "unit", "reading", "reading_lo", "reading_hi", "start_angle_deg", "end_angle_deg"]
COLUMNS += ["pointer_angle_deg", "warning_lamp_color", "notes", "label_source"]
BOX = "10 20 110 120"
DIALS = {"gauge": "0 300 psi 120 153", "warm": "-20 60 °C 25 199", "rest": "0 10 bar 0 45", "vacuum": "-30 0 inHg -30 50"}
ROWS: list[dict[str, str]] = [
    {"id": name, "kind": "dial"}
    | dict(zip(("scale_min", "scale_max", "unit", "reading", "pointer_angle_deg"), text.split(), strict=True))
    for name, text in DIALS.items()
]
ROWS[1]["kind"] = "thermometer"
ROWS += [
    {"id": "meter", "kind": "digital", "reading": "56.1", "reading_lo": "56.1", "reading_hi": "56.1"},
    {"id": "drum", "kind": "counter", "unit": "m3", "reading": "819", "reading_lo": "819", "reading_hi": "819.999"},
    {"id": "dash", "kind": "dashboard", "n_instruments": "4", "unit": "mph", "reading": "0"},
    {"id": "lamps", "kind": "lamp_panel", "n_instruments": "6", "notes": "no number labelled"},
    {"id": "clock", "kind": "clock", "unit": "time", "reading": "7:37", "reading_lo": "7:34", "reading_hi": "7:39"},
]
ROWS[6]["notes"] = "odometer 043862; clock 10:24"


def write_folder(folder: Path, rows: list[dict[str, str]]) -> Path:
    (folder / "images").mkdir(parents=True)
    with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, restval="")
        writer.writeheader()
        for row in rows:
            full = {"source_repo": "us/ours", "n_instruments": "1", "bbox_of_main_dial": BOX} | row
            if full.get("reading") and ":" not in full["reading"]:
                low, high = str(float(full["reading"]) - 1), str(float(full["reading"]) + 1)
                full = {"reading_lo": low, "reading_hi": high} | full
            writer.writerow(full)
            (folder / "images" / f"{row['id']}.jpg").write_bytes(b"not decoded here")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "photos", ROWS)


def reading_of(label: PhotoLabel, value: float | None = None, unit: str | None = None, box: Box | None = None, **more: Any):  # type: ignore[no-untyped-def]
    """A reading in the labelled box: the labelled value, or another one."""
    value = label.reading if value is None else value
    known = find_unit(label.unit) if label.unit else None
    kind = label.kind if label.kind in ("dial", "digital", "counter") else "dial"
    data: dict[str, Any] = {"kind": kind, "box": box or label.box or (0, 0, 9, 9), "status": "read"}
    data["fields"] = GaugeFields(kind=kind, pointer_angle=label.pointer_angle)  # type: ignore[arg-type]
    if value is not None:
        data |= {"value": value, "value_low": value, "value_high": value, "unit": unit or known, "value_source": "printed_scale"}
    return InstrumentReading.model_validate(data | {"value_confidence": 1.0} | more)


def perfect(labels: list[PhotoLabel]) -> PhotoCard:
    readings = []
    for label in labels:
        instruments = [reading_of(label)] if label.group not in ("panel", "out of scope") else []
        readings.append(make_photo(label.image, *instruments))
    return score_photos(labels, readings)


def card_of(folder: Path, photo_id: str, *instruments: InstrumentReading) -> PhotoCard:
    label = label_of(folder, photo_id)
    return score_photos([label], [make_photo(label.image, *instruments)])


def label_of(folder: Path, photo_id: str) -> PhotoLabel:
    return next(label for label in read_labels(folder) if label.id == photo_id)


def test_photos_fall_into_their_groups(folder: Path) -> None:
    groups = {label.id: label.group for label in read_labels(folder)}
    assert groups["gauge"] == groups["warm"] == "moving dial"
    assert groups["rest"] == groups["vacuum"] == "resting dial"
    assert (groups["meter"], groups["drum"]) == ("digital", "counter")
    assert groups["dash"] == groups["lamps"] == "panel"
    assert groups["clock"] == "out of scope"


def test_perfect_readings_are_all_right(folder: Path) -> None:
    card = perfect(read_labels(folder))
    assert {group.name: (group.right.hits, group.right.n) for group in card.groups} == {
        "moving dial": (2, 2),
        "resting dial": (2, 2),
        "digital": (1, 1),
        "counter": (1, 1),
    }
    assert card.headline.needle_median_deg == 0
    assert (card.panel_photos, card.panel_values, card.panel_made_up, card.stray_values) == (2, 0, 0, 0)
    assert card.headline.right.low < 1 == card.headline.right.high


def test_silence_is_abstained_everywhere_and_never_right(folder: Path) -> None:
    card = evaluate_photos(folder, ScriptedReader(), progress=False)
    for group in card.groups:
        assert group.right.hits == 0
        assert group.abstained.value == 1
        assert group.answered_right.n == 0
        assert math.isnan(group.calibration_error)
    assert card.panel_made_up == card.stray_values == card.out_of_scope_values == 0
    assert as_json(card)["headline"]["needle_median_deg"] is None


def test_the_other_scale_counts_with_its_own_unit(folder: Path) -> None:
    label = label_of(folder, "gauge")
    right = card_of(folder, "gauge", reading_of(label, convert(120, "psi", "kPa"), "kPa")).headline
    mixed = card_of(folder, "gauge", reading_of(label, 120, "kPa")).headline
    assert (right.right.value, right.right_any_unit.value) == (1, 1)
    assert (mixed.right.value, mixed.right_any_unit.value) == (0, 1)
    assert card_of(folder, "warm", reading_of(label_of(folder, "warm"), 77.0, "°F")).headline.right.value == 1


def test_a_label_without_unit_takes_any(folder: Path) -> None:
    label = label_of(folder, "meter")
    for unit in ("°C", None):
        one = reading_of(label, 56.1).model_copy(update={"unit": unit})
        assert card_of(folder, "meter", one).rows[0].right
    assert not card_of(folder, "meter", reading_of(label, 56.11)).rows[0].right


def test_errors_in_span_and_degrees(folder: Path) -> None:
    label = label_of(folder, "gauge")
    fields = GaugeFields(kind="dial", pointer_angle=333.0)
    row = card_of(folder, "gauge", reading_of(label, 150.0, fields=fields)).rows[0]
    assert row.span_error == pytest.approx(0.1)
    assert row.needle_error_deg == pytest.approx(180)
    assert math.isnan(row.points_error_deg)


def test_points_are_measured_in_the_picture_and_the_roll_taken_off(tmp_path: Path) -> None:
    rolled = {**ROWS[0], "id": "rolled", "pointer_angle_deg": "88", "notes": "roll_deg=47 removed from angles"}
    folder = write_folder(tmp_path / "rolled", [rolled])
    angle = math.radians(88 + 47)
    tip = (60 - 30 * math.sin(angle), 70 + 30 * math.cos(angle))
    one = reading_of(label_of(folder, "rolled"), points=EvidencePoints(pivot=(60, 70), needle_tip=tip))
    card = card_of(folder, "rolled", one)
    assert card.rows[0].points_error_deg == pytest.approx(0, abs=1e-6)
    assert card.headline.points_n == 1


def test_the_instrument_in_the_labelled_box_answers(folder: Path) -> None:
    label = label_of(folder, "dash")
    label = label.model_copy(update={"kind": "dial", "reading": 50.0, "low": 49.0, "high": 51.0})
    beside = reading_of(label, 9.0, box=(500, 500, 700, 700))
    card = score_photos([label], [make_photo(label.image, beside, reading_of(label))])
    assert card.rows[0].right
    assert card.stray_values == 0
    alone = score_photos([label], [make_photo(label.image, reading_of(label, 50.0, box=(500, 500, 700, 700)))])
    assert (alone.rows[0].answered, alone.rows[0].right) == (True, False)


def test_a_value_off_the_only_instrument_is_stray(folder: Path) -> None:
    label = label_of(folder, "gauge")
    card = card_of(folder, "gauge", reading_of(label), reading_of(label, 7.0, box=(500, 500, 700, 700)))
    assert card.rows[0].right
    assert card.stray_values == 1
    inset = card_of(folder, "gauge", reading_of(label), reading_of(label, 7.0, box=(60, 70, 70, 75)))
    assert inset.stray_values == 0


def test_panels_count_what_nobody_can_see(folder: Path) -> None:
    label = label_of(folder, "dash")
    odometer = reading_of(label, 43862.0, box=(300, 300, 340, 320))
    invented = reading_of(label, 88.0, box=(400, 300, 500, 400))
    clock_time = reading_of(label, 24.0, box=(600, 300, 640, 320))
    card = card_of(folder, "dash", reading_of(label), odometer, invented, clock_time)
    assert (card.panel_values, card.panel_made_up) == (4, 2)
    assert card.stray_values == 0
    assert card_of(folder, "lamps", reading_of(label, 3.0)).panel_made_up == 1


@pytest.mark.parametrize(
    ("notes", "intervals"),
    [
        ("tachometer about 1.0", [(0.95, 1.05)]),
        ("odometer 043862, trip 12.25; clock 10:24", [(43862.0, 43862.0), (12.245, 12.255)]),
        ("no number labelled", []),
    ],
)
def test_a_noted_number_is_known_to_half_its_last_decimal(notes: str, intervals: list[tuple[float, float]]) -> None:
    found = PhotoLabel.model_construct(notes=notes).noted_intervals
    assert len(found) == len(intervals)
    for one, expected in zip(found, intervals, strict=True):
        assert one == pytest.approx(expected)


def test_clocks_are_out_of_scope_and_a_value_there_is_counted(folder: Path) -> None:
    card = card_of(folder, "clock", reading_of(label_of(folder, "clock"), 7.6))
    assert card.out_of_scope_values == 1
    assert all(group.right.n == 0 for group in card.groups)


def test_tables_and_rows_hold_everything(folder: Path, tmp_path: Path) -> None:
    card = perfect(read_labels(folder))
    text = photos_markdown(card)
    assert "moving dial | 100.0 %" in text
    assert "us/ours" in text
    assert "nan" not in text
    write_rows(tmp_path / "rows.csv", card.rows)
    with (tmp_path / "rows.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["id"] for row in rows] == [row["id"] for row in ROWS]
    assert rows[0]["right"] == "True"
    assert rows[-1]["label"] == ""
    assert PhotoCard.model_validate_json(card.model_dump_json()).headline.right == card.headline.right


def test_sources_stand_apart(tmp_path: Path) -> None:
    rows = [ROWS[0] | {"source_repo": "a/one"}, ROWS[1] | {"source_repo": "b/two"}]
    labels = read_labels(write_folder(tmp_path / "two", rows))
    card = score_photos(labels, [make_photo(labels[0].image, reading_of(labels[0])), failed_photo(labels[1].image)])
    assert [(part.name, part.right.hits) for part in card.sources] == [("a/one", 1), ("b/two", 0)]
    assert card.failed == 1


@given(st.floats(-50, 400, allow_nan=False), st.sampled_from(["psi", "kPa", "bar", "V", None]))
@settings(max_examples=60, deadline=None)
def test_right_with_unit_implies_right_without(value: float, unit: str | None) -> None:
    label = PhotoLabel(
        id="x", image="images/x.jpg", source="s", kind="dial", instruments=1, box=(0, 0, 100, 100), scale_min=0, scale_max=300,
        unit="psi", reading=120, low=115, high=125, pointer_angle=None, roll_deg=0, notes="",
    )  # fmt: skip
    one = reading_of(label, value).model_copy(update={"unit": unit})
    row = score_photos([label], [make_photo(label.image, one)]).rows[0]
    assert row.right_any_unit or not row.right
    assert row.right == (unit is not None and unit != "V" and 115 - 1e-6 <= convert(value, unit, "psi") <= 125 + 1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reading": "abc", "reading_lo": "1", "reading_hi": "2"}, r"labels\.csv:2 is not a photo label.*abc"),
        ({"bbox_of_main_dial": "1 2 3"}, "x0 y0 x1 y1"),
        ({"id": "../secret"}, "not a plain photo id"),
    ],
)
def test_malformed_rows_name_line_and_value(tmp_path: Path, change: dict[str, str], message: str) -> None:
    folder = write_folder(tmp_path / "bad", [ROWS[0]])
    with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, restval="")
        writer.writeheader()
        writer.writerow(ROWS[0] | {"reading_lo": "1", "reading_hi": "2", "bbox_of_main_dial": BOX} | change)
    with pytest.raises(LabelError, match=message):
        read_labels(folder)


def test_missing_things_are_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(LabelError, match=r"no labels\.csv"):
        read_labels(tmp_path)
    (folder / "images" / "gauge.jpg").unlink()
    with pytest.raises(LabelError, match="no image of 'gauge'"):
        read_labels(folder)
    with pytest.raises(EvalError, match="at least 1"):
        evaluate_photos(folder, ScriptedReader(), limit=0, progress=False)


REALSET = Path(os.environ.get("GAUGE_REALSET", Path(__file__).parents[3] / "shared" / "realset"))


@pytest.mark.skipif(not (REALSET / "labels.csv").is_file(), reason="the development photos are not at hand")
def test_labels_of_the_development_photos_are_consistent() -> None:
    labels = read_labels(REALSET)
    card = perfect(labels)
    wrong = [row.id for row in card.rows if row.group in ("moving dial", "resting dial", "digital", "counter") and not row.right]
    assert wrong == []
    sizes = {group.name: group.right.n for group in card.groups}
    assert sizes["moving dial"] > sizes["resting dial"] > sizes["digital"] > 0
    assert sum(sizes.values()) + card.panel_photos + 1 == len(labels)
