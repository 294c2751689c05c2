"""Stored requests for people: made again, shown stage by stage, listed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, NamedTuple

from knowledge.timeline import parse_moment
from rag.errors import TraceError
from rag.replay import replay
from rag.trace import Trace
from rag.trace_store import TraceStore
from serve.library import open_knowledge, open_version
from serve.settings import Settings, load_settings
from serve.show import plain_text

MAX_SHOWN = 2000
"""Characters of one long value that are shown; `--json` has all of it."""


class Answer(NamedTuple):
    """What a replay prints, and in a line each why it is not the stored report."""

    text: str
    problems: tuple[str, ...] = ()


def replay_request(request_id: str, *, as_json: bool) -> Answer:
    """The report of a stored request, made anew. Raises TraceError where there is no such request."""
    settings = load_settings()
    trace = TraceStore(settings.home).load(request_id)
    reading = next((stage.outputs for stage in trace.stages if stage.name == "reading"), {})
    if reading.get("status") == "error":
        raise TraceError(f"the photo of request {request_id} could not be opened ({reading.get('reason')}): it has no report")
    as_of = parse_moment(trace.as_of)
    knowledge = open_version(settings, trace.knowledge_version, as_of)
    gone = knowledge is None
    again = replay(trace, knowledge or open_knowledge(settings, as_of))
    difference = again.difference
    report = again.run.inspection.report
    if report is None:
        raise TraceError(f"the trace of request {request_id} holds no reading that a report could be made of")
    problems = [f"version {trace.knowledge_version} of the manuals is gone; the present one was asked"] if gone else []
    if difference is not None:
        problems.append(f"not the stored report; the first difference is in {difference}")
    if as_json:
        found = difference._asdict() if difference is not None else None
        body = {"request_id": request_id, "same": difference is None, "difference": found, "version_gone": gone}
        return Answer(json.dumps({**body, "report": report.model_dump(mode="json")}, ensure_ascii=False), tuple(problems))
    verdict = "" if problems else f"\nThe same report, byte for byte, as on {trace.made_at}.\n"
    return Answer(plain_text(report.markdown) + verdict, tuple(problems))


def show_request(request_id: str, *, as_json: bool) -> str:
    """The stages of a stored request with inputs and outputs. Raises TraceError where there is no such request."""
    trace = TraceStore(load_settings().home).load(request_id)
    return trace.model_dump_json() if as_json else trace_text(trace)


def trace_text(trace: Trace) -> str:
    """A trace for people: its head, then every stage."""
    head = [
        f"request {trace.request_id}, {trace.made_at}, language {trace.language}, writer {trace.writer}",
        f"manuals {trace.knowledge_version} as of {trace.as_of}",
        f"sentences reworded {trace.rewritten}, refused and replaced {len(trace.replaced)}",
        "milliseconds: " + ", ".join(f"{name} {spent:.0f}" for name, spent in trace.timing_ms.items()),
    ]
    lines = [*head, *(f"note: {note}" for note in trace.notes)]
    for stage in trace.stages:
        lines += ["", f"== {stage.name}", *_side("in", stage.inputs), *_side("out", stage.outputs)]
    return "\n".join(lines)


def _side(name: str, data: dict[str, Any]) -> list[str]:
    return [f"{name}  {key}: {_shown(value)}" for key, value in data.items() if value not in (None, [], {}, "")]


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}... ({len(text)} characters; --json shows all)"


def list_requests(*, as_json: bool) -> str:
    """The newest stored requests, one a line. Raises TraceError where there are none yet."""
    settings: Settings = load_settings()
    kept = TraceStore(settings.home).newest()
    moments = [datetime.fromtimestamp(one.at, UTC).isoformat(timespec="seconds") for one in kept]
    if as_json:
        rows = [{"request_id": one.request_id, "at": at, "photo": one.photo} for one, at in zip(kept, moments, strict=True)]
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return "\n".join(f"{one.request_id}  {at}  {one.photo}" for one, at in zip(kept, moments, strict=True))
