"""Cases in 3-D: body, bezel, mounting plate, stem, and the pane in front of the face."""

from __future__ import annotations

import math

import numpy as np

from synth.blender.builder import Builder
from synth.blender.geometry import Floats, Solid, dome, lathe, loft, ring, slab
from synth.blender.look import linear
from synth.blender.plan import Material
from synth.flat.pen import lighten
from synth.scene import Pose
from synth.spec import Case, Vec


def outline(case: Case, half: float) -> Floats:
    return ring(case.shape, half, case.aspect, max(0.5, case.corner - 0.8 * (100 - half)))


def add_case(builder: Builder, case: Case, pose: Pose, rng: np.random.Generator) -> None:
    """Body, bezel and mounting plate; the face is the caller's."""
    depth, rise = max(case.depth, 2.0), max(case.recess, 0.6)
    body = [(90.0, -depth), (96.0, -depth * 0.92), (97.0, 0.0), (97.0, rise * 0.5)]
    builder.add(_loft(case, body), pose, builder.matte(case.side_color, 0.7))
    if case.flange > 100:
        _flange(builder, case, pose)
    material = _bezel_material(builder, case, rng)
    inner = 100.0 - case.bezel
    for profile in _bezel_profiles(case, inner, rise, rng):
        builder.add(_loft(case, profile), pose, material)
    # The wall down to the face mirrors the face and little light: one that showed the room would glow.
    wall = builder.matte(lighten(case.bezel_color, -0.45), 0.15)
    builder.add(_loft(case, [(inner, 0.0), (inner, rise * 0.6)]), pose, wall)
    if case.bezel > 2.5:  # the dark seam where the ring meets the pane
        level = rise * 0.6 + 0.3  # above the pane's own rim: two things at one place would show by turns
        seam = [(inner + 0.6, level), (inner - 0.7, level)]
        builder.add(_loft(case, seam), pose, builder.matte((12, 12, 12), 0.2))


def _loft(case: Case, profile: list[Vec]) -> Solid:
    return loft([outline(case, half) for half, _ in profile], [height for _, height in profile])


def _bezel_material(builder: Builder, case: Case, rng: np.random.Generator) -> Material:
    if case.bezel_style == "metal":
        tint = linear(lighten(case.bezel_color, 0.1))
        return Material("metal", tint, gloss=float(rng.uniform(0.6, 0.9)))
    return builder.matte(case.bezel_color, float(rng.uniform(0.3, 1.4)))


def _bezel_profiles(case: Case, inner: float, rise: float, rng: np.random.Generator) -> list[list[Vec]]:
    """Cross sections (half width, height) from the face outwards; the outer edge stands at the bezel's height."""
    wide = 100.0 - inner
    wall: list[Vec] = [(inner, rise * 0.6)]
    edge: list[Vec] = [(100.0, rise * 0.97), (100.0, -1.0)]
    if case.bezel_style == "metal":
        turn = np.linspace(0, math.pi, 9)[1:-1]
        bulge = rise * float(rng.uniform(0.25, 0.5))
        crown = [(inner + wide * (1 - math.cos(t)) / 2, rise * 0.62 + bulge * math.sin(t)) for t in turn]
        if rng.random() < 0.4:  # a groove in the ring
            crown.insert(4, (inner + wide * 0.55, rise * 0.75))
        return [[*wall, *crown, *edge]]
    if case.bezel_style == "stepped":
        step = inner + 0.55 * wide
        low = [(inner + 0.5, rise * 0.65), (step - 0.6, rise * 0.7), (step, rise * 0.75), (step + 0.4, rise)]
        return [[*wall, *low, (99.0, rise), *edge]]
    if rng.random() < 0.6:  # round, as rims of sheet metal are
        turn = np.linspace(0.1 * math.pi, 0.95 * math.pi, 8)
        bulge = rise * float(rng.uniform(0.15, 0.45))
        return [[*wall, *((inner + wide * (1 - math.cos(t)) / 2, rise * 0.6 + bulge * math.sin(t)) for t in turn), *edge]]
    return [[*wall, (inner + 0.15 * wide, rise * 0.92), (inner + 0.3 * wide, rise), (98.5, rise), (99.5, rise * 0.9), *edge]]


def _flange(builder: Builder, case: Case, pose: Pose) -> None:
    half = case.flange
    shape = ring("square" if case.flange_square else "round", half, 1.0, 5.0)
    builder.add(slab(shape, -3.5, -0.6, half), pose, builder.matte(case.flange_color, 0.6))
    middle = (100 + half) / 2
    spots = (
        [(0.88 * half * sx, 0.88 * half * sy) for sx in (-1, 1) for sy in (-1, 1)]
        if case.flange_square
        else [(middle * math.sin(t), -middle * math.cos(t)) for t in (0.0, 2.094, 4.189)]
    )
    for spot in spots:
        rim = [(3.6, -0.5), (3.3, -0.1), (2.9, -0.3), (0.0, -0.45)]
        builder.add(lathe(rim, spot, 20), pose, builder.matte((15, 15, 15), 0.3))


def add_stem(builder: Builder, case: Case, pose: Pose, rng: np.random.Generator) -> None:
    """The pipe that carries the instrument, with a nut and a thread, half-way behind the face."""
    if case.stem == "none":
        return
    turn = math.radians({"bottom": 0.0, "left": 90.0, "top": 180.0}[case.stem])
    along = np.array([-math.sin(turn), math.cos(turn), 0.0])
    across = np.array([math.cos(turn), math.sin(turn), 0.0])
    length, width = float(rng.uniform(30, 120)), float(rng.uniform(9, 20))
    nut, top = width * float(rng.uniform(1.2, 1.8)), 100 + length * float(rng.uniform(0.05, 0.4))
    level = min(-0.5 * case.depth, -nut)
    end = top + float(rng.uniform(12, 26))
    material = Material("metal", linear(lighten(case.stem_color, 0.2)), gloss=0.85)
    thread = [(width * (1.0 if k % 2 else 0.9), y) for k, y in enumerate(np.arange(end + 6, 100 + length, 1.6).tolist())]
    pipe: list[Vec] = [
        (width, 88.0),
        (width, end + 5),
        *thread,
        (width * 0.85, max(100 + length, end + 6)),
        (0.0, max(100 + length, end + 6)),
    ]
    for profile, sides in (
        (pipe, 28),
        ([(0.0, top), (nut * 0.93, top), (nut, top + 1.5), (nut, end - 1.5), (nut * 0.93, end), (0.0, end)], 6),
    ):
        solid = lathe([(r, y) for r, y in profile], count=sides)
        r1, r2, y = solid.points.T
        points = y[:, None] * along + r1[:, None] * across + np.c_[np.zeros((len(y), 2)), level + r2]
        builder.add(Solid(points, solid.faces, smooth=sides > 6), pose, material)


def add_pane(builder: Builder, case: Case, pose: Pose, height: float, glass: float, dirt: int, extent: float) -> None:
    """The glass with what lies on it; `glass` 0 is none, `dirt` a texture or -1."""
    half = 100.0 - case.bezel
    if glass <= 0 and dirt < 0:
        return
    material = Material("glass", texture=dirt, gloss=1.5 * glass, sharp=True)
    builder.add(dome(case.shape, half, case.aspect, case.corner * 0.7, height, 2.0, extent), pose, material, shadow=False)
