"""The Blender room: the same scenes as the flat renderer's, with light, depth and glass, from the same truth.

`BlenderRenderer(home).render(scene)` gives a picture in which everything lies where `scene.truth()` says. A scene becomes
a plan (`assemble`), and a program of its own (`worker`, licensed separately) renders plans with bpy.
"""

from synth.blender.renderer import BlenderRenderer
from synth.blender.room import find_blender, prepare_blender

__all__ = ["BlenderRenderer", "find_blender", "prepare_blender"]
