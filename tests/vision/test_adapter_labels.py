"""Photos with a `labels.csv`: what a row says, what follows from its value, and what cannot be used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vision.adapter_labels import COLUMNS, LABELS_NAME, label_fields, read_labelled_photos
from vision.adapter_training import exact_view
from vision.crops import read_view
from vision.fields import Box, GaugeFields, angle_fraction
from vision.samples import InstrumentTruth, SampleError
from vision.targets import CLASS, NO_LOSS, ChoiceTable, collate, read_target
from vision.vocabulary import VOCABULARY

BOX: Box = (10.0, 12.0, 90.0, 92.0)


def labelled(folder: Path, text: str, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names or ("a.png",):
        (folder / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (120, 100), (90, 90, 90)).save(folder / name)
    (folder / LABELS_NAME).write_text(text, encoding="utf-8")
    return folder


def photos_of(folder: Path):  # type: ignore[no-untyped-def]
    return read_labelled_photos(folder, "XYZ", lambda image: BOX)


def learned(truth: InstrumentTruth, names: frozenset[str] | None) -> list[str]:
    """The tokens on which a loss lies."""
    view = read_view(truth.box, 64)
    target = read_target(truth, view, names)
    batch = collate([np.zeros((64, 64, 3), np.uint8)], [target], ChoiceTable())
    kept = batch.loss_types[0] != NO_LOSS
    return [VOCABULARY[token] for token in batch.target_ids[0][kept].tolist()]


def test_a_dials_value_becomes_fraction_and_angle(tmp_path: Path) -> None:
    text = "file_name,value,scale_min,scale_max,unit,start_angle,end_angle\na.png,2.5,0,10,bar,45,315\n"
    photos = photos_of(labelled(tmp_path, text))
    (one,) = photos.truth(0).instruments
    assert one.fields.kind == "dial"
    assert one.fields.scale_fraction == pytest.approx(0.25)
    assert one.fields.pointer_angle == pytest.approx(45 + 0.25 * 270)
    assert (one.fields.unit, one.box, one.instrument_model) == ("bar", BOX, "XYZ")
    assert photos.given(0) == {"scale_fraction", "pointer_angle", "scale_min", "scale_max", "unit", "start_angle", "end_angle"}
    assert photos.image(0).shape == (100, 120, 3)


@given(
    st.floats(0, 1),
    st.floats(0, 359, allow_subnormal=False),
    st.floats(30, 340),
    st.booleans(),
    st.floats(-1e3, 1e3),
    st.floats(1, 1e3),
)
def test_the_angle_that_follows_gives_the_fraction_back(
    fraction: float, start: float, sweep: float, clockwise: bool, low: float, span: float
) -> None:
    end = (start + sweep if clockwise else start - sweep) % 360.0
    row = {"value": repr(low + fraction * span), "scale_min": repr(low), "scale_max": repr(low + span)}
    row |= {"start_angle": repr(start), "end_angle": repr(end), "clockwise": str(clockwise)}
    fields = label_fields(row)
    assert fields.pointer_angle is not None
    again = angle_fraction(fields.pointer_angle, start, end, clockwise)
    assert again == pytest.approx(fraction, abs=1e-6)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"kind": "digital", "value": "12.50"}, GaugeFields(kind="digital", digital_readout="12.50")),
        ({"kind": "counter", "value": "00417"}, GaugeFields(kind="counter", digital_readout="00417")),
        ({"digital_readout": "-3"}, GaugeFields(kind="digital", digital_readout="-3")),
        ({"warning_light_color": "red"}, GaugeFields(kind="lamp", warning_light_color="red")),
        ({"mode_dial_position": "3"}, GaugeFields(kind="selector", mode_dial_position=3)),
        ({"pointer_angle": "120"}, GaugeFields(kind="dial", pointer_angle=120.0)),
        ({"kind": "dial", "clockwise": "no"}, GaugeFields(kind="dial", clockwise=False)),
        (
            {"value": "7", "scale_fraction": "0.3", "scale_min": "0", "scale_max": "10"},
            GaugeFields(kind="dial", scale_fraction=0.3, scale_min=0, scale_max=10),
        ),
    ],
)
def test_what_a_row_says(row: dict[str, str], expected: GaugeFields) -> None:
    assert label_fields(row) == expected


def test_what_a_row_leaves_out_is_not_learned(tmp_path: Path) -> None:
    photos = photos_of(labelled(tmp_path, "file_name,unit,scale_min,scale_max\na.png,bar,0,10\n"))
    (truth,) = photos.truth(0).instruments
    some = learned(truth, photos.given(0))
    assert some[0] == "kind:dial"
    assert "unit:bar" in some
    assert "<none>" not in some
    # What ends a number is learned with the number; the direction and the angles are not known.
    assert "clockwise:true" not in some
    assert not [token for token in some if token.startswith(("angle:", "fraction:"))]
    assert some[-1] == "unit:bar"
    whole = learned(truth, None)
    assert whole.count("<none>") > 3


def test_a_complete_truth_is_learned_as_before(tmp_path: Path) -> None:
    truth = InstrumentTruth(box=BOX, fields=GaugeFields(kind="lamp", warning_light_color="red"))
    whole = learned(truth, None)
    assert whole[:2] == ["kind:lamp", "lamp:red"]
    assert learned(truth, frozenset({"warning_light_color"})) == whole
    assert learned(truth, frozenset()) == ["kind:lamp"]
    assert CLASS != NO_LOSS


def test_examples_of_labelled_photos_carry_the_mask(tmp_path: Path) -> None:
    photos = photos_of(labelled(tmp_path, "file_name,box,mode_dial_position\na.png,5 5 60 60,2\n"))
    example = exact_view(photos, 0, "xyz", 64)
    assert photos.truth(0).instruments[0].box == (5.0, 5.0, 60.0, 60.0)
    assert example.target.given == frozenset({"mode_dial_position"})


def test_points_and_a_photo_in_which_nothing_is_found(tmp_path: Path) -> None:
    folder = labelled(tmp_path, "file_name,pivot,needle_tip\nsub/a.png,60 50,60 20\n", "sub/a.png")
    photos = read_labelled_photos(folder, "XYZ", lambda image: None)
    (truth,) = photos.truth(0).instruments
    assert truth.box == (0.0, 0.0, 120.0, 100.0)
    assert truth.points.needle_tip == (60.0, 20.0)
    assert photos.given(0) == frozenset()
    target = exact_view(photos, 0, "XYZ", 64).target
    assert np.isfinite(target.points[:2]).all()
    assert np.isnan(target.points[2:]).all()


def test_a_byte_order_mark_spaces_and_empty_lines_are_no_trouble(tmp_path: Path) -> None:
    text = "\ufefffile_name , value,scale_min,scale_max\n a.png , 5 ,0,10\n\n"
    assert len(photos_of(labelled(tmp_path, text))) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("file_name,reading\na.png,4\n", "the column 'reading' is not known"),
        ("value\n4\n", "there is no column 'file_name'"),
        ("file_name,value\na.png,4\n", "labels.csv:2: a value alone is not enough"),
        ("file_name,value,scale_min,scale_max\na.png,four,0,10\n", "labels.csv:2: value must be 1 number, got 'four'"),
        ("file_name,value,scale_min,scale_max\na.png,4,10,10\n", "scale_min and scale_max are both 10"),
        ("file_name,value,scale_min,scale_max\na.png,99,0,10\n", "labels.csv:2: scale_fraction"),
        ("file_name,kind,unit\na.png,dial,furlong\n", "labels.csv:2: unit"),
        ("file_name,kind\na.png,clock\n", "labels.csv:2: kind"),
        ("file_name,kind\na.png,dial\n", "says nothing that could be learned"),
        ("file_name,clockwise\na.png,perhaps\n", "clockwise must be true or false"),
        ("file_name,box,mode_dial_position\na.png,1 2 3,2\n", "box must be 4 numbers"),
        ("file_name,box,mode_dial_position\na.png,9 9 3 3,2\n", "x0 < x1"),
        ("file_name,mode_dial_position\nb.png,2\n", "labels.csv:2: "),
        ("file_name,mode_dial_position\n../a.png,2\n", "inside the folder"),
        ("file_name,mode_dial_position\n,2\n", "inside the folder"),
        ("file_name,mode_dial_position\na.png,2,3,4\n", "more cells than there are columns"),
        ("file_name,mode_dial_position\n", "names no photos"),
        ("", "there is no column 'file_name'"),
    ],
)
def test_rows_that_cannot_be_used_are_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SampleError) as caught:
        photos_of(labelled(tmp_path, text))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_table_is_named(tmp_path: Path) -> None:
    folder = labelled(tmp_path, "")
    (folder / LABELS_NAME).write_bytes(b"file_name\n\xff\xfe\x00")
    with pytest.raises(SampleError, match="cannot be read"):
        photos_of(folder)


def test_every_column_is_one_of_the_contract() -> None:
    assert len(set(COLUMNS)) == len(COLUMNS)
    assert {"unit", "pivot", "digital_readout", "scale_multiplier"} < set(COLUMNS)
