"""The factory: readable folders, resumable runs, seeds that never mix."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from synth.errors import FactoryError, FontError, SynthError
from synth.factory import FactoryOptions, _append, _only_run, build_dataset
from synth.manifest import MANIFEST_NAME, read_manifest
from synth.recipe import load_recipe
from synth.sampler import EVALUATION_SEED, scene_of_seed
from vision.samples import METADATA_NAME, read_records

SMALL = load_recipe("close").model_copy(update={"size": 96})


def content(folder: Path) -> dict[str, bytes]:
    """Everything that has to be the same: pictures and metadata."""
    return files(folder) | {METADATA_NAME: (folder / METADATA_NAME).read_bytes()}


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*.jpg"))}


def test_folder_is_readable_and_true(tmp_path: Path) -> None:
    build_dataset(SMALL, 100, 6, tmp_path / "set")
    records = list(read_records(tmp_path / "set"))
    assert len(records) == 6
    for seed, record in zip(range(100, 106), records, strict=True):
        assert record.truth == scene_of_seed(seed, SMALL).truth()
        assert (tmp_path / "set" / record.file_name).stat().st_size > 500


def test_resume_after_a_cut_gives_the_same_set(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    build_dataset(SMALL, 7, 8, whole)
    build_dataset(SMALL, 7, 3, cut)
    lines = cut / METADATA_NAME
    lines.write_text(lines.read_text(encoding="utf-8")[:-40], encoding="utf-8")  # a crash in the middle of a line
    build_dataset(SMALL, 7, 8, cut)
    assert files(whole) == files(cut)
    assert {r.file_name: r for r in read_records(whole)} == {r.file_name: r for r in read_records(cut)}


def test_a_finished_set_is_left_alone(tmp_path: Path) -> None:
    build_dataset(SMALL, 7, 2, tmp_path)
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.jpg")}
    build_dataset(SMALL, 7, 2, tmp_path)
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.jpg")} == before


def test_lost_pictures_are_drawn_again(tmp_path: Path) -> None:
    build_dataset(SMALL, 7, 3, tmp_path)
    before = files(tmp_path)
    next(iter(tmp_path.rglob("*.jpg"))).unlink()
    build_dataset(SMALL, 7, 3, tmp_path)
    assert files(tmp_path) == before
    assert len(list(read_records(tmp_path))) == 3


def test_the_manifest_says_what_the_set_is_made_of(tmp_path: Path) -> None:
    build_dataset(SMALL, 7, 2, tmp_path)
    manifest = read_manifest(tmp_path)
    assert manifest.recipe == SMALL
    assert (manifest.seed, manifest.count, manifest.renderer, manifest.quality) == (7, 2, "flat", 92)
    assert manifest.finished
    assert manifest.metadata_sha256 == hashlib.sha256((tmp_path / METADATA_NAME).read_bytes()).hexdigest()
    (versions,) = manifest.versions
    assert versions["numpy"] == np.__version__
    assert set(versions) == {"gaugerag", "skia", "numpy", "opencv", "bpy"}
    assert json.loads((tmp_path / MANIFEST_NAME).read_text(encoding="utf-8"))["recipe"]["name"] == "close"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".") or p.name.endswith(".part")] == []


def test_options_must_agree_on_resume(tmp_path: Path) -> None:
    build_dataset(SMALL, 7, 1, tmp_path)
    with pytest.raises(FactoryError, match="another seed"):
        build_dataset(SMALL, 8, 1, tmp_path)
    with pytest.raises(FactoryError, match="another quality"):
        build_dataset(SMALL, 7, 1, tmp_path, options=FactoryOptions(quality=50))
    with pytest.raises(FactoryError, match="another recipe"):
        build_dataset(SMALL.model_copy(update={"size": 100}), 7, 1, tmp_path)
    assert read_manifest(tmp_path).finished


def test_a_larger_count_extends_and_a_smaller_one_leaves_alone(tmp_path: Path) -> None:
    build_dataset(SMALL, 7, 2, tmp_path)
    build_dataset(SMALL, 7, 4, tmp_path)
    assert read_manifest(tmp_path).count == 4
    build_dataset(SMALL, 7, 3, tmp_path)
    assert read_manifest(tmp_path).count == 4
    assert [r.file_name for r in read_records(tmp_path)] == [f"0000/{seed:010d}.jpg" for seed in range(7, 11)]


def test_another_version_is_noted_beside_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_dataset(SMALL, 7, 1, tmp_path)
    monkeypatch.setattr("synth.manifest.package_versions", lambda: {"gaugerag": "99"})
    build_dataset(SMALL, 7, 2, tmp_path)
    assert [v["gaugerag"] for v in read_manifest(tmp_path).versions][1:] == ["99"]


def test_a_damaged_manifest_is_named(tmp_path: Path) -> None:
    (tmp_path / MANIFEST_NAME).write_text("{", encoding="utf-8")
    with pytest.raises(FactoryError, match=r"manifest\.json is damaged"):
        build_dataset(SMALL, 7, 1, tmp_path)
    with pytest.raises(FactoryError, match="no data set"):
        read_manifest(tmp_path / "nowhere")


def test_a_full_disk_leaves_a_valid_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_dataset(SMALL, 7, 5, tmp_path / "whole")
    real, left = os.replace, [4]

    def full(source: Path, target: Path) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr("synth.manifest.os.replace", full)
        with pytest.raises(FactoryError, match=r"no room left.*No space left.*same command again"):
            build_dataset(SMALL, 7, 5, tmp_path / "cut")
    records = list(read_records(tmp_path / "cut"))
    assert len(records) == 3, "the manifest and three pictures had room"
    assert all((tmp_path / "cut" / r.file_name).is_file() for r in records)
    assert not list((tmp_path / "cut").rglob("*.part"))
    assert not read_manifest(tmp_path / "cut").finished
    build_dataset(SMALL, 7, 5, tmp_path / "cut")
    assert content(tmp_path / "cut") == content(tmp_path / "whole")


def test_a_metadata_line_is_whole_or_not_there(tmp_path: Path) -> None:
    with (tmp_path / "lines").open("ab", buffering=0) as lines:
        _append(lines, "first")
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, limit[1]))
        try:
            with pytest.raises(OSError, match="too large"):
                _append(lines, "x" * 100)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
            signal.signal(signal.SIGXFSZ, old)
    assert (tmp_path / "lines").read_text(encoding="utf-8") == "first\n"


def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    with _only_run(tmp_path), pytest.raises(FactoryError, match="another run is writing"):
        build_dataset(SMALL, 7, 1, tmp_path)
    build_dataset(SMALL, 7, 1, tmp_path)


RUN = """
import sys, time
from pathlib import Path
import synth.factory
from synth.factory import build_dataset
from synth.recipe import load_recipe

