"""Print on faces: units where nothing else is, lines clear of each other, the same lines for the same seed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from synth.errors import SpecError
from synth.face_room import FaceRoom, Rect, numeral_boxes, print_box, text_extent
from synth.flat import render
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen
from synth.flat.symbols import SYMBOLS
from synth.fonts import CHINESE, SANS
from synth.models import model_dial
from synth.recipe import load_recipe
from synth.sample_dial import sample_dial
from synth.sample_marks import MARKS, PANEL_SIGNS, sample_logo, sample_sticker, sample_watermark
from synth.sample_print import sample_prints
from synth.scene import Background, GaugeScene, Light, Placed, Pose
from synth.spec import DialSpec, Frame, Print, polar

SEEDS = 300


@lru_cache(maxsize=1)
def dials() -> tuple[DialSpec, ...]:
    recipe = load_recipe("close")
    return tuple(sample_dial(np.random.default_rng(seed), recipe) for seed in range(SEEDS))


def overlap(first: Rect, second: Rect) -> float:
    """Area that two boxes share, as a part of the smaller one."""
    wide = min(first[2], second[2]) - max(first[0], second[0])
    tall = min(first[3], second[3]) - max(first[1], second[1])
    if wide <= 0 or tall <= 0:
        return 0.0
    return wide * tall / min((b[2] - b[0]) * (b[3] - b[1]) for b in (first, second))


def all_numerals(spec: DialSpec) -> list[Rect]:
    return [b for scale, art in ((spec.scale, spec.art), *spec.further_scales) for b in numeral_boxes(scale, art, spec.pivot)]


def letters(line: Print) -> bool:
    """Lines of letters on the face itself: no papers and what is written on them, no words in coloured arcs."""
    return not line.symbol and line.curve == 0 and line.angle_deg == 0


def test_no_unit_lies_on_a_numeral() -> None:
    count = 0
    for seed, spec in enumerate(dials()):
        numbers = all_numerals(spec)
        for line in spec.prints:
            if line.declares is not None:
                count += 1
                assert all(overlap(print_box(line), box) == 0 for box in numbers), (seed, line)
    assert count > 0.8 * SEEDS


def test_every_printed_unit_is_declared_once() -> None:
    for spec in dials():
        primary = [line for line in spec.prints if line.declares is not None and not line.declares_second]
        assert [line.declares for line in primary] == ([spec.scale.unit] if spec.scale.unit is not None else [])
        seconds = [line.declares for line in spec.prints if line.declares_second]
        assert seconds == [scale.unit for scale, _ in spec.further_scales if scale.unit_text is not None]


def test_lines_lie_clear_of_each_other() -> None:
    for seed, spec in enumerate(dials()):
        boxes = [print_box(line) for line in spec.prints if letters(line)]
        for index, first in enumerate(boxes):
            assert all(overlap(first, other) < 0.3 for other in boxes[index + 1 :]), seed
            assert all(overlap(first, other) < 0.05 for other in all_numerals(spec)), seed


def test_print_stays_on_the_face() -> None:
    for spec in dials():
        half = 100.0 - spec.case.bezel
        for line in spec.prints:
            if letters(line):
                x0, y0, x1, y1 = print_box(line)
                assert max(-x0, x1) < half + 1
                assert max(-y0, y1) < half + 1
                assert line.size >= 1.0


def test_faces_are_printed_in_two_scripts() -> None:
    texts = ["".join(line.text for line in spec.prints) for spec in dials()]
    chinese = sum(any("一" <= sign <= "龥" for sign in text) for text in texts)
    assert 0.06 * SEEDS < chinese < 0.3 * SEEDS
    fonts = {line.font for spec in dials() for line in spec.prints}
    assert len(fonts) > 14
    frames = {line.frame for spec in dials() for line in spec.prints}
    assert len(frames) >= 7
    assert any(line.curve > 0 for spec in dials() for line in spec.prints)


def test_chinese_units_declare_the_canonical_one() -> None:
    found = [line for spec in dials() for line in spec.prints if line.declares and any(c >= "一" for c in line.text)]
    assert found
    assert all((line.declares is not None and line.declares.isascii()) or line.declares == "°C" for line in found)


def test_same_seed_same_print() -> None:
    spec = model_dial(np.random.default_rng(3), "BT-160", 0.4)
    bare = replace(spec, prints=())
    first, second = (sample_prints(np.random.default_rng(8), bare, "thermometer") for _ in range(2))
    assert first == second
    assert first != sample_prints(np.random.default_rng(9), bare, "thermometer")


@pytest.mark.parametrize("frame", ["none", "badge", "oval"])
def test_a_box_covers_the_ink(frame: Frame) -> None:
    """The box of a line is at least what is drawn of it, give or take a tail of a letter."""
    fill = (200, 30, 30) if frame == "badge" else None
    line = Print("Dura 50", 100, 60, 24, SANS[0], (0, 0, 0), frame=frame, fill=fill)
    pen = Pen(200, 120)
    draw_print(pen, line)
    ys, xs = np.nonzero(pen.pixels[..., 1] < 128)
    x0, y0, x1, y1 = print_box(line)
    assert x0 - 2 <= xs.min() <= x0 + 14
    assert x1 - 14 <= xs.max() <= x1 + 2
    assert y0 - 3 <= ys.min()
    assert ys.max() <= y1 + 3


def test_turned_spaced_and_vertical_lines_have_their_boxes() -> None:
    plain = Print("PUMP", 0, 0, 10, SANS[0], (0, 0, 0))
    wide = print_box(plain)
    assert wide[2] - wide[0] == pytest.approx(text_extent("PUMP", 10, SANS[0]), rel=0.05)
    spaced = print_box(replace(plain, tracking=0.2))
    assert spaced[2] - spaced[0] == pytest.approx(wide[2] - wide[0] + 6, abs=0.1)
    turned = print_box(replace(plain, angle_deg=90))
    assert turned[3] - turned[1] == pytest.approx(wide[2] - wide[0])
    upright = print_box(Print("温度计", 0, 0, 10, CHINESE[0], (0, 0, 0), vertical=True))
    assert upright[3] - upright[1] > 2 * (upright[2] - upright[0])


def test_room_is_taken_once() -> None:
    spec = replace(model_dial(np.random.default_rng(0), "XYZ-2000", 0.4), prints=())
    room, rng = FaceRoom(spec), np.random.default_rng(1)
    first = room.place(rng, "below", [3.0], 8.0, 4.0, tries=30)
    assert first is not None
    box = (first.x - 1.5 * first.size, first.y - 0.5 * first.size, first.x + 1.5 * first.size, first.y + 0.5 * first.size)
    assert not room.free(box)
    assert not room.inside((80.0, 80.0, 90.0, 90.0))
    assert room.place(rng, "below", [60.0], 8.0, 7.0) is None
    somewhere = room.search([2.0], 6.0, 3.0)
    assert math.hypot(somewhere.x, somewhere.y) < 95


def test_letters_along_a_circle_find_room_only_once() -> None:
    spec = replace(model_dial(np.random.default_rng(0), "XYZ-2000", 0.4), prints=(), screws=())
    room = FaceRoom(spec)
    assert room.place_arc((0.0, 0.0), 30.0, 0.0, 30.0, 4.0)
    assert not room.place_arc((0.0, 0.0), 30.0, 10.0, 30.0, 4.0)
    assert not room.place_arc((0.0, 0.0), spec.art.radius - 4, 180.0, 30.0, 4.0), "the ticks are there"


@pytest.mark.parametrize("name", [*SYMBOLS])
def test_every_sign_is_drawn_within_its_box(name: str) -> None:
    line = Print("", 50, 50, 40, SANS[0], (20, 20, 20), symbol=name, seed=5)
    pen = Pen(100, 100)
    draw_print(pen, line)
    ys, xs = np.nonzero(pen.pixels[..., :3].min(axis=2) < 250)
    assert len(xs) > 20
    assert xs.min() >= 22
    assert xs.max() <= 78
    assert ys.min() >= 24
    assert ys.max() <= 76
    again = Pen(100, 100)
    draw_print(again, line)
    assert np.array_equal(pen.pixels, again.pixels)


def test_signs_that_are_sampled_exist_and_others_are_named() -> None:
    assert {*PANEL_SIGNS, *MARKS, "matrix", "barcode", "paper"} <= set(SYMBOLS)
    with pytest.raises(SpecError, match="unknown sign 'skull'"):
        draw_print(Pen(8, 8), Print("", 0, 0, 4, SANS[0], (0, 0, 0), symbol="skull"))


def test_curved_words_stay_on_their_circle() -> None:
    line = Print("SWITCH SETTING", 100, 100, 12, SANS[0], (0, 0, 0), 180.0, curve=70.0)
    pen = Pen(200, 200)
    draw_print(pen, line)
    ys, xs = np.nonzero(pen.pixels[..., 0] < 128)
    away = np.hypot(xs - 100.0, ys - 100.0)
    assert away.min() > 62
    assert away.max() < 78
    middle = polar((100, 100), 70, 180.0)
    assert abs(xs.mean() - middle[0]) < 4
    assert ys.max() < 100


def test_logos_and_stickers_are_whole() -> None:
    looks = set()
    for seed in range(80):
        logo = sample_logo(np.random.default_rng(seed), (10, 10, 10), (240, 240, 240))
        looks.add((logo[0].frame, logo[0].slant > 0, len(logo)))
        if logo[0].fill is not None:
            assert sum(abs(a - b) for a, b in zip(logo[0].fill, logo[0].color, strict=True)) > 100, "a badge can be read"
    assert len(looks) > 10
    spec = replace(model_dial(np.random.default_rng(0), "BT-160", 0.2), prints=())
    for seed in range(40):
        lines = sample_sticker(np.random.default_rng(seed), FaceRoom(spec))
        if lines:
            paper = print_box(replace(lines[0], symbol="", text="", size=1.0))
            assert lines[0].symbol == "paper"
            half = (0.5 * lines[0].size * lines[0].condensed, 0.5 * lines[0].size)
            for line in lines[1:]:
                assert abs(line.y - lines[0].y) < half[1]
                assert text_extent(line.text, line.size, line.font) < 2.05 * half[0]
            assert paper is not None


def test_a_watermark_is_faint_and_covers_the_photo() -> None:
    lines = sample_watermark(np.random.default_rng(4), 384)
    assert all(0.1 < line.alpha < 0.5 for line in lines)
    assert all(0 < line.x < 500 and 0 < line.y < 384 for line in lines)


def test_print_changes_the_picture_and_nothing_else() -> None:
    spec = model_dial(np.random.default_rng(5), "BT-160", 0.7, dark=False)
    scene = GaugeScene(300, 300, 3, Background("white", 0), (Placed(spec, Pose((150, 150), 130)),), light=Light())
    bare = replace(scene, instruments=(Placed(replace(spec, prints=()), Pose((150, 150), 130)),))
    assert not np.array_equal(render(scene), render(bare))
    assert scene.truth().instruments[0].value == bare.truth().instruments[0].value
