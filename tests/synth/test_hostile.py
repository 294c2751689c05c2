"""What a newcomer gets wrong: each ends in one line that names it and says what to do, and leaves valid what is there."""

from __future__ import annotations

import errno
import os
import signal
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from synth import fonts, pictures
from synth.errors import BackgroundError, FactoryError, FontError, RecipeError, SynthError
from synth.factory import LAST_SEED, FactoryOptions, _clear_disk_errors, _only_run, build_dataset
from synth.flat.photo_background import PhotoBackgrounds
from synth.manifest import MANIFEST_NAME, read_manifest
from synth.recipe import load_recipe
from synth.sampler import EVALUATION_SEED
from synth.scene import GaugeScene
from synth.sheet import check_sheet_name, write_sheet
from vision.samples import METADATA_NAME, PhotoTruth, read_records

SMALL = load_recipe("close").model_copy(update={"size": 96})
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("size = 5", "'size'.*got 5"),
        ("size = 96\nfoo = 3", "'foo' is not known"),
        ("[wear]\nrian = 0.5", r"'wear\.rian' is not known"),
        ("[kinds]\nclock = 1.0", r"'kinds\.clock'.*'clock'"),
        ("[kinds]\ndial = -1.0", r"'kinds\.dial'.*got -1"),
        ("[kinds]\ndial = inf", r"'kinds\.dial'.*finite"),
        ("[kinds]\ndial = nan", r"'kinds\.dial'"),
        ("fill = [0.9, 0.2]", "fill must be an increasing pair"),
        ("fill = [0.9", "not TOML"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_named(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "own.toml"
    kinds = "" if "[kinds]" in line else "[kinds]\ndial = 1.0\n"
    head = 'name = "own"\nlayout = "close"\n' + ("" if line.startswith("[") else f"{line}\n")
    tables = f"{line}\n" if line.startswith("[") else ""
    path.write_text(f"{head}{tables}{kinds}[dial_styles]\npressure = 1.0\n[backgrounds]\nwhite = 1.0\n", encoding="utf-8")
    with pytest.raises(RecipeError, match=words) as caught:
        load_recipe(path)
    assert "\n" not in str(caught.value) or "TOML" in words
    assert "own.toml" in str(caught.value)


def test_a_recipe_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "picture.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RecipeError, match=r"picture\.toml.*UTF-8"):
        load_recipe(tmp_path / "picture.toml")
    with pytest.raises(RecipeError, match=r"no recipe.*close, "):
        load_recipe(tmp_path)


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "film.mp4.part").write_text("half a download", encoding="utf-8")
    (tmp_path / ".DS_Store").write_text("", encoding="utf-8")
    with pytest.raises(FactoryError, match=r"not empty \(film\.mp4\.part\): choose a new folder"):
        build_dataset(SMALL, 7, 1, tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".DS_Store", "film.mp4.part"]
    (tmp_path / "film.mp4.part").unlink()
    build_dataset(SMALL, 7, 1, tmp_path)


def test_only_its_own_left_overs_are_removed(tmp_path: Path) -> None:
    build_dataset(SMALL, 7, 1, tmp_path)
    (tmp_path / "notes.part").write_text("mine", encoding="utf-8")
    for name in ("metadata.jsonl.part", "0000/0000000008.jpg.part"):
        (tmp_path / name).write_bytes(b"half")
    build_dataset(SMALL, 7, 2, tmp_path)
    assert [str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.part")] == ["notes.part"]


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *args: object, **kwargs: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", refuse)
        with pytest.raises(FactoryError, match=r"set cannot be written \(Permission denied\): choose another folder"):
            build_dataset(SMALL, 7, 1, tmp_path / "set")
    with pytest.raises(FactoryError, match="Read-only"), _clear_disk_errors(tmp_path / "a" / "b", 1):
        raise OSError(errno.EROFS, "Read-only file system", str(tmp_path / "a"))
    with pytest.raises(OSError, match="elsewhere"), _clear_disk_errors(tmp_path, 1):
        raise OSError(errno.EIO, "elsewhere", "/dev/disk")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(FactoryError, match="cannot be written"):
            build_dataset(SMALL, 7, 1, tmp_path / "set")
    finally:
        tmp_path.chmod(0o700)


def test_seeds_have_an_end(tmp_path: Path) -> None:
    with pytest.raises(FactoryError, match=f"go up to {LAST_SEED}"):
        build_dataset(SMALL, 10**22, 1, tmp_path / "set", options=FactoryOptions(evaluation=True))
    with pytest.raises(FactoryError, match="choose a smaller seed"):
        build_dataset(SMALL, LAST_SEED, 2, tmp_path / "set", options=FactoryOptions(evaluation=True))
    assert not (tmp_path / "set").exists()


def test_a_huge_count_starts_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(scene: GaugeScene, **_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("synth.flat.render", full)
    started = time.monotonic()
    with pytest.raises(FactoryError, match=r"no room left.*rest of the 999999000 pictures"):
        build_dataset(SMALL, 0, EVALUATION_SEED - 1000, tmp_path / "set")
    assert time.monotonic() - started < 10, "seeds are counted one by one as they are drawn"
    assert not read_manifest(tmp_path / "set").finished


def test_a_fault_names_its_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(seed: int, recipe: object, photos: object) -> GaugeScene:
        if seed == 9:
            raise KeyError("@")
        return REAL(seed, SMALL)

    monkeypatch.setattr(pictures, "scene_for", broken)
    with pytest.raises(FactoryError, match=r"seed 9 of recipe 'close' cannot be drawn \(KeyError: '@'\): please report"):
        build_dataset(SMALL, 7, 5, tmp_path / "set")
    monkeypatch.undo()
    assert [r.file_name for r in read_records(tmp_path / "set")] == ["0000/0000000007.jpg", "0000/0000000008.jpg"]
    build_dataset(SMALL, 7, 5, tmp_path / "set")
    assert len(list(read_records(tmp_path / "set"))) == 5


REAL = pictures.scene_for


def test_a_font_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = fonts.find_spec
    monkeypatch.setattr(fonts, "find_spec", lambda module: None if module == "font_lato" else found(module))
    fonts.font_path.cache_clear()
    try:
        with pytest.raises(FontError, match=r"'Lato-Regular\.ttf' is not installed.*pip install font-lato"):
            build_dataset(SMALL, 7, 1, tmp_path / "set")
    finally:
        fonts.font_path.cache_clear()
    assert not (tmp_path / "set").exists()


def bomb(path: Path, side: int) -> None:
    """A PNG whose head names side x side pixels, with nothing behind it."""
    chunks = (b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0), b"IDAT" + zlib.compress(b""))
    packed = b"".join(struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + packed)


@pytest.mark.parametrize(("side", "words"), [(12_400, "12400 x 12400 pixels: at most 150"), (30_000, "far too large")])
def test_a_background_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: int, words: str) -> None:
    bomb(tmp_path / "big.png", side)
    monkeypatch.setattr("synth.flat.photo_background._decode", lambda path: pytest.fail(f"{path} was unpacked"))
    with pytest.raises(BackgroundError, match=words):
        PhotoBackgrounds(tmp_path)


def test_a_folder_of_backgrounds_is_checked_file_by_file(tmp_path: Path) -> None:
    with pytest.raises(BackgroundError, match="has no photos"):
        PhotoBackgrounds(tmp_path)
    cv2.imwrite(str(tmp_path / "a.png"), np.full((64, 64, 3), 90, np.uint8))
    assert PhotoBackgrounds(tmp_path).names == ("a.png",)
    (tmp_path / "b.jpg").write_text("no picture", encoding="utf-8")
    with pytest.raises(BackgroundError, match=r"b\.jpg is not an image: remove it"):
        PhotoBackgrounds(tmp_path)
    cv2.imwrite(str(tmp_path / "b.jpg"), np.full((64, 64, 3), 90, np.uint8))
    assert PhotoBackgrounds(tmp_path).names == ("a.png", "b.jpg"), "a file that was replaced is looked at again"


def test_sheets_are_refused_before_anything_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "folder.jpg").mkdir()
    for name, words in (("a.txt", "must end in"), ("folder.jpg", "is a folder"), ("file/deep/a.jpg", "file is not a folder")):
        with pytest.raises(FactoryError, match=words):
            check_sheet_name(tmp_path / name)
    check_sheet_name(tmp_path / "new" / "deep" / "a.jpg")
    picture = np.zeros((96, 96, 3), np.uint8)
    write_sheet(tmp_path / "new" / "deep" / "a.jpg", [(picture, PhotoTruth(instruments=()), "")])
    assert (tmp_path / "new" / "deep" / "a.jpg").stat().st_size > 500

    def full(source: object, target: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("synth.manifest.os.replace", full)
    with pytest.raises(FactoryError, match=r"b\.jpg cannot be written \(No space left"):
        write_sheet(tmp_path / "b.jpg", [(picture, PhotoTruth(instruments=()), "")])
    assert not list(tmp_path.glob("*.part"))


RUN = [sys.executable, "-c", "from serve.cli import app; app()", "synth", "close", "--seed", "3"]


def gauge(*words: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **({"GAUGE_HOME": str(home)} if home else {})}
    return subprocess.run([*RUN, *words], cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_blender_that_is_absent_is_said_in_one_line(tmp_path: Path) -> None:
    ended = gauge("--renderer", "blender", "--out", str(tmp_path / "set"), "--count", "1", home=tmp_path / "home")
    assert ended.returncode == 1
    assert ended.stderr.startswith("gauge: ")
    assert len(ended.stderr.splitlines()) == 1
    assert "--prepare-blender" in ended.stderr
    assert not (tmp_path / "set").exists()


def test_a_sheet_that_cannot_be_is_refused_before_the_data_set(tmp_path: Path) -> None:
    ended = gauge("--out", str(tmp_path / "set"), "--count", "3", "--sheet", str(tmp_path / "a.gif"))
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1)
    assert "a.gif must end in" in ended.stderr
    assert not (tmp_path / "set").exists()
    ended = gauge("--count", "100000", "--sheet", str(tmp_path / "a.jpg"))
    assert ended.returncode == 1
    assert "at most 300 pictures, not 100000" in ended.stderr


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path, workers: int) -> None:
    out = tmp_path / "set"
    command = [*RUN, "--out", str(out), "--count", "3000", "--workers", str(workers)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
        wait_for_lines(out, 3, run)
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does it: all processes at once
        _, said = run.communicate(timeout=60)
    last = said.strip().splitlines()[-1]
    assert run.returncode == 130, said
    assert "Traceback" not in said
    assert last.startswith("gauge: interrupted: ")
    assert "of 3000 pictures are in" in last
    assert "same command" in last
    assert len(list(read_records(out))) == int(last.split()[2])
    assert not read_manifest(out).finished


def wait_for_lines(out: Path, count: int, run: subprocess.Popen[str]) -> None:
    path, deadline = out / METADATA_NAME, time.monotonic() + 60
    while not (path.exists() and path.read_bytes().count(b"\n") >= count):
        assert run.poll() is None, "the run ended too early"
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.slow
def test_a_killed_worker_ends_the_run(tmp_path: Path) -> None:
    out = tmp_path / "set"
    command = [*RUN, "--out", str(out), "--count", "3000", "--workers", "2"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as run:
        wait_for_lines(out, 3, run)
        os.kill(crew_of(run.pid)[0], signal.SIGKILL)
        _, said = run.communicate(timeout=60)
    assert run.returncode == 1, said
    assert "Traceback" not in said
    assert "worker process was killed" in said.splitlines()[-1]
    assert all((out / record.file_name).is_file() for record in read_records(out))


@pytest.mark.slow
def test_no_worker_outlives_a_killed_run(tmp_path: Path) -> None:
    out = tmp_path / "set"
    command = [*RUN, "--out", str(out), "--count", "3000", "--workers", "2"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, text=True) as run:
        wait_for_lines(out, 3, run)
        crew = crew_of(run.pid)
        run.kill()
    deadline = time.monotonic() + 30
    while any(alive(pid) for pid in crew) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(crew) == 2
    assert not any(alive(pid) for pid in crew)


def crew_of(pid: int) -> list[int]:
    """Process ids of the worker processes (the spawned ones, not their resource tracker)."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
            found.append(int(child))
    return found


def alive(pid: int) -> bool:
    try:
        return b"\nState:\tZ" not in Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return False


def test_a_second_run_and_a_changed_recipe_are_told_apart(tmp_path: Path) -> None:
    build_dataset(SMALL, 7, 1, tmp_path)
    with _only_run(tmp_path), pytest.raises(SynthError, match="wait for it or choose another folder"):
        build_dataset(SMALL, 7, 2, tmp_path)
    with pytest.raises(FactoryError, match=r"another seed \(seed 7 there\): choose another folder"):
        build_dataset(SMALL, 8, 2, tmp_path)
    with pytest.raises(FactoryError, match="another recipe: choose"):
        build_dataset(SMALL.model_copy(update={"empty_share": 0.5}), 7, 2, tmp_path)
    assert (tmp_path / MANIFEST_NAME).is_file()
    assert read_manifest(tmp_path).finished
