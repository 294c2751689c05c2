"""The numeral witness on laid-out faces: right where the numbers support a scale, silent where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.vision.dial_layouts import PIVOT, RED, at_angle, face, linear, needle_at, printed, tilt
from vision.numerals import NumeralError, PrintedText
from vision.scale_view import DialGeometry
from vision.scale_witness import ScaleWitness, read_scale


def within(witness: ScaleWitness, truth: float) -> bool:
    assert witness.value_low is not None
    assert witness.value_high is not None
    return witness.value_low <= truth <= witness.value_high


def read_value(texts: list[PrintedText], geometry: DialGeometry) -> float:
    witness = read_scale(texts, geometry)
    assert witness.value is not None, witness.reason
    assert within(witness, witness.value)
    return witness.value


PRESSURE = linear(0, 10, 45, 270)


def test_a_plain_dial_is_read() -> None:
    witness = read_scale(face(PRESSURE, range(0, 11, 2)), needle_at(PRESSURE(3.3)))
    assert witness.value == pytest.approx(3.3, abs=0.05)
    assert witness.clockwise is True
    assert witness.linear
    assert witness.confidence > 0.9
    assert [point.value for point in witness.scale_points] == [0, 2, 4, 6, 8, 10]
    assert witness.scale_points[0].angle_deg == pytest.approx(45, abs=0.5)
    assert {numeral.text for numeral in witness.numerals} == {"0", "2", "4", "6", "8", "10"}


def test_only_the_place_among_the_numerals_counts_not_which_way_is_up() -> None:
    for roll in (90.0, 180.0, 270.0):
        turned = linear(0, 10, 45 + roll, 270)
        assert read_value(face(turned, range(0, 11, 2)), needle_at(turned(7.1))) == pytest.approx(7.1, abs=0.05)


def test_counter_clockwise_scale() -> None:
    volume = linear(0, 400, 300, -240)
    witness = read_scale(face(volume, range(0, 401, 100)), needle_at(volume(130)))
    assert witness.value == pytest.approx(130, abs=4)
    assert witness.clockwise is False


def test_a_lost_zero_and_a_numeral_under_the_needle_do_not_matter() -> None:
    texts = face(PRESSURE, [2, 6, 8, 10])
    assert read_value(texts, needle_at(PRESSURE(4.1))) == pytest.approx(4.1, abs=0.1)
    assert read_value(texts, needle_at(PRESSURE(0.9))) == pytest.approx(0.9, abs=0.15)


def test_where_another_scale_goes_on_the_first_one_is_not_drawn_out() -> None:
    """A compound gauge: 30 to 0 inHg to the left, 0 to 20 psi to the right, of other steps."""
    vacuum = linear(30, 0, 60, 120)
    pressure = linear(0, 20, 180, 110)
    texts = [*face(vacuum, [30, 20, 10, 0]), *face(pressure, [10, 20])]
    assert read_value(texts, needle_at(vacuum(14.0))) == pytest.approx(14.0, abs=0.5)
    witness = read_scale(texts, needle_at(pressure(7.0)))
    assert witness.value is None or witness.value == pytest.approx(7.0, abs=0.5)
    alone = read_scale(texts[:4], needle_at(pressure(4.0)))
    assert alone.value is not None


def test_numbers_of_another_ring_do_not_end_a_scale() -> None:
    inner = face(linear(0, 100, 45, 270), [90, 100], radius=120.0)
    texts = [*face(PRESSURE, [2, 4, 6, 8]), *inner]
    assert read_value(texts, needle_at(PRESSURE(8.6))) == pytest.approx(8.6, abs=0.2)


def test_two_decimal_numbers_of_which_one_lost_its_point() -> None:
    texts = face(linear(0, 5, 135, 90), [0, 2.5, 5], label=lambda value: {0: "0", 2.5: "25", 5: "5,0"}[value])
    assert read_value(texts, needle_at(linear(0, 5, 135, 90)(1.05))) == pytest.approx(1.05, abs=0.1)


def test_far_beyond_the_numerals_it_abstains_unless_the_end_is_known() -> None:
    texts = face(PRESSURE, [4, 6, 8, 10])
    witness = read_scale(texts, needle_at(PRESSURE(0.4)))
    assert witness.value is None
    assert witness.reason is not None
    assert "beyond" in witness.reason
    known = read_scale(texts, needle_at(PRESSURE(0.4), ends=(45.0, 315.0)))
    assert known.value == pytest.approx(0.4, abs=0.4)
    assert known.confidence < 0.8


@pytest.mark.parametrize(("read_as", "value"), [("O", 0.0), ("0,2", 0.2), ("04", 0.4), ("0.6", 0.6), ("08", 0.8), ("1.O", 1.0)])
def test_ocr_habits_on_one_numeral(read_as: str, value: float) -> None:
    scale = linear(0, 1, 45, 270)
    texts = [t for t in face(scale, [0, 0.2, 0.4, 0.6, 0.8, 1.0]) if t.text != f"{value:g}"]
    texts.append(printed(read_as, at_angle(scale(value), 200)))
    witness = read_scale(texts, needle_at(scale(value) + 3))
    assert witness.value == pytest.approx(value + 3 / 270, abs=0.02)
    assert value in [numeral.value for numeral in witness.numerals]


def test_a_wrong_decimal_is_dropped() -> None:
    scale = linear(0, 1, 45, 270)
    texts = [*face(scale, [0, 0.2, 0.6, 0.8, 1.0]), printed("0.04", at_angle(scale(0.4), 200))]
    assert read_value(texts, needle_at(scale(0.41))) == pytest.approx(0.41, abs=0.02)


def test_unprinted_minus_signs_of_a_centre_zero_scale() -> None:
    scale = linear(-10, 10, 90, 180)
    texts = face(scale, range(-10, 11, 5), label=lambda value: f"{abs(value):g}")
    witness = read_scale(texts, needle_at(scale(-3)))
    assert witness.value == pytest.approx(-3, abs=0.3)
    assert witness.clockwise is True


def test_lost_minus_of_a_single_numeral() -> None:
    scale = linear(-1, 4, 45, 270)
    texts = face(scale, range(-1, 5), label=lambda value: f"{abs(value):g}")
    assert read_value(texts, needle_at(scale(-0.4))) == pytest.approx(-0.4, abs=0.1)


def test_a_tick_read_as_minus_is_no_minus() -> None:
    texts = [*face(PRESSURE, [0, 2, 4, 8, 10]), printed("-6", at_angle(PRESSURE(6), 200))]
    witness = read_scale(texts, needle_at(PRESSURE(5.5)))
    assert witness.value == pytest.approx(5.5, abs=0.1)
    assert 6.0 in [numeral.value for numeral in witness.numerals]


def test_vacuum_scale_without_minus_signs_is_negative() -> None:
    scale = linear(-30, 0, 45, 270)
    texts = [*face(scale, range(-30, 1, 5), label=lambda value: f"{abs(value):g}"), printed("inHg", (300, 380))]
    witness = read_scale(texts, needle_at(scale(-12)))
    assert witness.value == pytest.approx(-12, abs=0.4)
    assert witness.unit == "inHg"
    assert witness.clockwise is True


def test_compound_dial_reads_the_half_the_needle_is_in() -> None:
    vacuum, pressure = linear(-30, 0, 45, 90), linear(0, 150, 135, 180)
    texts = face(vacuum, [-30, -20, -10], label=lambda value: f"{abs(value):g}") + face(pressure, range(0, 151, 30))
    texts += [printed("inHg", at_angle(70, 110)), printed("psi", at_angle(290, 110)), printed("vac", at_angle(80, 90))]
    witness = read_scale(texts, needle_at(pressure(72)))
    assert witness.value == pytest.approx(72, abs=2)
    assert witness.unit == "psi"
    below = read_scale(texts, needle_at(vacuum(-15)))
    assert below.value is None or (below.unit == "inHg" and below.value == pytest.approx(-15, abs=1))


def test_dual_scale_keeps_families_and_units_apart() -> None:
    psi, kpa = linear(0, 100, 45, 270), linear(0, 689.476, 45, 270)
    texts = face(psi, range(0, 101, 20), radius=220) + face(kpa, range(0, 601, 100), radius=140, height=18, color=RED)
    texts += [printed("psi", (300, 500)), printed("kPa", (300, 460), color=RED)]
    witness = read_scale(texts, needle_at(psi(29)))
    assert witness.unit in ("psi", "kPa")
    assert witness.value == pytest.approx(29 if witness.unit == "psi" else 200, rel=0.03)
    other = witness.others[0]
    assert other.value == pytest.approx(200 if witness.unit == "psi" else 29, rel=0.03)
    assert {witness.unit, other.unit} == {"psi", "kPa"}
    assert witness.confidence > 0.95


def test_units_of_a_dual_scale_go_by_ratio_even_if_their_looks_are_swapped() -> None:
    celsius, fahrenheit = linear(-40, 60, 45, 270), linear(-40, 140, 45, 270)
    texts = face(celsius, range(-40, 61, 20), radius=220) + face(fahrenheit, range(-20, 141, 40), radius=140, color=RED)
    texts += [printed("°C", (300, 470), color=RED), printed("°F", (300, 510))]
    witness = read_scale(texts, needle_at(celsius(25)))
    assert witness.value == pytest.approx({"°C": 25, "°F": 77}[witness.unit or ""], abs=2)


def test_a_unit_that_is_not_printed_is_none() -> None:
    assert read_scale(face(PRESSURE, range(0, 11, 2)), needle_at(PRESSURE(3))).unit is None


def test_multiplier_belongs_to_the_unit() -> None:
    texts = [*face(linear(0, 8, 45, 270), range(9)), printed("x1000 r/min", (300, 420))]
    witness = read_scale(texts, needle_at(linear(0, 8, 45, 270)(3.2)))
    assert witness.value == pytest.approx(3.2, abs=0.05)
    assert witness.multiplier == 1000
    assert witness.printed_unit == "x1000 r/min"


def test_a_conversion_note_is_no_unit() -> None:
    texts = [*face(PRESSURE, range(0, 11, 2)), printed("bar", (300, 400)), printed("MPa=bar x0.1", (300, 430), height=12)]
    assert read_scale(texts, needle_at(PRESSURE(3))).printed_unit == "bar"


def test_serials_dates_and_class_marks_are_left_alone() -> None:
    junk = [
        printed("1.6", (300, 420), height=12),
        printed("20181104", (300, 440), height=12),
        printed("11:52:10", (120, 40)),
        printed("EN 837-1", (300, 260), height=12),
        printed("316L", (330, 350), height=12),
        printed("No.4711", (270, 460), height=12),
    ]
    witness = read_scale([*face(PRESSURE, range(0, 11, 2)), *junk], needle_at(PRESSURE(6.4)))
    assert witness.value == pytest.approx(6.4, abs=0.1)
    assert len(witness.numerals) == 6


def test_a_result_stamped_on_the_face_is_no_numeral() -> None:
    scale = linear(0, 1, 45, 270)
    texts = [*face(scale, [0.2, 0.4, 0.6, 1]), printed("0.8049", at_angle(scale(0.8), 190))]
    assert read_value(texts, needle_at(scale(0.32))) == pytest.approx(0.32, abs=0.02)


def test_glued_numbers_are_taken_apart() -> None:
    scale = linear(0, 250, 120, 125)
    texts = face(scale, [0, 50, 200, 250])
    first, second = at_angle(scale(100), 200), at_angle(scale(150), 200)
    glued = printed("100 150", ((first[0] + second[0]) / 2, (first[1] + second[1]) / 2))
    third = 24 * 0.6
    places = tuple((c[0] + third * (k - 1), c[1]) for c in (first, second) for k in range(3))
    texts.append(glued._replace(character_centers=(*places[:3], glued.center, *places[3:])))
    witness = read_scale(texts, needle_at(scale(120)))
    assert witness.value == pytest.approx(120, abs=3)
    assert {100.0, 150.0} <= {numeral.value for numeral in witness.numerals}


def test_numeral_glued_to_its_unit() -> None:
    scale = linear(0, 100, 45, 270)
    texts = [*face(scale, range(0, 81, 20)), printed("PSi100", (at_angle(scale(100), 200)[0] - 20, at_angle(scale(100), 200)[1]))]
    witness = read_scale(texts, needle_at(scale(50)))
    assert witness.value == pytest.approx(50, abs=1)
    assert witness.unit == "psi"


def test_non_linear_scale_is_interpolated() -> None:
    angles = {0: 0.0, 10: 30.0, 20: 64.0, 30: 92.0, 40: 122.0, 50: 160.0, 60: 186.0, 70: 208.0, 80: 232.0, 90: 254.0, 100: 270.0}
    curve = lambda value: float(np.interp(value, list(angles), list(angles.values())))  # noqa: E731
    witness = read_scale(face(curve, list(angles)), needle_at(curve(55)))
    assert witness.value == pytest.approx(55, abs=2)
    assert within(witness, 55)


def test_strongly_bent_scale_counter_clockwise() -> None:
    angles = {0: 240.0, 100: 210.0, 200: 180.0, 300: 156.0, 400: 136.0, 500: 122.0, 600: 112.0}
    curve = lambda value: float(np.interp(value, list(angles), list(angles.values())))  # noqa: E731
    witness = read_scale(face(curve, list(angles)), needle_at(curve(350)))
    assert witness.value == pytest.approx(350, abs=15)
    assert witness.clockwise is False


@pytest.mark.parametrize("direction", [0.0, 60.0, 120.0])
@pytest.mark.parametrize("ratio", [0.9, 0.75, 0.62])
def test_tilted_dial(ratio: float, direction: float) -> None:
    shape = tilt(ratio, direction)
    texts = face(PRESSURE, range(11), shape=shape)
    for truth in (0.5, 3.7, 6.2, 9.4):
        witness = read_scale(texts, needle_at(PRESSURE(truth), shape=shape))
        assert witness.value == pytest.approx(truth, abs=0.2)
        assert within(witness, truth)


def test_scale_points_of_a_tilted_dial_lie_in_the_image() -> None:
    shape = tilt(0.6, 0.0)
    witness = read_scale(face(PRESSURE, range(11), shape=shape), needle_at(PRESSURE(5), shape=shape))
    from vision.plane import clock_angle

    for point in witness.scale_points:
        seen = clock_angle(PIVOT, shape(at_angle(PRESSURE(point.value), 200)))
        assert (point.angle_deg - seen + 180) % 360 - 180 == pytest.approx(0, abs=3)
    for numeral in witness.numerals:
        assert numeral.center == pytest.approx(shape(at_angle(PRESSURE(numeral.value), 200)), abs=1)


def test_numerals_set_off_their_marks_are_corrected_by_the_located_ends() -> None:
    scale = linear(0, 180, 122, 114)
    texts = [printed(f"{v}", at_angle(scale(v) + (v - 90) / 12, 170), height=50) for v in (0, 60, 120, 180)]
    alone = read_scale(texts, needle_at(scale(20)))
    located = read_scale(texts, needle_at(scale(20), ends=(122.0, 236.0)))
    assert alone.value is not None
    assert located.value is not None
    assert abs(located.value - 20) < abs(alone.value - 20)
    assert within(alone, 20)
    assert within(located, 20)


def test_reasons_say_what_is_missing() -> None:
    assert read_scale([], needle_at(90)).reason == "no number was read on the face"
    assert read_scale([printed("7", (100, 100))], needle_at(90)).reason == "only 1 number was read on the face"
    two = read_scale(face(PRESSURE, [2, 4]), needle_at(90))
    assert two.reason == "only 2 numbers were read on the face"
    assert two.value is None
    scattered = [printed("7", (100, 100)), printed("250", (310, 330)), printed("31", (500, 420)), printed("4", (90, 480))]
    witness = read_scale(scattered, needle_at(90))
    assert witness.value is None
    assert witness.reason


def test_unusable_points_are_an_error() -> None:
    with pytest.raises(NumeralError, match="pivot and needle tip"):
        read_scale([], DialGeometry((1.0, 1.0), (1.0, 1.0)))
    with pytest.raises(NumeralError, match="nan"):
        read_scale([], DialGeometry((1.0, 1.0), (float("nan"), 1.0)))


STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 25, 50, 100, 200)
SLOW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SLOW
@given(
    step=st.sampled_from(STEPS),
    count=st.integers(6, 11),
    first=st.integers(-3, 3),
    start=st.floats(0, 360),
    sweep=st.floats(150, 300),
    clockwise=st.booleans(),
    fraction=st.floats(0.02, 0.98),
    missing=st.integers(0, 3),
    outliers=st.integers(0, 3),
    squeeze=st.floats(0.8, 1.0),
    seed=st.integers(0, 2**32 - 1),
)
def test_linear_scales_are_right_or_unread_never_wrong_and_sure(
    step: float,
    count: int,
    first: int,
    start: float,
    sweep: float,
    clockwise: bool,
    fraction: float,
    missing: int,
    outliers: int,
    squeeze: float,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    values = [round((first + k) * step, 6) for k in range(count)]
    assume(first >= 0 or clockwise)
    scale = linear(values[0], values[-1], start, sweep if clockwise else -sweep)
    shape = tilt(squeeze, float(rng.uniform(0, 180)))
    kept = sorted(rng.choice(values, count - missing, replace=False).tolist())
    texts = face(scale, kept, noise=rng, shape=shape)
    for _ in range(outliers):
        place = at_angle(float(rng.uniform(0, 360)), float(rng.uniform(60, 230)))
        texts.append(printed(f"{rng.integers(1, 400)}", shape(place), height=float(rng.uniform(12, 26))))
    truth = values[0] + fraction * (values[-1] - values[0])
    witness = read_scale(texts, needle_at(scale(truth), shape=shape))
    span = values[-1] - values[0]
    if witness.value is not None and witness.confidence >= 0.7:
        assert witness.value == pytest.approx(truth, abs=0.04 * span)
    if witness.value is None:
        assert witness.reason


@SLOW
@given(
    bends=st.lists(st.floats(-0.35, 0.35), min_size=6, max_size=9),
    missing=st.integers(0, 1),
    fraction=st.floats(0.1, 0.9),
    clockwise=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_bent_scales_are_right_or_unread_never_wrong_and_sure(
    bends: list[float], missing: int, fraction: float, clockwise: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    steepness = np.exp(np.cumsum(bends) - np.mean(np.cumsum(bends)))
    places = np.concatenate([[0.0], np.cumsum(steepness)])
    places = places / places[-1] * 260.0
    assume(float(np.diff(places).min()) > 9.0)
    values = [10.0 * k for k in range(len(places))]
    sign = 1.0 if clockwise else -1.0
    curve = lambda value: 50.0 + sign * float(np.interp(value, values, places))  # noqa: E731
    kept = sorted(rng.choice(values, len(values) - missing, replace=False).tolist())
    truth = fraction * values[-1]
    witness = read_scale(face(curve, kept, noise=rng, noise_px=1.0), needle_at(curve(truth)))
    if witness.value is not None and witness.confidence >= 0.7:
        assert witness.value == pytest.approx(truth, abs=0.08 * values[-1])


@SLOW
@given(count=st.integers(3, 8), seed=st.integers(0, 2**32 - 1))
def test_random_numbers_are_no_scale(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [
        printed(
            f"{rng.integers(1, 999)}",
            at_angle(float(rng.uniform(0, 360)), float(rng.uniform(60, 230))),
            height=float(rng.uniform(12, 30)),
        )
        for _ in range(count)
    ]
    witness = read_scale(texts, needle_at(float(rng.uniform(0, 360))))
    assert witness.confidence < 0.6


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    held = total = 0
    for _ in range(40):
        truth = float(rng.uniform(0.5, 9.5))
        shape = tilt(float(rng.uniform(0.85, 1.0)), float(rng.uniform(0, 180)))
        pointed = PRESSURE(truth) + float(rng.normal(0, 1.5))
        witness = read_scale(
            face(PRESSURE, range(0, 11, 2), noise=rng, noise_px=3.0, shape=shape), needle_at(pointed, shape=shape)
        )
        assert witness.value is not None
        held += within(witness, truth)
        total += 1
    assert 0.88 <= held / total <= 1.0


def test_a_stroke_taken_for_a_number_does_not_change_the_unit() -> None:
    celsius = linear(0, 250, 60, 200)
    texts = [*face(celsius, [0, 50, 100, 150]), printed("°C", (300.0, 260.0))]
    stroke = printed("1", at_angle(celsius(240), 230.0), confidence=0.41)
    assert read_scale([*texts, stroke], needle_at(celsius(114.0))).unit == "°C"


def test_a_chain_through_the_two_scales_of_a_compound_gauge_is_less_sure() -> None:
    """30, 20, 10 to 0 inHg and on to 15 psi: 5, 10, 15 and the vacuum's 20 lie evenly, with its 30 among them."""
    pressure = linear(0, 15, 280, 240)
    chain = [*face(pressure, [5, 10, 15]), printed("20", at_angle(pressure(20), 200.0))]
    among = printed("30", at_angle(pressure(17.5), 200.0))
    alone, with_stranger = (read_scale(texts, needle_at(pressure(12))) for texts in (chain, [*chain, among]))
    assert with_stranger.confidence < 0.85 * alone.confidence


def test_an_own_numeral_that_was_misread_is_no_stranger() -> None:
    texts = face(PRESSURE, [0, 2, 4, 8, 10])
    upside_down = printed("9", at_angle(PRESSURE(6), 200.0))
    assert (
        read_scale([*texts, upside_down], needle_at(PRESSURE(3))).confidence
        == read_scale(texts, needle_at(PRESSURE(3))).confidence
    )


def test_without_signs_the_side_below_zero_is_the_left_one() -> None:
    compound = linear(-1000, 600, 45, 270)
    values = [-1000, -400, -200, 0, 200, 600]
    texts = face(compound, values, label=lambda value: f"{abs(value):g}")
    assert read_value(texts, needle_at(compound(176))) == pytest.approx(176, abs=20)


def test_with_signs_a_scale_may_run_the_other_way() -> None:
    centred = linear(-100, 100, 300, -240)
    assert read_value(face(centred, range(-100, 101, 50)), needle_at(centred(-60))) == pytest.approx(-60, abs=4)
