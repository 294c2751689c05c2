"""The worker's life: start, recycling, death, silence; and the environment that it needs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from synth.blender import BlenderRenderer, find_blender, prepare_blender
from synth.blender import renderer as renderer_module
from synth.blender import room as room_module
from synth.errors import BlenderError, SynthError
from synth.scene import Pose
from tests.synth.blender.scenes import lamp, scene_of

FAKE = Path(__file__).with_name("fake_worker.py")
SCENE = scene_of(lamp("off"), Pose((24, 24), 15), side=48, seed=4711)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose Blender is the stand-in."""
    python = tmp_path / "blender" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (tmp_path / "blender" / "lib" / "python3.11" / "site-packages" / "bpy").mkdir(parents=True)
    monkeypatch.setattr(renderer_module, "WORKER", FAKE)
    monkeypatch.setattr(renderer_module, "find_blender", lambda home: Path(sys.executable))
    monkeypatch.setenv("FAKE_MARK", str(tmp_path / "mark"))
    return tmp_path


def test_a_picture_comes_back_in_the_right_order_of_colours(home: Path) -> None:
    with BlenderRenderer(home) as renderer:
        picture = renderer.render(SCENE)
    assert picture.shape == (48, 48, 3)
    assert picture.dtype == np.uint8
    assert picture[24, 24].tolist() == [200, 100, 50]


def test_one_worker_serves_many_pictures_until_it_is_replaced(home: Path) -> None:
    with BlenderRenderer(home, recycle_after=2) as renderer:
        pids = []
        for _ in range(5):
            renderer.render(SCENE)
            pids.append(renderer.worker_pid)
    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]
    assert renderer.worker_pid is None


def test_a_worker_that_dies_is_started_again_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_WAY", "dies once")
    with BlenderRenderer(home) as renderer:
        assert renderer.render(SCENE)[0, 0].tolist() == [200, 100, 50]


def test_the_second_death_is_told_with_seed_and_last_words(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_WAY", "always dies")
    with BlenderRenderer(home) as renderer, pytest.raises(BlenderError, match=r"seed 4711.*code 11.*Segmentation fault"):
        renderer.render(SCENE)


def test_a_renderer_works_on_after_a_failure(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with BlenderRenderer(home) as renderer:
        monkeypatch.setenv("FAKE_WAY", "always dies")
        with pytest.raises(BlenderError):
            renderer.render(SCENE)
        monkeypatch.setenv("FAKE_WAY", "")
        assert renderer.render(SCENE).any()


def test_a_worker_that_hangs_is_given_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_WAY", "hangs")
    monkeypatch.setattr(renderer_module, "STOP_TIMEOUT_S", 0.2)
    with BlenderRenderer(home, timeout_s=0.3) as renderer, pytest.raises(BlenderError, match=r"no answer within 0\.3 s"):
        renderer.render(SCENE)


@pytest.mark.parametrize(("way", "words"), [("refuses", "no such node"), ("forgets", "no picture of 48 x 48")])
def test_other_failures_are_told(home: Path, monkeypatch: pytest.MonkeyPatch, way: str, words: str) -> None:
    monkeypatch.setenv("FAKE_WAY", way)
    with BlenderRenderer(home) as renderer, pytest.raises(BlenderError, match=words):
        renderer.render(SCENE)


@pytest.mark.parametrize("wrong", [{"samples": 0}, {"threads": 0}, {"recycle_after": 0}])
def test_options_are_checked(home: Path, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1, got"):
        BlenderRenderer(home, **wrong)  # type: ignore[arg-type]


def test_without_blender_the_message_says_how_to_prepare_it(tmp_path: Path) -> None:
    with pytest.raises(BlenderError, match=r"not prepared.*blender.*gauge synth --prepare-blender"):
        find_blender(tmp_path)
    with pytest.raises(SynthError):
        BlenderRenderer(tmp_path)


def test_an_environment_without_bpy_is_told(tmp_path: Path) -> None:
    python = tmp_path / "blender" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    with pytest.raises(BlenderError, match="has no bpy"):
        find_blender(tmp_path)


def test_a_complete_environment_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "blender" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    (tmp_path / "blender" / "lib" / "python3.11" / "site-packages" / "bpy").mkdir(parents=True)
    monkeypatch.setattr(room_module, "_run", lambda command, trouble: pytest.fail(f"ran {command}"))
    assert prepare_blender(tmp_path) == python == find_blender(tmp_path)


def test_preparing_runs_venv_and_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], trouble: str) -> str:
        ran.append(command)
        if "venv" in command:
            (tmp_path / "home/blender/bin").mkdir(parents=True)
            (tmp_path / "home/blender/bin/python").touch()
        if "pip" in command:
            (tmp_path / "home/blender/lib/python3.11/site-packages/bpy").mkdir(parents=True)
        return "3 11"

    monkeypatch.setattr(room_module, "_run", run)
    assert prepare_blender(tmp_path / "home") == tmp_path / "home/blender/bin/python"
    assert [command[1:3] for command in ran[1:]] == [["-m", "venv"], ["-m", "pip"]]
    assert ran[-1][-1] == "bpy==4.5.15"


def test_another_python_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room_module, "_run", lambda command, trouble: "3 12")
    with pytest.raises(BlenderError, match=r"needs Python 3\.11, and .* is Python 3\.12"):
        prepare_blender(tmp_path)


def test_a_failing_command_is_told(tmp_path: Path) -> None:
    with pytest.raises(BlenderError, match="does not run"):
        prepare_blender(tmp_path, tmp_path / "no-python")
    with pytest.raises(BlenderError, match="it broke: bad news"):
        room_module._run([sys.executable, "-c", "import sys; sys.exit('bad news')"], "it broke")
