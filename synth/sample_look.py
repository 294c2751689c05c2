"""Pose, light, wear, camera and background: everything about a picture that is not the instrument."""

from __future__ import annotations

import math

import numpy as np

from synth.devices import Distractor
from synth.draw import Rng, between, chance, pick, weighted
from synth.fonts import SANS
from synth.recipe import CameraOptions, PoseOptions, Recipe, WearOptions
from synth.scene import Background, Camera, Light, PlacedThing, Pose, Wear
from synth.spec import Print, Vec

THINGS = ("clock", "wheel", "knob", "lid", "sign", "bolt", "flange", "plate", "label", "button")


def sample_pose(rng: Rng, options: PoseOptions, center: Vec, radius_px: float, wild: float = 1.0) -> Pose:
    """A pose about `center`: mostly nearly frontal, a share turned as far as the recipe allows."""
    if chance(rng, options.tilt_wild_share * wild):
        away, turn = between(rng, 5, options.tilt_max_deg), between(rng, 0, 2 * math.pi)
        tilt_x, tilt_y = away * math.sin(turn), away * math.cos(turn)
    else:
        tilt_x, tilt_y = (
            float(np.clip(v, -options.tilt_max_deg, options.tilt_max_deg)) for v in rng.normal(0, options.tilt_std_deg, 2)
        )
    if chance(rng, options.quarter_turn_share):
        roll = pick(rng, (90.0, -90.0, 180.0)) + float(rng.normal(0, 3))
    elif chance(rng, options.roll_wild_share):
        roll = between(rng, -options.roll_max_deg, options.roll_max_deg)
    else:
        roll = float(rng.normal(0, options.roll_std_deg))
    return Pose(center, radius_px, roll, tilt_x, tilt_y, between(rng, 3.0, 12.0))


def sample_light(rng: Rng, options: WearOptions) -> Light:
    glare = chance(rng, options.glare)
    return Light(
        shadow_deg=between(rng, 270, 450) % 360,
        shadow=between(rng, 0.05, 0.6),
        softness=between(rng, 0.0, 1.0),
        shade=between(rng, 0.0, 0.8),
        glare=between(rng, 0.1, 0.85) if glare else 0.0,
        glare_count=int(rng.integers(1, 4)) if glare else 0,
        flash=chance(rng, options.flash),
        cast_shadow=between(rng, 0.1, 0.6) if chance(rng, options.cast_shadow) else 0.0,
    )


def sample_wear(rng: Rng, options: WearOptions) -> Wear:
    return Wear(
        dirt=between(rng, 0.05, 1.0) if chance(rng, options.dirt) else 0.0,
        scratches=int(rng.integers(1, 12)) if chance(rng, options.scratches) else 0,
        fog=between(rng, 0.1, 1.0) if chance(rng, options.fog) else 0.0,
        yellowing=between(rng, 0.2, 1.0) if chance(rng, options.yellowing) else 0.0,
        liquid=chance(rng, options.liquid),
    )


def sample_camera(rng: Rng, options: CameraOptions, size: int) -> Camera:
    """Most pictures keep most of their detail; bad ones are bad in one or two ways."""
    exposure, gamma = math.exp(float(rng.normal(0, 0.12))), math.exp(float(rng.normal(0, 0.15)))
    if chance(rng, options.dark):
        exposure = between(rng, 0.25, 0.65)
    elif chance(rng, options.bright):
        exposure = between(rng, 1.3, 2.0)
    # Casts of real lamps run from blue to amber, much less from green to purple.
    warmth, tint = float(rng.normal(0, 0.1 if chance(rng, options.color_cast) else 0.02)), float(rng.normal(0, 0.02))
    balance = (math.exp(warmth), math.exp(tint), math.exp(-warmth))
    scale = size / 384
    low = chance(rng, options.low_resolution)
    return Camera(
        exposure=exposure,
        gamma=gamma,
        contrast=math.exp(float(rng.normal(0, 0.13))),
        white_balance=balance,
        gray=chance(rng, options.gray),
        blur_px=scale * (between(rng, 0.3, 1.4) if chance(rng, 0.8) else between(rng, 1.4, 3.2))
        if chance(rng, options.blur)
        else 0.0,
        motion_px=scale * between(rng, 3, 11) if chance(rng, options.motion) else 0.0,
        motion_deg=between(rng, 0, 180),
        low_side=int(scale * between(rng, 60, 300)) if low else 0,
        noise=float(rng.exponential(4.0)) + 0.5 if chance(rng, options.noise) else 0.0,
        noise_scale=between(rng, 1, 3),
        vignette=between(rng, 0.05, 0.5) if chance(rng, 0.2) else 0.0,
        sharpen=between(rng, 0.1, 0.9) if chance(rng, 0.25) else 0.0,
        jpeg_quality=int(between(rng, 25, 95)) if chance(rng, options.jpeg) else 0,
    )


def sample_background(rng: Rng, recipe: Recipe) -> Background:
    return Background(weighted(rng, recipe.backgrounds), int(rng.integers(2**31)))


def sample_things(rng: Rng, size: int, count: int, low: float = 0.04, high: float = 0.5) -> tuple[PlacedThing, ...]:
    """Things that are no instruments, at random places; extents as fractions of the side."""
    placed = []
    for _ in range(count):
        radius = 0.5 * size * math.exp(between(rng, math.log(low), math.log(high)))
        center = (between(rng, -0.05, 1.05) * size, between(rng, -0.05, 1.05) * size)
        pose = Pose(center, radius, float(rng.normal(0, 12)), float(rng.normal(0, 14)), float(rng.normal(0, 14)), 6.0)
        placed.append(PlacedThing(Distractor(pick(rng, THINGS), int(rng.integers(2**31))), pose))  # type: ignore[arg-type]
    return tuple(placed)


def sample_overlay(rng: Rng, size: int) -> tuple[Print, ...]:
    """Date and camera name as recorders write them into a picture's corners, or a watermark."""
    font = pick(rng, SANS)
    text_size = size * between(rng, 0.025, 0.045)
    color = (250, 250, 250) if chance(rng, 0.7) else pick(rng, ((255, 220, 40), (60, 255, 90), (255, 60, 40)))
    date = f"{int(rng.integers(2012, 2027))}-{int(rng.integers(1, 13)):02d}-{int(rng.integers(1, 29)):02d}"
    clock = f"{int(rng.integers(0, 24)):02d}:{int(rng.integers(0, 60)):02d}:{int(rng.integers(0, 60)):02d}"
    lines = [Print(f"{date} {clock}", size * 0.26, size * pick(rng, (0.04, 0.96)), text_size, font, color)]
    if chance(rng, 0.5):
        lines.append(Print(f"Camera {int(rng.integers(1, 20)):02d}", size * 0.84, size * 0.96, text_size, font, color))
    return tuple(lines)
