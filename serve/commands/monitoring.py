"""What `gauge monitor` does: measure now, show what was measured, run alone, let the language model write again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager

from serve import service as services
from serve.commands.console import print_line
from serve.monitor.alerts import Alerts
from serve.monitor.degradation import Degradation
from serve.monitor.live import LIVE, LiveStatus
from serve.monitor.log import MonitorLog
from serve.monitor.loop import DAILY, HOURLY, Monitor
from serve.monitor.periodic import Measures, compare_runs
from serve.monitor.texts import changes_text, live_text, moment_text
from serve.settings import load_settings
from serve.store.store import Store


def measure(kind: str, *, as_json: bool) -> tuple[str, bool]:
    """Measure daily or hourly values now; the text, and whether one of them is red."""
    with _monitor() as monitor:
        before = next(iter(monitor.log.newest(kind, Measures)), None)
        now = monitor.daily() if kind == DAILY else monitor.hourly()
        changes = compare_runs(before, now)
        monitor.deliver()
    red = any(one.colour == "red" for one in changes)
    if as_json:
        return json.dumps({**now.model_dump(mode="json"), "changes": [one.model_dump(mode="json") for one in changes]}), red
    return changes_text(kind, now, changes), red


def run_monitor() -> None:
    """Run all levels until interrupted."""
    with _monitor() as monitor:
        print_line("The monitor runs; it ends with Ctrl-C.")
        try:
            monitor.run()
        except KeyboardInterrupt:
            monitor.stop()


def status(*, as_json: bool) -> str:
    """What was measured last; nothing is measured now."""
    with closing(Store.open(load_settings())) as store:
        log, alerts, degradation = MonitorLog(store.database), Alerts(store.database), Degradation(store.database)
        live = log.get(LIVE, LiveStatus)
        runs = {kind: log.newest(kind, Measures, 2) for kind in (HOURLY, DAILY)}
        aside, newest, waiting = degradation.now(), alerts.newest(5), alerts.waiting()
    if as_json:
        told = {
            "live": live.model_dump(mode="json") if live else None,
            **{kind: found[0].model_dump(mode="json") if found else None for kind, found in runs.items()},
            "set_aside": aside.model_dump(mode="json") if aside else None,
            "alerts": [one.model_dump(mode="json") for one in newest],
            "alerts_waiting": waiting,
        }
        return json.dumps(told, ensure_ascii=False)
    parts = [
        live_text(live) if live else "live: nothing yet; set GAUGE_MONITOR=1 for `gauge serve`, or start `gauge monitor run`"
    ]
    for kind, found in runs.items():
        before = found[1] if len(found) > 1 else None
        nothing = f"{kind}: not measured yet; `gauge monitor {kind}` does"
        parts.append(changes_text(kind, found[0], compare_runs(before, found[0])) if found else nothing)
    if aside:
        parts.append(f"Language models are set aside since {moment_text(aside.since)}: {aside.reason}. {aside.report}")
    parts += [f"{moment_text(one.at)} {one.level} {one.key}: {one.text.splitlines()[0]}" for one in newest if one.text]
    parts.append(f"{waiting} alerts wait to be sent.")
    return "\n\n".join(parts)


def resume() -> str:
    """Let language models write again."""
    with closing(Store.open(load_settings())) as store:
        held = Degradation(store.database).end()
    return "Language models write again." if held else "Language models were not set aside."


@contextmanager
def _monitor() -> Iterator[Monitor]:
    service = services.open_service()
    with closing(Store.open(service.settings)) as store:
        yield Monitor(service, store)
