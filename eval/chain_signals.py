"""One case of the chain put before the probes: what was wanted, found, sent and answered becomes signals for attribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from eval.anchors_relevance import score_anchors
from eval.attribution import Signals
from eval.claims import sentence_spans
from eval.coverage import score_coverage
from eval.evidence import all_terms
from eval.fci import score_answer
from eval.fieldscores import FIELD_RULES, judge_field
from eval.matching import LOCATED_IOU, Pair
from eval.mvfu import FactLibrary
from eval.retrieval import Passage, Wanted, score_retrieval
from eval.scorable import answer_fault, context_fault
from eval.score import NAN, mean_of
from eval.valuescores import judge_value
from knowledge.sentences import split_sentences
from rag.verify import check_support

if TYPE_CHECKING:
    from eval.attention import AttentionProbe

LIKE = 0.5
"""From this share of common words on an answer is taken to be made of a sentence."""


class ChainRun(NamedTuple):
    """One question through the chain. `scope`: the documents that may answer it, None where all may.

    `pair`: the instrument of the photo with its reading, None where the question is not of a photo. `model`, `language`: what
    the question is about and asked in, for coverage; None where they are not known.
    """

    question: str
    retrieved: tuple[Passage, ...]
    sent: tuple[Passage, ...]
    answer: str
    wanted: Wanted
    scope: frozenset[str] | None = None
    pair: Pair | None = None
    model: str | None = None
    language: str | None = None


@dataclass(frozen=True)
class Scorers:
    """What further signals need: the library of facts for FCR, a loaded model for AC. None leaves the signal out."""

    library: FactLibrary | None = None
    attention: AttentionProbe | None = None


def measure(run: ChainRun, scorers: Scorers | None = None) -> Signals:
    """The signals of one case: vision, hit, kept, FCI, support, right; with `scorers` also CRS, and FCR and AC where they have
    what these need. The others stay NaN."""
    found: dict[str, float] = vision_signals(run.pair) if run.pair is not None else {}
    found["hit"] = score_retrieval(run.question, run.retrieved, run.wanted).hit.value
    found["kept"] = score_retrieval(run.question, run.sent, run.wanted, depth=max(len(run.sent), 1)).hit.value
    texts = [passage.text for passage in run.sent]
    found["fci"], found["borne_out"] = _support(run.answer, texts)
    own = [passage.text for passage in run.sent if run.scope is None or passage.document in run.scope]
    if len(own) < len(texts):
        found["own_fci"], found["own_borne_out"] = _support(run.answer, own) if own else (0.0, 0.0)
    if run.wanted.answers:
        found["right"] = float(any(answer.stands_in(run.answer) for answer in run.wanted.answers))
        found["of_wanted"] = _of_wanted(run)
    if scorers is not None:
        found |= _further(run, texts, scorers)
    return Signals(**found)


def vision_signals(pair: Pair) -> dict[str, float]:
    """How well an instrument was found and read: each in [0, 1], NaN where the truth has nothing of it."""
    truth, reading, iou, _ = pair
    if truth is None:
        return {"located": NAN, "fields": NAN, "value": NAN}
    if reading is None:
        return {"located": 0.0, "fields": NAN, "value": NAN}
    judged: list[float] = []
    for name, rule in FIELD_RULES.items():
        true, given = getattr(truth.fields, name), getattr(reading.fields, name)
        # A field left open is an abstention, which misleads nobody; one that is given must be right.
        if true is not None and given is not None:
            judged.append(float(judge_field(rule, true, given).right))
    value = judge_value(truth, reading)
    return {
        "located": float(iou >= LOCATED_IOU),
        "fields": mean_of(judged).value,
        "value": NAN if value is None else float(value.right),
    }


def _further(run: ChainRun, texts: Sequence[str], scorers: Scorers) -> dict[str, float]:
    """CRS of what was sent, FCR and AC."""
    found = {"crs": score_anchors(run.question, run.sent).score.value}
    if scorers.library is not None:
        found["fcr"] = score_coverage(run.question, run.sent, scorers.library, run.model, run.language).score.value
    if scorers.attention is not None:
        aligned = scorers.attention.score(run.question, run.answer, texts)
        judged = [claim.score.value for claim in aligned.claims if claim.score.state != "not_scorable"]
        found["ac"] = aligned.mean.value
        found["ac_low"], found["ac_high"] = min(judged, default=NAN), max(judged, default=NAN)
    return found


def _of_wanted(run: ChainRun) -> float:
    """1 where the sentence sent that shares most with the answer holds the answering words, 0 where another one does; NaN
    where none shares half of the words of both."""
    said = all_terms(run.answer)
    best, holds = 0.0, NAN
    for sentence in (sentence for passage in run.sent for sentence in passage_sentences(passage.text)):
        terms = all_terms(sentence)
        alike = len(said & terms) / max(len(said | terms), 1)
        if alike >= LIKE and alike > best:
            best, holds = alike, float(any(answer.stands_in(sentence) for answer in run.wanted.answers))
    return holds


def passage_sentences(text: str) -> list[str]:
    """The sentences of a passage outside its tables and headings."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("|", "#"))]
    return [sentence for line in lines for sentence in split_sentences(line)]


def _support(answer: str, texts: Sequence[str]) -> tuple[float, float]:
    """FCI, and the share of the answer's sentences that the product's own check finds in the texts; NaN for a refusal."""
    if answer_fault(answer) is not None or context_fault(texts) is not None:
        return NAN, NAN
    sentences = [span.text for span in sentence_spans(answer)]
    checked = mean_of(float(check_support(sentence, texts).supported) for sentence in sentences)
    return score_answer(answer, texts).fci, checked.value
