"""One claim against the evidence: borne out, not borne out, or nothing to judge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from eval.claims import Claim
from eval.crosslingual import claim_as_concepts, fact_as_concepts
from eval.evidence import Fact, joined
from eval.quantities import bears_out
from eval.score import Number, Score, not_scorable, supported, unsupported
from eval.trials import Trial, View, coverage_of, generic_terms
from eval.verbatim import Repeated, find_hole, find_repeated
from vision.fields import Contract

REPEATED_WRONG = 0.3
"""What is left of the support of a claim that repeats its evidence wrongly: most of its words are there, and mean nothing."""

_BAND_CLAIM = re.compile(r"\bin the \w+ range of the manual|说明书规定的..范围")
_READING_WORDS = re.compile(r"\b(?:reads?|readings?|values?)\b|读数|数值|示值", re.IGNORECASE)


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


def judge_sentence(
    sentence: str, claims: Sequence[Claim], facts: Sequence[Fact], reading: Sequence[Fact] = ()
) -> tuple[Verdict, ...]:
    """The claims of one sentence. Where it says a sentence of the evidence again, word for word or nearly, that one decides.

    What a reading bears out has no words of its own, and what is said of it is put together from photo and manual.
    """
    of_reading = reading and _READING_WORDS.search(sentence)
    single = [fact for fact in facts if fact.parts == 1]
    repeated = None if of_reading else find_repeated(sentence, single)
    verdicts = [judge_claim(claim, facts, reading) for claim in claims]
    if repeated is None:
        hole = find_hole(sentence, single)
        return tuple(verdicts if hole is None else (_doubted(verdict, hole) for verdict in verdicts))
    problems = repeated.problems_of([claim.text for claim in claims])
    if reading and any(problems):
        # What the photo alone bears out is no wrong copy of a manual's sentence.
        alone = [judge_claim(claim, (), reading).score.state == "supported" for claim in claims]
        problems = tuple(None if seen else problem for seen, problem in zip(alone, problems, strict=True))
    return tuple(_held_to(repeated, problem, verdict) for problem, verdict in zip(problems, verdicts, strict=True))


def _doubted(verdict: Verdict, problem: str) -> Verdict:
    if verdict.score.state != "supported":
        return verdict
    return verdict.model_copy(update={"score": unsupported(problem), "support": verdict.support * REPEATED_WRONG})


def _held_to(repeated: Repeated, problem: str | None, verdict: Verdict) -> Verdict:
    """A claim's verdict, in the light of the evidence that its sentence repeats."""
    if verdict.score.state == "not_scorable":
        return verdict
    if problem is None and (repeated.differences or not repeated.whole):
        return verdict
    if problem is None:
        words = len(verdict.claim.terms)
        score, support = supported(f"{repeated.fact.source} says so"), max(verdict.support, (words + 1) / (words + 2))
    else:
        score, support = unsupported(problem), verdict.support * REPEATED_WRONG
    update = {"score": score, "source": repeated.fact.source, "evidence": repeated.fact.text, "support": support}
    return verdict.model_copy(update=update)


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
    views = _views(claim, terms, _candidates(claim, terms, facts, reading))
    if not views:
        return _verdict(
            claim, not_scorable("all evidence is in another language, and too few of its words are known there"), None
        )
    trials = [trial for view in views for trial in view.trials()]
    if not trials:
        return _verdict(claim, unsupported("nothing of the reading bears it out"), None, 0.0)
    best = max(trials, key=lambda trial: (trial.problem is None, trial.grade, trial.coverage, -len(trial.fact.text)))
    terms, weights = best.view.terms, best.view.weights
    support = _graded(terms, best, (*facts, *reading))
    stranger = _only_elsewhere(claim, views, best, facts)
    if stranger is not None:
        return _verdict(claim, stranger, None, 0.0 if stranger.state == "unsupported" else None)
    against = _against(trials, best, terms, weights)
    if against is not None:
        # Another place speaks of the same thing at least as closely, and says otherwise.
        return _verdict(claim, unsupported(against.problem or "contradicted"), against.fact, support)
    if best.problem is None:
        return _verdict(claim, supported(f"borne out by {best.fact.source}"), best.fact, support)
    return _verdict(claim, unsupported(best.problem), best.fact, support)


def _only_elsewhere(claim: Claim, views: Sequence[View], best: Trial, facts: Sequence[Fact]) -> Score | None:
    """What is left to say where all documents are in a language that the claim's words cannot be compared with."""
    if best.problem is None or not facts or any(view.claim is not claim for view in views):
        return None
    if any(fact.language == claim.language for fact in facts):
        return None
    known = [(quantity, fact.units) for view in views for fact in (*view.facts, *facts) for quantity in fact.quantities]
    loose = [one.text for one in claim.quantities if not any(bears_out(other, one, units) for other, units in known)]
    if loose:
        return unsupported(f"{loose[0]!r} stands nowhere in the evidence")
    return not_scorable("the documents are in another language, and too few of its words are known there")


def _against(trials: Sequence[Trial], best: Trial, terms: frozenset[str], weights: Mapping[str, float]) -> Trial | None:
    """The trial that contradicts the claim and fits it at least as well as the best support does, if there is one.

    Where the contradiction is one word ("green" for "red"), the fit of all the other words decides. A full fit is
    never outweighed, unless its numbers merely lie within a range ("valid from 30 to 330") and another place has others.
    """
    if best.coverage == 1 and not best.loose:
        return None
    for trial in sorted((one for one in trials if one.view is best.view), key=lambda one: -one.coverage):
        if trial.contradicts and trial.coverage >= best.coverage:
            return trial
        rest = terms - {trial.opposite}
        if trial.opposite is not None and rest and coverage_of(rest, trial.fact, weights) > coverage_of(rest, best.fact, weights):
            return trial
    return None


def _graded(terms: frozenset[str], best: Trial, facts: Sequence[Fact]) -> float:
    known = best.fact.terms.union(*(fact.terms for fact in facts))
    held = len(terms & known) if terms else 1
    words = max(len(terms), 1)
    return ((best.grade * words + held) / 2 + 1) / (words + 2)


def _views(claim: Claim, terms: frozenset[str], candidates: Sequence[Fact]) -> list[View]:
    """The claim against evidence of its own language, and as concepts against that of another one."""
    if not terms:
        return [View(claim, terms, candidates)]
    own = [fact for fact in candidates if fact.language == claim.language]
    foreign = [fact for fact in candidates if fact.language != claim.language]
    views = [View(claim, terms, own)] if own else []
    concepts = claim_as_concepts(claim) if foreign else None
    comparable = [one for fact in foreign if (one := fact_as_concepts(fact)) is not None] if concepts is not None else []
    if concepts is not None and comparable:
        views.append(View(concepts, concepts.terms, comparable))
    return views


def _candidates(claim: Claim, terms: frozenset[str], facts: Sequence[Fact], reading: Sequence[Fact]) -> list[Fact]:
    """What may bear the claim out. With no words of its own ("the reading is 5 bar") only the reading may, if there is one."""
    of_reading = _READING_WORDS.search(claim.text) is not None
    if reading and _BAND_CLAIM.search(claim.text):
        return list(reading)  # Where a value lies is arithmetic, which was done.
    if not terms and reading:
        return [fact for fact in reading if _READING_WORDS.search(fact.text) or not of_reading]
    # The reading's numbers may stand beside a manual's only where the claim speaks of the reading or compares.
    compares = len(claim.quantities) > 1 or of_reading
    beside = [joined(fact, reading) for fact in facts] if reading and claim.quantities and compares else []
    return [*facts, *reading, *beside]


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
