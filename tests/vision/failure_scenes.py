"""Pictures of the ways in which instrument readers are reported to fail, drawn on the spot, each with its truth."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from synth.devices import CounterSpec, DigitalSpec, DisplayRow, Distractor, InstrumentSpec
from synth.flat import render
from synth.fonts import SANS
from synth.models import model_dial
from synth.sample_further import converted
from synth.sample_scale import fit_numerals
from synth.scene import Background, Camera, GaugeScene, Light, Placed, PlacedThing, Pose, Wear
from synth.spec import Case, DialSpec, Hand, Needle, Print, Scale, ScaleArt, Zone
from vision.samples import PhotoTruth

SIDE = 480
SEED = 1_900_000_000
BLACK, RED, WHITE = (20, 20, 22), (200, 30, 30), (240, 240, 238)
NEEDLE = Needle(72.0, 4.5, 1.2, 22.0, 6.0, "taper", "flare", BLACK, 6.0, BLACK)


class Shot(NamedTuple):
    """A picture's file and what is true of it. `clear`: any careful reader gets it right; else abstaining is right too.

    `shows_value` False: there is nothing to be read, and any value is made up.
    """

    data: bytes
    truth: PhotoTruth
    clear: bool = True
    shows_value: bool = True


def bar_scale(high: float = 10.0, **changes: Any) -> Scale:
    """0 to `high` bar over 270 degrees, ten intervals of five."""
    values: dict[str, Any] = {"minimum": 0.0, "maximum": high, "major_step": high / 10, "minors": 5, "start_deg": 45.0}
    values |= {"sweep_deg": 270.0, "unit": "bar", "unit_text": "bar"}
    return Scale(**(values | changes))


def dial(scale: Scale | None = None, at: float = 6.4, *, needle: Needle = NEEDLE, **changes: Any) -> DialSpec:
    """A plain round dial with its needle at the value `at`."""
    scale = scale or bar_scale()
    rng = np.random.default_rng(SEED)
    base = model_dial(rng, "XYZ-2000", 0.5, dark=False)
    art = replace(base.art, font=SANS[0], arc=True, numeral_size=13.0, numeral_radius=0.0, numeral_gap=3.0, short=True)
    base = replace(base, scale=scale, art=fit_numerals(rng, scale, art, even=True), needle=needle, model=None, glass=0.3)
    base = replace(base, fraction=scale.fraction_of(at), prints=unit_print(scale, base.art), stop_pin=False, skirt=None)
    return replace(base, **changes)


def unit_print(scale: Scale, art: ScaleArt, y: float = 30.0) -> tuple[Print, ...]:
    """The unit below the pivot, where the scale has one, and its multiplier."""
    if scale.unit_text is None:
        return ()
    factor = "" if scale.multiplier is None else f"×{scale.multiplier:g} "
    return (Print(f"{factor}{scale.unit_text}", 0.0, y, 15, art.font, art.color, declares=scale.unit),)


def panel_meter(**changes: Any) -> DialSpec:
    """The square voltmeter with its pivot near the lower edge, at 165 V."""
    rng = np.random.default_rng(SEED + 1)
    base = model_dial(rng, "VM-48", 0.55, dark=False)
    return replace(base, needle=replace(base.needle, color=BLACK, width=2.5), skirt=None, **changes)


def quadrant() -> DialSpec:
    """A square meter with its pivot in the lower right corner and an arc of 90 degrees, at 32 A."""
    rng = np.random.default_rng(SEED + 2)
    scale = Scale(0, 50, 10, 5, 90.0, 90.0, unit="A", unit_text="A")
    base = panel_meter(scale=scale, pivot=(66.0, 66.0), fraction=0.64, model=None)
    art = replace(base.art, radius=128.0, numeral_radius=0.0, numeral_gap=4.0, numeral_size=15.0)
    art = fit_numerals(rng, scale, art, even=True)
    needle = replace(base.needle, length=118.0, tail=0.0, tail_shape="none", width=3.0)
    return replace(base, art=art, needle=needle, prints=(Print("A", 15.0, 25.0, 20, art.font, art.color, declares="A"),))


def display(digits: str, unit: str | None = "bar", *, led: bool = True, comma: bool = False) -> DigitalSpec:
    """A panel meter with one row of seven-segment digits."""
    case = Case("square", 4.0, (40, 40, 44), "flat", 25, (30, 30, 32), 0.5, 5.0, recess=3.0)
    row = DisplayRow(digits, unit=unit, unit_text=unit, comma=comma)
    back, ink = ((18, 12, 12), (255, 50, 35)) if led else ((168, 182, 152), (20, 26, 22))
    return DigitalSpec(case, (row,), (-84.0, -32.0, 84.0, 32.0), back, ink, led, 0.08, 0.125, 0.012, 0.05)


def counter(digits: str, decimals: int = 0, shift: float = 0.0) -> CounterSpec:
    """A boxed drum counter in m³."""
    case = Case("square", 5.0, (90, 90, 95), "flat", 25, (60, 60, 62), 0.5, 5.0, recess=3.0)
    prints = (Print("m³", 0.0, 32.0, 12, SANS[0], BLACK, declares="m3"),)
    return CounterSpec(case, digits, decimals, shift, BLACK, WHITE, RED, "m3", SANS[0], prints)


def scene(*specs: InstrumentSpec, fill: float = 0.78, **changes: Any) -> GaugeScene:
    """The instruments in plain light before a wall: one in the middle, two side by side. `pose` changes each pose."""
    pose = changes.pop("pose", {})
    across = 1 if len(specs) == 1 else 2
    radius = SIDE / across * fill / 2
    centers = [(SIDE * (index + 0.5) / across, SIDE / 2) for index in range(len(specs))]
    placed = tuple(
        Placed(spec, Pose(center, radius, **{"tilt_y_deg": 4.0, **pose})) for spec, center in zip(specs, centers, strict=True)
    )
    base = GaugeScene(
        SIDE, SIDE, SEED, Background("wall", 4), placed, light=Light(shadow=0.3, shade=0.15), camera=Camera(noise=1.0)
    )
    return replace(base, **changes)


def jpeg(image: Any, **options: Any) -> bytes:
    """A picture as JPEG."""
    out = io.BytesIO()
    Image.fromarray(np.asarray(image)).save(out, "JPEG", quality=93, **options)
    return out.getvalue()


def shoot(picture: GaugeScene, **more: Any) -> Shot:
    """The picture of a scene with the scene's truth."""
    return Shot(jpeg(render(picture)), picture.truth(), **more)


