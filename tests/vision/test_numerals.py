"""The packaged OCR on rendered pictures: places, turned pictures, narrow digits, and further looks at a dial."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.vision.dial_layouts import face, linear, printed
from vision.dial_witness import looks_sideways, merge_looks, missing_numerals, with_units_of, witness_dial
from vision.digits import read_display
from vision.fields import Point
from vision.numerals import Look, NumeralError, NumeralReader, PrintedText
from vision.scale_view import DialGeometry
from vision.scale_witness import read_scale
from vision.text_strips import Pixels, TextPatch

CENTER = (240.0, 240.0)


def at(angle_deg: float, radius: float) -> Point:
    turn = math.radians(angle_deg)
    return CENTER[0] - radius * math.sin(turn), CENTER[1] + radius * math.cos(turn)


def picture(labels: Sequence[tuple[str, Point]], *, size: int = 480, letters: int = 30) -> Pixels:
    """A light face with dark print; the font comes with Pillow."""
    image = Image.new("RGB", (size, size), (232, 230, 224))
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=letters)
    for text, center in labels:
        pen.text(center, text, fill=(20, 20, 25), font=font, anchor="mm")
    return np.asarray(image, np.uint8)


def dial(values: Sequence[int], needle_deg: float, low: int = 0, high: int = 100) -> tuple[Pixels, DialGeometry]:
    scale = linear(low, high, 45, 270)
    labels = [(str(value), at(scale(value), 165)) for value in values]
    image = Image.fromarray(picture([*labels, ("bar", (240.0, 330.0))]))
    pen = ImageDraw.Draw(image)
    for value in range(low, high + 1, 5):
        pen.line([at(scale(value), 205), at(scale(value), 225)], fill=(20, 20, 25), width=2)
    pen.line([CENTER, at(needle_deg, 140)], fill=(20, 20, 25), width=5)
    return np.asarray(image, np.uint8), DialGeometry(CENTER, at(needle_deg, 140))


@pytest.fixture(scope="module")
def reader() -> NumeralReader:
    return NumeralReader()


def test_numbers_are_read_with_their_places(reader: NumeralReader) -> None:
    labels = [("0.25", (120.0, 90.0)), ("1000", (330.0, 140.0)), ("MPa", (240.0, 380.0))]
    texts = {text.text: text for text in reader.read(picture(labels))}
    assert set(texts) == {"0.25", "1000", "MPa"}
    for label, center in labels:
        assert math.dist(texts[label].center, center) < 6
        assert len(texts[label].character_centers) == len(label)
        assert texts[label].confidence > 0.8
        assert max(texts[label].color) < 130
    centers = [x for x, _ in texts["1000"].character_centers]
    assert centers == sorted(centers)


def test_a_narrow_digit_standing_alone_is_read(reader: NumeralReader) -> None:
    texts = reader.read(picture([("1", (120.0, 120.0)), ("7", (340.0, 120.0)), ("4", (240.0, 360.0))], letters=44))
    assert {text.text for text in texts} == {"1", "7", "4"}


def test_large_and_small_pictures_give_places_in_their_own_pixels(reader: NumeralReader) -> None:
    large = picture([("350", (500.0, 900.0))], size=1400, letters=90)
    small = picture([("350", (60.0, 40.0))], size=110, letters=22)
    for pixels, center in ((large, (500.0, 900.0)), (small, (60.0, 40.0))):
        (text,) = [text for text in reader.read(pixels) if text.text == "350"]
        assert math.dist(text.center, center) < 0.02 * pixels.shape[0] + 3


@pytest.mark.parametrize("turn_deg", [90.0, 270.0])
def test_a_sideways_picture_is_read_turned(reader: NumeralReader, turn_deg: float) -> None:
    upright = picture([("250", (130.0, 100.0)), ("80", (350.0, 300.0))])
    # np.rot90 turns counter-clockwise: once undoes a look turned clockwise by a quarter.
    sideways = np.ascontiguousarray(np.rot90(upright, 1 if turn_deg == 90.0 else 3))
    texts = {text.text: text for text in reader.read(sideways, turn_deg=turn_deg)}
    assert {"250", "80"} <= set(texts)
    expected = (100.0, 480 - 130.0) if turn_deg == 90.0 else (480 - 100.0, 130.0)
    assert math.dist(texts["250"].center, expected) < 6


def test_patches_are_read_where_they_are(reader: NumeralReader) -> None:
    pixels = picture([("60", (300.0, 200.0))])
    found, empty = reader.read_patches(pixels, [TextPatch((300.0, 200.0), 52, 38), TextPatch((100.0, 400.0), 52, 38)])
    assert found is not None
    assert found.text == "60"
    assert empty is None
    assert reader.read_patches(pixels, []) == ()


def test_an_empty_face_has_no_text(reader: NumeralReader) -> None:
    assert reader.read(np.full((200, 200, 3), 128, np.uint8)) == ()


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((50, 50), np.uint8),
        np.zeros((50, 50, 4), np.uint8),
        np.zeros((50, 50, 3), np.float32),
        np.zeros((3, 90, 3), np.uint8),
    ],
)
def test_what_is_no_picture_is_an_error(reader: NumeralReader, pixels: Pixels) -> None:
    with pytest.raises(NumeralError, match="RGB"):
        reader.read(pixels)


def test_a_dial_is_read_from_its_pixels(reader: NumeralReader) -> None:
    pixels, geometry = dial(range(0, 101, 20), linear(0, 100, 45, 270)(37))
    witness, texts, *_ = witness_dial(reader, pixels, geometry)
    assert witness.value == pytest.approx(37, abs=1.5)
    assert witness.unit == "bar"
    assert {"20", "80"} <= {text.text for text in texts}


def test_a_dial_photographed_upside_down_is_read(reader: NumeralReader) -> None:
    """Its 60 reads 09 and its 80 reads 08, both surely: numbers of such digits do not tell which way is up."""
    pixels, geometry = dial(range(0, 101, 10), linear(0, 100, 45, 270)(37))
    tip = geometry.needle_tip
    turned = DialGeometry((480 - CENTER[0], 480 - CENTER[1]), (480 - tip[0], 480 - tip[1]))
    witness, *_ = witness_dial(reader, np.ascontiguousarray(np.rot90(pixels, 2)), turned)
    assert witness.value == pytest.approx(37, abs=2)


def test_a_dial_photographed_sideways_is_read(reader: NumeralReader) -> None:
    pixels, geometry = dial(range(0, 101, 20), linear(0, 100, 45, 270)(73))
    turned = np.ascontiguousarray(np.rot90(pixels))
    tip = geometry.needle_tip
    sideways = DialGeometry((CENTER[1], 480 - CENTER[0]), (tip[1], 480 - tip[0]))
    witness, *_ = witness_dial(reader, turned, sideways)
    assert witness.value == pytest.approx(73, abs=2)


class Blinkered(NumeralReader):
    """A reader that overlooks some numbers at first, and sees them where it is told to look."""

    def __init__(self, overlooked: set[str]) -> None:
        super().__init__()
        self.overlooked = overlooked
        self.asked: list[TextPatch] = []

    def look(self, crop: Pixels, *, turn_deg: float = 0.0, known: Sequence[PrintedText] = ()) -> Look:
        look = super().look(crop, turn_deg=turn_deg)
        return look._replace(texts=tuple(text for text in look.texts if text.text not in self.overlooked))

    def read_patches(self, crop: Pixels, patches: Sequence[TextPatch]) -> tuple[PrintedText | None, ...]:
        self.asked += patches
        return super().read_patches(crop, patches)


def test_missing_numerals_near_the_needle_are_looked_for_where_they_must_be() -> None:
    scale = linear(0, 100, 45, 270)
    pixels, geometry = dial(range(0, 101, 20), scale(8))
    blinkered = Blinkered({"0", "O"})
    witness, *_ = witness_dial(blinkered, pixels, geometry)
    assert any(math.dist(patch.center, at(scale(0), 165)) < 8 for patch in blinkered.asked)
    assert 0.0 in [numeral.value for numeral in witness.numerals]
    assert witness.value == pytest.approx(8, abs=1.5)


def test_no_numeral_is_made_up_where_none_is_printed() -> None:
    scale = linear(0, 100, 45, 270)
    pixels, geometry = dial([20, 40, 60, 80, 100], scale(10))
    witness, texts, *_ = witness_dial(NumeralReader(), pixels, geometry)
    assert 0.0 not in [numeral.value for numeral in witness.numerals]
    assert "0" not in {text.text for text in texts}


def test_places_of_missing_numerals() -> None:
    scale = linear(0, 10, 45, 270)
    texts = face(scale, [0, 2, 6, 8, 10])
    geometry = DialGeometry((300.0, 310.0), (300.0, 200.0))
    wanted = dict(missing_numerals(read_scale(texts, geometry), geometry))
    assert set(wanted) == {4.0}
    assert wanted[4.0] == pytest.approx(face(scale, [4])[0].center, abs=3)
    assert missing_numerals(read_scale([], geometry), geometry) == []


def test_two_looks_are_merged_without_doubles() -> None:
    first = [printed("20", (100, 100), confidence=0.8), printed("40", (200, 100))]
    second = [printed("20", (103, 101), confidence=0.9), printed("49", (201, 100)), printed("20", (400, 100))]
    merged = merge_looks(first, second)
    assert [(text.text, text.center[0]) for text in merged] == [("20", 103), ("40", 200), ("49", 201), ("20", 400)]


def test_a_turned_look_keeps_the_units_of_the_first() -> None:
    first = [printed("20", (100, 100)), printed("°C", (200, 150))]
    numbers = (printed("20", (100, 101)), printed("40", (200, 100)))
    assert [text.text for text in with_units_of(first, numbers)] == ["20", "40", "°C"]
    with_own = (*numbers, printed("bar", (200, 150)))
    assert with_units_of(first, with_own) == with_own
    assert with_units_of([printed("20", (100, 100))], numbers) == numbers


def test_sideways_numbers_are_noticed() -> None:
    level = face(linear(0, 100, 45, 270), range(0, 101, 20))
    assert not looks_sideways(level, (300.0, 310.0))
    lying = [text._replace(angle_deg=-90.0) for text in level if 150 < text.center[0] < 450]
    assert looks_sideways(lying, (300.0, 310.0))
    radial = [text._replace(angle_deg=45 + 2.7 * float(text.text) - 180) for text in level]
    assert not looks_sideways(radial, (300.0, 310.0))


def test_a_display_is_read_from_its_pixels(reader: NumeralReader) -> None:
    pixels = picture([("27.4", (240.0, 200.0))], letters=120)[100:300]
    witness = read_display(reader, np.ascontiguousarray(pixels))
    assert witness.text == "27.4"
    assert witness.confidence > 0.8
    assert read_display(reader, np.full((80, 160, 3), 90, np.uint8)).text is None
