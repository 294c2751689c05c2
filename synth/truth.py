"""The truth of a scene: fields, boxes and points that follow from specs and poses.

A raised needle under tilt is seen beside its place. The label is what is seen: the tip's line of sight meets the
face's plane at the apparent angle, and `value` is the scale there. The needle's own angle travels as
`true_pointer_angle`, and the value's interval reaches as far as what the needle itself stands for.
All pixels are those after the lens.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from synth.devices import CounterSpec, DigitalSpec, LampSpec, SelectorSpec
from synth.dial import needle_tip, numerals
from synth.digit_rows import counter_rows, display_rows
from synth.display import shown_prints, window_units
from synth.legibility import READABLE_FROM, hidden_by, legibility
from synth.lens import bend
from synth.look_alikes import look_alikes
from synth.printed import pose_angle, printed_units
from synth.scene import GaugeScene, Placed, Pose
from synth.spec import DialSpec, Hand, Scale, Vec, polar
from vision.fields import Box, Channel, EvidencePoints, GaugeFields, ScalePoint
from vision.samples import InstrumentTruth, Numeral, PhotoTruth, PrintedUnit
from vision.units import multiplied_unit

MIN_TOLERANCE = 0.01
"""Half width of the accepted interval as a fraction of the sweep, where half a minor tick is less."""


def photo_truth(scene: GaugeScene) -> PhotoTruth:
    instruments = tuple(_instrument(index, scene) for index in range(len(scene.instruments)))
    return PhotoTruth(instruments=instruments, look_alikes=look_alikes(scene))


def _instrument(index: int, scene: GaugeScene) -> InstrumentTruth:
    placed = scene.instruments[index]
    distortion = scene.camera.distortion
    box = outline_box(placed, scene.width, scene.height, distortion)

    def view(points: list[Vec], height: float = 0.0) -> list[Vec]:
        return bend(placed.pose.project(points, height), distortion, scene.width, scene.height)

    spec = placed.spec
    if isinstance(spec, DialSpec):
        truth = _dial(spec, placed.pose, box, view)
    elif isinstance(spec, DigitalSpec):
        truth = _digital(spec, box, printed_units(view, (*shown_prints(spec), *window_units(spec)))).model_copy(
            update={"rows": display_rows(spec, view)}
        )
    elif isinstance(spec, CounterSpec):
        truth = _counter(spec, box, printed_units(view, spec.prints)).model_copy(update={"rows": counter_rows(spec, view)})
    elif isinstance(spec, LampSpec):
        truth = InstrumentTruth(box=box, fields=GaugeFields(kind="lamp", warning_light_color=spec.state))
    else:
        marks = tuple(view([polar((0.0, 0.0), spec.knob + 6.0, angle) for angle in spec.angles_deg]))
        truth = InstrumentTruth(box=box, fields=GaugeFields(kind="selector", mode_dial_position=spec.position), marks=marks)
    score = legibility(placed, scene, view, hidden_by(scene, [_seen_outline(one, scene) for one in scene.instruments[:index]]))
    shows_nothing = isinstance(spec, DigitalSpec) and truth.value is None
    return truth.model_copy(
        update={
            "instrument_model": spec.model,
            "homography": tuple(float(part) for part in placed.pose.homography(0.0).ravel()),
            "legibility": score,
            "readable": score >= READABLE_FROM[truth.fields.kind] and not shows_nothing,
        }
    )


def _seen_outline(placed: Placed, scene: GaugeScene) -> list[Vec]:
    points, rise = outline(placed)
    return bend(placed.pose.project(points, rise), scene.camera.distortion, scene.width, scene.height)


def outline(placed: Placed) -> tuple[list[Vec], float]:
    """Points of the outline of an instrument's front in face units, and the height of their plane.

    The front is what people frame and what a reader crops: the bezel (or the mounting plate, a display's bare window, a
    lamp's rim, a selector's plate). The case's side and the stem, which a slanted view shows beside it, are no part of it.
    """
    spec = placed.spec
    circle = [(math.cos(t), math.sin(t)) for t in (k * math.pi / 24 for k in range(48))]
    if isinstance(spec, LampSpec):
        return (
            ([(100 * sx, 100 * sy) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))], 0.0)
            if spec.square
            else ([(100 * x, 100 * y) for x, y in circle], 0.0)
        )
    if isinstance(spec, SelectorSpec):
        corners = [(100 * sx, 100 * sy) for sx, sy in ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))]
        return (corners if spec.square else [(100 * x, 100 * y) for x, y in circle]), 0.0
    if isinstance(spec, DigitalSpec) and spec.bare:
        x0, y0, x1, y1 = spec.window
        return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)], 0.0
    case = spec.case
    half = max(100.0, case.flange)
    if case.shape == "round" and not (case.flange and case.flange_square):
        points = [(half * x, half * y * case.aspect) for x, y in circle]
    else:
        points = [(half * sx, half * case.aspect * sy) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return points, (0.0 if case.flange > 100 else case.recess)


def outline_box(placed: Placed, width: int, height: int, distortion: float = 0.0) -> Box:
    """Bounding box of the front's outline in pixels after the lens, clipped to the picture."""
    points, rise = outline(placed)
    if distortion != 0.0:
        points = _dense(points)
    pixels = bend(placed.pose.project(points, rise), distortion, width, height)
    xs, ys = [p[0] for p in pixels], [p[1] for p in pixels]
    x0, x1 = (min(max(v, 0.0), float(width)) for v in (min(xs), max(xs)))
    y0, y1 = (min(max(v, 0.0), float(height)) for v in (min(ys), max(ys)))
    return (round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))


