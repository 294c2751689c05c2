"""All claims in one run: those that need no language model, and on demand those that do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eval.context_questions import Questions
from eval.context_relevance import ContextJudge
from eval.mvfu import FactLibrary
from eval.query_set import QueryCase, load_query_set
from eval.report_llm_cases import CHUNK_TOKENS, ContextCase, context_cases
from eval.reproductions.chunking import Cut, coherent_chunks
from eval.reproductions.claims import Claim
from eval.reproductions.context import (
    declared_units,
    more_passages_more_invention,
    more_passages_more_wrong_quotes,
    place_matters,
)
from eval.reproductions.quoting import find_cases
from eval.reproductions.retrieval import err_lifts_far, quoting, relevance_gate, relevant_without_facts
from eval.retrieval import DEPTH, Passage
from eval.score import EvalError
from eval.score_cache import ScoreCache
from knowledge.corpora import default_corpora, read_corpora
from knowledge.embedder import Embedder
from knowledge.search import KnowledgeBase
from rag.local_model import Loaded
from rag.trim import trim

_ASKED_FOR_FACTS = 3
"""Of so many questions about one has needed facts that the library knows."""


@dataclass(frozen=True)
class ReproductionOptions:
    """`count`: questions of a claim, `llm_count`: those that a language model is asked; all are drawn by `seed`."""

    count: int = 120
    llm_count: int = 12
    seed: int = 1

    def __post_init__(self) -> None:
        if self.count < 1 or self.llm_count < 1:
            raise EvalError(f"a claim needs at least one question, got {self.count} and {self.llm_count}")


class Parts(NamedTuple):
    """What the claims are measured with."""

    kb: KnowledgeBase
    home: Path
    embedder: Embedder
    library: FactLibrary
    judge: ContextJudge


def reproduce(parts: Parts, options: ReproductionOptions = ReproductionOptions()) -> Iterator[Claim]:
    """The claims that need no language model, as each is measured."""
    kb, seed = parts.kb, options.seed
    found = find_cases(kb, options.count, seed)
    if not found:
        raise EvalError("the manuals answer none of the shipped questions: there is nothing to measure claims on")
    yield err_lifts_far(found, quoting, "a writer that only quotes", seed)
    yield more_passages_more_wrong_quotes(found)
    yield declared_units(kb)
    asked = load_query_set()
    drawn = np.random.default_rng(seed).permutation(len(asked))[: _ASKED_FOR_FACTS * options.count]
    yield relevant_without_facts(kb, [asked[index] for index in sorted(drawn)], parts.library, DEPTH)
    yield relevance_gate(kb, found, parts.judge, seed)
    articles = [one for one in read_corpora(default_corpora(parts.home)) if one.status == "valid"]
    chunks = kb.chunks()
    known = Cut(chunks, kb.vectors_of([chunk.id for chunk in chunks]))
    yield coherent_chunks(articles, [one.base.case for one in found], parts.embedder, known)


def reproduce_llm(
    parts: Parts,
    loaded: Loaded,
    name: str,
    options: ReproductionOptions = ReproductionOptions(),
    kept: ScoreCache | None = None,
    progress: bool = True,
) -> Iterator[Claim]:
    """The claims that need a language model, on few questions. `kept`: where its answers are left for a rerun."""
    kb = parts.kb
    questions = Questions(loaded, context_cases(kb, options.llm_count), progress, kept)
    yield more_passages_more_invention(questions, name)
    yield place_matters(questions, name)
    found = [one for one in find_cases(kb, 4 * options.llm_count, options.seed) if one.base.case.language == "en"]
    answerer = asked_of(loaded, kept, progress)
    yield err_lifts_far(found[: options.llm_count], answerer, name, options.seed)


def asked_of(
    loaded: Loaded, kept: ScoreCache | None, progress: bool
) -> Callable[[Sequence[QueryCase], Sequence[Sequence[Passage]]], list[str]]:
    """A language model as the answerer of questions over passages, each cut to `CHUNK_TOKENS`."""

    def answer(cases: Sequence[QueryCase], contexts: Sequence[Sequence[Passage]]) -> list[str]:
        shown = [[trim(passage.text, (), CHUNK_TOKENS) for passage in context] for context in contexts]
        plain = [ContextCase(case.text, "", "", (), case.answers[0].anchor) for case in cases]
        return Questions(loaded, plain, progress, kept).answers(shown, "with and without the passage")

    return answer
