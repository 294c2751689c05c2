"""What the monitor says, for a terminal and for mail."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from eval.tables import table
from serve.monitor.live import LiveStatus
from serve.monitor.periodic import Change, Measures


def moment_text(at: float) -> str:
    """A moment in UTC, to the minute."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"


def changes_text(kind: str, now: Measures, changes: Sequence[Change]) -> str:
    """A run against the one before: its colour first, then a line a measure."""
    worst = next((colour for colour in ("red", "yellow") if any(one.colour == colour for one in changes)), "green")
    cases = {one.name: one.n for one in now.measures}
    rows = [[one.name, _percent(one.before), _percent(one.now), str(cases[one.name]), one.colour, one.note] for one in changes]
    head = f"{kind}, {moment_text(now.at)}: {worst} (manuals {now.knowledge_version})"
    return f"{head}\n{table(['measure', 'before', 'now', 'n', 'colour', 'note'], rows)}"


def live_text(status: LiveStatus) -> str:
    """The last hour in a few lines."""
    p95 = f"{status.report_ms_p95:.0f} ms" if status.reports else "not measured, no reports"
    lines = [
        f"live, {moment_text(status.at)}: {status.reports} reports in the last hour",
        f"  report time, P95: {p95} (limit {status.slow_ms:.0f} ms)",
        f"  borne out: {_percent(status.faithful.value)} of {status.faithful.n}; flagged: {', '.join(status.flagged) or 'none'}",
        f"  not read: {_percent(status.uncertain.value)} of {status.uncertain.n} instruments {status.uncertain_note}".rstrip(),
        f"  golden anchors: {status.anchors} checked since the start, {status.anchor_failures} failed one after another",
    ]
    return "\n".join(lines)


def _percent(value: float) -> str:
    return f"{value:.1%}" if value == value else "-"
