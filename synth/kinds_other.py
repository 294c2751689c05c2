"""Weather, motoring, aircraft and oven dials of their own kind."""

from __future__ import annotations

import math
from dataclasses import replace

from synth.draft import Draft
from synth.draw import Rng, between, chance, pick
from synth.recipe import DialOptions
from synth.sample_case import Layout, sample_case
from synth.sample_scale import build_scale, even_steps
from synth.sample_zones import Arc
from synth.spec import Case

SPEEDS: tuple[tuple[str, int], ...] = (
    *(("km/h", top) for top in (60, 120, 140, 160, 180, 200, 220, 240, 260)),
    *(("mph", top) for top in (60, 80, 120, 140, 160)),
    ("kn", 60),
)
ENGINE_SPEEDS: tuple[tuple[float | None, int, int], ...] = (
    *((1000.0, top, 1) for top in (5, 6, 7, 8, 9, 10)),
    *((100.0, top, 10) for top in (40, 60, 80)),
    (100.0, 35, 5),
    (None, 3000, 500),
    (None, 4000, 1000),
)
"""Multiplier, end and major step."""


def _full(rng: Rng, case: Case, sweep: float, middle: float = 180.0) -> Layout:
    """A scale about the face's centre, its middle at an angle clockwise from 6 o'clock."""
    inner = 100 - case.bezel - case.ring
    return Layout((0.0, 0.0), inner * between(rng, 0.84, 0.97), (middle - sweep / 2) % 360, sweep)


def hygrometer(rng: Rng, options: DialOptions) -> Draft:
    """Relative humidity with comfort ranges."""
    case = sample_case(rng, "thermometer")
    layout = _full(rng, case, pick(rng, (240.0, 270.0, 300.0, 180.0, 120.0, 320.0)))
    low = pick(rng, (0.0, 0.0, 10.0, 20.0))
    step = 20.0 if layout.sweep_deg < 200 and low != 10.0 else 10.0
    scale = build_scale(rng, layout, "% RH", even_steps(low, 100.0, step), pick(rng, (5, 10, 2)) if layout.sweep_deg > 200 else 5)
    dry, wet = pick(rng, ((30.0, 60.0), (40.0, 60.0), (45.0, 65.0), (40.0, 70.0)))
    arcs: tuple[Arc, ...] = pick(
        rng,
        (
            ((dry, wet, "green"),),
            ((low, dry, "yellow"), (dry, wet, "green"), (wet, 100.0, "blue")),
            ((low, dry, "red"), (dry, wet, "green"), (wet, 100.0, "blue")),
        ),
    )
    words = ((low, dry, "DRY"), (dry, wet, "COMFORT"), (wet, 100.0, pick(rng, ("HUMID", "WET", "MOIST"))))
    return Draft(
        "thermometer",
        case,
        layout,
        scale,
        arcs=arcs if chance(rng, 0.8) else (),
        place=pick(rng, ("ticks", "outside", "broad", "inside")),
        words=words if chance(rng, 0.5) else (),
        hands=0.0,
        rest=0.0,
        dark=0.3,
    )


def barometer(rng: Rng, options: DialOptions) -> Draft:
    """Air pressure with the weather's words; often in two units, with a brass set hand."""
    case = sample_case(rng, "thermometer")
    layout = _full(rng, case, pick(rng, (240.0, 270.0, 300.0, 320.0)))
    unit, low, high, step, minors = pick(
        rng,
        (
            ("mbar", 960.0, 1060.0, 10.0, 10),
            ("mbar", 950.0, 1070.0, 10.0, 5),
            ("mbar", 960.0, 1040.0, 10.0, 5),
            ("mbar", 940.0, 1060.0, 20.0, 10),
            ("mmHg", 720.0, 800.0, 10.0, 10),
            ("inHg", 28.0, 31.0, 0.5, 10),
            ("inHg", 27.0, 31.0, 1.0, 10),
        ),
    )
    scale = build_scale(rng, layout, unit, even_steps(low, high, step), minors)
    cuts = [low + (high - low) * part for part in (0.0, 0.22, 0.4, 0.6, 0.8, 1.0)]
    names = pick(rng, (("STORM", "RAIN", "CHANGE", "FAIR", "VERY DRY"), ("STORMY", "RAIN", "CHANGE", "FAIR", "DRY")))
    words = tuple(zip(cuts, cuts[1:], names, strict=False))
    return Draft(
        "thermometer", case, layout, scale, words=words if chance(rng, 0.8) else (), hands=0.5, further=0.4, rest=0.0, dark=0.12
    )


