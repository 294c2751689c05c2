"""Sentence by sentence: does a sentence say what its cited facts say, and nothing else?

Rules, no model, English and Chinese. `check_rewrite` holds a rewritten sentence against the sentence it was to say,
`check_support` a sentence against the texts that it cites, `repair` all sentences of a writer, with a second chance.
What a rule cannot judge counts as unsupported: the price is a template sentence.
"""

from __future__ import annotations

from rag.verify.numbers import Number, find_numbers
from rag.verify.repair import AskAgain, Refused, Repaired, repair
from rag.verify.rewrite import Verdict, check_rewrite
from rag.verify.support import check_support

__all__ = [
    "AskAgain",
    "Number",
    "Refused",
    "Repaired",
    "Verdict",
    "check_rewrite",
    "check_support",
    "find_numbers",
    "repair",
]
