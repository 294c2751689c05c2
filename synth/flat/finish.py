"""What lies before the camera and what the camera does: the last steps of every renderer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.camera import expose
from synth.fingers import finger_rng
from synth.flat.foreground import cast_light, draw_cast_shadow, draw_fingers
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen
from synth.scene import GaugeScene
from synth.spec import Print


def finish(pen: Pen, scene: GaugeScene) -> NDArray[np.uint8]:
    """The (height, width, 3) picture that the camera makes of what the pen drew, with the scene's own random numbers."""
    if scene.light.cast_shadow > 0:
        draw_cast_shadow(pen, scene.light.cast_shadow, np.random.default_rng([scene.seed, 98]))
    if scene.fingers:
        draw_fingers(pen, finger_rng(scene))
    picture = cast_light(cv2.cvtColor(pen.pixels, cv2.COLOR_RGBA2RGB), scene.light)
    imprint = partial(_imprint, lines=scene.overlay) if scene.overlay else None
    return expose(picture, scene.camera, np.random.default_rng([scene.seed, 0]), imprint)


def _imprint(picture: NDArray[np.uint8], lines: tuple[Print, ...]) -> NDArray[np.uint8]:
    """What a recorder writes into its pictures: sharp, whatever the lens did."""
    pen = Pen(picture.shape[1], picture.shape[0])
    cv2.cvtColor(picture, cv2.COLOR_RGB2RGBA, dst=pen.pixels)
    for line in lines:
        draw_print(pen, replace(line, x=line.x + 1, y=line.y + 1, color=(10, 10, 10)))
        draw_print(pen, line)
    return np.asarray(cv2.cvtColor(pen.pixels, cv2.COLOR_RGBA2RGB))
