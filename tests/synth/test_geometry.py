"""Labels checked against pixels: what is drawn lies where the truth says, found by looking, not by the truth's own code.

The needle is painted in a colour that nothing else has, photographed without grain, and its tip looked for in the
picture; the truth's homography (and a lens model of this file's own) brings it back to the face's plane, where its
angle must be the label within 0.2 degrees.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from synth.devices import DigitalSpec
from synth.flat import render
from synth.models import model_dial
from synth.recipe import Recipe, load_recipe
from synth.sampler import scene_of_seed
from synth.scene import Background, Camera, GaugeScene, Light, Placed, Pose, Wear
from synth.spec import DialSpec, Needle, Scale
from vision.fields import Point
from vision.samples import InstrumentTruth

SIDE = 768
CLOSE = load_recipe("close").model_copy(update={"size": SIDE, "empty_share": 0.0, "model_share": 0.0, "group_share": 0.0})
STYLES: tuple[str, ...] = get_args(get_args(Recipe.model_fields["dial_styles"].annotation)[0])
SCENES_A_STYLE = 5
SOME = [style if index % 5 == 0 else pytest.param(style, marks=pytest.mark.slow) for index, style in enumerate(STYLES)]
"""All styles; by default a fifth of them, the rest with the slow tests."""
MAGENTA = (255, 0, 255)
NO_LIGHT = Light(shadow=0.0, softness=0.0, shade=0.0)
Image = NDArray[np.uint8]


def recipe_of(style: str) -> Recipe:
    return CLOSE.model_copy(update={"kinds": {"dial": 1.0}, "dial_styles": {style: 1.0}})


def studio(scene: GaugeScene, spec: DialSpec, distortion: float = 0.0) -> GaugeScene:
    """The scene's main dial alone, evenly lit, in front of white, through a clean lens."""
    pose = scene.instruments[0].pose
    return GaugeScene(
        SIDE, SIDE, scene.seed, Background("white", 1), (Placed(spec, pose),), light=NO_LIGHT, wear=Wear(),
        camera=Camera(distortion=distortion),
    )  # fmt: skip


def marker(needle: Needle) -> Needle:
    """The same hand, plain and magenta: length and height above the face stay."""
    return Needle(needle.length, 5.0, 1.2, 0.0, 0.0, "taper", "none", MAGENTA, 2.0, MAGENTA, height=needle.height)


def bare(spec: DialSpec) -> DialSpec:
    """The dial without what may lie over its needle's tip."""
    return replace(spec, needle=marker(spec.needle), hands=(), glass=0.0, reset_knob=0.0, cover=0.0, skirt=None)


def magenta(picture: Image) -> NDArray[np.float64]:
    red, green, blue = (picture[..., k].astype(float) for k in range(3))
    weight: NDArray[np.float64] = np.clip((np.minimum(red, blue) - green - 60) / 120, 0, 1)
    return weight


