"""How well an instrument can be read off its picture, 0..1: size, sharpness, contrast, what hides it.

A product of factors, each 0 where nobody could read and 1 where the factor costs nothing:
*size* of the print and the pointer against the blur they are seen through (the captured resolution's own pixels,
defocus, motion), *slant* from about 57 degrees of tilt on, *contrast* of print and pointer against their ground after
exposure, fog and noise, *sight* of what has to be seen (scale, needle, digits) inside the picture and not behind
fingers or other instruments, and *glass* for glare, dirt and drops, whose places only a renderer knows. The limits are
those of a person looking at enlarged drawings: a sharp capital of one pixel is a smudge, of two a guess helped by its
neighbours, of five no effort.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from synth.devices import CounterSpec, DigitalSpec, LampSpec, SelectorSpec
from synth.dial import numerals
from synth.display import lines
from synth.fingers import covers, finger_rng, sample_fingers
from synth.printed import CAP_HEIGHT, height_px
from synth.scene import Camera, GaugeScene, Placed
from synth.spec import Color, DialSpec, Vec, polar
from vision.fields import Kind

READABLE_FROM: dict[Kind, float] = {"dial": 0.15, "digital": 0.25, "counter": 0.15, "lamp": 0.10, "selector": 0.15}
"""Legibility below which an instrument counts as unreadable; set by looking at drawn pictures in this order."""

View = Callable[..., list[Vec]]
PIXEL_BLUR = 0.35
"""What a pixel's own area blurs, in pixels (standard deviation, with the resampling that follows)."""
Hidden = Callable[[Vec], bool]


@dataclass(frozen=True, slots=True)
class Needs:
    """What has to be seen of an instrument.

    `details` are (size in pixels, size in blurs at which it is lost, size at which it is clear); `pairs` are ink and
    ground; `marks` are pixels that have to be in sight, grouped, each group with the shares at which it is lost and
    complete.
    """

    details: tuple[tuple[float, float, float], ...]
    pairs: tuple[tuple[Color, Color], ...]
    marks: tuple[tuple[Sequence[Vec], float, float], ...]
    glass: float = 1.0


def legibility(placed: Placed, scene: GaugeScene, view: View, hidden: Hidden) -> float:
    """Legibility in 0..1 of an instrument; `hidden` says which pixels something else lies over."""
    needs = _needs(placed, view)
    camera = scene.camera
    size = min(_ramp(pixels / _blur_px(scene), lost, clear) for pixels, lost, clear in needs.details)
    contrast = min(_contrast(ink, ground, scene, needs.glass) for ink, ground in needs.pairs)
    sight = min(_sight(points, lost, clear, scene, hidden) for points, lost, clear in needs.marks)
    slant = min(max((math.cos(math.radians(placed.pose.tilt_deg)) - 0.15) / 0.4, 0.0), 1.0)
    lens = 1.0 - 0.35 * camera.rain - 0.25 * camera.moire - 0.15 * camera.banding - 0.15 * camera.grid
    return round(min(max(size * contrast * sight * slant * _glass(scene, needs.glass) * lens, 0.0), 1.0), 4)


def hidden_by(scene: GaugeScene, outlines: Sequence[Sequence[Vec]]) -> Hidden:
    """Whether a pixel lies under one of the outlines (instruments drawn later) or under a finger."""
    fingers = sample_fingers(finger_rng(scene), scene.width, scene.height) if scene.fingers else ()

    def hidden(point: Vec) -> bool:
        return any(covers(finger, point) for finger in fingers) or any(_inside(point, outline) for outline in outlines)

    return hidden


def _needs(placed: Placed, view: View) -> Needs:
    spec = placed.spec
    if isinstance(spec, DialSpec):
        return _dial(spec, view)
    if isinstance(spec, DigitalSpec):
        return _digital(spec, view)
    if isinstance(spec, CounterSpec):
        wide, high = spec.drum
        half = wide * len(spec.digits) / 2
        row = [(-half + wide * (k + 0.5), spec.middle) for k in range(len(spec.digits))]
        pixels = _smaller_px(view, (0.0, spec.middle), 0.78 * CAP_HEIGHT * high)
        return Needs(((pixels, 3.6, 18.0),), ((spec.digit_color, spec.drum_color),), ((view(row), 0.6, 1.0),))
    grid = view([polar((0.0, 0.0), radius, angle) for radius in (0.0, 35.0, 70.0) for angle in range(0, 360, 60)])
    if isinstance(spec, LampSpec):
        pixels = _smaller_px(view, (0.0, 0.0), 2 * (100.0 - spec.ring))
        return Needs(((pixels, 6.0, 24.0),), (_lamp_pair(spec),), ((grid, 0.3, 0.8),), 0.3)
    return _selector(spec, view, grid)


def _lamp_pair(spec: LampSpec) -> tuple[Color, Color]:
    """A lit lens stands out from itself unlit; that a lamp is off can be told where its ring can be seen."""
    if spec.state == "off":
        return spec.ring_color, (0, 0, 0)
    return spec.lens_color, _darker(spec.lens_color)


