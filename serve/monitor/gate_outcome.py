"""What `gauge gate` found last, kept in the store so that who watches the server sees it too."""

from __future__ import annotations

from eval.gate import Verdict
from eval.gate_rows import Probe
from serve.monitor.colours import Light
from vision.fields import Contract

GATE = "gate"
MOST_KEPT = 50


class WorseSlice(Contract):
    """A slice that got worse, why, and what to do about it."""

    probe: Probe
    slice: str
    why: str
    remedy: str


class GateOutcome(Contract):
    """One run of the gate. `worse` holds the first 50 slices, `missing` counts cases that the run did not measure.

    `baseline`: the newest reason of the frozen run that it was held against, with its day. `renewed`: the reason for which
    this run became the new baseline, None where it did not. `versions`: of the manuals and the weights that were measured.
    """

    at: float
    passed: bool
    with_photos: bool
    worse: tuple[WorseSlice, ...]
    missing: int
    baseline: str
    versions: dict[str, str]
    renewed: str | None = None


def gate_outcome(verdict: Verdict, at: float, baseline: str, renewed: str | None = None) -> GateOutcome:
    """What is kept of a verdict that was found at a moment (seconds since 1970)."""
    worse = [WorseSlice(probe=one.probe, slice=one.slice, why=one.why, remedy=one.remedy) for one in verdict.worse[:MOST_KEPT]]
    return GateOutcome(
        at=at,
        passed=verdict.passed,
        with_photos=any(one.probe == "fields" for one in verdict.slices),
        worse=tuple(worse),
        missing=len(verdict.missing),
        baseline=baseline,
        renewed=renewed,
        versions=verdict.versions,
    )


def gate_light(outcome: GateOutcome, knowledge_version: str | None) -> Light:
    """Red where it is shut. Yellow where a worse run was made the baseline on purpose, or other manuals are in use since."""
    if not outcome.passed:
        return "red" if outcome.renewed is None else "yellow"
    return "green" if knowledge_version in (None, outcome.versions.get("knowledge")) else "yellow"
