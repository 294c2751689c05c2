"""One camera sees every instrument, at every height, where its own pose says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.blender.geometry import (
    DEPTH,
    Solid,
    View,
    camera_affine,
    dome,
    lathe,
    loft,
    planar_uv,
    project,
    ring,
    sheet,
    slab,
    view_of,
)
from synth.scene import Background, GaugeScene, Placed, Pose
from tests.synth.blender.scenes import counter, scene_of

angles = st.floats(-60, 60)
POSES = st.builds(
    Pose,
    center=st.tuples(st.floats(-50, 450), st.floats(-50, 450)),
    radius_px=st.floats(15, 220),
    roll_deg=st.floats(-180, 180),
    tilt_x_deg=angles,
    tilt_y_deg=angles,
    focal=st.floats(3, 12),
    offset=st.tuples(st.floats(-80, 80), st.floats(-80, 80)),
    scale=st.floats(0.1, 1.0),
)
VIEWS = st.builds(View, width=st.integers(64, 640), height=st.integers(64, 640), focal_px=st.floats(200, 3000))
FACE = [(0.0, 0.0), (100.0, 0.0), (-60.0, 80.0), (0.0, -97.0), (33.3, 41.0)]


@settings(max_examples=30, deadline=None)
@given(pose=POSES, view=VIEWS, height=st.sampled_from([-40.0, -3.0, 0.0, 0.5, 3.0, 8.0, 25.0]))
def test_the_one_camera_agrees_with_the_pose(pose: Pose, view: View, height: float) -> None:
    points = np.c_[np.array(FACE), np.full(len(FACE), height), np.ones(len(FACE))]
    seen = project(points @ camera_affine(pose, view).T, view)
    assert np.abs(seen - pose.project(FACE, height)).max() < 1e-6


@settings(max_examples=15, deadline=None)
@given(pose=POSES, view=VIEWS)
def test_instruments_stand_at_one_distance_and_in_front_of_the_camera(pose: Pose, view: View) -> None:
    center = camera_affine(Pose(pose.center, pose.radius_px, focal=pose.focal), view) @ (0, 0, 0, 1)
    assert center[2] == pytest.approx(DEPTH)
    rim = np.c_[100 * np.array(FACE) / 100, np.zeros(len(FACE)), np.ones(len(FACE))] @ camera_affine(pose, view).T
    assert (rim[:, 2] > 0).all()


def test_height_comes_towards_the_camera() -> None:
    affine = camera_affine(Pose((96, 96), 80), View(192, 192, 480.0))
    assert (affine @ (0, 0, 10, 1))[2] < (affine @ (0, 0, 0, 1))[2]


def test_instruments_of_one_panel_keep_their_places_to_each_other() -> None:
    view, pose = View(384, 384, 900.0), Pose((180, 200), 150, 3, 20, -15, 5.0)
    child = Pose(pose.center, 150, 3, 20, -15, 5.0, offset=(30.0, -20.0), scale=0.4)
    on_child = camera_affine(child, view) @ (10, 5, 2, 1)
    assert on_child == pytest.approx(camera_affine(pose, view) @ (34, -18, 0.8, 1))


def test_the_main_instrument_has_its_true_depth() -> None:
    pose = Pose((96, 96), 80, 0, 0, 0, 6.0)
    scene = scene_of(counter(), pose)
    linear = camera_affine(pose, view_of(scene))[:, :3]
    assert np.linalg.norm(linear, axis=0) == pytest.approx(np.full(3, np.linalg.norm(linear[:, 0])))


def test_a_scene_without_instruments_has_a_camera() -> None:
    view = view_of(GaugeScene(120, 80, 1, Background("plain", 1)))
    assert (view.width, view.height) == (120, 80)
    assert view.focal_px == 360.0


def test_a_camera_is_never_absurd() -> None:
    near = GaugeScene(400, 400, 1, Background("plain", 1), (Placed(counter(), Pose((200, 200), 10, focal=3.0)),))
    assert view_of(near).focal_px == 320.0


def sane(solid: Solid) -> None:
    used = {k for face in solid.faces for k in face}
    assert used <= set(range(len(solid.points)))
    assert all(len(set(face)) == len(face) >= 3 for face in solid.faces)
    assert np.isfinite(solid.points).all()
    assert solid.uv is None or solid.uv.shape == (len(solid.points), 2)


@pytest.mark.parametrize("shape", ["round", "square"])
def test_solids_are_sound(shape: str) -> None:
    outline = ring(shape, 50.0, 0.8, 6.0)  # type: ignore[arg-type]
    sane(loft([outline, outline * 0.9], [0.0, 4.0]))
    sane(sheet(outline, 1.0, 100.0))
    sane(slab(outline, -2.0, 2.0, 100.0))
    sane(dome(shape, 50.0, 0.8, 6.0, 5.0, 2.0, 100.0))  # type: ignore[arg-type]
    sane(lathe([(5.0, 0.0), (5.0, 3.0), (0.0, 4.0)], (1.0, 2.0)))


def test_outlines_have_their_size() -> None:
    round_, square = ring("round", 50.0, 0.8, 0.0), ring("square", 50.0, 0.8, 6.0)
    for outline in (round_, square):
        assert np.abs(outline).max(axis=0) == pytest.approx([50.0, 40.0], rel=1e-2)
    assert np.hypot(*ring("round", 10.0, 1.0, 0.0).T) == pytest.approx(np.full(72, 10.0))


def test_a_slab_has_its_texture_on_top() -> None:
    solid = slab(ring("round", 50.0, 1.0, 0.0, 12), 0.0, 3.0, 100.0)
    assert {solid.points[k][2] for k in solid.faces[0]} == {3.0}


def test_a_dome_is_highest_in_the_middle() -> None:
    solid = dome("round", 60.0, 1.0, 0.0, 5.0, 2.0, 100.0)
    away = np.hypot(solid.points[:, 0], solid.points[:, 1])
    assert solid.points[np.argmin(away), 2] == pytest.approx(7.0, abs=0.01)
    assert solid.points[np.argmax(away), 2] == pytest.approx(5.0)


def test_textures_lie_upright() -> None:
    corner = planar_uv(np.array([(-100.0, -100.0), (100.0, 100.0), (0.0, 0.0)]), 100.0)
    assert corner.tolist() == [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]


def test_ring_turns_by_equal_steps() -> None:
    turns = np.unwrap(np.arctan2(*ring("round", 5.0, 1.0, 0.0, 8).T))
    assert np.abs(np.diff(turns)) == pytest.approx(np.full(7, math.pi / 4))