def airspeed(rng: Rng, options: DialOptions) -> Draft:
    """Airspeed: a rest mark at 0, then an uneven scale with white, green and yellow arcs and a red line."""
    case = sample_case(rng, "automotive")
    case = replace(case, stem="none")
    top = pick(rng, (160.0, 180.0, 200.0, 220.0, 260.0))
    step = 20.0 if top <= 220 else 40.0
    first = 40.0
    majors = (0.0, *even_steps(first, first + step * math.floor((top - first) / step + 1e-6), step))
    top = majors[-1]
    sweep = between(rng, 310.0, 330.0)
    inner = 100 - case.bezel - case.ring
    layout = Layout((0.0, 0.0), inner * between(rng, 0.9, 0.97), 180.0, sweep)
    bend, jump = between(rng, 0.75, 1.25), between(rng, 0.07, 0.12)
    law = (0.0, *(jump + (1 - jump) * ((v - first) / (top - first)) ** bend for v in majors[1:]))
    scale = build_scale(
        rng, layout, pick(rng, ("kn", "kn", "mph", "km/h")), majors, (1, *(4 if step == 20 else 8,) * (len(majors) - 2)), law
    )
    stall, flaps, cruise = (round(top * part / 5) * 5.0 for part in (0.27, 0.52, 0.7))
    never = round(top * between(rng, 0.84, 0.94) / 5) * 5.0
    arcs: tuple[Arc, ...] = (
        (stall, flaps, "white"),
        (flaps, cruise, "green"),
        (cruise, never, "yellow"),
        (never, min(never + 0.012 * top, top), "red"),
    )
    return Draft("automotive", case, layout, scale, arcs=arcs, dark=0.97, hands=0.0, rest=0.1)


def oven(rng: Rng, options: DialOptions) -> Draft:
    """Oven and grill thermometers: a scale that starts at a rest mark, then jumps to where it reads."""
    case = sample_case(rng, "thermometer")
    layout = _full(rng, case, pick(rng, (240.0, 270.0, 270.0, 300.0)))
    unit, majors = pick(
        rng,
        (
            ("°C", (0.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0)),
            ("°C", (0.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0)),
            ("°C", (50.0, 100.0, 150.0, 200.0, 250.0, 300.0)),
            ("°F", (50.0, 150.0, 200.0, 300.0, 400.0, 500.0, 600.0)),
            ("°F", (100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0)),
            ("°F", (0.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0, 450.0, 500.0, 550.0)),
            ("°C", (20.0, 60.0, 80.0, 100.0, 120.0)),
        ),
    )
    jump = between(rng, 0.06, 0.12)
    count = len(majors) - 2
    short = majors[1] - majors[0] != majors[2] - majors[1] or chance(rng, 0.5)
    law = (0.0, *(jump + (1 - jump) * i / count for i in range(count + 1))) if short else None
    minors = pick(rng, (5, 2, 10)) if unit == "°C" else pick(rng, (2, 4, 5))
    scale = build_scale(rng, layout, unit, majors, (1, *(minors,) * count) if short else minors, law)
    cuts = (majors[1], majors[1 + count // 3], majors[1 + 2 * count // 3], majors[-1])
    if len(set(cuts)) < 4:
        return Draft("thermometer", case, layout, scale, dark=0.25, rest=0.25, further=0.0 if short else 0.5)
    names = pick(rng, (("SMOKE", "BBQ", "SEAR"), ("LOW", "MEDIUM", "HIGH"), ("WARM", "IDEAL", "HOT")))
    hues = pick(rng, (("yellow", "orange", "red"), ("blue", "green", "red"), ("green", "yellow", "red")))
    arcs: tuple[Arc, ...] = tuple(zip(cuts, cuts[1:], hues, strict=False))
    words = tuple(zip(cuts, cuts[1:], names, strict=False))
    return Draft(
        "thermometer",
        case,
        layout,
        scale,
        arcs=arcs if chance(rng, 0.5) else (),
        place=pick(rng, ("outside", "inside", "broad", "ticks")),
        words=words if chance(rng, 0.5) else (),
        dark=0.25,
        hands=0.05,
        rest=0.25,
        further=0.0 if short else 0.4,
    )


def speedometer(rng: Rng, options: DialOptions) -> Draft:
    """Road speed: numbers every 10 or 20, often both units."""
    case = replace(sample_case(rng, "automotive"), stem="none")
    layout = _full(rng, case, pick(rng, (220.0, 240.0, 250.0, 260.0, 270.0, 180.0)), 180.0 + float(rng.normal(0, 6)))
    unit, top = pick(rng, SPEEDS)
    step = 10.0 if top <= 140 and chance(rng, 0.6) else 20.0
    scale = build_scale(rng, layout, unit, even_steps(0.0, float(top), step), pick(rng, (2, 2, 4, 5)))
    return Draft("automotive", case, layout, scale, dark=0.88, further=0.35, hands=0.0, rest=0.25)


def tachometer(rng: Rng, options: DialOptions) -> Draft:
    """Engine speed x1000 or x100 r/min with its red range."""
    case = replace(sample_case(rng, "automotive"), stem="none")
    layout = _full(rng, case, pick(rng, (220.0, 240.0, 260.0, 270.0, 180.0)), 180.0 + float(rng.normal(0, 8)))
    factor, top, step = pick(rng, ENGINE_SPEEDS)
    scale = build_scale(
        rng, layout, "r/min", even_steps(0.0, float(top), float(step)), pick(rng, (2, 4, 5, 10)), multiplier=factor
    )
    ticks = scale.ticks()
    red = ticks[round(between(rng, 0.72, 0.9) * (len(ticks) - 1))]
    arcs: tuple[Arc, ...] = ((red, float(top), "red"),)
    if chance(rng, 0.25):
        arcs = ((ticks[round(0.3 * (len(ticks) - 1))], red, "green"), *arcs)
    return Draft(
        "automotive",
        case,
        layout,
        scale,
        arcs=arcs if chance(rng, 0.85) else (),
        place=pick(rng, ("ticks", "ticks", "outside")),
        dark=0.88,
        hands=0.0,
        rest=0.25,
    )
