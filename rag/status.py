"""One word for an instrument's state, never better than what photo and manual prove.

`least` is the gravest level that is proven, `most` the gravest that stays possible. Where they differ the state is
undecided: a photo that cannot tell normal from warning reports neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from knowledge.chunks import find_references
from knowledge.facts import LEVELS, LampFact, LimitLevel, ModelFacts
from rag.diagnosis import Diagnosis
from vision.fields import Contract, InstrumentReading, Kind, LampColor

Status = Literal["normal", "attention", "alarm", "undecided", "not_judged", "not_read"]
VALUED: tuple[Kind, ...] = ("dial", "digital", "counter")
"""Kinds that have a value to be judged."""
STATUSES: tuple[Status, ...] = ("normal", "attention", "alarm", "undecided", "not_judged", "not_read")
_OF_LEVEL: dict[LimitLevel, Status] = {"normal": "normal", "warning": "attention", "alarm": "alarm"}
_NO_ACTION = re.compile(r"^\W*(?:none|no action|nothing|continue operation|无|继续运行)", re.IGNORECASE)
DOUBTS = ("scale_contradicts_formula", "unit_contradicts_manual", "units_conflict")
"""Problems of a value that stands although something speaks against it."""


class Assessment(Contract):
    """The state of one instrument. `undecided` lies between `least` and `most`; `not_judged`: read, but the documents
    state nothing to judge it by (or there are none)."""

    status: Status
    least: LimitLevel | None = None
    most: LimitLevel | None = None


NOT_READ = Assessment(status="not_read")


def assess(
    reading: InstrumentReading,
    facts: ModelFacts | None,
    findings: Iterable[Diagnosis] = (),
    lamp: LampColor | None = None,
    *,
    doubted: bool = False,
) -> Assessment:
    """The state of a reading after its diagnosis. `doubted`: documents conflict, or something speaks against the value."""
    seen = reading.fields
    nothing = reading.value is None and seen.warning_light_color is None and seen.mode_dial_position is None
    if reading.status == "abstained" or nothing:
        return NOT_READ
    bounds = [(finding.least, finding.most) for finding in findings]
    if lamp is not None and reading.kind != "selector":  # Where a knob stands is chosen; a lamp beside it judges values.
        bounds.append(lamp_levels(lamp, facts.lamp(lamp) if facts is not None else None))
    least = [LEVELS.index(low) for low, _ in bounds if low is not None]
    most = [LEVELS.index(high) for _, high in bounds if high is not None]
    if not least and not most:
        return Assessment(status="not_judged")
    low = max(least, default=0)
    # An instrument whose value is missing or doubtful may be in any state, whatever its lamp says.
    open_above = doubted or (reading.kind in VALUED and reading.value is None)
    high = len(LEVELS) - 1 if open_above else max((*most, low))
    return Assessment(status=_OF_LEVEL[LEVELS[low]] if low == high else "undecided", least=LEVELS[low], most=LEVELS[high])


def lamp_levels(color: LampColor, stated: LampFact | None) -> tuple[LimitLevel | None, LimitLevel | None]:
    """What a lamp proves and leaves possible.

    The manual decides: what calls a procedure by its section is an alarm when red, what asks for an action is a reason
    to look, what asks for none is normal. A colour that no manual explains proves nothing but that red is worth a look.
    """
    if stated is None:
        if color in ("green", "off"):
            return None, None
        return ("warning" if color == "red" else "normal"), "alarm"
    if color == "red":
        return ("alarm" if find_references(stated.text) else "warning"), "alarm"
    if stated.action.strip() and not _NO_ACTION.match(stated.action):
        return "warning", "warning"
    if color == "green" and stated.action.strip():
        return "normal", "normal"
    return (None, None) if color in ("green", "off") else ("normal", "alarm")
