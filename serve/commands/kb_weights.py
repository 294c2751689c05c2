"""`gauge kb weigh`: people decide how much a document counts, and can take it back."""

from __future__ import annotations

import json
from collections.abc import Sequence

from knowledge.health import judge_health, proposed_decisions
from knowledge.usage import UsageLog
from knowledge.weights import Decision, WeightBook, WeightError
from serve.library import open_manuals
from serve.settings import load_settings


def decide(document: str | None, weight: float | None, *, undo: bool, note: str, as_json: bool) -> str:
    """Keep one decision, or all that the health audit proposes (of `document` where it is named). Raises WeightError."""
    home = load_settings().home
    book, documents = WeightBook(home), open_manuals().manifest.documents
    if document is not None and document not in {entry.id for entry in documents}:
        raise WeightError(f"no document {document!r}; `gauge kb list` names them")
    if document is not None and undo:
        return _told([book.undo(document)], as_json=as_json)
    if document is not None and weight is not None:
        return _told([book.decide(document, weight, note)], as_json=as_json)
    report = judge_health(documents, UsageLog(home), weights=book.weights())
    proposals = [one for one in proposed_decisions(report) if document in (None, one[0])]
    return _told([book.decide(name, value, note or reason) for name, value, reason in proposals], as_json=as_json)


def list_decisions(*, as_json: bool) -> str:
    """All decisions, the oldest first."""
    return _told(WeightBook(load_settings().home).decisions(), as_json=as_json)


def _told(decisions: Sequence[Decision], *, as_json: bool) -> str:
    if as_json:
        return json.dumps([one.model_dump(mode="json") for one in decisions], ensure_ascii=False)
    return "\n".join(map(_line, decisions)) or "Nothing was decided."


def _line(one: Decision) -> str:
    why = f": {one.reason}" if one.reason else ""
    return f"{one.at:%Y-%m-%d %H:%M} {one.document}: weight {_weight(one.before)} -> {_weight(one.weight)}{why}"


def _weight(value: float | None) -> str:
    if value is None:
        return "of its authority"
    return f"{value:g}" if value else "0 (history)"