def no_needle(spec: DialSpec) -> Shot:
    """A face whose needle is gone: nothing shows a value."""
    gone = replace(
        spec.needle, length=1.0, width=0.1, tip_width=0.1, tail=0.0, tail_shape="none", hub=0.1, cap=0.0, color=spec.face_color
    )
    picture = scene(replace(spec, needle=gone), light=Light(shadow=0.0, shade=0.1))
    return shoot(picture, clear=False, shows_value=False)


def exif_rotated() -> Shot:
    """A phone's picture, stored lying and marked as to be turned by its EXIF orientation 6."""
    picture = scene(dial(at=3.2))
    exif = Image.Exif()
    exif[0x0112] = 6
    return Shot(jpeg(np.rot90(render(picture)), exif=exif), picture.truth())


def two_scales() -> Shot:
    """Bar outside, psi inside in red: the number must not come from the other one's row."""
    rng = np.random.default_rng(SEED + 3)
    spec = dial(at=4.4)
    psi = converted(rng, spec.scale, "psi", 14.5038)
    inner = replace(spec.art, radius=0.55 * spec.art.radius, numeral_size=8.0, color=RED, arc=True, numeral_radius=0.0)
    second = (psi, fit_numerals(rng, psi, replace(inner, numeral_gap=2.0, major_length=6.0, minor_length=3.5), even=True))
    words = (*spec.prints, Print("psi", 0.0, -20.0, 9, spec.art.font, RED, declares="psi", declares_second=True))
    return shoot(scene(replace(spec, second=second, prints=words), fill=0.92))


def hand(fraction: float, label: Any, color: Any, name: str) -> Hand:
    """A further hand, thinner and shorter than the measuring needle."""
    needle = replace(NEEDLE, length=60.0, width=2.0, tail=0.0, tail_shape="none", color=color, hub=3.0, hub_color=color)
    return Hand(needle, fraction, label, name, above=False)


def empty(background: Any, *things: Distractor) -> Shot:
    """A photo without any instrument."""
    placed = tuple(PlacedThing(thing, Pose((SIDE / 2, SIDE / 2), 0.3 * SIDE)) for thing in things)
    picture = GaugeScene(SIDE, SIDE, SEED, Background(background, 5), things=placed)
    return shoot(picture, clear=False, shows_value=False)


def noise() -> Shot:
    rng = np.random.default_rng(SEED)
    return Shot(jpeg(rng.integers(0, 255, (SIDE, SIDE, 3), dtype=np.uint8)), PhotoTruth(), clear=False, shows_value=False)


def line_on_face() -> Shot:
    """A black line printed from hub to rim, as long as the needle and away from it."""
    spec = dial(at=6.4)
    line = Zone(0.2, 0.204, 8.0, 0.8 * spec.art.radius, BLACK)
    return shoot(scene(replace(spec, zones=(line,))))


def no_unit() -> Shot:
    return shoot(scene(dial(bar_scale(unit=None, unit_text=None), at=5.6)))


