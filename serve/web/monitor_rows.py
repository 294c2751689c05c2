"""What the monitor measured as rows of tables, in the page's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from eval.tables import percent
from serve.monitor.colours import Light
from serve.monitor.live_status import LiveOptions
from serve.monitor.overview import Compared, Overview
from serve.monitor.periodic import LIMITS, Limit
from serve.web.chart import stamp
from serve.web.words import Words

PILLS: Mapping[Light, str] = {"green": "good", "yellow": "attention", "red": "danger", "unknown": "unknown"}
_HOUR_S, _DAY_S = 3600.0, 86400.0


class MonitorRow(NamedTuple):
    """A measure: its value with what it is of, the value before (None where there is none), its limit, and its colour."""

    name: str
    value: str
    before: str | None
    limit: str
    pill: str
    colour: str


class RunPart(NamedTuple):
    """A run of the hourly or daily measures; `failing` names its golden anchors that fail."""

    when: str
    age: str
    manuals: str
    rows: tuple[MonitorRow, ...]
    failing: str


def age(seconds: float, words: Words) -> str:
    """How long ago something was."""
    if seconds >= 2 * _DAY_S:
        return words("age_days", count=round(seconds / _DAY_S))
    if seconds >= 2 * _HOUR_S:
        return words("age_hours", count=round(seconds / _HOUR_S))
    return words("age_minutes", count=round(max(0.0, seconds) / 60))


def live_rows(told: Overview, words: Words) -> tuple[MonitorRow, ...]:
    """The last hour; nothing where it was never looked at."""
    live, options = told.live, LiveOptions()
    if live is None:
        return ()
    low, high = options.uncertain
    shown = {
        "report_time": words("milliseconds", ms=f"{live.report_ms_p95:.0f}") if live.reports else "–",
        "borne_out": percent(live.faithful),
        "not_read": percent(live.uncertain),
        "anchors": words("anchors_failed", checked=live.anchors, failed=live.anchor_failures),
    }
    limits = {
        "report_time": words("at_most", limit=words("milliseconds", ms=f"{live.slow_ms:.0f}")),
        "borne_out": words("at_least", limit=f"{100 * options.faithful:.0f} %"),
        "not_read": words("usually", low=f"{100 * low:.0f} %", high=f"{100 * high:.0f} %"),
        "anchors": words("in_a_row", count=options.in_a_row),
    }
    return tuple(
        _row(words(f"measure_{one.name}"), shown[one.name], None, limits[one.name], one.light, words) for one in told.lights
    )


def run_part(run: Compared | None, now: float, words: Words) -> RunPart | None:
    """A run with every measure beside the one of the run before."""
    if run is None:
        return None
    cases = {one.name: one.n for one in run.measures}
    rows = tuple(
        _row(
            words(f"measure_{one.name}"),
            f"{_percent(one.now)} (n {cases[one.name]})" if one.now == one.now else words("not_measured_now"),
            _percent(one.before) if one.before == one.before else None,
            _limit(LIMITS[one.name], words),
            one.colour,
            words,
        )
        for one in run.changes
    )
    return RunPart(stamp(run.at), age(now - run.at, words), run.knowledge_version, rows, ", ".join(run.failed))


def _row(name: str, value: str, before: str | None, limit: str, light: Light, words: Words) -> MonitorRow:
    return MonitorRow(name, value, before, limit, PILLS[light], words(f"light_{light}"))


def _limit(limit: Limit, words: Words) -> str:
    return words("at_most" if limit.at_most else "at_least", limit=_percent(limit.bound))


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"
