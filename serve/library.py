"""`gauge kb`: the manuals from the command line."""

from __future__ import annotations

import json

from knowledge.articles import Hit
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


def _hit_text(number: int, hit: Hit) -> str:
    return f"{number}. {hit.chunk.citation}  [{hit.chunk.id}, score {hit.score:.2f}]\n{hit.chunk.text}"