SMALL = Scale(0.0, 0.1, 0.02, 5, 45.0, 270.0, unit="MPa", unit_text="MPa")
KNOTS = ((0.0, 0.0), (0.1, 0.03), (1.0, 1.0))
SHOTS: dict[str, Callable[[], Shot]] = {
    "plain": lambda: shoot(scene(dial())),
    "180-degree flip": lambda: shoot(scene(dial(at=2.6, needle=replace(NEEDLE, tail=40.0, tail_width=13.0, tail_shape="block")))),
    "counterweight": lambda: shoot(scene(dial(at=7.8, needle=replace(NEEDLE, tail=30.0, tail_width=14.0, tail_shape="round")))),
    "LED ring reflected": lambda: shoot(scene(dial(at=4.2, glass=1.0), light=Light(ring=1.0))),
    "upside down": lambda: shoot(scene(dial(at=3.0), pose={"roll_deg": 180.0})),
    "on its side": lambda: shoot(scene(dial(at=3.0), pose={"roll_deg": 90.0})),
    "needle crossing zero": lambda: shoot(scene(dial(bar_scale(start_deg=200.0, sweep_deg=300.0), at=6.1))),
    "needle below zero": lambda: shoot(scene(dial(at=-0.15)), clear=False),
    "counter-clockwise": lambda: shoot(scene(dial(bar_scale(start_deg=315.0, clockwise=False), at=6.6))),
    "off-centre pivot seen from the side": lambda: shoot(
        scene(dial(at=4.6, pivot=(6.0, 12.0), needle=replace(NEEDLE, height=8.0, length=60.0)), pose={"tilt_x_deg": 30.0}),
        clear=False,
    ),
    "faint needle": lambda: shoot(
        scene(dial(at=7.2, needle=replace(NEEDLE, color=(206, 206, 202), hub_color=(200, 200, 198), width=3.0))), clear=False
    ),
    "condensation": lambda: shoot(scene(dial(at=3.8), wear=Wear(fog=0.7, drops=0.7)), clear=False),
    "bubble in the liquid": lambda: shoot(scene(dial(at=3.8), wear=Wear(liquid=True))),
    "scratched glass": lambda: shoot(scene(dial(at=3.8), wear=Wear(scratches=14, dirt=0.5)), clear=False),
    "four ticks instead of five": lambda: shoot(scene(dial(bar_scale(minors=4), at=6.25))),
    "face without needle": lambda: no_needle(dial()),
    "another face without needle": lambda: no_needle(dial(bar_scale(16.0, major_step=2.0, minors=4), at=8.0)),
    "0.04 of 0.1": lambda: shoot(scene(dial(SMALL, at=0.04))),
    "0.4 of 1": lambda: shoot(scene(dial(bar_scale(1.0, major_step=0.2, minors=4), at=0.4))),
    "square panel meter": lambda: shoot(scene(panel_meter())),
    "quadrant meter": lambda: shoot(scene(quadrant())),
    "short first interval": lambda: shoot(scene(dial(bar_scale(knots=KNOTS), at=4.4))),
    "square-root scale": lambda: shoot(scene(dial(bar_scale(exponent=1.7, unit="L/min", unit_text="L/min"), at=7.3))),
    "line on the face": line_on_face,
    "blank photo": lambda: Shot(jpeg(np.full((SIDE, SIDE, 3), 245, np.uint8)), PhotoTruth(), clear=False, shows_value=False),
    "noise": noise,
    "a clock": lambda: empty("room", Distractor("clock", 3)),
    "a wheel among machinery": lambda: empty("machinery", Distractor("wheel", 4)),
    "199": lambda: shoot(scene(display("199", "V"))),
    "a single 1": lambda: shoot(scene(display("1", "A"))),
    "minus and point": lambda: shoot(scene(display("-12.4", "°C", led=False))),
    "leading zero and point": lambda: shoot(scene(display("0.04"))),
    "glare on a display": lambda: shoot(
        scene(display("188.6", led=False), light=Light(glare=0.9, glare_count=2, flash=True)), clear=False
    ),
    "decimal comma": lambda: shoot(scene(display("12.5", "°C", led=False, comma=True))),
    "digit in mid-roll": lambda: shoot(scene(counter("004172", shift=0.5))),
    "carry of three drums": lambda: shoot(scene(counter("001999", shift=0.7)), clear=False),
    "no unit printed": no_unit,
    "two scales": two_scales,
    "set point and maximum hands": lambda: shoot(
        scene(dial(at=3.4, hands=(hand(0.8, "set", RED, "red"), hand(0.55, "max", (40, 150, 70), "green"))))
    ),
    "two instruments": lambda: shoot(scene(dial(at=2.2), dial(bar_scale(6.0, major_step=1.0), at=4.6))),
    "x1000 r/min": lambda: shoot(
        scene(dial(bar_scale(8.0, major_step=1.0, unit="r/min", unit_text="r/min", multiplier=1000.0), at=5.2))
    ),
    "EXIF orientation": exif_rotated,
    "far away": lambda: shoot(scene(dial(at=6.4), fill=0.06), clear=False),
}
"""Reported failures by name; what is drawn for each."""
