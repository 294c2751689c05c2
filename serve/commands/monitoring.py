"""What `gauge monitor` does: measure now, show what was measured, run alone, let the language model write again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from serve import service as services
from serve.commands.console import print_line
from serve.monitor.degradation import Degradation
from serve.monitor.loop import Monitor
from serve.monitor.overview import compared, read_overview
from serve.monitor.periodic import DAILY, Measures
from serve.monitor.texts import changes_text, overview_text
from serve.settings import load_settings
from serve.store.store import Store


def measure(kind: str, *, as_json: bool) -> tuple[str, bool]:
    """Measure daily or hourly values now; the text, and whether one of them is red."""
    with _monitor() as monitor:
        before = next(iter(monitor.log.newest(kind, Measures)), None)
        now = monitor.daily() if kind == DAILY else monitor.hourly()
        monitor.deliver()
    run = compared(before, now)
    return run.model_dump_json() if as_json else changes_text(kind, run, run.changes), run.light == "red"


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
        told = read_overview(store.database, store.home)
    return told.model_dump_json() if as_json else overview_text(told)


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
