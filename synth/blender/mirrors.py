"""The room that mirrors show: one panorama for panes, one for metal; what the light reflects lies where the glass looks."""

from __future__ import annotations

import math
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.blender.geometry import View, camera_affine
from synth.blender.look import light_direction
from synth.scene import Light, Pose

Panorama = NDArray[np.float32]
WIDE, TALL = 1024, 512
PANE_BEND = 0.08
"""Radians by which a pane's own curvature turns the line of sight at its rim."""
FRONT = 0.06
"""Part of the room's light that a clear pane gives back when seen head on."""


class Aim(NamedTuple):
    """Where the main pane looks in a panorama: its middle and the half width that it shows, in pixels of the panorama."""

    x: float
    y: float
    half: float


def aim_of(pose: Pose | None, view: View) -> Aim:
    """Where the pane of an instrument looks; without one, back at the camera."""
    if pose is None:
        return Aim(0.75 * WIDE, 0.5 * TALL, 0.04 * WIDE)
    affine = camera_affine(pose, view) * np.array([[1.0], [-1.0], [-1.0]])
    normal = np.cross(affine[:, 0], affine[:, 1])
    normal /= np.linalg.norm(normal)

    def mirrored(x: float, y: float) -> NDArray[np.float64]:
        sight = affine @ (x, y, 0.0, 1.0)
        sight /= np.linalg.norm(sight)
        back: NDArray[np.float64] = sight - 2 * (sight @ normal) * normal
        return back

    x, y, z = mirrored(0, 0).tolist()
    turn, rise = math.atan2(-z, x), math.asin(max(-1.0, min(1.0, y)))
    spread = math.acos(max(-1.0, min(1.0, float(mirrored(-100, 0) @ mirrored(100, 0))))) / 2 + PANE_BEND
    return Aim((0.5 - turn / (2 * math.pi)) * WIDE % WIDE, (0.5 - rise / math.pi) * TALL, spread / (2 * math.pi) * WIDE)


