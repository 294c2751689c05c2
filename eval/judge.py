"""One claim against the evidence: borne out, not borne out, or nothing to judge."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from eval.claims import Claim
from eval.evidence import Fact, joined
from eval.quantities import Quantity, bears_out, same_dimension, units_in
from eval.score import Number, Score, not_scorable, supported, unsupported
from vision.fields import Contract

COVERAGE = 0.5
"""Share of a claim's words, by weight, that one fact must hold."""
COVERAGE_ZH = 0.4
"""The same for pairs of Chinese characters, of which a changed word costs two or three."""

NEAR = 0.7
"""How much of the nearest clause's shared words another clause must share to lend its numbers."""

# Words of talking about readings and manuals: they say nothing that evidence could bear out.
_GENERIC_EN = (
    "read reading value instrument gauge dial meter photo picture show display indicate stand lie take manual document accord "
    "section state say mean note model determine compute calculate follow give range frame passage base provide information"
)
_READING_WORDS = re.compile(r"\b(?:reads?|readings?|values?)\b|读数|数值|示值", re.IGNORECASE)
_UNIT_WORDS = re.compile(r"\bunits?\b|单位", re.IGNORECASE)
_OPPOSITES: tuple[tuple[str, str], ...] = (
    ("open", "clos"), ("start", "stop"), ("increas", "decreas"), ("rais", "low"), ("ris", "fall"), ("normal", "alarm"),
    ("norm", "alarm"), ("red", "green"), ("red", "yellow"), ("yellow", "green"), ("left", "right"), ("inlet", "outlet"),
    ("clockwis", "counterclockwis"), ("maximum", "minimum"), ("high", "low"), ("allow", "forbid"), ("safe", "dangerou"),
    ("打开", "关闭"), ("开启", "关闭"), ("启动", "停止"), ("升高", "降低"), ("增大", "减小"), ("红色", "绿色"), ("红色", "黄色"),
    ("黄色", "绿色"), ("正常", "报警"), ("进口", "出口"), ("最大", "最小"), ("顺时", "逆时"), ("允许", "禁止"),
)  # fmt: skip


class Verdict(Contract):
    """The judgement of one claim: its score with the reason, and the fact that decided it.

    `support` in [0, 1] is the graded form: how much of the claim the best fact and the evidence as a whole hold,
    drawn towards a half where the claim has few words. NaN where not scorable.
    """

    claim: Claim
    score: Score
    source: str | None
    evidence: str | None
    support: Number


class _Trial(NamedTuple):
    """A claim held against one fact."""

    fact: Fact
    coverage: float
    problem: str | None
    grade: float
    contradicts: bool
    opposite: str | None
    loose: bool


@lru_cache(maxsize=1)
def generic_terms() -> frozenset[str]:
    """English terms that need no evidence, in the form that claims carry them; Chinese ones never become terms."""
    from eval.claims_en import stem

    return frozenset(stem(word) for word in _GENERIC_EN.split())


def judge_claim(claim: Claim, facts: Sequence[Fact], reading: Sequence[Fact] = ()) -> Verdict:
    """The claim against the facts of its evidence and those of the reading itself.

    Borne out where one fact holds most of its words, all its quantities (converted, to the last digit given),
    the same negation and no condition that the claim leaves out. A number counts only beside what it is said
    of: in the clause of the fact that the claim's words point at, never in a neighbouring sentence.
    """
    generic = generic_terms()
    terms = claim.terms - generic
    if not terms and not claim.quantities:
        return _verdict(claim, not_scorable("it says nothing that evidence could bear out"), None)
    if not facts and not reading:
        return _verdict(claim, unsupported("there is no evidence"), None, 0.0)
    candidates = _candidates(claim, terms, facts, reading)
    if not any(fact.language == claim.language for fact in candidates) and terms:
        return _verdict(claim, not_scorable("all evidence is in another language"), None)
    weights = term_weights(terms, candidates)
    trials = [_try(claim, terms, fact, weights) for fact in candidates]
    best = max(trials, key=lambda trial: (trial.problem is None, trial.grade, trial.coverage, -len(trial.fact.text)))
    support = _graded(terms, best, facts, reading)
    against = _against(trials, best, terms, weights)
    if against is not None:
        # Another place speaks of the same thing at least as closely, and says otherwise.
        return _verdict(claim, unsupported(against.problem or "contradicted"), against.fact, support)
    if best.problem is None:
        return _verdict(claim, supported(f"borne out by {best.fact.source}"), best.fact, support)
    return _verdict(claim, unsupported(best.problem), best.fact, support)


