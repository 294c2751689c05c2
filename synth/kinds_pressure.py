"""Pressure instruments of their own kind: compound, vacuum, differential, contact, status, level and flow dials.

Ranges follow the preferred series of EN 837-1 (vacuum -1..0 bar, compound -1..0.6 to -1..24 bar) and ASME B40.100
(30 inHg..0..psi), those of flow dials the square root of the differential pressure (ISO 5167).
"""

from __future__ import annotations

from dataclasses import replace

from synth import ranges
from synth.draft import Draft
from synth.draw import Rng, between, chance, pick
from synth.recipe import DialOptions
from synth.sample_case import Layout, sample_case, sample_layout
from synth.sample_further import sample_vacuum
from synth.sample_scale import build_scale, even_steps, reversed_scale
from synth.sample_zones import Arc
from synth.spec import Case, Scale

COMPOUND: dict[str, tuple[tuple[float, ...], ...]] = {
    "bar": ((-1, 0.6), (-1, 1.5), (-1, 3), (-1, 5), (-1, 9), (-1, 15), (-1, 24)),
    "MPa": ((-0.1, 0.06), (-0.1, 0.15), (-0.1, 0.3), (-0.1, 0.5), (-0.1, 0.9), (-0.1, 1.5), (-0.1, 2.4)),
    "kPa": ((-100, 60), (-100, 150), (-100, 300), (-100, 500), (-100, 900)),
    "kgf/cm2": ((-1, 2), (-1, 5), (-1, 10), (-1, 3)),
    "psi": ((-15, 15), (-15, 30), (-15, 60), (-15, 150), (-30, 30), (-30, 100)),
    "mbar": ((-1000, 600), (-1000, 1500)),
}
VACUUM: dict[str, float] = {
    "bar": -1.0,
    "inHg": -30.0,
    "mmHg": -760.0,
    "kPa": -100.0,
    "MPa": -0.1,
    "mbar": -1000.0,
    "mmH2O": -760.0,
}
DIFFERENTIAL: dict[str, tuple[float, ...]] = {
    "psi": (5, 10, 15, 30, 50, 100, 500),
    "kPa": (1, 5, 10, 25, 40, 100, 500),
    "bar": (0.6, 1, 2.5, 4, 10),
    "mbar": (25, 60, 100, 250),
    "Pa": (50, 60, 125, 250),
    "inH2O": (0.5, 1, 5, 10),
    "%": (50, 100),
}


def _round(rng: Rng, options: DialOptions, style: str = "pressure") -> tuple[Case, Layout]:
    case = sample_case(rng, style)
    return case, sample_layout(rng, style, case, options)


def _even(rng: Rng, layout: Layout, unit: str, low: float, high: float, most: int = 12) -> Scale:
    """A linear scale with equal divisions that a maker would choose."""
    step = pick(rng, ranges.major_steps(low, high, most if layout.sweep_deg > 200 else 8))
    count = round((high - low) / step)
    minors = pick(rng, ranges.minor_choices(step))
    if count * minors > layout.sweep_deg / 1.4:
        minors = min(ranges.minor_choices(step))
    return build_scale(rng, layout, unit, even_steps(low, high, step), minors)


def _joined(rng: Rng, layout: Layout, unit: str, low: float, high: float) -> Scale:
    """A linear compound scale: zero printed, whole steps from it upwards, and its low end even where it is no whole step."""
    few = [step for step in ranges.major_steps(low, high, 10) if round((high - low) / step) <= 10]
    if few and chance(rng, 0.7):
        return _even(rng, layout, unit, low, high, 10)
    step = pick(rng, [s for s in ranges.major_steps(0.0, high, 8) if round(high / s) >= 2])
    fits = [
        n for n in (1, 2, 4, 5, 8, 10, 20) if abs(-low * n / step - round(-low * n / step)) < 1e-6 and round(-low * n / step) > 0
    ]
    most = layout.sweep_deg / 1.6 * step / (high - low)
    parts = max([n for n in fits if n <= most] or fits[:1] or [1])
    ups = even_steps(0.0, high, step)
    return build_scale(rng, layout, unit, (low, *ups), (max(round(-low * parts / step), 1), *(parts,) * (len(ups) - 1)))


