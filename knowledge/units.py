"""Unit declarations in running text: "The unit of pressure is MPa." / "压力的单位为兆帕。"

A number in a manual means nothing without its unit, and the unit is often declared once, far from the
formula. The unit table itself is `vision.units`; here only the sentences that declare are found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from knowledge.sentences import split_sentences
from vision.units import find_unit

_ENGLISH = re.compile(
    r"\bunit (?:of|for) (?:the |every )?(?P<quantity>[a-z][a-z -]{1,30}?)(?: is|:)\s*(?:always )?(?:the )?(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_CHINESE = re.compile(
    r"(?P<quantity>[\u4e00-\u9fff]{2,6}?)的?(?:计量)?单位(?:一律)?(?:[为是][：:]?|[：:])\s*(?P<rest>\S.*)",
    re.DOTALL,
)
_LONGEST_UNIT = 24


class UnitDeclaration(NamedTuple):
    """A declared unit: the quantity as the text names it, the canonical unit, the declaring sentence."""

    quantity: str
    unit: str
    sentence: str


def find_declarations(text: str) -> tuple[UnitDeclaration, ...]:
    """All unit declarations of a text, in order; a sentence whose unit the table does not know declares nothing."""
    found: list[UnitDeclaration] = []
    for sentence in _sentences(text):
        for pattern in (_ENGLISH, _CHINESE):
            match = pattern.search(sentence)
            unit = leading_unit(match.group("rest")) if match else None
            if match and unit:
                quantity = match.group("quantity").strip()
                found.append(UnitDeclaration(quantity.lower(), unit, " ".join(sentence.split())))
                break
    return tuple(found)


def _sentences(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n|\n(?=#|\||\s*[-*] )", text):
        yield from split_sentences(paragraph)


def leading_unit(text: str) -> str | None:
    """Canonical spelling of the longest unit that `text` begins with, or None.

    A unit in Latin letters must end at a word boundary: "MPa and" begins with a unit, "Manual" does not.
    """
    text = text.lstrip("*` ")
    for length in range(min(_LONGEST_UNIT, len(text)), 0, -1):
        head, tail = text[:length], text[length:]
        if head[-1].isspace() or (re.match(r"[A-Za-z0-9/²³]", tail) and re.search(r"[A-Za-z0-9]$", head)):
            continue
        unit = find_unit(head)
        if unit is not None:
            return unit
    return None
