"""Panel meters and transformer indicators of their own kind.

Electric ranges follow IEC 60051-2 (moving-iron ammeters with a compressed overload range to twice or more the rating).
"""

from __future__ import annotations

from dataclasses import replace

from synth import ranges
from synth.draft import Draft
from synth.draw import Rng, between, chance, pick
from synth.recipe import DialOptions
from synth.sample_case import Layout, sample_case, sample_layout
from synth.sample_scale import build_scale, even_steps, reversed_scale
from synth.sample_zones import Arc
from synth.spec import Scale

RATED: dict[str, tuple[int, ...]] = {
    "A": (1, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 250, 300, 400, 600),
    "V": (100, 250, 300, 500, 600),
    "kV": (5, 10, 15, 25, 40),
    "kA": (1, 2, 4),
}


def moving_iron(rng: Rng, options: DialOptions) -> Draft:
    """Moving-iron panel meters: crowded at the start, and ammeters with a compressed overload range at the end."""
    style = pick(rng, ("panel", "quadrant", "quadrant"))
    case = sample_case(rng, style)
    layout = sample_layout(rng, style, case, options)
    unit = pick(rng, ("A", "A", "A", "V", "kV", "kA"))
    rated = float(pick(rng, RATED[unit]))
    step = pick(rng, ranges.major_steps(0.0, rated, 6))
    majors = even_steps(0.0, rated, step)
    power, minors = between(rng, 1.15, 1.7), min(ranges.minor_choices(step))
    if unit in ("A", "kA") and chance(rng, 0.6):
        factor = pick(rng, (2.0, 2.0, 3.0, 5.0, 6.0))
        part = between(rng, 0.78, 0.88)
        law = (*(part * (v / rated) ** power for v in majors), 1.0)
        scale = build_scale(rng, layout, unit, (*majors, factor * rated), (*(minors,) * (len(majors) - 1), 1), law)
        arcs: tuple[Arc, ...] = ((rated, factor * rated, "red"),) if chance(rng, 0.3) else ()
        return Draft(style, case, layout, scale, arcs=arcs, dark=0.1, rest=0.2)
    scale = replace(build_scale(rng, layout, unit, majors, minors), exponent=power)
    return Draft(style, case, layout, scale, dark=0.1, rest=0.15)


def logarithmic(rng: Rng, options: DialOptions) -> Draft:
    """Decades: vacuum, insulation and frequency scales."""
    style = pick(rng, ("panel", "pressure"))
    case = sample_case(rng, style)
    layout = sample_layout(rng, style, case, options)
    decades = pick(rng, ((1.0, 100.0), (1.0, 1000.0), (0.1, 10.0), (0.1, 100.0), (10.0, 1000.0), (0.01, 10.0)))
    unit = pick(rng, ("mbar", "Pa", "Hz", "mbar", "mV"))
    scale = Scale(
        *decades,
        decades[0],
        10,
        layout.start_deg,
        layout.sweep_deg,
        unit=unit,
        unit_text=ranges.unit_text(rng, unit),
        logarithmic=True,
    )
    return Draft(style, case, layout, scale, rest=0.05)


def gas(rng: Rng, options: DialOptions) -> Draft:
    """Gas and oil-level indicators of transformers: blocks for ticks, numbers of different sizes, a long arc above."""
    case = sample_case(rng, "transformer")
    sweep = between(rng, 90, 190)
    inner = 100 - case.bezel - case.ring
    pivot = (0.0, inner * between(rng, 0.0, 0.25))
    layout = Layout(pivot, min(inner * 0.95, pivot[1] + inner * 0.88), 180 - sweep / 2, sweep, True)
    unit, majors = pick(
        rng,
        (
            ("cc", (0.0, 100.0, 200.0, 300.0, 400.0, 450.0)),
            ("cc", (0.0, 100.0, 200.0, 300.0)),
            ("%", (0.0, 25.0, 50.0, 75.0, 100.0)),
            ("°C", (0.0, 40.0, 80.0, 120.0)),
            ("°C", (0.0, 40.0, 80.0, 120.0, 160.0)),
            ("°C", (0.0, 30.0, 60.0, 90.0, 120.0)),
            ("psi", (0.0, 5.0, 10.0, 15.0)),
        ),
    )
    scale = build_scale(rng, layout, unit, majors, 1 if chance(rng, 0.6) else 2)
    if chance(rng, 0.4):
        scale = reversed_scale(scale)
    ends = between(rng, 1.15, 1.6)
    sizes = tuple(
        ends if i in (0, len(majors) - 1) else (1.25 if i == len(majors) // 2 and chance(rng, 0.5) else 0.9)
        for i in range(len(majors))
    )
    return Draft(
        "transformer",
        case,
        layout,
        scale,
        numerals_at=majors,
        sizes=sizes,
        size=0.8,
        dark=0.95,
        hands=0.15,
        rest=0.12,
        blocks=chance(rng, 0.75),
    )
