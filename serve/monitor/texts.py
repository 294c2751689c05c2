"""What the monitor says, for a terminal and for alerts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from eval.tables import table
from serve.monitor.colours import Light, worst
from serve.monitor.gate_outcome import GateOutcome
from serve.monitor.live_status import LiveLight, LiveStatus
from serve.monitor.overview import Overview
from serve.monitor.periodic import DAILY, HOURLY, Change, Measures

HOW_TO_RUN = "set GAUGE_MONITOR=1 for `gauge serve`, or start `gauge monitor run`"


def moment_text(at: float) -> str:
    """A moment in UTC, to the minute."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"


def age_text(seconds: float) -> str:
    """How long ago something was: `5 minutes ago`."""
    for unit, length in (("days", 86400.0), ("hours", 3600.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{max(0.0, seconds) / 60:.0f} minutes ago"


def changes_text(kind: str, now: Measures, changes: Sequence[Change]) -> str:
    """A run against the one before: its colour first, then a line a measure."""
    cases = {one.name: one.n for one in now.measures}
    rows = [[one.name, _percent(one.before), _percent(one.now), str(cases[one.name]), one.colour, one.note] for one in changes]
    head = f"{kind}, {moment_text(now.at)}: {worst(one.colour for one in changes)} (manuals {now.knowledge_version})"
    return f"{head}\n{table(['measure', 'before', 'now', 'n', 'colour', 'note'], rows)}"


def live_text(status: LiveStatus, lights: Sequence[LiveLight]) -> str:
    """The last hour in a few lines, each with its colour."""
    colours = {one.name: one.light for one in lights}
    p95 = f"{status.report_ms_p95:.0f} ms" if status.reports else "not measured, no reports"
    low = f", too low since {moment_text(status.low_since)}" if status.low_since is not None else ""
    lines = [
        f"live, {moment_text(status.at)}: {worst(colours.values())}, {status.reports} reports in the last hour",
        f"  report time, P95: {p95} (limit {status.slow_ms:.0f} ms): {colours['report_time']}",
        f"  borne out: {_percent(status.faithful.value)} of {status.faithful.n}{low}: {colours['borne_out']}; "
        f"flagged: {', '.join(status.flagged) or 'none'}",
        f"  not read: {_percent(status.uncertain.value)} of {status.uncertain.n} instruments: {colours['not_read']} "
        f"{status.uncertain_note}".rstrip(),
        f"  golden anchors: {status.anchors} checked since the start, {status.anchor_failures} failed one after another: "
        f"{colours['anchors']}",
    ]
    return "\n".join(lines)


def gate_text(outcome: GateOutcome, light: Light, now: float) -> str:
    """The last run of the gate, its age, and the slices that got worse."""
    found = "open" if outcome.passed else "shut"
    lines = [f"gate, {moment_text(outcome.at)} ({age_text(now - outcome.at)}): {light}, it was {found}"]
    lines.append(f"  against: {outcome.baseline}; {'with' if outcome.with_photos else 'without'} photos")
    if outcome.renewed is not None:
        lines.append(f"  became the new baseline: {outcome.renewed}")
    lines += [f"  {one.probe}, {one.slice}: {one.why}\n    what to do: {one.remedy}" for one in outcome.worse]
    if outcome.missing:
        lines.append(f"  {outcome.missing} cases of the baseline were not measured")
    if light == "yellow" and outcome.passed:
        lines.append("  other manuals are in use since: `gauge gate` measures them")
    return "\n".join(lines)


def overview_text(told: Overview) -> str:
    """All levels, newest alerts last."""
    parts = [live_text(told.live, told.lights) if told.live is not None else f"live: nothing yet; {HOW_TO_RUN}"]
    if told.live is not None and not told.running:
        parts.append(f"No monitor runs now, the last one ended {age_text(told.at - told.live.at)}; {HOW_TO_RUN}")
    for kind, run in ((HOURLY, told.hourly), (DAILY, told.daily)):
        nothing = f"{kind}: not measured yet; `gauge monitor {kind}` does"
        parts.append(changes_text(kind, run, run.changes) if run is not None else nothing)
    parts.append(
        gate_text(told.gate, told.gate_light, told.at) if told.gate is not None else "gate: not run yet; `gauge gate` does"
    )
    if told.set_aside is not None:
        since = f"Language models are set aside since {moment_text(told.set_aside.since)}: {told.set_aside.reason}."
        parts.append(f"{since} `gauge monitor resume` lets them write again. {told.set_aside.report}".rstrip())
    parts += [f"{moment_text(one.at)} {one.level} {one.key}: {one.text.splitlines()[0]}" for one in told.alerts if one.text]
    waiting = "an unknown number of" if told.backlog is None else str(told.backlog)
    parts.append(f"{told.alerts_waiting} alerts wait to be sent, {waiting} reports for the day's diagnosis.")
    return "\n\n".join(parts)


def _percent(value: float) -> str:
    return f"{value:.1%}" if value == value else "-"
