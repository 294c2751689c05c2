"""`gauge eval retrieval` and `gauge eval facts`: the retrieval probes over the test queries, and the library of facts."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tqdm import tqdm

from eval.anchors_relevance import DOMAINS
from eval.mvfu import SHIPPED_LIBRARY, FactLibrary, read_library, write_library
from eval.mvfu_corpus import corpus_facts, facts_by_kind
from eval.query_set import QueryCase, load_query_set, read_lines
from eval.retrieval_probes import ProbeCard, ProbeMeans, Probes, probe_card, probe_queries
from eval.score import Mean
from eval.tables import number, table
from serve.library import build_judge, open_knowledge
from serve.settings import Settings, load_settings
from vision.fields import Contract

Domain = Literal["instruments", "medical", "law"]


class LibraryState(Contract):
    """What the library of facts holds, and what joined it by this call."""

    facts: int
    kinds: dict[str, int]
    added: tuple[str, ...]
    changed: tuple[str, ...]


def probe_retrieval(*, queries: Path | None, limit: int | None, domain: Domain, as_json: bool) -> str:
    """The card of all retrieval probes for people or as one JSON object.

    `queries` is a file of test queries (JSON lines as in `eval/queries`), the shipped ones by default. Raises EvalError.
    """
    cases = (load_query_set() if queries is None else read_lines(queries, QueryCase))[:limit]
    settings = load_settings()
    probes = Probes(open_library(settings), build_judge(settings), DOMAINS[domain])
    knowledge = open_knowledge(settings)
    try:
        knowledge.prepare([case.text for case in cases])
        rows = list(tqdm(probe_queries(knowledge, cases, probes), total=len(cases), desc="probes", unit="query"))
        card = probe_card(rows, probes.judge.name, knowledge.version)
    finally:
        knowledge.close()
    return card.model_dump_json() if as_json else card_text(card)


def library_file(settings: Settings) -> Path:
    """The home's own file of facts."""
    return settings.home / "facts.jsonl"


def open_library(settings: Settings) -> FactLibrary:
    """The shipped facts and the home's own."""
    own = library_file(settings)
    return read_library(SHIPPED_LIBRARY, *([own] if own.is_file() else []))


def grow_library(*, extend: bool, experts: Path | None, as_json: bool) -> str:
    """What the library holds, after facts of the corpus (`extend`) and of experts joined the home's file. Raises EvalError."""
    settings = load_settings()
    path = library_file(settings)
    library = open_library(settings)
    fresh = list(read_library(experts)) if experts is not None else []
    if extend:
        knowledge = open_knowledge(settings)
        try:
            fresh += corpus_facts(knowledge)
        finally:
            knowledge.close()
    grown, growth = library.extended(fresh)
    if growth.added or growth.changed:
        shipped = read_library(SHIPPED_LIBRARY).facts
        write_library(path, [fact for fact in grown if shipped.get(fact.id) != fact])
    if as_json:
        kinds = facts_by_kind(grown)
        return LibraryState(facts=len(grown), kinds=kinds, added=growth.added, changed=growth.changed).model_dump_json()
    lines = [f"{len(grown)} facts, {len(growth.added)} added, {len(growth.changed)} changed; own ones in {path}"]
    lines.append(table(("kind", "facts"), [(kind, str(count)) for kind, count in facts_by_kind(grown).items()]))
    lines += [f"{fact.id}: {fact.sentence}" for fact in grown if fact.id in {*growth.added, *growth.changed}]
    return "\n\n".join(lines[:2]) + "".join(f"\n{line}" for line in lines[2:])


def card_text(card: ProbeCard) -> str:
    """Tables of the card for people."""
    header = ("slice", "n", "hit", "hit@5", "authoritative", "MRR", "CRS", "FCR", "context")
    rows = [(name, *_cells(means)) for name, means in card.slices.items()] + [("all", *_cells(card.overall))]
    ranks = zip(card.heat.relation, card.heat.entity, card.heat.noise, strict=True)
    heat = [(str(rank), *map(str, cells)) for rank, cells in enumerate(ranks, 1)]
    empty = ", ".join(card.about_but_empty[:10]) or "none"
    return "\n\n".join(
        [
            "Means ± standard error (n scorable). CRS: anchors of the question held; FCR: needed facts stated; context by "
            f"{card.judge}.",
            table(header, rows),
            f"hits less authoritative hits: {number(card.overall.retrieval.authority_gap)}"
            + ("; too wide: answers rest on documents without the last word" if card.overall.retrieval.stop else ""),
            "Passages by rank: the question's relations stand in them, only its entities, or neither",
            table(("rank", "relation", "entity", "noise"), heat),
            f"about the question, and without its facts: {len(card.about_but_empty)} ({empty})",
        ]
    )


def _cells(means: ProbeMeans) -> tuple[str, ...]:
    one = means.retrieval
    scores = (one.hit, one.hit_at_5, one.authoritative_hit, one.mrr)
    parts = (*scores, means.anchor_relevance, means.fact_coverage, means.context_relevance)
    return (str(one.hit.n + one.hit.not_scorable), *map(_mean, parts))


def _mean(mean: Mean) -> str:
    return f"{number(mean.value)} ± {number(mean.stderr, 2)} ({mean.n})" if mean.n else "-"
