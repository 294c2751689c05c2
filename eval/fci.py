"""FCI, factual consistency: of the claims in a text that can be judged, the share that its evidence bears out.

Rules only: the same input gives the same scores. A text without a claim to judge (a refusal, an abstention, a
heading) has no FCI; it is NaN with a reason, never 0 and never 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from eval.abstention import is_abstention
from eval.claims import sentence_claims, sentence_spans
from eval.derived_facts import photo_facts
from eval.evidence import READING, Fact, text_facts
from eval.judge import Verdict, judge_sentence, unjudged_verdicts
from eval.score import NAN, EvalError, Number
from eval.talk import is_talk
from vision.fields import Contract


class StatementScores(Contract):
    """The verdicts on one statement's claims."""

    text: str
    citations: tuple[str, ...]
    verdicts: tuple[Verdict, ...]


class ReportScores(Contract):
    """`fci` = supported / (supported + unsupported), NaN with a reason where that is 0 / 0.

    `fci_n`: the claims judged. `worst_support` in [0, 1]: the mean graded support of the two weakest of them, which
    ranks texts more finely than a share does: one invention among ten sentences is an invention.
    """

    fci: Number
    fci_n: int
    supported: int
    unsupported: int
    not_scorable: int
    worst_support: Number
    reason: str | None
    statements: tuple[StatementScores, ...]

    def summary(self) -> dict[str, float | int | str | None]:
        """The numbers alone, as the `scores` of an inspection."""
        kept = {"fci", "fci_n", "supported", "unsupported", "not_scorable", "reason"}
        numbers: dict[str, float | int | str | None] = self.model_dump(mode="json", include=kept)
        return {name if name.startswith("fci") else f"fci_{name}": value for name, value in numbers.items()}


def score_report(inspection: BaseModel | Mapping[str, Any]) -> ReportScores:
    """FCI of an inspection's report: each statement against the chunks it cites and the reading.

    `inspection`: the model or its JSON (`reading`, `evidence`, `report`). A statement without citations is held
    against all the evidence; one that cites a chunk the inspection does not hold finds nothing there.
    Raises EvalError where the keys are missing.
    """
    data: Mapping[str, Any] = inspection.model_dump(mode="json") if isinstance(inspection, BaseModel) else inspection
    try:
        report, evidence, reading = data["report"], data["evidence"], data["reading"]
        statements = [(str(one["text"]), tuple(one["citations"])) for one in report["statements"]] if report else []
        chunks = {str(one["chunk"]): str(one["text"]) for one in evidence}
        instruments = reading["instruments"] if reading else []
    except (KeyError, TypeError) as error:
        raise EvalError(f"not an inspection: {type(error).__name__} {error}") from error
    if not report:
        return _scores([], "there is no report")
    facts = {chunk: text_facts(chunk, text) for chunk, text in chunks.items()}
    scored = []
    for text, citations in statements:
        texts = tuple(chunks[chunk] for chunk in citations if chunk in chunks) if citations else tuple(chunks.values())
        seen = photo_facts(instruments, texts)
        scored.append(_score_statement(text, citations, _cited(citations, facts), _seen(citations, seen)))
    return _scores(scored, "no statement makes a claim that could be judged")


def score_answer(answer: str, sources: Sequence[str]) -> ReportScores:
    """FCI of a plain answer against plain sources."""
    facts = [fact for number, source in enumerate(sources, 1) for fact in text_facts(f"source {number}", source)]
    scored = [_score_statement(span.text, (), facts, ()) for span in sentence_spans(answer)]
    return _scores(scored, "the answer makes no claim that could be judged")


def _cited(citations: Sequence[str], facts: Mapping[str, tuple[Fact, ...]]) -> list[Fact]:
    """Facts of the cited chunks; of all chunks where nothing is cited."""
    wanted = citations or tuple(facts)
    return [fact for chunk in wanted if chunk in facts for fact in facts[chunk]]


def _seen(citations: Sequence[str], reading: Sequence[Fact]) -> list[Fact]:
    """What the photo bears out: the cited instrument's facts, all of them where none is named."""
    named = {citation for citation in citations if citation.startswith(f"{READING}#")}
    return [fact for fact in reading if not named or fact.source in named]


def _score_statement(text: str, citations: Sequence[str], facts: Sequence[Fact], reading: Sequence[Fact]) -> StatementScores:
    verdicts: list[Verdict] = []
    for span in sentence_spans(text):
        claims = sentence_claims(span)
        if is_abstention(span.text):
            verdicts += unjudged_verdicts(claims, "it says that something is not known; that is honest, and no claim")
        elif is_talk(span.text):
            verdicts += unjudged_verdicts(claims, "it addresses the reader and claims nothing of the matter")
        else:
            verdicts += judge_sentence(span.text, claims, facts, reading)
    return StatementScores(text=text, citations=tuple(citations), verdicts=tuple(verdicts))


def _scores(statements: Sequence[StatementScores], reason: str) -> ReportScores:
    verdicts = [verdict for statement in statements for verdict in statement.verdicts]
    states = [verdict.score.state for verdict in verdicts]
    yes, no = states.count("supported"), states.count("unsupported")
    weakest = sorted(verdict.support for verdict in verdicts if verdict.score.state != "not_scorable")[:2]
    return ReportScores(
        fci=yes / (yes + no) if yes + no else NAN,
        fci_n=yes + no,
        supported=yes,
        unsupported=no,
        not_scorable=states.count("not_scorable"),
        worst_support=sum(weakest) / len(weakest) if weakest else NAN,
        reason=None if yes + no else reason,
        statements=tuple(statements),
    )
