"""Folder names made from photo names that nobody chose with care, and overlays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rag.report import Headline, Section
from serve.commands.outputs import FORMATS, Format, FormatError, OutputFolder, parse_formats
from serve.file_names import MAX_STEM_BYTES, safe_stem
from serve.overlay import MAX_SIDE_PX, PALETTE, draw_overlay, label_text, plate_texts
from tests.rag.builders import make_document
from tests.serve.doubles import WEIGHTS, abstained_dial, make_dial, picture_bytes
from vision.fields import GaugeFields, InstrumentReading, PhotoReading
from vision.photos import Photo, load_photo


@pytest.mark.parametrize(
    ("photo", "stem"),
    [
        ("a/b/gauge.jpg", "gauge"),
        ("压力表 No. 3.jpg", "压力表_No__3"),
        ("../../etc/passwd", "passwd"),
        ("C:\\photos\\dial.png", "dial"),
        (".hidden.png", "hidden"),
        ("..", "photo"),
        ("", "photo"),
        ("-rf", "rf"),
        ("a\ud800b.png", "a_b"),
    ],
)
def test_safe_stems(photo: str, stem: str) -> None:
    assert safe_stem(photo) == stem


@given(st.text())
def test_any_name_becomes_a_name_that_stays_in_its_folder(photo: str) -> None:
    stem = safe_stem(photo)
    assert 0 < len(stem.encode("utf-8")) <= MAX_STEM_BYTES
    assert Path(stem).name == stem
    assert stem not in (".", "..")
    assert safe_stem(stem) == stem


def test_a_folder_is_claimed_once_a_run(tmp_path: Path) -> None:
    outputs = OutputFolder(tmp_path / "out")
    photos = [("a.jpg", "f" * 64), ("A.jpg", "f" * 64), ("a.jpg", None), ("a.png", None)]
    names = [outputs.claim(name, sha256).name for name, sha256 in photos]
    assert names == ["a-ffffffffff", "A-ffffffffff-2", "a-unopened", "a-unopened-2"]


def photo_of(width: int, height: int) -> Photo:
    return Photo("gauge.png", "0" * 64, np.full((height, width, 3), 255, dtype=np.uint8), width, height)


def reading_of(*instruments: InstrumentReading) -> PhotoReading:
    status = "read" if any(one.status == "read" for one in instruments) else "abstained"
    return PhotoReading(
        photo="gauge.png",
        sha256="0" * 64,
        status=status,
        reason=None if status == "read" else "nothing to read",
        instruments=instruments,
        weights=WEIGHTS,
    )


def has_color(picture: Image.Image, name: str) -> bool:
    wanted = np.array([int(name[i : i + 2], 16) for i in (1, 3, 5)])
    return bool((np.asarray(picture) == wanted).all(axis=2).any())


def test_everything_that_was_read_is_drawn() -> None:
    overlay = draw_overlay(photo_of(400, 300), reading_of(make_dial(400, 300)))
    assert overlay.size == (400, 300)
    for color in (PALETTE.read, PALETTE.needle, PALETTE.start, PALETTE.end, PALETTE.text):
        assert has_color(overlay, color)
    assert not has_color(overlay, PALETTE.abstained)


def test_the_needle_is_drawn_where_it_was_seen() -> None:
    pixels = np.asarray(draw_overlay(photo_of(400, 300), reading_of(make_dial(400, 300))))
    assert pixels[110, 200].tolist() == [int(PALETTE.needle[i : i + 2], 16) for i in (1, 3, 5)]
    assert pixels[200, 200].tolist() == [255, 255, 255]


def test_plates_carry_the_reports_numbers_and_words() -> None:
    reading = reading_of(make_dial(400, 300), abstained_dial(400, 300))
    assert plate_texts(reading, None) == ["1  dial: 50.0 MPa", "2  dial: not read"]
    read = Headline(value="50 MPa", interval="48.5 to 51.5 MPa", status="正常", tone="good")
    document = make_document(
        Section(number=1, headline=read), Section(number=2, headline=Headline(status="未读数", tone="unknown"))
    )
    assert plate_texts(reading, document) == ["1  50 MPa", "2  未读数"]
    assert draw_overlay(photo_of(400, 300), reading, document).size == (400, 300)


@pytest.mark.parametrize(("text", "formats"), [(None, FORMATS), ("pdf, MD", ("md", "pdf")), ("json,json", ("json",))])
def test_formats(text: str | None, formats: tuple[Format, ...]) -> None:
    assert parse_formats(text) == formats


@pytest.mark.parametrize("text", ["", " , ", "docx", "pdf;md"])
def test_unknown_formats(text: str) -> None:
    with pytest.raises(FormatError, match="there are md, html, json, pdf"):
        parse_formats(text)


def test_an_abstained_instrument_shows_its_box_alone() -> None:
    overlay = draw_overlay(photo_of(400, 300), reading_of(abstained_dial(400, 300)))
    assert has_color(overlay, PALETTE.abstained)
    assert not has_color(overlay, PALETTE.needle)


def test_a_photo_without_instruments_says_why() -> None:
    assert has_color(draw_overlay(photo_of(400, 300), reading_of()), PALETTE.abstained)


def test_large_photos_are_drawn_smaller_at_the_right_place() -> None:
    photo = load_photo(picture_bytes("PNG", size=(6000, 30)))
    overlay = draw_overlay(photo, reading_of(make_dial(6000, 30)))
    assert max(overlay.size) == MAX_SIDE_PX
    assert has_color(overlay, PALETTE.read)


@pytest.mark.parametrize("box", [(-50.0, -50.0, 500.0, 400.0), (390.0, 290.0, 10.0, 10.0), (0.0, 0.0, 0.0, 0.0)])
def test_boxes_beyond_the_photo_or_turned_around_are_drawn(box: tuple[float, float, float, float]) -> None:
    assert draw_overlay(photo_of(400, 300), reading_of(make_dial(400, 300, box=box))).size == (400, 300)


def test_labels() -> None:
    assert label_text(make_dial(10, 10)) == "dial: 50.0 MPa"
    assert label_text(abstained_dial(10, 10)) == "dial: not read"
    lamp = InstrumentReading(
        kind="lamp", box=(0, 0, 1, 1), fields=GaugeFields(kind="lamp", warning_light_color="red"), status="read"
    )
    assert label_text(lamp) == "lamp: red"