def slowly(step):  # a busy machine could draw all pictures before the blow falls
    def run(*words):
        time.sleep(0.008)
        step(*words)
        time.sleep(0.008)
    return run

synth.factory.write_atomically, synth.factory._append = slowly(synth.factory.write_atomically), slowly(synth.factory._append)
build_dataset(load_recipe("close").model_copy(update={"size": 96}), 7, 60, Path(sys.argv[1]), workers=int(sys.argv[2]))
"""


def kill_until_done(folder: Path, workers: int, kills: int, seed: int) -> int:
    """Run the factory in a process of its own and kill it with SIGKILL at random moments, then let it finish."""
    rng, killed = np.random.default_rng(seed), 0
    for _ in range(kills):
        before = count_lines(folder)
        with subprocess.Popen([sys.executable, "-c", RUN, str(folder), str(workers)], stderr=subprocess.DEVNULL) as run:
            deadline = time.monotonic() + 60
            while count_lines(folder) < before + 3 and run.poll() is None and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(float(rng.uniform(0, 0.15)))
            killed += run.poll() is None
            run.kill()
    subprocess.run([sys.executable, "-c", RUN, str(folder), str(workers)], check=True, stderr=subprocess.DEVNULL)
    return killed


def count_lines(folder: Path) -> int:
    path = folder / METADATA_NAME
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.parametrize(("workers", "kills"), [(1, 2), pytest.param(2, 6, marks=pytest.mark.slow)])
def test_kill_minus_nine_loses_and_doubles_nothing(tmp_path: Path, workers: int, kills: int) -> None:
    assert kill_until_done(tmp_path / "killed", workers, kills, seed=workers) > 0
    build_dataset(SMALL, 7, 60, tmp_path / "whole")
    assert content(tmp_path / "killed") == content(tmp_path / "whole")
    assert read_manifest(tmp_path / "killed").finished


def test_photos_stand_behind_some_and_change_no_truth(tmp_path: Path) -> None:
    import cv2

    photos = tmp_path / "photos"
    photos.mkdir()
    for name, level in (("a.png", 40), ("b.jpg", 200)):
        cv2.imwrite(str(photos / name), np.full((120, 160, 3), level, np.uint8))
    build_dataset(SMALL, 7, 8, tmp_path / "plain")
    build_dataset(SMALL, 7, 8, tmp_path / "photos_behind", options=FactoryOptions(backgrounds=photos))
    assert list(read_records(tmp_path / "plain")) == list(read_records(tmp_path / "photos_behind"))
    plain, behind = files(tmp_path / "plain"), files(tmp_path / "photos_behind")
    changed = sum(plain[name] != behind[name] for name in plain)
    assert 1 <= changed <= 7
    assert read_manifest(tmp_path / "photos_behind").backgrounds == ("a.png", "b.jpg")


def test_a_background_that_is_no_image_is_named_before_anything_is_drawn(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    (photos / "notes.jpg").write_text("no picture", encoding="utf-8")
    with pytest.raises(SynthError, match=r"notes\.jpg"):
        build_dataset(SMALL, 7, 1, tmp_path / "set", options=FactoryOptions(backgrounds=photos))
    assert not (tmp_path / "set").exists()
    with pytest.raises(SynthError, match="nowhere"):
        build_dataset(SMALL, 7, 1, tmp_path / "set", options=FactoryOptions(backgrounds=tmp_path / "nowhere"))


def test_blender_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FactoryError, match="home folder"):
        build_dataset(SMALL, 7, 1, tmp_path / "set", options=FactoryOptions(renderer="blender"))
    with pytest.raises(SynthError, match=r"(?i)blender"):
        build_dataset(SMALL, 7, 1, tmp_path / "set", options=FactoryOptions(renderer="blender", home=tmp_path / "empty"))
    assert not (tmp_path / "set").exists()


def test_a_missing_font_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise FontError("font X.ttf is not installed")

    monkeypatch.setattr("synth.factory.check_fonts", missing)
    with pytest.raises(FontError, match=r"X\.ttf"):
        build_dataset(SMALL, 7, 1, tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(FactoryError, match="not a folder"):
        build_dataset(SMALL, 7, 1, tmp_path / "file")


def test_foreign_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / METADATA_NAME).write_text("{}\n", encoding="utf-8")
    with pytest.raises(FactoryError, match="did not write"):
        build_dataset(SMALL, 1, 1, tmp_path)


def test_training_and_evaluation_seeds_never_overlap(tmp_path: Path) -> None:
    with pytest.raises(FactoryError, match="evaluation"):
        build_dataset(SMALL, EVALUATION_SEED, 1, tmp_path)
    with pytest.raises(FactoryError, match="reaches them"):
        build_dataset(SMALL, EVALUATION_SEED - 2, 3, tmp_path)
    with pytest.raises(FactoryError, match="needs seeds from"):
        build_dataset(SMALL, EVALUATION_SEED - 1, 1, tmp_path, options=FactoryOptions(evaluation=True))
    with pytest.raises(FactoryError, match="at least"):
        build_dataset(SMALL, -1, 1, tmp_path)
    build_dataset(SMALL, EVALUATION_SEED, 1, tmp_path, options=FactoryOptions(evaluation=True))
    assert not any(p.name.startswith("0") for p in (tmp_path / "0000").glob("*.jpg"))


def test_neighbouring_seeds_differ() -> None:
    scenes = [scene_of_seed(seed, SMALL) for seed in (*range(50), *range(EVALUATION_SEED, EVALUATION_SEED + 50))]
    assert len({s.seed for s in scenes}) == 100
    assert np.std([s.light.shadow for s in scenes]) > 0.05


@pytest.mark.slow
def test_workers_give_the_same_set(tmp_path: Path) -> None:
    build_dataset(SMALL, 1, 6, tmp_path / "one")
    build_dataset(SMALL, 1, 6, tmp_path / "two", workers=2)
    assert files(tmp_path / "one") == files(tmp_path / "two")
