"""Scenes become plans: plain data, the same every time, for every kind of instrument."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.blender.assemble import plan_scene
from synth.blender.geometry import project, view_of
from synth.blender.look import lamps, light_direction, linear
from synth.blender.plan import Plan, read_plan, write_plan
from synth.dial import needle_tip
from synth.errors import BlenderError
from synth.recipe import load_recipe
from synth.sampler import sample_scene
from synth.scene import Light, Placed, Pose, Wear
from tests.synth.blender.scenes import counter, display, lamp, red_dial, scene_of, selector

ROOT = Path(__file__).resolve().parents[3]
POSE = Pose((96, 100), 70, 5, 12, -8, 5.0)


def same(a: Plan, b: Plan) -> bool:
    arrays = [
        np.array_equal(x, y) for x, y in zip((*a.textures, a.room, a.room_soft), (*b.textures, b.room, b.room_soft), strict=True)
    ]
    meshes = [
        np.array_equal(x.points, y.points)
        and np.array_equal(x.loops, y.loops)
        and np.array_equal(x.sizes, y.sizes)
        and (np.array_equal(x.uv, y.uv) if x.uv is not None and y.uv is not None else x.uv is y.uv)
        and (x.material, x.smooth, x.shadow) == (y.material, y.smooth, y.shadow)
        for x, y in zip(a.meshes, b.meshes, strict=True)
    ]
    heads = [
        (p.width, p.height, p.seed, p.focal_px, p.samples, p.ambient, p.lamps, [asdict(m) for m in p.materials]) for p in (a, b)
    ]
    return all(arrays) and all(meshes) and heads[0] == heads[1]


SPECS = {
    "dial": red_dial(),
    "display": display(),
    "switched off": display(lit=False),
    "counter": counter(),
    "lamp": lamp("red"),
    "lamp off": lamp("off"),
    "stack": replace(lamp("green"), style="stack"),
    "ring": replace(lamp("yellow"), style="ring"),
    "faceted": replace(lamp("red"), faceted=True, square=True),
    "selector": selector(),
    "knob": replace(selector(), style="disc", square=False),
}


@pytest.mark.parametrize("name", list(SPECS))
def test_every_kind_becomes_a_sound_plan(name: str) -> None:
    plan = plan_scene(scene_of(SPECS[name], POSE))
    assert len(plan.meshes) >= 3
    for mesh in plan.meshes:
        assert mesh.points.dtype == np.float32
        assert np.isfinite(mesh.points).all()
        assert mesh.loops.max() < len(mesh.points)
        assert mesh.sizes.sum() == len(mesh.loops)
        assert 0 <= mesh.material < len(plan.materials)
        assert (mesh.points[:, 2] < -0.5).all()  # in front of the camera
    for material in plan.materials:
        assert material.texture < len(plan.textures)
        assert material.glow_texture < len(plan.textures)


@pytest.mark.parametrize("name", ["dial", "display", "lamp"])
def test_plans_survive_the_disk(name: str, tmp_path: Path) -> None:
    plan = plan_scene(scene_of(SPECS[name], POSE), samples=3)
    write_plan(plan, tmp_path / "plan.npz")
    assert same(read_plan(tmp_path / "plan.npz"), plan)


def test_same_scene_same_plan() -> None:
    scene = scene_of(red_dial(), POSE)
    assert same(plan_scene(scene), plan_scene(scene))
    assert not same(plan_scene(scene), plan_scene(replace(scene, seed=8)))


@pytest.mark.parametrize("recipe", ["close", "scene"])
def test_drawn_scenes_become_plans(recipe: str) -> None:
    for seed in range(6):
        scene = sample_scene(np.random.default_rng(seed), load_recipe(recipe))
        plan = plan_scene(scene)
        assert (plan.width, plan.height) == (scene.width, scene.height)


def test_the_needle_reaches_its_tip() -> None:
    """The highest points of the cut-out needle, seen by the plan's camera, lie where the needle's tip is drawn."""
    spec = red_dial(0.7, height=6.0)
    scene = scene_of(spec, Pose((96, 96), 85, 10, 25, -20, 4.0), side=192)
    plan = plan_scene(scene)
    tip = np.array(scene.instruments[0].pose.project([needle_tip(spec.needle, spec.pivot, spec.pointer_deg)], 6.0)[0])
    away = []
    for mesh in plan.meshes:
        material = plan.materials[mesh.material]
        if material.texture >= 0 and material.kind == "matte":
            seen = project(mesh.points.astype(np.float64) * (1, -1, -1), view_of(scene))
            away.append(float(np.hypot(*(seen - tip).T).min()))
    assert min(away) < 0.6


def test_a_face_wears_the_flat_renderers_print() -> None:
    plain, printed = (
        plan_scene(scene_of(replace(red_dial(), art=replace(red_dial().art, color=c)), POSE))
        for c in ((235, 235, 235), (0, 0, 0))
    )
    dark = [sum(int((t[..., :3].max(-1) < 60).sum()) for t in plan.textures) for plan in (plain, printed)]
    assert dark[1] > dark[0] + 200


def test_wear_lies_on_the_pane() -> None:
    clean, dirty = (
        plan_scene(replace(scene_of(replace(red_dial(), glass=1.0), POSE), wear=wear)) for wear in (Wear(), Wear(dirt=1.0))
    )
    panes = [[m for m in plan.materials if m.kind == "glass"] for plan in (clean, dirty)]
    assert [len(p) for p in panes] == [1, 1]
    assert panes[0][0].texture == -1
    assert panes[1][0].texture >= 0


def test_rust_lies_on_the_case() -> None:
    scene = scene_of(red_dial(), POSE)
    rusty = plan_scene(replace(scene, wear=Wear(rust=1.0)))
    assert [m.kind for m in rusty.materials].count("decal") == 1
    assert "decal" not in [m.kind for m in plan_scene(scene).materials]


def test_only_what_is_lit_glows() -> None:
    def glow(name: str) -> float:
        return max(m.glow for m in plan_scene(scene_of(SPECS[name], POSE)).materials)

    assert glow("lamp") > 0
    assert glow("display") > 0
    assert [glow(name) for name in ("lamp off", "switched off", "dial", "counter", "selector")] == [0.0] * 5


def test_a_liquid_crystal_does_not_glow() -> None:
    assert max(m.glow for m in plan_scene(scene_of(replace(display(), led=False), POSE)).materials) == 0.0


def test_no_glass_no_pane() -> None:
    kinds = [m.kind for m in plan_scene(scene_of(replace(red_dial(), glass=0.0), POSE)).materials]
    assert "glass" not in kinds


@dataclass(frozen=True)
class Barograph:
    """A device that nobody knows."""


def test_an_unknown_device_is_named() -> None:
    unknown: Any = Barograph()
    with pytest.raises(BlenderError, match=r"cannot build a Barograph; it knows CounterSpec, DialSpec"):
        plan_scene(scene_of(unknown, POSE))


def test_several_instruments_share_one_picture() -> None:
    dial = red_dial()
    one = scene_of(dial, POSE)
    two = replace(one, instruments=(*one.instruments, Placed(lamp("green"), Pose((150, 30), 20))))
    assert len(plan_scene(two).meshes) > len(plan_scene(one).meshes)


def test_the_wall_is_behind_everything() -> None:
    plan = plan_scene(scene_of(red_dial(), POSE))
    wall = plan.meshes[-1].points[:, 2]
    assert wall.max() < min(mesh.points[:, 2].min() for mesh in plan.meshes[:-1])
    assert plan.textures[plan.materials[plan.meshes[-1].material].texture].shape == (192, 192, 4)


def test_shadows_fall_where_the_scene_says() -> None:
    x, y, z = light_direction(Light(shadow_deg=315.0, softness=0.5))  # shadows to the lower right: light from the upper left
    assert x < 0 < y
    assert z > 0
    assert np.hypot(np.hypot(x, y), z) == pytest.approx(1.0)


def test_stronger_shadows_need_more_of_the_lamp() -> None:
    view = view_of(scene_of(red_dial(), POSE))
    weak, strong = (lamps(Light(shadow=s), view, np.random.default_rng(1)) for s in (0.05, 0.6))
    assert strong[0][0].power > weak[0][0].power
    assert strong[1][1] < weak[1][1]


def test_a_flash_is_a_lamp_at_the_camera() -> None:
    view = view_of(scene_of(red_dial(), POSE))
    found, _ = lamps(Light(flash=True), view, np.random.default_rng(1))
    assert len(found) == 2
    assert found[1].place[2] == 0.0


def test_linear_light() -> None:
    assert linear((255, 255, 255)) == pytest.approx((1.0, 1.0, 1.0))
    assert linear((0, 10, 188)) == pytest.approx((0.0, 0.00304, 0.5029), abs=1e-3)


def test_nothing_here_imports_blender() -> None:
    script = "import sys, synth.blender.renderer; print('bpy' in sys.modules, 'synth.blender.worker' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_worker_says_its_licence() -> None:
    worker = (ROOT / "synth" / "blender" / "worker.py").read_text(encoding="utf-8")
    assert worker.startswith("# SPDX-License-Identifier: GPL-3.0-or-later")
    others = [p for p in (ROOT / "synth").rglob("*.py") if p.name != "worker.py"]
    for path in others:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert not any(line.strip().startswith(("import bpy", "from bpy", "from synth.blender.worker")) for line in lines), path
