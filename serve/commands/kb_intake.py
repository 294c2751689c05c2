"""`gauge kb add` and `gauge kb list`: the user's documents, taken in and published together with the shipped ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from knowledge.intake import add_files
from knowledge.intake_types import Added, IntakeReport, Refusal
from knowledge.timeline import DocumentEntry, day_of, in_force, newest, parse_moment, period
from serve.library import open_manuals
from serve.settings import load_settings


def add_documents(paths: Sequence[Path], options: Mapping[str, Any], *, as_json: bool) -> tuple[str, bool]:
    """What was taken in and what refused, as text or JSON, and whether nothing was refused."""
    report = add_files(load_settings().home, paths, options)
    version = open_manuals().version if report.added else None
    if as_json:
        return json.dumps({**report.model_dump(mode="json"), "published": version}, ensure_ascii=False), not report.refused
    return _report_text(report, version), not report.refused


def _report_text(report: IntakeReport, version: str | None) -> str:
    lines = [line for one in report.added for line in _added_lines(one)]
    lines += [f"{one.file}: unchanged, {one.document} {one.version}" for one in report.unchanged]
    lines += [_refusal_line(one) for one in report.refused]
    counts = f"{len(report.added)} added, {len(report.unchanged)} unchanged, {len(report.refused)} refused"
    return "\n".join([*lines, f"{counts}; published {version}" if version else counts])


def _added_lines(one: Added) -> list[str]:
    return [
        f"{one.file}: added as {one.document} {one.version}, {one.chunks} chunks",
        *(f"  warning: {text}" for text in one.warnings),
    ]


def _refusal_line(one: Refusal) -> str:
    place = f", {one.place}" if one.place else ""
    return f"{one.file}{place}: refused, {one.reason}"


def document_list(*, moment: str | None, as_json: bool) -> str:
    """All documents with the period in which each answers and the age of its index, as text or JSON."""
    at = parse_moment(moment) if moment else datetime.now(UTC)
    manifest = open_manuals().manifest
    entries = manifest.documents
    live = in_force(entries, at)
    if as_json:
        rows = [
            {**one.model_dump(mode="json"), "answers": one.id in live, "freshness": one.freshness(at)} | _span(one, entries)
            for one in entries
        ]
        head = {"version": manifest.version, "index_timestamp": manifest.published_at.isoformat(), "moment": at.isoformat()}
        return json.dumps({**head, "documents": rows}, ensure_ascii=False)
    lines = [_line(one, entries, one.id in live, one.freshness(at)) for one in sorted(entries, key=lambda one: one.id)]
    latest = newest([one for one in entries if one.effective_date <= day_of(at)])
    effective = f"; newest document in effect {latest.effective_date} ({latest.id})" if latest else ""
    return "\n".join([*lines, f"{len(entries)} documents, index of {manifest.published_at:%Y-%m-%d %H:%M} UTC{effective}"])


def _span(one: DocumentEntry, entries: Sequence[DocumentEntry]) -> dict[str, str | None]:
    span = period(one, entries)
    return {"answers_from": str(span.start) if span else None, "answers_until": str(span.end) if span and span.end else None}


def _line(one: DocumentEntry, entries: Sequence[DocumentEntry], answers: bool, freshness: str) -> str:
    span = period(one, entries)
    when = f"from {span.start}" + (f" until {span.end}" if span.end else "") if span else "never by itself"
    red = "  INDEX OLDER THAN EFFECTIVE DATE" if freshness == "stale" else ""
    mark = "*" if answers else " "
    return f"{mark} {one.id:<30} v{one.version:<8} {one.language} {one.authority:<13} {one.status:<8} {when}{red}"
