"""Dials and windows of instrument clusters in one shared look: speed, revolutions, fuel, temperature, distance."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from synth.devices import DigitalSpec, DisplayRow
from synth.draw import HUES, Rng, between, chance, gray, near, pick
from synth.fonts import BOLD, SANS, SYMBOL_SAFE
from synth.spec import Case, Color, DialSpec, Needle, Print, Scale, ScaleArt, Zone, polar

GLOWS: tuple[Color, ...] = ((70, 170, 255), (90, 140, 255), (255, 60, 40), (245, 245, 245), (255, 170, 60), (110, 255, 190))


@dataclass(frozen=True, slots=True)
class Look:
    """What the dials of one cluster share."""

    night: bool
    flat: bool
    board: Color
    face: Color
    ink: Color
    hand: Color
    hub: Color
    rim: Color
    font: str
    bezel: float
    wide_needle: float
    arc: bool
    rotated: bool
    rest: float


def sample_cluster_look(rng: Rng) -> Look:
    night, flat = chance(rng, 0.3), chance(rng, 0.35)
    board = gray(rng, 3, 14, 1) if night else gray(rng, 10, 45, 2)
    face = (
        board
        if flat or night
        else (gray(rng, 8, 40) if chance(rng, 0.8) else near(rng, pick(rng, ((40, 60, 90), (225, 225, 220))), 8))
    )
    light_face = sum(face) > 380
    ink = near(rng, pick(rng, GLOWS), 8) if night else (gray(rng, 15, 40) if light_face else gray(rng, 215, 252))
    if not night and not light_face and chance(rng, 0.12):
        ink = near(rng, pick(rng, ((255, 150, 60), (150, 200, 255), (230, 220, 170))), 8)
    hand = near(rng, pick(rng, (HUES["red"], (255, 90, 30), (255, 90, 30), (245, 245, 245))), 10)
    if night and chance(rng, 0.4):
        hand = near(rng, (255, 60, 40), 10) if min(ink) > 100 or ink[0] < 200 else (245, 245, 245)
    if light_face and min(hand) > 200:
        hand = HUES["red"]
    return Look(
        night=night,
        flat=flat,
        board=board,
        face=face,
        ink=ink,
        hand=hand,
        hub=gray(rng, 6, 40),
        rim=board if flat or night else (gray(rng, 90, 220) if chance(rng, 0.5) else gray(rng, 15, 60)),
        font=pick(rng, BOLD if chance(rng, 0.6) else SANS),
        bezel=1.5 if flat else between(rng, 2, 7),
        wide_needle=between(rng, 3.0, 6.5),
        arc=chance(rng, 0.3),
        rotated=False,
        rest=0.5,
    )


def _dial(
    rng: Rng, look: Look, scale: Scale, fraction: float, numeral: float, prints: tuple[Print, ...], **more: object
) -> DialSpec:
    """A round dial in the cluster's look; `numeral` is the numbers' size."""
    reach = 100.0 - look.bezel - 3.0
    longest = max(len(f"{v:g}") for v in scale.majors())
    major = between(rng, 9, 13)
    art = ScaleArt(
        radius=reach,
        major_length=major,
        minor_length=major * between(rng, 0.45, 0.65),
        major_width=between(rng, 1.8, 3.0),
        minor_width=between(rng, 0.7, 1.2),
        numeral_radius=reach - major - 3.0 - 0.36 * numeral - 0.18 * numeral * longest,
        numeral_size=numeral,
        color=look.ink,
        font=look.font,
        arc=look.arc,
        arc_width=1.2,
    )
    hub = between(rng, 14, 22)
    length = reach - major * between(rng, 0.1, 0.9)
    needle = Needle(
        length=length,
        width=look.wide_needle,
        tip_width=look.wide_needle * 0.45,
        tail=0.0,
        tail_width=0.0,
        shape="taper",
        tail_shape="none",
        color=look.hand,
        hub=hub,
        hub_color=look.hub,
        cap=hub * 0.55 if chance(rng, 0.4) else 0.0,
        cap_color=gray(rng, 20, 120),
        height=2.5,
    )
    case = Case("round", look.bezel, look.rim, "flat" if not look.flat else "none", 0.0, look.board, recess=0.0)
    return DialSpec(
        case=case,
        face_color=look.face,
        pivot=(0.0, 0.0),
        scale=scale,
        art=art,
        needle=needle,
        fraction=fraction,
        prints=prints,
        glass=between(rng, 0.1, 0.5),
    )


def _fraction(rng: Rng, look: Look) -> float:
    return float(rng.normal(0, 0.004)) if chance(rng, look.rest) else between(rng, 0.02, 0.95)


def _sweep(rng: Rng) -> tuple[float, float]:
    sweep = pick(rng, (230.0, 240.0, 250.0, 260.0, 270.0))
    start = 180.0 - sweep / 2
    return (start if chance(rng, 0.7) else start - between(rng, 0, 45)) % 360.0, sweep


def sample_speedometer(rng: Rng, look: Look) -> DialSpec:
    """Miles or kilometres an hour; miles often carry kilometres on a smaller ring within."""
    start, sweep = _sweep(rng)
    miles = chance(rng, 0.5)
    top = pick(rng, (120.0, 140.0, 160.0, 160.0)) if miles else pick(rng, (180.0, 200.0, 220.0, 240.0, 260.0))
    unit, text = ("mph", pick(rng, ("MPH", "mph"))) if miles else ("km/h", "km/h")
    minors = pick(rng, (2, 4))
    if miles and top == 120.0 and chance(rng, 0.5):
        scale = Scale(0, top, 10.0, 2, start, sweep, unit=unit, unit_text=text)
    else:
        scale = Scale(0, top, 20.0, minors, start, sweep, unit=unit, unit_text=text)
    count = len(scale.majors())
    y = pick(rng, (34.0, -34.0))
    prints = (Print(text, 0.0, y, 9.5, look.font, look.ink, declares=unit),)
    spec = _dial(rng, look, scale, _fraction(rng, look), 15.0 if count < 10 else 11.0, prints)
    if miles and chance(rng, 0.65):
        inner = float(math.floor(top * 1.609344 / 20) * 20)
        part = inner / (top * 1.609344)
        second = Scale(0, inner, 20.0, 2, start, sweep * part, unit="km/h", unit_text="km/h")
        art = spec.art
        radius = art.numeral_radius - art.numeral_size * 0.85 - 6
        small = replace(
            art,
            radius=radius,
            major_length=3.5,
            minor_length=2.0,
            major_width=1.0,
            minor_width=0.5,
            numeral_radius=radius - 9.5,
            numeral_size=6.0,
            arc=False,
            color=near(rng, HUES["orange"], 10) if chance(rng, 0.3) and not look.night else look.ink,
        )
        line = Print(
            "km/h", 0.0, y + (9.0 if y > 0 else -9.0), 5.5, look.font, small.color, declares="km/h", declares_second=True
        )
        spec = replace(spec, second=(second, small), prints=(*prints, line))
    return spec


def sample_tachometer(rng: Rng, look: Look) -> DialSpec:
    start, sweep = _sweep(rng)
    top = pick(rng, (6.0, 7.0, 8.0, 8.0, 9.0))
    text = pick(rng, ("x1000 r/min", "RPM x1000", "1/min x1000", "x1000rpm"))
    scale = Scale(0, top, 1.0, pick(rng, (2, 4, 5)), start, sweep, unit="r/min", unit_text=text, multiplier=1000.0)
    prints = (Print(text, 0.0, pick(rng, (36.0, -34.0)), 7.5, look.font, look.ink, declares="r/min"),)
    fraction = _fraction(rng, look)
    if chance(rng, 0.35):
        fraction = between(rng, 0.6, 1.1) / top  # idling
    spec = _dial(rng, look, scale, fraction, 16.0, prints)
    red = top - pick(rng, (1.0, 1.5, 2.0))
    inner = spec.art.radius - spec.art.major_length * between(rng, 0.3, 1.0)
    zone = Zone(scale.fraction_of(red), 1.0, inner, spec.art.radius, near(rng, HUES["red"], 12))
    return replace(spec, zones=(zone,)) if chance(rng, 0.85) else spec


def sample_small_dial(rng: Rng, look: Look, fuel: bool) -> DialSpec:
    """Fuel from empty to full, or the coolant's temperature, on a short arc."""
    sweep = pick(rng, (80.0, 90.0, 100.0, 120.0))
    start, clockwise = 180.0 - sweep / 2, chance(rng, 0.9)
    if not clockwise:
        start = 180.0 + sweep / 2
    if fuel:
        scale = Scale(0, 1, 0.5, pick(rng, (2, 4)), start, sweep, clockwise)
    elif chance(rng, 0.7):
        scale = Scale(50, 130, 40, 4, start, sweep, clockwise, unit="°C", unit_text="°C")
    else:
        scale = Scale(100, 260, 80, 4, start, sweep, clockwise, unit="°F", unit_text="°F")
    spec = _dial(rng, look, scale, between(rng, 0.03, 0.97), 20.0, ())
    radius = spec.art.numeral_radius - 6.0
    art = replace(spec.art, numeral_radius=radius, numerals_at=(0.0, 1.0) if fuel else (), short=True)
    lines: list[Print] = []
    if fuel:
        lines.append(Print("FUEL", 0.0, 40.0, 12.0, look.font, look.ink))
        lines.append(Print("1/2", 0.0, -radius, 13.0, look.font, look.ink))
        if chance(rng, 0.6):  # the letters stand below the numbers
            places = [polar((0.0, 0.0), radius - 1.0, a + turn) for a, turn in ((scale.start_deg, -34), (scale.end_deg, 34))]
            if not clockwise:
                places = [polar((0.0, 0.0), radius - 1.0, a + turn) for a, turn in ((scale.start_deg, 34), (scale.end_deg, -34))]
            lines += [Print(t, *spot, 18.0, look.font, look.ink) for t, spot in zip(("E", "F"), places, strict=True)]
    else:
        lines.append(Print(scale.unit_text or "", 0.0, 40.0, 15.0, SYMBOL_SAFE, look.ink, declares=scale.unit))
        art = replace(art, numeral_size=17.0)
    return replace(
        spec, art=art, prints=tuple(lines), needle=replace(spec.needle, length=spec.art.radius * 0.92, width=7.0, tip_width=3.0)
    )


