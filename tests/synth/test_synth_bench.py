"""`gauge bench synth`: figures of real pictures, for people and as JSON; Blender's part is skipped with its reason."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from serve.cli import app
from synth import bench
from synth.bench import BlenderSpeed, SynthSpeed, measure_synth, speed_record, speed_text
from synth.recipe import load_recipe


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "WARM_UP", 1)


def test_stages_add_up_to_the_whole(tmp_path: Path) -> None:
    speed = measure_synth("close", 1, tmp_path, 0)
    flat = speed.flat
    assert (flat.pictures, flat.size_px) == (1, load_recipe("close").size)
    stages = (flat.sample_ms, flat.render_ms, flat.truth_ms, flat.encode_ms)
    assert min(stages) >= 0
    assert flat.render_ms > 0
    assert sum(stages) == pytest.approx(flat.median_ms, abs=0.05), "of one picture the medians are its own times"
    assert flat.median_ms == flat.p95_ms == flat.mean_ms
    assert (speed.blender, speed.blender_skipped) == (None, "not asked for")


def test_medians_lie_below_the_slowest(tmp_path: Path) -> None:
    flat = measure_synth("close", 4, tmp_path, 0).flat
    assert flat.pictures == 4
    assert 0 < flat.median_ms <= flat.p95_ms
    assert flat.render_ms <= flat.render_p95_ms


def test_blender_that_is_absent_is_a_reason_not_a_figure(tmp_path: Path) -> None:
    speed = measure_synth("close", 1, tmp_path / "empty", 1)
    assert speed.blender is None
    assert speed.blender_skipped is not None
    assert "--prepare-blender" in speed.blender_skipped
    assert f"blender: skipped, {speed.blender_skipped}" in speed_text(speed)


def test_figures_are_printed_for_people_and_as_json(tmp_path: Path) -> None:
    speed = measure_synth("close", 1, tmp_path, 0)
    whole = SynthSpeed(speed.recipe, speed.flat, BlenderSpeed(20, 384, 1.234, 500.0, 501.5), None)
    assert "1.234 CPU s a picture" in speed_text(whole)
    assert "501.5 MiB" in speed_text(whole)
    record = json.loads(json.dumps(speed_record(whole)))
    assert record["recipe"] == "close"
    assert record["flat"]["median_ms"] == speed.flat.median_ms
    assert record["blender"]["median_cpu_s"] == 1.234


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path))
    run = CliRunner().invoke(app, ["bench", "synth", "--count", "1", "--blender-count", "0", "--json"])
    assert run.exit_code == 0, run.output
    assert math.isfinite(json.loads(run.stdout)["flat"]["median_ms"])
    assert CliRunner().invoke(app, ["bench", "synth", "--count", "0"]).exit_code == 2
    wrong = CliRunner().invoke(app, ["bench", "synth", "--recipe", "nosuch", "--count", "1"])
    assert wrong.exit_code == 1
