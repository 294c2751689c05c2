"""The vision bench on readings made by hand: tables, curves, plots, pictures, and sweeps with a reader that sees all."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from eval.bench_vision import BenchOptions, VisionBench, bench_vision
from eval.bench_vision_cases import Case, drawn_cases, drawn_pairs, tilt_of, worst
from eval.bench_vision_curves import error_bins, honesty, risk_coverage
from eval.bench_vision_scores import score_drawn
from eval.bench_vision_text import bench_markdown
from eval.plots import plot_scores, plot_sweeps
from eval.score import NAN, EvalError
from eval.sweep_scenes import dial_scene, own_value, relit, sweep_dial
from eval.sweeps import Pairs, Sweeps, run_sweeps, span_error
from eval.valuescores import judge_value
from serve.cli import app
from serve.commands.bench_pictures import OverlayFolder, caption, write_worst
from synth.errors import BlenderError
from synth.scene import GaugeScene, Pose
from synth.spec import DialSpec
from tests.eval.builders import (
    ScriptedReader,
    abstained_reading,
    as_json,
    make_lamp,
    make_photo,
    make_record,
    make_truth,
    perfect_reading,
    valued,
)
from tests.eval.test_photos import ROWS, write_folder
from vision.fields import PhotoReading
from vision.samples import write_records


def case(right: bool = True, confidence: float = 0.9, **changes: Any) -> Case:
    """An answered dial, 0.3 % of the span off, or that with changes."""
    values: dict[str, Any] = {"photo": "a.png", "kind": "dial", "group": "dial", "readable": True, "answered": True}
    values |= {"right": right, "holds": right, "claim": right, "confidence": confidence, "span_error": 0.003 if right else 0.2}
    values |= {"needle_error_deg": 0.5, "points_error_deg": 0.5, "tilt_deg": 5.0, "size_px": 150.0, "legibility": 0.8}
    values |= {"value": 3.5, "unit": "bar", "true_value": 3.5, "true_unit": "bar", "reason": None}
    return Case(**(values | changes))


def silent(**changes: Any) -> Case:
    return case(False, 0.0, answered=False, span_error=NAN, value=None, reason="needle not found", **changes)


def test_coverage_at_99_stops_before_the_first_wrong_answer_that_counts() -> None:
    cases = [case(confidence=0.99)] * 6 + [case(False, 0.8)] + [case(confidence=0.6)] * 2 + [silent()]
    found = honesty(cases)
    assert (found.coverage_at_99.hits, found.coverage_at_99.n) == (6, 10)
    assert found.threshold_at_99 == 0.99
    assert [round(point.risk, 3) for point in found.risk_coverage] == [0.0, 0.143, 0.111]
    assert found.sure_wrong.hits == 0


def test_answers_of_one_confidence_are_not_told_apart_by_their_order() -> None:
    cases = [case(confidence=0.9), case(False, 0.9)]
    assert risk_coverage(cases) == risk_coverage(cases[::-1])
    assert len(risk_coverage(cases)) == 1
    assert honesty(cases).coverage_at_99.hits == 0
    assert math.isnan(honesty(cases).threshold_at_99)


def test_without_answers_nothing_is_claimed() -> None:
    found = honesty([silent()])
    assert math.isnan(found.calibration_error)
    assert math.isnan(found.risk_area)
    assert found.reliability == ()
    assert honesty([]).coverage_at_99.n == 0


def test_calibration_is_told_for_what_is_said_and_strictly() -> None:
    """The second lies in its stated interval, or has no unit: true as it stands, wrong where the unit is asked for."""
    found = honesty([case(confidence=1.0), case(False, 1.0, holds=True, claim=True, unit=None)])
    assert found.calibration_error == pytest.approx(0.0)
    assert found.strict_calibration_error == pytest.approx(0.5)
    assert (found.sure_wrong.hits, found.strict_sure_wrong.hits) == (0, 1)
    assert (found.coverage_at_99.hits, found.strict_coverage_at_99.hits) == (2, 0)
    assert found.without_unit == 1


def test_auroc_says_whether_true_answers_are_surer() -> None:
    ranked = honesty([case(confidence=0.9), case(confidence=0.8), case(False, 0.7), case(False, 0.6)])
    assert ranked.auroc == ranked.strict_auroc == 1.0
    blind = honesty([case(confidence=0.7), case(False, 0.7)])
    assert blind.auroc == 0.5
    assert math.isnan(honesty([case()]).auroc)


@pytest.mark.parametrize(
    ("value", "unit", "half", "claim"),
    [
        (3.5, "bar", 0.1, True),
        (3.5, None, 0.1, True),
        (3.8, None, 0.5, True),
        (3.8, "bar", 0.5, True),
        (3.5, "psi", 0.1, False),
        (9.0, None, 0.1, False),
        (9.0, "bar", 0.1, False),
    ],
)
def test_a_claim_is_the_number_in_its_interval_and_the_unit_if_one_is_stated(
    value: float, unit: str | None, half: float, claim: bool
) -> None:
    truth = make_truth()
    assert (truth.value, truth.unit) == (3.5, "bar")
    reading = valued(perfect_reading(truth), value).model_copy(
        update={"unit": unit, "value_low": value - half, "value_high": value + half}
    )
    answer = judge_value(truth, reading)
    assert answer is not None
    assert answer.claim is claim


def test_reliability_bins_take_a_confidence_of_one_into_the_last() -> None:
    (last,) = honesty([case(confidence=1.0)] * 3).reliability
    assert (last.low, last.high, last.n, last.right.hits) == (0.9, 1.0, 3, 3)


def test_error_bins_leave_out_what_is_not_known_and_what_is_empty() -> None:
    bins = error_bins([case(tilt_deg=5.0), case(False, tilt_deg=25.0), case(tilt_deg=NAN)], lambda c: c.tilt_deg, (0, 10, 20, 30))
    assert [(one.low, one.n, one.right.hits) for one in bins] == [(0, 1, 1), (20, 1, 0)]


@pytest.mark.parametrize("tilt", [0.0, 15.0, 40.0, 60.0])
def test_the_tilt_comes_back_from_the_matrix(tilt: float) -> None:
    for pose in (Pose((200, 180), 120, tilt_y_deg=tilt), Pose((200, 180), 120, roll_deg=33, tilt_x_deg=-tilt, focal=40)):
        assert tilt_of(list(pose.homography().ravel())) == pytest.approx(tilt, abs=1.5)
    assert math.isnan(tilt_of(None))


@pytest.mark.parametrize("tilt", [0.0, 20.0, 50.0])
def test_a_sweep_tilts_by_what_it_says(tilt: float) -> None:
    for number in range(4):
        (placed,) = dial_scene(number, tilt_deg=tilt).instruments
        assert placed.pose.tilt_deg == pytest.approx(tilt, abs=1e-6)


def drawn() -> tuple[list[Any], list[PhotoReading]]:
    """Three pictures: a dial and a lamp read right, a dial off by 2 of 10 and sure, a dial that abstains."""
    first, lamp, second, third = make_truth(), make_lamp(), make_truth(), make_truth(scale_max=6.0)
    records = [make_record("1.png", first, lamp), make_record("2.png", second), make_record("3.png", third)]
    lit = perfect_reading(lamp)
    readings = [
        make_photo("1.png", perfect_reading(first), lit),
        make_photo("2.png", valued(perfect_reading(second), 5.5, confidence=0.95)),
        make_photo("3.png", abstained_reading(third)),
    ]
    return records, readings


def test_measures_of_drawn_pictures_count_every_readable_instrument() -> None:
    scores = score_drawn("three", *drawn())
    assert (scores.within_span.hits, scores.within_span.n) == (1, 3)
    assert (scores.within_span_answered.hits, scores.within_span_answered.n) == (1, 2)
    assert (scores.scale_ends.hits, scores.scale_ends.n) == (2, 3)
    assert (scores.units.hits, scores.units.n) == (2, 3)
    assert scores.dials_abstained.hits == 1
    assert scores.span_error_mean == pytest.approx(0.1)
    assert scores.needle_field_deg.n == 2
    dial, lamp = scores.kinds
    assert (dial.value_right.hits, dial.value_answered_right.n, dial.exact.n) == (1, 2, 0)
    assert (lamp.exact.hits, lamp.exact.n, lamp.value_right.n) == (1, 1, 0)
    assert scores.honesty.sure_wrong.hits == 1
    assert scores.made_up.hits == 0


def test_what_nobody_could_read_is_counted_apart() -> None:
    truth = make_truth().model_copy(update={"readable": False})
    readings = [make_photo("1.png", valued(perfect_reading(truth), 9.0, confidence=0.97))]
    scores = score_drawn("dark", [make_record("1.png", truth)], readings)
    assert scores.within_span.n == 0
    assert (scores.unreadable_sure.hits, scores.unreadable_sure.n) == (1, 1)
    assert scores.kinds == ()


def test_a_value_on_a_picture_without_instruments_is_made_up() -> None:
    truth = make_truth()
    scores = score_drawn("empty", [make_record("1.png")], [make_photo("1.png", valued(perfect_reading(truth), 3.0))])
    assert (scores.made_up.hits, scores.made_up.n, scores.made_up_sure) == (1, 1, 1)


def size_of(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        return picture.size


def write_drawn(folder: Path) -> tuple[Path, ScriptedReader]:
    records, readings = drawn()
    write_records(folder, records)
    for record in records:
        Image.new("RGB", (300, 200), "white").save(folder / record.file_name)
    return folder, ScriptedReader(*readings)


QUICK = BenchOptions(speed_photos=0)


def test_a_run_goes_over_both_kinds_of_folders_and_shows_each_reading(tmp_path: Path) -> None:
    folder, reader = write_drawn(tmp_path / "drawn")
    labelled = write_folder(tmp_path / "photos", ROWS)
    seen: list[str] = []
    bench = bench_vision([folder, labelled], reader, QUICK, see=lambda path, _: seen.append(path.name), progress=False)
    assert [scores.name for scores in bench.drawn] == ["drawn"]
    assert [scores.name for scores in bench.photos] == ["photos"]
    assert len(seen) == 3 + len(ROWS)
    assert bench.photos[0].needle_within.hits == 0
    assert bench.photos[0].sure_made_up == 0
    assert as_json(bench)["drawn"][0]["pictures"] == 3
    assert VisionBench.model_validate_json(bench.model_dump_json()).model_dump_json() == bench.model_dump_json()
    text = bench_markdown(bench)
    for word in ("needle error", "within 1 % of span", "scale ends", "coverage at 99 %", "moving dial", "made up", "calibration"):
        assert word in text
    assert "nan" not in text


def test_wrong_calls_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    reader = ScriptedReader()
    for folders, options, message in (
        ([tmp_path], QUICK, "no dataset"),
        ([], QUICK, "nothing to do"),
        ([tmp_path], replace(QUICK, limit=0), "limit"),
    ):
        with pytest.raises(EvalError, match=message):
            bench_vision(folders, reader, options, progress=False)
    assert reader.asked == []


def test_plots_overlays_and_the_sheet_of_the_worst_are_written(tmp_path: Path) -> None:
    folder, reader = write_drawn(tmp_path / "drawn")
    overlays = OverlayFolder(tmp_path / "overlays")
    bench = bench_vision([folder], reader, QUICK, see=overlays.see, progress=False)
    (scores,) = bench.drawn
    written = plot_scores(
        tmp_path / "plots", "drawn", scores.cases, scores.honesty, {"size (pixels)": scores.by_size, "tilt": ()}
    )
    assert [path.name for path in written] == [
        *("drawn_errors.png", "drawn_reliability.png", "drawn_risk_coverage.png", "drawn_by_size.png"),
    ]
    assert all(size_of(path)[0] > 400 for path in written)
    assert len(list((tmp_path / "overlays").iterdir())) == 3
    sheet = write_worst(tmp_path / "worst.jpg", folder, scores.cases, overlays)
    assert sheet is not None
    assert size_of(sheet) == (720, 414)
    assert write_worst(tmp_path / "none.jpg", folder, [case()], overlays) is None


def test_the_worst_are_sure_and_wrong_then_silent_and_each_photo_once() -> None:
    cases = [case(photo="right"), silent(photo="silent"), case(False, 0.5, photo="unsure"), case(False, 0.95, photo="sure")]
    cases += [silent(photo="sure"), silent(photo="dark", readable=False)]
    assert [one.photo for one in worst(cases, 9)] == ["sure", "unsure", "silent"]
    assert [one.photo for one in worst(cases, 1)] == ["sure"]
    assert caption(silent(photo="x.png")) == ("x: true 3.5 bar", "abstained: needle not found")
    assert "confidence 0.95" in caption(cases[3])[1]


class Seer:
    """Reads drawn dials by their truth: it knows the scenes that a sweep draws. Silent below 100 pixels."""

    def __init__(self) -> None:
        self.scenes: list[GaugeScene] = []

    def draw(self, scene: GaugeScene) -> Any:
        self.scenes.append(scene)
        return np.zeros((8, 8, 3), np.uint8)

    def read_photos(self, sources: Any) -> Iterator[PhotoReading]:
        for source in sources:
            assert Image.open(io.BytesIO(source)).size == (8, 8)
            (truth,) = self.scenes[-1].truth().instruments
            spec = self.scenes[-1].instruments[0].spec
            assert isinstance(spec, DialSpec)
            if truth.box[2] - truth.box[0] < 100:
                yield make_photo("sweep", abstained_reading(truth))
                continue
            own = own_value(self.scenes[-1]) + 0.005 * spec.scale.span
            changes = {"value": own, "value_low": own, "value_high": own, "value_confidence": 0.9}
            yield make_photo("sweep", perfect_reading(truth, **changes))


def test_sweeps_measure_against_the_needle_itself(tmp_path: Path) -> None:
    seer = Seer()
    sweeps = run_sweeps(seer, dials=2, pairs=3, renderers={"seer": seer.draw}, progress=False)
    angle, size, blur = sweeps.sweeps
    assert [step.setting for step in angle.steps] == [0, 10, 20, 30, 40, 50]
    for step in (*angle.steps, *blur.steps):
        assert step.dials == 2
        assert step.span_error.value == pytest.approx(0.005)
        assert step.within_span.hits == 2
        assert step.sure_wrong.hits == 0
    assert [step.abstained.hits for step in size.steps] == [2, 2, 2, 0, 0, 0, 0]
    assert isinstance(sweeps.pairs[0], Pairs)
    assert sweeps.pairs[0].agree.hits == 3
    assert len(plot_sweeps(tmp_path, sweeps)) == 3
    text = bench_markdown(VisionBench(weights=None, sweeps=sweeps))
    assert "view angle" in text
    assert json.loads(sweeps.model_dump_json())
    assert Sweeps.model_validate_json(sweeps.model_dump_json())


def test_view_angles_and_pairs_are_drawn_by_blender_too_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seer = Seer()

    class Blender:
        """Stands for a worker: draws as the flat renderer of the seer, and says when it was closed."""

        closed = False

        def __init__(self, home: Path) -> None:
            assert home == tmp_path

        def __enter__(self) -> Blender:
            return self

        def __exit__(self, *_: object) -> None:
            Blender.closed = True

        def render(self, scene: GaugeScene) -> np.ndarray:
            return seer.draw(scene)

    monkeypatch.setattr("eval.bench_vision.BlenderRenderer", Blender)
    monkeypatch.setattr("eval.bench_vision.find_blender", lambda home: home)
    monkeypatch.setattr("eval.bench_vision.flat_draw", lambda: seer.draw)
    options = BenchOptions(speed_photos=0, sweeps=True, sweep_dials=1, sweep_pairs=1, blender_home=tmp_path)
    bench = bench_vision([], seer, options, progress=False)
    assert bench.sweeps is not None
    assert [(sweep.name.split()[0], sweep.renderer) for sweep in bench.sweeps.sweeps] == [
        ("view", "flat"),
        ("view", "blender"),
        ("size", "flat"),
        ("blur", "flat"),
    ]
    assert [pair.renderer for pair in bench.sweeps.pairs] == ["flat", "blender"]
    assert Blender.closed


def test_a_blender_that_is_not_there_is_told_before_anything_is_read(tmp_path: Path) -> None:
    options = BenchOptions(speed_photos=0, sweeps=True, blender_home=tmp_path)
    with pytest.raises(BlenderError, match="--prepare-blender"):
        bench_vision([], Seer(), options, progress=False)


def test_a_sweep_out_of_time_says_how_far_it_came() -> None:
    seer = Seer()
    sweeps = run_sweeps(seer, dials=2, pairs=2, renderers={"seer": seer.draw}, budget_s=-1.0, progress=False)
    assert all(sweep.steps == () for sweep in sweeps.sweeps)
    assert sweeps.pairs[0].pairs == 0
    assert bench_markdown(VisionBench(weights=None, sweeps=sweeps))


def test_pairs_show_the_same_needle_in_other_pictures() -> None:
    for number in range(3):
        first, second = dial_scene(number), relit(number)
        assert first.instruments[0].spec == second.instruments[0].spec == sweep_dial(number)
        assert first.instruments[0].pose != second.instruments[0].pose
        assert first.light != second.light
        assert 0.0 <= span_error(first, perfect_reading(first.truth().instruments[0])) < 0.02
    assert relit(1) == relit(1)


def test_a_unit_of_another_quantity_has_no_small_error() -> None:
    scene = dial_scene(0)
    (truth,) = scene.truth().instruments
    other = "V" if truth.unit != "V" else "bar"
    assert truth.unit is not None
    assert span_error(scene, perfect_reading(truth, unit=other)) == math.inf
    assert math.isnan(span_error(scene, abstained_reading(truth)))


def test_cases_carry_what_plots_need() -> None:
    scene = dial_scene(0, tilt_deg=20.0)
    truth = scene.truth().instruments[0]
    pairs = drawn_pairs([make_record("1.png", truth)], [make_photo("1.png", perfect_reading(truth))])
    (found,) = drawn_cases(pairs)
    assert found.right
    assert found.tilt_deg == pytest.approx(20.0, abs=2.0)
    assert found.points_error_deg == pytest.approx(0.0, abs=1e-6)
    assert found.size_px > 200
    assert found.legibility == truth.legibility


def test_the_command_names_a_folder_that_is_no_dataset(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["bench", "vision", str(tmp_path), "--speed", "0"])
    assert result.exit_code == 1
    assert "neither" in result.stderr
