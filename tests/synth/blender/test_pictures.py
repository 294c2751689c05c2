"""What Blender renders: everything where the truth says, lit things lit, the same pixels for the same seed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from synth.blender import BlenderRenderer
from synth.devices import InstrumentSpec
from synth.dial import needle_tip
from synth.flat import render
from synth.scene import Pose
from tests.synth.blender.scenes import HOME, counter, display, lamp, needs_blender, red_dial, scene_of, selector

pytestmark = [pytest.mark.blender, needs_blender]
ROOT = Path(__file__).resolve().parents[3]
AHEAD = Pose((96, 96), 80, 0, 0, 0, 6.0)
DIGEST = """
import hashlib, sys
from synth.blender import BlenderRenderer
from tests.synth.blender.scenes import HOME, red_dial, scene_of
from synth.scene import Pose
with BlenderRenderer(HOME, samples=2) as renderer:
    picture = renderer.render(scene_of(red_dial(), Pose((48, 48), 40, 4, 8, -6), side=96))
print(hashlib.sha256(picture.tobytes()).hexdigest())
"""


@pytest.fixture(scope="module")
def renderer() -> Iterator[BlenderRenderer]:
    with BlenderRenderer(HOME) as made:
        yield made


def redness(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    rgb = picture.astype(np.float64)
    return rgb[..., 0] - rgb[..., 1:].max(axis=-1)


@pytest.mark.parametrize(
    ("fraction", "height", "pose"),
    [
        (0.0, 3.0, AHEAD),
        (0.3, 3.0, Pose((96, 96), 80, 8, 20, 10, 5.0)),
        (0.55, 8.0, Pose((100, 90), 78, -15, -25, 15, 4.0)),
        (0.8, 6.0, Pose((92, 98), 84, 90, 10, -30, 3.5)),
        (1.0, 2.0, Pose((96, 96), 85, 170, -15, -15, 8.0)),
    ],
)
def test_the_needles_tip_is_where_the_truth_says(renderer: BlenderRenderer, fraction: float, height: float, pose: Pose) -> None:
    spec = red_dial(fraction, height)
    spec = replace(spec, case=replace(spec.case, recess=10.0), art=replace(spec.art, color=(90, 90, 90)))
    scene = scene_of(spec, pose)
    (x, y), (px, py) = pose.project([needle_tip(spec.needle, spec.pivot, spec.pointer_deg), spec.pivot], height)
    rows, columns = np.nonzero(redness(renderer.render(scene)) > 60)
    along = np.array([x - px, y - py]) / np.hypot(x - px, y - py)
    places = np.c_[columns + 0.5 - px, rows + 0.5 - py]
    reach = places @ along
    assert reach.max() == pytest.approx(np.hypot(x - px, y - py), abs=1.0)
    end = places[reach > reach.max() - 12]
    across = end @ (-along[1], along[0])
    assert abs(float(across.mean())) < 0.5


@pytest.mark.parametrize(
    "spec", [red_dial(), display(), counter(), selector()], ids=["dial", "display", "counter", "selector"]
)  # lamps have tests of their own: the two renderers light their surroundings differently
def test_both_renderers_show_the_same_thing_at_the_same_place(renderer: BlenderRenderer, spec: InstrumentSpec) -> None:
    scene = scene_of(spec, Pose((96, 96), 75, 6, 12, -10, 5.0))
    ours, flat = (p.astype(np.float64).mean(-1) for p in (renderer.render(scene), render(scene)))
    assert np.corrcoef(ours.ravel(), flat.ravel())[0, 1] > 0.8


@pytest.mark.parametrize(("state", "channel"), [("red", 0), ("green", 1)])
def test_a_lit_lamp_has_its_colour(renderer: BlenderRenderer, state: str, channel: int) -> None:
    lens = renderer.render(scene_of(lamp(state), AHEAD))[70:122, 70:122].astype(float)
    rim = lens[[0, -1]].mean(axis=(0, 1))
    assert rim.argmax() == channel
    assert rim[channel] > 150
    assert rim[channel] > 1.6 * np.delete(rim, channel).max()


def test_a_lamp_that_is_off_is_darker(renderer: BlenderRenderer) -> None:
    lit, off = (renderer.render(scene_of(lamp(s), AHEAD))[70:122, 70:122].mean() for s in ("red", "off"))
    assert off < 0.75 * lit


def test_a_lit_display_shines(renderer: BlenderRenderer) -> None:
    lit, off = (redness(renderer.render(scene_of(display(shown), AHEAD))) for shown in (True, False))
    assert (lit > 100).sum() > 200
    assert (off > 100).sum() == 0


def test_same_seed_same_pixels_across_processes(renderer: BlenderRenderer) -> None:
    script = [sys.executable, "-c", DIGEST]
    other = [subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip() for _ in range(2)]
    scene = scene_of(red_dial(), Pose((48, 48), 40, 4, 8, -6), side=96)
    with BlenderRenderer(HOME, samples=2, recycle_after=1) as mine:
        mine.render(scene_of(lamp("red"), Pose((48, 48), 40), side=96))
        digest = hashlib.sha256(mine.render(scene).tobytes()).hexdigest()
        again = hashlib.sha256(mine.render(scene).tobytes()).hexdigest()
    assert {digest, again} == set(other)


def test_a_killed_worker_is_replaced() -> None:
    import os
    import signal

    scene = scene_of(lamp("green"), Pose((24, 24), 18), side=48)
    with BlenderRenderer(HOME, samples=1) as renderer:
        first = renderer.render(scene)
        pid = renderer.worker_pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert np.array_equal(renderer.render(scene), first)
        assert renderer.worker_pid != pid
