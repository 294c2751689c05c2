"""Cases of the failure library for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from eval.failures import (
    AXES,
    COMPLAINTS,
    MAX_REPORT_BYTES,
    Axis,
    FailureCase,
    FailureError,
    FailureLibrary,
    Label,
    parse_report,
)
from serve.settings import load_settings

LABELS: tuple[Label, ...] = ("yes", "no", "unknown")
Name = TypeVar("Name", bound=str)


def add_report(file: str, *, as_json: bool) -> str:
    """Keep the report in a file or on stdin (`-`). Raises FailureError where it is none."""
    with sys.stdin.buffer if file == "-" else Path(file).open("rb") as source:
        data = source.read(MAX_REPORT_BYTES + 1)
    case = _library().add(parse_report(data))
    return _json(case) if as_json else f"Case {case.id}, {case.report.complaint}, about request {case.report.request_id}"


def list_text(axis: str | None, complaint: str | None, *, as_json: bool) -> str:
    """The cases one a line, the newest first, then the causes counted. Raises FailureError for a name that is none."""
    cases = _library().cases(axis=_named("axis", axis, AXES), complaint=_named("complaint", complaint, COMPLAINTS))
    if as_json:
        return "\n".join(_json(case) for case in cases)
    lines = [
        "  ".join((str(case.id), _moment(case), one.complaint, one.request_id, ", ".join(one.causes.found) or "-"))
        for case, one in ((case, case.report) for case in cases)
    ]
    counts = ", ".join(f"{name} {sum(name in case.report.causes.found for case in cases)}" for name in AXES)
    return "\n".join([*lines, f"{len(cases)} cases; causes: {counts}"])


def show_case(number: int, *, as_json: bool) -> str:
    """One case whole. Raises FailureError where there is none."""
    case = _library().case(number)
    return _json(case) if as_json else _text(case)


def label_case(number: int, causes: Sequence[str], *, as_json: bool) -> str:
    """Set axes given as `axis=label`. Raises FailureError for a name or a label that is none."""
    found: dict[Axis, Label] = {}
    for text in causes:
        axis, _, label = text.partition("=")
        name, value = _named("axis", axis, AXES), _named("label", label, LABELS)
        if name is not None and value is not None:
            found[name] = value
    case = _library().label(number, found)
    return _json(case) if as_json else _text(case)


def _library() -> FailureLibrary:
    return FailureLibrary(load_settings().home)


def _named(what: str, text: str | None, names: Sequence[Name]) -> Name | None:
    if text is None:
        return None
    for name in names:
        if name == text:
            return name
    raise FailureError(f"no {what} {text[:60]!r}; there are {', '.join(names)}")


def _moment(case: FailureCase) -> str:
    return datetime.fromtimestamp(case.at, UTC).isoformat(timespec="seconds")


def _json(case: FailureCase) -> str:
    body: dict[str, Any] = {"id": case.id, "at": _moment(case), "report": case.report.model_dump(mode="json")}
    return json.dumps(body, ensure_ascii=False)


def _text(case: FailureCase) -> str:
    report = case.report
    lines = [f"case {case.id}, {_moment(case)}", f"request {report.request_id}", f"complaint {report.complaint}"]
    lines += [f"question: {report.question}"] if report.question else []
    lines += [f"expected: {point}" for point in report.expected]
    lines += [f"note: {report.note}"] if report.note else []
    lines += [f"cause {axis}: {getattr(report.causes, axis)}" for axis in AXES]
    lines += [f"{name}: {value}" for name, value in report.watermark.items()]
    return "\n".join(_printable(line) for line in lines)


def _printable(line: str) -> str:
    """A reported text without the control characters that would move a terminal's cursor."""
    return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in line)
