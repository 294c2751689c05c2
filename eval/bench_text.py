"""FCI beside the token-overlap floor on public sets of answers that people judged.

A probe that does not clear the floor is not worth its name, so both are always measured in one run. Data are
given by path; none is shipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from eval.claims import sentence_spans
from eval.claims_zh import chinese_terms
from eval.fci import ReportScores, score_answer
from eval.score import NAN, EvalError, Number, area_under_roc, bootstrap_interval
from vision.fields import Contract

SetName = Literal["ragtruth", "uhgeval"]
_WORD = re.compile(r"[a-z0-9]+")
_COMMON_TEXT = """a an and are as at be been but by can could do does for from had has have he her his how i if in into is
it its may more most no not of on or other our she should so some such than that the their them then
there these they this to was we were what when where which while who will with would you your"""
_COMMON = frozenset(_COMMON_TEXT.split())
NEUTRAL = 0.5
"""Where a probe finds nothing to judge, its rank is the middle: neither for nor against."""


class LabelledText(NamedTuple):
    """A text or a keyword within one, its sources, and whether people found it faithful. `group`: same sources, same group."""

    text: str
    keyword: str | None
    sources: tuple[str, ...]
    faithful: bool
    group: str


class ProbeScore(Contract):
    """One probe on one set: AUROC of "faithful" with a bootstrap interval over groups, and what a threshold gains.

    The threshold is chosen for F1 of "unfaithful" on the even groups and applied to the odd ones.
    """

    probe: str
    auroc: Number
    auroc_low: Number
    auroc_high: Number
    f1: Number
    balanced_accuracy: Number
    not_scorable: int


class TextBench(Contract):
    """All probes on one set of labelled texts."""

    data: str
    n: int
    unfaithful: int
    probes: tuple[ProbeScore, ...]


def bench_text(path: Path, kind: SetName, *, limit: int | None = None, progress: bool = True, rounds: int = 500) -> TextBench:
    """FCI and floor over a labelled file, `limit` lines of it (all where None).

    Raises EvalError where the file is missing or its lines are not of that kind.
    """
    items = read_labelled(path, kind, limit)
    from tqdm import tqdm

    rows = [_probe(item) for item in tqdm(items, desc=path.name, unit="text", disable=not progress)]
    faithful, groups = [item.faithful for item in items], [item.group for item in items]
    probes = [_score_probe(name, [row[name] for row in rows], faithful, groups, rounds) for name in rows[0]]
    return TextBench(data=path.name, n=len(items), unfaithful=faithful.count(False), probes=tuple(probes))


def read_labelled(path: Path, kind: SetName, limit: int | None = None) -> list[LabelledText]:
    """Labelled texts of a JSON-lines file. Raises EvalError naming the line that is not of that kind."""
    if not path.is_file():
        raise EvalError(f"no such data file: {path}")
    read = _read_ragtruth if kind == "ragtruth" else _read_uhgeval
    items: list[LabelledText] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(islice(lines, limit), 1):
            try:
                items += read(json.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                raise EvalError(f"{path}:{number} is not a line of {kind}: {type(error).__name__} {error}") from error
    if not items:
        raise EvalError(f"{path} holds no labelled texts")
    return items


def _read_ragtruth(row: dict[str, Any]) -> Iterator[LabelledText]:
    """A response is faithful when no span of it is labelled; spans marked true in the world but not in the sources count."""
    sources = tuple(part for part in re.split(r"passage \d+:", row["source"]["passages"]) if part.strip())
    for response in row["responses"]:
        yield LabelledText(response["response"], None, sources, not response["labels"], str(row["source_id"]))


def _read_uhgeval(row: dict[str, Any]) -> Iterator[LabelledText]:
    """Each keyword of a continuation is an item of its own; the sources are the whole news text."""
    sources = (row["newsBeginning"], row["newsRemainder"])
    for annotation in row["annotations"]:
        keyword, _, label = annotation.partition("<sep>")
        if not keyword or not label.startswith(("合理", "不合理")):
            raise ValueError(f"annotation {annotation!r}")
        yield LabelledText(row["hallucinatedContinuation"], keyword, sources, label.startswith("合理"), row["id"])


def overlap_floor(text: str, sources: Sequence[str]) -> float:
    """Share of a sentence's words that occur anywhere in the sources, of its weakest sentence; NaN without words."""
    known = floor_terms(" ".join(sources))
    shares = [len(terms & known) / len(terms) for span in sentence_spans(text) if (terms := floor_terms(span.text))]
    return min(shares, default=NAN)


