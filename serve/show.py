"""Readings as lines for people. No heavy imports: the command line prints with these."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from vision.fields import InstrumentReading, PhotoReading
from vision.photos import display_name

if TYPE_CHECKING:
    from rag.pipeline import Inspection

SOURCES = {
    "calibration_formula": "manual's calibration formula",
    "numerals": "printed numerals",
    "printed_scale": "printed scale",
    "digits": "digits",
}


def number_text(value: float, low: float | None = None, high: float | None = None) -> str:
    """`value` with as many digits as its interval supports: two digits of the half-width, or six significant."""
    if low is None or high is None or not high > low:
        return f"{value:.6g}"
    decimals = 0
    half_width = (high - low) / 2.0
    while half_width < 9.5 and decimals < 9:
        half_width *= 10
        decimals += 1
    return f"{value:.{decimals}f}"


def value_text(instrument: InstrumentReading) -> str:
    """What a read instrument shows: `42.9 MPa`, `red`, `position 3`, or its digits."""
    fields = instrument.fields
    if instrument.value is not None:
        digits = fields.digital_readout if instrument.value_source == "digits" else None
        number = digits or number_text(instrument.value, instrument.value_low, instrument.value_high)
        return f"{number} {instrument.unit}" if instrument.unit else number
    if fields.warning_light_color is not None:
        return fields.warning_light_color
    if fields.mode_dial_position is not None:
        return f"position {fields.mode_dial_position}"
    if fields.digital_readout is not None:
        return fields.digital_readout
    return "no value"


def instrument_line(instrument: InstrumentReading) -> str:
    """One line about one instrument: what it shows, how sure and by which way; or why it was not read."""
    # A model's name comes from outside: no control character of it may reach a terminal.
    named = display_name(instrument.instrument_model or "")
    model = f"{named} ({instrument.model_source})" if named else "unknown model"
    if instrument.status == "abstained":
        return f"{instrument.kind}, {model}: not read, because {instrument.reason}"
    parts = [value_text(instrument)]
    low, high = instrument.value_low, instrument.value_high
    if instrument.value is not None and low is not None and high is not None:
        source = SOURCES[instrument.value_source or "printed_scale"]
        parts.append(f"between {number_text(low, low, high)} and {number_text(high, low, high)}")
        parts.append(f"confidence {instrument.value_confidence:.2f}, from the {source}")
    line = f"{instrument.kind}, {model}: {', '.join(parts)}"
    return f"{line} ({instrument.reason})" if instrument.reason else line


def reading_text(reading: PhotoReading) -> str:
    """A photo's reading for people: one line for the photo and one for each instrument."""
    if reading.status == "error":
        reason = reading.reason or "could not be opened"
        return reason if reason.startswith(reading.photo) else f"{reading.photo}: {reason}"
    count = len(reading.instruments)
    found = f"{count} instrument{'s' if count != 1 else ''}" if count else f"not read, because {reading.reason}"
    return "\n".join([f"{reading.photo}: {found}", *(f"  {instrument_line(one)}" for one in reading.instruments)])


def inspection_text(inspection: Inspection, folder: Path | None = None) -> str:
    """An inspection for people: the reading, the report as Markdown, its request's id, and where it was written to."""
    parts = [reading_text(inspection.reading)]
    if inspection.report is not None:
        parts += ["", plain_text(inspection.report.markdown).rstrip()]
        parts += ["", f"Request {inspection.request_id}"]
    if folder is not None:
        parts += ["", f"Written to {folder}"]
    return "\n".join([*parts, ""] if inspection.report is not None else parts)


def plain_text(markdown: str) -> str:
    """The report's Markdown without its escapes, which are for renderers and not for eyes."""
    return re.sub(r"\\([^\w\s])", r"\1", markdown)
