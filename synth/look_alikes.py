"""Where a scene shows what is no instrument but could pass for one: buttons, signs, bolts, tell-tales, plates, keys.

A reader of lamps and selectors learns from these what it must not read. Small lamps that a display carries itself are
left out: they are lamps, only without a label.
"""

from __future__ import annotations

from collections.abc import Iterator

from synth.devices import DigitalSpec
from synth.lens import bend
from synth.scene import GaugeScene, Panel, Pose
from synth.spec import Vec
from vision.fields import Box

LEAST_SIDE_PX = 8.0
"""Smaller ones show nothing that could be read."""
LEAST_SEEN = 0.6
"""Share of each side that must lie in the picture."""
HALF_HEIGHT = {"plate": 0.55, "label": 0.4}
"""Of the half width, where a thing is not as tall as wide."""
STANDING = frozenset({"push", "telltale", "screw"})
SCREW_INSET, SCREW_RADIUS = 8.0, 3.6
"""Of a plate's corner screws, in the units of its face (`synth.flat.foreground`)."""


def look_alikes(scene: GaugeScene) -> tuple[Box, ...]:
    """Boxes in pixels after the lens, clipped to the picture. What stands in front may hide some of them."""
    boxes = (_box(pose, middle, half, scene) for pose, middle, half in _places(scene))
    return tuple(box for box in boxes if box is not None)


def _places(scene: GaugeScene) -> Iterator[tuple[Pose, Vec, Vec]]:
    """Pose, middle and half sides on the pose's plane of each."""
    for placed in scene.things:
        yield placed.pose, (0.0, 0.0), (100.0, 100.0 * HALF_HEIGHT.get(placed.thing.kind, 1.0))
    if scene.panel is not None:
        yield from _on_panel(scene.panel)
    for one in scene.instruments:
        if isinstance(one.spec, DigitalSpec) and not one.spec.bare:
            for x, y, wide, tall, _ in one.spec.buttons:
                yield one.pose, (x, y), (wide, tall)


def _on_panel(panel: Panel) -> Iterator[tuple[Pose, Vec, Vec]]:
    for item in panel.decor:
        if item.kind in STANDING:
            yield panel.pose, (item.x, item.y), (item.size, item.size)
    if panel.style == "plate":
        wide, tall = panel.half_width - SCREW_INSET, panel.half_height - SCREW_INSET
        for middle in ((-wide, -tall), (wide, -tall), (-wide, tall), (wide, tall)):
            yield panel.pose, middle, (SCREW_RADIUS, SCREW_RADIUS)
        x0, y0, x1, y1 = panel.nameplate
        yield panel.pose, ((x0 + x1) / 2, (y0 + y1) / 2), ((x1 - x0) / 2, (y1 - y0) / 2)


def _box(pose: Pose, middle: Vec, half: Vec, scene: GaugeScene) -> Box | None:
    corners = [(middle[0] + sx * half[0], middle[1] + sy * half[1]) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    pixels = bend(pose.project(corners), scene.camera.distortion, scene.width, scene.height)
    clipped: list[float] = []
    for axis, length in ((0, scene.width), (1, scene.height)):
        least, most = min(p[axis] for p in pixels), max(p[axis] for p in pixels)
        low, high = max(least, 0.0), min(most, float(length))
        if high - low < max(LEAST_SIDE_PX, LEAST_SEEN * (most - least)):
            return None
        clipped += [round(low, 2), round(high, 2)]
    return clipped[0], clipped[2], clipped[1], clipped[3]
