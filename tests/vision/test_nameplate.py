"""Known model ids on a nameplate."""

from __future__ import annotations

import pytest

from tests.vision.dial_layouts import printed
from vision.nameplate import find_model

MODELS = ("XYZ-2000", "XYZ-2000S", "KD-150", "A1")


@pytest.mark.parametrize("text", ["XYZ-2000", "xyz 2000", "XYZ2000", "MODEL XYZ-2OOO", "XYZ—2000", "Type: XYZ-2000"])
def test_a_printed_id_is_found(text: str) -> None:
    assert find_model([printed("PRESSURE", (0, 0)), printed(text, (0, 40))], MODELS) == "XYZ-2000"


def test_the_longer_id_wins() -> None:
    assert find_model([printed("XYZ-2000S", (0, 0))], MODELS) == "XYZ-2000S"


def test_an_id_cut_into_two_texts() -> None:
    assert find_model([printed("XYZ", (0, 0)), printed("2000", (60, 0))], MODELS) == "XYZ-2000"


@pytest.mark.parametrize("text", ["XYZ-20001", "WXYZ-2000", "XYZ-200", "2000", "A1", ""])
def test_what_is_not_that_id(text: str) -> None:
    assert find_model([printed(text or " ", (0, 0))], MODELS) is None


def test_two_ids_are_none() -> None:
    assert find_model([printed("XYZ-2000", (0, 0)), printed("KD-150", (0, 50))], MODELS) is None


def test_nothing_known_nothing_found() -> None:
    assert find_model([printed("XYZ-2000", (0, 0))], ()) is None
    assert find_model([], MODELS) is None
