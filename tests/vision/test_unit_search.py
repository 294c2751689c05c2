"""Further looks for a unit: print round the rim, faint print, and that a stroke is not taken for a letter."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.vision.dial_layouts import printed
from vision.dial_witness import witness_dial
from vision.numerals import NumeralReader
from vision.printed_units import find_units
from vision.scale_view import DialGeometry
from vision.text_strips import Pixels
from vision.unit_search import Ring, units_seen_otherwise

SIZE, MIDDLE = 600, 300.0
LIGHT, DARK = (232, 230, 224), (20, 20, 25)


def blank(color: tuple[int, int, int] = LIGHT) -> Image.Image:
    return Image.new("RGB", (SIZE, SIZE), color)


def write_round(face: Image.Image, text: str, radius: float, *, letters: int = 34, color: tuple[int, int, int] = DARK) -> None:
    """Print `text` along the lower rim, tops of its letters towards the middle, about 6 o'clock."""
    font = ImageFont.load_default(size=letters)
    widths = [font.getlength(letter) + 3.0 for letter in text]
    place = -sum(widths) / 2.0
    for letter, width in zip(text, widths, strict=True):
        turn = (place + width / 2.0) / radius
        place += width
        tile = Image.new("L", (3 * letters, 3 * letters), 0)
        ImageDraw.Draw(tile).text((1.5 * letters, 1.5 * letters), letter, fill=255, font=font, anchor="mm")
        tile = tile.rotate(math.degrees(turn), resample=Image.Resampling.BICUBIC)
        center = (MIDDLE + radius * math.sin(turn), MIDDLE + radius * math.cos(turn))
        corner = (round(center[0] - 1.5 * letters), round(center[1] - 1.5 * letters))
        face.paste(Image.new("RGB", tile.size, color), corner, tile)


def pixels(face: Image.Image) -> Pixels:
    return np.asarray(face, np.uint8)


def test_print_along_the_lower_rim_is_read_where_it_stands() -> None:
    face = blank()
    write_round(face, "LIQUID TEMPERATURE °C", 235.0)
    found = units_seen_otherwise(NumeralReader(), pixels(face), ())
    assert [mark.unit for mark in find_units(found)] == ["°C"]
    (text,) = found
    assert math.dist(text.center, (MIDDLE, MIDDLE + 235.0)) < 30.0
    assert abs(text.angle_deg) < 8.0
    assert 20.0 < text.height_px < 60.0
    last = text.character_centers[-1]
    assert last[0] > MIDDLE + 100.0, "the unit itself stands to the right, a little up the rim"
    assert last[1] < MIDDLE + 235.0


@pytest.mark.parametrize("inward", [True, False])
def test_a_place_on_the_ring_leads_back_to_the_face(inward: bool) -> None:
    face = np.zeros((400, 500, 3), np.uint8)
    rng = np.random.default_rng(5)
    for turn in rng.uniform(0.0, 2.0 * math.pi, 6):
        x, y = 250.0 + 0.7 * 250.0 * math.cos(turn), 200.0 + 0.7 * 200.0 * math.sin(turn)
        face[:] = 0
        face[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4] = 255
        ring = Ring(face, inward)
        rows, columns = np.nonzero(ring.pixels[..., 0] > 128)
        nearest = min(
            math.dist(ring.on_face(printed("x", (float(column), float(row)), height=8.0)).center, (x, y))
            for row, column in zip(rows, columns, strict=True)
        )
        assert nearest < 2.0


def test_a_stroke_is_no_unit_and_an_empty_face_shows_none() -> None:
    face = blank()
    ImageDraw.Draw(face).text((MIDDLE, MIDDLE), "V", fill=DARK, font=ImageFont.load_default(size=60), anchor="mm")
    assert units_seen_otherwise(NumeralReader(), pixels(face), ()) == ()
    assert units_seen_otherwise(NumeralReader(), pixels(blank()), ()) == ()


def test_a_dial_gets_the_unit_from_its_rim_and_keeps_its_value() -> None:
    face = blank()
    pen = ImageDraw.Draw(face)
    font = ImageFont.load_default(size=34)
    for number in range(6):
        turn = math.radians(45.0 + 54.0 * number)
        pen.text((MIDDLE - 180.0 * math.sin(turn), MIDDLE + 180.0 * math.cos(turn)), f"{20 * number}", DARK, font, anchor="mm")
    turn = math.radians(45.0 + 2.5 * 54.0)
    tip = (MIDDLE - 130.0 * math.sin(turn), MIDDLE + 130.0 * math.cos(turn))
    pen.line([(MIDDLE, MIDDLE), tip], DARK, 6)
    geometry = DialGeometry((MIDDLE, MIDDLE), tip, None, None)
    bare = witness_dial(NumeralReader(), pixels(face), geometry).scale
    assert bare.value == pytest.approx(50.0, abs=2.0)
    assert bare.unit is None
    write_round(face, "OIL TEMPERATURE °C", 255.0)
    seen = witness_dial(NumeralReader(), pixels(face), geometry).scale
    assert seen.unit == "°C"
    assert seen.value == pytest.approx(bare.value, abs=0.5)
