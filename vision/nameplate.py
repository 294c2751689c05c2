"""The instrument's model from the texts printed on it, among the models that are known."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from vision.numerals import PrintedText
from vision.printed_units import plain_text

MIN_KEY_LENGTH = 4
"""Shorter model ids would be found in any serial number."""
_LOOKALIKES = str.maketrans({"o": "0", "q": "0", "i": "1", "l": "1", "|": "1", "z": "2", "s": "5", "b": "8"})


def find_model(texts: Sequence[PrintedText], known_models: Iterable[str]) -> str | None:
    """The known model id that is printed on the instrument, or None where none or more than one is.

    Spaces, hyphens and case do not matter, nor do letters that OCR mistakes for digits (O and 0). An id
    counts as a whole: `XYZ-2000` is not found in `XYZ-20001`. Of two ids, one within the other, the longer wins.
    """
    lines = [text.text for text in texts]
    printed = {_key(line) for line in lines} | {_key(word) for line in lines for word in line.split()}
    printed |= {_key(f"{first} {second}") for first, second in itertools.pairwise(lines)}
    runs = {
        _key(" ".join(words[a:b]))
        for words in (line.split() for line in lines)
        for a in range(len(words))
        for b in range(a + 1, len(words) + 1)
    }
    found = {model for model in known_models if len(_key(model)) >= MIN_KEY_LENGTH and _key(model) in printed | runs}
    longest = [model for model in found if not any(model != other and _key(model) in _key(other) for other in found)]
    return longest[0] if len(longest) == 1 else None


def _key(text: str) -> str:
    return re.sub(r"[^0-9a-z一-鿿]", "", plain_text(text).lower().replace("|", "l")).translate(_LOOKALIKES)
