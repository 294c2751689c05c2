"""The truth of a scene: fields, boxes and points that follow from specs and poses."""

from __future__ import annotations

import math

from synth.devices import CounterSpec, DigitalSpec, LampSpec, SelectorSpec
from synth.dial import needle_tip, numerals
from synth.scene import GaugeScene, Placed, Pose
from synth.spec import DialSpec, Scale, ScaleArt, Vec, polar
from vision.fields import Box, Channel, EvidencePoints, GaugeFields, ScalePoint
from vision.samples import InstrumentTruth, Numeral, PhotoTruth
from vision.units import multiplied_unit

MIN_TOLERANCE = 0.01
"""Half width of the accepted interval as a fraction of the span, where half a minor tick is less."""


def photo_truth(scene: GaugeScene) -> PhotoTruth:
    return PhotoTruth(instruments=tuple(_instrument(placed, scene) for placed in scene.instruments))


def _instrument(placed: Placed, scene: GaugeScene) -> InstrumentTruth:
    box = outline_box(placed, scene.width, scene.height)
    spec = placed.spec
    if isinstance(spec, DialSpec):
        return _dial(spec, placed.pose, box)
    if isinstance(spec, DigitalSpec):
        return _digital(spec, box)
    if isinstance(spec, CounterSpec):
        value, half = float(spec.readout), 0.5 * 10.0**-spec.decimals
        fields = GaugeFields(kind="counter", digital_readout=spec.readout, unit=spec.unit)
        return InstrumentTruth(
            instrument_model=spec.model,
            box=box,
            fields=fields,
            value=value,
            value_low=value - half,
            value_high=value + half,
            unit=spec.unit,
        )
    if isinstance(spec, LampSpec):
        return InstrumentTruth(
            instrument_model=spec.model, box=box, fields=GaugeFields(kind="lamp", warning_light_color=spec.state)
        )
    return InstrumentTruth(
        instrument_model=spec.model, box=box, fields=GaugeFields(kind="selector", mode_dial_position=spec.position)
    )


def outline(placed: Placed) -> tuple[list[Vec], float]:
    """Points of the instrument's outer outline in face units, and the height of their plane."""
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


def outline_box(placed: Placed, width: int, height: int) -> Box:
    """Bounding box of the outline in pixels, clipped to the picture."""
    points, rise = outline(placed)
    pixels = placed.pose.project(points, rise)
    xs, ys = [p[0] for p in pixels], [p[1] for p in pixels]
    x0, x1 = (min(max(v, 0.0), float(width)) for v in (min(xs), max(xs)))
    y0, y1 = (min(max(v, 0.0), float(height)) for v in (min(ys), max(ys)))
    return (round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))


def _scale_points(scale: Scale, art: ScaleArt) -> tuple[ScalePoint, ...]:
    if scale.exponent == 1.0:
        return ()
    values = scale.majors()
    return tuple(ScalePoint(angle=_angle(scale.angle_at(scale.fraction_of(v))), value=round(v, 6)) for v in values)


def _angle(angle_deg: float) -> float:
    return round(angle_deg, 3) % 360.0


def _channels(spec: DialSpec) -> tuple[Channel, ...]:
    hands = [
        Channel(label=hand.label, color=hand.color_name, pointer_angle=_angle(spec.scale.angle_at(hand.fraction)))
        for hand in spec.hands
        if not hand.marker
    ]
    if spec.second is not None:
        second = spec.second[0]
        hands.append(Channel(label="second scale", scale_min=second.minimum, scale_max=second.maximum, unit=second.unit))
    return tuple(hands)


def _dial(spec: DialSpec, pose: Pose, box: Box) -> InstrumentTruth:
    scale, pointer = spec.scale, spec.pointer_deg
    tip = pose.project([needle_tip(spec.needle, spec.pivot, pointer)], spec.needle.height)[0]
    pivot, start, end = pose.project(
        [spec.pivot, polar(spec.pivot, spec.art.radius, scale.start_deg), polar(spec.pivot, spec.art.radius, scale.end_deg)]
    )
    printed = numerals(scale, spec.art, spec.pivot)
    centers = pose.project([n.center for n in printed]) if printed else []
    value = scale.value_at(spec.fraction)
    # A raised needle under tilt is seen beside its place: the honest interval grows with both.
    parallax = math.degrees(spec.needle.height * math.tan(math.radians(min(pose.tilt_deg, 60.0))) / max(spec.needle.length, 1.0))
    half = max(scale.minor_step / 2, MIN_TOLERANCE * scale.span) + 0.5 * parallax / scale.sweep_deg * scale.span
    fields = GaugeFields(
        kind="dial",
        pointer_angle=_angle(pointer),
        start_angle=_angle(scale.start_deg),
        end_angle=_angle(scale.end_deg),
        clockwise=scale.clockwise,
        scale_fraction=round(spec.fraction, 5),
        scale_min=scale.minimum,
        scale_max=scale.maximum,
        scale_multiplier=scale.multiplier,
        scale_points=_scale_points(scale, spec.art),
        unit=scale.unit,
        channels=_channels(spec),
    )
    return InstrumentTruth(
        instrument_model=spec.model,
        box=box,
        fields=fields,
        points=EvidencePoints(needle_tip=tip, pivot=pivot, scale_start=start, scale_end=end),
        numerals=tuple(Numeral(text=n.text, value=n.value, center=c) for n, c in zip(printed, centers, strict=True)),
        value=value,
        value_low=value - half,
        value_high=value + half,
        unit=multiplied_unit(scale.unit, scale.multiplier),
    )


def _digital(spec: DigitalSpec, box: Box) -> InstrumentTruth:
    if not spec.lit or not spec.rows:
        return InstrumentTruth(instrument_model=spec.model, box=box, fields=GaugeFields(kind="digital"))
    main, *others = spec.rows
    value = float(main.digits)
    decimals = len(main.digits.split(".")[1]) if "." in main.digits else 0
    half = 0.5 * 10.0**-decimals
    channels = tuple(Channel(label=f"row {i}", digital_readout=row.digits, unit=row.unit) for i, row in enumerate(others, 2))
    return InstrumentTruth(
        instrument_model=spec.model,
        box=box,
        fields=GaugeFields(kind="digital", digital_readout=main.digits, unit=main.unit, channels=channels),
        value=value,
        value_low=value - half,
        value_high=value + half,
        unit=main.unit,
    )