def _dense(points: list[Vec], pieces: int = 6) -> list[Vec]:
    """The outline with points along its edges too: the lens bends straight edges outwards."""
    parts = [k / pieces for k in range(pieces)]
    return [
        (x + (u - x) * t, y + (v - y) * t) for (x, y), (u, v) in zip(points, points[1:] + points[:1], strict=True) for t in parts
    ]


def _scale_points(scale: Scale) -> tuple[ScalePoint, ...]:
    if scale.is_linear:
        return ()
    values = scale.majors()
    return tuple(ScalePoint(angle=_angle(scale.angle_at(scale.fraction_of(v))), value=round(v, 6)) for v in values)


def _angle(angle_deg: float) -> float:
    return round(angle_deg, 3) % 360.0


def _channels(spec: DialSpec, pose: Pose) -> tuple[Channel, ...]:
    def seen(hand: Hand) -> float:
        return pose_angle(pose, spec.pivot, hand.needle.length, hand.needle.height, spec.scale.angle_at(hand.fraction))

    hands = [
        Channel(label=hand.label, color=hand.color_name, pointer_angle=_angle(seen(hand)))
        for hand in spec.hands
        if not hand.marker
    ]
    for label, (further, _) in zip(("second scale", "third scale"), spec.further_scales, strict=False):
        hands.append(Channel(label=label, scale_min=further.minimum, scale_max=further.maximum, unit=further.unit))
    if spec.inner is not None:
        hands.append(Channel(label=spec.inner.label, digital_readout=spec.inner.digits, unit=spec.inner.unit))
    return tuple(hands)


def fraction_seen(scale: Scale, fraction: float, angle_deg: float) -> float:
    """The fraction of the sweep at `angle_deg`, counted on from where the needle itself stands (`fraction`)."""
    turned = (angle_deg - scale.angle_at(fraction) + 180.0) % 360.0 - 180.0
    return fraction + (turned if scale.clockwise else -turned) / scale.sweep_deg


def _dial(spec: DialSpec, pose: Pose, box: Box, view: Callable[..., list[Vec]]) -> InstrumentTruth:
    scale, needle = spec.scale, spec.needle
    pointer = _angle(pose_angle(pose, spec.pivot, needle.length, needle.height, spec.pointer_deg))
    fraction = min(max(fraction_seen(scale, spec.fraction, pointer), -0.5), 1.5)
    tip = view([needle_tip(needle, spec.pivot, spec.pointer_deg)], needle.height)[0]
    pivot, start, end = view(
        [spec.pivot, polar(spec.pivot, spec.art.radius, scale.start_deg), polar(spec.pivot, spec.art.radius, scale.end_deg)]
    )
    printed = numerals(scale, spec.art, spec.pivot)
    centers = view([n.center for n in printed]) if printed else []
    value, own_value = scale.value_at(fraction), scale.value_at(spec.fraction)
    half = max(scale.step_at(own_value) / 2, scale.spread_at(fraction, MIN_TOLERANCE))
    fields = GaugeFields(
        kind="dial",
        pointer_angle=pointer,
        start_angle=_angle(scale.start_deg),
        end_angle=_angle(scale.end_deg),
        clockwise=scale.clockwise,
        scale_fraction=round(fraction, 6),
        scale_min=scale.minimum,
        scale_max=scale.maximum,
        scale_multiplier=scale.multiplier,
        scale_points=_scale_points(scale),
        unit=scale.unit,
        channels=_channels(spec, pose),
    )
    return InstrumentTruth(
        box=box,
        fields=fields,
        points=EvidencePoints(needle_tip=tip, pivot=pivot, scale_start=start, scale_end=end),
        numerals=tuple(Numeral(text=n.text, value=n.value, center=c) for n, c in zip(printed, centers, strict=True)),
        value=value,
        value_low=min(value, own_value) - half,
        value_high=max(value, own_value) + half,
        unit=multiplied_unit(scale.unit, scale.multiplier),
        units=printed_units(view, spec.prints),
        true_pointer_angle=_angle(spec.pointer_deg),
    )


def _digital(spec: DigitalSpec, box: Box, units: tuple[PrintedUnit, ...]) -> InstrumentTruth:
    main = spec.main
    if not spec.lit or main is None:
        return InstrumentTruth(box=box, fields=GaugeFields(kind="digital"), units=units if spec.lit else ())
    value = float(main.digits)
    decimals = len(main.digits.split(".")[1]) if "." in main.digits else 0
    half = 0.5 * 10.0**-decimals
    channels = tuple(
        Channel(label=row.label or row.lead or f"row {spec.rows.index(row) + 1}", digital_readout=row.digits, unit=row.unit)
        for row in spec.others
    )
    return InstrumentTruth(
        box=box,
        fields=GaugeFields(kind="digital", digital_readout=main.digits, unit=main.unit, channels=channels),
        value=value,
        value_low=value - half,
        value_high=value + half,
        unit=main.unit,
        units=units,
    )


def _counter(spec: CounterSpec, box: Box, units: tuple[PrintedUnit, ...]) -> InstrumentTruth:
    value, step = float(spec.readout), 10.0**-spec.decimals
    # Drums between two digits, and sub-dials, say that the quantity is past the digits but not yet at the next.
    past = step if spec.subdials or spec.shift > 0.5 else 0.5 * step
    channels = tuple(
        Channel(label=one.label, color=one.color_name, pointer_angle=_angle(one.pointer_deg)) for one in spec.subdials
    )
    return InstrumentTruth(
        box=box,
        fields=GaugeFields(kind="counter", digital_readout=spec.readout, unit=spec.unit, channels=channels),
        value=value,
        value_low=value - 0.5 * step,
        value_high=value + past,
        unit=spec.unit,
        units=units,
    )
