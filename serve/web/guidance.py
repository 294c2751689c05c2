"""What to do for a better photo: pixels and reading in, advice out, each with what was measured.

Thresholds were set on drawn instruments, clean ones against the same ones spoiled by a known amount; the tests draw them
again. They lie where no clean picture falls, so that nobody is sent back for a photo that is good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import Field

from serve.web.measures import Measures, measure_instrument, measure_light
from vision.doubts import DOUBTS
from vision.fields import Contract, InstrumentReading, Kind, PhotoReading
from vision.photos import Photo

Fault = Literal["nothing_found", "cut_off", "too_small", "too_dark", "too_bright", "glare", "blurred", "tilted", "turned"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
"""In the order in which they are said: what costs most comes first."""


class Advice(Contract):
    """One fault of a photo. `instrument` counts from 1, None for the photo as a whole.

    `measured` are the slots of the sentence that says what was measured (`words.toml`, `measured_<fault>`): numbers as
    text, or `side` as a name to be looked up. `seen_by_reader`: the reader named it, and nothing was measured.
    """

    fault: Fault
    instrument: int | None = None
    measured: dict[str, str] = Field(default_factory=dict)
    seen_by_reader: bool = False


@dataclass(frozen=True)
class GuidanceOptions:
    """From where on a photo is worth taking again.

    `least_px` is the longer side of an instrument in the photo. Levels are of 255. `blur_share` is the standard deviation
    of the sharpest edges in parts of the instrument's side; a small instrument's edges are always wide in that measure, so
    that `blur_px` in pixels has to be passed too. Tilt and roll are those of the reading's own points, which are a few
    degrees off.
    """

    least_px: Mapping[Kind, float]
    bright_below: float = 90.0
    clipped_above: float = 0.35
    glare_above: float = 0.005
    blur_share: float = 0.0055
    blur_px: float = 1.3
    tilt_deg: float = 38.0
    roll_deg: float = 28.0


DEFAULTS = GuidanceOptions(least_px={"dial": 120.0, "digital": 80.0, "counter": 80.0, "lamp": 28.0, "selector": 60.0})
GOOD_PX: Mapping[Kind, int] = {"dial": 300, "digital": 200, "counter": 200, "lamp": 60, "selector": 150}
"""What to aim at, in pixels of the longer side; where `least_px` is passed the photo is not good yet."""

GLAZED: tuple[Kind, ...] = ("dial", "digital", "counter")
"""Kinds behind glass that do not shine themselves: a lit lamp is bright as it should be."""


def advise(photo: Photo, reading: PhotoReading, options: GuidanceOptions = DEFAULTS) -> tuple[Advice, ...]:
    """The faults of a photo, the gravest first; empty for a good one.

    A fault that all instruments share (the light, a shaken hand) is said once for the photo.
    """
    if reading.status == "error":
        return ()
    if not reading.instruments:
        return (Advice(fault="nothing_found"), *_whole_photo(photo, options))
    found = [
        one for number, instrument in enumerate(reading.instruments, 1) for one in _instrument(photo, instrument, number, options)
    ]
    return tuple(sorted(_merged(found, len(reading.instruments)), key=lambda one: (FAULTS.index(one.fault), one.instrument or 0)))


def _instrument(photo: Photo, reading: InstrumentReading, number: int, options: GuidanceOptions) -> list[Advice]:
    measures = measure_instrument(photo, reading)
    found = [] if measures is None else _measured(measures, reading, options)
    named = {fault for fault, _ in found}
    said = [Advice(fault=fault, instrument=number, measured=slots) for fault, slots in found]
    if reading.status == "abstained":
        said += [
            Advice(fault=fault, instrument=number, seen_by_reader=True) for fault in _doubts(reading.reason) if fault not in named
        ]
    return said


def _measured(seen: Measures, reading: InstrumentReading, options: GuidanceOptions) -> list[tuple[Fault, dict[str, str]]]:
    found: list[tuple[Fault, dict[str, str]]] = []
    if seen.sides_cut:
        found.append(("cut_off", {"side": seen.sides_cut[0]}))
    if seen.size_px < options.least_px[reading.kind]:
        found.append(("too_small", {"pixels": f"{seen.size_px:.0f}", "wanted": str(GOOD_PX[reading.kind])}))
    found += _light(seen.bright, seen.clipped, options)
    glaring = reading.kind in GLAZED and seen.glare is not None and seen.clipped <= options.clipped_above
    if glaring and seen.glare is not None and seen.glare > options.glare_above:
        found.append(("glare", {"percent": f"{100 * seen.glare:.1f}"}))
    if seen.blur is not None and seen.blur_px is not None and seen.blur > options.blur_share and seen.blur_px > options.blur_px:
        found.append(("blurred", {"pixels": f"{2.5 * seen.blur_px:.0f}", "percent": f"{250 * seen.blur:.1f}"}))
    if seen.pose is not None and seen.pose.tilt_deg > options.tilt_deg:
        found.append(("tilted", {"degrees": f"{seen.pose.tilt_deg:.0f}"}))
    elif seen.pose is not None and abs(seen.pose.roll_deg) > options.roll_deg:
        found.append(("turned", {"degrees": f"{abs(seen.pose.roll_deg):.0f}"}))
    return found


def _light(bright: float, clipped: float, options: GuidanceOptions) -> list[tuple[Fault, dict[str, str]]]:
    if bright < options.bright_below:
        return [("too_dark", {"percent": f"{100 * bright / 255:.0f}"})]
    if clipped > options.clipped_above:
        return [("too_bright", {"percent": f"{100 * clipped:.0f}"})]
    return []


def _whole_photo(photo: Photo, options: GuidanceOptions) -> tuple[Advice, ...]:
    """The light of a photo in which no instrument was found; its sharpness says little where the subject is not known."""
    light = measure_light(photo)
    return tuple(Advice(fault=fault, measured=slots) for fault, slots in _light(light.bright, light.clipped, options))


_DOUBT_OF: Mapping[str, Fault] = {"too_small": "too_small", "blurred": "blurred", "glare": "glare"}


def _doubts(reason: str | None) -> list[Fault]:
    """The faults that the reader's own reason names."""
    text = reason or ""
    named: list[Fault] = [fault for doubt, fault in _DOUBT_OF.items() if DOUBTS[doubt][0] in text]
    return ["too_small", *named] if "too small in the photo" in text and "too_small" not in named else named


def _merged(found: Sequence[Advice], instruments: int) -> list[Advice]:
    """What every one of several instruments suffers from is said once, with the first one's measure."""
    shared = {
        fault
        for fault in FAULTS
        if instruments > 1 and sum(one.fault == fault and not one.seen_by_reader for one in found) == instruments
    }
    first = {fault: next(one for one in found if one.fault == fault) for fault in shared}
    kept = [one for one in found if one.fault not in shared]
    return [*kept, *(one.model_copy(update={"instrument": None}) for one in first.values())]
