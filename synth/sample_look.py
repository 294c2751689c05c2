"""Pose, light, wear, camera and background: everything about a picture that is not the instrument."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np

from synth.devices import Distractor, ThingKind
from synth.draw import Rng, between, chance, pick, weighted
from synth.fonts import CHINESE, SANS
from synth.recipe import CameraOptions, PoseOptions, Recipe, WearOptions
from synth.sample_marks import sample_watermark
from synth.scene import Background, Camera, Light, PlacedThing, Pose, Wear
from synth.spec import Print, Vec

THINGS = get_args(ThingKind)
LOOK_ALIKES: tuple[ThingKind, ...] = (
    "clock",
    "wheel",
    "lid",
    "sign",
    "porthole",
    "speaker",
    "coin",
    "dish",
    "fan",
    "pizza",
    "disc_record",
    "drain",
    "roadsign",
    "socket",
    "compass_rose",
)
"""Round things that a careless reader takes for instruments."""
COMMON = ("bolt", "flange", "plate", "label", "button", "sign", "wheel", "knob", "lid")
"""What stands beside instruments; look-alikes from kitchens and streets are rarer there."""


CHINESE_PLACES = ("摄像机", "泵房", "主变", "通道", "锅炉房", "配电室", "仪表间", "水厂", "罐区", "监控点")
"""Camera, pump room, main transformer, channel, boiler room, switchroom, instrument room, waterworks, tank farm, post."""


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
        most = options.roll_max_deg if chance(rng, 0.4) else min(options.roll_max_deg, 40.0)
        roll = between(rng, -most, most)
    else:
        roll = float(rng.normal(0, options.roll_std_deg))
    return Pose(center, radius_px, roll, tilt_x, tilt_y, between(rng, 3.0, 12.0))


def sample_light(rng: Rng, options: WearOptions) -> Light:
    """A main light, what mirrors in the glass, and how the light falls off across the picture."""
    glare = chance(rng, options.glare)
    falloff = between(rng, 0.08, 0.4) if chance(rng, options.falloff) else 0.0
    if falloff and chance(rng, 0.15):  # a torch in a dark room
        falloff = between(rng, 0.45, 0.7)
    warm, tinted = between(rng, 0.0, 0.22), falloff > 0 and chance(rng, 0.4)
    tint = (1.0, 1.0 - 0.5 * warm, 1.0 - warm) if chance(rng, 0.7) else (1.0 - warm, 1.0 - 0.4 * warm, 1.0)
    return Light(
        shadow_deg=between(rng, 270, 450) % 360,
        shadow=between(rng, 0.05, 0.6),
        softness=between(rng, 0.0, 1.0),
        shade=between(rng, 0.0, 0.8),
        glare=between(rng, 0.1, 0.85) if glare else 0.0,
        glare_count=int(rng.integers(1, 4)) if glare else 0,
        flash=chance(rng, options.flash),
        cast_shadow=between(rng, 0.1, 0.6) if chance(rng, options.cast_shadow) else 0.0,
        veil=between(rng, 0.06, 0.4) if chance(rng, options.veil) else 0.0,
        ring=between(rng, 0.3, 1.0) if chance(rng, options.ring) else 0.0,
        falloff=falloff,
        falloff_at=(between(rng, 0.15, 0.85), between(rng, 0.1, 0.75)),
        tint=tint if tinted else (1.0, 1.0, 1.0),
    )


def sample_wear(rng: Rng, options: WearOptions) -> Wear:
    return Wear(
        dirt=between(rng, 0.05, 1.0) if chance(rng, options.dirt) else 0.0,
        scratches=int(rng.integers(1, 12)) if chance(rng, options.scratches) else 0,
        fog=between(rng, 0.1, 1.0) if chance(rng, options.fog) else 0.0,
        yellowing=between(rng, 0.2, 1.0) if chance(rng, options.yellowing) else 0.0,
        liquid=chance(rng, options.liquid),
        dust=between(rng, 0.1, 1.0) if chance(rng, options.dust) else 0.0,
        drops=between(rng, 0.1, 1.0) if chance(rng, options.drops) else 0.0,
        rust=between(rng, 0.1, 1.0) if chance(rng, options.rust) else 0.0,
        oil=between(rng, 0.1, 1.0) if chance(rng, options.oil) else 0.0,
        paint=int(rng.integers(1, 9)) if chance(rng, options.paint) else 0,
    )


def _balance(rng: Rng, options: CameraOptions) -> tuple[float, float, float]:
    """Casts of real lamps run from blue to amber, more often amber, and much less from green to purple.

    No channel is raised: a camera that clips white clips it in all of them.
    """
    warmth = float(rng.normal(0.02, 0.11 if chance(rng, options.color_cast) else 0.02))
    tint = float(rng.normal(0.008, 0.015))
    gains = (math.exp(warmth), math.exp(tint), math.exp(-warmth))
    return gains[0] / max(gains), gains[1] / max(gains), gains[2] / max(gains)


def sample_camera(rng: Rng, options: CameraOptions, size: int) -> Camera:
    """Most pictures keep most of their detail; bad ones are bad in one or two ways."""
    exposure, gamma = math.exp(float(rng.normal(0.05, 0.1))), math.exp(float(rng.normal(-0.04, 0.12)))
    if chance(rng, options.dark):
        exposure = between(rng, 0.38, 0.7)
    elif chance(rng, options.bright):
        exposure = between(rng, 1.2, 1.6)
    scale = size / 384
    soft, streak, low = 0.0, 0.0, 0
    if chance(rng, options.blur):
        soft = scale * (between(rng, 0.3, 1.2) if chance(rng, 0.85) else between(rng, 1.2, 3.0))
    if chance(rng, options.motion):
        streak = scale * between(rng, 3, 11)
    if chance(rng, options.low_resolution):
        low = int(scale * math.exp(between(rng, math.log(64), math.log(300))))
    infrared = chance(rng, options.infrared)
    return Camera(
        exposure=exposure,
        gamma=gamma,
        contrast=math.exp(float(rng.normal(0, 0.13))),
        white_balance=_balance(rng, options),
        gray=chance(rng, options.gray),
        infrared=infrared,
        blur_px=soft,
        motion_px=streak,
        motion_deg=between(rng, 0, 180),
        spin_deg=between(rng, 0.6, 3.0) if chance(rng, options.spin) else 0.0,
        low_side=low,
        noise=float(rng.exponential(3.0)) + (3.0 if infrared else 0.5) if chance(rng, options.noise) else 0.0,
        noise_scale=between(rng, 1, 3),
        vignette=between(rng, 0.05, 0.4) if chance(rng, 0.14) else 0.0,
        sharpen=between(rng, 0.1, 1.3) if chance(rng, 0.3) else 0.0,
        first_jpeg=int(between(rng, 30, 85)) if chance(rng, options.double_jpeg) else 0,
        jpeg_quality=int(95 - 70 * between(rng, 0.0, 1.0) ** 1.7) if chance(rng, options.jpeg) else 0,
        distortion=_distortion(rng) if chance(rng, options.distortion) else 0.0,
        interlace_px=float(rng.choice([-1, 1])) * between(rng, 0.5, 2.5) if chance(rng, options.interlace) else 0.0,
        rain=between(rng, 0.1, 1.0) if chance(rng, options.rain) else 0.0,
        moire=between(rng, 0.2, 1.0) if chance(rng, options.moire) else 0.0,
        banding=between(rng, 0.1, 0.8) if chance(rng, options.banding) else 0.0,
        hdr=between(rng, 0.2, 0.9) if chance(rng, options.hdr) else 0.0,
        grid=between(rng, 0.1, 0.9) if chance(rng, options.grid) else 0.0,
        haze=between(rng, 0.05, 0.45) if chance(rng, options.haze) else 0.0,
    )


def _distortion(rng: Rng) -> float:
    """Mostly barrel; in steps of a hundredth, so that the lens's tables can be kept. From -0.148 on corners would fold back."""
    return round(between(rng, -0.12, -0.02) if chance(rng, 0.75) else between(rng, 0.02, 0.1), 2)


