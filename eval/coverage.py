"""Fact coverage (FCR): of the facts that a question needs, the share that the retrieved passages state.

Needed facts are looked up in the library of MVFUs; a passage states a fact where the source's own statement stands in it, or
where rules bear the fact out (`eval.judge`). Passages of another model's document state nothing about this one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from eval.anchor_keys import KEPT_PASSAGES, parse_passage
from eval.claims import extract_claims, language_of
from eval.evidence import table_rows, text_facts
from eval.judge import judge_claim
from eval.mvfu import FactKind, FactLibrary, Mvfu
from eval.retrieval import Passage
from eval.scorable import context_fault, length_fault, question_fault
from eval.score import NAN, Mean, Score, graded, mean_score, not_scorable, supported, unsupported
from knowledge.intents import detect_intent
from knowledge.lexical import terms
from vision.fields import Contract

PASSES = 0.5
"""Below this share what is missing, not what is written, explains a bad answer."""
_TOPICS: dict[str, FactKind] = {
    "formula": "formula",
    "unit": "unit",
    "lamp": "lamp",
    "mode": "mode",
    "emergency": "emergency",
    "limits": "limits",
    "angle_frame": "angle_frame",
    "angle_range": "angle_range",
    "value_range": "value_range",
    "accuracy": "accuracy",
    "readout": "readout",
    "codes": "codes",
}


class FactCoverage(Contract):
    """One needed fact: whether a passage states it, and which (from 1)."""

    fact: str
    document: str
    score: Score
    passage: int | None


class Coverage(Contract):
    """`score` = facts stated / facts that can be judged; not scorable where the library holds no fact that is needed."""

    score: Score
    facts: tuple[FactCoverage, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Ids of needed facts that no passage states."""
        return tuple(one.fact for one in self.facts if one.score.state == "unsupported")


class _Judged(NamedTuple):
    """What one passage says about one fact."""

    state: str
    reason: str


def needed_facts(question: str, model: str | None, library: FactLibrary, language: str | None = None) -> tuple[Mvfu, ...]:
    """Facts of the model that the question asks for by its topics, colour, position, level or codes.

    Without a `model` it is the one that the question names. Of a fact that is said in both languages the one in `language`
    (else the question's own) counts. Empty where the library knows no such fact: a question about what no library holds
    cannot be scored by coverage.
    """
    model = model or library.model_in(question)
    if model is None:
        return ()
    intent = detect_intent(question)
    wanted = language or language_of(question)
    found: dict[tuple[FactKind, str], Mvfu] = {}
    for topic in intent.topics:
        for fact in library.of_model(model, _TOPICS[topic]):
            if _asked_key(fact, intent.color, intent.position, intent.codes, intent.level, intent.action):
                known = found.get((fact.kind, fact.key))
                if known is None or (known.language != wanted and fact.language == wanted):
                    found[fact.kind, fact.key] = fact
    return tuple(found[key] for key in sorted(found))


def _asked_key(
    fact: Mvfu, color: str | None, position: int | None, codes: Sequence[str], level: str | None, action: bool
) -> bool:
    """Whether a fact is among what a question names: no colour named asks for all of them, a named one for that alone."""
    name, _, part = fact.key.partition("-")
    if fact.kind == "lamp":
        return (color is None or name == color) and (not part or action)
    if fact.kind == "mode":
        return position is None or fact.key == str(position)
    if fact.kind == "codes":
        return not codes or re.sub(r"\D", "", fact.key) in codes
    if fact.kind == "limits":
        return level is None or fact.key.startswith(level)
    return True


def score_coverage(
    question: str, passages: Sequence[Passage], library: FactLibrary, model: str | None = None, language: str | None = None
) -> Coverage:
    """FCR of a question's passages. Nothing retrieved covers nothing; without a needed fact there is nothing to cover."""
    fault = question_fault(question) or length_fault([passage.text for passage in passages])
    facts = needed_facts(question, model, library, language) if fault is None else ()
    if fault is None and not facts:
        fault = "the library holds no fact that the question asks for"
    if fault is not None:
        return Coverage(score=not_scorable(fault), facts=())
    return cover(facts, passages, library)


