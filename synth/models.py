"""The demonstration models whose manuals the product ships: fixed scales, everything else varies.

XYZ-2000: 0..120 MPa over 300 degrees from 30, so reading = (angle - 30) / 2.5 MPa; with lamp, selector, nameplate.
BT-160: bimetal thermometer; VM-48: square panel voltmeter; DG-30: pressure display; SP-3: lamp; RS-5: selector.
"""

from __future__ import annotations

from dataclasses import replace

from synth.devices import DigitalSpec, DisplayRow, InstrumentSpec
from synth.dial import number_text
from synth.draw import HUES, Rng, between, chance, gray, near, pick
from synth.fonts import BOLD, SANS
from synth.recipe import Recipe
from synth.sample_digital import sample_digital
from synth.sample_hands import sample_needle
from synth.sample_other import sample_lamp, sample_selector
from synth.sample_scale import sample_fraction
from synth.spec import Case, Color, DialSpec, Print, Scale, ScaleArt

XYZ_2000 = "XYZ-2000"
SCALES: dict[str, Scale] = {
    XYZ_2000: Scale(0, 120, 20, 10, 30.0, 300.0, unit="MPa", unit_text="MPa"),
    "BT-160": Scale(0, 160, 20, 10, 45.0, 270.0, unit="°C", unit_text="°C"),
    "VM-48": Scale(0, 300, 50, 5, 135.0, 90.0, unit="V", unit_text="V"),
}
MODELS = (*SCALES, "DG-30", "SP-3", "RS-5")
WORDS = {XYZ_2000: "PRESSURE GAUGE", "BT-160": "BIMETAL THERMOMETER", "VM-48": "VOLTMETER"}


def sample_model(rng: Rng, name: str, recipe: Recipe) -> InstrumentSpec:
    """An instrument of a demonstration model that prints its model name."""
    if name == "DG-30":
        return _display(rng)
    if name == "SP-3":
        return sample_lamp(rng, model=name)
    if name == "RS-5":
        return sample_selector(rng, model=name)
    return model_dial(rng, name, sample_fraction(rng, SCALES[name], recipe.dial.at_rest))


def _display(rng: Rng) -> DigitalSpec:
    base = sample_digital(rng)
    case = Case(
        "square",
        3.0,
        gray(rng, 15, 60) if chance(rng, 0.5) else gray(rng, 190, 240),
        "flat",
        30,
        gray(rng, 10, 80),
        0.7,
        8.0,
        recess=4.0,
    )
    digits = f"{between(rng, 0, 30):.2f}" if chance(rng, 0.7) else f"{between(rng, -1, 30):.1f}"
    ink: Color = gray(rng, 10, 50) if sum(case.bezel_color) > 380 else gray(rng, 210, 250)
    name = Print("DG-30", -40.0, 56.0, 15, pick(rng, BOLD), ink)
    maker = Print("DIGITAL PRESSURE", 28.0, 56.0, 10, pick(rng, SANS), ink)
    row = DisplayRow(digits, "", "bar", "bar")
    return replace(
        base,
        case=case,
        rows=(row,),
        window=(-86.0, -56.0, 86.0, 36.0),
        prints=(name, maker),
        buttons=(),
        dots=(),
        bare=False,
        lit=True,
        icons=(),
        slots=0,
        model="DG-30",
    )


def model_dial(rng: Rng, name: str, fraction: float, dark: bool | None = None) -> DialSpec:
    """The dial of XYZ-2000, BT-160 or VM-48 with its needle at `fraction` of the sweep."""
    scale = SCALES[name]
    square = name == "VM-48"
    dark = chance(rng, 0.12) if dark is None else dark
    face, ink = (gray(rng, 12, 40), gray(rng, 225, 250)) if dark else (gray(rng, 232, 250), gray(rng, 8, 35))
    bezel = between(rng, 6, 12)
    case = Case(
        shape="square" if square else "round",
        bezel=bezel,
        bezel_color=gray(rng, 10, 40) if square or chance(rng, 0.3) else gray(rng, 160, 220),
        bezel_style="flat" if square else pick(rng, ("metal", "metal", "stepped")),
        depth=between(rng, 20, 45),
        side_color=gray(rng, 20, 90),
        corner=between(rng, 2, 8),
        recess=between(rng, 2, 10),
        stem="none" if square or name == XYZ_2000 else "bottom",
    )
    radius = 112.0 if square else (100 - bezel) * between(rng, 0.88, 0.95)
    pivot = (0.0, 48.0) if square else (0.0, 0.0)
    size = between(rng, 12, 15)
    longest = max(len(number_text(v, scale.major_step)) for v in scale.majors())
    art = ScaleArt(
        radius=radius,
        major_length=11,
        minor_length=6,
        major_width=1.8,
        minor_width=0.8,
        numeral_radius=radius - 14 - 0.35 * size - 0.15 * size * longest,
        numeral_size=size,
        color=ink,
        font=pick(rng, SANS),
        arc=chance(rng, 0.4),
    )
    needle = sample_needle(rng, "panel" if square else "pressure", art, face, ink)
    low, high = (pivot[1] - 40, pivot[1] - 24) if square else (30.0, 43.0)
    prints = [
        Print(scale.unit_text or "", 0.0, low - (14 if square else 6), 15, art.font, ink, declares=scale.unit),
        Print(name, 0.0, high, 8.5, pick(rng, BOLD), ink, frame="line" if chance(rng, 0.2) else "none"),
        Print(WORDS[name], 0.0, -34.0 if not square else pivot[1] - 48, 5.5, pick(rng, SANS), near(rng, ink, 6)),
    ]
    if chance(rng, 0.4):
        prints.append(Print("CL 1.6", 0.0, high + 12 if not square else high, 4.5, art.font, ink))
    if chance(rng, 0.15) and name == XYZ_2000:
        needle = replace(needle, color=near(rng, HUES["red"], 10))
    return DialSpec(
        case=case,
        face_color=face,
        pivot=pivot,
        scale=scale,
        art=art,
        needle=needle,
        fraction=fraction,
        prints=tuple(prints),
        stop_pin=fraction <= 0.01,
        skirt=pivot[1] - 10 if square and chance(rng, 0.5) else None,
        glass=between(rng, 0.3, 1.0),
        model=name,
    )
