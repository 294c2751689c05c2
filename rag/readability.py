"""Can a report be read? Rules on its language and its order, and one verdict together with its faithfulness.

Neither part makes up for the other: a faithful report that nobody can read fails, and so does a fluent one that its
sources do not support. English by Flesch's reading ease (Flesch 1948, "A new readability yardstick": 206.835 - 1.015
words a sentence - 84.6 syllables a word) and by the sentence length of Simplified Technical English (ASD-STE100: 25
words in a description); Chinese by characters a sentence, with this project's own bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from knowledge.articles import Language
from knowledge.sentences import split_sentences
from rag.distill import overlap
from rag.report import PARTS, Document, Section
from vision.fields import Contract, Fraction

_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_HAN = re.compile(r"[\u3400-\u9fff]")
_NUMBER = re.compile(r"(?<![A-Za-z\d-])[+-]?\d+(?:[.,]\d+)*(?![\w-]*[A-Za-z]-?\d)")
_VOWELS = re.compile(r"[aeiouy]+")
_LEAKS = re.compile(
    r"\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b|[{}<>|\\~`]|\b(?:nan|NaN|null|undefined)\b|[\u0370-\u03ff\u2200-\u2211\u2213-\u22ff]"
)
"""What no reader can look up: names of fields, braces and other code, words of programs, letters of formulas."""


@dataclass(frozen=True)
class ReadabilityOptions:
    """Bounds of a readable report. Lengths are words in English, characters in Chinese; `ease` is Flesch's."""

    least_ease: float = 30.0
    mean_words: float = 20.0
    long_words: int = 25
    longest_words: int = 45
    mean_han: float = 36.0
    long_han: int = 50
    longest_han: int = 90
    most_long: float = 0.25
    mean_numbers: float = 3.5
    most_numbers: int = 10
    alike: float = 0.85
    most_statements: int = 30
    least_score: float = 0.5


class Readability(Contract):
    """How a report reads. `score` in [0, 1] is the worst of its parts; `readable` needs it and no problem.

    `length`: words or characters a sentence; `ease` is None in Chinese, and where there are no words.
    """

    language: Language
    sentences: int
    length: float
    longest: int
    long_share: Fraction
    ease: float | None
    numbers: float
    leaks: tuple[str, ...]
    repeated: int
    score: Fraction
    readable: bool
    problems: tuple[str, ...] = ()


class ReportVerdict(Contract):
    """Both halves of the verdict, and whether the report passes: only with both."""

    faithful: bool
    supported_share: Fraction
    readability: Readability
    passed: bool
    reasons: tuple[str, ...] = ()


def judge_report(
    document: Document, *, unfaithful: Sequence[str] = (), options: ReadabilityOptions | None = None
) -> ReportVerdict:
    """The verdict on a report. `unfaithful`: what a stricter judge than the report's own check found, in a line each."""
    readability = score_readability(document, options)
    statements = document.statements
    supported = sum(one.supported for one in statements)
    wrong = [f"not supported: {one.text}" for one in statements if not one.supported] + list(unfaithful)
    return ReportVerdict(
        faithful=not wrong,
        supported_share=supported / len(statements) if statements else 0.0,
        readability=readability,
        passed=not wrong and readability.readable,
        reasons=(*wrong, *readability.problems),
    )


