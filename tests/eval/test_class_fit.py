"""The fit of lamps and selectors on rows whose law is known, its limits, and the sets that are drawn for it."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.calibrate import fit_rows
from eval.calibration_sets import SETS, DrawnSet, draw_sets
from eval.class_fit import LAMP, MIN_LAMPS, SELECTOR, class_limits, class_outcomes, class_reports, fit_lamp, fit_pools
from eval.support_rows import ClassRow, class_row, pixel_rows
from synth.sampler import EVALUATION_SEED
from tests.eval.builders import make_lamp, make_truth
from vision.calibration import Calibration, CalibrationError, limit_for
from vision.class_value import ClassVotes
from vision.fields import LAMP_COLORS
from vision.lamp_color import FEATURES
from vision.samples import read_records
from vision.state_pool import StatePools


def lamps(count: int, noise: float = 0.5, donut: float = 0.5, seed: int = 0) -> list[ClassRow]:
    """Lamps whose colour shows in one feature each, among noise; the Donut is right with the probability `donut`."""
    rng = np.random.default_rng(seed)
    rows = []
    for index in range(count):
        color = index % 4
        features = rng.normal(0.0, noise, FEATURES)
        features[color] += 2.0
        named = color if rng.random() < donut else int(rng.integers(4))
        own = np.full(4, 0.15)
        own[named] = 0.55
        shares = dict(zip(LAMP_COLORS, own.tolist(), strict=True))
        true = LAMP_COLORS[color]
        rows.append(ClassRow(picture=f"d/{index}", name=LAMP, true=true, kind=0.99, shares=shares, features=tuple(features)))
    return rows


def selectors(count: int, right: float, confidence: float) -> list[ClassRow]:
    shares = dict.fromkeys("12345", (1.0 - confidence) / 4) | {"2": confidence}
    return [
        ClassRow(picture=f"s/{index}", name=SELECTOR, true="2" if index < right * count else "3", kind=1.0, shares=shares)
        for index in range(count)
    ]


def test_the_pixels_law_is_found_and_beats_a_donut_that_guesses() -> None:
    rows = lamps(200)
    model = fit_lamp(rows)
    assert model is not None
    assert model.examples == 200
    by_pixels = model.by_pixels(np.array([row.features for row in rows])).argmax(1)
    assert np.mean([LAMP_COLORS[i] == row.true for i, row in zip(by_pixels, rows, strict=True)]) > 0.95
    report = class_reports(class_outcomes(rows), {LAMP: 0.0})[0]
    assert report.right.value > 0.93


def test_a_better_donut_gets_more_weight() -> None:
    poor, good = fit_lamp(lamps(200, noise=1.5, donut=0.0)), fit_lamp(lamps(200, noise=1.5, donut=1.0))
    assert poor is not None
    assert good is not None
    assert poor.donut_weight < good.donut_weight


def test_pixels_alone_teach_the_pixel_model_and_say_nothing_of_confidence() -> None:
    """Lamps in their true boxes, of which the Donut was not asked."""
    whole = lamps(200, noise=1.0)
    pixels = [row.model_copy(update={"shares": {}, "picture": f"p{index}"}) for index, row in enumerate(lamps(400, 1.0, seed=2))]
    model = fit_lamp([*whole, *pixels])
    assert model is not None
    assert model.examples == 600
    assert len(class_outcomes([*whole, *pixels])[LAMP]) == 200
    alone = fit_lamp(pixels)
    assert alone is not None
    assert alone.donut_weight == 0.0


def test_too_few_lamps_or_too_few_of_a_colour_give_no_model() -> None:
    assert fit_lamp(lamps(MIN_LAMPS - 1)) is None
    assert fit_lamp([row for row in lamps(200) if row.true != "off"]) is None
    assert fit_lamp([]) is None


def test_what_is_no_lamp_counts_against_the_limit_and_is_not_learned() -> None:
    rows = lamps(200, noise=0.1, donut=1.0)
    strays = [row.model_copy(update={"true": None, "picture": f"x{index}"}) for index, row in enumerate(rows[:60])]
    assert fit_lamp([*rows, *strays]) == fit_lamp(rows)
    outcomes = class_outcomes([*rows, *strays])
    assert class_limits(outcomes)[LAMP] == math.inf
    report = class_reports(outcomes, {LAMP: 0.0})[0]
    assert (report.shown, report.stated.n, report.stated_right.n) == (200, 200, 260)


def looked_at(rows: list[ClassRow], labels: tuple[str, ...], right: float, seed: int = 0) -> list[ClassRow]:
    """The rows with the word of a state reader that names the true label with the probability `right`."""
    rng = np.random.default_rng(seed)
    found = []
    for row in rows:
        named = row.true if rng.random() < right else str(rng.choice(labels))
        shares = dict.fromkeys(labels, 0.08 / (len(labels) - 1)) | {str(named): 0.92}
        found.append(row.model_copy(update={"seen": shares, "seen_kind": 0.98}))
    return found


def knobs(count: int, donut: float, seed: int = 1) -> list[ClassRow]:
    """Selectors at every position, of which the Donut names a share rightly."""
    rng = np.random.default_rng(seed)
    rows = []
    for index in range(count):
        true = str(1 + index % 5)
        named = true if rng.random() < donut else str(rng.integers(1, 6))
        shares = dict.fromkeys("12345", 0.1) | {named: 0.6}
        rows.append(ClassRow(picture=f"k/{index}", name=SELECTOR, true=true, kind=0.97, shares=shares))
    return rows


def test_the_better_witness_gets_more_weight() -> None:
    good = fit_pools(looked_at(knobs(200, 0.5), tuple("12345"), 0.97)).mode_dial_position
    poor = fit_pools(looked_at(knobs(200, 0.97), tuple("12345"), 0.2)).mode_dial_position
    assert good is not None
    assert poor is not None
    assert good.states > 2.0 * poor.states
    assert poor.donut > good.donut
    assert (good.pixels, good.examples) == (0.0, 200)


def test_without_a_state_reader_there_are_no_pools_and_all_is_as_before() -> None:
    rows = [*lamps(200), *knobs(100, 0.8)]
    assert fit_pools(rows) == StatePools()
    assert fit_pools(looked_at(knobs(MIN_LAMPS - 1, 0.8), tuple("12345"), 0.9)) == StatePools()
    assert fit_pools([]) == StatePools()


def test_a_good_state_reader_has_more_stated() -> None:
    before = knobs(300, 0.6)
    after = looked_at(before, tuple("12345"), 0.99)
    reports = []
    for rows in (before, after):
        outcomes = class_outcomes(rows)
        reports.append(class_reports(outcomes, class_limits(outcomes))[0])
    assert reports[0].stated.value < 0.1
    assert reports[1].stated.value > 0.9
    assert reports[1].stated_right.value >= 0.97


def test_the_pixels_have_a_voice_beside_the_other_two() -> None:
    rows = looked_at(lamps(240, noise=0.3, donut=0.4), LAMP_COLORS, 0.5)
    pool = fit_pools(rows).warning_light_color
    assert pool is not None
    assert pool.pixels > max(pool.states, pool.donut)
    report = class_reports(class_outcomes(rows), {LAMP: 0.0})[0]
    assert report.right.value > 0.97


def test_a_limit_needs_enough_that_is_right() -> None:
    assert class_limits(class_outcomes(selectors(100, 1.0, 0.7)))[SELECTOR] == pytest.approx(0.7)
    assert class_limits(class_outcomes(selectors(10, 1.0, 0.7)))[SELECTOR] == math.inf
    assert class_limits(class_outcomes(selectors(100, 0.9, 0.7)))[SELECTOR] == math.inf
    sure, unsure = selectors(100, 1.0, 0.9), selectors(100, 0.5, 0.5)
    assert class_limits(class_outcomes([*sure, *unsure]))[SELECTOR] == pytest.approx(0.9)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60), st.floats(0.5, 0.999))
def test_from_a_limit_on_the_share_is_right(outcomes: list[tuple[float, bool]], share: float) -> None:
    limit = limit_for([c for c, _ in outcomes], [r for _, r in outcomes], share)
    kept = [right for confidence, right in outcomes if confidence >= limit]
    if math.isfinite(limit):
        assert kept
        assert (sum(kept) + 0.5) / (len(kept) + 1) >= share
    else:
        assert not kept


def test_limits_go_to_the_file_with_the_curves(tmp_path: Path) -> None:
    Calibration(limits={LAMP: 0.75, SELECTOR: math.inf}).save(tmp_path)
    assert "Infinity" not in (tmp_path / "calibration.json").read_text()
    assert Calibration.load(tmp_path).limits == {LAMP: 0.75, SELECTOR: math.inf}
    (tmp_path / "calibration.json").write_text('{"limits": [1]}')
    with pytest.raises(CalibrationError, match="is not a calibration"):
        Calibration.load(tmp_path)
    with pytest.raises(CalibrationError):
        limit_for([0.5], [], 0.9)


def test_the_whole_fit_states_lamps_and_saves_what_it_knows(tmp_path: Path) -> None:
    fitted = fit_rows([*lamps(200, noise=0.2, donut=1.0), *selectors(100, 1.0, 0.7)])
    assert fitted.lamp is not None
    assert {LAMP, SELECTOR} == set(fitted.calibration.limits)
    assert fitted.calibration(SELECTOR, 0.7) > 0.9
    assert fitted.calibration(SELECTOR, 0.0) == 0.0
    assert fitted.calibration(SELECTOR, 0.1) < 0.3
    assert [report.name for report in fitted.classes] == [SELECTOR, LAMP]
    fitted.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["calibration.json", "lamp.json", "support.json"]
    fit_rows(selectors(50, 1.0, 0.7)).save(tmp_path)
    assert (tmp_path / "lamp.json").is_file()
    looked = fit_rows(looked_at(knobs(100, 0.8), tuple("12345"), 0.95))
    looked.save(tmp_path)
    assert StatePools.load(tmp_path) == looked.pools != StatePools()


def test_rows_say_what_is_there() -> None:
    image, votes = np.zeros((60, 60, 3), np.uint8), ClassVotes(0.9, {"red": 0.5})
    lamp = make_lamp()
    seen = class_row("a", lamp, "lamp", votes, image, (5.0, 5.0, 50.0, 50.0))
    assert seen is not None
    assert (seen.true, seen.name, len(seen.features)) == ("red", LAMP, FEATURES)
    other = class_row("a", make_truth(), "selector", votes, image, (5.0, 5.0, 50.0, 50.0))
    assert other is not None
    assert (other.true, other.features) == (None, ())
    assert other.votes == votes
    closely = class_row("a", lamp, "lamp", votes._replace(seen={"red": 1.0}, seen_kind=0.7), image, (5.0, 5.0, 50.0, 50.0))
    assert closely is not None
    assert ClassRow.model_validate_json(closely.model_dump_json()).votes.seen == {"red": 1.0}
    assert class_row("a", None, "selector", votes, image, (5.0, 5.0, 50.0, 50.0)) is not None
    dark = lamp.model_copy(update={"readable": False})
    assert class_row("a", dark, "lamp", votes, image, (5.0, 5.0, 50.0, 50.0)) is None


def test_the_sets_are_drawn_with_seeds_of_their_own(tmp_path: Path) -> None:
    ends = sorted((one.seed, one.seed + one.pictures) for one in SETS)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(ends))
    assert ends[0][0] >= 900_000_000
    assert ends[-1][1] < EVALUATION_SEED
    sets = [DrawnSet("close_class", 5, 900_300_000, "classes")]
    folders = draw_sets(tmp_path, sets, limit=3)
    assert folders.values == folders.pixels == ()
    records = list(read_records(folders.classes[0]))
    assert len(records) == 3
    assert list(read_records(draw_sets(tmp_path, sets, limit=3).classes[0])) == records
    rows = list(pixel_rows(folders.classes[0]))
    lamps_there = [one for record in records for one in record.truth.instruments if one.fields.kind == "lamp" and one.readable]
    assert [row.true for row in rows] == [one.fields.warning_light_color for one in lamps_there]
    assert all(row.shares == {} and len(row.features) == FEATURES for row in rows)
    assert list(pixel_rows(folders.classes[0])) == rows
