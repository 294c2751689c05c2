"""Dials: what kinds there are, and how a face of each kind is made up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from synth import kinds_electric, kinds_other, kinds_pressure
from synth.draft import Draft
from synth.draw import HUES, Rng, between, chance, gray, near, pick, weighted
from synth.fonts import BOLD, SANS, SERIF
from synth.recipe import DialOptions, Recipe
from synth.sample_case import Layout, sample_case, sample_colors, sample_layout
from synth.sample_face import sample_face
from synth.sample_further import sample_further, sample_vacuum, vacuum_art
from synth.sample_hands import sample_hands, sample_needle
from synth.sample_print import sample_prints
from synth.sample_scale import Fixed, fit_numerals, numeral_room, sample_art, sample_fraction, sample_scale
from synth.sample_zones import arc_band, arc_words, limit_line, rails, sample_zones, value_zones, wedge
from synth.spec import Color, DialSpec, Print, Scale, ScaleArt, Zone

PRESSURE = {
    "MPa": 0.24,
    "bar": 0.24,
    "psi": 0.22,
    "kPa": 0.09,
    "kgf/cm2": 0.07,
    "mbar": 0.03,
    "inHg": 0.03,
    "mmHg": 0.02,
    "Pa": 0.02,
    "mmH2O": 0.01,
    "inH2O": 0.02,
    "ft": 0.01,
}
TEMPERATURE = {"°C": 0.75, "°F": 0.22, "% RH": 0.03}
ELECTRIC = {"V": 0.24, "A": 0.26, "mA": 0.12, "kV": 0.12, "kA": 0.05, "mV": 0.04, "Hz": 0.08, "kW": 0.06, "%": 0.03}
AUTOMOTIVE = {"km/h": 0.16, "mph": 0.14, "r/min": 0.2, "psi": 0.18, "bar": 0.1, "°C": 0.06, "°F": 0.06, "V": 0.06, "kn": 0.04}
OTHER = {"L/min": 0.15, "m3/h": 0.1, "gpm": 0.1, "%": 0.15, "% RH": 0.15, "cc": 0.1, "r/min": 0.15, "Pa": 0.1}
UNITS = {
    "pressure": PRESSURE,
    "thermometer": TEMPERATURE,
    "transformer": TEMPERATURE,
    "panel": ELECTRIC,
    "quadrant": ELECTRIC,
    "automotive": AUTOMOTIVE,
}
KINDS: dict[str, Callable[[Rng, DialOptions], Draft]] = {
    "compound": kinds_pressure.compound,
    "vacuum": kinds_pressure.vacuum,
    "differential": kinds_pressure.differential,
    "contact": kinds_pressure.contact,
    "status": kinds_pressure.status,
    "flow": kinds_pressure.flow,
    "level": kinds_pressure.level,
    "hygrometer": kinds_other.hygrometer,
    "barometer": kinds_other.barometer,
    "airspeed": kinds_other.airspeed,
    "oven": kinds_other.oven,
    "moving_iron": kinds_electric.moving_iron,
    "logarithmic": kinds_electric.logarithmic,
    "speedometer": kinds_other.speedometer,
    "tachometer": kinds_other.tachometer,
    "gas": kinds_electric.gas,
}
"""Kinds that fix more than a family does; the other styles of a recipe are families (`_general`)."""


def sample_dial(rng: Rng, recipe: Recipe) -> DialSpec:
    """A dial of a random style."""
    style = weighted(rng, recipe.dial_styles)
    options = recipe.dial
    draft = KINDS[style](rng, options) if style in KINDS else _general(rng, style, options)
    if style in KINDS and chance(rng, 0.6 * options.no_unit):
        draft = replace(draft, scale=replace(draft.scale, unit=None, unit_text=None), further=0.0)
    return draw_up(rng, draft, options)


def _general(rng: Rng, style: str, options: DialOptions) -> Draft:
    """Any range of a unit of the family."""
    case = sample_case(rng, style)
    layout = sample_layout(rng, style, case, options)._replace(large=style == "transformer" and chance(rng, 0.7))
    scale = sample_scale(rng, weighted(rng, UNITS.get(style) or pick(rng, (AUTOMOTIVE, OTHER, PRESSURE))), layout, options)
    draft = Draft(style, case, layout, scale)
    if style == "pressure" and chance(rng, options.vacuum_side):
        right, left = sample_vacuum(rng, scale)
        return replace(draft, scale=right, side=left)
    if style in ("pressure", "thermometer", "automotive"):
        return replace(draft, further=options.second_scale, third=options.third_scale)
    if style == "transformer" and chance(rng, 0.5) and scale.is_linear and len(majors := scale.majors()) <= 9:
        ends, middle = pick(rng, ((1.35, 0.85), (0.8, 1.1), (1.2, 0.75), (1.0, 1.3)))
        sizes = tuple(ends if i in (0, len(majors) - 1) else middle for i in range(len(majors)))
        return replace(draft, numerals_at=majors, sizes=sizes)
    return draft


def draw_up(rng: Rng, draft: Draft, options: DialOptions) -> DialSpec:
    """The whole face of a draft: colours, ticks and numbers, arcs, further scales, hands and print."""
    style, case, layout, scale = draft.base, draft.case, draft.layout, draft.scale
    own = {"transformer": 0.85, "automotive": 0.7, "wild": 0.5}.get(style, options.dark_face * 0.6)
    face, ink = sample_colors(rng, chance(rng, own if draft.dark is None else draft.dark), style)
    font = pick(rng, BOLD if style in ("transformer", "automotive") or chance(rng, 0.35) else SANS)
    if chance(rng, 0.07):
        font = pick(rng, SERIF)
    art = _art(rng, draft, font, ink)
    second = third = None
    if draft.side is not None:
        second = draft.side, vacuum_art(rng, draft.side, art, ink)
    elif chance(rng, draft.further):
        art, further_scales = sample_further(rng, scale, art, ink, draft.third)
        second, third = (*further_scales, None, None)[:2]
    needle = sample_needle(rng, style, art, face, ink)
    zones, words = _arcs(rng, draft, art, second, options, font, ink)
    fraction = sample_fraction(rng, scale, options.at_rest if draft.rest is None else draft.rest)
    share = options.set_hand * (4.0 if style == "transformer" else 1.0) if draft.hands is None else draft.hands
    skirted = style in ("panel", "edge") and chance(rng, 0.55)
    cornered = style == "quadrant" and chance(rng, 0.55)
    spec = DialSpec(
        case=case,
        face_color=face,
        pivot=layout.pivot,
        scale=scale,
        art=art,
        needle=needle,
        fraction=fraction,
        second=second,
        third=third,
        zones=zones,
        hands=sample_hands(rng, needle, art, scale, share, fraction, 3 if style == "transformer" else 2),
        screws=_screws(rng, layout, style),
        skirt=layout.pivot[1] - between(rng, 2, 18) if skirted else None,
        cover=between(rng, 8, 45) if cornered else 0.0,
        skirt_color=gray(rng, 10, 60) if chance(rng, 0.6) else gray(rng, 120, 230),
        stop_pin=fraction <= 0.02 and chance(rng, 0.4),
        reset_knob=between(rng, 14, 26) if chance(rng, 0.35 if style == "transformer" else 0.02) else 0.0,
        glass=between(rng, 0.2, 1.0),
    )
    # Print finds its room around what is there; words over the scale are there first.
    spec = replace(spec, look=sample_face(rng, spec, style), prints=words)
    return replace(spec, prints=(*words, *sample_prints(rng, spec, style)))


def _art(rng: Rng, draft: Draft, font: str, ink: Color) -> ScaleArt:
    fixed = Fixed(draft.numerals_at, draft.sizes, draft.size, draft.unsigned, draft.plus)
    art = sample_art(rng, draft.scale, draft.layout, draft.base, font, ink, fixed if draft.fixes_print else None)
    if draft.blocks:
        length = between(rng, 7, 12)
        wide = length * between(rng, 0.5, 1.0)
        art = replace(
            art, major_length=length, minor_length=length * 0.5, major_width=wide, minor_width=wide * 0.4, end_extra=0.0
        )
        art = fit_numerals(rng, draft.scale, replace(art, arc=False, dotted=False, inward=True, numeral_gap=2.0), even=False)
    return art


def _arcs(
    rng: Rng, draft: Draft, art: ScaleArt, second: tuple[Scale, ScaleArt] | None, options: DialOptions, font: str, ink: Color
) -> tuple[tuple[Zone, ...], tuple[Print, ...]]:
    """Coloured arcs, double arcs and the limit line, and the words over parts of the scale."""
    scale, style = draft.scale, draft.base
    zones: tuple[Zone, ...] = ()
    if draft.arcs:
        inner, outer = arc_band(rng, scale, art, "ticks" if second is not None else draft.place)
        zones = value_zones(rng, scale, draft.arcs, inner, outer)
    elif chance(rng, options.zones * (0.5 if draft.rest is not None else 1.0)) or (style == "edge" and chance(rng, 0.4)):
        zones = sample_zones(rng, scale, art, style)
    if style == "pressure" and chance(rng, 0.08):
        zones = (*zones, limit_line(rng, scale, art, near(rng, HUES["red"], 12)))
    if not draft.blocks and chance(rng, options.rails):
        zones = (*rails(rng, scale, art), *zones)
    elif style == "wild" and not zones and chance(rng, 0.12):
        room = numeral_room(scale, art)
        zones = wedge(scale, room - between(rng, 6, 10), 5.5, ink if chance(rng, 0.4) else near(rng, HUES["red"], 15))
    # Broad arcs carry their own words, and a second scale stands where words would.
    if not draft.words or second is not None or any(zone.outer - zone.inner >= 4.0 for zone in zones):
        return zones, ()
    size = between(rng, 5, 8)
    radius = numeral_room(scale, art) - 0.8 * size
    low = min((zone.inner for zone in zones if zone.outer < art.radius - art.major_length), default=radius + 0.7 * size)
    return zones, arc_words(scale, draft.words, min(radius, low - 0.7 * size), size, font, ink, draft.layout.pivot)


def _screws(rng: Rng, layout: Layout, style: str) -> tuple[tuple[float, float, float], ...]:
    if style in ("panel", "quadrant") and chance(rng, 0.4):
        return ((layout.pivot[0], min(80.0, layout.pivot[1] + 12), between(rng, 4, 8)),)
    if chance(rng, 0.4):
        gap, y, size = between(rng, 10, 26), between(rng, 15, 45), between(rng, 2, 5)
        return ((-gap, y, size), (gap, y, size))
    return ()
