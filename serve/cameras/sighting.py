"""From the reading of a picture to what its camera's instrument showed, or why that is not known."""

from __future__ import annotations

from typing import NamedTuple

from serve.cameras.plausible import Seen
from serve.cameras.registry import Camera
from vision.fields import InstrumentReading, LampColor, PhotoReading


class Sighting(NamedTuple):
    """A value (`seen`) or a lamp's colour, and what the reader says against it; neither where `reason` says why not."""

    seen: Seen | None = None
    color: LampColor | None = None
    unit: str | None = None
    reason: str | None = None


def sight(reading: PhotoReading, camera: Camera, at_s: float) -> Sighting:
    """What the camera's one instrument showed at a moment. Two of them in a picture are nobody's reading."""
    if reading.status == "error":
        return Sighting(reason=reading.reason)
    found = [one for one in reading.instruments if camera.kind in (None, one.kind)]
    if not found:
        wanted = f"no {camera.kind}" if camera.kind and reading.instruments else None
        return Sighting(reason=f"{wanted} was found in the picture" if wanted else reading.reason or "no instrument was found")
    if len(found) > 1:
        return Sighting(reason=f"{len(found)} instruments are in the picture; give the camera a region, or a kind")
    (one,) = found
    if one.status == "abstained":
        return Sighting(reason=one.reason)
    return _shown(one, camera, at_s)


def _shown(one: InstrumentReading, camera: Camera, at_s: float) -> Sighting:
    fields = one.fields
    if one.kind == "lamp" and fields.warning_light_color is not None:
        sure = one.confidence.get("warning_light_color", 1.0)
        if sure < camera.limits.min_confidence:
            return Sighting(reason=f"the colour's confidence {sure:.2f} is below {camera.limits.min_confidence:.2f}")
        return Sighting(color=fields.warning_light_color, reason=one.reason)
    if one.kind == "selector" and fields.mode_dial_position is not None:
        position = float(fields.mode_dial_position)
        sure = one.confidence.get("mode_dial_position", one.value_confidence)
        return Sighting(Seen(at_s, position, position, position, sure), reason=one.reason)
    if one.value is None or one.value_low is None or one.value_high is None:
        return Sighting(reason=one.reason or "no value was read")
    if camera.unit is not None and one.unit not in (None, camera.unit):
        return Sighting(reason=f"it was read in {one.unit}, and the instrument measures in {camera.unit}")
    seen = Seen(at_s, one.value, one.value_low, one.value_high, one.value_confidence)
    return Sighting(seen, None, one.unit or camera.unit, one.reason)
