"""Plain frontal scenes of one device, for tests that look at pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.devices import InstrumentSpec
from synth.flat import render
from synth.scene import Background, Camera, GaugeScene, Light, Placed, Pose

SIZE = 600
RADIUS = 280.0
FLAT_LIGHT = Light(shadow=0.0, softness=0.0, shade=0.0)


def frontal(spec: InstrumentSpec, camera: Camera | None = None, radius: float = RADIUS) -> GaugeScene:
    pose = Pose((SIZE / 2, SIZE / 2), radius)
    return GaugeScene(SIZE, SIZE, 3, Background("white", 0), (Placed(spec, pose),), light=FLAT_LIGHT, camera=camera or Camera())


def picture(spec: InstrumentSpec, camera: Camera | None = None, radius: float = RADIUS) -> NDArray[np.float64]:
    return np.asarray(render(frontal(spec, camera, radius)), np.float64)


def at(image: NDArray[np.float64], x: float, y: float, radius: float = RADIUS) -> NDArray[np.float64]:
    """Mean colour of the 3 x 3 pixels at a point in face units."""
    column, row = round(SIZE / 2 + x * radius / 100), round(SIZE / 2 + y * radius / 100)
    return np.asarray(image[row - 1 : row + 2, column - 1 : column + 2].mean(axis=(0, 1)))