def compound(rng: Rng, options: DialOptions) -> Draft:
    """Vacuum and pressure on one face: evenly divided, with its own divisions on the vacuum side, or in another unit."""
    case, layout = _round(rng, options)
    if layout.sweep_deg < 200:
        layout = layout._replace(start_deg=45.0, sweep_deg=270.0, radius=min(layout.radius, 0.9 * (100 - case.bezel - case.ring)))
        layout = layout._replace(pivot=(0.0, 0.0))
    unit = pick(rng, tuple(COMPOUND))
    low, high = pick(rng, COMPOUND[unit])
    kind = rng.random()
    if kind < 0.3:
        top = pick(rng, (15, 30, 60, 100, 150, 300)) if unit == "psi" or chance(rng, 0.5) else 0
        right_unit, end = ("psi", float(top)) if top else (pick(rng, ("bar", "kgf/cm2")), float(pick(rng, (3, 5, 10, 16))))
        right, left = sample_vacuum(rng, _even(rng, layout, right_unit, 0.0, end, 10))
        return Draft("pressure", case, layout, right, side=left, rest=0.2)
    if kind < 0.55:
        share = between(rng, 0.22, 0.4)
        step = pick(rng, [s for s in ranges.major_steps(0.0, high, 8) if round(high / s) >= 2])
        ups = tuple(round(step * i, 9) for i in range(1, round(high / step) + 1))
        downs = (low, low / 2, 0.0)
        law = (0.0, share / 2, share, *(share + (1 - share) * (i + 1) / len(ups) for i in range(len(ups))))
        vacuum, pressure = pick(rng, (5, 2, 10)), min(ranges.minor_choices(step))
        linear = abs(law[2] - (-low) / (high - low)) < 0.02
        scale = build_scale(rng, layout, unit, (*downs, *ups), (vacuum,) * 2 + (pressure,) * len(ups), None if linear else law)
    else:
        scale = _joined(rng, layout, unit, low, high)
    unsigned = chance(rng, 0.2)
    return Draft(
        "pressure",
        case,
        layout,
        scale,
        unsigned=unsigned,
        plus=not unsigned and chance(rng, 0.2),
        further=0.4,
        third=0.2,
        rest=0.2,
    )


def vacuum(rng: Rng, options: DialOptions) -> Draft:
    """Vacuum from the lowest value to 0, signed or not, sometimes with 0 on the left."""
    case, layout = _round(rng, options)
    unit = pick(rng, tuple(VACUUM))
    if VACUUM[unit] == -760.0:
        scale = build_scale(rng, layout, unit, (-760.0, -600.0, -400.0, -200.0, 0.0), (4, 5, 5, 5))
    else:
        scale = _even(rng, layout, unit, VACUUM[unit], 0.0)
    if chance(rng, 0.3):
        scale = reversed_scale(scale)
    return Draft("pressure", case, layout, scale, unsigned=chance(rng, 0.4), further=0.6, third=0.25, rest=0.1)


def differential(rng: Rng, options: DialOptions) -> Draft:
    """Zero in the middle, the same range to both sides."""
    case, layout = _round(rng, options)
    unit = pick(rng, tuple(DIFFERENTIAL))
    high = pick(rng, DIFFERENTIAL[unit])
    unsigned = chance(rng, 0.35)
    scale = _even(rng, layout, unit, -high, high)
    return Draft(
        "pressure", case, layout, scale, unsigned=unsigned, plus=not unsigned and chance(rng, 0.3), rest=0.3, further=0.15
    )


def contact(rng: Rng, options: DialOptions) -> Draft:
    """Density and contact gauges: coloured ranges for alarm and lock-out, set hands, few numbers."""
    case, layout = _round(rng, options)
    unit = pick(rng, ("MPa", "MPa", "bar", "kPa"))
    low, high = pick(
        rng,
        {"MPa": ((-0.1, 0.9), (0.0, 1.0), (-0.1, 0.5)), "bar": ((-1, 9), (0, 10), (-1, 5)), "kPa": ((-100, 900), (0, 1000))}[
            unit
        ],
    )
    scale = _even(rng, layout, unit, low, high, 11)
    ticks = scale.ticks()
    lock = ticks[round(between(rng, 0.4, 0.6) * (len(ticks) - 1))]
    alarm = ticks[round(between(rng, 0.62, 0.7) * (len(ticks) - 1))]
    top = ticks[round(between(rng, 0.78, 0.95) * (len(ticks) - 1))]
    arcs: tuple[Arc, ...] = ((low, lock, "red"), (lock, alarm, "yellow"), (alarm, top, "green"))
    if chance(rng, 0.4):
        arcs = arcs[1:]
    return Draft(
        "pressure",
        case,
        layout,
        scale,
        arcs=arcs,
        place=pick(rng, ("ticks", "outside", "inside")),
        hands=0.45,
        plus=False,
        rest=0.06,
    )