def rooms(light: Light, aim: Aim, rng: np.random.Generator) -> tuple[Panorama, Panorama]:
    """What panes and what metal mirrors: linear (height, width, 3), up is up, the camera at three quarters across."""
    seen = _hall(rng)
    metal = seen.copy()
    _blob(metal, *light_direction(light), 0.06 + 0.35 * light.softness, 3.0)
    metal = cv2.resize(np.minimum(metal, 2.0), (WIDE // 2, TALL // 2), interpolation=cv2.INTER_AREA)
    polish = float(rng.choice([2.0, 4.0, 9.0]))  # from polished to brushed
    three = cv2.GaussianBlur(np.hstack([metal, metal, metal]), (0, 0), polish)
    seen *= 0.3 + 1.0 * light.veil  # what a pane shows of the room when nobody stands in a bright one
    aside = round(aim.x - WIDE / 2)  # drawn in the middle of the panorama: what lies across its seam would be cut
    seen = np.roll(seen, -aside, axis=1)
    _reflections(seen, aim._replace(x=aim.x - aside), light, rng)
    seen = np.roll(seen, aside, axis=1)
    sharp = cv2.GaussianBlur(seen, (0, 0), float(rng.choice([0.7, 1.2, 3.0])))
    return np.ascontiguousarray(sharp, np.float32), np.ascontiguousarray(three[:, WIDE // 2 : WIDE], np.float32)


def _reflections(seen: Panorama, aim: Aim, light: Light, rng: np.random.Generator) -> None:
    if light.veil > 0:
        _veil(seen, aim, light.veil, rng)
    for _ in range(light.glare_count):
        _glare(seen, aim, light.glare, rng)
    if light.flash:
        x, y = (aim.half * float(v) for v in rng.uniform(-0.7, 0.7, 2))
        layer = np.zeros(seen.shape[:2], np.float32)
        cv2.circle(layer, _at(aim.x + x, aim.y + y), _sub(aim.half * float(rng.uniform(0.06, 0.2))), (1.0,), -1, cv2.LINE_AA, 4)
        seen += 40.0 * layer[..., None]


def _hall(rng: np.random.Generator) -> Panorama:
    """Floor, ceiling, dark and bright things around; the photographer in the middle of it."""
    level = np.linspace(1.0, 0.0, TALL, dtype=np.float32)[:, None, None]
    floor, ceiling = float(rng.uniform(0.03, 0.22)), float(rng.uniform(0.3, 0.9))
    seen = np.broadcast_to(floor + (ceiling - floor) * level**1.1, (TALL, WIDE, 3)).copy()
    seen *= rng.uniform(0.92, 1.08, 3).astype(np.float32)
    for _ in range(int(rng.integers(10, 24))):  # doors, people, machines
        x, w, h, top = (
            int(rng.integers(WIDE)),
            int(rng.integers(16, 140)),
            int(rng.integers(40, 220)),
            int(rng.integers(100, 380)),
        )
        _patch(seen, x, top, w, h, float(rng.uniform(0.01, 0.4)))
    for _ in range(int(rng.integers(2, 5))):  # windows and tubes, away from where a frontal pane looks
        x, w = int(rng.uniform(-0.1, 0.5) * WIDE), int(rng.integers(40, 180))
        _patch(seen, x, int(rng.integers(40, 220)), w, int(rng.integers(40, 110)), float(rng.uniform(1.2, 2.4)))
        _patch(seen, int(rng.integers(WIDE)), int(rng.integers(8, 100)), int(rng.integers(60, 320)), 10, 2.6)
    cv2.ellipse(seen, (3 * WIDE // 4, TALL // 2 + 60), (52, 120), 0, 0, 360, (0.05, 0.05, 0.05), -1)
    return seen


def _at(x: float, y: float) -> tuple[int, int]:
    return round(16 * x), round(16 * y)


def _sub(length: float) -> int:
    return max(8, round(16 * length))


def _veil(seen: Panorama, aim: Aim, strength: float, rng: np.random.Generator) -> None:
    """A bright room in the glass: windows of several panes, someone before a bright wall, or the lamps of a hall."""
    level, kind, half = 0.8 * (strength * float(rng.uniform(0.6, 1.0))) ** 2 / FRONT, rng.random(), aim.half
    layer = np.zeros(seen.shape[:2], np.float32)
    if kind < 0.4:
        columns, rows = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        x0, y0 = aim.x + half * float(rng.uniform(-0.9, 0.1)), aim.y + half * float(rng.uniform(-0.9, 0.0))
        pane, lean = half * float(rng.uniform(0.16, 0.42)), float(rng.normal(0, 0.15))
        for column in range(columns):
            for row in range(rows):
                x, y = x0 + column * pane * 1.12 + lean * row * pane, y0 + row * pane * 1.3
                corners = [(x, y), (x + pane, y), (x + pane * (1 + lean), y + 1.2 * pane), (x + lean * pane, y + 1.2 * pane)]
                cv2.fillPoly(layer, [np.array([_at(*c) for c in corners], np.int32)], (1.0,), cv2.LINE_AA, 4)
    elif kind < 0.75:
        cv2.rectangle(
            layer, _at(aim.x - 1.3 * half, aim.y - 1.3 * half), _at(aim.x + 1.3 * half, aim.y + 1.3 * half), (0.7,), -1, shift=4
        )
        x, y = aim.x + half * float(rng.uniform(-0.3, 0.3)), aim.y + half * float(rng.uniform(-0.3, 0.4))
        size = half * float(rng.uniform(0.14, 0.3))
        cv2.ellipse(layer, _at(x, y), (_sub(0.8 * size), _sub(size)), 0, 0, 360, (0.04,), -1, cv2.LINE_AA, 4)
        low = aim.y + 1.4 * half
        body = [(x - 2.1 * size, low), (x - 1.7 * size, y + 1.5 * size), (x + 1.7 * size, y + 1.5 * size), (x + 2.1 * size, low)]
        cv2.fillPoly(layer, [np.array([_at(*c) for c in body], np.int32)], (0.04,), cv2.LINE_AA, 4)
    else:
        for _ in range(int(rng.integers(2, 6))):
            y, slope = aim.y + half * float(rng.uniform(-1, 1)), half * float(rng.normal(0, 0.25))
            wide = max(1, round(half * float(rng.uniform(0.02, 0.16))))
            cv2.line(layer, _at(aim.x - 1.2 * half, y - slope), _at(aim.x + 1.2 * half, y + slope), (1.0,), wide, cv2.LINE_AA, 4)
    seen += level * layer[..., None]


def _glare(seen: Panorama, aim: Aim, strength: float, rng: np.random.Generator) -> None:
    """A bright window, tube or lamp where the glass of the main instrument mirrors it."""
    half = aim.half
    x, y = (a + half * float(v) for a, v in zip((aim.x, aim.y), rng.uniform(-0.75, 0.75, 2), strict=True))
    bright, kind = 12.0 * strength * float(rng.uniform(0.3, 1.0)), rng.random()
    layer = np.zeros(seen.shape[:2], np.float32)
    if kind < 0.5:
        w, h, turn = half * float(rng.uniform(0.15, 0.6)), half * float(rng.uniform(0.15, 0.5)), float(rng.normal(0, 12))
        box = cv2.boxPoints(((x, y), (2 * w, 2 * h), turn))
        cv2.fillPoly(layer, [np.array([_at(*c) for c in box.tolist()], np.int32)], (1.0,), cv2.LINE_AA, 4)
        if rng.random() < 0.5:  # its bars
            for a, b in (((0, 1), (2, 3)), ((1, 2), (3, 0))):
                ends = [_at(*((box[i] + box[j]) / 2).tolist()) for i, j in (a, b)]
                cv2.line(layer, ends[0], ends[1], (0.05,), max(1, round(0.06 * half)), cv2.LINE_AA, 4)
    elif kind < 0.8:
        slope = half * float(rng.normal(0, 0.15))
        wide = max(1, round(half * float(rng.uniform(0.04, 0.14))))
        cv2.line(layer, _at(x - 1.3 * half, y - slope), _at(x + 1.3 * half, y + slope), (1.0,), wide, cv2.LINE_AA, 4)
    else:
        cv2.circle(layer, _at(x, y), _sub(half * float(rng.uniform(0.08, 0.3))), (1.0,), -1, cv2.LINE_AA, 4)
    if rng.random() < 0.5:  # a surface that scatters a little
        layer = cv2.GaussianBlur(layer, (0, 0), half * float(rng.uniform(0.05, 0.2)))
    seen += bright * layer[..., None]


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
