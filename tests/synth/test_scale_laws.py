"""Laws of scales: exact inverses, monotone angles, ticks within the ends, whatever the law."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.dial import marks, number_text, numeral_text, numerals, numerals_collide, printed_values
from synth.errors import SpecError
from synth.scale import Scale
from synth.spec import ScaleArt

ART = ScaleArt(90, 10, 5, 2, 1, 70, 12, (0, 0, 0), "Roboto-Regular.ttf")
OVERLOAD = Scale(0, 400, 50, 5, 90, 90, unit="A", printed=(0, 50, 100, 150, 200, 400), parts=(5, 5, 5, 5, 1))


@st.composite
def knots(draw: st.DrawFn) -> tuple[tuple[float, float], ...]:
    count = draw(st.integers(0, 5))
    parts, fractions = (sorted(draw(st.lists(st.integers(1, 99), min_size=count, max_size=count, unique=True))) for _ in range(2))
    return ((0.0, 0.0), *((p / 100, f / 100) for p, f in zip(parts, fractions, strict=True)), (1.0, 1.0))


@st.composite
def scales(draw: st.DrawFn) -> Scale:
    law = draw(st.sampled_from(["linear", "power", "log", "knots"]))
    low, high = draw(st.sampled_from([(0.0, 10.0), (-1.0, 15.0), (50.0, 300.0), (-760.0, 0.0)]))
    if law == "log":
        low, high = draw(st.sampled_from([(1.0, 100.0), (0.001, 1.0), (20.0, 20000.0)]))
    return Scale(
        low,
        high,
        (high - low) / 5,
        draw(st.sampled_from([1, 2, 4, 5, 10])),
        draw(st.floats(0, 359)),
        draw(st.floats(60, 340)),
        clockwise=draw(st.booleans()),
        exponent=draw(st.floats(0.5, 2.5)) if law == "power" else 1.0,
        logarithmic=law == "log",
        knots=draw(knots()) if law == "knots" else (),
    )


@given(scales(), st.floats(-0.1, 1.1))
@settings(max_examples=400, deadline=None)
def test_values_and_fractions_are_exact_inverses(scale: Scale, fraction: float) -> None:
    # A scale that starts flat (exponent 0.5) from a value far from 0: a double's last digit there is 1e-8 of the sweep.
    assert scale.fraction_of(scale.value_at(fraction)) == pytest.approx(fraction, abs=1e-9 if scale.exponent >= 1 else 1e-7)


@given(scales())
@settings(max_examples=200, deadline=None)
def test_the_ends_are_the_ends(scale: Scale) -> None:
    assert scale.fraction_of(scale.minimum) == pytest.approx(0, abs=1e-12)
    assert scale.fraction_of(scale.maximum) == pytest.approx(1, abs=1e-12)
    assert scale.value_at(0.0) == pytest.approx(scale.minimum)
    assert scale.value_at(1.0) == pytest.approx(scale.maximum)
    assert scale.angle_at(0.0) == pytest.approx(scale.start_deg)


@given(scales(), st.lists(st.floats(-0.1, 1.1), min_size=3, max_size=8, unique=True))
@settings(max_examples=200, deadline=None)
def test_values_grow_along_the_sweep(scale: Scale, fractions: list[float]) -> None:
    ordered = sorted(fractions)
    values = [scale.value_at(f) for f in ordered]
    for (one, two), (a, b) in zip(itertools.pairwise(values), itertools.pairwise(ordered), strict=True):
        assert two >= one
        assert two > one or b - a < 1e-6, "closer places than this may share a value where the scale starts flat"


@given(scales())
@settings(max_examples=200, deadline=None)
def test_ticks_increase_within_the_ends(scale: Scale) -> None:
    ticks = scale.ticks()
    assert all(b > a for a, b in itertools.pairwise(ticks))
    assert ticks[0] == pytest.approx(scale.minimum)
    assert ticks[-1] == pytest.approx(scale.maximum)
    majors = [tick.value for tick in scale.graduations() if tick.rank == 2]
    assert majors == pytest.approx(scale.majors())
    turns = [(math.degrees(math.atan2(-m.outer[0], m.outer[1])) - scale.start_deg) % 360 for m in marks(scale, ART, (0, 0))]
    turned = [t if scale.clockwise else -t % 360 for t in turns]
    assert all(min(t, abs(t - 360)) <= scale.sweep_deg + 1e-6 or t <= scale.sweep_deg + 1e-6 for t in turned)


@given(scales(), st.floats(0, 1))
@settings(max_examples=200, deadline=None)
def test_the_step_at_a_value_is_that_of_its_ticks(scale: Scale, fraction: float) -> None:
    value, ticks = scale.value_at(fraction), scale.ticks()
    step = scale.step_at(value)
    assert any(b - a == step and a - 1e-9 <= value <= b + 1e-9 for a, b in itertools.pairwise(ticks)) or value >= ticks[-1]
    assert scale.spread_at(fraction, 0.01) > 0


def test_a_linear_scale_spreads_evenly() -> None:
    scale = Scale(0, 120, 20, 10, 30, 300)
    assert scale.is_linear
    assert scale.spread_at(0.5, 0.01) == pytest.approx(1.2)
    assert scale.step_at(57) == pytest.approx(2)
    assert scale.step_at(-5) == scale.step_at(500) == pytest.approx(2)


def test_square_root_flow() -> None:
    scale = Scale(0, 10, 1, 2, 45, 270, exponent=2.0)
    assert not scale.is_linear
    assert scale.fraction_of(7.0710678) == pytest.approx(0.5)
    assert scale.spread_at(0.9, 0.01) < scale.spread_at(0.1, 0.01), "the scale opens towards its end"


def test_logarithmic_decades() -> None:
    scale = Scale(1, 1000, 1, 10, 135, 90, logarithmic=True)
    assert scale.majors() == (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
    assert scale.fraction_of(10) == pytest.approx(1 / 3)
    assert {2.0, 3.0, 4.0, 6.0, 9.0, 30.0, 900.0} <= {round(t, 6) for t in scale.ticks()}
    assert Scale(0.01, 1, 1, 1, 135, 90, logarithmic=True).majors() == (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def test_compressed_overload_range() -> None:
    scale = replace(OVERLOAD, knots=((0.0, 0.0), (0.5, 0.85), (1.0, 1.0)))
    assert scale.fraction_of(200) == pytest.approx(0.85)
    assert scale.value_at(0.925) == pytest.approx(300)
    assert scale.majors() == (0, 50, 100, 150, 200, 400)
    assert scale.step_at(30) == pytest.approx(10)
    assert scale.step_at(300) == pytest.approx(200)
    assert len(scale.ticks()) == 22


def test_a_short_first_interval() -> None:
    scale = Scale(0, 600, 150, 5, 45, 270, printed=(0, 150, 300, 450, 600), knots=((0.0, 0.0), (0.25, 0.08), (1.0, 1.0)))
    angles = [scale.angle_at(scale.fraction_of(v)) for v in scale.majors()]
    first, *rest = (b - a for a, b in itertools.pairwise(angles))
    assert first < 0.3 * min(rest)
    assert max(rest) == pytest.approx(min(rest))


@pytest.mark.parametrize(
    "wrong",
    [
        {"minimum": 10.0, "maximum": 10.0},
        {"minimum": 0.0, "logarithmic": True},
        {"knots": ((0.0, 0.0), (0.5, 0.4), (0.5, 0.8), (1.0, 1.0))},
        {"knots": ((0.1, 0.0), (1.0, 1.0))},
        {"knots": ((0.0, 0.0), (0.6, 1.0), (1.0, 1.0))},
        {"printed": (0.0, 5.0, 3.0)},
        {"printed": (0.0,)},
        {"parts": (5, 5)},
    ],
)
def test_scales_that_contradict_themselves_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        replace(Scale(0.0, 10.0, 2.0, 5, 45, 270), **wrong)  # type: ignore[arg-type]


def test_ranks_of_ticks() -> None:
    ranks = [tick.rank for tick in Scale(0, 2, 1, 10, 45, 270).graduations()]
    assert ranks == [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2]
    assert {tick.rank for tick in Scale(0, 2, 1, 5, 45, 270).graduations()} == {0, 2}


def test_end_ticks_can_be_longer() -> None:
    art = replace(ART, end_extra=4.0)
    lengths = [math.dist(m.outer, m.inner) for m in marks(Scale(0, 10, 2, 5, 45, 270), art, (0, 0))]
    assert (lengths[0], lengths[-1]) == pytest.approx((14, 14))
    assert max(lengths[1:-1]) == pytest.approx(10)


@pytest.mark.parametrize(
    ("value", "art", "text"),
    [
        (1.0, ART, "1.0"),
        (1.0, replace(ART, short=True), "1"),
        (0.5, replace(ART, short=True), "0.5"),
        (0.5, replace(ART, plus=True), "+0.5"),
        (0.0, replace(ART, plus=True), "0"),
        (-0.5, replace(ART, plus=True), "-0.5"),
        (-0.5, replace(ART, unsigned=True, short=True), "0.5"),
    ],
)
def test_how_numbers_are_printed(value: float, art: ScaleArt, text: str) -> None:
    assert numeral_text(value, Scale(-1, 1, 0.5, 5, 45, 270), art) == text


def test_numbers_of_their_own_sizes_and_colours() -> None:
    art = replace(ART, numerals_at=(0.0, 4.0, 10.0), sizes=(1.5, 0.5, 1.5), accent_from=4.0, accent_color=(200, 0, 0))
    found = numerals(Scale(0, 10, 2, 5, 45, 270), art, (0, 0))
    assert [n.value for n in found] == [0, 4, 10]
    assert [n.size for n in found] == pytest.approx([18, 6, 18])
    assert [n.color for n in found] == [(0, 0, 0), (200, 0, 0), (200, 0, 0)]


def test_numbers_keep_their_gap_to_the_ticks() -> None:
    scale, art = Scale(0, 1000, 200, 5, 45, 270), replace(ART, numeral_gap=2.0)
    away = {n.text: math.hypot(*n.center) for n in numerals(scale, art, (0, 0))}
    assert away["400"] > away["200"], "a number beside its tick is wide, one under its tick is low"
    outside = replace(art, numeral_radius=95.0)
    assert all(math.hypot(*n.center) > 92 for n in numerals(scale, outside, (0, 0)))
    rotated = replace(art, numerals_rotated=True)
    radii = [math.hypot(*n.center) for n in numerals(scale, rotated, (0, 0))]
    assert max(radii) == pytest.approx(min(radii))


def test_collisions_are_seen() -> None:
    scale = Scale(0, 100, 2, 1, 45, 270)
    assert numerals_collide(scale, ART)
    assert not numerals_collide(scale, replace(ART, numeral_every=10))
    assert not numerals_collide(scale, replace(ART, numeral_size=2.0))


def test_crowded_parts_go_without_numbers() -> None:
    values = printed_values(Scale(0, 100, 5, 1, 45, 270, exponent=2.5), ART)
    assert values[0] == 0
    assert values[-1] == 100
    assert len([v for v in values if v < 40]) < len([v for v in values if v > 60])
    decades = printed_values(Scale(0.01, 100, 1, 10, 135, 90, logarithmic=True), ART)
    assert decades == (0.01, 0.1, 1.0, 10.0, 100.0), "the same leads in every decade"


def test_full_circles_print_no_last_number() -> None:
    assert 360 not in printed_values(Scale(0, 360, 30, 3, 180, 359), ART)
    assert number_text(0.3, 0.1) == "0.3"
