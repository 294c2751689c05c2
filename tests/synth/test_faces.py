"""Looks of faces: each is drawn, leaves the truth alone and gives the same bytes again."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from synth.draw import luma
from synth.face_look import PLAIN_FACE, FaceLook, Texture
from synth.flat import render
from synth.models import model_dial
from synth.sample_face import sample_face
from synth.scene import Background, GaugeScene, Light, Placed, Pose
from synth.spec import DialSpec

SPEC = model_dial(np.random.default_rng(2), "BT-160", 0.5, dark=False)


def picture(look: FaceLook, spec: DialSpec = SPEC) -> np.ndarray:
    placed = Placed(replace(spec, look=look, glass=0.0), Pose((128, 128), 120))
    return render(GaugeScene(256, 256, 4, Background("white", 0), (placed,), light=Light(shade=0.0)))


@pytest.mark.parametrize("texture", [t for t in get_args(Texture) if t != "plain"])
def test_every_texture_is_seen_and_repeats(texture: Texture) -> None:
    look = FaceLook(texture=texture, grain=0.8)
    first = picture(look)
    assert np.array_equal(first, picture(look))
    assert not np.array_equal(first, picture(PLAIN_FACE))
    change = np.abs(first.astype(int) - picture(PLAIN_FACE).astype(int)).mean()
    assert change < 40, "a texture leaves the face what it is"


@pytest.mark.parametrize(
    "look",
    [
        FaceLook(center_radius=30, center_color=(180, 40, 40)),
        FaceLook(mirror=(50, 55)),
        FaceLook(opening=25),
        FaceLook(relief=0.5),
        FaceLook(relief=-0.5),
        FaceLook(rim_line=3),
    ],
)
def test_every_part_is_seen_and_repeats(look: FaceLook) -> None:
    assert not np.array_equal(picture(look), picture(PLAIN_FACE))
    assert np.array_equal(picture(look), picture(look))


def test_a_coloured_centre_lies_about_the_pivot() -> None:
    spec = replace(SPEC, prints=(), needle=replace(SPEC.needle, length=30, hub=2, tail=0, tail_shape="none", start=20))
    seen = picture(FaceLook(center_radius=40, center_color=(180, 40, 40)), spec)
    for x, y in ((108, 128), (150, 128), (128, 150)):
        assert seen[y, x, 0] > seen[y, x, 1] + 60, (x, y)


def test_sampled_looks_leave_the_print_readable() -> None:
    rng, looks = np.random.default_rng(3), []
    for _ in range(400):
        spec = model_dial(rng, "XYZ-2000", 0.4)
        look = sample_face(rng, spec, "pressure")
        looks.append(look)
        if look.center_radius > 0:
            assert look.center_radius < abs(spec.art.numeral_radius)
            assert abs(luma(look.center_color) - luma(spec.art.color)) > 60
        if look.opening > 0:
            assert look.opening < abs(spec.art.numeral_radius) - 0.5 * spec.art.numeral_size
        assert look.mirror[0] <= look.mirror[1]
        assert 0 <= look.grain <= 1
    assert 0.03 < np.mean([look.center_radius > 0 for look in looks]) < 0.15
    assert any(look.opening > 0 for look in looks)
    assert any(look.relief > 0 for look in looks)
    assert any(look.relief < 0 for look in looks)
    assert len({look.texture for look in looks}) >= 5
