"""Sentence by sentence: does a sentence say what its cited facts say, and nothing else?

Rules, no model, English and Chinese. `check_rewrite` holds a rewritten sentence against the sentence it was to say,
`check_support` a sentence against the texts that it cites, `repair` all sentences of a writer, with a second chance.
What a rule cannot judge counts as unsupported: the price is a template sentence.
"""

from __future__ import annotations

from rag.verify.repair import AskAgain, Refused, Repaired, repair
from rag.verify.rewrite import (
    Number,
    Verdict,
    check_rewrite,
    check_support,
    content_han,
    content_words,
    find_names,
    find_numbers,
    negations,
)

__all__ = [
    "AskAgain",
    "Number",
    "Refused",
    "Repaired",
    "Verdict",
    "check_rewrite",
    "check_support",
    "content_han",
    "content_words",
    "find_names",
    "find_numbers",
    "negations",
    "repair",
]
