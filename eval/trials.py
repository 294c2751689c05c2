"""One claim held against one fact: how many of its words stand there, and what speaks against it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from eval.claims import Claim
from eval.evidence import Fact
from eval.quantities import Quantity, bears_out, same_dimension, units_in

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
_UNIT_WORDS = re.compile(r"\bunits?\b|单位", re.IGNORECASE)
_OPPOSITES: tuple[tuple[str, str], ...] = (
    ("open", "clos"), ("start", "stop"), ("increas", "decreas"), ("rais", "low"), ("ris", "fall"), ("normal", "alarm"),
    ("norm", "alarm"), ("red", "green"), ("red", "yellow"), ("yellow", "green"), ("left", "right"), ("inlet", "outlet"),
    ("clockwis", "counterclockwis"), ("maximum", "minimum"), ("high", "low"), ("allow", "forbid"), ("safe", "dangerou"),
    ("打开", "关闭"), ("开启", "关闭"), ("接通", "断开"), ("拧紧", "松开"), ("启动", "停止"), ("升高", "降低"), ("增大", "减小"),
    ("红色", "绿色"), ("红色", "黄色"),
    ("黄色", "绿色"), ("正常", "报警"), ("进口", "出口"), ("最大", "最小"), ("顺时", "逆时"), ("允许", "禁止"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class View:
    """A claim, its telling words and the facts that they can be looked up in: as they are, or all as concepts."""

    claim: Claim
    terms: frozenset[str]
    facts: Sequence[Fact]

    @cached_property
    def weights(self) -> dict[str, float]:
        """How much each of the words tells the facts apart."""
        return term_weights(self.terms, self.facts)

    def trials(self) -> list[Trial]:
        """The claim held against each of the facts."""
        return [hold(self, fact) for fact in self.facts]


class Trial(NamedTuple):
    """A claim held against one fact."""

    view: View
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


def coverage_of(terms: frozenset[str], fact: Fact, weights: Mapping[str, float]) -> float:
    """Share of the terms, by weight, that the fact holds; all of nothing."""
    return sum(weights[term] for term in terms & fact.terms) / sum(weights[term] for term in terms) if terms else 1.0


def term_weights(terms: frozenset[str], facts: Sequence[Fact]) -> dict[str, float]:
    """How much each word tells the facts apart: one that all facts share tells little, one that none holds most.

    Inverse document frequency over the facts (K. Sparck Jones, Journal of Documentation 28, 1972), smoothed.
    """
    return {term: math.log(1 + len(facts) / (1 + sum(term in fact.terms for fact in facts))) for term in terms}


def hold(view: View, fact: Fact) -> Trial:
    """One claim against one fact."""
    claim, terms = view.claim, view.terms
    coverage = coverage_of(terms, fact, view.weights)
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
    return Trial(
        view, fact, coverage, problems[0] if problems else None, grade, contradicts, opposite[0] if opposite else None, loose
    )


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
