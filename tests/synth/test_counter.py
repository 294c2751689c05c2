"""Drum counters: the mid-roll rule, carries, small dials."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from synth.devices import CounterSpec, SubDial
from synth.sample_counter import BUILDERS, sample_counter
from synth.spec import Case, polar
from tests.synth.device_scenes import at, frontal, picture


def counter(digits: str, shift: float = 0.0, **more: object) -> CounterSpec:
    case = Case("square", 2, (200, 200, 200), "flat", 10, (90, 90, 90), 0.6, 4, recess=0.0)
    spec = CounterSpec(case, digits, 0, shift, (20, 20, 20), (245, 245, 245), (200, 30, 30), "m3", "Roboto-Medium.ttf")
    return replace(spec, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("digits", "moved"),
    [("1234", [0, 0, 0, 1]), ("1239", [0, 0, 1, 1]), ("1299", [0, 1, 1, 1]), ("9999", [1, 1, 1, 1]), ("1990", [0, 0, 0, 1])],
)
def test_only_carried_drums_roll_along(digits: str, moved: list[int]) -> None:
    assert counter(digits, 0.4).shifts == tuple(0.4 * m for m in moved)
    assert counter(digits).shifts == (0.0,) * 4


@pytest.mark.parametrize(("before", "after"), [("1234", "1235"), ("1239", "1240"), ("1299", "1300"), ("9999", "0000")])
def test_rolling_ends_at_the_next_number(before: str, after: str) -> None:
    """A drum that has rolled on by a whole step shows the next digit: the picture is continuous at the carry."""
    rolled, arrived = picture(counter(before, 0.9999)), picture(counter(after))
    assert np.abs(rolled - arrived).max() < 12
    assert np.abs(picture(counter(before)) - arrived).max() > 100


@pytest.mark.parametrize("shift", [0.0, 0.2, 0.5, 0.8, 0.95])
def test_a_drum_reads_as_its_lower_digit_until_the_next_has_arrived(shift: float) -> None:
    truth = frontal(counter("0817", shift)).truth().instruments[0]
    assert truth.fields.digital_readout == "0817"
    assert truth.value == 817
    assert truth.value_low is not None
    assert truth.value_high is not None
    assert truth.value_low <= 817
    assert truth.value_high >= min(818, 817 + shift), "the interval holds what a rolling drum stands for"


def test_decimals_are_in_the_readout() -> None:
    spec = counter("00817345", decimals=3)
    truth = frontal(spec).truth().instruments[0]
    assert truth.fields.digital_readout == "00817.345"
    assert truth.value == pytest.approx(817.345)
    assert truth.value_high == pytest.approx(817.3455)


@pytest.mark.parametrize("turn", [0.0, 0.13, 0.37, 0.5, 0.81])
def test_small_dials_point_where_the_truth_says(turn: float) -> None:
    dial = SubDial(0.0, 22.0, 22.0, "x0.1", turn)
    spec = counter("0081", subdials=(dial,), middle=-32.0)
    channel = frontal(spec).truth().instruments[0].fields.channels[0]
    assert channel.label == "x0.1"
    assert channel.color == "red"
    assert channel.pointer_angle == pytest.approx((180 + 360 * turn) % 360, abs=1e-3)
    image = picture(spec)
    strength = {}
    for angle in range(0, 360, 3):
        red, green, blue = at(image, *polar((0.0, 22.0), 22.0 * 0.6, angle))
        strength[angle] = red - max(green, blue)
    best = max(strength, key=lambda a: strength[a])
    assert abs((best - dial.pointer_deg + 180) % 360 - 180) <= 7
    assert strength[best] > 80


def test_drums_and_small_dials_agree() -> None:
    rolling = 0
    for seed in range(300):
        spec = sample_counter(np.random.default_rng(seed))
        assert 0 <= spec.shift < 1
        assert 4 <= len(spec.digits) <= 8
        if spec.subdials:
            first = spec.subdials[0].turn
            assert (spec.shift > 0) == (first > 0.9), seed
            for one, next_one in zip(spec.subdials, spec.subdials[1:], strict=False):
                assert next_one.turn == pytest.approx(one.turn * 10 % 1.0, abs=1e-6)
            rolling += spec.shift > 0
            truth = frontal(spec).truth().instruments[0]
            assert len(truth.fields.channels) == len(spec.subdials)
            assert truth.value_high == truth.value + 1  # type: ignore[operator]
    assert rolling > 2


def test_drums_fit_their_cases() -> None:
    for kind, build in BUILDERS.items():
        for seed in range(60):
            spec = build(np.random.default_rng(seed))
            wide, high = spec.drum
            half = 100 - spec.case.bezel
            assert wide * len(spec.digits) / 2 + 3 < half + 0.5, (kind, seed)
            assert abs(spec.middle) + high / 2 < 100 * spec.case.aspect, (kind, seed)
            for one in spec.subdials:
                assert np.hypot(one.x, one.y) + one.radius < half + 2, (kind, seed)
                assert one.y - one.radius > spec.middle + high / 2 - 1, (kind, seed)


def test_counters_vary() -> None:
    found = [sample_counter(np.random.default_rng(seed)) for seed in range(300)]
    assert any(c.subdials for c in found)
    assert any(c.star for c in found)
    assert any(c.red_frame for c in found)
    assert any(c.decimals for c in found)
    assert any(c.face_color[2] > c.face_color[0] + 60 for c in found), "blue faces"
    assert {c.unit for c in found} == {"m3", "kWh", None}
    assert any(sum(s > 0 for s in c.shifts) > 1 for c in found), "carries"