def straight(x: NDArray[np.float64], y: NDArray[np.float64], k: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Undo r' = r (1 + k r^2) about the middle, r in half diagonals, by Newton's method on the radius."""
    half = math.hypot(SIDE, SIDE) / 2
    u, v = (x - SIDE / 2) / half, (y - SIDE / 2) / half
    seen = np.hypot(u, v)
    radius = seen.copy()
    for _ in range(20):
        radius -= (radius * (1 + k * radius**2) - seen) / (1 + 3 * k * radius**2)
    factor = np.where(seen > 0, radius / np.maximum(seen, 1e-12), 1.0)
    return u * factor * half + SIDE / 2, v * factor * half + SIDE / 2


def on_face(truth: InstrumentTruth, x: NDArray[np.float64], y: NDArray[np.float64], k: float) -> NDArray[np.float64]:
    """Face units (n, 2) of pixels of the picture, by the truth's homography."""
    assert truth.homography is not None
    x, y = straight(x, y, k)
    mapped = np.linalg.solve(np.array(truth.homography).reshape(3, 3), np.stack([x, y, np.ones_like(x)]))
    return (mapped[:2] / mapped[2]).T


def drawn_angle(picture: Image, truth: InstrumentTruth, pivot: Point, k: float, tip_from: float = 0.93) -> float | None:
    """Angle of the magenta hand's tip about the pivot on the face's plane; None where the tip is not in the picture."""
    weight = magenta(picture)
    rows, columns = np.nonzero(weight > 0.05)
    if len(rows) < 30:
        return None
    away = on_face(truth, columns + 0.5, rows + 0.5, k) - np.array(pivot)
    reach = np.hypot(*away.T)
    tip = reach > reach.max() * tip_from
    if min(rows[tip].min(), columns[tip].min()) < 2 or max(rows[tip].max(), columns[tip].max()) > SIDE - 3:
        return None
    mean = np.average(away[tip], axis=0, weights=weight[rows[tip], columns[tip]])
    return math.degrees(math.atan2(-mean[0], mean[1])) % 360


def apart(first: float, second: float) -> float:
    return abs((first - second + 180) % 360 - 180)


@pytest.mark.parametrize("style", SOME)
def test_the_drawn_tip_is_at_the_labelled_angle(style: str) -> None:
    checked = 0
    for index in range(SCENES_A_STYLE):
        scene = scene_of_seed(9000 + index, recipe_of(style))
        spec = scene.instruments[0].spec
        assert isinstance(spec, DialSpec)
        k = (0.0, 0.0, -0.1, 0.07, 0.0)[index % 5]
        shown = studio(scene, bare(spec), k)
        truth = shown.truth().instruments[0]
        seen = drawn_angle(render(shown), truth, spec.pivot, k)
        if seen is None:
            continue
        checked += 1
        assert truth.fields.pointer_angle is not None
        assert apart(seen, truth.fields.pointer_angle) < 0.2, (style, index, seen, truth.fields.pointer_angle, k)
    assert checked >= SCENES_A_STYLE - 2, "most tips are in the picture: over 100 scenes in all"


@pytest.mark.parametrize("tilt", [(40.0, 0.0), (0.0, -45.0), (30.0, 35.0), (-50.0, 10.0)])
def test_a_raised_needle_under_tilt_is_labelled_as_seen(tilt: tuple[float, float]) -> None:
    rng = np.random.default_rng(0)
    for fraction in (0.1, 0.45, 0.8):
        spec = bare(model_dial(rng, "XYZ-2000", fraction))
        spec = replace(spec, needle=replace(spec.needle, height=8.0))
        pose = Pose((390.0, 370.0), 300.0, 12.0, *tilt, focal=5.0)
        scene = studio(GaugeScene(SIDE, SIDE, 1, Background("white", 0), (Placed(spec, pose),)), spec)
        truth = scene.truth().instruments[0]
        seen = drawn_angle(render(scene), truth, spec.pivot, 0.0, tip_from=0.985)
        assert seen is not None
        assert truth.fields.pointer_angle is not None
        assert truth.true_pointer_angle is not None
        assert apart(seen, truth.fields.pointer_angle) < 0.2
        assert apart(truth.true_pointer_angle, truth.fields.pointer_angle) < 12


@pytest.mark.parametrize("style", STYLES)
def test_the_value_is_the_scale_at_the_labelled_angle(style: str) -> None:
    for seed in range(12):
        scene = scene_of_seed(seed, recipe_of(style))
        spec, truth = scene.instruments[0].spec, scene.truth().instruments[0]
        assert isinstance(spec, DialSpec)
        fields = truth.fields
        assert fields.pointer_angle is not None
        assert fields.scale_fraction is not None
        assert truth.value is not None
        assert truth.value_low is not None
        assert truth.value_high is not None
        turned = spec.scale.angle_at(fields.scale_fraction)
        assert apart(turned, fields.pointer_angle) < 2e-3, "fraction and angle say the same"
        assert scale_value(spec.scale, fields.scale_fraction) == pytest.approx(truth.value, abs=2e-4 * spec.scale.span)
        own = spec.scale.value_at(spec.fraction)
        assert truth.value_low <= own <= truth.value_high, "the interval holds what the needle itself stands for"


def scale_value(scale: Scale, fraction: float) -> float:
    """The value at a fraction by looking between the scale's own marks, finely: an inverse of `fraction_of` alone."""
    if fraction < 0 or fraction > 1:
        return scale.value_at(fraction)  # beyond the ends there are no marks
    low, high = scale.minimum, scale.maximum
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if scale.fraction_of(middle) < fraction else (low, middle)
    return low


@pytest.mark.parametrize("style", SOME)
def test_the_box_is_what_is_drawn(style: str) -> None:
    """Front and flange touch the box on all sides; body and stem behind them are no part of it."""
    for seed in (31, 32):
        scene = scene_of_seed(seed, recipe_of(style))
        spec = scene.instruments[0].spec
        assert isinstance(spec, DialSpec)
        front = replace(bare(spec), case=replace(spec.case, depth=0.0, stem="none"))
        k = -0.08 if seed == 32 else 0.0
        pose = scene.instruments[0].pose
        small = Pose((SIDE / 2, SIDE / 2), 0.33 * SIDE, pose.roll_deg, pose.tilt_x_deg, pose.tilt_y_deg, pose.focal)
        scene = replace(scene, instruments=(Placed(front, small),))
        shown = studio(scene, front, k)
        edge = spec.case.flange_color if spec.case.flange > 100 else spec.case.bezel_color
        pale = sum(edge) > 380  # what the case stands out from
        shown = replace(shown, background=Background("black" if pale else "white", 1))
        x0, y0, x1, y1 = shown.truth().instruments[0].box
        empty = render(replace(shown, instruments=()))
        rows, columns = np.nonzero(np.abs(render(shown).astype(int) - empty).max(axis=-1) > 40)
        left, top, right, low = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
        slack = 0.02 * max(x1 - x0, y1 - y0) + 2
        assert x0 - slack <= left <= x0 + 3 * slack
        assert y0 - slack <= top <= y0 + 3 * slack
        assert x1 - 3 * slack <= right <= x1 + slack
        assert y1 - 3 * slack <= low <= y1 + slack


def ink_near(picture: Image, blank: Image, point: Point, radius: float) -> bool:
    """Whether something is printed within `radius` pixels of a point that is not there without it."""
    x, y = point
    reach = max(2, math.ceil(radius))
    rows = slice(max(0, int(y) - reach), int(y) + reach + 1)
    columns = slice(max(0, int(x) - reach), int(x) + reach + 1)
    return bool(np.abs(picture[rows, columns].astype(int) - blank[rows, columns]).max(initial=0) > 12)


@pytest.mark.parametrize("style", SOME)
def test_numbers_and_units_are_printed_where_the_truth_says(style: str) -> None:
    for seed in (51, 52):
        scene = scene_of_seed(seed, recipe_of(style))
        spec = scene.instruments[0].spec
        assert isinstance(spec, DialSpec)
        plain = replace(bare(spec), zones=())
        hidden = replace(plain, art=replace(plain.art, numeral_color=plain.face_color), prints=())
        shown = studio(scene, plain, 0.05)
        truth = shown.truth().instruments[0]
        picture = render(shown)
        blank = render(studio(scene, replace(hidden, art=replace(hidden.art, numeral_size=0.1)), 0.05))
        inside = [n for n in truth.numerals if all(8 < v < SIDE - 8 for v in n.center)]
        size = 0.36 * plain.art.numeral_size / 100 * scene.instruments[0].pose.radius_px
        missing = [n.text for n in inside if not ink_near(picture, blank, n.center, size)]
        assert len(missing) <= 0.1 * len(inside), (style, seed, missing)
        for unit in truth.units:
            if all(8 < v < SIDE - 8 for v in unit.center):
                assert ink_near(picture, blank, unit.center, 0.7 * unit.height_px), (style, seed, unit)


def test_units_of_displays_are_printed_where_the_truth_says() -> None:
    recipe = CLOSE.model_copy(update={"kinds": {"digital": 1.0}})
    checked = 0
    for seed in range(40):
        scene = scene_of_seed(seed, recipe)
        spec = scene.instruments[0].spec
        if not isinstance(spec, DigitalSpec) or not spec.lit:
            continue
        shown = replace(
            scene, instruments=scene.instruments[:1], light=NO_LIGHT, wear=Wear(), camera=Camera(), things=(), panel=None
        )
        shown = replace(shown, fingers=False, overlay=(), background=Background("white", 1))
        truth = shown.truth().instruments[0]
        if not truth.units or checked >= 8:
            continue
        checked += 1
        picture = render(shown)
        wiped = render(replace(shown, instruments=(Placed(replace(spec, prints=(), lit=False), scene.instruments[0].pose),)))
        for unit in truth.units:
            if all(8 < v < SIDE - 8 for v in unit.center):
                assert ink_near(picture, wiped, unit.center, 0.8 * unit.height_px + 2), (seed, unit)
    assert checked >= 4
