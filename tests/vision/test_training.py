"""The training loop on a handful of drawn dials: it runs, logs, resumes, and refuses to go on at chance."""

from __future__ import annotations

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.augment import AugmentOptions, Photometric, jittered_read_view
from vision.dataset import Pictures, TrainingViews, validation_views
from vision.donut import MODEL_FILE, load
from vision.fields import EvidencePoints, GaugeFields
from vision.line_training import load_line_recipe
from vision.recipe import RecipeError, TrainingRecipe, load_recipe
from vision.samples import InstrumentTruth, PhotoTruth, SampleError, SampleRecord, write_records
from vision.state_training import load_state_recipe
from vision.targets import ChoiceTable, collate
from vision.training import Run, TrainingError, train

TINY = {
    "image_size": 64,
    "hidden_size": 32,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "feed_forward": 32,
    "encoder_heads": 2,
    "decoder_heads": 2,
}


def draw(folder: Path, count: int) -> Path:
    """Plain dials with one needle each."""
    rng = np.random.default_rng(3)
    records = []
    folder.mkdir()
    for index in range(count):
        image = np.full((128, 128, 3), 220, np.uint8)
        angle = float(rng.uniform(45, 315))
        tip = (64 - 40 * math.sin(math.radians(angle)), 64 + 40 * math.cos(math.radians(angle)))
        cv2.circle(image, (64, 64), 55, (30, 30, 30), 3)
        cv2.line(image, (64, 64), (round(tip[0]), round(tip[1])), (0, 0, 200), 4)
        cv2.imwrite(str(folder / f"{index}.png"), image)
        fields = GaugeFields(
            kind="dial",
            start_angle=45,
            end_angle=315,
            clockwise=True,
            pointer_angle=angle,
            scale_fraction=(angle - 45) / 270,
            scale_min=0,
            scale_max=10,
            unit="bar",
        )
        truth = InstrumentTruth(box=(8, 8, 120, 120), fields=fields, points=EvidencePoints(needle_tip=tip, pivot=(64, 64)))
        records.append(SampleRecord(file_name=f"{index}.png", truth=PhotoTruth(instruments=(truth,))))
    cv2.imwrite(str(folder / "empty.png"), np.full((128, 128, 3), 90, np.uint8))
    write_records(folder, [*records, SampleRecord(file_name="empty.png", truth=PhotoTruth())])
    return folder


def recipe(**changes: object) -> TrainingRecipe:
    base = {
        "name": "test",
        "model": TINY,
        "data": [{"recipe": "close", "count": 1, "seed": 1}],
        "stages": [{"image_size": 64, "steps": 3, "batch_size": 4}, {"image_size": 96, "steps": 1, "batch_size": 2}],
        "watch": {"log_every": 1, "evaluate_every": 2, "checkpoint_every": 2},
        "threads": 1,
    }
    return TrainingRecipe.model_validate({**base, **changes})


def test_a_run_logs_checkpoints_and_can_be_resumed(tmp_path: Path) -> None:
    data = draw(tmp_path / "data", 8)
    out = train(recipe(), [data], [data], tmp_path / "run")
    rows = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows if row["kind"] == "train"] == [1, 2, 3, 4]
    assert all(math.isfinite(row["total"]) for row in rows if row["kind"] == "train")
    assert {"needle_median_deg", "box_recall"} <= set(next(row for row in rows if row["kind"] == "validation"))
    assert load(out).config.image_size == 64
    longer = recipe(stages=[{"image_size": 64, "steps": 6, "batch_size": 4}])
    train(longer, [data], [data], out, resume=True)
    assert json.loads((out / "state.json").read_text())["step"] == 6
    assert (out / MODEL_FILE).is_file()


def test_resuming_nothing_is_an_error(tmp_path: Path) -> None:
    data = draw(tmp_path / "data", 4)
    with pytest.raises(TrainingError, match="nothing to resume"):
        train(recipe(), [data], [data], tmp_path / "run", resume=True)