def _against(trials: Sequence[_Trial], best: _Trial, terms: frozenset[str], weights: Mapping[str, float]) -> _Trial | None:
    """The trial that contradicts the claim and fits it at least as well as the best support does, if there is one.

    Where the contradiction is one word ("green" for "red"), the fit of all the other words decides. A full fit is
    never outweighed, unless its numbers merely lie within a range ("valid from 30 to 330") and another place has others.
    """
    if best.coverage == 1 and not best.loose:
        return None
    for trial in sorted(trials, key=lambda one: -one.coverage):
        if trial.contradicts and trial.coverage >= best.coverage:
            return trial
        rest = terms - {trial.opposite}
        if trial.opposite is not None and rest and _coverage(rest, trial.fact, weights) > _coverage(rest, best.fact, weights):
            return trial
    return None


def _coverage(terms: frozenset[str], fact: Fact, weights: Mapping[str, float]) -> float:
    """Share of the terms, by weight, that the fact holds; all of nothing."""
    return sum(weights[term] for term in terms & fact.terms) / sum(weights[term] for term in terms) if terms else 1.0


def _graded(terms: frozenset[str], best: _Trial, facts: Sequence[Fact], reading: Sequence[Fact]) -> float:
    known = frozenset[str]().union(*(fact.terms for fact in (*facts, *reading)))
    held = len(terms & known) if terms else 1
    words = max(len(terms), 1)
    return ((best.grade * words + held) / 2 + 1) / (words + 2)


def _candidates(claim: Claim, terms: frozenset[str], facts: Sequence[Fact], reading: Sequence[Fact]) -> list[Fact]:
    """What may bear the claim out. With no words of its own ("the reading is 5 bar") only the reading may, if there is one."""
    of_reading = _READING_WORDS.search(claim.text) is not None
    if not terms and reading:
        return [fact for fact in reading if _READING_WORDS.search(fact.text) or not of_reading]
    # The reading's numbers may stand beside a manual's only where the claim speaks of the reading or compares.
    compares = len(claim.quantities) > 1 or of_reading
    beside = [joined(fact, reading) for fact in facts] if reading and claim.quantities and compares else []
    return [*facts, *reading, *beside]


def term_weights(terms: frozenset[str], facts: Sequence[Fact]) -> dict[str, float]:
    """How much each word tells the facts apart: one that all facts share tells little, one that none holds most.

    Inverse document frequency over the facts (K. Sparck Jones, Journal of Documentation 28, 1972), smoothed.
    """
    return {term: math.log(1 + len(facts) / (1 + sum(term in fact.terms for fact in facts))) for term in terms}


def _try(claim: Claim, terms: frozenset[str], fact: Fact, weights: Mapping[str, float]) -> _Trial:
    coverage = _coverage(terms, fact, weights)
    nearest = _nearest(claim, terms, fact)
    own = _near_quantities(terms, nearest, fact)
    missing = _missing_quantity(claim, own, fact)
    opposite = _opposite(terms, nearest.terms | nearest.subject_terms if nearest is not None else fact.terms)
    problems: list[str] = []
    # A clause that shares few words with the claim speaks of something else, and may say no to that.
    alike = nearest is not None and 2 * _shared(terms, nearest) >= len(terms)
    if nearest is not None and alike and nearest.negated != claim.negated:
        problems.append("one is negated and the other is not")
    if opposite is not None:
        problems.append(f"it says {opposite[0]!r} where the evidence says {opposite[1]!r}")
    if missing is not None:
        problems.append(f"{missing.text!r} is not borne out beside what it is said of")
    loose = any(not any(bears_out(one, q, fact.units, within=False) for one in fact.quantities) for q in claim.quantities)
    unit = _foreign_unit(claim, fact)
    if unit is not None:
        problems.append(f"the unit {unit} is not named there")
    clash = missing is not None and any(same_dimension(missing, one) for one in own)
    contradicts = clash or len(problems) > (missing is not None) + (unit is not None)
    grade = coverage * 0.5 ** len(problems)
    if nearest is not None and alike and _condition_lost(claim, nearest):
        problems.append(f"it leaves out the condition {nearest.condition!r}")
        grade *= 0.8
    if coverage < (COVERAGE_ZH if claim.language == "zh" else COVERAGE):
        problems.insert(0, f"only {round(100 * coverage)} % of its words stand in one place of the evidence")
    return _Trial(fact, coverage, problems[0] if problems else None, grade, contradicts, opposite[0] if opposite else None, loose)


