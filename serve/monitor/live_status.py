"""What level 1 knows: its limits, the last hour in numbers, and the colour of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from eval.golden_run import AnchorRow
from eval.sampling import Sampler
from eval.score import Number, Share
from serve.monitor.colours import Light
from vision.fields import Contract

LIVE = "live"
STALE_S = 900.0
"""A status that is older says nothing of now. The hourly and daily measures may keep the monitor busy for minutes."""

LiveName = Literal["report_time", "borne_out", "not_read", "anchors"]


@dataclass(frozen=True)
class LiveOptions:
    """`slow_ms`: P95 of a report's own time, without the reader. `window_s` is what shares and P95 are taken over, of
    `fewest` reports at least. Below `faithful` it is said, below `broken` for `broken_s` the language model is set aside.
    `cases` reports become the root-cause report; `at_once` reports are looked at in one step."""

    slow_ms: float = 800.0
    window_s: float = 3600.0
    fewest: int = 20
    faithful: float = 0.90
    broken: float = 0.85
    broken_s: float = 7200.0
    uncertain: tuple[float, float] = (0.05, 0.15)
    anchor_s: float = 60.0
    in_a_row: int = 3
    cases: int = 100
    at_once: int = 50
    sampler: Sampler = field(default_factory=Sampler)


class LiveStatus(Contract):
    """What the reports of the last hour show. `report_ms_p95` is NaN and a share without n where there were none.

    `faithful` is over the reports that can be judged; `uncertain` is the share of instruments that were not read, and
    `uncertain_note` says where it lies outside of what is usual. `flagged`: ids of reports with a sentence that nothing bears
    out. `anchors` counts those checked since the start, `anchor_failures` those that failed one after another until now.
    """

    at: float
    reports: int
    report_ms_p95: Number
    slow_ms: float
    faithful: Share
    uncertain: Share
    uncertain_note: str
    flagged: tuple[str, ...]
    low_since: float | None
    anchors: int
    anchor_failures: int
    last_anchor: AnchorRow | None = None


class LiveLight(Contract):
    """The colour of one live value."""

    name: LiveName
    light: Light


def is_fresh(status: LiveStatus | None, now: float) -> bool:
    """Whether a monitor was at work a short while ago, in whatever process."""
    return status is not None and abs(now - status.at) < STALE_S


def live_lights(status: LiveStatus, now: float, options: LiveOptions = LiveOptions()) -> tuple[LiveLight, ...]:
    """Each value's colour by the limits at which it is said; not known where too little came, or nothing for long."""

    def light(name: LiveName, known: bool, red: bool, yellow: bool = False) -> LiveLight:
        if not known or not is_fresh(status, now):
            return LiveLight(name=name, light="unknown")
        return LiveLight(name=name, light="red" if red else "yellow" if yellow else "green")

    faithful, failures = status.faithful, status.anchor_failures
    judged = status.last_anchor is not None and status.last_anchor.score.state != "not_scorable"
    return (
        light("report_time", status.reports >= options.fewest, status.report_ms_p95 > status.slow_ms),
        light(
            "borne_out", faithful.n >= options.fewest, faithful.value < options.broken, yellow=faithful.value < options.faithful
        ),
        light("not_read", status.uncertain.n >= options.fewest, red=False, yellow=bool(status.uncertain_note)),
        light("anchors", judged or failures > 0, failures >= options.in_a_row, yellow=failures > 0),
    )
