"""What is stated of a display: the main row as its value, the others as channels, and never a number that was not agreed on."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.dial_layouts import printed
from tests.vision.test_judge import evidence
from vision.digits import DigitsWitness
from vision.display_value import display_value, further_rows, without_cut
from vision.fields import Channel, GaugeFields
from vision.numerals import Look, NumeralReader, PrintedText
from vision.text_crop import TextCrop
from vision.text_strips import TextPatch


class Shows(NumeralReader):
    """An OCR that reads the same texts in every look."""

    def __init__(self, *texts: PrintedText) -> None:
        super().__init__()
        self.texts = texts

    def look(self, crop, *, turn_deg: float = 0.0, known=()):  # type: ignore[no-untyped-def, override]
        return Look(self.texts)


FIELDS = GaugeFields(kind="digital")
BLANK = np.full((200, 300, 3), 190, np.uint8)
DISPLAY = evidence(0.0, fields=FIELDS, image=BLANK, box=(0.0, 0.0, 300.0, 200.0))


def row(text: str, y: float, height: float = 44.0) -> PrintedText:
    return printed(text, (130.0, y), height=height, confidence=0.97)


def test_the_top_row_is_the_value_and_the_others_are_channels() -> None:
    face = Shows(row("217.6", 40), row("220.4", 95), row("233.4", 150), printed("V", (240.0, 42.0), height=36))
    value = display_value(DISPLAY, FIELDS, {}, face, 736)
    assert (value.value, value.unit, value.source) == (217.6, "V", "digits")
    assert (value.low, value.high) == (pytest.approx(217.55), pytest.approx(217.65))
    assert value.fields is not None
    assert value.fields.digital_readout == "217.6"
    assert value.fields.channels == (
        Channel(label="row 2", digital_readout="220.4"),
        Channel(label="row 3", digital_readout="233.4"),
    )


def test_nothing_to_read_gives_a_reason_and_no_value() -> None:
    value = display_value(DISPLAY, FIELDS, {}, Shows(), 736)
    assert value.value is None
    assert value.reason == "no digits were read on the display"


def test_digits_against_sure_ones_of_the_donut_are_not_stated() -> None:
    fields = FIELDS.model_copy(update={"digital_readout": "96.1"})
    value = display_value(DISPLAY, fields, {"digital_readout": 0.95}, Shows(row("56.1", 100)), 736)
    assert value.value is None
    assert "disagree" in str(value.reason)
    unsure = display_value(DISPLAY, fields, {"digital_readout": 0.2}, Shows(row("56.1", 100)), 736)
    assert unsure.value == 56.1


def test_further_rows_need_the_main_one_among_them() -> None:
    assert further_rows(DigitsWitness("7", rows=("1", "7"))) == (Channel(label="row 1", digital_readout="1"),)
    assert further_rows(DigitsWitness(None, rows=("1", "7"))) == ()
    assert further_rows(DigitsWitness("7")) == ()


CROP = TextCrop(np.zeros((100, 200, 3), np.uint8), 50.0, 20.0, 2.0)
BOX = (54.0, 24.0, 146.0, 66.0)


def number(left: float, right: float, angle_deg: float = 0.0) -> TextPatch:
    return TextPatch(((left + right) / 2.0, 50.0), right - left, 40.0, angle_deg)


def test_a_row_at_the_crops_edge_is_looked_at_with_more_room() -> None:
    assert without_cut(BOX, CROP, number(20.0, 180.0), 400) is None
    assert without_cut(BOX, CROP, number(2.0, 150.0), 400) == (34.0, 24.0, 146.0, 66.0)
    assert without_cut(BOX, CROP, number(60.0, 199.0), 400) == (54.0, 24.0, 166.0, 66.0)
    assert without_cut(BOX, CROP, number(1.0, 199.0), 400) == (34.0, 24.0, 166.0, 66.0)


def test_where_the_photo_ends_there_is_no_more_to_see() -> None:
    assert without_cut(BOX, CROP, number(60.0, 199.0), 150) is None
    assert without_cut(BOX, CROP._replace(left=0.0), number(2.0, 150.0), 400) is None
    assert without_cut(BOX, CROP, None, 400) is None
    assert without_cut(BOX, CROP, number(2.0, 150.0, angle_deg=80.0), 400) is None