def _nearest(claim: Claim, terms: frozenset[str], fact: Fact) -> Claim | None:
    """The clause of the fact that speaks of the same thing; at equal words the one that bears out more quantities."""

    def closeness(clause: Claim) -> tuple[float, int, int]:
        matched = sum(any(bears_out(e, q, fact.units) for e in clause.quantities) for q in claim.quantities)
        return _shared(terms, clause), matched, -len(clause.terms)

    return max(fact.clauses, key=closeness, default=None)


def _shared(terms: frozenset[str], clause: Claim) -> int:
    return len(terms & (clause.terms | clause.subject_terms))


def _near_quantities(terms: frozenset[str], nearest: Claim | None, fact: Fact) -> tuple[Quantity, ...]:
    """Quantities of the clauses that share nearly as many words with the claim as the nearest does."""
    if nearest is None:
        return fact.quantities
    most = _shared(terms, nearest)
    near = [clause for clause in fact.clauses if clause is nearest or (most and _shared(terms, clause) >= NEAR * most)]
    return tuple(quantity for clause in near for quantity in clause.quantities)


def _missing_quantity(claim: Claim, own: Sequence[Quantity], fact: Fact) -> Quantity | None:
    """The first quantity that is not borne out, or None. `own` are those of the clause in question.

    Where that clause has a comparable number, one of the claim's must agree with it; the others may come from
    the rest of the fact (or, in a comparison, from the reading).
    """
    agreed = clash = False
    first_clash: Quantity | None = None
    for quantity in claim.quantities:
        comparable = [one for one in own if same_dimension(quantity, one)]
        if any(bears_out(one, quantity, fact.units) for one in own):
            agreed = True
        elif any(bears_out(one, quantity, fact.units) for one in fact.quantities):
            clash = clash or bool(comparable)
            first_clash = first_clash or (quantity if comparable else None)
        else:
            return quantity
    return first_clash if clash and not agreed else None


def _foreign_unit(claim: Claim, fact: Fact) -> str | None:
    """A unit that a claim about units names ("the unit is kPa") and the fact does not."""
    if not _UNIT_WORDS.search(claim.text):
        return None
    words = claim.text[1:] if claim.text.startswith("A ") else claim.text
    named = units_in(words) - {one.unit for one in claim.quantities}
    return min(named - units_in(fact.text), default=None)


def _opposite(terms: frozenset[str], stated: frozenset[str]) -> tuple[str, str] | None:
    for pair in _OPPOSITES:
        for said, other in (pair, pair[::-1]):
            if said in terms and said not in stated and other in stated and other not in terms:
                return said, other
    return None


def _condition_lost(claim: Claim, nearest: Claim) -> bool:
    """Whether the evidence holds under a condition of which the claim keeps less than half the words."""
    kept = claim.terms | claim.condition_terms
    needed = nearest.condition_terms - generic_terms()
    return bool(needed) and len(needed & kept) < 0.5 * len(needed)


def _verdict(claim: Claim, score: Score, fact: Fact | None, support: float | None = None) -> Verdict:
    return Verdict(
        claim=claim,
        score=score,
        source=None if fact is None else fact.source,
        evidence=None if fact is None else fact.text,
        support=score.value if support is None else support,
    )


def unjudged_verdicts(claims: Iterable[Claim], reason: str) -> tuple[Verdict, ...]:
    """Verdicts of a sentence that claims nothing: none of it is scorable."""
    return tuple(_verdict(claim, not_scorable(reason), None) for claim in claims)
