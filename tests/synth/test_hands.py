"""Needles and hands: which one measures is clear, tips reach the scale, outlines end where the truth says."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import get_args

import numpy as np
import pytest

from synth.draw import HUES
from synth.flat import render
from synth.models import model_dial
from synth.needle_shape import needle_outline, needle_parts, needle_tip
from synth.sample_hands import FASHIONS, MAX_HUB, MAX_TAIL, MIN_COLOR_DISTANCE, sample_hands, sample_needle
from synth.scene import Background, GaugeScene, Light, Placed, Pose
from synth.spec import Color, Hand, Needle, NeedleShape, TailShape

ART = model_dial(np.random.default_rng(0), "XYZ-2000", 0.3).art
SCALE = model_dial(np.random.default_rng(0), "XYZ-2000", 0.3).scale
PLAIN = Needle(80, 6, 1, 30, 14, "taper", "none", (10, 10, 10), 6, (90, 90, 90))


@lru_cache(maxsize=8)
def needles(style: str) -> tuple[Needle, ...]:
    rng = np.random.default_rng(7)
    face: Color = (20, 20, 20) if style in ("transformer", "automotive") else (240, 240, 236)
    ink: Color = (245, 245, 245) if face[0] < 100 else (15, 15, 15)
    return tuple(sample_needle(rng, style, ART, face, ink) for _ in range(300))


@lru_cache(maxsize=1)
def handed() -> tuple[tuple[Needle, float, tuple[Hand, ...]], ...]:
    rng, found = np.random.default_rng(11), []
    for needle in (*needles("pressure"), *needles("transformer")):
        fraction = float(rng.random())
        found.append((needle, fraction, sample_hands(rng, needle, ART, SCALE, 0.9, fraction, 3)))
    return tuple(found)


def distance(first: Color, second: Color) -> int:
    return max(abs(a - b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("style", [*FASHIONS, "quadrant", "edge"])
def test_tips_reach_the_ticks(style: str) -> None:
    reach = np.array([needle.length / ART.radius for needle in needles(style)])
    assert reach.min() > 0.6
    assert reach.max() < 1.03
    assert 0.82 < (reach >= 0.8).mean() < 0.97, "some are short"


@pytest.mark.parametrize("style", [*FASHIONS])
def test_the_tip_is_the_farther_end(style: str) -> None:
    for needle in needles(style):
        assert needle.tail <= MAX_TAIL * needle.length + 1e-9
        assert needle.hub <= MAX_HUB * needle.length + 1e-9
        assert needle.start < 0.8 * needle.length


def test_styles_have_fashions_of_their_own() -> None:
    assert "broad" in {n.shape for n in needles("transformer")}
    assert "block" in {n.tail_shape for n in needles("transformer")}
    assert np.mean([n.width for n in needles("panel")]) < 0.6 * np.mean([n.width for n in needles("transformer")])
    assert {n.shape for n in needles("wild")} == set(get_args(NeedleShape)) - {"disc"}
    assert "disc" in {n.shape for n in needles("pressure")}
    assert {n.tail_shape for n in needles("wild")} == set(get_args(TailShape))
    assert any(n.glow > 0 for n in needles("automotive"))


def test_no_hand_has_the_needles_colour() -> None:
    count = 0
    for needle, _, hands in handed():
        for hand in hands:
            if not hand.marker:
                count += 1
                assert distance(HUES[hand.color_name], needle.color) > MIN_COLOR_DISTANCE
                assert distance(hand.needle.color, HUES[hand.color_name]) < 60, "the name is the colour that is drawn"
    assert count > 400


def test_no_two_hands_share_a_colour_and_one_is_the_maximum() -> None:
    for _, _, hands in handed():
        real = [hand for hand in hands if not hand.marker]
        assert len({hand.color_name for hand in real}) == len(real) <= 3
        assert sum(hand.label == "max" for hand in real) <= 1


def test_a_maximum_hand_mostly_stands_beyond_the_needle() -> None:
    beyond = [h.fraction >= fraction - 1e-9 for _, fraction, hands in handed() for h in hands if h.label == "max"]
    assert 0.75 < float(np.mean(beyond)) < 1.0
    assert all(0 <= h.fraction <= 1 for _, _, hands in handed() for h in hands if not h.marker)


def test_hands_are_in_front_and_behind_lettered_and_from_the_rim() -> None:
    hands = [h for _, _, group in handed() for h in group]
    assert {h.above for h in hands if h.label == "max" and not h.marker} == {True, False}
    assert any(h.lettered for h in hands)
    assert any(h.needle.start > 0 for h in hands)
    assert any(h.marker for h in hands)
    assert all(h.needle.start > 0 for h in hands if h.lettered), "letters stand on short hands from the rim"


@pytest.mark.parametrize("shape", get_args(NeedleShape))
@pytest.mark.parametrize("angle", [0.0, 77.0, 201.0, 333.0])
def test_outlines_end_at_the_tip(shape: NeedleShape, angle: float) -> None:
    pivot = (3.0, -4.0)
    for tail_shape in get_args(TailShape):
        needle = replace(PLAIN, shape=shape, tail_shape=tail_shape)
        outline = np.array(needle_outline(needle, pivot, angle)) - pivot
        tip = np.array(needle_tip(needle, pivot, angle)) - pivot
        along = outline @ (tip / 80.0)
        assert along.max() == pytest.approx(80.0)
        assert along.min() >= -30.0 - 1e-9
        across = outline @ np.array([-tip[1], tip[0]]) / 80.0
        assert across.max() == pytest.approx(-across.min(), abs=1e-9), "a needle is the same on both sides"


@pytest.mark.parametrize("shape", [s for s in get_args(NeedleShape) if s != "disc"])
def test_a_blade_from_the_rim_begins_where_it_says(shape: NeedleShape) -> None:
    needle = replace(PLAIN, shape=shape, start=48.0, tail_shape="block")
    outline = np.array(needle_outline(needle, (0.0, 0.0), 0.0))
    assert outline[:, 1].min() == pytest.approx(48.0)
    assert outline[:, 1].max() == pytest.approx(80.0)


def test_parts_in_other_colours_lie_on_the_needle() -> None:
    red: Color = (200, 20, 20)
    plain = replace(PLAIN, tail_shape="block")
    assert needle_parts(plain, (0.0, 0.0), 0.0) == ()
    (tip,) = needle_parts(replace(plain, tip_color=red, tip_from=0.7), (0.0, 0.0), 0.0)
    assert min(y for _, y in tip.outline) == pytest.approx(56.0)
    (edge,) = needle_parts(replace(plain, edge_color=red), (0.0, 0.0), 0.0)
    assert len({math.copysign(1, round(x, 9)) for x, _ in edge.outline if abs(x) > 1e-9}) == 1, "one side only"
    (tail,) = needle_parts(replace(plain, tail_color=red), (0.0, 0.0), 0.0)
    assert min(y for _, y in tail.outline) == pytest.approx(-30.0)
    (moon,) = needle_parts(replace(plain, tail_shape="crescent"), (0.0, 0.0), 0.0)
    assert moon.color == plain.color
    assert all(-40 < y < 0 for _, y in moon.outline)


def scene(needle: Needle, hands: tuple[Hand, ...] = ()) -> GaugeScene:
    spec = model_dial(np.random.default_rng(0), "BT-160", 0.62, dark=False)
    spec = replace(spec, needle=needle, hands=hands, prints=(), glass=0.0, face_color=(235, 235, 235), stop_pin=False)
    pose = Pose((160, 160), 150)
    return GaugeScene(320, 320, 3, Background("white", 0), (Placed(spec, pose),), light=Light(shadow=0.0, shade=0.0))


@pytest.mark.parametrize("shape", ["taper", "knife", "sword", "broad", "open arrow", "arrow", "syringe", "lance"])
@pytest.mark.parametrize("tail_shape", ["block", "crescent", "round"])
def test_drawn_needles_point_where_the_truth_says(shape: NeedleShape, tail_shape: TailShape) -> None:
    color: Color = (255, 0, 0)
    needle = replace(PLAIN, shape=shape, tail_shape=tail_shape, color=color, hub_color=color, tip_width=2, height=0.0)
    one = scene(needle)
    truth = one.truth().instruments[0]
    picture = render(one).astype(int)
    ys, xs = np.nonzero((picture[..., 0] > 170) & (picture[..., 1] < 90) & (picture[..., 2] < 90))
    assert truth.points.pivot is not None
    away = np.hypot(xs - truth.points.pivot[0], ys - truth.points.pivot[1])
    far = away > 0.75 * away.max()
    seen = math.degrees(math.atan2(-(xs[far].mean() - truth.points.pivot[0]), ys[far].mean() - truth.points.pivot[1])) % 360
    assert truth.fields.pointer_angle is not None
    assert abs((seen - truth.fields.pointer_angle + 180) % 360 - 180) < 0.7


def test_a_hand_above_covers_the_needle_and_one_below_does_not() -> None:
    red = replace(PLAIN, color=(255, 0, 0), hub_color=(255, 0, 0), width=8, tip_width=8)
    for above in (True, False):
        one = scene(
            replace(PLAIN, color=(0, 0, 0), hub_color=(0, 0, 0), width=8, tip_width=8),
            (Hand(red, 0.62, "max", "red", above=above),),
        )
        truth = one.truth().instruments[0]
        assert truth.points.needle_tip is not None
        assert truth.points.pivot is not None
        x, y = (0.7 * np.array(truth.points.needle_tip) + 0.3 * np.array(truth.points.pivot)).round().astype(int)
        assert (render(one)[y, x, 0] > 120) == above
        assert [c.label for c in truth.fields.channels] == ["max"]
