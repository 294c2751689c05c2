"""Cutting a text to a number of tokens where its sentences end. What limits, forbids or makes an exception stays.

A text may therefore come out longer than asked: a sentence that is right only under its condition is worse than a long
context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from knowledge.sentences import coupled_sentences
from rag.tokens import CountTokens, estimate_tokens

LIMITING = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|only|unless|except|excluding|until|provided|must|forbidden|prohibited"
    r"|at (?:most|least)|up to|no (?:more|less) than|if|when|danger|warning|caution)\b|n't\b"
    r"|[不未无勿禁]|必须|须|除非|除外|以外|仅|只|方可|如果|若|当.{1,20}时|直到|至多|至少|危险|警告|注意",
    re.IGNORECASE,
)
"""A clause that says when, how far or that something does not hold."""

NEGATING = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|unless|except|excluding|only|forbidden|prohibited|danger|warning)\b"
    r"|n't\b|[不未无勿禁]|除非|除外|仅|只有|只能|危险|警告",
    re.IGNORECASE,
)
"""A clause that negates, forbids or warns; a narrower sense than `LIMITING`."""

_LEANING = re.compile(
    r"^\s*(?:\|?\s*)(?:this|that|these|those|it|they|such|the same|here)\b|^\s*(?:此|该|这|其|它|上述|前述|以上)", re.IGNORECASE
)
"""A sentence that begins so means nothing without the one before it."""


def text_parts(text: str) -> tuple[str, ...]:
    """Sentences of a text, conditions together with their "otherwise", and table rows, each one piece."""
    lines = text.splitlines()
    return tuple(
        part for line in lines for part in ((line,) if line.lstrip().startswith("|") else coupled_sentences(line)) if part.strip()
    )


def trim(
    text: str,
    quotes: Sequence[str],
    limit: int,
    count_tokens: CountTokens = estimate_tokens,
    *,
    worth: Callable[[str], bool] | None = None,
) -> str:
    """`text` cut to about `limit` tokens, in its order.

    What `quotes` holds and what limits always stays, with the sentence that it leans on; the rest is taken as long as
    there is room, first what `worth` picks. A table that keeps a row keeps its head.
    """
    if count_tokens(text) <= limit:
        return text
    parts = text_parts(text)
    squeezed = ["".join(quote.split()) for quote in quotes if quote.strip()]
    chosen = {i for i, part in enumerate(parts) if LIMITING.search(part) or _quoted(part, squeezed)}
    for index in sorted(chosen, reverse=True):
        while index and _LEANING.match(parts[index]):
            index -= 1
            chosen.add(index)
    chosen |= {head for index in chosen for head in _table_head(parts, index)}
    spent = sum(count_tokens(parts[index]) for index in chosen)
    rest = [index for index in range(len(parts)) if index not in chosen]
    for index in sorted(rest, key=lambda i: (worth is not None and not worth(parts[i]), i)):
        cost = count_tokens(parts[index])
        if spent + cost <= limit:
            chosen.add(index)
            spent += cost
    return "\n".join(parts[index] for index in sorted(chosen))


def _quoted(part: str, squeezed: Sequence[str]) -> bool:
    flat = "".join(part.split())
    return any(flat in quote or quote in flat or _row_quoted(part, quote) for quote in squeezed)


def _row_quoted(part: str, quote: str) -> bool:
    """A fact quotes a table row cell by cell, with the table's head between the cells."""
    if not part.lstrip().startswith("|"):
        return False
    cells = ["".join(cell.strip().strip("*").split()) for cell in part.strip().strip("|").split("|")]
    return len(cells) > 1 and all(cell in quote for cell in cells if cell) and any(cells)


def _table_head(parts: Sequence[str], index: int) -> range:
    """The head and rule of the table that a row stands in; empty for a sentence."""
    start = index
    while start and parts[index].lstrip().startswith("|") and parts[start - 1].lstrip().startswith("|"):
        start -= 1
    return range(start, min(start + 2, index))
