"""How long a text is for a language model: tokens, never characters."""

from __future__ import annotations

import re
from collections.abc import Callable

CountTokens = Callable[[str], int]


def estimate_tokens(text: str) -> int:
    """Tokens of a text without a tokenizer, on the safe side: a Chinese character or emoji is one or more, a word some."""
    wide = sum(1 if ord(char) < 0x10000 else 3 for char in text if ord(char) >= 0x2E80)
    narrow = re.findall(r"[A-Za-z]+|[0-9]|[^\sA-Za-z0-9\u2e80-\U0010ffff]", text)
    return wide + sum(-(-len(part) // 4) for part in narrow)
