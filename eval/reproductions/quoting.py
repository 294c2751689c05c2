"""Cases of the claims about retrieval: questions with what the chain finds, and a writer that can only quote.

The quoting writer is deterministic and cheap, and it cannot invent: what it shows is what passages alone do to an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eval.planted_faults import Base, find_bases, likeliest
from eval.query_set import QueryCase, load_query_set
from eval.retrieval import DEPTH, Passage, passage_of
from knowledge.search import KnowledgeBase


class Found(NamedTuple):
    """A question that the chain answers, the passages found for it in order, and those of them that do not answer it."""

    base: Base
    passages: tuple[Passage, ...]
    blind: tuple[Passage, ...]


def find_cases(kb: KnowledgeBase, count: int, seed: int) -> list[Found]:
    """Up to `count` shipped questions in people's words that the chain answers in a sentence, drawn by the seed."""
    asked = [case for case in load_query_set() if case.query_name is None and case.answers]
    order = np.random.default_rng(seed).permutation(len(asked))
    cases: list[Found] = []
    # Bases are found a few at a time: each costs a search.
    for start in range(0, len(order), 32):
        if len(cases) >= count:
            break
        cases += [_found(kb, base) for base in find_bases(kb, [asked[index] for index in order[start : start + 32]])]
    return cases[:count]


def _found(kb: KnowledgeBase, base: Base) -> Found:
    hits = kb.search(base.case.text, model=base.case.model, language=base.case.language, k=DEPTH)
    blind = tuple(passage_of(hit.chunk) for hit in hits if not answers(base.case, passage_of(hit.chunk)))
    return Found(base, tuple(passage_of(hit.chunk) for hit in hits), blind)


def answers(case: QueryCase, passage: Passage) -> bool:
    """Whether the answering words stand in a passage, wherever it is from."""
    return any(answer.stands_in(passage.text) for answer in case.answers)


def quote(question: str, passages: Sequence[Passage]) -> str:
    """The sentence of the passages that shares most with the question; "" where they hold none."""
    return likeliest(question, passages) or ""


def is_right(case: QueryCase, answer: str) -> bool:
    """Whether an answer holds the answering words."""
    return any(one.stands_in(answer) for one in case.answers)
