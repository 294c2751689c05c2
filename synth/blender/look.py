"""Light of a scene: the lamp that throws the shadows, the light from all around, and the room that mirrors show."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.blender.geometry import DEPTH, View
from synth.blender.plan import Lamp, Rgb
from synth.scene import Light

Panorama = NDArray[np.float32]
WIDE, TALL = 512, 256
TOTAL = 0.93
"""Light on a white face, 1 being the brightest level a picture holds."""


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
    """The lamps and the light from all around; together they light a white face to about TOTAL."""
    share = min(0.85, 0.3 + 0.85 * light.shadow)
    warmth = float(rng.normal(0, 0.03))
    tint = (1 + warmth, 1.0, 1 - warmth)
    to_light = light_direction(light)
    wide = max(view.width, view.height) * view.unit_per_px
    away = wide * (1.6 + 5.0 * (1 - light.shade))
    place = (to_light[0] * away, to_light[1] * away, to_light[2] * away - DEPTH)
    # A disk of power P lights a white face at distance d to P cos / (pi d)^2.
    power = TOTAL * share * (math.pi * away) ** 2 / to_light[2]
    aim = (-to_light[0], -to_light[1], -to_light[2])
    found = [Lamp(place, aim, away * (0.05 + 0.5 * light.softness), power, tint)]
    if light.flash:
        spot = (float(rng.normal(0, 0.03)) * wide, 0.12 * wide, 0.0)
        found.append(Lamp(spot, (0.0, 0.0, -1.0), 0.05 * wide, 0.35 * (math.pi * DEPTH) ** 2, (1.0, 1.0, 1.0)))
    around = TOTAL * (1 - share)
    return tuple(found), (around / tint[0], around, around / tint[2])


def rooms(light: Light, rng: np.random.Generator) -> tuple[Panorama, Panorama]:
    """What mirrors show, sharp and soft: (TALL, WIDE, 3) linear, up is up, the camera's place at three quarters across."""
    level = np.linspace(1.0, 0.0, TALL, dtype=np.float32)[:, None, None]
    floor, ceiling = float(rng.uniform(0.05, 0.3)), float(rng.uniform(0.5, 1.1))
    seen = np.broadcast_to(floor + (ceiling - floor) * level**0.8, (TALL, WIDE, 3)).copy()
    seen *= rng.uniform(0.92, 1.08, 3).astype(np.float32)
    for _ in range(int(rng.integers(8, 20))):  # doors, people, machines
        x, w, h, top = int(rng.integers(WIDE)), int(rng.integers(8, 70)), int(rng.integers(20, 110)), int(rng.integers(50, 190))
        _patch(seen, x, top, w, h, float(rng.uniform(0.01, 0.6)))
    for _ in range(int(rng.integers(2, 5))):  # windows and tubes, away from where a frontal pane looks
        _patch(seen, int(rng.uniform(-0.1, 0.5) * WIDE), int(rng.integers(20, 110)), int(rng.integers(20, 90)), 30, 2.2)
        _patch(seen, int(rng.integers(WIDE)), int(rng.integers(4, 50)), int(rng.integers(30, 160)), 5, 3.0)
    # A photographer stands in the way of what frontal glass would mirror.
    cv2.ellipse(seen, (3 * WIDE // 4, TALL // 2 + 30), (26, 60), 0, 0, 360, (0.05, 0.05, 0.05), -1)
    bright = seen.copy()
    _blob(bright, *light_direction(light), 0.06 + 0.35 * light.softness, 3.5)
    bright = np.minimum(bright, 2.0)
    soft = cv2.GaussianBlur(np.hstack([bright, bright, bright]), (0, 0), 5.0)[:, WIDE : 2 * WIDE]
    seen *= 0.3 + 1.4 * light.veil  # what a pane shows of the room when nobody stands in a bright one
    for _ in range(light.glare_count):
        _glare(seen, light.glare, rng)
    if light.flash:
        _blob(seen, float(rng.normal(0, 0.12)), float(rng.normal(0.08, 0.1)), 1.0, 0.035, 60.0)
    sharp = cv2.GaussianBlur(seen, (0, 0), float(rng.choice([0.6, 1.0, 2.5])))
    return np.ascontiguousarray(sharp, np.float32), np.ascontiguousarray(soft, np.float32)


def _glare(seen: Panorama, strength: float, rng: np.random.Generator) -> None:
    """A bright window, tube or lamp where the glass of an instrument seen from the front mirrors it."""
    x = int((0.75 + rng.normal(0, 0.05)) * WIDE)
    y = int((0.5 + rng.normal(-0.02, 0.06)) * TALL)
    bright, kind = 14.0 * strength * float(rng.uniform(0.4, 1.0)), rng.random()
    if kind < 0.5:
        w, h = int(rng.integers(8, 34)), int(rng.integers(8, 30))
        _patch(seen, x, y - h // 2, w, h, bright)
        if rng.random() < 0.5:
            _patch(seen, x + w // 2, y - h // 2, 1, h, 0.1)
            _patch(seen, x, y, w, 1, 0.1)
    elif kind < 0.8:
        _patch(seen, x - 50, y, 100, int(rng.integers(2, 6)), bright)
    else:
        cv2.circle(seen, (x, y), int(rng.integers(3, 10)), (bright, bright, bright), -1, cv2.LINE_AA)


def _patch(seen: Panorama, x: int, y: int, w: int, h: int, level: float) -> None:
    columns = np.arange(x, x + w) % WIDE
    seen[max(0, y) : max(0, min(TALL, y + h)), columns] = level


def _blob(seen: Panorama, x: float, y: float, z: float, spread: float, level: float) -> None:
    """A soft light in a direction; `spread` is its angle's radius in radians."""
    long = math.sqrt(x * x + y * y + z * z)
    v, u = np.mgrid[0:TALL, 0:WIDE].astype(np.float32)
    rise = (0.5 - (v + 0.5) / TALL) * np.float32(math.pi)
    turn = (0.5 - (u + 0.5) / WIDE) * np.float32(2 * math.pi)
    # The panorama's axes: x stays, what points at the camera is -y, up is z.
    cosine = (np.cos(rise) * np.cos(turn) * x - np.cos(rise) * np.sin(turn) * z + np.sin(rise) * y) / long
    beyond = (np.arccos(np.clip(cosine, -1, 1)) - spread) / (0.15 * spread)
    seen += (level / (1 + np.exp(np.clip(beyond, -30, 30))))[..., None]
