"""Day over day: an anchor run beside the one before it, as one of three colours with the anchors that changed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from eval.golden_run import AnchorReport
from eval.score import EvalError, Number
from vision.fields import Contract

Colour = Literal["green", "yellow", "red"]
RED_DROP = 0.05


class Change(Contract):
    """green: as good or better; yellow: fewer pass, by less than `RED_DROP`; red: more, or an anchor that passed before fails.

    `drop` is the loss of the pass rate, NaN where one of the two runs has none.
    """

    colour: Colour
    drop: Number
    new_failures: tuple[str, ...]
    repaired: tuple[str, ...]
    gone: tuple[str, ...]


def compare_runs(before: AnchorReport, now: AnchorReport) -> Change:
    """What changed from one run to the next. An anchor that is gone can no longer fail, and is named for that."""
    old, new = ({row.id: row.score.state for row in report.rows} for report in (before, now))
    failures = tuple(id for id, state in new.items() if state == "unsupported" and old.get(id) != "unsupported")
    repaired = tuple(id for id, state in new.items() if state == "supported" and old.get(id) == "unsupported")
    gone = tuple(id for id in old if new.get(id, "not_scorable") == "not_scorable" and old[id] != "not_scorable")
    drop = before.passed.value - now.passed.value
    colour: Colour = "green"
    if failures or math.isnan(drop) or drop >= RED_DROP:
        colour = "red"
    elif drop > 0 or gone:
        colour = "yellow"
    return Change(colour=colour, drop=drop, new_failures=failures, repaired=repaired, gone=gone)


def read_report(path: Path) -> AnchorReport:
    """A run's report from its JSON. Raises EvalError naming the file."""
    try:
        return AnchorReport.model_validate_json(path.read_bytes())
    except OSError as error:
        raise EvalError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise EvalError(f"{path}: not the report of an anchor run: {place}: {first['msg']}") from error
