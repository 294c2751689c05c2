"""FCI beside the token-overlap floor on public sets of answers that people judged.

A probe that does not clear the floor is not worth its name, so both are always measured in one run. Data are
given by path; none is shipped.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from eval.claims import sentence_spans
from eval.claims_zh import chinese_terms
from eval.fci import ReportScores, score_answer
from eval.probe_scores import FLOOR, Labelled, ProbeScore, score_probes
from eval.score import NAN, EvalError
from eval.span_support import span_support
from vision.fields import Contract

SetName = Literal["ragtruth", "uhgeval"]
_WORD = re.compile(r"[a-z0-9]+")
_COMMON_TEXT = """a an and are as at be been but by can could do does for from had has have he her his how i if in into is
it its may more most no not of on or other our she should so some such than that the their them then
there these they this to was we were what when where which while who will with would you your"""
_COMMON = frozenset(_COMMON_TEXT.split())
Probe = Callable[["LabelledText"], float]
"""A further probe: a number for a labelled text, NaN where it finds nothing to judge."""


class LabelledText(NamedTuple):
    """A text or a keyword within one, its sources, and whether people found it faithful. `group`: same sources, same group."""

    text: str
    keyword: str | None
    sources: tuple[str, ...]
    faithful: bool
    group: str


class TextBench(Contract):
    """All probes on one set of labelled texts."""

    data: str
    n: int
    unfaithful: int
    probes: tuple[ProbeScore, ...]


class ProbedTexts(NamedTuple):
    """Labelled texts of one file and what each probe says of each."""

    data: str
    raw: dict[str, list[float]]
    labelled: Labelled


def bench_text(path: Path, kind: SetName, *, limit: int | None = None, progress: bool = True, rounds: int = 500) -> TextBench:
    """FCI and floor over a labelled file, `limit` lines of it (all where None).

    Raises EvalError where the file is missing or its lines are not of that kind.
    """
    return score_texts(probe_texts(path, kind, limit=limit, progress=progress), rounds)


def probe_texts(
    path: Path, kind: SetName, *, limit: int | None = None, progress: bool = True, further: Mapping[str, Probe] | None = None
) -> ProbedTexts:
    """What the floor, FCI and `further` probes by name say of each text of a labelled file. Raises EvalError as `bench_text`."""
    items = read_labelled(path, kind, limit)
    from tqdm import tqdm

    rows = []
    for item in tqdm(items, desc=path.name, unit="text", disable=not progress):
        rows.append(_probe(item) | {name: probe(item) for name, probe in (further or {}).items()})
    raw = {name: [row[name] for row in rows] for name in rows[0]}
    return ProbedTexts(path.name, raw, Labelled([item.faithful for item in items], [item.group for item in items]))


def score_texts(probed: ProbedTexts, rounds: int) -> TextBench:
    """How well each probe tells the labels of one file apart."""
    faithful = probed.labelled.faithful
    probes = score_probes(probed.raw, probed.labelled, rounds)
    return TextBench(data=probed.data, n=len(faithful), unfaithful=int((~faithful).sum()), probes=probes)


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
    return {FLOOR: floor, "fci": scores.fci, "worst support": scores.worst_support}


def _probe_keyword(text: str, keyword: str, sources: Sequence[str]) -> dict[str, float]:
    floor = overlap_floor(keyword, sources)
    scores = _cached_answer(text, tuple(sources))
    return {
        FLOOR: floor,
        "fci": _keyword_state(scores, keyword),
        "worst support": keyword_support(scores, keyword, sources, floor),
    }


def keyword_support(scores: ReportScores, keyword: str, sources: Sequence[str], floor: float) -> float:
    """Graded support of one keyword in [0, 1]: the geometric mean of what stands word for word, of its words that are known
    (`floor`) and of its claim's support, the last two between a half and 1. NaN without words.

    The mean keeps the scale of a claim's support, so that a threshold means the same on texts and on keywords.
    """
    verdicts = [v for s in scores.statements for v in s.verdicts if keyword in v.claim.text or v.claim.text in keyword]
    supports = [verdict.support for verdict in verdicts if verdict.score.state != "not_scorable"]
    known = 0.0 if math.isnan(floor) else floor
    claim = max(supports, default=known)
    return float(np.cbrt(span_support(keyword, sources) * (1 + known) * (1 + claim) / 4))


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
