"""The whole diagnosis of one instrument: limits, accuracy class, contradictions within the photo, trend."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.articles import Language
from knowledge.facts import ModelFacts
from rag.accuracy import judge_accuracy
from rag.contradictions import (
    Sibling,
    find_lamp,
    judge_display,
    judge_kind,
    judge_lamp,
    judge_readout,
    judge_selector,
    judge_units,
)
from rag.diagnosis import Diagnosis, judge_value
from rag.history import Past
from rag.trend import judge_trend
from vision.fields import InstrumentReading


def diagnose(
    reading: InstrumentReading,
    number: int,
    facts: ModelFacts | None,
    language: Language,
    *,
    siblings: Sequence[Sibling] = (),
    past: Past | None = None,
) -> tuple[Diagnosis, ...]:
    """All findings about a reading after the manual was asked, in the order in which they are said.

    Without facts only what needs no manual is judged; an abstained reading is not judged at all.
    """
    if reading.status == "abstained":
        return ()
    trend = judge_trend(reading, past, language)
    alike = (*judge_units(reading, number, siblings), *judge_display(reading, siblings))
    if facts is None:
        return (*alike, *trend)
    other_kind = judge_kind(reading, facts, siblings, language)
    if other_kind:
        # Limits of another instrument prove nothing about this one.
        return (*other_kind, *alike, *trend)
    placed = judge_value(reading, facts, language)
    return (
        *placed,
        *judge_lamp(facts, find_lamp(reading, siblings), placed, language),
        *judge_accuracy(reading, facts, placed, language),
        *judge_selector(reading, facts, siblings),
        *judge_readout(reading, facts),
        *alike,
        *trend,
    )
