"""Things that are no instruments, so that none is read off them: by kind, what draws one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from synth.devices import Distractor
from synth.flat.everyday_things import (
    draw_clock,
    draw_coin,
    draw_compass_rose,
    draw_disc_record,
    draw_dish,
    draw_pizza,
    draw_porthole,
    draw_roadsign,
    draw_socket,
    draw_speaker,
)
from synth.flat.pen import Pen, radial, rgba
from synth.flat.plant_things import (
    draw_bolt,
    draw_button,
    draw_drain,
    draw_fan,
    draw_flange,
    draw_knob,
    draw_label,
    draw_lid,
    draw_plate,
    draw_sign,
    draw_wheel,
)
from synth.scene import Pose

Rng = np.random.Generator
SHADOW = [rgba((0, 0, 0), 0.32), rgba((0, 0, 0), 0.13), rgba((0, 0, 0), 0.0)]


def draw_thing(pen: Pen, thing: Distractor, pose: Pose) -> None:
    """Draw a thing and its shadow where `pose` puts it; its own seed fixes its look."""
    rng = np.random.default_rng(thing.seed)
    with pen.plane(pose.homography(0.0)):
        pen.disc(6, 8, 108, (0, 0, 0), shader=radial(6, 8, 108, SHADOW, [0.7, 0.88, 1.0]))
        DRAWERS[thing.kind](pen, rng)


DRAWERS: dict[str, Callable[[Pen, Rng], None]] = {
    "clock": draw_clock,
    "wheel": draw_wheel,
    "knob": draw_knob,
    "lid": draw_lid,
    "sign": draw_sign,
    "bolt": draw_bolt,
    "flange": draw_flange,
    "plate": draw_plate,
    "label": draw_label,
    "button": draw_button,
    "porthole": draw_porthole,
    "speaker": draw_speaker,
    "coin": draw_coin,
    "dish": draw_dish,
    "fan": draw_fan,
    "pizza": draw_pizza,
    "disc_record": draw_disc_record,
    "drain": draw_drain,
    "roadsign": draw_roadsign,
    "socket": draw_socket,
    "compass_rose": draw_compass_rose,
}
KINDS = tuple(DRAWERS)
