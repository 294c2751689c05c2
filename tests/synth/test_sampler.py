"""What the sampler draws: shares as the recipe says, and faces that print what the truth states."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth import words
from synth.devices import CounterSpec, DigitalSpec, LampSpec, SelectorSpec
from synth.draw import chance, gray, luma, near, pick, weighted
from synth.fonts import BOLD, PACKAGES, SANS, SERIF
from synth.models import MODELS
from synth.recipe import load_recipe
from synth.sample_display import sample_digits
from synth.sample_further import sample_vacuum
from synth.sample_look import THINGS, sample_camera, sample_pose, sample_things
from synth.sample_panel import sample_row
from synth.sampler import reading_order, sample_scene
from synth.scene import GaugeScene, Placed
from synth.spec import DialSpec, Scale, polar
from vision.fields import GaugeFields

CLOSE, SCENE = load_recipe("close"), load_recipe("scene")


@lru_cache(maxsize=1)
def close_scenes() -> tuple[GaugeScene, ...]:
    return tuple(sample_scene(np.random.default_rng(seed), CLOSE) for seed in range(1200))


def dials() -> list[DialSpec]:
    return [p.spec for s in close_scenes() for p in s.instruments if isinstance(p.spec, DialSpec)]


def test_kinds_follow_their_weights() -> None:
    names = Counter(type(p.spec).__name__ for s in close_scenes() for p in s.instruments)
    total = sum(names.values())
    assert 0.62 < names["DialSpec"] / total < 0.82
    assert 0.08 < names["DigitalSpec"] / total < 0.19
    assert 0.03 < names["LampSpec"] / total < 0.12
    assert 0.03 < names["SelectorSpec"] / total < 0.12
    assert 0.005 < names["CounterSpec"] / total < 0.05


@pytest.mark.parametrize(
    ("what", "low", "high"),
    [
        ("second", 0.1, 0.35),
        ("zones", 0.2, 0.5),
        ("counter-clockwise", 0.01, 0.06),
        ("non-linear", 0.04, 0.16),
        ("hands", 0.1, 0.3),
        ("no unit", 0.05, 0.15),
        ("at rest", 0.08, 0.22),
        ("dark face", 0.15, 0.4),
        ("pivot off centre", 0.15, 0.5),
        ("rotated numerals", 0.05, 0.2),
    ],
)
def test_faces_vary_as_asked(what: str, low: float, high: float) -> None:
    tests = {
        "second": lambda d: d.second is not None,
        "zones": lambda d: bool(d.zones),
        "counter-clockwise": lambda d: not d.scale.clockwise,
        "non-linear": lambda d: not d.scale.is_linear,
        "hands": lambda d: any(not h.marker for h in d.hands),
        "no unit": lambda d: d.scale.unit is None,
        "at rest": lambda d: d.fraction <= 0.005,
        "dark face": lambda d: luma(d.face_color) < 90,
        "pivot off centre": lambda d: math.hypot(*d.pivot) > 5,
        "rotated numerals": lambda d: d.art.numerals_rotated,
    }
    share = float(np.mean([tests[what](d) for d in dials()]))
    assert low < share < high, f"{what}: {share:.3f}"


def test_the_unit_is_printed_where_the_truth_states_it() -> None:
    for dial in dials():
        texts = " | ".join(line.text for line in dial.prints)
        if dial.scale.unit is None:
            assert dial.scale.unit_text is None
        else:
            assert dial.scale.unit_text is not None
            declared = {line.declares for line in dial.prints}
            assert dial.scale.unit_text in texts or dial.scale.unit in declared
        if dial.scale.multiplier is not None:
            assert f"x{dial.scale.multiplier:g}" in texts


def test_needles_stand_out_and_reach_towards_the_scale() -> None:
    for dial in dials():
        color, face = np.array(dial.needle.color), np.array(dial.face_color)
        assert np.abs(color.astype(int) - face).max() > 35
        assert 0.4 * dial.art.radius < dial.needle.length < 1.1 * dial.art.radius
        assert dial.needle.tail < 0.7 * dial.needle.length, "the tip must be farther from the pivot than the tail"


def test_measuring_needle_and_hands_differ_in_colour() -> None:
    for dial in dials():
        for hand in dial.hands:
            if not hand.marker:
                away = np.abs(np.array(hand.needle.color, int) - np.array(dial.needle.color, int)).max()
                assert away > 45


def test_numerals_lie_on_the_face() -> None:
    from synth.dial import numerals

    outside = total = 0
    for dial in dials():
        half, tall = 100 - dial.case.bezel, 100 * dial.case.aspect - dial.case.bezel
        for number in numerals(dial.scale, dial.art, dial.pivot):
            total += 1
            x, y = number.center
            inside = abs(x) < half and abs(y) < tall if dial.case.shape == "square" else math.hypot(x, y) < half
            outside += not inside
    assert outside < 0.01 * total


def test_scale_ends_lie_on_the_face() -> None:
    for dial in dials():
        for fraction in (0.0, 1.0):
            x, y = polar(dial.pivot, dial.art.radius, dial.scale.angle_at(fraction))
            assert max(abs(x), abs(y)) < 112


def test_signs_of_compound_scales_are_mostly_printed() -> None:
    compound = [d for d in dials() if d.scale.minimum < 0 < d.scale.maximum]
    assert compound
    assert float(np.mean([d.art.unsigned for d in compound])) < 0.35


def test_vacuum_side_joins_at_zero() -> None:
    scale = Scale(0, 150, 30, 5, 45, 270, unit="psi", unit_text="psi")
    right, left = sample_vacuum(np.random.default_rng(1), scale)
    assert left is not None
    assert left.unit == "inHg"
    assert left.start_deg == 45
    assert left.end_deg == pytest.approx(right.start_deg)
    assert right.end_deg == pytest.approx(315)
    assert right.minimum == 0
    assert left.maximum == 0
    same, none = sample_vacuum(np.random.default_rng(1), Scale(0, 100, 20, 5, 45, 270, unit="°C"))
    assert none is None
    assert same.sweep_deg == 270


@given(st.integers(0, 10**6))
@settings(max_examples=200, deadline=None)
def test_digits_are_valid_readouts(seed: int) -> None:
    digits = sample_digits(np.random.default_rng(seed))
    assert GaugeFields(kind="digital", digital_readout=digits).digital_readout == digits
    float(digits)


def test_digits_have_signs_points_and_leading_zeros() -> None:
    texts = [sample_digits(np.random.default_rng(seed)) for seed in range(800)]
    assert any(t.startswith("-") for t in texts)
    assert any("." in t for t in texts)
    assert any(t.lstrip("-").startswith("0") and len(t) > 2 and t[1] != "." for t in texts)
    assert {c for t in texts for c in t} >= set("0123456789.-")


def test_displays_vary() -> None:
    found = [p.spec for s in close_scenes() for p in s.instruments if isinstance(p.spec, DigitalSpec)]
    assert {len(d.rows) for d in found} >= {1, 2, 3}
    assert {d.led for d in found} == {True, False}
    assert any(not d.lit for d in found)
    assert any(d.bare for d in found)
    assert any(d.dots for d in found)


def test_counters_keep_their_digits() -> None:
    found = [p.spec for s in close_scenes() for p in s.instruments if isinstance(p.spec, CounterSpec)]
    for counter in found:
        assert 4 <= len(counter.digits) <= 8
        assert counter.readout.replace(".", "") == counter.digits
    assert any(c.decimals for c in found)


def test_selectors_number_their_positions_clockwise() -> None:
    for selector in (p.spec for s in close_scenes() for p in s.instruments if isinstance(p.spec, SelectorSpec)):
        assert len(selector.labels) == len(selector.angles_deg)
        assert 1 <= selector.position <= len(selector.labels) <= 5
        steps = [(b - a) % 360 for a, b in zip(selector.angles_deg, selector.angles_deg[1:], strict=False)]
        assert all(20 < step < 120 for step in steps)
        assert sum(steps) < 330


def test_lamps_are_never_grey_photos() -> None:
    for scene in close_scenes():
        if any(isinstance(p.spec, LampSpec) for p in scene.instruments):
            assert not scene.camera.gray
    assert any(s.camera.gray for s in close_scenes())


def test_model_names_are_printed_on_models_alone() -> None:
    for scene in close_scenes():
        for placed in scene.instruments:
            texts = {line.text for line in placed.spec.prints}
            named = texts & set(MODELS)
            assert named == ({placed.spec.model} if placed.spec.model else set())


def test_product_photos_hold_nothing_else() -> None:
    clean = [s for s in close_scenes() if s.background.style in ("white", "black") and s.instruments]
    assert clean
    assert all(not s.things for s in clean)


def test_poses_are_mostly_mild_and_sometimes_wild() -> None:
    poses = [sample_pose(np.random.default_rng(seed), CLOSE.pose, (0, 0), 10) for seed in range(1500)]
    tilts = np.array([p.tilt_deg for p in poses])
    rolls = np.array([p.roll_deg for p in poses])
    assert np.median(tilts) < 18
    assert (tilts > 30).mean() > 0.03
    assert tilts.max() < 66
    assert (np.abs(rolls) < 10).mean() > 0.75
    assert (np.abs(rolls) > 80).any()


def test_cameras_are_mostly_good() -> None:
    cameras = [sample_camera(np.random.default_rng(seed), CLOSE.camera, 384) for seed in range(1000)]
    assert 0.15 < np.mean([c.blur_px > 0 for c in cameras]) < 0.6
    assert 0.4 < np.mean([c.jpeg_quality > 0 for c in cameras]) < 0.9
    assert all(25 <= c.jpeg_quality <= 95 for c in cameras if c.jpeg_quality)
    assert all(60 <= c.low_side <= 300 for c in cameras if c.low_side)
    assert {c.gray for c in cameras} == {True, False}


def test_look_alikes_are_of_every_kind() -> None:
    kinds = Counter(t.thing.kind for t in sample_things(np.random.default_rng(0), 384, 400))
    assert set(kinds) == set(THINGS)


def test_groups_stay_on_their_panel() -> None:
    for seed in range(40):
        placed, panel = sample_row(np.random.default_rng(seed), SCENE)
        assert 2 <= len(placed) <= 4
        assert len({type(p.spec) for p in placed}) == 1
        for one in placed:
            assert abs(one.pose.offset[0]) + 100 * one.pose.scale < panel.half_width + 8
            assert abs(one.pose.offset[1]) + 100 * one.pose.scale < panel.half_height + 8


def test_reading_order_starts_with_the_main_one() -> None:
    spec = next(d for d in dials() if d.case.shape == "round" and not d.case.flange)
    from synth.scene import Pose

    small = [Placed(spec, Pose((x, y), 20)) for x, y in ((300, 40), (60, 50), (60, 330))]
    big = Placed(spec, Pose((200, 200), 90))
    ordered = reading_order([small[0], small[2], big, small[1]], 384)
    assert ordered[0] is big
    assert ordered[1:] == [small[1], small[0], small[2]]
    assert reading_order([], 384) == []


def test_helpers_draw_what_they_say() -> None:
    rng = np.random.default_rng(0)
    counts = Counter(weighted(rng, {"a": 3.0, "b": 1.0, "c": 0.0}) for _ in range(2000))
    assert counts["c"] == 0
    assert counts["a"] / counts["b"] == pytest.approx(3, rel=0.2)
    assert sum(chance(rng, 0.25) for _ in range(2000)) == pytest.approx(500, rel=0.15)
    assert pick(rng, ("only",)) == "only"
    assert all(0 <= c <= 255 for _ in range(100) for c in near(rng, (250, 5, 128), 30))
    assert all(90 <= luma(gray(rng, 100, 200, 2)) <= 210 for _ in range(50))


def test_words_never_name_a_model() -> None:
    rng = np.random.default_rng(0)
    texts = [words.brand(rng) for _ in range(300)] + [words.serial(rng) for _ in range(300)]
    texts += [words.small_line(rng, topic) for topic in words.TOPICS for _ in range(100)] + list(words.LAMP_LABELS)
    assert not set(texts) & set(MODELS)


def test_font_groups_are_of_known_fonts() -> None:
    assert set(SANS) | set(BOLD) | set(SERIF) <= set(PACKAGES)
    assert not set(SANS) & set(SERIF)
    assert len(SANS) > 5
    assert len(BOLD) > 5
