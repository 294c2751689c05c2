"""Typing and OCR errors in questions, mended against the words of the corpus.

Only a word that neither the corpus nor the embedder's vocabulary knows is touched, and only where one corpus word is
clearly nearest. Digits are never changed except inside words: "12O MPa" and "a1arm" are misread, "95" is what was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from knowledge.embedder import EmbedderError, packaged_folder
from knowledge.synonyms import CHINESE, shipped_graph

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[-./][A-Za-z0-9]+)*|[\u3400-\u9fff]+")
_OCR_LETTERS = str.maketrans("0158", "olsb")
_OCR_KEY = str.maketrans("oilsbz", "011582")
_OCR_DIGITS = str.maketrans({"O": "0", "o": "0", "l": "1", "I": "1", "S": "5", "B": "8"})
_SHORTEST = 4
_LONG = 8
_NO_THINGS = frozenset({"doaction", "when", "period", "forbidden", "allow", "howmuch", "cause", "where"})
"""Concepts whose words are turns of phrase: 怎么停 is no misprint of 怎么办."""
_SHORTEST_CHINESE = 3
"""Chinese words of this length and more are mended where one character differs."""


class Correction(NamedTuple):
    """A word as asked and as mended."""

    asked: str
    mended: str


class Speller:
    """Mends words against a vocabulary of word counts."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = {**{word: 1 for entry in shipped_graph().words for word in re.findall(r"[a-z]{3,}", entry)}, **counts}
        self._by_part: dict[str, list[str]] = {}
        for word in self._counts:
            if len(word) >= _SHORTEST:
                for part in _shortened(word):
                    self._by_part.setdefault(part, []).append(word)
        self._chinese: dict[str, list[str]] = {}
        things = (word for concept in shipped_graph().concepts if concept.name not in _NO_THINGS for word in concept.zh)
        for word in things:
            if len(word) >= _SHORTEST_CHINESE:
                for n in range(len(word)):
                    self._chinese.setdefault(f"{word[:n]}?{word[n + 1 :]}", []).append(word)

    def mend(self, text: str, spared: frozenset[str] = frozenset()) -> tuple[str, tuple[Correction, ...]]:
        """The text with its misspelt words mended, and what was mended. `spared` tokens (models) stay as they are."""
        found: list[Correction] = []

        def put(match: re.Match[str]) -> str:
            token = match.group(0)
            mended = token if token in spared else self._mend_token(token)
            if mended != token:
                found.append(Correction(token, mended))
            return mended

        return _TOKEN.sub(put, text), tuple(found)

    def _mend_token(self, token: str) -> str:
        if CHINESE.match(token):
            return self._mend_chinese(token)
        if re.fullmatch(r"(?=.*\d)[0-9OolISB]+(?:\.[0-9OolISB]+)?", token):
            return token.translate(_OCR_DIGITS)
        parts = re.split(r"([-./])", token)
        return "".join(part if len(part) < _SHORTEST else self._mend_word(part) for part in parts)

    def _mend_word(self, word: str) -> str:
        lower = word.casefold()
        if self._known(lower) or not re.search(r"[a-z]{2}", lower):
            return word
        if re.search(r"\d", lower):
            read = [w for w in {lower.translate(_OCR_LETTERS), lower.replace("1", "i").translate(_OCR_LETTERS)} if self._known(w)]
            return max(read, key=lambda w: (self._counts.get(w, 0), w)) if read else word
        return self._nearest(lower) or word

    def _known(self, word: str) -> bool:
        return (
            word in self._counts
            or word in _english_words()
            or any(word.endswith(ending) and word[: -len(ending)] in self._counts for ending in ("s", "es", "ed", "d", "ing"))
        )

    def _nearest(self, word: str) -> str | None:
        candidates = {near for part in _shortened(word) for near in self._by_part.get(part, ())}
        most = 2 if len(word) >= _LONG else 1
        distances = {near: _distance(word, near) for near in candidates}
        # Letters in the wrong order are the commoner slip: "tabel" is a table and no label.
        ranked = sorted(
            (far, sorted(near) != sorted(word), -self._counts[near], near) for near, far in distances.items() if far <= most
        )
        return ranked[0][3] if ranked else None

    def _mend_chinese(self, run: str) -> str:
        # Between known words only: "电压高" is 电压 and a word of its own, not a misprint of 电压表.
        parts, last = [], 0
        for mention in shipped_graph().find(run):
            if mention.end - mention.start > 1:
                parts += [self._mend_gap(run[last : mention.start]), run[mention.start : mention.end]]
                last = mention.end
        return "".join((*parts, self._mend_gap(run[last:])))

    def _mend_gap(self, gap: str) -> str:
        for n in range(len(gap)):
            for length in (5, 4, 3):
                window = gap[n : n + length]
                if len(window) == length:
                    near = {w for m in range(length) for w in self._chinese.get(f"{window[:m]}?{window[m + 1 :]}", ())}
                    if len(near) == 1:
                        return gap[:n] + near.pop() + self._mend_gap(gap[n + length :])
        return gap


@lru_cache(maxsize=1)
def _english_words() -> frozenset[str]:
    """Whole words of the packaged embedder's vocabulary: what is in there is no slip of the finger."""
    try:
        lines = (packaged_folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    except (EmbedderError, OSError):
        return frozenset()
    return frozenset(line for line in lines if line.isalpha() and line.isascii() and len(line) >= _SHORTEST)


def ocr_key(text: str) -> str:
    """What two readings of one print share where 0 and O, 1, l and I, 5 and S, 8 and B are taken for each other."""
    return text.casefold().translate(_OCR_KEY)


def nearest_word(word: str, words: Iterable[str]) -> str | None:
    """The only word at an edit distance of 1, or None."""
    near = [other for other in words if _distance(word, other) == 1]
    return near[0] if len(near) == 1 else None


def _shortened(word: str) -> set[str]:
    return {word, *(word[:n] + word[n + 1 :] for n in range(len(word)))}


def _distance(a: str, b: str) -> int:
    """Edit distance with swapped neighbours as one step (Damerau 1964, the restricted form)."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        fresh = [i]
        for j, y in enumerate(b, 1):
            best = min(row[j] + 1, fresh[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, before[j - 2] + 1)
            fresh.append(best)
        before, row = row, fresh
    return row[-1]
