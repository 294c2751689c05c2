"""What a photo itself supports: every field as text, the value with its interval, and why something was not read."""

from __future__ import annotations

from knowledge.articles import Language
from rag.formula import Calibration, Problem
from rag.queries import format_number, reading_slots
from rag.reasons import localize_reason
from rag.templates import clean_text, sentence
from vision.fields import InstrumentReading


def photo_material(calibration: Calibration, language: Language) -> tuple[str, ...]:
    """What the photo itself supports: every field as text, the value with its interval, the reason."""
    reading = calibration.reading
    slots = reading_slots(reading, language)
    marks = [f"{slots[name]}°" for name in ("pointer_angle", "start_angle", "end_angle") if name in slots]
    # A multiplier is printed with its sign, and verified as printed.
    marks += [f"x{slots['scale_multiplier']}"] if "scale_multiplier" in slots else []
    lines = [*slots.values(), *marks, *value_slots(reading).values()]
    lines += [clean_text(reading.reason), localize_reason(reading.reason, language)] if reading.reason else []
    if reading.value is not None:
        numbers = value_slots(reading)
        lines += [f"{numbers[name]} {reading.unit or ''}".strip() for name in ("value", "value_low", "value_high")]
    if calibration.angle_deg is not None and calibration.half_width_deg is not None:
        lines += [f"{one}°" for one in angle_slots(calibration).values()]
    if calibration.problem is not None:
        lines.append(problem_text(calibration.problem, language))
    return tuple(line for line in lines if line)


def value_slots(reading: InstrumentReading) -> dict[str, str]:
    """The value and its ends with as many decimals as the interval warrants; empty where there is no value."""
    if reading.value is None or reading.value_low is None or reading.value_high is None:
        return {}
    half = (reading.value_high - reading.value_low) / 2
    found = {name: format_number(getattr(reading, name), half) for name in ("value", "value_low", "value_high")}
    return {**found, "unit": reading.unit} if reading.unit else found


def angle_slots(calibration: Calibration) -> dict[str, str]:
    """The angle in the manual's frame and its half width, for people; empty where one of them is not known."""
    angle, half_width = calibration.angle_deg, calibration.half_width_deg
    if angle is None or half_width is None:
        return {}
    return {"angle": format_number(round(angle, 1)), "half_width": format_number(round(half_width, 1))}


def problem_text(problem: Problem, language: Language) -> str:
    """A problem of the value in words; what the reader said within it, in the same language."""
    slots = {name: localize_reason(text, language) if name == "reason" else text for name, text in problem.slots.items()}
    return sentence(problem.name, language, **slots).rstrip(".。")
