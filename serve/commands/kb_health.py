"""`gauge kb audit chunks|health`, `gauge kb conflicts` and `gauge kb feedback`."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from knowledge.audit import audit
from knowledge.chunks import build_chunks
from knowledge.corpora import default_corpora, read_corpora
from knowledge.disputes import dispute_text, find_disputes
from knowledge.health import health_text, judge_health, write_health
from knowledge.timeline import parse_moment
from knowledge.usage import UsageLog
from knowledge.weights import WeightBook
from serve.library import fault_text, open_manuals
from serve.settings import load_settings

CHUNK_FAULTS = ("split conditional", "cut sentence", "torn table", "torn list", "dangling reference")


def audit_chunks(*, as_json: bool) -> tuple[str, bool]:
    """How many chunks are torn, by kind, zeros included, and whether none is."""
    articles = read_corpora(default_corpora(load_settings().home))
    faults = [fault for fault in audit(articles) if fault.kind in CHUNK_FAULTS]
    counted = Counter[str](fault.kind for fault in faults)
    chunks = sum(len(build_chunks(article)) for article in articles)
    counts = {kind.replace(" ", "_"): counted.get(kind, 0) for kind in CHUNK_FAULTS}
    if as_json:
        record = {"documents": len(articles), "chunks": chunks, **counts}
        return json.dumps(
            {**record, "faults": [fault.model_dump(mode="json") for fault in faults]}, ensure_ascii=False
        ), not faults
    numbers = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in counts.items())
    return "\n".join([*map(fault_text, faults), f"{len(articles)} documents, {chunks} chunks: {numbers}"]), not faults


def audit_health(out: Path | None, *, as_json: bool) -> str:
    """How the documents fare in use, as text or JSON; with `out` written to a folder with plots as well."""
    home = load_settings().home
    report = judge_health(open_manuals().manifest.documents, UsageLog(home), weights=WeightBook(home).weights())
    written = write_health(report, out) if out is not None else ()
    if as_json:
        return report.model_dump_json()
    return "\n".join([health_text(report), *(f"written: {path}" for path in written)])


def list_conflicts(model: str | None, *, moment: str | None, as_json: bool) -> str:
    """Disputes between documents, each with both sources."""
    at = parse_moment(moment) if moment else datetime.now(UTC)
    manuals = open_manuals()
    known = manuals.canonical_model(model) or model if model else None
    articles = read_corpora(default_corpora(load_settings().home))
    documents = [(article, build_chunks(article)) for article in articles if article.models]
    disputes = find_disputes(documents, manuals.manifest.documents, at, known)
    if as_json:
        return json.dumps([one.model_dump(mode="json") for one in disputes], ensure_ascii=False)
    return "\n".join([*map(dispute_text, disputes), f"{len(disputes)} disputes between documents"])


def keep_feedback(document: str, *, good: bool, note: str) -> str:
    """Keep what somebody thinks of a document. Raises SearchError where neither document nor chunk is known."""
    manuals = open_manuals()
    known = {entry.id for entry in manuals.manifest.documents}
    name = document if document in known else manuals.chunk(document).document
    UsageLog(load_settings().home).record_feedback(name, good=good, note=note)
    return f"{name}: {'good' if good else 'bad'} noted"