def cover(facts: Sequence[Mvfu], passages: Sequence[Passage], library: FactLibrary) -> Coverage:
    """Coverage of given facts, as an expert or a test may name them."""
    empty = context_fault([passage.text for passage in passages])
    rows = [_cover_one(fact, passages, library, empty) for fact in facts]
    judged = [row.score.value for row in rows if row.score.state != "not_scorable"]
    value = sum(judged) / len(judged) if judged else NAN
    lost = [row.fact for row in rows if row.score.state == "unsupported"]
    reason = f"{int(sum(judged))} of {len(judged)} needed facts stated" + (f"; not: {', '.join(lost[:3])}" if lost else "")
    return Coverage(score=graded(value, PASSES, reason if judged else "no needed fact can be judged"), facts=tuple(rows))


def _cover_one(fact: Mvfu, passages: Sequence[Passage], library: FactLibrary, empty: str | None) -> FactCoverage:
    def row(score: Score, passage: int | None = None) -> FactCoverage:
        return FactCoverage(fact=fact.id, document=fact.document, score=score, passage=passage)

    if empty is not None:
        return row(unsupported(empty))
    sayings = library.said_as(fact) or (fact,)
    own = [(place, passage) for place, passage in enumerate(passages, 1) if _speaks_of(passage, fact)]
    for place, passage in own:
        if any(_states(passage.text, saying.statement) for saying in sayings):
            return row(supported(f"the statement itself stands in passage {place}"), place)
    verdicts = [(place, _judge(passage.text, saying.sentence)) for place, passage in own for saying in sayings]
    for place, verdict in verdicts:
        if verdict.state == "supported":
            return row(supported(f"passage {place} bears it out"), place)
    if own and all(verdict.state == "not_scorable" for _, verdict in verdicts):
        return row(not_scorable(f"no passage can be held against it: {verdicts[0][1].reason}"))
    return row(unsupported(f"no passage about {', '.join(fact.models) or fact.document} states it"))


def _speaks_of(passage: Passage, fact: Mvfu) -> bool:
    """Whether a passage may speak of the fact's models. One that tells neither document nor title is given the doubt."""
    if not fact.models or passage.document == fact.document or (passage.document is None and passage.title is None):
        return True
    named = parse_passage(passage.text, passage.title or "").terms
    return any(term in named for model in fact.models for term in terms(model))


@lru_cache(maxsize=KEPT_PASSAGES)
def _squeezed(text: str) -> tuple[str, frozenset[str]]:
    """A text and each of its table rows without marks, case and white space, but for that between two numbers."""
    return _squeeze(text), frozenset(_squeeze(row) for row in table_rows(text))


def _squeeze(text: str) -> str:
    marked = re.sub(r"[\s;；:：|*`。]+|\.(?!\d)", " ", text.casefold())
    return re.sub(r"(?<!\d) +| +(?!\d)", "", marked)


@lru_cache(maxsize=KEPT_PASSAGES)
def _states(text: str, statement: str) -> bool:
    """Whether a statement stands in a text; a number at its edge must be the whole number there."""
    whole, rows = _squeezed(text)
    wanted = _squeeze(statement)
    before = r"(?<![\d.])" if wanted[:1].isdigit() else ""
    after = r"(?![\d.])" if wanted[-1:].isdigit() else ""
    return bool(wanted) and (wanted in rows or re.search(f"{before}{re.escape(wanted)}{after}", whole) is not None)


@lru_cache(maxsize=KEPT_PASSAGES)
def _judge(text: str, sentence: str) -> _Judged:
    """The fact's sentence against a passage; every claim of it must be borne out."""
    verdicts = [judge_claim(claim, text_facts("passage", text)).score for claim in extract_claims(sentence)]
    failed = next((score for score in verdicts if score.state != "supported"), None)
    if failed is not None:
        return _Judged(failed.state, failed.reason)
    return _Judged("supported", "borne out") if verdicts else _Judged("not_scorable", "it makes no claim")


def mean_coverage(coverages: Sequence[Coverage]) -> Mean:
    """Mean FCR with its stderr, n and what was not scorable."""
    return mean_score(coverage.score for coverage in coverages)
