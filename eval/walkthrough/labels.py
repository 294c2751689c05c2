"""What a walkthrough says around what was stored, in English and Chinese. Reasons of verdicts stay as they were given."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).with_name("labels.toml")
FALLBACK = "en"


@lru_cache(maxsize=1)
def all_labels() -> dict[str, dict[str, str]]:
    """Labels by language and name."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


class Labels:
    """The labels of one language; of one that has none, the English ones. Raises KeyError for an unknown label."""

    def __init__(self, language: str = FALLBACK) -> None:
        tables = all_labels()
        self.language = language if language in tables else FALLBACK
        self._texts = tables[self.language]

    def __call__(self, name: str, **values: object) -> str:
        """A label with its places filled."""
        return self._texts[name].format(**values) if values else self._texts[name]

    def listed(self, parts: Iterable[str]) -> str:
        """Several things in a row."""
        return self("comma").join(parts)
