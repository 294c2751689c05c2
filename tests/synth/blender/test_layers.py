"""The flat renderer's artwork comes apart by height, and nothing of it is lost."""

from __future__ import annotations

import numpy as np
import pytest

from synth.blender.builder import Builder, dimmed, over
from synth.blender.geometry import View
from synth.blender.layers import DROPPED, LayerPen, outlines, texture_pose
from synth.scene import Pose

VIEW = View(192, 192, 500.0)


def test_layers_are_kept_by_height_in_order() -> None:
    pen, pose = LayerPen(64), texture_pose(64, 100.0)
    for height, color in ((0.0, (255, 0, 0)), (5.0, (0, 255, 0)), (0.0, (0, 0, 255)), (0.0, (9, 9, 9))):
        with pen.plane(pose.homography(height)):
            pen.disc(0, 0, 40, color)
    found = pen.layers()
    assert [layer.height for layer in found] == [0.0, 5.0, 0.0]
    assert [layer.pixels[32, 32].tolist() for layer in found] == [[255, 0, 0, 255], [0, 255, 0, 255], [9, 9, 9, 255]]


def test_a_layer_covers_the_face_units_that_were_asked_for() -> None:
    pen, pose = LayerPen(80), texture_pose(80, 200.0)
    with pen.plane(pose.homography(3.0)):
        pen.box(-200, -200, 0, 0, (10, 20, 30))
    alpha = pen.layers()[0].pixels[..., 3]
    assert alpha[:40, :40].min() == 255
    assert alpha[41:, :].max() == 0
    assert alpha[:, 41:].max() == 0


def test_all_heights_look_alike() -> None:
    pose = texture_pose(64, 100.0)
    assert np.array_equal(pose.homography(0.0), pose.homography(50.0))
    assert pose.tilt_deg == 0.0


def test_empty_and_dropped_layers_are_not_kept() -> None:
    pen, pose = LayerPen(32), texture_pose(32, 100.0)
    for height in (DROPPED, -DROPPED):
        with pen.plane(pose.homography(height)):
            pen.disc(0, 0, 100, (1, 2, 3))
    with pen.plane(pose.homography(1.0)):
        pen.disc(0, 0, 50, (1, 2, 3), alpha=0.0)
    assert pen.layers() == []


def test_colour_is_not_darkened_at_soft_edges() -> None:
    pen, pose = LayerPen(64), texture_pose(64, 100.0)
    with pen.plane(pose.homography(0.0)):
        pen.disc(0, 0, 50, (200, 100, 50), blur=6)
    pixels = pen.layers()[0].pixels
    soft = (pixels[..., 3] > 40) & (pixels[..., 3] < 200)
    assert soft.any()
    assert np.abs(pixels[soft][:, :3].astype(int) - (200, 100, 50)).max() <= 8


def test_an_outline_is_exact_to_a_fraction_of_a_texel() -> None:
    pen, pose = LayerPen(400), texture_pose(400, 100.0)
    with pen.plane(pose.homography(0.0)):
        pen.polygon([(0, -80), (3, 0), (-3, 0)], (0, 0, 0))
        pen.disc(50.25, 30.5, 20, (0, 0, 0))
    found = sorted(outlines(pen.layers()[0].pixels[..., 3], 100.0), key=len)
    needle, disc = found[0], found[-1]
    assert needle[:, 1].max() == pytest.approx(0.0, abs=0.1)
    assert -80 < needle[:, 1].min() < -70  # a tip thinner than a texel has no outline
    assert np.hypot(*(disc - (50.25, 30.5)).T) == pytest.approx(np.full(len(disc), 20.0), abs=0.2)  # 0.4 texels
    assert np.abs(needle[:, 0]).max() == pytest.approx(3.0, abs=0.1)


def test_holes_are_no_outlines() -> None:
    alpha = np.zeros((60, 60), np.uint8)
    alpha[10:50, 10:50] = 255
    alpha[25:35, 25:35] = 0
    assert len(outlines(alpha, 100.0)) == 1
    assert outlines(np.zeros((10, 10), np.uint8), 100.0) == []


def test_textures_follow_the_size_in_the_picture() -> None:
    builder = Builder(VIEW)
    small, large = builder.side(Pose((96, 96), 40), 100.0), builder.side(Pose((96, 96), 160), 100.0)
    assert 3.5 < large / small < 4.5
    assert builder.side(Pose((96, 96), 4000), 100.0) == 1536
    assert builder.side(Pose((96, 96), 4), 100.0) == 64


def test_over_a_ground() -> None:
    layer = np.array([[[200, 100, 0, 255], [200, 100, 0, 0]]], np.uint8)
    assert over(layer, (10, 20, 30)).tolist() == [[[200, 100, 0, 255], [10, 20, 30, 255]]]


def test_films_shine_less_on_dark_grounds() -> None:
    film = np.array([[[200, 200, 200, 64], [200, 200, 200, 255]]], np.uint8)
    assert np.array_equal(dimmed(film, 1.0), film)
    dark = dimmed(film, 0.0)
    assert dark[0, 0, 0] < 120
    assert dark[0, 1].tolist() == [200, 200, 200, 255]
    assert np.array_equal(dark[..., 3], film[..., 3])
