"""Synthetic readings for the report's bench: every model of the manuals, both languages, drawn from a seed.

What an instrument shows is drawn from its own facts (angles within its scale, digits within its range, colours and
positions that its manual knows); some readings lie outside, some are abstained, some are of a model without a manual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from knowledge.articles import Language
from knowledge.facts import ModelFacts
from vision.fields import GaugeFields, InstrumentReading, PhotoReading, Weights

LANGUAGES: tuple[Language, ...] = ("en", "zh")
SYNTHETIC = Weights(name="synthetic", version="0")
UNKNOWN_MODEL = "QX-77"
REASONS = ("the needle is hidden by glare", "the digits are blurred")


class Manuals(Protocol):
    """What the draw needs of the knowledge base."""

    def models(self) -> tuple[str, ...]: ...

    def facts(self, model: str, language: str = ...) -> ModelFacts | None: ...


class ReportCase(NamedTuple):
    """One photo as a reader would give it, and the language of the report asked for."""

    id: str
    model: str
    language: Language
    reading: PhotoReading


def draw_cases(
    rng: np.random.Generator, manuals: Manuals, count: int, languages: Sequence[Language] = LANGUAGES
) -> list[ReportCase]:
    """`count` cases that go round all models, then the languages; every tenth is a difficult one."""
    models = manuals.models()
    cases: list[ReportCase] = []
    for number in range(count):
        model, language = models[number % len(models)], languages[number // len(models) % len(languages)]
        facts = manuals.facts(model, language)
        if facts is None:
            continue
        shown = draw_instrument(rng, facts)
        difficult = number % 20
        if difficult == 9:
            shown = _instrument(facts, UNKNOWN_MODEL, shown.fields.model_dump())
        elif difficult == 19:
            shown = _instrument(facts, model, {"kind": shown.kind}, status="abstained", reason=str(rng.choice(REASONS)))
        cases.append(ReportCase(f"{number:04d}-{model}-{language}", model, language, photo_of(shown, name=f"{number:04d}.jpg")))
    return cases


def draw_instrument(rng: np.random.Generator, facts: ModelFacts) -> InstrumentReading:
    """One instrument of a model, as seen: its kind's own fields, with a lamp and a selector where the manual has them."""
    kind = facts.kind or "dial"
    seen: dict[str, Any] = {"kind": kind}
    own: dict[str, Any] = {}
    if kind == "dial":
        seen |= _draw_dial(rng, facts)
        own["confidence"] = {"pointer_angle": round(float(rng.uniform(0.55, 0.999)), 3)} if rng.random() < 0.8 else {}
    elif kind in ("digital", "counter"):
        digits, own = _draw_digits(rng, facts, kind)
        seen["digital_readout"] = digits
    if facts.lamps and (kind == "lamp" or rng.random() < 0.6):
        seen["warning_light_color"] = str(rng.choice([fact.color for fact in facts.lamps]))
    if facts.modes and (kind == "selector" or rng.random() < 0.6):
        seen["mode_dial_position"] = int(rng.choice([fact.position for fact in facts.modes]))
    return _instrument(facts, facts.model, seen, **own)


def _draw_dial(rng: np.random.Generator, facts: ModelFacts) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    points = facts.formula.points if facts.formula else ()
    ends = (facts.angle_range.low, facts.angle_range.high) if facts.angle_range else (30.0, 330.0)
    if points:
        ends = (points[0][0], points[-1][0])
    width = ends[1] - ends[0]
    # One in twelve needles rests a little outside its scale.
    outside = rng.random() < 1 / 12
    angle = float(ends[1] + rng.uniform(3, 10) if outside else ends[0] + rng.uniform(0.02, 0.98) * width)
    seen["pointer_angle"] = round(_seen_angle(angle, facts) % 360.0, 1) % 360.0
    if facts.angle_frame is None or not (facts.angle_range or points):
        seen["scale_fraction"] = round(float(rng.uniform(0.05, 0.95)), 3)
    if rng.random() < 0.5 and facts.value_range is not None:
        seen |= {"scale_min": facts.value_range.low, "scale_max": facts.value_range.high}
    if rng.random() < 0.5 and facts.unit is not None:
        seen["unit"] = facts.unit.unit
    return seen


def _seen_angle(angle: float, facts: ModelFacts) -> float:
    """The manual's angle in the contract's frame: degrees clockwise from 6 o'clock."""
    if facts.angle_frame is None:
        return angle
    origin = (facts.angle_frame.origin_hour - 6) * 30.0
    return origin + angle if facts.angle_frame.clockwise else origin - angle


def _draw_digits(rng: np.random.Generator, facts: ModelFacts, kind: str) -> tuple[str, dict[str, Any]]:
    """Digits within the instrument's range, and the value that a reader makes of them."""
    if kind == "counter":
        digits, half = f"{int(rng.integers(10, 99999)):05d}", 0.5
    else:
        low, high = (facts.value_range.low, facts.value_range.high) if facts.value_range else (0.0, 100.0)
        digits, half = f"{float(rng.uniform(low, high)):.1f}", 0.05
    value = float(digits)
    return digits, {
        "value": value,
        "value_low": value - half,
        "value_high": value + half,
        "value_source": "digits",
        "value_confidence": 0.9,
    }


def _instrument(facts: ModelFacts, model: str, fields: Mapping[str, Any], **own: Any) -> InstrumentReading:
    seen = GaugeFields.model_validate(fields)
    return InstrumentReading.model_validate(
        {
            "kind": facts.kind or "dial",
            "instrument_model": model,
            "model_source": "given",
            "box": (0.0, 0.0, 400.0, 400.0),
            "fields": seen,
            "status": "read",
            **own,
        }
    )


def photo_of(*instruments: InstrumentReading, name: str = "synthetic.jpg") -> PhotoReading:
    """A photo that shows these instruments; abstained where none of them was read."""
    read = any(one.status == "read" for one in instruments)
    reason = None if read else next((one.reason for one in instruments if one.reason), "no instrument was found")
    status = "read" if read else "abstained"
    return PhotoReading(photo=name, sha256=None, status=status, reason=reason, instruments=instruments, weights=SYNTHETIC)
