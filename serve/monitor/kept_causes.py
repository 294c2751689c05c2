"""The root causes that are kept: of the last reports when the language model was set aside, of a day's batch, of the sample."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, get_args

from serve.monitor.diagnosis import Diagnosis, RootCauses, root_causes
from serve.monitor.log import MonitorLog
from serve.store.database import Database

CauseKind = Literal["set_aside", "day", "sampled"]
CAUSE_KINDS: tuple[CauseKind, ...] = get_args(CauseKind)
DIAGNOSIS, OFFLINE, SET_ASIDE = "diagnosis", "offline", "root_causes"
"""Kinds of the log: one report diagnosed at once, the causes of a day's batch, and those of the last reports when it broke."""
SAMPLED = 100


def kept_causes(database: Database, kind: CauseKind, clock: Callable[[], float] = time.time) -> RootCauses | None:
    """The newest report on root causes of a kind, None where there is none. Raises StoreError."""
    log = MonitorLog(database, clock)
    if kind != "sampled":
        return next(iter(log.newest(SET_ASIDE if kind == "set_aside" else OFFLINE, RootCauses)), None)
    # A server that starts, and one whose clock was set back, looks once more at the last hour.
    cases = {one.report: one for one in log.newest(DIAGNOSIS, Diagnosis, SAMPLED)}
    if not cases:
        return None
    return root_causes(max(one.at for one in cases.values()), "reports diagnosed as they were made", list(cases.values()))
