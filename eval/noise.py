"""Noise at four points of the chain: the question, the passages found, the answer, the anchors it is held against.

Every change is logged with what stood there before. A level in (0, 1] is the share of the places that could change and do;
the same generator changes at a higher level all that it changes at a lower one. Nothing here knows how anything is scored.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from eval.rewordings import tables as rewording_tables
from eval.score import EvalError
from knowledge.articles import Chunk, Language
from vision.fields import Contract

Point = Literal["query", "chunks", "answer", "anchors"]

LEVELS = (0.3, 0.7, 1.0)
NOISE_OF: dict[Point, tuple[str, ...]] = {
    "query": ("synonym", "vague", "numbers_dropped", "ocr", "stale_date"),
    "chunks": ("synonym", "numbers_dropped", "ocr", "stale_date", "stale_metadata", "distractors", "redundancy"),
    "answer": ("synonym", "numbers_dropped", "ocr", "stale_date"),
    "anchors": ("synonym", "numbers_dropped", "ocr", "stale_date"),
}
"""The kinds of noise that make sense at each point."""
OCR_RATE = 0.15
"""Share of the characters that text recognition can confuse which level 1 changes: a poor scan."""
_YEARS_BACK = (3, 9)
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.\\{])(?<![A-Za-z]-)-?\d+(?:\.\d+)? ?")
_YEAR = re.compile(r"(?<![\d.])(?<![A-Za-z]-)(?:19|20)\d\d(?=[-/.年]\d|[^\d.]|$)")


class Corruption(Contract):
    """One change: its type, and what stood there before and stands there now ("" where something came or went)."""

    type: str
    original: str
    corrupted: str


class NoisyText(NamedTuple):
    """A text and every change made to it, in the order of the text; without changes it is the text as it was."""

    text: str
    log: tuple[Corruption, ...]


class NoisyChunks(NamedTuple):
    """Passages and every change made to them."""

    chunks: tuple[Chunk, ...]
    log: tuple[Corruption, ...]


class _Place(NamedTuple):
    """Where a text can change, and into what."""

    start: int
    end: int
    new: str


_Places = Callable[[np.random.Generator, str, Language], list[_Place]]


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """`noise.toml`."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def corrupt_text(rng: np.random.Generator, text: str, kind: str, level: float, language: Language = "en") -> NoisyText:
    """A text with noise of one kind; at least one place changes where any can.

    Raises EvalError for a kind that no text has and for a level outside (0, 1].
    """
    if kind not in _PLACES:
        raise EvalError(f"no noise of text is called {kind!r}; known: {', '.join(_PLACES)}")
    places = _apart(_PLACES[kind](rng, text, language))
    share = check_level(level) * (OCR_RATE if kind == "ocr" else 1.0)
    chosen = [place for place, taken in zip(places, _taken(rng, len(places), share), strict=True) if taken]
    made, at = [], 0
    for place in chosen:
        made += [text[at : place.start], place.new]
        at = place.end
    log = tuple(Corruption(type=kind, original=text[one.start : one.end], corrupted=one.new) for one in chosen)
    return NoisyText("".join([*made, text[at:]]), log)


def corrupt_query(rng: np.random.Generator, query: str, kind: str, level: float, language: Language = "en") -> NoisyText:
    """Noise before retrieval. Raises EvalError for a kind that no question has."""
    return corrupt_text(rng, query, _checked("query", kind), level, language)


def corrupt_answer(rng: np.random.Generator, answer: str, kind: str, level: float, language: Language = "en") -> NoisyText:
    """Noise after generation. Raises EvalError for a kind that no answer has."""
    return corrupt_text(rng, answer, _checked("answer", kind), level, language)


def corrupt_anchor(rng: np.random.Generator, pattern: str, kind: str, level: float, language: Language = "en") -> NoisyText:
    """Noise in what an answer is held against: a text or a regular expression, which stays one.

    Where the changed pattern would be none, it is left as it was. Raises EvalError for a kind that no anchor has.
    """
    noisy = corrupt_text(rng, pattern, _checked("anchors", kind), level, language)
    try:
        re.compile(noisy.text)
    except re.error:
        return NoisyText(pattern, ())
    return noisy


def corrupt_chunks(
    rng: np.random.Generator, chunks: Sequence[Chunk], kind: str, level: float, pool: Sequence[Chunk] = ()
) -> NoisyChunks:
    """Noise after retrieval. `pool`: passages that distractors are drawn from; those found already are none.

    Raises EvalError for a kind that passages do not have, and for distractors without a pool.
    """
    _checked("chunks", kind)
    check_level(level)
    if kind == "distractors":
        return _distracted(rng, chunks, level, pool)
    if kind == "redundancy":
        return _repeated(rng, chunks, level)
    if kind == "stale_metadata":
        return _dated_back(rng, chunks, level)
    changed: list[Chunk] = []
    log: list[Corruption] = []
    for chunk in chunks:
        noisy = corrupt_text(rng, chunk.text, kind, level, chunk.language)
        changed.append(chunk.model_copy(update={"text": noisy.text}))
        log += noisy.log
    return NoisyChunks(tuple(changed), tuple(log))