def _dial(spec: DialSpec, view: View) -> Needs:
    scale, art, needle = spec.scale, spec.art, spec.needle
    printed = numerals(scale, art, spec.pivot)
    places = [n.center for n in printed[:: max(1, len(printed) // 4)]] or [spec.pivot]
    text = sorted(_smaller_px(view, at, CAP_HEIGHT * art.numeral_size) for at in places)
    arc = view([polar(spec.pivot, art.radius, scale.angle_at(k / 14)) for k in range(15)])
    blade = view([polar(spec.pivot, needle.length * k / 6, spec.pointer_deg) for k in range(7)], needle.height)
    reach = math.dist(blade[0], blade[-1])
    return Needs(
        ((text[len(text) // 2], 2.5, 15.0), (reach, 9.0, 50.0)),
        ((art.numeral_color or art.color, spec.face_color), (needle.color, spec.face_color)),
        ((arc, 0.45, 0.9), (blade[2:], 0.35, 1.0)),
        spec.glass,
    )


def _digital(spec: DigitalSpec, view: View) -> Needs:
    x0, y0, x1, y1 = spec.window
    shown = [line for line in lines(spec) if spec.main is None or line.row is spec.main]
    tall = max((line.height for line in shown), default=(y1 - y0) * 0.5)
    middle = ((x0 + x1) / 2, shown[0].top + tall / 2 if shown else (y0 + y1) / 2)
    row = view([(x0 + (x1 - x0) * (k + 0.5) / 8, middle[1]) for k in range(8)])
    faded = spec.contrast if not spec.led else 1.0
    ink = _between(spec.window_color, spec.digit_color, faded)
    return Needs(((_smaller_px(view, middle, tall), 4.5, 20.0),), ((ink, spec.window_color),), ((row, 0.6, 1.0),), 0.5)


def _selector(spec: SelectorSpec, view: View, grid: list[Vec]) -> Needs:
    knob = 2 * _smaller_px(view, (0.0, 0.0), spec.knob)
    label = _smaller_px(view, polar((0.0, 0.0), 75.0, spec.angles_deg[0]), CAP_HEIGHT * spec.label_size)
    pairs = ((spec.mark_color, spec.knob_color), (spec.ink, spec.plate_color))
    return Needs(((knob, 9.0, 45.0), (label, 2.0, 12.0)), pairs, ((grid, 0.6, 1.0),), 0.2)


def _smaller_px(view: View, center: Vec, height: float) -> float:
    """The smaller of what a length measures upright and across: foreshortening in either direction costs."""
    return min(height_px(view, center, height, 0.0), height_px(view, center, height, 90.0))


def _blur_px(scene: GaugeScene) -> float:
    camera = scene.camera
    pixel = max(scene.width, scene.height) / camera.low_side if camera.low_side else 1.0
    spun = math.radians(camera.spin_deg) * max(scene.width, scene.height) * 0.25
    return math.hypot(PIXEL_BLUR * max(1.0, pixel), camera.blur_px, 0.3 * camera.motion_px, 0.3 * spun, 0.5 * camera.interlace_px)


def _contrast(ink: Color, ground: Color, scene: GaugeScene, glass: float) -> float:
    camera = scene.camera
    fog = 0.45 * scene.wear.fog * min(1.0, glass * 2)
    light = 1.0 - 0.5 * scene.light.falloff
    first, second = _seen(ink, camera, light), _seen(ground, camera, light)
    gray = camera.gray or camera.infrared
    apart = abs(_luma(first) - _luma(second)) if gray else max(abs(a - b) for a, b in zip(first, second, strict=True))
    apart *= (1.0 - fog) * (1.0 - 0.6 * camera.haze)
    return _ramp(apart / (1.0 + camera.noise / 20.0), 9.0, 75.0)


def _seen(color: Color, camera: Camera, light: float) -> tuple[float, float, float]:
    """A colour after the exposure, 0..255 a channel (`synth.camera`'s tone curve)."""
    red, green, blue = (
        255.0 * min(max(((level / 255 * light * camera.exposure) ** camera.gamma - 0.5) * camera.contrast + 0.5, 0.0) * gain, 1.0)
        for level, gain in zip(color, camera.white_balance, strict=True)
    )
    return red, green, blue


def _glass(scene: GaugeScene, glass: float) -> float:
    """Glare and dirt lie somewhere on the glass: they cost on the average of places."""
    light, wear = scene.light, scene.wear
    glare = 1.0 - (1.0 - 0.22 * light.glare * glass) ** light.glare_count
    flash = 0.2 * light.flash * min(1.0, glass * 2)
    over = glass * (0.3 * light.veil + 0.2 * light.ring) + 0.25 * wear.dirt + 0.25 * wear.dust + 0.25 * wear.drops
    return max(0.05, (1.0 - glare) * (1.0 - flash) * (1.0 - 0.3 * light.cast_shadow) * (1.0 - min(0.7, over)))


def _sight(points: Sequence[Vec], lost: float, clear: float, scene: GaugeScene, hidden: Hidden) -> float:
    seen = sum(0 <= x < scene.width and 0 <= y < scene.height and not hidden((x, y)) for x, y in points) / len(points)
    return min(max((seen - lost) / (clear - lost), 0.0), 1.0)


def _ramp(value: float, lost: float, clear: float) -> float:
    """0 at `lost` and below, 1 from `clear` on, even in the logarithm between them."""
    if value <= lost:
        return 0.0
    return min(1.0, math.log(value / lost) / math.log(clear / lost))


def _inside(point: Vec, outline: Sequence[Vec]) -> bool:
    """Even-odd rule."""
    x, y = point
    inside = False
    for (x0, y0), (x1, y1) in zip(outline, (*outline[1:], outline[0]), strict=True):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            inside = not inside
    return inside


def _luma(color: tuple[float, float, float]) -> float:
    return 0.3 * color[0] + 0.59 * color[1] + 0.11 * color[2]


def _darker(color: Color) -> Color:
    return color[0] // 3, color[1] // 3, color[2] // 3


def _between(first: Color, second: Color, part: float) -> Color:
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(first, second, strict=True))
    return red, green, blue