def test_a_needle_at_chance_raises_the_alarm(tmp_path: Path) -> None:
    data = draw(tmp_path / "data", 8)
    watched = recipe(
        watch={"log_every": 1, "evaluate_every": 2, "checkpoint_every": 9, "alarm_after_samples": 4, "alarm_needle_deg": 0.001}
    )
    with pytest.raises(TrainingError, match="does not depend on the image"):
        train(watched, [data], [data], tmp_path / "run")


def test_the_average_stands_in_for_evaluation_only(tmp_path: Path) -> None:
    data = draw(tmp_path / "data", 4)
    run = Run(recipe(), [data], [data], tmp_path / "run")
    before = {name: p.detach().clone() for name, p in run.model.named_parameters()}
    run.evaluate(64)
    assert all(bool((p == before[name]).all()) for name, p in run.model.named_parameters())
    assert run.model.training


def test_views_repeat_for_a_seed_and_differ_between_seeds(tmp_path: Path) -> None:
    pictures = Pictures([draw(tmp_path / "data", 4)])
    first, again, other = (
        [next(stream).image for _ in range(3)]
        for stream in (iter(TrainingViews(pictures, 64, seed, AugmentOptions())) for seed in (1, 1, 2))
    )
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_views_without_an_instrument_teach_nothing_to_read(tmp_path: Path) -> None:
    pictures = Pictures([draw(tmp_path / "data", 1)])
    stream = iter(TrainingViews(pictures, 64, 0, AugmentOptions()))
    examples = [next(stream) for _ in range(40)]
    lengths = {len(e.target.tokens.ids) for e in examples if e.target.is_read}
    assert min(lengths) == 3  # prompt, nothing, end
    assert max(lengths) > 15
    batch = collate([e.image for e in examples], [e.target for e in examples], ChoiceTable())
    assert batch.pixel_values.shape == (40, 3, 64, 64)
    assert -1.0 <= float(batch.pixel_values.min()) <= float(batch.pixel_values.max()) <= 1.01


def test_validation_views_hold_both_tasks(tmp_path: Path) -> None:
    examples = validation_views(Pictures([draw(tmp_path / "data", 3)]), 64)
    assert [e.target.is_read for e in examples] == [False, True] * 3 + [False]


def test_a_folder_without_pictures_is_an_error(tmp_path: Path) -> None:
    write_records(tmp_path, [])
    with pytest.raises(SampleError, match="no pictures"):
        Pictures([tmp_path])


def test_jitter_keeps_the_instrument_in_view() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        view = jittered_read_view(rng, (100, 100, 300, 260), 128, AugmentOptions())
        x, y = view.to_view((200, 180))
        assert 0.25 < x < 0.75
        assert 0.25 < y < 0.75


def test_photometric_changes_keep_shape_and_repeat() -> None:
    image = np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    photometric = Photometric(1.0)
    first = photometric(np.random.default_rng(5), image)
    assert first.shape == image.shape
    assert first.dtype == np.uint8
    assert np.array_equal(first, photometric(np.random.default_rng(5), image))


def test_the_shipped_recipe_loads_and_takes_overrides() -> None:
    loaded = load_recipe("small_cpu", ["optimizer.lr=1e-4", "seed=7"])
    assert loaded.name == "small_cpu"
    assert loaded.optimizer.lr == 1e-4
    assert loaded.seed == 7
    assert loaded.optimizer.frozen_blocks == 3


@pytest.mark.parametrize(
    ("name", "overrides", "message"),
    [
        ("no-such", [], "known ones: .*small_cpu"),
        ("small_cpu", ["optimizer.speed=3"], "speed"),
        ("small_cpu", ["nonsense"], "key=value"),
        ("small_cpu", ["seed.x=1"], "seed"),
    ],
)
def test_bad_recipes_and_overrides_are_named(name: str, overrides: list[str], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        load_recipe(name, overrides)


def test_an_unknown_key_in_a_recipe_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("speed = 3\n")
    with pytest.raises(RecipeError, match=r"mine\.toml"):
        load_recipe(str(tmp_path / "mine.toml"))


def test_a_recipe_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe\x00seed = 1")
    for read in (load_recipe, load_line_recipe, load_state_recipe):
        with pytest.raises(RecipeError, match=r"mine\.toml"):
            read(str(tmp_path / "mine.toml"))
