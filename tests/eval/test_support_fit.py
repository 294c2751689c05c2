"""The fit of probabilities and widths, on rows whose law is known."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from eval.calibrate import fit_rows, main
from eval.fit_text import describe, note_on_card
from eval.matching import Pair
from eval.risk import at_threshold, auroc, coverage_at
from eval.score import EvalError
from eval.support_fit import FOLDS, MIN_EXAMPLES, fit_source, fit_support, fold_of, widening
from eval.support_rows import ClassRow, FieldRow, UnreadRow, ValueRow, load_rows, value_rows, write_rows
from eval.support_signals import CHOSEN, SIGNS
from tests.eval.builders import abstained_reading, make_lamp, make_truth, perfect_reading, valued
from vision.calibration import CALIBRATION_FILE
from vision.donut import load_card
from vision.fields import InstrumentReading
from vision.judge import Judged
from vision.support import SUPPORT_FILE, Support

SPAN = 100.0


def make_row(index: int = 0, error: float = 0.0, *, half: float = 1.0, source: str = "numerals", **signals: float) -> ValueRow:
    """A value of 50 on a scale of 100, off by `error`, with an interval of `half` to either side."""
    return ValueRow(
        picture=f"drawn/{index}.png",
        source=source,
        stated=0.5,
        value=50.0,
        low=50.0 - half,
        high=50.0 + half,
        least_half=0.0,
        truth=50.0 - error,
        span=SPAN,
        right=False,
        unit_missing=False,
        signals=signals,
    )


def drawn_rows(count: int, seed: int = 1) -> list[ValueRow]:
    """Values that are right with the probability 1 / (1 + exp(-2 witness + 2 needle_moved)); `noise` says nothing."""
    rng = np.random.default_rng(seed)
    rows = []
    for index in range(count):
        witness, needle_moved, noise = rng.normal(size=3)
        right = rng.random() < 1.0 / (1.0 + math.exp(-2.0 * witness + 2.0 * needle_moved))
        signals = {"witness": witness, "needle_moved": needle_moved, "token_scale_min": noise}
        if index % 10 == 0:
            del signals["token_scale_min"]
        rows.append(make_row(index, 0.2 if right else 30.0, **signals))
    return rows


def judged(reading: InstrumentReading, **signals: float) -> Judged:
    return Judged(reading, (), signals, 0.05)


def test_the_law_behind_the_rows_is_found() -> None:
    fitted = fit_source(drawn_rows(600))
    assert fitted is not None
    model, report, probabilities, right = fitted
    assert report.auroc > 0.85
    assert report.calibration_error < 0.08
    assert report.brier < 0.18
    weight = dict(zip(model.names, model.weights, strict=True))
    assert weight["witness"] > 1.0
    assert weight["needle_moved"] < -1.0
    assert abs(weight["token_scale_min"]) < 0.4
    assert model.probability({"witness": 2.0, "needle_moved": -1.0, "token_scale_min": 0.0}) > 0.9
    assert model.probability({"witness": -2.0, "needle_moved": 1.0, "token_scale_min": 0.0}) < 0.1
    assert len(probabilities) == len(right) == 600


def test_a_signal_never_speaks_against_its_meaning() -> None:
    rows = [
        row.model_copy(update={"signals": {"witness": row.signals["needle_moved"], "needle_moved": row.signals["witness"]}})
        for row in drawn_rows(300)
    ]
    fitted = fit_source(rows)
    assert fitted is not None
    weight = dict(zip(fitted[0].names, fitted[0].weights, strict=True))
    assert weight["witness"] >= 0.0
    assert weight["needle_moved"] <= 0.0


def test_the_same_rows_give_the_same_model_in_any_order_of_signals() -> None:
    rows = drawn_rows(200)
    turned = [row.model_copy(update={"signals": dict(reversed(row.signals.items()))}) for row in rows]
    assert fit_support(rows)[0] == fit_support(turned)[0]


def test_too_few_or_all_right_gives_no_model() -> None:
    assert fit_source(drawn_rows(MIN_EXAMPLES - 1)) is None
    assert fit_source([make_row(index, 0.1, witness=index / 100) for index in range(100)]) is None


def test_widths_are_those_that_hold_nine_of_ten() -> None:
    rows = [make_row(index, error) for index, error in enumerate(np.linspace(0.01, 3.0, 100))]
    factor = widening(rows)
    assert factor == pytest.approx(2.73, abs=0.05)
    support = Support(sources={})
    held = sum(abs(row.value - (row.truth or 0.0)) <= factor for row in rows)
    assert 90 <= held <= 92
    assert not rows[-1].holds(support)


def test_gross_errors_and_digits_do_not_widen() -> None:
    rows = [make_row(index, 1.5) for index in range(60)]
    gross = [make_row(index, 40.0) for index in range(60)]
    assert widening(rows + gross) == widening(rows) == pytest.approx(1.5)
    assert widening([row.model_copy(update={"source": "digits"}) for row in rows]) == 1.0
    assert widening(rows[:10]) == 1.0
    assert widening([]) == 1.0


def test_the_least_half_counts_as_width() -> None:
    rows = [make_row(index, 2.0).model_copy(update={"least_half": 2.5}) for index in range(60)]
    assert widening(rows) == 1.0


def test_drawn_pictures_never_narrow_an_interval() -> None:
    assert widening([make_row(index, 0.1) for index in range(60)]) == 1.0


def test_ranking_by_hand() -> None:
    right = np.array([True, True, False, False])
    assert auroc(np.array([0.9, 0.8, 0.2, 0.1]), right) == 1.0
    assert auroc(np.array([0.1, 0.2, 0.8, 0.9]), right) == 0.0
    assert auroc(np.array([0.5, 0.5, 0.5, 0.5]), right) == 0.5
    assert math.isnan(auroc(np.array([0.5]), np.array([True])))


def test_coverage_by_hand() -> None:
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    right = np.array([True, True, False, True, True])
    assert coverage_at(scores, right, 10, 0.99).coverage == pytest.approx(0.2)
    assert coverage_at(scores, right, 10, 0.99).threshold == pytest.approx(0.8)
    assert coverage_at(scores, right, 10, 0.8).coverage == pytest.approx(0.5)
    assert at_threshold(scores, right, 10, 0.65).right == pytest.approx(2 / 3)
    nothing = coverage_at(scores, ~right & right, 10, 0.9)
    assert nothing.coverage == 0.0
    assert math.isnan(nothing.threshold)


def test_equal_scores_are_stated_together_or_not_at_all() -> None:
    scores = np.array([0.9, 0.9, 0.9, 0.9])
    right = np.array([True, True, False, False])
    assert coverage_at(scores, right, 4, 0.9).coverage == 0.0
    assert coverage_at(scores, right, 4, 0.5).coverage == 1.0


def test_folds_go_by_picture() -> None:
    folds = {fold_of(f"drawn/{index}.png") for index in range(200)}
    assert folds == set(range(FOLDS))
    assert fold_of("drawn/7.png") == fold_of("drawn/7.png")


def test_rows_of_a_right_a_wrong_an_unread_and_an_invented_value() -> None:
    truth, lamp = make_truth(), make_lamp()
    right, wrong = perfect_reading(truth), valued(perfect_reading(truth), 8.0)
    invented = valued(perfect_reading(lamp, box=(300, 300, 400, 400)), 1.0)
    pairs = [
        Pair(truth, right, 1.0, True),
        Pair(truth, wrong, 1.0, True),
        Pair(truth, abstained_reading(truth), 1.0, True),
        Pair(truth, None, 0.0, True),
        Pair(lamp, perfect_reading(lamp), 1.0, False),
        Pair(None, invented, 0.0, False),
    ]
    rows = value_rows("a.png", pairs, [judged(invented), judged(wrong, bend=1.0, nothing=math.nan), judged(right, bend=2.0)])
    values = [row for row in rows if isinstance(row, ValueRow)]
    unread = [row for row in rows if isinstance(row, UnreadRow)]
    assert [row.right for row in values] == [True, False, False]
    assert [row.on_scale for row in values] == [True, False, None]
    assert [row.signals for row in values] == [{"bend": 2.0}, {"bend": 1.0}, {}]
    assert values[2].truth is None
    assert not values[2].holds(Support())
    assert [row.reason for row in unread] == ["needle not found", "not found"]


def test_a_value_without_unit_claims_a_number_and_one_with_a_wrong_unit_is_wrong() -> None:
    truth = make_truth()
    bare = valued(perfect_reading(truth), 3.5, unit=None)
    converted = valued(perfect_reading(truth), 350.0, unit="kPa")
    foreign = valued(perfect_reading(truth), 3.5, unit="V")
    readings = [bare, converted, foreign]
    rows = [value_rows("a", [Pair(truth, one, 1.0, True)], [judged(one)])[0] for one in readings]
    assert all(isinstance(row, ValueRow) for row in rows)
    first, second, third = (row for row in rows if isinstance(row, ValueRow))
    assert first.right
    assert first.unit_missing
    assert second.right
    assert second.truth == pytest.approx(350.0)
    assert second.span == pytest.approx(1000.0)
    assert not third.right
    assert third.truth is None


def test_rows_survive_their_file(tmp_path: Path) -> None:
    rows = [
        *drawn_rows(5),
        FieldRow(picture="a", name="kind", confidence=0.5, right=True),
        UnreadRow(picture="a", kind="dial", reason="glare"),
        ClassRow(picture="a", name="warning_light_color", true=None, kind=0.9, shares={"red": 0.5}, features=(0.1, 0.2)),
    ]
    write_rows(tmp_path / "rows.jsonl", rows)
    assert load_rows(tmp_path / "rows.jsonl") == rows
    with pytest.raises(EvalError, match=r"none\.jsonl"):
        load_rows(tmp_path / "none.jsonl")
    (tmp_path / "bad.jsonl").write_text('{"row": "poem"}\n')
    with pytest.raises(EvalError, match=r"bad\.jsonl"):
        load_rows(tmp_path / "bad.jsonl")


def test_unread_values_count_in_the_coverage_and_invented_ones_against_it() -> None:
    rows = drawn_rows(200)
    unread = [UnreadRow(picture=f"u{index}", kind="dial", reason="glare") for index in range(200)]
    few, many = fit_support(rows)[1], fit_support([*rows, *unread])[1]
    assert many.unread == 200
    for alone, beside in zip(few.risk, many.risk, strict=True):
        assert beside.coverage == pytest.approx(alone.coverage / 2.0)
    coverages = [point.coverage for point in few.risk]
    assert coverages == sorted(coverages)  # the less must be right, the more can be stated


def test_a_source_with_few_values_keeps_a_curve_instead_of_a_model() -> None:
    rows = [*drawn_rows(200), *[make_row(index, 0.1, source="digits", looks_sure=0.9) for index in range(45)]]
    fitted = fit_rows(rows)
    assert set(fitted.support.sources) == {"numerals"}
    assert {"value_digits", "value_numerals"} <= set(fitted.calibration.curves)
    assert fitted.calibration("value_digits", 0.5) > 0.9
    few = fit_rows([make_row(index, 0.1 if index else 30.0, source="digits") for index in range(20)])
    assert few.calibration("value_digits", 0.3) == few.calibration("value_digits", 0.99) == pytest.approx(20 / 22, abs=1e-4)
    assert "value_digits" not in fit_rows([make_row(0, 0.1, source="digits")]).calibration.curves


def test_only_the_chosen_signals_are_fitted_on() -> None:
    rows = [row.model_copy(update={"signals": row.signals | {"contrast": row.signals["witness"]}}) for row in drawn_rows(200)]
    fitted = fit_source(rows)
    assert fitted is not None
    assert set(fitted[0].names) == {"witness", "needle_moved", "token_scale_min"}
    assert all(name in SIGNS for names in CHOSEN.values() for name in names if name not in ("placement", "digits"))
    assert fit_source([row.model_copy(update={"signals": {"contrast": 1.0}}) for row in rows]) is None


def test_the_command_fits_again_from_rows_and_completes_the_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights are not opened for a fit from rows")
    (folder / "card.json").write_text(json.dumps({"name": "mine"}))
    write_rows(tmp_path / "rows.jsonl", drawn_rows(200))
    main([str(folder), "--rows", str(tmp_path / "rows.jsonl"), "--from-rows"])
    shown = capsys.readouterr().out
    assert "200 values stated" in shown
    assert "95% right: coverage" in shown
    assert Support.load(folder).sources["numerals"].examples == 200
    assert (folder / CALIBRATION_FILE).is_file()
    card = load_card(folder)
    assert card["name"] == "mine"
    assert card["calibrated_on"] == ["drawn"]
    assert card["confidence"]["sources"][0]["source"] == "numerals"
    before = (folder / SUPPORT_FILE).read_bytes()
    main([str(folder), "--rows", str(tmp_path / "rows.jsonl"), "--from-rows", "--no-save"])
    assert (folder / SUPPORT_FILE).read_bytes() == before


def test_the_command_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--from-rows"])


def test_the_report_is_strict_json(tmp_path: Path) -> None:
    fitted = fit_rows([])
    assert "0 values stated" in describe(fitted.report, fitted.classes)
    note_on_card(tmp_path, fitted.report, fitted.classes, [])
    assert "NaN" not in (tmp_path / "card.json").read_text()
