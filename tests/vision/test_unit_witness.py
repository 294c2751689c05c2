"""Units by lexicon: every spelling leads to its unit, nothing is guessed, and one unit counts once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.dial_layouts import printed
from tests.vision.test_line_reader import printed_line, scores_of, shipped
from vision.fields import Channel, GaugeFields
from vision.line_crop import LineImage, LinePlace
from vision.line_reader import LineNetwork, LineReader, LineReading, plain_line, read_scores
from vision.numerals import Look
from vision.printed_numbers import find_numbers
from vision.printed_units import find_units
from vision.samples import InstrumentTruth, PrintedUnit
from vision.text_strips import TextPatch
from vision.unit_calibration import UnitCase, carried_units, fit_unit_calibration
from vision.unit_lines import UnitFinder, printed_unit
from vision.unit_places import column_places, is_word, places_around, places_behind_titles, places_of_boxes, within_text
from vision.unit_witness import SeenUnit, UnitCalibration, find_unit_lines, score_units, spellings
from vision.units import UNITS, find_unit

PLACE = LinePlace((100.0, 100.0), 12.0, 30.0)


def spelled(text: str, sure: float = 0.98) -> LineReading:
    """What a reader gives that sees `text` clearly."""
    symbols = "_".join(text)
    return read_scores(scores_of("_" + symbols + "_" * (24 - len(symbols)), sure)[None], [PLACE])[0]


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        *(("MPa", "MPa"), ("Mpa", "MPa"), ("mpa", "MPa"), ("Bar", "bar"), ("BAR", "bar"), ("PSI", "psi"), ("lb/in2", "psi")),
        *(("kgf/cm2", "kgf/cm2"), ("kg/cm2", "kgf/cm2"), ("°C", "°C"), ("°F", "°F"), ("RPM", "r/min"), ("mbar", "mbar")),
        ("V", "V"),
    ],
)
def test_every_spelling_leads_to_its_unit(text: str, unit: str) -> None:
    score = score_units([spelled(text)])[0]
    assert score is not None
    assert score.spelling.unit == unit
    assert score.confidence > 0.8


def test_case_decides_where_it_must() -> None:
    for text, unit in (("mA", "mA"), ("kA", "kA"), ("mV", "mV"), ("kV", "kV"), ("mbar", "mbar"), ("bar", "bar")):
        score = score_units([spelled(text)])[0]
        assert score is not None
        assert score.spelling.unit == unit


def test_a_multiplier_travels_with_its_unit() -> None:
    score = score_units([spelled("x1000r/min")])[0]
    assert score is not None
    assert (score.spelling.unit, score.spelling.multiplier) == ("r/min", 1000.0)


@pytest.mark.parametrize("text", ["", "100", "12.5", "-30"])
def test_numbers_and_nothing_are_no_units(text: str) -> None:
    assert score_units([spelled(text)]) == [None]


@pytest.mark.parametrize("text", ["PRES", "OIL", "TEMP", "IP54", "EN837"])
def test_other_words_are_no_units(text: str) -> None:
    score = score_units([spelled(text)])[0]
    assert score is None or score.confidence < 0.3


def test_the_lexicon_agrees_with_the_table() -> None:
    known = {spelling.text: spelling for spelling in spellings()}
    assert len(known) == len(spellings())
    for spelling in spellings():
        if spelling.multiplier == 1.0:
            assert find_unit(spelling.text) in (spelling.unit, None)
    for unit in UNITS:
        text = plain_line(unit.name)
        assert text is not None
        if len(text) > 1:
            assert known[text].unit == unit.name
    assert "K" not in known
    assert "l" not in known


class Oracle(LineReader):
    """A line reader that sees fixed texts at fixed points, and nothing elsewhere."""

    def __init__(self, seen: dict[tuple[float, float], str], reach: float = 10.0) -> None:
        super().__init__(LineNetwork(), {"unit_calibration": UnitCalibration(threshold=0.7)._asdict()})
        self.seen, self.reach = seen, reach

    def read_lines(self, image, places):  # type: ignore[no-untyped-def, override]
        return tuple(self._at(place) for place in places)

    def _at(self, place: LinePlace) -> LineReading:
        for (x, y), text in self.seen.items():
            if abs(place.center[0] - x) <= self.reach and abs(place.center[1] - y) <= 0.5 * self.reach:
                return spelled(text)._replace(place=place)
        return spelled("")._replace(place=place)


FACE = np.full((240, 240, 3), 240, np.uint8)


def test_looks_at_one_place_count_as_one_unit() -> None:
    seen = find_unit_lines(Oracle({(100.0, 100.0): "bar"}), FACE, places_around(PLACE))
    assert [unit.unit for unit in seen] == ["bar"]
    assert seen[0].confidence > 0.7


def test_one_look_alone_is_less_than_two_that_agree() -> None:
    oracle = Oracle({(100.0, 100.0): "bar"})
    alone = find_unit_lines(oracle, FACE, [PLACE], threshold=0.0)[0]
    both = find_unit_lines(oracle, FACE, [PLACE, PLACE], threshold=0.0)[0]
    assert alone.confidence < both.confidence


def test_places_that_contradict_each_other_state_nothing() -> None:
    oracle = Oracle({(95.0, 100.0): "bar", (110.0, 100.0): "psi"}, reach=4.0)
    places = [PLACE._replace(center=(x, 100.0)) for x in (95.0, 95.0, 110.0, 110.0)]
    assert find_unit_lines(oracle, FACE, places) == ()


def test_one_odd_look_does_not_outweigh_many_that_agree() -> None:
    oracle = Oracle({(95.0, 100.0): "psi", (110.0, 100.0): "%"}, reach=4.0)
    places = [PLACE._replace(center=(x, 100.0)) for x in (95.0,) * 8 + (110.0,)]
    (seen,) = find_unit_lines(oracle, FACE, places)
    assert seen.unit == "psi"


def test_a_look_that_cuts_a_unit_off_neither_wins_nor_speaks_against_it() -> None:
    oracle = Oracle({(95.0, 100.0): "Pa", (110.0, 100.0): "MPa"}, reach=4.0)
    places = [PLACE._replace(center=(x, 100.0)) for x in (95.0, 95.0, 95.0, 110.0, 110.0)]
    (seen,) = find_unit_lines(oracle, FACE, places)
    assert seen.unit == "MPa"
    assert seen.confidence > 0.9


def test_a_multiplier_may_stand_behind_its_unit() -> None:
    score = score_units([spelled("1/minx1000")])[0]
    assert score is not None
    assert (score.spelling.unit, score.spelling.multiplier) == ("r/min", 1000.0)


def test_a_lone_letter_counts_less_than_a_word() -> None:
    letter = find_unit_lines(Oracle({(100.0, 100.0): "A"}), FACE, [PLACE, PLACE], threshold=0.0)[0]
    word = find_unit_lines(Oracle({(100.0, 100.0): "AMPS"}), FACE, [PLACE, PLACE], threshold=0.0)[0]
    fragment = find_unit_lines(Oracle({(100.0, 100.0): "Pa"}), FACE, [PLACE, PLACE], threshold=0.0)[0]
    assert fragment.confidence < letter.confidence < word.confidence


@settings(deadline=None)
@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.floats(0.1, 3.0), st.floats(-2.0, 2.0))
def test_calibration_keeps_the_order(first: float, second: float, slope: float, offset: float) -> None:
    calibration = UnitCalibration(slope, offset)
    assert 0.0 <= calibration(first) <= 1.0
    if first < second:
        assert calibration(first) <= calibration(second)


def test_calibration_is_fitted_to_the_share_that_is_right() -> None:
    rng = np.random.default_rng(0)
    raw = rng.uniform(0.02, 0.98, 4000)
    right = rng.random(4000) < raw**2
    calibration = fit_unit_calibration([UnitCase(float(c), bool(r)) for c, r in zip(raw, right, strict=True)])
    for value in (0.3, 0.6, 0.9):
        assert calibration(value) == pytest.approx(value**2, abs=0.08)


def test_a_card_without_calibration_states_only_what_is_sure() -> None:
    assert UnitCalibration.of_card({}) == UnitCalibration()
    assert UnitCalibration.of_card({"unit_calibration": {"slope": 2, "offset": 1, "threshold": 0.8}}).slope == 2.0


NUMBERS = [printed(text, (x, y), height=14) for text, x, y in (("0", 60, 170), ("5", 120, 40), ("10", 180, 170))]


def finder(seen: dict[tuple[float, float], str]) -> UnitFinder:
    return UnitFinder(Oracle(seen))


def test_a_unit_that_the_ocr_missed_is_found_below_the_pivot() -> None:
    found = finder({(120.0, 160.0): "MPa"}).missed_units(FACE, Look(tuple(NUMBERS)), (120.0, 120.0))
    assert [unit.seen.unit for unit in found] == ["MPa"]
    assert [mark.unit for mark in find_units([found[0].text])] == ["MPa"]


def test_a_unit_is_found_in_a_box_that_the_ocr_could_not_read() -> None:
    look = Look((), (TextPatch((150.0, 60.0), 30.0, 16.0),))
    found = finder({(150.0, 60.0): "psi"}).missed_units(FACE, look, (120.0, 120.0))
    assert [unit.seen.unit for unit in found] == ["psi"]


def test_a_heat_maps_place_is_looked_at_closely() -> None:
    place = LinePlace((40.0, 200.0), 12.0, 30.0)
    found = finder({(40.0, 200.0): "°C"}).missed_units(FACE, Look(()), (120.0, 120.0), [place])
    assert [unit.seen.unit for unit in found] == ["°C"]


def test_what_the_ocr_read_is_not_added_again_nor_contradicted() -> None:
    bar = printed("bar", (120, 160), height=14)
    assert finder({(120.0, 160.0): "bar"}).missed_units(FACE, Look((*NUMBERS, bar)), (120.0, 120.0)) == ()
    assert finder({(120.0, 160.0): "psi"}).missed_units(FACE, Look((*NUMBERS, bar)), (120.0, 120.0)) == ()


@pytest.mark.parametrize(("end", "whole"), [("A", "mA"), ("V", "kV"), ("bar", "mbar"), ("Pa", "MPa")])
def test_the_ocrs_end_of_a_unit_gives_way_to_the_whole(end: str, whole: str) -> None:
    cut = printed(end, (122, 160), height=16)
    (found,) = finder({(120.0, 160.0): whole}).missed_units(FACE, Look((*NUMBERS, cut)), (120.0, 120.0))
    assert (found.seen.unit, found.instead) == (whole, cut)


def test_what_is_no_end_of_it_stays() -> None:
    volts = printed("V", (122, 160), height=16)
    assert finder({(120.0, 160.0): "mA"}).missed_units(FACE, Look((*NUMBERS, volts)), (120.0, 120.0)) == ()
    elsewhere = printed("A", (40, 60), height=16)
    found = finder({(120.0, 160.0): "mA"}).missed_units(FACE, Look((*NUMBERS, elsewhere)), (120.0, 120.0))
    assert all(unit.instead is None for unit in found)


def test_a_second_unit_must_measure_the_same() -> None:
    bar = printed("bar", (120, 90), height=14)
    second = finder({(120.0, 160.0): "psi"}).missed_units(FACE, Look((*NUMBERS, bar)), (120.0, 120.0))
    assert [unit.seen.unit for unit in second] == ["psi"]
    assert finder({(120.0, 160.0): "°C"}).missed_units(FACE, Look((*NUMBERS, bar)), (120.0, 120.0)) == ()


def test_no_places_no_units() -> None:
    assert finder({(120.0, 160.0): "bar"}).missed_units(FACE, Look(()), (120.0, 120.0)) == ()


@pytest.mark.parametrize(
    ("unit", "multiplier"), [("kgf/cm2", 1.0), ("m3/h", 1.0), ("r/min", 1000.0), ("°C", 1.0), ("psi", 100.0)]
)
def test_a_seen_unit_as_text_is_a_unit_and_no_number(unit: str, multiplier: float) -> None:
    text = printed_unit(FACE, SeenUnit(unit, multiplier, unit, PLACE, 0.93))
    (mark,) = find_units([text])
    assert (mark.unit, mark.multiplier) == (unit, multiplier)
    assert all(number.confidence < 0.5 for number in find_numbers([text]))


def test_words_are_left_alone() -> None:
    word = printed("PRESSURE", (120, 160), height=14)
    assert is_word(word)
    assert not is_word(printed("bar", (120, 160), height=14))
    assert not is_word(printed("kgf/cm²", (120, 160), height=14))
    assert places_of_boxes([word], []) == []
    places = column_places([*NUMBERS, word], (120.0, 120.0))
    assert places
    assert not any(within_text(place, word) for place in places)


def test_the_column_stands_within_the_ring_of_numerals() -> None:
    for place in column_places(NUMBERS, (120.0, 120.0)):
        assert abs(place.center[1] - 120.0) <= 90.0
        assert abs(place.center[0] - 120.0) <= 20.0
    assert column_places(NUMBERS[:2], (120.0, 120.0)) == []


def test_units_of_a_truth() -> None:
    truth = InstrumentTruth(
        box=(0, 0, 10, 10),
        fields=GaugeFields(kind="dial", unit="bar", channels=(Channel(label="second scale", unit="psi"),)),
        units=(PrintedUnit(text="kPa", unit="kPa", center=(1, 1), height_px=5),),
    )
    assert carried_units(truth) == {"bar", "psi", "kPa"}


@shipped
@pytest.mark.parametrize(("text", "unit"), [("bar", "bar"), ("MPa", "MPa"), ("psi", "psi"), ("kPa", "kPa")])
def test_shipped_weights_tell_units(text: str, unit: str) -> None:
    picture, place = printed_line(text)
    seen = find_unit_lines(LineReader.load(), LineImage(picture), places_around(place))
    assert [one.unit for one in seen] == [unit]


@shipped
def test_shipped_weights_see_no_unit_in_numbers_and_words() -> None:
    for text in ("250", "40", "OIL", "EN 837"):
        picture, place = printed_line(text)
        assert find_unit_lines(LineReader.load(), LineImage(picture), places_around(place)) == ()


@pytest.mark.parametrize("angle_deg", [0.0, 30.0, -90.0])
@pytest.mark.parametrize("text", ["TEMPERATURE", "OIL TEMP.", "压力"])
def test_what_stands_behind_a_title_is_looked_at(text: str, angle_deg: float) -> None:
    title = printed(text, (200.0, 300.0), angle_deg=angle_deg)
    turn = math.radians(angle_deg)
    for place in places_behind_titles([title]):
        along, across = place.center[0] - 200.0, place.center[1] - 300.0
        ahead = along * math.cos(turn) + across * math.sin(turn)
        assert ahead - 0.5 * place.width_px > 0.45 * title.width_px
        assert ahead - 0.5 * title.width_px < 2.5 * title.height_px
        assert across * math.cos(turn) - along * math.sin(turn) == pytest.approx(0.0, abs=1e-6)
        assert place.angle_deg == angle_deg


def test_other_words_are_no_titles() -> None:
    assert places_behind_titles([printed("TEMPERATUR", (200.0, 300.0)), printed("100", (20.0, 30.0))]) == []
    assert places_behind_titles([printed("PRESSURE", (200.0, 300.0), confidence=0.4)]) == []
    assert places_behind_titles([printed("PRESSURE", (200.0, 300.0), height=1.5)]) == []