def sample_background(rng: Rng, recipe: Recipe) -> Background:
    """A style by the recipe's weights; what has depth is out of focus in a share of pictures."""
    style, seed = weighted(rng, recipe.backgrounds), int(rng.integers(2**31))
    deep = style not in ("white", "black", "plain", "product", "metal", "panel", "cabinet")
    soft = 0.0
    if deep and chance(rng, recipe.camera.defocus):
        soft = recipe.size / 384 * math.exp(between(rng, math.log(1.0), math.log(9.0)))
    return Background(style, seed, defocus_px=soft)


def sample_things(rng: Rng, size: int, count: int, low: float = 0.04, high: float = 0.5) -> tuple[PlacedThing, ...]:
    """Things that are no instruments, at random places; extents as fractions of the side."""
    placed = []
    for _ in range(count):
        radius = 0.5 * size * math.exp(between(rng, math.log(low), math.log(high)))
        center = (between(rng, -0.05, 1.05) * size, between(rng, -0.05, 1.05) * size)
        pose = Pose(center, radius, float(rng.normal(0, 12)), float(rng.normal(0, 14)), float(rng.normal(0, 14)), 6.0)
        kinds = LOOK_ALIKES if low >= 0.4 else COMMON if chance(rng, 0.8) else THINGS
        placed.append(PlacedThing(Distractor(pick(rng, kinds), int(rng.integers(2**31))), pose))
    return tuple(placed)


def sample_overlay(rng: Rng, size: int) -> tuple[Print, ...]:
    """Date and camera name as recorders write them into a picture's corners, in Latin or in ideographs; or a watermark."""
    if chance(rng, 0.25):
        return sample_watermark(rng, size)
    font = pick(rng, SANS)
    text_size = size * between(rng, 0.025, 0.045)
    color = (250, 250, 250) if chance(rng, 0.7) else pick(rng, ((255, 220, 40), (60, 255, 90), (255, 60, 40)))
    year, month, day = int(rng.integers(2012, 2027)), int(rng.integers(1, 13)), int(rng.integers(1, 29))
    clock = f"{int(rng.integers(0, 24)):02d}:{int(rng.integers(0, 60)):02d}:{int(rng.integers(0, 60)):02d}"
    name = pick(rng, ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"))
    date = pick(
        rng,
        (
            f"{year}-{month:02d}-{day:02d}",
            f"{month:02d}-{day:02d}-{year}",
            f"{name}/{day:02d}/{year}",
            f"{day:02d}.{month:02d}.{year}",
        ),
    )
    top = pick(rng, (0.04, 0.96))
    lines = [Print(f"{date} {clock}", size * 0.26, size * top, text_size, font, color)]
    kind = rng.random()
    if kind < 0.4:
        word = pick(rng, ("Camera", "CAM", "CH", "IPC", "Cam"))
        lines.append(Print(f"{word} {int(rng.integers(1, 20)):02d}", size * 0.84, size * 0.96, text_size, font, color))
    elif kind < 0.65:
        name = f"{pick(rng, CHINESE_PLACES)}{int(rng.integers(1, 13))}"
        lines.append(Print(name, size * 0.82, size * 0.95, text_size, pick(rng, CHINESE), color))
    return tuple(lines)
