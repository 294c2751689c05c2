"""Ways of changing a sentence, for writers that lie and for such as say the same otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from knowledge.articles import Language

Change = Callable[[np.random.Generator, str, Language], str | None]
"""A changed sentence, or None where there is nothing to change."""


class Kind(NamedTuple):
    """One way of changing a sentence."""

    name: str
    change: Change


def pick(rng: np.random.Generator, options: list[Any]) -> Any:
    """One of the options, or None where there is none."""
    return options[int(rng.integers(len(options)))] if options else None


def replaced(text: str, match: re.Match[str], new: str) -> str:
    """The text with one match replaced; a sentence begins with a capital again."""
    made = text[: match.start()] + new + text[match.end() :]
    return made[:1].upper() + made[1:] if text[:1].isupper() else made
