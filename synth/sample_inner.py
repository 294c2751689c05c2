"""A small display or counter in a dial's face, where scale, print and needle leave room for it."""

from __future__ import annotations

import math
from dataclasses import replace

from synth.dial import needle_outline, numerals
from synth.draw import Rng, between, chance, gray, near, pick
from synth.spec import DialSpec, Inner, Print

SHARE = 0.3
"""Share of round dials that get one where there is room: one in fifteen has it."""
SPOTS = ((0.0, -0.42), (0.0, 0.45), (0.0, 0.55), (0.0, -0.5))


def with_inner(rng: Rng, spec: DialSpec, share: float = SHARE) -> DialSpec:
    """The dial with a display in its face, or as it was where nothing is free.

    Never under the needle, over a number or over the print of a unit or multiplier; other print makes way.
    """
    covered = spec.skirt is not None or spec.cover > 0 or spec.reset_knob > 0
    if not chance(rng, share) or spec.inner is not None or spec.case.shape != "round" or spec.hands or covered:
        return spec
    reach = spec.art.radius
    half_width, half_height = reach * between(rng, 0.22, 0.3), reach * between(rng, 0.07, 0.1)
    for _ in range(3):
        across, down = pick(rng, SPOTS)
        x, y = spec.pivot[0] + across * reach, spec.pivot[1] + down * reach
        if _free(spec, x, y, half_width + 3, half_height + 3):
            inner = _inner(rng, spec, x, y, half_width, half_height)
            box = (x - half_width - 2, y - half_height - 2, x + half_width + 2, y + half_height + 2)
            kept = tuple(line for line in spec.prints if not _touches(line, box))
            screws = tuple(
                s for s in spec.screws if abs(s[0] - x) > half_width + s[2] + 2 or abs(s[1] - y) > half_height + s[2] + 2
            )
            return replace(spec, inner=inner, prints=kept, screws=screws)
    return spec


def _inner(rng: Rng, spec: DialSpec, x: float, y: float, half_width: float, half_height: float) -> Inner:
    style = pick(rng, ("lcd", "lcd", "led", "drums"))
    if style == "drums":
        digits = f"{int(rng.integers(0, 10**4)):0{int(rng.integers(2, 6))}d}"[:5]
        dark = chance(rng, 0.75)
        back, ink = (gray(rng, 8, 35), gray(rng, 225, 250)) if dark else (gray(rng, 225, 245), gray(rng, 8, 40))
        return Inner("drums", digits, x, y, half_width, half_height, back, ink, "counter")
    value, decimals = spec.scale.value_at(max(0.0, spec.fraction)), int(rng.integers(1, 3))
    digits = f"{value * between(rng, 0.985, 1.015):.{decimals}f}"
    if style == "led":
        return Inner("led", digits, x, y, half_width, half_height, gray(rng, 6, 28), near(rng, (255, 50, 35), 12), "display")
    back = near(rng, pick(rng, ((170, 182, 155), (200, 205, 200), (205, 160, 90))), 10)
    return Inner("lcd", digits, x, y, half_width, half_height, back, gray(rng, 8, 45), "display")


def _free(spec: DialSpec, x: float, y: float, half_width: float, half_height: float) -> bool:
    """Whether the box lies within the numbers, and off the needle, the numbers and the units' print."""
    box = (x - half_width, y - half_height, x + half_width, y + half_height)
    numbers = [n for pair in ((spec.scale, spec.art), *spec.further_scales) for n in numerals(*pair, spec.pivot)]
    radius = min((math.dist(n.center, spec.pivot) - n.size * 0.8 for n in numbers), default=0.0)
    corners = [(u, v) for u in (box[0], box[2]) for v in (box[1], box[3])]
    rim = 100.0 - spec.case.bezel - spec.case.ring - 3.0
    if any(math.dist(corner, spec.pivot) > radius or math.hypot(*corner) > rim for corner in corners):
        return False
    if any(box[0] - n.size < n.center[0] < box[2] + n.size and box[1] - n.size < n.center[1] < box[3] + n.size for n in numbers):
        return False
    factor = f"x{spec.scale.multiplier or 1:g}"
    if any((line.declares is not None or line.text == factor) and _touches(line, box) for line in spec.prints):
        return False
    if abs(y - spec.pivot[1]) < half_height + spec.needle.hub + 2:
        return False
    outline = needle_outline(spec.needle, spec.pivot, spec.pointer_deg)
    ends = list(zip(outline, [*outline[1:], outline[0]], strict=True))
    steps = [k / 12 for k in range(13)]
    return not any(
        box[0] - 3 < a[0] + (b[0] - a[0]) * t < box[2] + 3 and box[1] - 3 < a[1] + (b[1] - a[1]) * t < box[3] + 3
        for a, b in ends
        for t in steps
    )


def _touches(line: Print, box: tuple[float, float, float, float]) -> bool:
    """Whether a line of print may reach into the box; print on a curve keeps to its circle."""
    if line.curve > 0:
        return line.curve - line.size < max(
            math.hypot(u - line.x, v - line.y) for u in (box[0], box[2]) for v in (box[1], box[3])
        )
    half = 0.36 * line.size * len(line.text) + line.size * 0.4
    across, down = (line.size * 0.8, half) if 45 < abs(line.angle_deg) % 180 < 135 else (half, line.size * 0.8)
    return box[0] - across < line.x < box[2] + across and box[1] - down < line.y < box[3] + down
