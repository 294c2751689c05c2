"""How far a short span of an answer (a name, a number, a phrase) stands word for word in its sources.

Shares of words forgive an invention that borrows its words: of a name with one wrong character most pairs are held. What
counts here is what is missing around the longest piece that the sources hold, and every quantity by its value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from eval.quantities import Quantity, bears_out, find_quantities, units_in
from eval.score import NAN

LONGEST_SPAN = 200
"""Words or Chinese characters of a span at most; what is longer is a statement, and judged by its claims."""
UNBORNE = 0.25
"""What a quantity costs that no source bears out: more than a word, which may be a paraphrase."""
_UNIT = re.compile(r"[\u3400-\u9fff]|[A-Za-z]+|\d+(?:[.,]\d+)*")


def span_support(span: str, sources: Sequence[str]) -> float:
    """In (0, 1]: 1 where the sources hold the span as it is, 1 / (1 + n) where n of its words or Chinese characters lie
    outside the longest piece held; a quarter of that for each quantity that no source bears out.

    NaN where the span has no words, or more than `LONGEST_SPAN`.
    """
    units = _units(span)
    if not 0 < len(units) <= LONGEST_SPAN:
        return NAN
    text, quantities, named = _parsed(tuple(sources))
    missing = len(units) - longest_piece(units, text)
    unborne = sum(not any(bears_out(one, wanted, named) for one in quantities) for wanted in find_quantities(span))
    return UNBORNE**unborne / (1 + missing)


def longest_piece(units: Sequence[str], text: str) -> int:
    """Length of the longest run of units that stands in a text of units between spaces."""
    best = 0
    for start in range(len(units)):
        while start + best < len(units) and f" {' '.join(units[start : start + best + 1])} " in text:
            best += 1
    return best


def _units(text: str) -> list[str]:
    return [unit.lower() for unit in _UNIT.findall(text)]


@lru_cache(maxsize=64)
def _parsed(sources: tuple[str, ...]) -> tuple[str, tuple[Quantity, ...], frozenset[str]]:
    """The sources' units between spaces, their quantities, and the measuring units that they name."""
    # A bar no span can hold keeps pieces from running from one source into the next.
    text = " | ".join(" ".join(_units(source)) for source in sources)
    quantities = tuple(quantity for source in sources for quantity in find_quantities(source))
    return f" {text} ", quantities, units_in("\n".join(sources))
