"""Typing and OCR errors are mended; what was meant is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.spelling import Correction, Speller, ocr_key

WORDS = {
    "table": 3,
    "label": 40,
    "pressure": 50,
    "calibration": 20,
    "thermowell": 3,
    "throttle": 4,
    "valve": 30,
    "alarm": 12,
    "glycerine": 2,
}


@pytest.fixture(scope="module")
def speller() -> Speller:
    return Speller(WORDS)


@pytest.mark.parametrize(
    ("asked", "mended"),
    [
        ("presure of the vlave", "pressure of the valve"),
        ("calbiration", "calibration"),
        ("thermowel", "thermowell"),
        ("calibration tabel", "calibration table"),
        ("a1arm", "alarm"),
        ("g1ycerine", "glycerine"),
        ("12O MPa", "120 MPa"),
        ("l5 bar", "15 bar"),
        ("压立表读数", "压力表读数"),
    ],
)
def test_errors_are_mended(speller: Speller, asked: str, mended: str) -> None:
    text, corrections = speller.mend(asked)
    assert text == mended
    assert corrections


@pytest.mark.parametrize(
    "text",
    [
        "pressure valves",
        "house of cards",
        "95 MPa",
        "Er2",
        "V1",
        "IP 65",
        "电压高",
        "给水泵怎么停",
        "zzyzx",
        "pressured",
        "",
        "is it on",
    ],
)
def test_what_is_right_or_unknown_stays(speller: Speller, text: str) -> None:
    assert speller.mend(text) == (text, ())


def test_spared_words_stay(speller: Speller) -> None:
    assert speller.mend("valvr", frozenset({"valvr"})) == ("valvr", ())
    assert speller.mend("valvr") == ("valve", (Correction("valvr", "valve"),))


def test_misread_signs_share_a_key() -> None:
    assert ocr_key("SP-3") == ocr_key("5P-3")
    assert ocr_key("XYZ-2000") == ocr_key("XYZ-2OOO")
    assert ocr_key("VM-48") != ocr_key("VM-49")


@settings(deadline=None)
@given(st.text(max_size=60))
def test_mending_twice_is_mending_once(text: str) -> None:
    speller = Speller(WORDS)
    once, _ = speller.mend(text)
    assert speller.mend(once)[0] == once