def check_level(level: float) -> float:
    """The level itself. Raises EvalError outside (0, 1]."""
    if not 0.0 < level <= 1.0:
        raise EvalError(f"a level of noise lies above 0 and up to 1, got {level}")
    return level


def _checked(point: Point, kind: str) -> str:
    if kind not in NOISE_OF[point]:
        raise EvalError(f"no noise at the point {point!r} is called {kind!r}; known: {', '.join(NOISE_OF[point])}")
    return kind


def _taken(rng: np.random.Generator, count: int, share: float) -> list[bool]:
    """Which of `count` places change: those whose own draw lies below the share, and the lowest draw in any case."""
    draws = rng.random(count)
    return [bool(draw < share or draw == draws.min()) for draw in draws]


def _apart(places: Sequence[_Place]) -> list[_Place]:
    """The places in order, of overlapping ones the first and longest."""
    kept: list[_Place] = []
    for place in sorted(places, key=lambda one: (one.start, -one.end)):
        if not kept or place.start >= kept[-1].end:
            kept.append(place)
    return kept


def _synonyms(rng: np.random.Generator, text: str, language: Language) -> list[_Place]:
    found = []
    for first, second in rewording_tables()["synonyms"][language]:
        for old, new in ((first, second), (second, first)):
            pattern = rf"\b{re.escape(old)}\b" if language == "en" else re.escape(old)
            found += [_Place(*match.span(), _cased(new, match.group())) for match in re.finditer(pattern, text, re.IGNORECASE)]
    return found


def _vague(rng: np.random.Generator, text: str, language: Language) -> list[_Place]:
    flags = re.IGNORECASE if language == "en" else 0
    rules = tables()["vague"][language]
    return [_Place(*match.span(), new) for old, new in rules for match in re.finditer(old, text, flags)]


def _numbers(rng: np.random.Generator, text: str, language: Language) -> list[_Place]:
    return [_Place(*match.span(), "") for match in _NUMBER.finditer(text)]


def _confusions(rng: np.random.Generator, text: str, language: Language) -> list[_Place]:
    # What stands behind a backslash is a sign of a pattern, not a character that was read.
    found = [
        _Place(*match.span(), new)
        for old, new in tables()["ocr"][language]
        for match in re.finditer(rf"(?<!\\){re.escape(old)}", text)
    ]
    # One of a place's confusions, whichever comes first in a drawn order.
    order = rng.permutation(len(found))
    return [found[index] for index in order]


def _years(rng: np.random.Generator, text: str, language: Language) -> list[_Place]:
    matches = list(_YEAR.finditer(text))
    back = rng.integers(*_YEARS_BACK, len(matches), endpoint=True)
    return [_Place(*match.span(), str(int(match.group()) - int(years))) for match, years in zip(matches, back, strict=True)]


_PLACES: dict[str, _Places] = {
    "synonym": _synonyms,
    "vague": _vague,
    "numbers_dropped": _numbers,
    "ocr": _confusions,
    "stale_date": _years,
}


def _cased(new: str, old: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _distracted(rng: np.random.Generator, chunks: Sequence[Chunk], level: float, pool: Sequence[Chunk]) -> NoisyChunks:
    there = {chunk.id for chunk in chunks}
    strangers = [chunk for chunk in pool if chunk.id not in there]
    if chunks and not strangers:
        raise EvalError("distractors are drawn from a pool of other passages, and there are none: give `pool`")
    count = min(max(1, round(level * len(chunks))), len(strangers)) if chunks else 0
    drawn = [strangers[index] for index in rng.permutation(len(strangers))[:count]]
    mixed = list(chunks)
    for one in drawn:
        mixed.insert(int(rng.integers(len(mixed) + 1)), one)
    return NoisyChunks(tuple(mixed), tuple(Corruption(type="distractors", original="", corrupted=one.id) for one in drawn))


def _repeated(rng: np.random.Generator, chunks: Sequence[Chunk], level: float) -> NoisyChunks:
    made: list[Chunk] = []
    log: list[Corruption] = []
    for chunk, twice in zip(chunks, _taken(rng, len(chunks), level), strict=True):
        made.append(chunk)
        if twice:
            copy = chunk.model_copy(update={"id": f"{chunk.id}~copy"})
            made.append(copy)
            log.append(Corruption(type="redundancy", original=chunk.id, corrupted=copy.id))
    return NoisyChunks(tuple(made), tuple(log))


def _dated_back(rng: np.random.Generator, chunks: Sequence[Chunk], level: float) -> NoisyChunks:
    """The date from which a passage holds lies years back: metadata that nobody kept."""
    years = rng.integers(*_YEARS_BACK, len(chunks), endpoint=True)
    made: list[Chunk] = []
    log: list[Corruption] = []
    for chunk, back, taken in zip(chunks, years, _taken(rng, len(chunks), level), strict=True):
        old = chunk.effective_date - timedelta(days=365 * int(back))
        made.append(chunk.model_copy(update={"effective_date": old}) if taken else chunk)
        if taken:
            log.append(Corruption(type="stale_metadata", original=str(chunk.effective_date), corrupted=str(old)))
    return NoisyChunks(tuple(made), tuple(log))