def status(rng: Rng, options: DialOptions) -> Draft:
    """Extinguisher and charge gauges: a short arc of coloured fields, numbers only at their ends."""
    case = sample_case(rng, "pressure")
    inner = 100 - case.bezel - case.ring
    sweep = pick(rng, (90.0, 100.0, 120.0, 180.0, 240.0))
    pivot = (0.0, inner * between(rng, 0.05, 0.45)) if sweep < 150 else (0.0, 0.0)
    radius = min(inner * 0.86 / max(0.7, 1.0), pivot[1] + inner * 0.86)
    layout = Layout(pivot, radius, 180 - sweep / 2, sweep)
    unit, values = pick(
        rng,
        (
            ("bar", (0, 10, 15, 25)),
            ("bar", (0, 11, 18.5, 28)),
            ("bar", (0, 12, 16, 28)),
            ("psi", (0, 150, 200, 400)),
            ("psi", (0, 100, 195, 240)),
            ("kPa", (0, 700, 1400, 2400)),
            ("MPa", (0, 1.0, 1.5, 2.5)),
            ("MPa", (0, 0.8, 1.4, 2.8)),
        ),
    )
    low, start, end, high = (float(v) for v in values)
    law = (0.0, between(rng, 0.3, 0.4), between(rng, 0.6, 0.7), 1.0) if chance(rng, 0.4) else None
    scale = build_scale(rng, layout, unit, (low, start, end, high), 1, law)
    arcs: tuple[Arc, ...] = ((low, start, "red"), (start, end, "green"), (end, high, pick(rng, ("red", "yellow", "white"))))
    words = ((low, start, "RECHARGE"), (start, end, pick(rng, ("FULL", "OK", "NORMAL"))), (end, high, "OVERCHARGED"))
    return Draft(
        "pressure",
        case,
        layout,
        scale,
        numerals_at=(low, start, end, high),
        size=0.9,
        arcs=arcs,
        place="broad",
        words=words if chance(rng, 0.6) else (),
        dark=0.1,
        hands=0.0,
        rest=0.12,
    )


def flow(rng: Rng, options: DialOptions) -> Draft:
    """Square-root flow dials: the scale opens towards its end."""
    case, layout = _round(rng, options)
    unit, high = pick(rng, (("L/min", 10), ("L/min", 25), ("m3/h", 100), ("m3/h", 10), ("gpm", 50), ("gpm", 10), ("%", 100)))
    step = pick(rng, ranges.major_steps(0.0, high, 10, 5))
    majors = even_steps(0.0, high, step)
    root = build_scale(rng, layout, unit, majors, min(ranges.minor_choices(step)))
    power = 2.0 if chance(rng, 0.7) else between(rng, 1.4, 2.2)
    return Draft("wild", case, layout, replace(root, exponent=power), rest=0.1)


def level(rng: Rng, options: DialOptions) -> Draft:
    """Tank level in per cent or litres, with a low-level warning."""
    case = sample_case(rng, pick(rng, ("pressure", "automotive")))
    layout = sample_layout(rng, "transformer" if chance(rng, 0.4) else "pressure", case, options)
    unit, high = pick(rng, (("%", 100), ("%", 100), ("%", 100), ("L", 50), ("L", 200), ("m3", 10), ("m3", 50)))
    step = high / pick(rng, (4, 5, 10)) if layout.sweep_deg > 150 else high / pick(rng, (4, 5))
    majors = even_steps(0.0, high, step)
    scale = build_scale(rng, layout, unit, majors, pick(rng, (2, 4, 5, 1)))
    if chance(rng, 0.1):
        scale = reversed_scale(scale)
    low = scale.ticks()[1] if len(scale.ticks()) < 12 else high * 0.1
    arcs: tuple[Arc, ...] = (
        ((0.0, low, "red"),)
        if chance(rng, 0.6)
        else ((0.0, low, "red"), (low, high * 0.3, "yellow"), (high * 0.3, high, "green"))
    )
    return Draft("wild", case, layout, scale, arcs=arcs if chance(rng, 0.6) else (), rest=0.1, dark=0.4)
