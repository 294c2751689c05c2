# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright (C) 2026 the GaugeRAG authors
#
# This file alone is licensed under the GNU General Public License, version 3 or (at your option) any later version,
# because it imports bpy, which is under that licence; <https://www.gnu.org/licenses/>. It comes WITHOUT ANY WARRANTY.
# The rest of the project neither imports it nor bpy: it runs this file as a program of its own and hands it data.
"""Renders plans with Blender's Cycles: a program of its own, run by a Python that has bpy.

Each line on stdin is JSON {"plan": archive, "out": BMP file}; each answer on stdout is one JSON line, {"done": out} or
{"error": text}. Needs NumPy and bpy alone.
"""

# mypy: ignore-errors

import contextlib
import ctypes
import json
import os
import sys
import traceback

# OpenColorIO keeps a processor for each exposure otherwise, and memory grows; it asks the environment when it loads.
os.putenv("OCIO_DISABLE_ALL_CACHES", "1")

import bpy  # type: ignore
import numpy as np

TRIM_EVERY = 20
LIT = 0.85
"""Brightness of a white film."""


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Blender writes its progress to stdout
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    bpy.ops.wm.read_factory_settings(use_empty=True)
    answers.write(json.dumps({"ready": ".".join(map(str, bpy.app.version))}) + "\n")
    for count, line in enumerate(sys.stdin, 1):
        job = json.loads(line)
        try:
            render(job["plan"], job["out"], threads)
            answer = {"done": job["out"]}
        except Exception:
            answer = {"error": traceback.format_exc(limit=4)}
        answers.write(json.dumps(answer) + "\n")
        if count % TRIM_EVERY == 0:
            trim()


