"""The flat renderer: one scene, one picture, the same bytes for the same scene."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.camera import expose
from synth.devices import CounterSpec, DigitalSpec
from synth.flat.background import draw_background
from synth.flat.case import draw_stem
from synth.flat.device import draw_device
from synth.flat.dial import draw_dial
from synth.flat.foreground import draw_cast_shadow, draw_fingers, draw_panel
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen
from synth.flat.things import draw_thing
from synth.scene import GaugeScene, Placed
from synth.spec import DialSpec


def render(scene: GaugeScene) -> NDArray[np.uint8]:
    """The picture of a scene: (height, width, 3) uint8 RGB. Raises FontError where a font is missing."""
    pen = Pen(scene.width, scene.height)
    draw_background(pen, scene.background)
    for placed in scene.things:
        draw_thing(pen, placed.thing, placed.pose)
    if scene.panel is not None:
        draw_panel(pen, scene.panel, scene.light)
    for index, instrument in enumerate(scene.instruments):
        if isinstance(instrument.spec, (DialSpec, DigitalSpec, CounterSpec)):
            draw_stem(pen, instrument.spec.case, instrument.pose, np.random.default_rng([scene.seed, 50 + index]))
    for index, instrument in reversed(list(enumerate(scene.instruments))):
        _draw(pen, instrument, scene, np.random.default_rng([scene.seed, 1 + index]))
    if scene.light.cast_shadow > 0:
        draw_cast_shadow(pen, scene.light.cast_shadow, np.random.default_rng([scene.seed, 98]))
    if scene.fingers:
        draw_fingers(pen, np.random.default_rng([scene.seed, 99]))
    for line in scene.overlay:
        draw_print(pen, replace(line, x=line.x + 1, y=line.y + 1, color=(10, 10, 10)))
        draw_print(pen, line)
    return expose(cv2.cvtColor(pen.pixels, cv2.COLOR_RGBA2RGB), scene.camera, np.random.default_rng([scene.seed, 0]))


def _draw(pen: Pen, instrument: Placed, scene: GaugeScene, rng: np.random.Generator) -> None:
    spec, pose, light, wear = instrument.spec, instrument.pose, scene.light, scene.wear
    if isinstance(spec, DialSpec):
        draw_dial(pen, spec, pose, light, wear, rng)
    else:
        draw_device(pen, spec, pose, light, wear, rng)