def sample_odometer(rng: Rng, look: Look, wide: float, tall: float) -> DigitalSpec:
    """The odometer's window: the whole distance, often the trip's below or beside."""
    amber = (255, 130, 40)
    ink = look.ink if look.night else pick(rng, (amber, (235, 245, 240), (120, 200, 255), (20, 24, 20)))
    dark = sum(ink) < 150
    window = (150, 160, 140) if dark else (int(ink[0] * 0.06) + 6, int(ink[1] * 0.06) + 6, int(ink[2] * 0.06) + 8)
    distance = int(10 ** between(rng, 2, 5.6))
    rows = [DisplayRow(f"{distance:06d}" if chance(rng, 0.6) else str(distance))]
    if tall > 0.4 * wide:
        lead = "A" if chance(rng, 0.3) else ""
        rows.append(DisplayRow(f"{between(rng, 0, 999):.1f}", lead, height=0.8, label="TRIP", label_shown=False))
    return DigitalSpec(
        case=Case("square", 1.0, look.board, "none", 0.0, look.board, tall / wide, 2.0, recess=0.0),
        rows=tuple(rows),
        window=(-98.0, -98.0 * tall / wide, 98.0, 98.0 * tall / wide),
        window_color=window,
        digit_color=ink,
        led=not dark,
        slant=between(rng, 0, 0.12),
        stroke=between(rng, 0.09, 0.13),
        gap=between(rng, 0.005, 0.02),
        ghost=between(rng, 0.0, 0.08),
        bare=True,
        frame=between(rng, 0, 3),
        frame_color=look.board,
        fill=0.72,
        align_right=True,
    )
