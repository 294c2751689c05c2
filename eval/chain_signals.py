"""One case of the chain put before the probes: what was wanted, found, sent and answered becomes signals for attribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eval.attribution import Signals
from eval.claims import sentence_spans
from eval.fci import score_answer
from eval.fieldscores import FIELD_RULES, judge_field
from eval.matching import LOCATED_IOU, Pair
from eval.retrieval import Passage, Wanted, score_retrieval
from eval.scorable import answer_fault, context_fault
from eval.score import NAN, mean_of
from eval.valuescores import judge_value
from rag.verify import check_support


class ChainRun(NamedTuple):
    """One question through the chain. `scope`: the documents that may answer it, None where all may.

    `pair`: the instrument of the photo with its reading, None where the question is not of a photo.
    """

    question: str
    retrieved: tuple[Passage, ...]
    sent: tuple[Passage, ...]
    answer: str
    wanted: Wanted
    scope: frozenset[str] | None = None
    pair: Pair | None = None


def measure(run: ChainRun) -> Signals:
    """The signals of one case that need no model: vision, hit, kept, FCI, support, right. The others stay NaN."""
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


def _support(answer: str, texts: Sequence[str]) -> tuple[float, float]:
    """FCI, and the share of the answer's sentences that the product's own check finds in the texts; NaN for a refusal."""
    if answer_fault(answer) is not None or context_fault(texts) is not None:
        return NAN, NAN
    sentences = [span.text for span in sentence_spans(answer)]
    checked = mean_of(float(check_support(sentence, texts).supported) for sentence in sentences)
    return score_answer(answer, texts).fci, checked.value
