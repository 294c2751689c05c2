"""Field accuracy on truths whose readings we write ourselves, so that every number is known beforehand."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.matching import match_instruments
from eval.readings import UNKNOWN_MODEL, Scorecard, Slice, evaluate_dataset, score_readings
from eval.score import EvalError
from eval.tables import scorecard_markdown
from tests.eval.builders import (
    ScriptedReader,
    abstained_reading,
    as_json,
    failed_photo,
    make_lamp,
    make_photo,
    make_record,
    make_truth,
    perfect_reading,
    valued,
)
from vision.fields import GaugeFields
from vision.plane import box_iou
from vision.samples import InstrumentTruth, SampleError, SampleRecord, write_records


def field_of(part: Slice, name: str):  # type: ignore[no-untyped-def]
    return next(field for field in part.fields if field.field == name)


def card_of(truths: list[InstrumentTruth], *readings) -> Scorecard:  # type: ignore[no-untyped-def]
    return score_readings([make_record("a.png", *truths)], [make_photo("a.png", *readings)])


@st.composite
def truths(draw: st.DrawFn) -> InstrumentTruth:
    x, y = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    box = (x * 100.0, y * 100.0, x * 100.0 + draw(st.integers(40, 90)), y * 100.0 + draw(st.integers(40, 90)))
    model = draw(st.sampled_from([None, "XYZ-2000", "AB-1"]))
    if draw(st.booleans()):
        return make_lamp(box, draw(st.sampled_from(["red", "green", "off"])), model)
    fraction = draw(st.floats(0, 1))
    angle = draw(st.floats(0, 359))
    value = 10 * fraction
    low, high = value - 0.1, value + 0.1
    return make_truth(box, model, pointer_angle=angle, scale_fraction=fraction, value=value, value_low=low, value_high=high)


PICTURES = st.lists(st.lists(truths(), max_size=4, unique_by=lambda truth: truth.box[:2]), min_size=1, max_size=4)


@given(PICTURES)
@settings(max_examples=40, deadline=None)
def test_perfect_readings_score_one_everywhere(pictures: list[list[InstrumentTruth]]) -> None:
    records = [make_record(f"{i}.png", *them) for i, them in enumerate(pictures)]
    readings = [make_photo(f"{i}.png", *(perfect_reading(one) for one in them)) for i, them in enumerate(pictures)]
    card = score_readings(records, readings)
    for part in (card.overall, card.main, *card.kinds, *card.models):
        shares = [part.located, part.value.right, part.value.right_any_unit, part.value.interval_holds]
        shares += [field.right for field in part.fields]
        assert all(share.value == 1 or share.n == 0 for share in shares)
        assert part.value.made_up.hits == 0
        assert part.value.abstained.hits == 0
        assert math.isnan(part.value.span_error.value) or part.value.span_error.value == pytest.approx(0)
    assert card.made_up_on_empty.hits == 0


@given(PICTURES, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_order_of_the_readings_does_not_matter(pictures: list[list[InstrumentTruth]], shuffler: random.Random) -> None:
    records, straight, shuffled = [], [], []
    for i, them in enumerate(pictures):
        name = f"{i}.png"
        records.append(make_record(name, *them))
        given_ones = [valued(perfect_reading(one), shuffler.uniform(0, 10)) for one in them]
        straight.append(make_photo(name, *given_ones))
        mixed = list(given_ones)
        shuffler.shuffle(mixed)
        shuffled.append(make_photo(name, *mixed))
    assert as_json(score_readings(records, straight)) == as_json(score_readings(records, shuffled))


@given(PICTURES, st.data())
@settings(max_examples=40, deadline=None)
def test_abstaining_is_neither_right_nor_made_up(pictures: list[list[InstrumentTruth]], data: st.DataObject) -> None:
    records, readings, silent = [], [], 0
    for i, them in enumerate(pictures):
        given_ones = []
        for one in them:
            silence = data.draw(st.booleans())
            silent += silence and one.value is not None
            given_ones.append(abstained_reading(one) if silence else perfect_reading(one))
        records.append(make_record(f"{i}.png", *them))
        readings.append(make_photo(f"{i}.png", *given_ones))
    value = score_readings(records, readings).overall.value
    assert value.abstained.hits == silent
    assert value.made_up.hits == 0
    assert value.right.hits == value.right.n - silent


@given(PICTURES)
@settings(max_examples=25, deadline=None)
def test_every_share_lies_in_range_whatever_is_read(pictures: list[list[InstrumentTruth]]) -> None:
    records = [make_record(f"{i}.png", *them) for i, them in enumerate(pictures)]
    other = [*pictures[1:], pictures[0]]
    readings = [make_photo(f"{i}.png", *(perfect_reading(one) for one in them)) for i, them in enumerate(other)]
    card = score_readings(records, readings)
    for part in (card.overall, card.main, *card.kinds, *card.models):
        value = part.value
        for share in (part.located, value.right, value.right_any_unit, value.abstained, value.made_up, value.answered_right):
            assert share.n == 0 or 0 <= share.low <= share.value <= share.high <= 1
    as_json(card)


def test_boxes() -> None:
    assert box_iou((0, 0, 10, 10), (0, 0, 10, 10)) == 1
    assert box_iou((0, 0, 10, 10), (5, 0, 15, 10)) == pytest.approx(1 / 3)
    assert box_iou((0, 0, 10, 10), (20, 0, 30, 10)) == 0
    assert box_iou((0, 0, 0, 0), (0, 0, 0, 0)) == 0


def test_each_truth_gets_the_reading_that_lies_on_it() -> None:
    left, right = make_truth((0, 0, 100, 100)), make_truth((80, 0, 180, 100), value=5.0, value_low=4.9, value_high=5.1)
    pairs = match_instruments([left, right], [perfect_reading(right), perfect_reading(left)])
    assert [pair.reading.value for pair in pairs if pair.reading] == [3.5, 5.0]
    assert [pair.main for pair in pairs] == [True, False]


def test_same_box_goes_to_the_same_kind() -> None:
    dial, lamp = make_truth((0, 0, 100, 100)), make_lamp((0, 0, 100, 100))
    pairs = match_instruments([lamp, dial], [perfect_reading(dial), perfect_reading(lamp)])
    assert all(pair.truth and pair.reading and pair.truth.fields.kind == pair.reading.kind for pair in pairs)


def test_a_loose_box_still_belongs_but_is_not_located() -> None:
    truth = make_truth((0, 0, 100, 100))
    card = card_of([truth], perfect_reading(truth, box=(0, 0, 100, 300)))
    assert card.overall.located.hits == 0
    assert card.overall.value.right.value == 1


def test_the_needle_is_right_within_five_degrees_round_the_circle() -> None:
    truth = make_truth(pointer_angle=358.0)
    near = perfect_reading(truth, fields=GaugeFields(kind="dial", pointer_angle=1.0))
    flipped = perfect_reading(truth, fields=GaugeFields(kind="dial", pointer_angle=178.0))
    good, bad = (field_of(card_of([truth], one).overall, "pointer_angle") for one in (near, flipped))
    assert (good.right.value, good.error_median) == (1, pytest.approx(3))
    assert (bad.right.value, bad.error_median) == (0, pytest.approx(180))
    start = field_of(card_of([truth], near).overall, "start_angle")
    assert (start.right.hits, start.abstained.hits) == (0, 1)
    assert math.isnan(start.error_median)


def test_a_right_number_in_a_wrong_unit_is_shown_apart() -> None:
    truth = make_truth()
    value = card_of([truth], valued(perfect_reading(truth), 3.5, "psi")).overall.value
    assert (value.right.value, value.right_any_unit.value) == (0, 1)
    assert value.interval_holds.value == 0
    same = card_of([truth], valued(perfect_reading(truth), 350.0, "kPa")).overall.value
    assert same.right.value == 1
    assert same.span_error.value == pytest.approx(0, abs=1e-9)


def test_errors_are_shares_of_the_span() -> None:
    records = [make_record(f"{i}.png", make_truth()) for i in range(2)]
    readings = [make_photo(f"{i}.png", valued(perfect_reading(make_truth()), value)) for i, value in enumerate((3.6, 5.5))]
    value = score_readings(records, readings).overall.value
    assert value.span_error.value == pytest.approx((0.01 + 0.2) / 2)
    assert value.span_error_p95 == pytest.approx(0.01 + 0.95 * 0.19)
    assert (value.right.hits, value.answered_right.n, value.interval_holds.hits) == (1, 2, 1)
    assert value.calibration_error == pytest.approx(abs(1.8 - 1) / 2)


def test_values_where_there_is_nothing_to_read_are_made_up() -> None:
    lamp = make_lamp()
    on_lamp = card_of([lamp], valued(perfect_reading(lamp), 7.0))
    assert (on_lamp.overall.value.made_up.hits, on_lamp.overall.value.right.n) == (1, 0)
    on_empty = card_of([], perfect_reading(make_truth()))
    assert (on_empty.overall.value.made_up.hits, on_empty.main.value.made_up.hits, on_empty.made_up_on_empty.hits) == (1, 1, 1)
    beside = card_of([make_truth()], perfect_reading(make_truth()), perfect_reading(make_truth((500, 500, 600, 600))))
    assert (beside.overall.value.made_up.hits, beside.overall.value.right.value) == (1, 1)
    assert beside.main.value.made_up.hits == 0
    fields = field_of(card_of([lamp], perfect_reading(lamp, fields=GaugeFields(kind="lamp", unit="bar"))).overall, "unit")
    assert (fields.made_up.hits, fields.made_up.n, fields.right.n) == (1, 1, 0)


def test_models_and_kinds_have_tables_of_their_own() -> None:
    known, unknown = make_truth(model="XYZ-2000"), make_truth((300, 10, 400, 110))
    card = card_of([known, unknown, make_lamp()], perfect_reading(known), valued(perfect_reading(unknown), 9.0))
    by_model = {part.name: part for part in card.models}
    assert set(by_model) == {"XYZ-2000", UNKNOWN_MODEL}
    assert by_model["XYZ-2000"].value.right.value == 1
    assert (by_model[UNKNOWN_MODEL].value.right.value, by_model[UNKNOWN_MODEL].instruments) == (0, 2)
    assert [part.name for part in card.kinds] == ["dial", "lamp"]
    assert field_of(card.kinds[1], "warning_light_color").abstained.hits == 1
    text = scorecard_markdown(card)
    assert "| XYZ-2000 | 1 |" in text
    assert text.count("made up") >= 2
    assert "nan" not in text


def test_digits_are_exact_or_wrong() -> None:
    fields = {"kind": "digital", "digital_readout": "19.9"}
    truth = InstrumentTruth(box=(0, 0, 9, 9), fields=GaugeFields.model_validate(fields), value=19.9)
    good = card_of([truth], perfect_reading(truth, value_low=19.9, value_high=19.9)).overall
    dropped = perfect_reading(
        truth, fields=GaugeFields(kind="digital", digital_readout="19"), value=19.0, value_low=19, value_high=19
    )
    assert (good.value.right.value, field_of(good, "digital_readout").right.value) == (1, 1)
    bad = card_of([truth], dropped).overall
    assert (bad.value.right.value, field_of(bad, "digital_readout").right.value) == (0, 0)
    assert math.isnan(bad.value.span_error.value)


def test_photos_that_fail_count_as_not_read() -> None:
    card = score_readings([make_record("a.png", make_truth())], [failed_photo("a.png")])
    assert (card.failed, card.overall.value.abstained.hits, card.overall.value.made_up.n) == (1, 1, 0)


def test_lost_and_shuffled_pictures_are_refused() -> None:
    records = [make_record("a.png"), make_record("b.png")]
    with pytest.raises(EvalError, match="2 pictures but 1"):
        score_readings(records, [make_photo("a.png")])
    with pytest.raises(EvalError, match=r"b\.png.*a\.png"):
        score_readings(records, [make_photo("b.png"), make_photo("a.png")])


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    records: list[SampleRecord] = [make_record(f"{i}.png", make_truth(model="M")) for i in range(4)]
    write_records(tmp_path, records)
    return tmp_path


def test_a_folder_is_read_in_order_and_up_to_the_limit(dataset: Path) -> None:
    reader = ScriptedReader(make_photo("0.png", perfect_reading(make_truth())), failed_photo("2.png"))
    card = evaluate_dataset(dataset, reader, progress=False)
    assert [path.name for path in reader.asked] == ["0.png", "1.png", "2.png", "3.png"]
    assert (card.pictures, card.failed, card.overall.value.right.hits, card.overall.value.abstained.hits) == (4, 1, 1, 3)
    assert evaluate_dataset(dataset, ScriptedReader(), limit=2, progress=False).pictures == 2
    assert Scorecard.model_validate_json(card.model_dump_json()).overall.instruments == 4


def test_bad_folders_and_limits_say_what_is_wrong(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(EvalError, match="at least 1, got 0"):
        evaluate_dataset(dataset, ScriptedReader(), limit=0, progress=False)
    with pytest.raises(SampleError, match=r"no metadata\.jsonl"):
        evaluate_dataset(tmp_path / "nowhere", ScriptedReader(), progress=False)
    (dataset / "metadata.jsonl").write_text("")
    with pytest.raises(EvalError, match="no pictures"):
        evaluate_dataset(dataset, ScriptedReader(), progress=False)
