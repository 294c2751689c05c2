"""Every kind of dial: a valid truth, numbers clear of each other, marks on the face, looks as the kind has them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import get_args

import numpy as np
import pytest

from synth.dial import numerals, numerals_collide, scales_collide
from synth.recipe import Recipe, load_recipe
from synth.sample_dial import KINDS, UNITS, sample_dial
from synth.sample_further import SECOND_UNITS, converted
from synth.sample_zones import arc_words, rails, wedge
from synth.scene import Background, GaugeScene, Placed, Pose
from synth.spec import DialSpec, Scale, ScaleArt
from vision.fields import angle_fraction
from vision.samples import InstrumentTruth
from vision.units import UNIT_NAMES, convert, find_unit

CLOSE = load_recipe("close")
FAMILIES = ("pressure", "thermometer", "transformer", "panel", "quadrant", "edge", "automotive", "wild")
STYLES = (*KINDS, *FAMILIES)
SEEDS = 14


@lru_cache(maxsize=64)
def dials(style: str) -> tuple[DialSpec, ...]:
    recipe = CLOSE.model_copy(update={"dial_styles": {style: 1.0}})
    return tuple(sample_dial(np.random.default_rng([seed, 11]), recipe) for seed in range(SEEDS))


def truth_of(dial: DialSpec) -> InstrumentTruth:
    scene = GaugeScene(384, 384, 1, Background("white", 0), (Placed(dial, Pose((192.0, 192.0), 170.0)),))
    return scene.truth().instruments[0]


def test_recipes_know_every_kind_and_no_other() -> None:
    known = get_args(get_args(Recipe.model_fields["dial_styles"].annotation)[0])
    assert set(known) == set(STYLES)
    for name in ("close", "scene"):
        recipe = load_recipe(name)
        assert set(recipe.dial_styles) == set(STYLES), "each kind is drawn sometimes"
        assert sum(recipe.dial_styles.values()) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("style", STYLES)
def test_every_dial_has_a_valid_truth(style: str) -> None:
    for dial in dials(style):
        truth, scale = truth_of(dial), dial.scale
        fields = truth.fields
        assert fields.pointer_angle is not None
        assert fields.start_angle is not None
        assert fields.end_angle is not None
        assert fields.clockwise is not None
        assert truth.value is not None
        assert truth.value_low is not None
        assert truth.value_high is not None
        seen = angle_fraction(fields.pointer_angle, fields.start_angle, fields.end_angle, fields.clockwise)
        assert scale.value_at(seen) == pytest.approx(truth.value, abs=2e-3 * scale.span), "value is the scale's at the angle"
        assert truth.value_low < truth.value < truth.value_high
        assert (fields.scale_min, fields.scale_max) == (scale.minimum, scale.maximum)
        assert bool(fields.scale_points) != scale.is_linear
        assert len(fields.scale_points) <= 32
        for point in fields.scale_points:
            at = angle_fraction(point.angle, fields.start_angle, fields.end_angle, fields.clockwise)
            assert scale.value_at(at) == pytest.approx(point.value, abs=2e-3 * scale.span)
        further = [c for c in fields.channels if c.label in ("second scale", "third scale")]
        assert [c.unit for c in further] == [s.unit for s, _ in dial.further_scales]


@pytest.mark.parametrize("style", STYLES)
def test_numbers_never_touch_and_lie_on_the_face(style: str) -> None:
    for dial in dials(style):
        half, tall = 100 - dial.case.bezel, 100 * dial.case.aspect - dial.case.bezel
        for scale, art in ((dial.scale, dial.art), *dial.further_scales):
            assert not numerals_collide(scale, art, 0.0)
            printed = numerals(scale, art, dial.pivot)
            assert len(printed) >= 2
            assert [n.value for n in printed] == sorted(n.value for n in printed)
            for number in printed:
                x, y = number.center
                inside = abs(x) < half and abs(y) < tall if dial.case.shape == "square" else math.hypot(x, y) < half
                assert inside, f"{style}: {number.text} at {number.center}"
                assert abs(float(number.text.replace(",", "."))) == pytest.approx(abs(number.value), abs=1e-6)
                near = min(abs(number.value - tick) for tick in scale.ticks())
                assert near < 1e-6 * scale.span + 1e-9, "numbers stand at ticks"


@pytest.mark.parametrize("style", STYLES)
def test_scales_are_as_their_units_have_them(style: str) -> None:
    for dial in dials(style):
        for scale, art in ((dial.scale, dial.art), *dial.further_scales):
            assert 20 <= scale.sweep_deg <= 352
            assert scale.unit is None or (scale.unit in UNIT_NAMES and find_unit(scale.unit_text or "") == scale.unit)
            assert 3 <= len(scale.ticks()) <= 260
            assert art.numeral_size >= 2.0
            assert art.radius > art.major_length
        assert all(-0.01 <= z.start < z.end <= 1.01 for z in dial.zones if z.end - z.start > 0.02)
        assert all(0 < zone.inner < zone.outer for zone in dial.zones)


@pytest.mark.parametrize("style", STYLES)
def test_the_same_seed_gives_the_same_dial(style: str) -> None:
    recipe = CLOSE.model_copy(update={"dial_styles": {style: 1.0}})
    for seed in (3, 4):
        assert sample_dial(np.random.default_rng([seed, 11]), recipe) == dials(style)[seed]


def test_kinds_look_as_they_should() -> None:
    assert all(d.scale.minimum == -d.scale.maximum for d in dials("differential"))
    assert all(d.scale.maximum == 0 for d in dials("vacuum"))
    compound = dials("compound")
    assert all(d.scale.minimum < 0 < d.scale.maximum or d.second is not None for d in compound)
    assert all(len(d.zones) >= 2 for d in dials("status") + dials("contact"))
    assert all(d.scale.exponent > 1 for d in dials("flow"))
    assert all(d.scale.logarithmic for d in dials("logarithmic"))
    assert all(d.scale.knots and d.scale.minimum == 0 for d in dials("airspeed"))
    assert any(d.scale.knots for d in dials("oven"))
    assert any(d.scale.knots for d in dials("moving_iron"))
    assert any(d.scale.exponent > 1 for d in dials("moving_iron"))
    assert any(d.scale.multiplier == 1000 for d in dials("tachometer"))
    assert any(not d.scale.clockwise for d in dials("gas"))
    assert any(len(set(d.art.sizes)) > 1 for d in dials("gas"))
    everything = [d for style in STYLES for d in dials(style)]
    assert any(d.third is not None for d in everything)
    assert any(d.art.plus for d in everything)
    assert any(d.art.numeral_radius > d.art.radius for d in everything)
    assert any(d.art.short for d in everything)
    assert any(d.art.accent_from is not None for d in everything)


def test_further_scales_say_the_same_pressure() -> None:
    for unit, others in SECOND_UNITS.items():
        for other, factor in others:
            if unit not in ("°C", "°F"):
                assert convert(1.0, unit, other) == pytest.approx(factor, rel=2e-3), f"{unit} to {other}"
    scale = Scale(0, 10, 2, 5, 45, 270, unit="bar", unit_text="bar")
    second = converted(np.random.default_rng(0), scale, "psi", 14.5038)
    for value in (0.0, 3.0, 10.0):
        angle = scale.angle_at(scale.fraction_of(value))
        assert second.angle_at(second.fraction_of(value * 14.5038)) == pytest.approx(angle, abs=1e-6)
    warm = Scale(-20, 120, 20, 10, 45, 270, unit="°C", unit_text="°C")
    fahrenheit = converted(np.random.default_rng(0), warm, "°F", 1.8)
    for value in (0.0, 100.0):
        there = fahrenheit.angle_at(fahrenheit.fraction_of(value * 1.8 + 32))
        assert there == pytest.approx(warm.angle_at(warm.fraction_of(value)), abs=1e-6)


def test_second_and_third_scales_keep_to_the_first_ones_angles() -> None:
    found = 0
    for dial in dials("pressure") + dials("compound") + dials("vacuum") + dials("barometer") + dials("speedometer"):
        for scale, _ in dial.further_scales:
            if dial.scale.unit is None or scale.unit is None or dial.scale.unit[0] == "°" or scale.maximum == 0.0:
                continue
            found += 1
            for value in scale.majors():
                own = convert(value, scale.unit, dial.scale.unit)
                turn = (scale.angle_at(scale.fraction_of(value)) - dial.scale.angle_at(dial.scale.fraction_of(own))) % 360
                assert min(turn, 360 - turn) < 0.02 * scale.sweep_deg
    assert found > 10


def test_bands_and_words_follow_the_scale() -> None:
    scale = Scale(960, 1060, 10, 10, 45, 270)
    art = ScaleArt(90, 10, 5, 2, 1, 70, 12, (0, 0, 0), "Roboto-Regular.ttf")
    (line,) = arc_words(scale, ((960, 1060, "CHANGE"),), 50, 8, art.font, (0, 0, 0), (1.0, 2.0))
    assert line.angle_deg == pytest.approx(180)
    assert (line.x, line.y, line.curve) == (1.0, 2.0, 50)
    assert arc_words(scale, ((1000, 1001, "MUCH TOO LONG FOR THAT"),), 50, 8, art.font, (0, 0, 0), (0, 0)) == ()
    double = rails(np.random.default_rng(1), scale, art)
    assert {(z.start, z.end) for z in double[:2]} == {(0.0, 1.0)}
    pieces = wedge(scale, 50, 10, (0, 0, 0))
    widths = [z.outer - z.inner for z in pieces]
    assert widths == sorted(widths)
    assert pieces[-1].end == pytest.approx(1.0, abs=0.01)


def test_families_have_units() -> None:
    for units in UNITS.values():
        assert set(units) <= set(UNIT_NAMES)
        assert sum(units.values()) == pytest.approx(1.0, abs=0.02)


def test_numbers_of_different_scales_stay_apart() -> None:
    touching = total = 0
    for style in ("pressure", "compound", "vacuum", "thermometer", "barometer", "speedometer"):
        for dial in dials(style):
            pairs = ((dial.scale, dial.art), *dial.further_scales)
            for index, pair in enumerate(pairs):
                total += len(pairs) - index - 1
                touching += sum(scales_collide(pair, other, 0.0) for other in pairs[index + 1 :])
    assert total > 20
    assert touching == 0


def test_words_over_the_scale_stand_where_no_second_scale_does() -> None:
    found = 0
    for style in ("barometer", "oven", "hygrometer"):
        for dial in dials(style):
            words = [line for line in dial.prints if line.text in ("STORM", "STORMY", "CHANGE", "COMFORT", "MEDIUM", "IDEAL")]
            found += len(words)
            if dial.second is not None:
                assert not any(line.text in ("STORM", "STORMY", "CHANGE") and line.curve for line in words)
    assert found > 3
