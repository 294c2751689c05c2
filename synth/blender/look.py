"""Light of a scene: the lamp that throws the shadows and the light from all around."""

from __future__ import annotations

import math

import numpy as np

from synth.blender.geometry import DEPTH, View
from synth.blender.plan import Lamp, Rgb
from synth.scene import Light

DIM, BRIGHT = 0.7, 0.9
"""Light on a white face, 1 being the brightest level a picture holds: below it, for edges turned to the lamp get more."""


def linear(color: tuple[int, int, int]) -> Rgb:
    """Linear light of an sRGB colour (IEC 61966-2-1)."""
    red, green, blue = ((c / 3294.6 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4) for c in color)
    return red, green, blue


def light_direction(light: Light) -> Rgb:
    """Unit vector towards the lamp in world axes; shadows fall the other way, as long as the flat renderer draws them."""
    turn, lean = math.radians(light.shadow_deg), 0.8 + 0.6 * light.softness
    aim = np.array([math.sin(turn) * lean, math.cos(turn) * lean, 1.0])
    x, y, z = (aim / np.linalg.norm(aim)).tolist()
    return x, y, z


def lamps(light: Light, view: View, rng: np.random.Generator) -> tuple[tuple[Lamp, ...], Rgb]:
    """The lamps and the light from all around; together they light a white face to DIM .. BRIGHT."""
    share = min(0.85, 0.3 + 0.85 * light.shadow)
    total, warmth = float(rng.uniform(DIM, BRIGHT)), float(rng.normal(0, 0.03))
    tint = (1 + warmth, 1.0, 1 - warmth)
    to_light = light_direction(light)
    wide = max(view.width, view.height) * view.unit_per_px
    away = wide * (1.6 + 5.0 * (1 - light.shade))
    place = (to_light[0] * away, to_light[1] * away, to_light[2] * away - DEPTH)
    # A disk of power P lights a white face at distance d to P cos / (pi d)^2.
    power = total * share * (math.pi * away) ** 2 / to_light[2]
    aim = (-to_light[0], -to_light[1], -to_light[2])
    found = [Lamp(place, aim, away * (0.05 + 0.5 * light.softness), power, tint)]
    if light.flash:
        spot = (float(rng.normal(0, 0.03)) * wide, 0.12 * wide, 0.0)
        found.append(Lamp(spot, (0.0, 0.0, -1.0), 0.05 * wide, 0.35 * (math.pi * DEPTH) ** 2, (1.0, 1.0, 1.0)))
    around = total * (1 - share)
    return tuple(found), (around / tint[0], around, around / tint[2])