def trim() -> None:
    """Give freed memory back to the system; fragments of every picture add up otherwise."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def render(plan_path: str, out: str, threads: int) -> None:
    clear()
    with np.load(plan_path, allow_pickle=False) as data:
        head = json.loads(bytes(data["head"]).decode())
        set_up(head, threads)
        rooms = {True: panorama("room", data["room"]), False: panorama("room_soft", data["room_soft"])}
        textures = [picture(f"texture{k}", data[f"texture{k}"]) for k in range(head["textures"])]
        materials = [material(k, spec, textures, rooms) for k, spec in enumerate(head["materials"])]
        for k, mesh in enumerate(head["meshes"]):
            add_mesh(k, mesh, data, materials[mesh["material"]], head["materials"][mesh["material"]]["kind"])
    for lamp in head["lamps"]:
        add_lamp(lamp)
    scene = bpy.context.scene
    scene.render.filepath = out
    bpy.ops.render.render(write_still=True)


def clear() -> None:
    """Drop everything of the picture before: nothing is kept, so nothing can be stale."""
    d = bpy.data
    bpy.context.scene.world = None
    kinds = (d.objects, d.meshes, d.materials, d.images, d.lights, d.cameras, d.worlds)
    d.batch_remove([item for kind in kinds for item in kind if item.name != "Render Result"])


def set_up(head: dict, threads: int) -> None:
    scene = bpy.context.scene
    r = scene.render
    r.engine, r.resolution_x, r.resolution_y, r.resolution_percentage = "CYCLES", head["width"], head["height"], 100
    r.image_settings.file_format, r.image_settings.color_mode = "BMP", "RGB"
    r.threads_mode, r.threads = "FIXED", threads
    r.use_persistent_data = r.use_compositing = r.use_sequencer = False
    r.dither_intensity, r.film_transparent = 0.0, False
    scene.view_settings.view_transform = "Standard"
    c = scene.cycles
    c.device, c.samples, c.seed, c.use_adaptive_sampling = "CPU", head["samples"], head["seed"] % 2**31, False
    c.max_bounces, c.diffuse_bounces, c.glossy_bounces, c.transmission_bounces = 2, 2, 1, 1
    c.transparent_max_bounces = 8
    c.caustics_reflective = c.caustics_refractive = c.use_light_tree = c.use_auto_tile = c.use_guiding = False
    c.sample_clamp_indirect = 4.0
    c.sampling_pattern, c.pixel_filter_type, c.filter_width = "TABULATED_SOBOL", "BLACKMAN_HARRIS", 1.4
    c.use_denoising, c.denoiser, c.denoising_quality = True, "OPENIMAGEDENOISE", "FAST"
    c.denoising_input_passes, c.denoising_prefilter = "RGB_ALBEDO_NORMAL", "NONE"
    world = scene.world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (*head["ambient"], 1)
    world.cycles.sampling_method = "NONE"
    camera = bpy.data.cameras.new("camera")
    camera.sensor_fit, camera.sensor_width = "HORIZONTAL", 36.0
    camera.lens = head["focal_px"] * 36.0 / head["width"]
    camera.clip_start, camera.clip_end = 0.05, 1000.0
    scene.camera = bpy.data.objects.new("camera", camera)
    scene.collection.objects.link(scene.camera)


def picture(name: str, pixels: np.ndarray):
    height, width = pixels.shape[:2]
    image = bpy.data.images.new(name, width, height, alpha=True)
    image.alpha_mode = "CHANNEL_PACKED"
    image.pixels.foreach_set((pixels[::-1].astype(np.float32) * np.float32(1 / 255)).ravel())
    image.update()
    return image


def panorama(name: str, pixels: np.ndarray):
    height, width = pixels.shape[:2]
    image = bpy.data.images.new(name, width, height, float_buffer=True, alpha=False)
    full = np.ones((height, width, 4), np.float32)
    full[..., :3] = pixels[::-1]
    image.pixels.foreach_set(full.ravel())
    image.update()
    return image


def material(index: int, spec: dict, textures: list, rooms: dict):
    """Diffuse + the room looked up in the mirror's direction + own light.

    Nothing is left to chance but where shadow rays go, hence little noise at few samples. For the same reason what
    lies on glass and decals shine as bright as if lit: a diffuse part behind a partial alpha would be drawn by lot.
    """
    made = bpy.data.materials.new(f"material{index}")
    made.use_nodes = True
    made.cycles.emission_sampling = "NONE"
    tree = made.node_tree
    tree.nodes.clear()
    new, link = tree.nodes.new, tree.links.new
    kind, metal = spec["kind"], spec["kind"] == "metal"
    color, alpha = None, None
    if spec["texture"] >= 0:
        node = new("ShaderNodeTexImage")
        node.image, node.extension = textures[spec["texture"]], "EXTEND"
        color, alpha = tinted(tree, node.outputs["Color"], spec["color"]), node.outputs["Alpha"]
    if kind in ("glass", "decal"):
        shader = film(tree, color, alpha, 0.97 if kind == "glass" else 1.0)
    else:
        diffuse = new("ShaderNodeBsdfDiffuse")
        diffuse.inputs["Color"].default_value = (*[(0.12 if metal else 1.0) * c for c in spec["color"]], 1)
        if color is not None:
            link(color, diffuse.inputs["Color"])
        shader = diffuse.outputs[0]
    if spec["gloss"] > 0:
        shader = added(tree, shader, mirrored(tree, spec, rooms, None if metal else fresnel(tree)))
    if spec["glow"] > 0:
        shader = added(tree, shader, glowing(tree, spec, textures))
    link(shader, new("ShaderNodeOutputMaterial").inputs[0])
    return made


def film(tree, color, alpha, clearness: float):
    """A clear film with print or dirt on it."""
    new, link = tree.nodes.new, tree.links.new
    through = new("ShaderNodeBsdfTransparent")
    through.inputs["Color"].default_value = (clearness, clearness, clearness, 1)
    if color is None:
        return through.outputs[0]
    clear, cover, light = new("ShaderNodeMath"), new("ShaderNodeMath"), new("ShaderNodeEmission")
    clear.operation, cover.operation = "MULTIPLY_ADD", "MULTIPLY"
    link(alpha, clear.inputs[0])
    clear.inputs[1].default_value, clear.inputs[2].default_value = -clearness, clearness
    link(clear.outputs[0], through.inputs["Color"])
    link(alpha, cover.inputs[0])
    cover.inputs[1].default_value = LIT
    link(color, light.inputs["Color"])
    link(cover.outputs[0], light.inputs["Strength"])
    return added(tree, through.outputs[0], light.outputs[0])


def added(tree, first, second):
    node = tree.nodes.new("ShaderNodeAddShader")
    tree.links.new(first, node.inputs[0])
    tree.links.new(second, node.inputs[1])
    return node.outputs[0]


def tinted(tree, color, factor):
    """A colour times a constant one."""
    if all(part == 1.0 for part in factor):
        return color
    node = tree.nodes.new("ShaderNodeMix")
    node.data_type, node.blend_type = "RGBA", "MULTIPLY"
    node.inputs[0].default_value = 1.0
    tree.links.new(color, node.inputs[6])
    node.inputs[7].default_value = (*factor, 1)
    return node.outputs[2]


def fresnel(tree):
    """Schlick's reflectance of glass. Blender's own Fresnel node takes a face seen from behind for the inside of glass."""
    facing, power, sum_ = (tree.nodes.new(f"ShaderNode{kind}") for kind in ("LayerWeight", "Math", "Math"))
    facing.inputs["Blend"].default_value = 0.5
    power.operation, sum_.operation = "POWER", "MULTIPLY_ADD"
    tree.links.new(facing.outputs["Facing"], power.inputs[0])
    power.inputs[1].default_value = 5.0
    tree.links.new(power.outputs[0], sum_.inputs[0])
    sum_.inputs[1].default_value, sum_.inputs[2].default_value = 0.96, 0.04
    return sum_.outputs[0]


def mirrored(tree, spec: dict, rooms: dict, factor):
    """Light of the room from where a mirror would show it."""
    new, link = tree.nodes.new, tree.links.new
    where, turn, seen = new("ShaderNodeTexCoord"), new("ShaderNodeMapping"), new("ShaderNodeTexEnvironment")
    turn.inputs["Rotation"].default_value = (np.pi / 2, 0, 0)  # the panorama's up is the picture's up
    seen.image = rooms[spec["sharp"]]
    link(where.outputs["Reflection"], turn.inputs["Vector"])
    link(turn.outputs["Vector"], seen.inputs["Vector"])
    light = new("ShaderNodeEmission")
    link(tinted(tree, seen.outputs["Color"], spec["color"] if spec["kind"] == "metal" else (1, 1, 1)), light.inputs["Color"])
    light.inputs["Strength"].default_value = spec["gloss"]
    if factor is not None:
        gain = new("ShaderNodeMath")
        gain.operation = "MULTIPLY"
        link(factor, gain.inputs[0])
        gain.inputs[1].default_value = spec["gloss"]
        link(gain.outputs[0], light.inputs["Strength"])
    return light.outputs[0]


def glowing(tree, spec: dict, textures: list):
    new, link = tree.nodes.new, tree.links.new
    light = new("ShaderNodeEmission")
    if spec["glow_texture"] >= 0:
        node = new("ShaderNodeTexImage")
        node.image, node.extension = textures[spec["glow_texture"]], "EXTEND"
        link(node.outputs["Color"], light.inputs["Color"])
        light.inputs["Strength"].default_value = spec["glow"]
        return light.outputs[0]
    facing, gain = new("ShaderNodeLayerWeight"), new("ShaderNodeMath")
    facing.inputs["Blend"].default_value = 0.35
    gain.operation = "MULTIPLY_ADD"
    link(facing.outputs["Facing"], gain.inputs[0])
    gain.inputs[1].default_value, gain.inputs[2].default_value = -0.75 * spec["glow"], spec["glow"]
    light.inputs["Color"].default_value = (*spec["color"], 1)
    link(gain.outputs[0], light.inputs["Strength"])
    return light.outputs[0]


def add_mesh(index: int, head: dict, data, made, kind: str) -> None:
    points, loops, sizes = data[f"points{index}"], data[f"loops{index}"], data[f"sizes{index}"]
    mesh = bpy.data.meshes.new(f"mesh{index}")
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.astype(np.float32).ravel())
    mesh.loops.add(len(loops))
    mesh.loops.foreach_set("vertex_index", loops)
    mesh.polygons.add(len(sizes))
    mesh.polygons.foreach_set("loop_start", np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32))
    mesh.polygons.foreach_set("loop_total", sizes)
    mesh.update(calc_edges=True)
    if head["uv"]:
        layer = mesh.uv_layers.new(name="uv")
        layer.uv.foreach_set("vector", data[f"uv{index}"][loops].astype(np.float32).ravel())
    if head["smooth"]:
        mesh.polygons.foreach_set("use_smooth", np.ones(len(sizes), bool))
        mesh.set_sharp_from_angle(angle=0.7)
    mesh.materials.append(made)
    thing = bpy.data.objects.new(f"object{index}", mesh)
    thing.visible_shadow = head["shadow"]
    if kind == "glass":
        thing.visible_diffuse = thing.visible_glossy = thing.visible_transmission = False
    bpy.context.scene.collection.objects.link(thing)


def add_lamp(lamp: dict) -> None:
    import mathutils

    light = bpy.data.lights.new("lamp", "AREA")
    light.shape, light.size, light.energy, light.color = "DISK", lamp["size"], lamp["power"], lamp["color"]
    thing = bpy.data.objects.new("lamp", light)
    thing.location = lamp["place"]
    thing.rotation_euler = mathutils.Vector(lamp["aim"]).to_track_quat("-Z", "Y").to_euler()
    thing.visible_camera = False
    bpy.context.scene.collection.objects.link(thing)


if __name__ == "__main__":
    main()
