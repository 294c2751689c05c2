"""`gauge kb`: the manuals from the command line."""

from __future__ import annotations

import json
from collections import Counter

from knowledge.articles import Hit, read_corpus
from knowledge.audit import Fault, audit
from knowledge.publish import SHIPPED_CORPUS
from knowledge.search import KnowledgeBase
from serve.settings import Language, load_settings


def open_manuals() -> KnowledgeBase:
    """The shipped manuals, published below `home` first where needed."""
    return KnowledgeBase.open(load_settings().home)


def search_manuals(query: str, *, model: str | None, language: Language | None, count: int, as_json: bool) -> str:
    """The best passages for a question: a JSON object a line, or text for people."""
    manuals = open_manuals()
    hits = manuals.search(query, model=model, language=language, k=count)
    if as_json:
        return "\n".join(json.dumps(hit.model_dump(mode="json"), ensure_ascii=False) for hit in hits)
    note = ""
    if model is not None and manuals.canonical_model(model) is None:
        note = f"No manual of the model {model!r}; known models: {', '.join(manuals.models())}.\n"
    return note + ("\n\n".join(_hit_text(number, hit) for number, hit in enumerate(hits, 1)) or "Nothing in the manuals fits.")


def audit_manuals(*, as_json: bool) -> tuple[str, bool]:
    """What the audit finds in the shipped manuals, and whether it finds nothing."""
    articles = read_corpus(SHIPPED_CORPUS)
    faults = audit(articles)
    if as_json:
        report = {"documents": len(articles), "faults": [fault.model_dump(mode="json") for fault in faults]}
        return json.dumps(report, ensure_ascii=False), not faults
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(fault.kind for fault in faults).items())
    lines = [_fault_text(fault) for fault in faults]
    return "\n".join([*lines, f"{len(articles)} documents, {kinds or 'no faults'}"]), not faults


def _fault_text(fault: Fault) -> str:
    return f"{fault.document} §{fault.section}, line {fault.line}: {fault.kind}: {fault.detail}"


def _hit_text(number: int, hit: Hit) -> str:
    return f"{number}. {hit.chunk.citation}  [{hit.chunk.id}, score {hit.score:.2f}]\n{hit.chunk.text}"
