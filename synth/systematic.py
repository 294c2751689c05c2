"""Panels that go through all their states: which one a seed stands for, and a panel put into it.

Every whole degree of the XYZ-2000's needle, every lamp state and every mode: 301 x 4 x 5 = 6,020 states. Any 6,020
seeds in a row show each of them once; the golden step spreads the states of a shorter run evenly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from synth import models
from synth.devices import LampSpec, SelectorSpec
from synth.draw import Rng, near, pick
from synth.sample_other import LENSES
from synth.scene import Placed
from synth.spec import DialSpec
from vision.fields import LAMP_COLORS, LampColor

_SCALE = models.SCALES[models.XYZ_2000]
DEGREES = tuple(range(round(_SCALE.start_deg), round(_SCALE.start_deg + _SCALE.sweep_deg) + 1))
MODES = (1, 2, 3, 4, 5)
COMBINATIONS = len(DEGREES) * len(LAMP_COLORS) * len(MODES)
STEP = 3721
"""Close to COMBINATIONS over the golden ratio, and without a common factor with it."""


class PanelState(NamedTuple):
    """The needle's own angle in whole degrees, the lamp, the selector's position."""

    pointer_deg: int
    lamp: LampColor
    mode: int


def panel_state(seed: int) -> PanelState:
    """The state that a seed stands for."""
    rest, mode = divmod(seed * STEP % COMBINATIONS, len(MODES))
    degree, lamp = divmod(rest, len(LAMP_COLORS))
    return PanelState(DEGREES[degree], LAMP_COLORS[lamp], MODES[mode])


def set_panel(rng: Rng, placed: tuple[Placed, ...], state: PanelState) -> tuple[Placed, ...]:
    """The panel's instruments in that state; looks stay as they are, but for the lens of a lamp that has to be lit."""
    return tuple(replace(one, spec=_set(rng, one.spec, state)) for one in placed)  # type: ignore[arg-type]


def _set(rng: Rng, spec: object, state: PanelState) -> object:
    if isinstance(spec, DialSpec):
        fraction = (state.pointer_deg - spec.scale.start_deg) / spec.scale.sweep_deg
        return replace(spec, fraction=fraction, stop_pin=spec.stop_pin and fraction <= 0.01)
    if isinstance(spec, LampSpec):
        lens = spec.lens_color if state.lamp == "off" else near(rng, pick(rng, LENSES[state.lamp]), 10)
        return replace(spec, state=state.lamp, lens_color=lens)
    if isinstance(spec, SelectorSpec):
        return replace(spec, position=state.mode)
    return spec
