"""A scene -> the plan of its picture. No renderer is imported here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synth.blender.builder import Builder, over
from synth.blender.cases import add_stem
from synth.blender.geometry import DEPTH, Solid, View, ring, sheet, slab, view_of
from synth.blender.instruments import add_instrument
from synth.blender.look import lamps
from synth.blender.mirrors import aim_of, rooms
from synth.blender.plan import Material, Plan
from synth.blender.stack import PLAIN
from synth.camera import blur
from synth.fingers import finger_rng
from synth.flat.background import PhotoBackgrounds, draw_background
from synth.flat.foreground import draw_hand_behind, draw_panel
from synth.flat.pen import Pen
from synth.flat.things import draw_thing
from synth.scene import GaugeScene, Panel

Image = NDArray[np.uint8]
LOOK_STREAM = 60


def plan_scene(scene: GaugeScene, samples: int = 4, backgrounds: PhotoBackgrounds | None = None) -> Plan:
    """Everything that the worker needs; `backgrounds` as for the flat renderer.

    Raises BlenderError for an instrument that cannot be built.
    """
    view = view_of(scene)
    builder = Builder(view)
    if scene.panel is not None:
        _add_panel(builder, scene.panel)
    wall = DEPTH
    for index, placed in enumerate(scene.instruments):
        first = len(builder.meshes)
        case = getattr(placed.spec, "case", None)
        if case is not None and not getattr(placed.spec, "bare", False):
            add_stem(builder, case, placed.pose, np.random.default_rng([scene.seed, 50 + index]))
        add_instrument(builder, placed, scene, index)
        if index == 0 or scene.panel is not None:
            wall = max(wall, builder.farthest(0))
        else:  # those beside the main one hang on the same wall
            builder.rest_on(first, wall)
    _add_wall(builder, scene, view, backgrounds, max(wall, builder.farthest(0)) + 0.1)
    rng = np.random.default_rng([scene.seed, LOOK_STREAM])
    lights, ambient = lamps(scene.light, view, rng)
    room, room_soft = rooms(scene.light, aim_of(scene.instruments[0].pose if scene.instruments else None, view), rng)
    return Plan(
        width=scene.width,
        height=scene.height,
        seed=scene.seed,
        focal_px=view.focal_px,
        samples=samples,
        ambient=ambient,
        lamps=lights,
        materials=tuple(builder.materials),
        meshes=tuple(builder.meshes),
        textures=tuple(builder.textures),
        room=room,
        room_soft=room_soft,
    )


def _add_panel(builder: Builder, panel: Panel) -> None:
    wide, tall = panel.half_width, panel.half_height
    extent = max(wide, tall) + 4
    found = builder.layers(panel.pose, extent, lambda pen, flat: draw_panel(pen, replace(panel, pose=flat), PLAIN))
    if not found:
        return
    if panel.style == "bare":  # no board of its own: what is drawn lies on the wall
        box = ring("square", extent, 1.0, 0.01)
        decal = Material("decal", texture=builder.texture(found[0].pixels), gloss=0.0)
        builder.add(sheet(box, -0.5, extent), panel.pose, decal)
        return
    texture = builder.texture(over(found[0].pixels, panel.color))
    shape = ring("square", wide, tall / wide, 6.0)
    # A little behind the instruments' own plane, so that their plates lie on it.
    builder.add(slab(shape, -14.0, -0.5, extent), panel.pose, Material("matte", texture=texture, gloss=0.3))


def _add_wall(builder: Builder, scene: GaugeScene, view: View, backgrounds: PhotoBackgrounds | None, depth: float) -> None:
    """What is behind everything: the flat renderer's background on a wall that shadows fall on."""
    pen = Pen(scene.width, scene.height)
    draw_background(pen, scene.background, backgrounds)
    for placed in scene.things:
        draw_thing(pen, placed.thing, placed.pose)
    if scene.background.defocus_px > 0.3:
        pen.pixels[...] = blur(pen.pixels, scene.background.defocus_px)
    if scene.fingers:
        draw_hand_behind(pen, finger_rng(scene))
    margin = 1.0
    pixels = np.array([(-margin, -margin), (1 + margin, -margin), (1 + margin, 1 + margin), (-margin, 1 + margin)])
    world = np.empty((4, 3))
    world[:, 0] = (pixels[:, 0] - 0.5) * scene.width * depth / view.focal_px
    world[:, 1] = (0.5 - pixels[:, 1]) * scene.height * depth / view.focal_px
    world[:, 2] = -depth
    uv = np.c_[pixels[:, 0], 1 - pixels[:, 1]]
    solid = Solid(world, [(0, 1, 2, 3)], uv, smooth=False)
    builder.place(solid, world, Material("matte", texture=builder.texture(pen.pixels), gloss=0.0))
