"""Which of two scales is given: the primary one where both say the same, the better supported one otherwise."""

from __future__ import annotations

import pytest

from tests.vision.dial_layouts import RED, face, linear, needle_at, printed
from vision.numerals import PrintedText
from vision.scale_witness import read_scale

PSI, KPA = linear(0, 100, 45, 270), linear(0, 689.476, 45, 270)
UNITS = [printed("psi", (300, 500)), printed("kPa", (300, 460), color=RED)]


def scales(psi: list[float], *, psi_height: float, kpa_height: float, psi_radius: float = 220.0) -> list[PrintedText]:
    outer = face(PSI, psi, radius=psi_radius, height=psi_height)
    return outer + face(KPA, range(0, 601, 100), radius=150, height=kpa_height, color=RED) + UNITS


def test_the_scale_with_the_larger_numerals_is_given_though_the_other_has_more() -> None:
    witness = read_scale(scales([0, 20, 40, 60, 100], psi_height=26.0, kpa_height=18.0), needle_at(PSI(29)))
    assert witness.unit == "psi"
    assert witness.value == pytest.approx(29, abs=1.5)
    assert [other.unit for other in witness.others] == ["kPa"]
    small = read_scale(scales([0, 20, 40, 60, 80, 100], psi_height=16.0, kpa_height=26.0), needle_at(PSI(29)))
    assert small.unit == "kPa"
    assert small.value == pytest.approx(200, abs=10)


def test_of_numerals_as_large_the_outer_scale_is_given() -> None:
    outer = read_scale(scales([0, 20, 40, 60, 100], psi_height=22.0, kpa_height=22.0), needle_at(PSI(29)))
    assert outer.unit == "psi"
    inner = read_scale(scales([0, 20, 40, 60, 80, 100], psi_height=22.0, kpa_height=22.0, psi_radius=90.0), needle_at(PSI(29)))
    assert inner.unit == "kPa"


def test_a_primary_scale_that_is_hardly_supported_does_not_take_the_place() -> None:
    witness = read_scale(scales([0, 60, 100], psi_height=30.0, kpa_height=20.0), needle_at(PSI(29)))
    assert witness.value == pytest.approx({"psi": 29, "kPa": 200}[witness.unit or ""], rel=0.06)


def test_both_agree_so_the_choice_costs_no_confidence() -> None:
    texts = scales([0, 20, 40, 60, 80, 100], psi_height=26.0, kpa_height=18.0)
    alone = [text for text in texts if text.color != RED]
    assert read_scale(texts, needle_at(PSI(29))).confidence >= read_scale(alone, needle_at(PSI(29))).confidence