def floor_terms(text: str) -> frozenset[str]:
    """Lower-case words without common ones, and pairs of Chinese characters."""
    words = frozenset(word for word in _WORD.findall(text.lower()) if word not in _COMMON)
    return words | frozenset(term for term in chinese_terms(text) if not term.isascii())


def _probe(item: LabelledText) -> dict[str, float]:
    if item.keyword is not None:
        return _probe_keyword(item.text, item.keyword, item.sources)
    scores = score_answer(item.text, item.sources)
    floor = overlap_floor(item.text, item.sources)
    return {"overlap floor": floor, "fci": scores.fci, "worst support": scores.worst_support}


def _probe_keyword(text: str, keyword: str, sources: Sequence[str]) -> dict[str, float]:
    floor = overlap_floor(keyword, sources)
    scores = _cached_answer(text, tuple(sources))
    return {
        "overlap floor": floor,
        "fci": _keyword_state(scores, keyword),
        "worst support": keyword_support(scores, keyword, floor),
    }


def keyword_support(scores: ReportScores, keyword: str, floor: float) -> float:
    """Graded support of one keyword: half what the sources hold of it, half how well its claim is borne out."""
    verdicts = [v for s in scores.statements for v in s.verdicts if keyword in v.claim.text or v.claim.text in keyword]
    supports = [verdict.support for verdict in verdicts if verdict.score.state != "not_scorable"]
    return floor if not supports else (floor + max(supports)) / 2


def _keyword_state(scores: ReportScores, keyword: str) -> float:
    values = [v.score.value for s in scores.statements for v in s.verdicts if keyword in v.claim.text]
    return max(values, default=NAN)


_answers: dict[tuple[str, tuple[str, ...]], ReportScores] = {}


def _cached_answer(text: str, sources: tuple[str, ...]) -> ReportScores:
    """The scores of the last text: its keywords come one after another."""
    if (text, sources) not in _answers:
        _answers.clear()
        _answers[text, sources] = score_answer(text, sources)
    return _answers[text, sources]


def _score_probe(name: str, raw: Sequence[float], faithful: Sequence[bool], groups: Sequence[str], rounds: int) -> ProbeScore:
    values = np.array([NEUTRAL if np.isnan(value) else value for value in raw])
    truth = np.array(faithful)
    names = sorted(set(groups))
    rows_of = [np.flatnonzero(np.array(groups) == one) for one in names]

    def resampled(picked: np.ndarray[Any, np.dtype[np.int64]]) -> float:
        rows = np.concatenate([rows_of[i] for i in picked])
        return area_under_roc(list(values[rows]), list(truth[rows]))

    low, high = bootstrap_interval(np.random.default_rng(0), len(names), resampled, rounds)
    even = np.isin(np.array(groups), names[::2])
    threshold = best_threshold(values[even], truth[even])
    f1, balanced = _at_threshold(values[~even], truth[~even], threshold)
    return ProbeScore(
        probe=name,
        auroc=area_under_roc(list(values), list(truth)),
        auroc_low=low,
        auroc_high=high,
        f1=f1,
        balanced_accuracy=balanced,
        not_scorable=int(np.isnan(np.array(raw)).sum()),
    )


Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


def best_threshold(values: Floats, faithful: Flags) -> float:
    """The threshold below which texts are called unfaithful with the best F1."""
    marks = [*np.unique(values), float("inf")]
    return float(max(marks, key=lambda mark: np.nan_to_num(_at_threshold(values, faithful, float(mark))[0])))


def _at_threshold(values: Floats, faithful: Flags, threshold: float) -> tuple[float, float]:
    """F1 of "unfaithful" and balanced accuracy; NaN where one class is missing."""
    called = values < threshold
    hits, misses = int((called & ~faithful).sum()), int((~called & ~faithful).sum())
    false, passed = int((called & faithful).sum()), int((~called & faithful).sum())
    if not hits + misses or not false + passed:
        return NAN, NAN
    return 2 * hits / (2 * hits + misses + false), (hits / (hits + misses) + passed / (false + passed)) / 2
