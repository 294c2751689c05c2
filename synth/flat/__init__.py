"""Fast two-dimensional renderer. `render(scene)` gives (height, width, 3) uint8 RGB, the same bytes for the same scene."""

from __future__ import annotations

from synth.flat.render import render

__all__ = ["render"]
