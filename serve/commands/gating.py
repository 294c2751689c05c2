"""`gauge gate`: measures the chain, holds it against the frozen baseline, says what got worse, and keeps that in the store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from eval.gate import BASELINE, Measured, SliceChange, Verdict, compare, read_baseline, renew, write_baseline
from eval.gate_rows import PHOTO_PROBES, GateRow, Probe, anchor_rows, photo_rows, report_rows, retrieval_rows
from eval.score import EvalError, Mean
from eval.tables import number, table
from serve import service as services
from serve.commands.console import print_error
from serve.monitor.gate_outcome import GATE, gate_outcome
from serve.monitor.log import MonitorLog
from serve.store.errors import StoreError
from serve.store.store import Store


def run_gate(*, photos: bool, baseline: Path | None, update: str | None, weights: str | None, as_json: bool) -> tuple[str, bool]:
    """The verdict for people or as one JSON object, and whether a slice got worse. With `update` (the reason) the run becomes
    the new baseline. Raises EvalError where the baseline does not hold or the reason is empty, before anything is measured."""
    path = baseline or BASELINE
    if update is not None and not update.strip():
        raise EvalError("--update needs a reason: what changed, and why that is wanted")
    before = read_baseline(path) if update is None or path.exists() else None
    service = services.open_service(weights=weights)
    measured = measure(service, photos=photos)
    verdict = compare(before, measured) if before is not None else None
    if before is not None and verdict is not None:
        _keep(service, verdict, f"frozen on {before.reasons[0]}" if before.reasons else path.name, update)
    if update is not None:
        write_baseline(renew(measured, update, datetime.now(UTC).date(), before), path)
        text = f"{path}: the new baseline."
        if as_json:
            return verdict.model_dump_json() if verdict is not None else "{}", False
        return f"{verdict_text(verdict)}\n{text}" if verdict is not None else text, False
    assert verdict is not None  # without a baseline and without an update nothing was measured
    return verdict.model_dump_json() if as_json else verdict_text(verdict), not verdict.passed


def _keep(service: services.Service, verdict: Verdict, baseline: str, renewed: str | None) -> None:
    """Let the monitor know. A store that cannot be used changes nothing of the verdict."""
    try:
        with closing(Store.open(service.settings)) as store:
            MonitorLog(store.database).keep(GATE, gate_outcome(verdict, time.time(), baseline, renewed))
    except StoreError as error:
        print_error(f"the outcome is not kept for the monitor: {error}")


def measure(service: services.Service, *, photos: bool) -> Measured:
    """All rows of the chain as it is; `fields` and `honesty` only with `photos`."""
    kb = service.knowledge
    probes: dict[Probe, tuple[GateRow, ...]] = {
        "ERR": _collect(retrieval_rows(kb), "questions"),
        "FAR": _collect(report_rows(kb), "reports"),
        "anchors": _collect(anchor_rows(kb), "anchors"),
    }
    versions = {"knowledge": kb.version}
    if photos:
        read = tuple(tqdm(photo_rows(service), desc="fields", unit="case"))
        probes |= {probe: tuple(row for of, row in read if of == probe) for probe in PHOTO_PROBES}
        versions["weights"] = f"{service.reader.weights.name} {service.reader.weights.version}"
    return Measured(probes=probes, versions=versions)


def _collect(rows: Iterator[GateRow], label: str) -> tuple[GateRow, ...]:
    return tuple(tqdm(rows, desc=label, unit="case"))


def verdict_text(verdict: Verdict) -> str:
    """The probes as a table, what changed, and the verdict last."""
    rows = [_line(one) for one in verdict.slices if one.slice == "all"]
    header = ["probe", "slice", "baseline", "now", "difference, 95 %", "band", "state"]
    parts = [table(header, rows)]
    changed = [one for one in verdict.slices if one.slice != "all" and one.state != "same"]
    if changed:
        parts.append(table(header, [_line(one) for one in changed]))
    for name, version in verdict.versions.items():
        old = verdict.baseline_versions.get(name)
        if old != version:
            parts.append(f"{name}: {old or 'not known'} in the baseline, {version} now")
    parts += [f"{one.probe}, {one.slice}: {one.why}\n  what to do: {one.remedy}" for one in verdict.worse]
    if verdict.missing:
        shown = ", ".join(verdict.missing[:5])
        parts.append(f"{len(verdict.missing)} cases of the baseline were not measured or cannot be scored any more: {shown}")
    if verdict.fresh:
        parts.append(f"{verdict.fresh} cases are not in the baseline yet.")
    return "\n\n".join([*parts, "The gate is open." if verdict.passed else "The gate is shut: see above."])


def _line(one: SliceChange) -> list[str]:
    interval = f"[{_points(one.low)}, {_points(one.high)}]"
    return [one.probe, one.slice, _rate(one.before), _rate(one.now), interval, _points(-one.band), one.state]


def _rate(mean: Mean) -> str:
    return f"{number(100 * mean.value)} % ± {number(100 * mean.stderr, 2)} (n {mean.n})" if mean.n else "-"


def _points(value: float) -> str:
    return f"{100 * value:+.1f}" if value == value else "-"
