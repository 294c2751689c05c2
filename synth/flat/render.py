"""The flat renderer: one scene, one picture, the same bytes for the same scene."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.camera import blur
from synth.devices import CounterSpec, DigitalSpec
from synth.fingers import finger_rng
from synth.flat.background import PhotoBackgrounds, draw_background
from synth.flat.case import draw_stem, wear_case
from synth.flat.device import draw_device
from synth.flat.dial import draw_dial
from synth.flat.finish import finish
from synth.flat.foreground import draw_hand_behind, draw_panel
from synth.flat.pen import Pen
from synth.flat.things import draw_thing
from synth.scene import GaugeScene, Placed
from synth.spec import DialSpec


def render(scene: GaugeScene, backgrounds: PhotoBackgrounds | None = None) -> NDArray[np.uint8]:
    """The picture of a scene: (height, width, 3) uint8 RGB. `backgrounds` holds the photos of scenes that show one.

    Raises FontError where a font is missing, BackgroundError where a photo is.
    """
    pen = Pen(scene.width, scene.height)
    draw_background(pen, scene.background, backgrounds)
    for placed in scene.things:
        draw_thing(pen, placed.thing, placed.pose)
    if scene.background.defocus_px > 0.3:
        pen.pixels[...] = blur(pen.pixels, scene.background.defocus_px)
    if scene.fingers:
        draw_hand_behind(pen, finger_rng(scene))
    if scene.panel is not None:
        draw_panel(pen, scene.panel, scene.light)
    for index, instrument in enumerate(scene.instruments):
        if isinstance(instrument.spec, (DialSpec, DigitalSpec, CounterSpec)):
            draw_stem(pen, instrument.spec.case, instrument.pose, np.random.default_rng([scene.seed, 50 + index]))
    for index, instrument in reversed(list(enumerate(scene.instruments))):
        _draw(pen, instrument, scene, np.random.default_rng([scene.seed, 1 + index]))
    return finish(pen, scene)


def _draw(pen: Pen, instrument: Placed, scene: GaugeScene, rng: np.random.Generator) -> None:
    spec, pose, light, wear = instrument.spec, instrument.pose, scene.light, scene.wear
    if isinstance(spec, DialSpec):
        draw_dial(pen, spec, pose, light, wear, rng)
    else:
        draw_device(pen, spec, pose, light, wear, rng)
    if isinstance(spec, (DialSpec, DigitalSpec, CounterSpec)) and (wear.rust or wear.oil or wear.paint):
        wear_case(pen, spec.case, pose, wear, rng)
