"""How a face itself looks below its print: texture, coloured centre, mirror, raised or engraved print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Texture = Literal["plain", "vignette", "gradient", "paper", "brushed", "turned", "anodised"]


@dataclass(frozen=True, slots=True)
class FaceLook:
    """Looks of a face; lengths in face units about the dial's pivot.

    `grain` is the texture's strength in [0, 1]. `center_radius` above 0 lays a disc of `center_color` under the print.
    `mirror` (inner, outer) is the mirror band of precision instruments, (0, 0) for none. `opening` above 0 cuts a
    window into the face that shows the mechanism. `relief` above 0 raises the print by about so many face units,
    below 0 engraves it. `rim_line` above 0 prints a fine circle so far inside the face's edge.
    """

    texture: Texture = "plain"
    grain: float = 0.0
    center_radius: float = 0.0
    center_color: tuple[int, int, int] = (200, 200, 200)
    mirror: tuple[float, float] = (0.0, 0.0)
    opening: float = 0.0
    relief: float = 0.0
    rim_line: float = 0.0


PLAIN_FACE = FaceLook()