def score_readability(document: Document, options: ReadabilityOptions | None = None) -> Readability:
    """How a document reads, by rules that give the same answer every time."""
    bounds = options or ReadabilityOptions()
    texts = [one.text for one in document.statements]
    parts = [part for text in texts for part in split_sentences(text)]
    chinese = document.language == "zh"
    lengths = [len(_HAN.findall(part)) + len(_WORD.findall(part)) if chinese else len(_words(part)) for part in parts]
    numbers = [len(_NUMBER.findall(part)) for part in parts]
    long, longest = (bounds.long_han, bounds.longest_han) if chinese else (bounds.long_words, bounds.longest_words)
    mean_bound = bounds.mean_han if chinese else bounds.mean_words
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    long_share = sum(length > long for length in lengths) / len(lengths) if lengths else 0.0
    ease = None if chinese else flesch_ease(parts)
    leaks = tuple(dict.fromkeys(leak for text in _all_texts(document) for leak in _LEAKS.findall(text)))
    repeated = sum(_repeated(section, bounds.alike) for section in document.sections)
    figures = sum(numbers) / len(numbers) if numbers else 0.0
    shares = [_within(mean, mean_bound), _within(figures, bounds.mean_numbers), 1.0 - long_share]
    if ease is not None:
        shares.append(min(max(ease, 0.0) / (2 * bounds.least_ease), 1.0))
    problems = [
        *(["it says nothing"] if not texts else []),
        *([f"sentences of {mean:.0f} on average, more than {mean_bound:.0f}"] if mean > mean_bound else []),
        *([f"{long_share:.0%} of the sentences are longer than {long}"] if long_share > bounds.most_long else []),
        *([f"a sentence of {max(lengths)}, more than {longest}"] if max(lengths, default=0) > longest else []),
        *(
            [f"reading ease {ease:.0f}, less than {bounds.least_ease:.0f}"]
            if ease is not None and ease < bounds.least_ease
            else []
        ),
        *([f"{figures:.1f} numbers a sentence"] if figures > bounds.mean_numbers else []),
        *([f"{max(numbers)} numbers in one sentence"] if max(numbers, default=0) > bounds.most_numbers else []),
        *([f"unexplained: {' '.join(leaks)}"] if leaks else []),
        *([f"{repeated} sentences say what another one says"] if repeated else []),
        *(problem for section in document.sections for problem in _order_problems(section, bounds)),
    ]
    score = round(min(shares), 4) if texts else 0.0
    return Readability(
        language=document.language,
        sentences=len(parts),
        length=round(mean, 2),
        longest=max(lengths, default=0),
        long_share=long_share,
        ease=round(ease, 1) if ease is not None else None,
        numbers=round(figures, 2),
        leaks=leaks,
        repeated=repeated,
        score=score,
        readable=not problems and score >= bounds.least_score,
        problems=tuple(problems) or (() if score >= bounds.least_score else (f"score {score:.2f}",)),
    )


def _words(text: str) -> list[str]:
    """Words and numbers of an English text."""
    return _WORD.findall(text) + _NUMBER.findall(text)


def _within(value: float, bound: float) -> float:
    """1 up to a bound's half, 0.5 at the bound, 0 at one and a half of it."""
    return min(max(1.5 - value / bound, 0.0), 1.0)


def _all_texts(document: Document) -> Iterable[str]:
    for section in document.sections:
        yield section.title or ""
        if section.headline is not None:
            yield from (part for part in (section.headline.value, section.headline.interval, section.headline.status) if part)
    yield from (one.text for one in document.statements)


def flesch_ease(parts: Sequence[str]) -> float | None:
    """Flesch's reading ease of English sentences; None without words. A number is a word of one syllable."""
    words = [word for part in parts for word in _words(part)]
    if not words:
        return None
    syllables = sum(count_syllables(word) for word in words)
    return 206.835 - 1.015 * len(words) / len(parts) - 84.6 * syllables / len(words)


def count_syllables(word: str) -> int:
    """Syllables of an English word by its groups of vowels, a silent final e taken off; at least one."""
    lower = re.sub(r"[^a-z]", "", word.lower())
    silent = lower.endswith("e") and not lower.endswith(("le", "ee", "ye"))
    past = lower.endswith("ed") and not lower.endswith(("ted", "ded"))
    return max(1, len(_VOWELS.findall(lower)) - silent - past)


def _repeated(section: Section, alike: float) -> int:
    """Statements of a section that repeat an earlier one, numbers aside nothing new in them."""
    texts = [one.text for part in section.parts for one in part.statements]
    doubles = {late for (_, early), (late, text) in combinations(enumerate(texts), 2) if _same(early, text, alike)}
    return len(doubles)


def _same(early: str, late: str, alike: float) -> bool:
    return early == late or (overlap(early, late) > alike and set(_NUMBER.findall(late)) <= set(_NUMBER.findall(early)))


def _order_problems(section: Section, bounds: ReadabilityOptions) -> Iterable[str]:
    """What is missing or misplaced in an instrument's section: headline first, then the parts in their order."""
    if section.number is None:
        return
    count = sum(len(part.statements) for part in section.parts)
    names = [part.name for part in section.parts]
    headline = section.headline
    if headline is None or not headline.status.strip():
        yield f"instrument {section.number} has no headline"
    elif headline.value is None and headline.interval is not None:
        yield f"instrument {section.number} has an interval without a value"
    if names != sorted(set(names), key=PARTS.index):
        yield f"instrument {section.number}: the parts are not in the order of an answer"
    if count > bounds.most_statements:
        yield f"instrument {section.number}: {count} sentences, more than {bounds.most_statements}"
    if not count:
        yield f"instrument {section.number}: nothing is said"
