"""Fonts: every word list can be printed, and widths are those that are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from synth import fonts, words, words_chinese, words_titles
from synth.flat.pen import Pen
from synth.ranges import UNIT_TEXTS

LATIN = (*fonts.SANS, *fonts.BOLD, *fonts.SERIF, *fonts.MONO, *fonts.ROUNDED)


def test_all_fonts_are_there_and_in_one_group() -> None:
    fonts.check_fonts()
    groups = (fonts.SANS, fonts.BOLD, fonts.SERIF, fonts.MONO, fonts.HAND, fonts.ROUNDED, fonts.CHINESE)
    named = {name for group in groups for name in group} | {"DejaVuSans-Oblique.ttf"}
    assert named == set(fonts.PACKAGES)
    assert not set(fonts.SANS) & {*fonts.HAND, *fonts.CHINESE, *fonts.MONO, *fonts.SERIF}
    assert set(fonts.GEOMETRIC) <= set(fonts.PACKAGES)


@pytest.mark.parametrize("name", fonts.PACKAGES)
def test_every_font_carries_digits_and_capitals(name: str) -> None:
    assert fonts.has_signs(name, "0123456789.,-+%/ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    assert 0.6 < fonts.cap_height(name) < 0.85 or name in fonts.HAND


@pytest.mark.parametrize("name", LATIN)
def test_every_latin_font_prints_every_word(name: str) -> None:
    """Where the font lacks a sign, the font that stands in for it has all of them."""
    lists = (*words.all_texts(), *(text for texts in UNIT_TEXTS.values() for text in texts))
    for text in lists:
        line = text.replace("\n", "")
        assert fonts.has_signs(fonts.font_for(line, name), line), (name, line)
    plain = [text for group in (words.CLASSES, words.NORMS) for text in group if text.isascii()]
    assert all(fonts.font_for(text, name) == name for text in plain), "ASCII never needs a stand-in"


@pytest.mark.parametrize("name", fonts.CHINESE)
def test_chinese_fonts_carry_every_chinese_sign(name: str) -> None:
    for text in words_chinese.all_texts():
        assert fonts.has_signs(name, text), text


def test_chinese_words_fall_back_to_a_chinese_font() -> None:
    assert fonts.font_for("压力表", fonts.SANS[0]) == fonts.CHINESE[0]
    assert fonts.font_for("压力表", fonts.BOLD[0]) == fonts.CHINESE[1]
    assert fonts.font_for("bar", fonts.SANS[0]) == fonts.SANS[0]
    assert fonts.advance("压力表", fonts.CHINESE[0]) == pytest.approx(3.0)


def test_titles_of_a_unit_name_no_other_quantity() -> None:
    rng = np.random.default_rng(0)
    assert {words_titles.title(rng, "electric", "kV") for _ in range(40)} == set(words_titles.UNIT_TITLES["kV"])
    assert {words_chinese.title(rng, "electric", "kV") for _ in range(40)} == set(words_chinese.UNIT_TITLES["kV"])
    general = {words_titles.title(rng, "pressure", "bar") for _ in range(600)}
    assert general <= set(words_titles.TOPICS["pressure"])
    assert len(general) > 12
    for topic in words_titles.TOPICS:
        assert words_titles.title(rng, topic, None)
        assert words_chinese.title(rng, topic, None)


def test_makers_are_built_from_parts() -> None:
    rng = np.random.default_rng(1)
    makers = {words_chinese.maker(rng) for _ in range(300)}
    assert len(makers) > 200
    assert all(len(maker) > 4 for maker in makers)
    assert len({words.brand(rng) for _ in range(300)}) > 120


@pytest.mark.parametrize("name", [*LATIN, *fonts.CHINESE])
@pytest.mark.parametrize("condensed", [0.8, 1.0])
def test_measured_width_is_the_drawn_width(name: str, condensed: float) -> None:
    """The advance of a text covers its ink, and the pen agrees with the sampler."""
    text, size = "HIM 80", 40.0
    pen = Pen(320, 80)
    pen.text(text, 160, 40, size, name, (0, 0, 0), condensed=condensed)
    columns = np.nonzero((pen.pixels[..., 0] < 128).any(axis=0))[0]
    width = size * condensed * fonts.advance(text, name)
    assert pen.text_width(text, size, name, condensed) == pytest.approx(width, rel=0.01)
    ink = columns[-1] - columns[0] + 1
    assert 0.85 * width < ink <= width + 2
    assert abs((columns[0] + columns[-1]) / 2 - 160) < 0.06 * width


def test_capitals_stand_in_the_middle() -> None:
    pen = Pen(200, 100)
    pen.text("HE", 100, 50, 60, fonts.SANS[0], (0, 0, 0))
    rows = np.nonzero((pen.pixels[..., 0] < 128).any(axis=1))[0]
    assert (rows[0] + rows[-1]) / 2 == pytest.approx(50, abs=1.5)
    assert rows[-1] - rows[0] + 1 == pytest.approx(60 * fonts.cap_height(fonts.SANS[0]), abs=2)
