"""`gauge bench cameras`: what it counts follows from truth and errors, and the frames are really read."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from serve.commands.watch_bench import CameraBench, bench_text, score_week
from serve.commands.watch_bench_frames import FrameError, MeasuredErrors, _scale, _scenes, frame_error
from serve.commands.watch_bench_week import LIMIT, STUCK_S, WeekOptions, see_plant, simulate_plant
from tests.serve.conftest import Gauge
from tests.serve.doubles import WEIGHTS, abstained_dial, make_dial
from vision.fields import InstrumentReading, PhotoReading

SHORT = WeekOptions(cameras=3, days=2.0, every_s=60.0, stuck=1)


def right(count: int = 1) -> list[FrameError]:
    rng = np.random.default_rng(1)
    return [
        FrameError(dial=0, glare=False, truth=0.5, error=float(rng.normal(0, 0.003)), half=0.02, confidence=0.9)
        for _ in range(count)
    ]


def wild(error: float = 0.4) -> FrameError:
    return FrameError(dial=0, glare=True, truth=0.5, error=error, half=0.02, confidence=0.9)


UNREAD = FrameError(dial=0, glare=True, truth=0.5, reason="glare")


def test_a_week_has_its_rises_and_its_stuck_needle() -> None:
    plant = simulate_plant(np.random.default_rng(3), WeekOptions(), sticks=True)
    assert len(plant.at_s) == 7 * 1440
    above = plant.process > LIMIT
    assert np.count_nonzero(np.diff(above.astype(int)) == 1) == 4
    assert np.abs(np.diff(plant.process)).max() < 0.05
    assert plant.stuck is not None
    stands = (plant.at_s >= plant.stuck[0]) & (plant.at_s < plant.stuck[1])
    assert np.ptp(plant.needle[stands]) == 0
    assert stands.sum() * 60.0 == pytest.approx(STUCK_S, abs=60)
    assert np.array_equal(plant.needle[~stands], plant.process[~stands])


def test_seen_is_needle_plus_error() -> None:
    plant = simulate_plant(np.random.default_rng(3), SHORT, sticks=False)
    seen = see_plant(np.random.default_rng(4), plant, [wild(0.1)], 1.0)
    assert all(one is not None and one.value == pytest.approx(true + 0.1) for one, true in zip(seen, plant.needle, strict=True))
    assert set(see_plant(np.random.default_rng(4), plant, [UNREAD], 1.0)) == {None}


def test_errors_stay_as_long_as_they_should() -> None:
    plant = simulate_plant(np.random.default_rng(3), WeekOptions(), sticks=False)
    for persist in (1.0, 5.0):
        seen = see_plant(np.random.default_rng(4), plant, [*right(1), UNREAD], persist)
        changes = sum((a is None) != (b is None) for a, b in pairwise(seen))
        assert len(seen) / max(changes, 1) == pytest.approx(2 * persist, rel=0.1)


def test_a_good_reader_needs_no_help() -> None:
    score = score_week(right(50), SHORT)
    assert (score.frames, score.stuck, score.stuck_found) == (3 * 2880, 1, 1)
    assert (score.raw.wrong, score.wrong_read) == (0, 0)
    assert score.kept.wrong < 0.005 * score.kept.stated  # A median is late while the process rises.
    assert score.right_held <= 4  # The needle that comes loose leaps.
    assert (score.kept.alarms, score.kept.wrong_alarms, score.kept.missed) == (score.rises, 0, 0)
    assert score.kept.inside is not None
    assert score.kept.inside > 0.97


def test_wild_readings_are_kept_out_where_raw_ones_cry_wolf() -> None:
    score = score_week([*right(46), wild(0.45), wild(0.3), wild(-0.3), UNREAD], SHORT)
    assert score.wrong_read > 200
    assert score.raw.wrong == score.wrong_read
    assert score.raw.wrong_alarms > 50
    assert score.wrong_held > 0.95 * score.wrong_read
    assert score.kept.wrong_alarms <= 1
    assert score.kept.missed == 0
    assert score.kept.stated < score.raw.stated


def test_a_blind_reader_misses_everything_and_states_nothing() -> None:
    score = score_week([UNREAD], SHORT)
    assert (score.raw.stated, score.kept.stated, score.kept.worst) == (0, 0, None)
    assert score.kept.missed == score.raw.missed == score.rises > 0


def reading_of(*instruments: InstrumentReading) -> PhotoReading:
    read = any(one.status == "read" for one in instruments)
    reason = None if read else "nothing was read"
    return PhotoReading(
        photo="p", sha256=None, status="read" if read else "abstained", reason=reason, instruments=instruments, weights=WEIGHTS
    )


def test_a_frames_error_is_in_parts_of_the_scale() -> None:
    error = frame_error(reading_of(make_dial(9, 9)), 7, True, 40.0, (0.0, 200.0))
    assert (error.dial, error.glare, error.truth, error.error, error.half) == (7, True, 0.2, 0.05, 0.0075)
    assert frame_error(reading_of(abstained_dial(9, 9)), 0, False, 1.0, (0, 2)).reason == "the needle is hidden"
    two = frame_error(reading_of(make_dial(9, 9), make_dial(9, 9)), 0, False, 1.0, (0, 2))
    assert (two.error, two.reason) == (None, "2 instruments were seen")


def test_frames_of_a_dial_differ_by_needle_and_light_alone() -> None:
    from eval.sweep_scenes import own_value

    scenes = [scene for _, _, scene in _scenes(1, 40)]
    values = {own_value(scene) for scene in scenes}
    assert len(values) == 40
    assert len({scene.instruments[0].pose for scene in scenes}) == 1
    low, high = _scale(scenes[0])
    assert all(low <= value <= high for value in values)
    assert 1 <= sum(glare for _, glare, _ in _scenes(1, 40)) <= 15


def test_the_command_reads_frames_keeps_errors_and_takes_them_up_again(gauge: Gauge, tmp_path: Path) -> None:
    kept = tmp_path / "errors.json"
    first = gauge("bench", "cameras", "--dials", "2", "--frames", "2", "--days", "0.5", "--keep", kept, "--json")
    assert first.code == 0
    told = json.loads(first.out)
    assert [len(told["measured"]["frames"]), told["measured"]["weights"]] == [4, "double 1"]
    assert [week["persist"] for week in told["weeks"]] == [1.0, 5.0]
    assert MeasuredErrors.model_validate_json(kept.read_text(encoding="utf-8")).model_dump(mode="json") == told["measured"]
    again = gauge("bench", "cameras", "--errors", kept, "--days", "0.5")
    assert again.code == 0
    assert "10 cameras, 0.5 days, a frame every 60 s" in again.out
    assert "| 5 | held and smoothed |" in again.out


def test_the_text_says_what_the_numbers_say() -> None:
    bench = run_bench_of([*right(3), wild(), UNREAD])
    text = bench_text(bench)
    assert "5 drawn frames of 1 dials, 4 read, 1 of them off by more than 5% of the scale" in text
    assert f"{bench.weeks[0].kept.stated} of {bench.weeks[0].frames}" in text


def run_bench_of(frames: list[FrameError]) -> CameraBench:
    measured = MeasuredErrors(weights="double 1", frames=tuple(frames))
    week = score_week(frames, WeekOptions(cameras=1, days=0.5))
    return CameraBench(measured=measured, cameras=1, days=0.5, every_s=60.0, weeks=(week,))


def test_a_file_of_errors_that_is_none_is_one_line(gauge: Gauge, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}", encoding="utf-8")
    for name in ("bad.json", "none.json"):
        answer = gauge("bench", "cameras", "--errors", tmp_path / name)
        assert answer.code == 1
        assert answer.err.count("\n") == 1
