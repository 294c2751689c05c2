"""`gauge kb`: the manuals from the command line."""

from __future__ import annotations

import json
import logging
from collections import Counter
from typing import TYPE_CHECKING

from knowledge.archive import open_archive
from knowledge.articles import Hit, KnowledgeError, Status
from knowledge.audit import Fault, audit
from knowledge.corpora import default_corpora, read_corpora
from knowledge.embedder import load_embedder
from knowledge.rerank import CrossEncoderReranker
from knowledge.search import KnowledgeBase
from knowledge.timeline import Moment, parse_moment
from knowledge.usage import UsageLog
from serve.settings import Language, Settings, load_settings

if TYPE_CHECKING:
    from eval.context_relevance import ContextJudge

logger = logging.getLogger("gauge.replay")


def open_manuals() -> KnowledgeBase:
    """The shipped manuals and the user's own, published below `home` first where needed."""
    return open_knowledge(load_settings())


def open_knowledge(settings: Settings, as_of: Moment | None = None) -> KnowledgeBase:
    """The manuals of a home, below it or in PostgreSQL, with the embedder and the reranker of the settings.

    They are asked as of a moment where one is given.
    """
    reranker = open_reranker(settings)
    database = settings.postgres_url
    return KnowledgeBase.open(settings.home, embedder=settings.embedder, as_of=as_of, reranker=reranker, database=database)


def open_knowledge_version(settings: Settings, version: str, as_of: Moment) -> KnowledgeBase:
    """One version of the manuals as it was published. Raises PublishError where it is no longer whole."""
    parts = open_archive(settings.home, settings.postgres_url).open(version)
    return KnowledgeBase(parts, load_embedder(settings.embedder), as_of=as_of, reranker=open_reranker(settings))


def open_reranker(settings: Settings) -> CrossEncoderReranker | None:
    """The reranker of the settings, where they name one."""
    return CrossEncoderReranker(settings.reranker) if settings.reranker else None


def open_version(settings: Settings, version: str, as_of: Moment) -> KnowledgeBase | None:
    """One version of the manuals as it was published, asked as of a moment; None where it is no longer whole."""
    try:
        return open_knowledge_version(settings, version, as_of)
    except KnowledgeError as error:
        logger.warning("version %s of the manuals cannot be opened: %s", version, error)
        return None


def build_judge(settings: Settings) -> ContextJudge:
    """What judges the relevance of a context: the settings' cross-encoder, or the text embedder where none is set."""
    from eval.context_relevance import CrossEncoderJudge, VectorJudge  # Few of those who open the manuals judge them.

    reranker = open_reranker(settings)
    if settings.reranker and reranker is not None:
        return CrossEncoderJudge(settings.reranker, reranker)
    return VectorJudge(load_embedder(settings.embedder))


def search_manuals(
    query: str,
    *,
    model: str | None,
    language: Language | None,
    count: int,
    as_json: bool,
    moment: str | None = None,
    include: tuple[Status, ...] = (),
) -> str:
    """The best passages for a question: a JSON object a line, or text for people.

    `moment` (ISO 8601) asks as of then, `include` lets drafts or archived documents answer. Raises MomentError.
    """
    manuals = open_manuals()
    at = parse_moment(moment) if moment else None
    hits = manuals.search(query, model=model, language=language, k=count, as_of=at, include=("valid", *include))
    if at is None and not include:
        # What people asked of the present tells how documents fare in use; a look into the past does not.
        UsageLog(load_settings().home).record_search(query, [hit.chunk.id for hit in hits], model)
    if as_json:
        return "\n".join(json.dumps(hit.model_dump(mode="json"), ensure_ascii=False) for hit in hits)
    note = ""
    if model is not None and manuals.canonical_model(model) is None:
        note = f"No manual of the model {model!r}; known models: {', '.join(manuals.models())}.\n"
    return note + ("\n\n".join(_hit_text(number, hit) for number, hit in enumerate(hits, 1)) or "Nothing in the manuals fits.")


def audit_manuals(*, as_json: bool) -> tuple[str, bool]:
    """What the audit finds in the shipped manuals and the user's own, and whether it finds nothing."""
    articles = read_corpora(default_corpora(load_settings().home))
    faults = audit(articles)
    if as_json:
        report = {"documents": len(articles), "faults": [fault.model_dump(mode="json") for fault in faults]}
        return json.dumps(report, ensure_ascii=False), not faults
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(fault.kind for fault in faults).items())
    lines = [fault_text(fault) for fault in faults]
    return "\n".join([*lines, f"{len(articles)} documents, {kinds or 'no faults'}"]), not faults


def fault_text(fault: Fault) -> str:
    """A fault with its place, for people."""
    return f"{fault.document} §{fault.section}, line {fault.line}: {fault.kind}: {fault.detail}"


def _hit_text(number: int, hit: Hit) -> str:
    return f"{number}. {hit.chunk.citation}  [{hit.chunk.id}, score {hit.score:.2f}; {routes_text(hit)}]\n{hit.chunk.text}"


def routes_text(hit: Hit) -> str:
    """Which routes found a hit, each with its rank: "dense 2, lexical 1, from xyz-2000-en:4.1:..."."""
    ranks = (("dense", hit.dense_rank), ("lexical", hit.lexical_rank), ("structured", hit.structured_rank))
    parts = [f"{name} {rank}" for name, rank in ranks if rank is not None]
    return ", ".join([*parts, *([f"from {hit.linked_from}"] if hit.linked_from else [])])
