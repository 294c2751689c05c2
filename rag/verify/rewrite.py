"""Sentence by sentence: does a sentence say what its cited facts say, and nothing else?

Rules, no model: numbers with their units, names, negations and content words. `check_rewrite` holds a rewritten
sentence against the sentence it was to say; `check_support` holds a sentence against the texts that it cites.
English and Chinese. What a rule cannot judge counts as unsupported: the price is a template sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from knowledge.sentences import split_sentences
from vision.units import UnitError, convert, find_unit

DEGREE = "deg"
_NUMBER = re.compile(r"(?<![A-Za-z0-9_])(?<![A-Za-z][-–])[+-]?\d+(?:\.\d+)*(?![A-Za-z0-9]*-\d)")
_NAME = re.compile(r"[A-Za-z]+[-_]?\d[A-Za-z0-9_-]*|\b\d+[A-Za-z]+-\d+\w*")
_DEGREE = re.compile(r"\s*(?:°(?!\s*[CF])|度|degrees?\b|deg\b)")
_NEGATION_EN = re.compile(r"\b(?:not|no|never|none|neither|nor|without|cannot|unless|except|only)\b|\b\w+n't\b", re.IGNORECASE)
_NEGATION_ZH = re.compile(r"[不未无非没勿禁别]|避免|除外|除非|仅|只")
_NEGATING_HAN = "不未无非没勿禁别得"
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_HAN = re.compile(r"[\u4e00-\u9fff]")

_FUNCTION_TEXT = """a an the this that these those it its there here of in on at to from by for with as into and or but so
than then also is are was were be been being has have had does do did which who whose what when where while if because
although per"""
FUNCTION_WORDS = frozenset(_FUNCTION_TEXT.split())
MAX_DISORDER = 0.34
_OPPOSITES = re.compile(
    r"\b(?:red|yellow|green|on|off|open|close[ds]?|start(?:ed|s)?|stop(?:ped|s)?|high|low|above|below|over|under|up|down|"
    r"left|right|before|after|normal|alarm|minimum|maximum|more|less|clockwise|counter-clockwise)\b|[红黄绿熄高低上下开闭启停左右升降前后]"
)
_FUNCTION_HAN = frozenset("的了在为是和与或其该此之由从到至于对按所将把被并且以及即就也都各个")


class Number(NamedTuple):
    """A number as written, with its canonical unit, `deg`, or None."""

    value: str
    unit: str | None


@dataclass(frozen=True)
class Verdict:
    """Whether a sentence holds, and every way in which it does not."""

    supported: bool
    problems: tuple[str, ...] = ()


def fold(text: str) -> str:
    """Text with compatibility forms folded, so that full-width digits and signs compare equal."""
    return unicodedata.normalize("NFKC", text).replace("−", "-").replace("–", "-").replace("º", "°")


def find_numbers(text: str) -> tuple[Number, ...]:
    """Numbers in reading order with the unit behind each; digits inside names (XYZ-2000) are not numbers."""
    return tuple(found.number for found in _scan(fold(text)))


class _Found(NamedTuple):
    number: Number
    start: int
    end: int


def _scan(text: str) -> list[_Found]:
    """Numbers of folded text with the unit behind each, and where number and unit stand."""
    found: list[_Found] = []
    for match in _NUMBER.finditer(text):
        rest = text[match.end() :]
        if re.match(r"[A-Za-z]+\d", rest):
            continue
        before = text[: match.start()].rstrip()
        degree = _DEGREE.match(rest)
        # `第 5.2 节` is a section; the unit table knows the same character for knots.
        unit, length = (None, 0) if before.endswith("第") else (DEGREE, degree.end()) if degree else _unit_behind(rest)
        written = match.group()
        # A minus directly behind a number or bracket is arithmetic, not a sign.
        if written[0] in "+-" and before and (before[-1].isalnum() or before[-1] == ")"):
            written = written[1:]
        found.append(_Found(Number(_plain(written), unit), match.start(), match.end() + length))
    return found


def _unit_behind(rest: str) -> tuple[str | None, int]:
    """The longest unit that a text begins with and its length; `3 of them` and `3 a day` hold none."""
    lead = len(rest) - len(rest.lstrip(" "))
    word = re.match(r"[A-Za-z]+", rest[lead:])
    if word is not None and word.group() in FUNCTION_WORDS:
        return None, 0
    for end in range(min(lead + 20, len(rest)), lead, -1):
        head, tail = rest[:end], rest[end : end + 1]
        if head[-1].isspace() or (re.match(r"[A-Za-z0-9/]", tail) and re.search(r"[A-Za-z0-9]$", head)):
            continue
        unit = find_unit(head)
        if unit is not None:
            return unit, end
    return None, 0


def _plain(written: str) -> str:
    """One spelling a value: `80.0` and `80` are the same number, section `5.2.1` stays as it is."""
    if written.count(".") > 1:
        return written
    value = float(written)
    return f"{value:.10g}"


def _same(one: Number, other: Number) -> bool:
    if one.value == other.value:
        return one.unit is None or other.unit is None or one.unit == other.unit
    if one.unit is None or other.unit is None or DEGREE in (one.unit, other.unit) or one.unit == other.unit:
        return False
    try:
        converted = convert(float(other.value), other.unit, one.unit)
    except (UnitError, ValueError):
        return False
    return abs(converted - float(one.value)) <= 1e-3 * abs(converted)


def find_names(text: str) -> frozenset[str]:
    """Names with digits in them: models, valves, sensors."""
    return frozenset(match.group().upper() for match in _NAME.finditer(fold(text)))


def _stem(word: str) -> str:
    word = word.lower()
    for ending in ("ing", "ies", "ed", "es", "s"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word[: -len(ending)]
    return word


def _without_quantities(text: str) -> str:
    """Folded text without its numbers and the units behind them: these are compared on their own."""
    text = fold(text)
    for found in reversed(_scan(text)):
        text = f"{text[: found.start]} {text[found.end :]}"
    return text


def content_words(text: str) -> tuple[str, ...]:
    """English content words, stemmed, in order; units and names with digits left out, negations left out."""
    text = _NAME.sub(" ", _without_quantities(text))
    words = [word for word in _WORD.findall(_NEGATION_EN.sub(" ", text)) if word.lower() not in FUNCTION_WORDS]
    return tuple(_stem(word) for word in words if len(word) > 1)


def content_han(text: str) -> tuple[str, ...]:
    """Chinese content characters in order, function characters left out."""
    return tuple(char for char in _HAN.findall(_without_quantities(text)) if char not in _FUNCTION_HAN)


def negations(text: str) -> Counter[str]:
    """Each negation with the word it stands before: a moved `not` is another statement."""
    text = fold(text)
    found: Counter[str] = Counter()
    for match in _NEGATION_EN.finditer(text):
        following = content_words(text[match.end() :])
        word = match.group().lower()
        found[f"{'not' if word.endswith(chr(39) + 't') or word == 'cannot' else word} {following[0] if following else ''}"] += 1
    for match in _NEGATION_ZH.finditer(text):
        # What is negated stands behind the modal: `不得打开`.
        following_han = content_han(text[match.end() : match.end() + 8].lstrip("得能可要须应准许会"))
        found[f"{match.group()} {''.join(following_han[:2])}"] += 1
    return found


def check_rewrite(text: str, planned: str) -> Verdict:
    """Does `text` say exactly what `planned` says? Same numbers with units in the same order, names, negations, words."""
    problems: list[str] = []
    seen, asked = find_numbers(text), find_numbers(planned)
    if [number.value for number in seen] != [number.value for number in asked]:
        problems.append(f"numbers {_list(seen)} instead of {_list(asked)}")
    elif any(a.unit != b.unit for a, b in zip(seen, asked, strict=True)):
        problems.append(f"units of {_list(seen)} instead of {_list(asked)}")
    if find_names(text) != find_names(planned):
        problems.append(f"names {sorted(find_names(text))} instead of {sorted(find_names(planned))}")
    if negations(text) != negations(planned):
        problems.append(f"negation {sorted(negations(text))} instead of {sorted(negations(planned))}")
    for kind, words in (("word", content_words), ("character", content_han)):
        # Counted: a sentence said twice has no new word either.
        seen_words, asked_words = Counter(words(text)), Counter(words(planned))
        new, lost = sorted(seen_words - asked_words), sorted(asked_words - seen_words)
        if new:
            problems.append(f"new {kind}s {', '.join(new)}")
        if lost:
            problems.append(f"lost {kind}s {', '.join(lost)}")
    if any(_disorder(words(text), words(planned)) > MAX_DISORDER for words in (content_words, content_han)):
        problems.append("words joined in another way")
    if _opposites(text) != _opposites(planned):
        problems.append(f"opposites {' '.join(_opposites(text))} instead of {' '.join(_opposites(planned))}")
    if not text.strip().endswith((".", "。", "!", "！", ";", "；")):
        problems.append("does not end as a sentence")
    if len(split_sentences(text)) > len(split_sentences(planned)):
        problems.append("more than one sentence")
    return Verdict(not problems, tuple(problems))


def _opposites(text: str) -> list[str]:
    """Words that have an opposite, in order: exchanging two of them turns a sentence around with no new word."""
    return [word for word in _OPPOSITES.findall(fold(text).lower()) if word]


def _disorder(text: Sequence[str], planned: Sequence[str]) -> float:
    """Share of neighbouring words in `text` that do not stand so in `planned`."""
    pairs = list(pairwise(text))
    known = set(pairwise(planned))
    return sum(1 for pair in pairs if pair not in known) / len(pairs) if pairs else 0.0


def check_support(text: str, sources: Iterable[str], fixed: str = "") -> Verdict:
    """Is `text` supported by the cited `sources`? `fixed`: the template's own words, which need no source.

    Numbers must stand in a source with the same unit (or convert to it), names and content words too, and the
    sentence must negate what its best matching source sentence negates.
    """
    material = [fold(source) for source in sources if source.strip()]
    if not material:
        return Verdict(False, ("no source is cited",))
    whole = "\n".join(material)
    problems: list[str] = []
    known = find_numbers(whole) + find_numbers(fixed)
    invented = [number for number in find_numbers(text) if not any(_same(number, other) for other in known)]
    if invented:
        problems.append(f"numbers without source: {_list(invented)}")
    names = find_names(text) - find_names(whole) - find_names(fixed)
    if names:
        problems.append(f"names without source: {', '.join(sorted(names))}")
    for words in (content_words, content_han):
        # Source by source: joined, a unit on its own line would pass for the unit of the number before it.
        known_words = {word for source in material for word in words(source)}
        new = sorted(set(words(text)) - known_words - set(words(fixed)))
        if new:
            problems.append(f"words without source: {', '.join(new)}")
    problems += _negation_problems(text, material, fixed)
    return Verdict(not problems, tuple(problems))


def _negation_problems(text: str, material: Sequence[str], fixed: str) -> list[str]:
    said = negations(text) - negations(fixed)
    whole = sum((negations(source) for source in material), Counter[str]())
    added = [key for key in said if key.split(" ")[0] not in {known.split(" ")[0] for known in whole}]
    if added:
        return [f"negation without source: {', '.join(sorted(added))}"]
    wanted = set(content_words(text)) | set(content_han(text))
    wanted -= set(content_words(fixed)) | set(content_han(fixed))
    if not wanted:
        return []
    parts = [part for source in material for line in source.splitlines() for part in _parts(line)]
    best = max(parts, key=lambda part: _f1(wanted, set(content_words(part)) | set(content_han(part))), default="")
    stated = (set(content_words(best)) | set(content_han(best))) - set(_NEGATING_HAN)
    # Only where the sentence repeats most of that source sentence can it have dropped its negation.
    if stated and len(wanted & stated) / len(stated) >= 0.6 and negations(best) and not said:
        return [f"dropped negation: {', '.join(sorted(negations(best)))}"]
    return []


def _parts(line: str) -> tuple[str, ...]:
    return tuple(cell for cell in line.split("|") if cell.strip()) if line.lstrip().startswith("|") else split_sentences(line)


def _f1(wanted: set[str], stated: set[str]) -> float:
    return 2 * len(wanted & stated) / (len(wanted) + len(stated)) if wanted and stated else 0.0


def _list(numbers: Iterable[Number]) -> str:
    return ", ".join(f"{number.value} {number.unit}" if number.unit else number.value for number in numbers) or "none"
