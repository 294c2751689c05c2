"""Every model of the shipped manuals in three states: normal, alarm, abstained. What is swept over by laws of reports."""

from __future__ import annotations

from typing import Any, Literal, get_args

from knowledge.facts import LEVELS, ModelFacts
from rag.formula import calibrate
from tests.rag.builders import make_photo, make_reading
from vision.fields import InstrumentReading, PhotoReading

State = Literal["normal", "alarm", "abstained"]
STATES: tuple[State, ...] = get_args(State)
DARK = "the needle was not found for certain (a value would be right with a probability of 12% only)"


def photo_in_state(facts: ModelFacts, state: State) -> PhotoReading:
    """A photo of one instrument of a model: its value in the wanted band, its lamp and selector to match, or not read."""
    kind = facts.kind or "dial"
    if state == "abstained":
        return make_photo(make_reading(kind, facts.model, status="abstained", reason=DARK))
    shown: dict[str, Any] = {}
    colors = [lamp.color for lamp in facts.lamps]
    wanted = ("green", "off") if state == "normal" else ("red", "yellow")
    if color := next((one for one in wanted if one in colors), None):
        shown["warning_light_color"] = color
    if facts.modes:
        shown["mode_dial_position"] = (facts.modes[0] if state == "normal" else facts.modes[-1]).position
    if kind == "dial":
        return make_photo(_dial(facts, state, shown))
    if kind in ("digital", "counter"):
        return make_photo(_display(facts, state, kind, shown))
    return make_photo(make_reading(kind, facts.model, **shown))


def _dial(facts: ModelFacts, state: State, shown: dict[str, Any]) -> InstrumentReading:
    """The dial whose needle stands deepest in the state's band, by what the manual's formula makes of its angle."""
    drawn = [
        make_reading(
            "dial",
            facts.model,
            pointer_angle=angle % 360.0,
            scale_fraction=round(share, 3),
            confidence={"pointer_angle": 0.95, "scale_fraction": 0.95},
            **shown,
        )
        for angle, share in ((25.0 + 310.0 * k / 60, k / 60) for k in range(61))
    ]
    return max(drawn, key=lambda one: _fit(facts, calibrate(one, facts).reading, state))


def _display(facts: ModelFacts, state: State, kind: str, shown: dict[str, Any]) -> InstrumentReading:
    low, high = (facts.value_range.low, facts.value_range.high) if facts.value_range else (0.0, 100.0)
    unit = facts.unit.unit if facts.unit else None
    drawn = []
    for step in range(41):
        value = round(low + (high - low) * step / 40, 1)
        own = {"value": value, "value_low": value - 0.05, "value_high": value + 0.05, "value_source": "digits"}
        drawn.append(
            make_reading(kind, facts.model, digital_readout=f"{value:.1f}", unit=unit, value_confidence=0.9, **own, **shown)
        )
    return max(drawn, key=lambda one: _fit(facts, one, state))


def _fit(facts: ModelFacts, reading: InstrumentReading, state: State) -> tuple[int, bool, float]:
    """How well a reading shows a state: a value at all, one in the state's band, and with how much room."""
    if reading.value is None or reading.value_low is None or reading.value_high is None:
        return (0, False, 0.0)
    ends = [facts.limit_at(end) for end in (reading.value_low, reading.value, reading.value_high)]
    levels = [LEVELS.index(end.level) for end in ends if end is not None]
    want = 0 if state == "normal" else len(LEVELS) - 1
    inside = len(levels) == 3 and all(level == want for level in levels)
    return (1, inside, -abs(reading.value_high - reading.value_low))
