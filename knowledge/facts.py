"""Machine-readable facts of one instrument model, each with the chunk that states it.

Light types only; `knowledge.structured` finds the facts in the manuals' text and keeps them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from knowledge.articles import Language
from vision.fields import Contract, Finite, Kind, LampColor, UnitName

LimitLevel = Literal["normal", "warning", "alarm"]
LEVELS: tuple[LimitLevel, ...] = ("normal", "warning", "alarm")
"""Levels from harmless to grave."""


class Fact(Contract):
    """Base of all facts: `chunk` is the id of the chunk that states it, `text` the sentence or table row."""

    chunk: str
    text: str


class FormulaFact(Fact):
    """`quantity = expression`, e.g. "pressure" and "(angle - 30) / 2.5"; `variable` is the name in the expression.

    A calibration table has `points` (angle in degrees, value), rising in the angle, and an empty expression.

    `unit` is the unit that the formula's own text or the declaration injected beside it states, else None.
    """

    quantity: str
    expression: str
    variable: str
    unit: UnitName | None = None
    points: tuple[tuple[Finite, Finite], ...] = ()


class UnitFact(Fact):
    """The declared unit of a quantity: "The unit of pressure is MPa"."""

    quantity: str
    unit: UnitName


class AngleFrameFact(Fact):
    """Where the manual's angle starts (hour of the clock, 1..12) and which way it grows."""

    origin_hour: Annotated[int, Field(ge=1, le=12)]
    clockwise: bool


class RangeFact(Fact):
    """A closed range; `unit` is None for angles, which are in degrees."""

    low: Finite
    high: Finite
    unit: UnitName | None = None


class AccuracyFact(Fact):
    """Accuracy class: the permitted error as a percentage of the span."""

    percent_of_span: Annotated[float, Field(gt=0, le=100)]


class LimitFact(Fact):
    """One band of the value; a missing end is open. "above 80" leaves its end out, "0 to 80" takes both in."""

    level: LimitLevel
    low: Finite | None = None
    high: Finite | None = None
    low_included: bool = True
    high_included: bool = True
    unit: UnitName | None = None

    def holds(self, value: float) -> bool:
        """Whether `value`, in the band's own unit, lies in the band."""
        above = self.low is None or value > self.low or (self.low_included and value == self.low)
        below = self.high is None or value < self.high or (self.high_included and value == self.high)
        return above and below


class LampFact(Fact):
    """What a lamp colour means, what to do, and the section of the procedure to follow ("5.2"), if any."""

    color: LampColor
    meaning: str
    action: str = ""
    section: str | None = None


class ModeFact(Fact):
    """What a position of the rotary selector means."""

    position: Annotated[int, Field(ge=1, le=5)]
    name: str
    meaning: str


class CodeFact(Fact):
    """A code that a display shows instead of a value ("Err 2"), and what it means."""

    code: str
    meaning: str


class ReadoutFact(Fact):
    """The manual's word that the digits shown are the reading itself, without any formula."""


class ProcedureFact(Fact):
    """The emergency procedure: number and title of its section."""

    section: str
    title: str


class ModelFacts(Contract):
    """All facts about one model in one language; what no valid manual states is None or empty."""

    model: str
    language: Language
    document: str
    version: str
    kind: Kind | None = None
    formula: FormulaFact | None = None
    unit: UnitFact | None = None
    angle_frame: AngleFrameFact | None = None
    angle_range: RangeFact | None = None
    value_range: RangeFact | None = None
    accuracy: AccuracyFact | None = None
    limits: tuple[LimitFact, ...] = ()
    lamps: tuple[LampFact, ...] = ()
    modes: tuple[ModeFact, ...] = ()
    codes: tuple[CodeFact, ...] = ()
    readout: ReadoutFact | None = None
    emergency: ProcedureFact | None = None

    def lamp(self, color: LampColor) -> LampFact | None:
        """The meaning of a lamp colour, or None where the manual does not state it."""
        return next((fact for fact in self.lamps if fact.color == color), None)

    def mode(self, position: int) -> ModeFact | None:
        """The meaning of a selector position, or None where the manual does not state it."""
        return next((fact for fact in self.modes if fact.position == position), None)

    def limit_at(self, value: float) -> LimitFact | None:
        """The band that holds `value` (in the limits' own unit), or None where no band does.

        Where two bands share the value, the graver one counts.
        """
        return max((fact for fact in self.limits if fact.holds(value)), key=lambda fact: LEVELS.index(fact.level), default=None)
