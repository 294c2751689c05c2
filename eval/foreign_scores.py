"""Faithfulness of any pipeline's answers: each against the contexts that it came with, apart from whether it is correct.

Faithful: every claim of the answer that can be judged is borne out by the contexts. Correct: the answer bears out every
claim of the ground truth. The two are told apart (2 x 2), because an answer may repeat a wrong source faithfully.
Whatever cannot be judged is "not scorable" with a reason, and counts neither for nor against.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from eval.fci import ReportScores, score_answer
from eval.foreign_rows import ForeignCase, Row
from eval.scorable import answer_fault, context_fault, question_fault
from eval.score import NAN, Mean, Number, Score, Share, graded, mean_of, not_scorable, share_true
from vision.fields import Contract

MAX_UNSUPPORTED_SHOWN = 5
MAX_CHARS = 200_000
"""Characters of answer and contexts together: each sentence is parsed, some milliseconds each."""
MAX_COMPARED = 400_000_000
"""Characters of the answer times characters of the contexts: every claim is held against every sentence, and one row of
more would hold up all others for minutes."""


class ForeignRow(Contract):
    """One row scored. `fci` is NaN where not scorable, `fci_n` the claims judged, `unsupported` the first that failed.

    `faithful` holds where all judged claims are borne out, `correct` where the answer says what the ground truth says.
    """

    line: int
    question: str
    fci: Number
    fci_n: int
    faithful: Score
    correct: Score
    unsupported: tuple[str, ...] = ()
    latency_ms: Number = NAN


class ForeignCard(Contract):
    """A whole file or endpoint. `fci` with its standard error over the scorable rows, `faithful` (FAR) and `correct` as shares.

    `both`, `faithful_only`, `correct_only`, `neither`: the rows for which both could be judged. `reasons` counts why rows
    were not scorable.
    """

    rows: int
    scored: int
    not_scorable: int
    fci: Mean
    faithful: Share
    correct: Share
    both: int
    faithful_only: int
    correct_only: int
    neither: int
    latency_ms: Mean
    seconds: float
    reasons: dict[str, int]


def score_rows(rows: Iterable[Row]) -> Iterator[ForeignRow]:
    """Each row scored as it comes. Nothing that a row holds ends the run."""
    for row in rows:
        yield score_row(row)


def score_row(row: Row) -> ForeignRow:
    """One row; a fault, or whatever goes wrong in judging it, makes it not scorable."""
    if row.case is None:
        return unscored(row.line, row.fault or "there is nothing in it")
    try:
        return score_case(row.line, row.case)
    except Exception as error:  # one strange text must not cost the other rows their scores
        return unscored(row.line, f"it could not be judged: {type(error).__name__}", row.case.question)


def unscored(line: int, reason: str, question: str = "", latency_ms: float = NAN) -> ForeignRow:
    """A row that is not scorable, and why."""
    none = not_scorable(reason)
    return ForeignRow(line=line, question=question[:500], fci=NAN, fci_n=0, faithful=none, correct=none, latency_ms=latency_ms)


def score_case(line: int, case: ForeignCase, latency_ms: float = NAN) -> ForeignRow:
    """An answer against its contexts and, where there is one, its ground truth."""
    correct = _correctness(case)
    fault = question_fault(case.question) or answer_fault(case.answer) or context_fault(case.contexts)
    fault = fault or size_fault(case.answer, case.contexts)
    if fault is not None:
        row = unscored(line, fault, case.question, latency_ms)
        return row.model_copy(update={"correct": correct})
    scores = score_answer(case.answer, case.contexts)
    reason = f"{scores.supported} of {scores.fci_n} claims are borne out" if scores.fci_n else scores.reason or "no claims"
    value = NAN if not scores.fci_n else float(scores.unsupported == 0)
    return ForeignRow(
        line=line,
        question=case.question[:500],
        fci=scores.fci,
        fci_n=scores.fci_n,
        faithful=graded(value, 1.0, reason),
        correct=correct,
        unsupported=_unsupported(scores),
        latency_ms=latency_ms,
    )


def size_fault(answer: str, contexts: Sequence[str]) -> str | None:
    """Why holding one against the other would take too long, or None where it would not."""
    length = len(answer) + sum(map(len, contexts))
    if length > MAX_CHARS:
        return f"answer and context have {length} characters, more than {MAX_CHARS}"
    if len(answer) * (length - len(answer)) > MAX_COMPARED:
        return f"{len(answer)} characters against {length - len(answer)} of the context take too long to compare"
    return None


def _correctness(case: ForeignCase) -> Score:
    """What the ground truth says, looked for in the answer."""
    if case.ground_truth is None or not case.ground_truth.strip():
        return not_scorable("there is no ground truth")
    fault = answer_fault(case.answer) or size_fault(case.ground_truth, [case.answer])
    if fault is not None:
        return not_scorable(fault)
    scores = score_answer(case.ground_truth, [case.answer])
    if not scores.fci_n:
        return not_scorable("the ground truth makes no claim that could be judged")
    said = f"{scores.supported} of {scores.fci_n} claims of the ground truth are in the answer"
    return graded(float(scores.unsupported == 0), 1.0, said)


def _unsupported(scores: ReportScores) -> tuple[str, ...]:
    found = (
        f"{verdict.claim.text[:300]} ({verdict.score.reason[:200]})"
        for statement in scores.statements
        for verdict in statement.verdicts
        if verdict.score.state == "unsupported"
    )
    return tuple(text for text, _ in zip(found, range(MAX_UNSUPPORTED_SHOWN), strict=False))


class Tally:
    """Rows on their way to a card: only their scores are kept, so a file of any length can be scored."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._fci: list[float] = []
        self._latency_ms: list[float] = []
        self._states: Counter[tuple[str, str]] = Counter()
        self._reasons: Counter[str] = Counter()

    def add(self, row: ForeignRow) -> None:
        """Count a row."""
        self._fci.append(row.fci)
        self._latency_ms.append(row.latency_ms)
        self._states[row.faithful.state, row.correct.state] += 1
        if row.faithful.state == "not_scorable":
            self._reasons[row.faithful.reason] += 1

    def card(self) -> ForeignCard:
        """What was counted so far."""
        yes, no = "supported", "unsupported"
        faithful = share_true(one == yes for (one, _) in self._states.elements() if one in (yes, no))
        return ForeignCard(
            rows=len(self._fci),
            scored=faithful.n,
            not_scorable=len(self._fci) - faithful.n,
            fci=mean_of(self._fci),
            faithful=faithful,
            correct=share_true(one == yes for (_, one) in self._states.elements() if one in (yes, no)),
            both=self._states[yes, yes],
            faithful_only=self._states[yes, no],
            correct_only=self._states[no, yes],
            neither=self._states[no, no],
            latency_ms=mean_of(self._latency_ms),
            seconds=time.perf_counter() - self._started,
            reasons=dict(self._reasons.most_common(20)),
        )
