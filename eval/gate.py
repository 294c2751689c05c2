"""The gate: what is measured now against a frozen baseline, case by case. Says which slice got worse, why, and what to do.

A slice is worse where its rate fell by more than its band, which is how far the baseline's own bootstrap interval reaches
down, or where the interval of the paired differences lies below 0. A slice that was perfect has no band; that of photos is
one case at least, for another processor rounds otherwise. An anchor that fails is worse whatever the rate. Cases that the
baseline has and this run has not, or can no longer score, are no pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import ValidationError

from eval.attribution import Signals, attribute
from eval.gate_rows import PHOTO_PROBES, GateRow, Probe
from eval.score import NAN, EvalError, Mean, Number, bootstrap_interval, mean_of
from vision.fields import Contract

BASELINE = Path(__file__).with_name("baseline.json")
ROUNDS = 1000
SEED = 20
SHOWN = 3
"""Lost cases that a finding names."""

State = Literal["same", "better", "lower", "worse"]
_EVIDENCE: dict[Probe, Signals] = {
    "ERR": Signals(hit=0.0),
    "FAR": Signals(fci=0.0, borne_out=0.0),
    "fields": Signals(located=1.0, fields=0.0),
    "honesty": Signals(located=1.0, fields=0.0),
}
"""What a lost case of a probe says about the chain; an anchor says it in its own reason."""


class Measured(Contract):
    """All rows of one run by probe, and what they were measured on: versions of the weights and of the manuals."""

    probes: dict[Probe, tuple[GateRow, ...]]
    versions: dict[str, str]


class Baseline(Contract):
    """A frozen run. `reasons`: why it was frozen, and why each earlier one was, the newest first."""

    made_on: date
    reasons: tuple[str, ...]
    measured: Measured


class SliceChange(Contract):
    """A slice then and now. `low` and `high`: 95 % bootstrap interval of the paired differences; `band`: the drop that is
    within chance. `lost` names cases that were right; `why` and `remedy` are "" unless it is worse."""

    probe: Probe
    slice: str
    before: Mean
    now: Mean
    low: Number
    high: Number
    band: Number
    state: State
    lost: tuple[str, ...] = ()
    why: str = ""
    remedy: str = ""


class Verdict(Contract):
    """The gate's answer. `slices` begins with each probe as a whole (slice "all"). `missing`: cases of the baseline that were
    not measured or can no longer be scored; `fresh`: cases that it does not have yet."""

    passed: bool
    slices: tuple[SliceChange, ...]
    missing: tuple[str, ...]
    fresh: int
    versions: dict[str, str]
    baseline_versions: dict[str, str]

    @property
    def worse(self) -> tuple[SliceChange, ...]:
        """The slices that stop a change."""
        return tuple(one for one in self.slices if one.state == "worse")


def compare(baseline: Baseline, now: Measured) -> Verdict:
    """The verdict on a run. Only the probes that it measured are compared; without any there is no pass."""
    slices: list[SliceChange] = []
    missing: list[str] = []
    fresh = 0
    for probe, rows in now.probes.items():
        before = {row.id: row for row in baseline.measured.probes.get(probe, ())}
        after = _by_id(probe, rows)
        missing += [f"{probe} {id}" for id, row in before.items() if _scored(row) and not _scored(after.get(id))]
        fresh += len(after.keys() - before.keys())
        pairs = [(row, after[id]) for id, row in before.items() if _scored(row) and _scored(after.get(id))]
        # A new anchor that fails must not wait for a baseline; other new cases do.
        broken = [row for id, row in after.items() if probe == "anchors" and id not in before and row.value == 0]
        slices.append(_change(probe, "all", pairs, broken))
        for name in sorted({row.slice for row, _ in pairs} | {row.slice for row in broken}):
            of_slice = [(old, new) for old, new in pairs if old.slice == name]
            slices.append(_change(probe, name, of_slice, [row for row in broken if row.slice == name]))
    judged = any(one.now.n for one in slices)
    return Verdict(
        passed=judged and not missing and all(one.state != "worse" for one in slices),
        slices=tuple(slices),
        missing=tuple(missing),
        fresh=fresh,
        versions=now.versions,
        baseline_versions=baseline.measured.versions,
    )


def _change(probe: Probe, name: str, pairs: Sequence[tuple[GateRow, GateRow]], broken: Sequence[GateRow] = ()) -> SliceChange:
    old, new = np.array([row.value for row, _ in pairs]), np.array([row.value for _, row in pairs])
    before, now = mean_of(old), mean_of([*new, *(row.value for row in broken)])
    rng = np.random.default_rng(SEED)
    low, high = bootstrap_interval(rng, len(pairs), lambda at: float((new - old)[at].mean()), ROUNDS)
    reach, _ = bootstrap_interval(rng, len(pairs), lambda at: float(old[at].mean()), ROUNDS)
    band = before.value - reach if pairs else NAN
    if probe in PHOTO_PROBES and pairs:
        band = max(band, 1 / len(pairs))
    drop = before.value - now.value
    lost = [after for was, after in pairs if was.value > after.value] + list(broken)
    state: State = "better" if drop < 0 else "lower" if drop > 0 else "same"
    if drop > band + 1e-12 or high < 0 or (probe == "anchors" and lost):
        state = "worse"
    why, remedy = _explained(probe, lost) if state == "worse" else ("", "")
    return SliceChange(
        probe=probe, slice=name, before=before, now=now, low=low, high=high, band=band, state=state,
        lost=tuple(row.id for row in lost), why=why, remedy=remedy,
    )  # fmt: skip


def _explained(probe: Probe, lost: Sequence[GateRow]) -> tuple[str, str]:
    named = "; ".join(f"{row.id}: {row.reason}" for row in lost[:SHOWN])
    more = f"; and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
    if probe == "anchors":
        ids = " ".join(row.id for row in lost[:SHOWN])
        return f"{named}{more}", f"`gauge eval anchors {ids}` writes a page for each that shows the link that failed"
    found = attribute(_EVIDENCE[probe])
    return f"{found.layer}: {named}{more}", found.remedy


def _scored(row: GateRow | None) -> bool:
    return row is not None and not math.isnan(row.value)


def _by_id(probe: Probe, rows: Iterable[GateRow]) -> dict[str, GateRow]:
    found: dict[str, GateRow] = {}
    for row in rows:
        if row.id in found:
            raise EvalError(f"{probe}: the case {row.id!r} was measured twice")
        found[row.id] = row
    return found


def read_baseline(path: Path = BASELINE) -> Baseline:
    """The frozen run in a file. Raises EvalError where there is none or it does not hold."""
    try:
        return Baseline.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise EvalError(f"{path}: there is no baseline yet; `gauge gate --update REASON` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise EvalError(f"{path}: the baseline cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise EvalError(f"{path}: not a baseline: {place or 'the file'}: {first['msg']}") from error


def renew(measured: Measured, reason: str, today: date, before: Baseline | None) -> Baseline:
    """A new baseline. Probes that were not measured are kept from the one before. Raises EvalError without a reason."""
    if not reason.strip():
        raise EvalError("a new baseline needs a reason: what changed, and why that is wanted")
    for probe, rows in measured.probes.items():
        _by_id(probe, rows)
    old: Mapping[Probe, tuple[GateRow, ...]] = before.measured.probes if before is not None else {}
    versions = {**(before.measured.versions if before is not None else {}), **measured.versions}
    reasons = (f"{today.isoformat()}: {reason.strip()}", *(before.reasons if before is not None else ()))
    return Baseline(made_on=today, reasons=reasons, measured=Measured(probes={**old, **measured.probes}, versions=versions))


def write_baseline(baseline: Baseline, path: Path = BASELINE) -> None:
    """Freeze a run, a case a line so that a change of it can be read. Raises EvalError where it cannot be written."""
    head = baseline.model_dump_json(exclude={"measured"})[:-1]
    probes = [
        f'"{probe}":[\n' + ",\n".join(row.model_dump_json() for row in rows) + "\n]"
        for probe, rows in baseline.measured.probes.items()
    ]
    versions = Measured(probes={}, versions=baseline.measured.versions).model_dump_json(include={"versions"})[1:-1]
    text = f'{head},\n"measured":{{{versions},\n"probes":{{' + ",\n".join(probes) + "}}}\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EvalError(f"{path}: the baseline cannot be written: {error}") from error
