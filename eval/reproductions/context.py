"""Claims about what stands in the context: how many passages, where the right one stands, and whether its unit is declared."""

from __future__ import annotations

from collections.abc import Sequence

from eval.bench_knowledge_units import unit_cases
from eval.bench_report_llm import SOURCE_BY_CHUNKS, SOURCE_BY_PLACE
from eval.context_questions import Asked, Judged, Place, Questions
from eval.reproductions.claims import Claim, Paired, Point, judge_effect, paired_effect, point
from eval.reproductions.quoting import Found, is_right, quote
from eval.retrieval import Passage
from eval.score import EvalError
from knowledge.search import KnowledgeBase

PLACES: tuple[Place, ...] = ("start", "middle", "end")
MOST = max(SOURCE_BY_CHUNKS)


def more_passages_more_invention(questions: Questions, model: str) -> Claim:
    """D8: the right passage first, with 0, 2 and 4 others behind it, asked of a language model.

    Invention is a sentence that the right passage does not bear out.
    """
    judged = {count: questions.judged(Asked(count)) for count in SOURCE_BY_CHUNKS}
    points: list[Point] = []
    for count, rows in judged.items():
        points.append(point(f"k = {count}", "not borne out", [one.unsupported for one in rows]))
        points.append(point(f"k = {count}", "a number invented", [one.invented for one in rows]))
        points.append(point(f"k = {count}", "answer right", [one.right for one in rows]))
    few, many = judged[min(judged)], judged[max(judged)]
    effect = paired_effect(Paired(_loose(few), _loose(many)))
    said = ", ".join(f"k = {count}: {value:.0%}" for count, value in SOURCE_BY_CHUNKS.items())
    return Claim(
        row="D8",
        claim="more passages, more invention",
        source=said,
        subject=f"{model}, {len(few)} questions",
        points=tuple(points),
        effect_of=f"not borne out at k = {max(judged)} less at k = {min(judged)}",
        effect=effect,
        verdict=judge_effect(effect, len(few)),
        said=(
            f"Right answers go by {100 * _gain(few, many):+.0f} points from k = {min(judged)} to k = {max(judged)}. "
            f"With one passage {sum(_loose(few))} of {len(few)} answers are not borne out already. The documents' numbers are of "
            "another, unnamed model."
        ),
    )


def more_passages_more_wrong_quotes(found: Sequence[Found]) -> Claim:
    """D8 for a writer that can only quote: what it cannot invent it can take from the wrong passage."""
    right = {count: [_quoted(one, one.passages[:count]) for one in found] for count in SOURCE_BY_CHUNKS}
    few, many = right[min(right)], right[MOST]
    effect = paired_effect(Paired([not one for one in few], [not one for one in many]))
    return Claim(
        row="D8",
        claim="more passages, more wrong answers",
        source="1 12 %, 3 28 %, 5 57 % invented",
        subject=f"a writer that only quotes, passages as found, {len(found)} questions",
        points=tuple(point(f"k = {count}", "answer wrong", [not one for one in flags]) for count, flags in right.items()),
        effect_of=f"wrong at k = {MOST} less at k = {min(right)}",
        effect=effect,
        verdict=judge_effect(effect, len(found)),
        said=(
            "Such a writer invents nothing at any k. More passages bring the answer within its reach and other sentences "
            "beside it; the effect is what is left of both."
        ),
    )


def place_matters(questions: Questions, model: str) -> Claim:
    """D24: five passages with the right one first, in the middle, last, asked of a language model."""
    judged = {place: questions.judged(Asked(MOST, place)) for place in PLACES}
    points = [point(place, "answer right", [one.right for one in rows]) for place, rows in judged.items()]
    points += [point(place, "not borne out", _loose(rows)) for place, rows in judged.items()]
    effect = paired_effect(Paired([one.right for one in judged["end"]], [one.right for one in judged["start"]]))
    said = ", ".join(f"{place} {value:.0%}" for place, value in SOURCE_BY_PLACE.items())
    middle = paired_effect(Paired([one.right for one in judged["middle"]], [one.right for one in judged["start"]]))
    return Claim(
        row="D24",
        claim="the right passage is used more where it stands first",
        source=said,
        subject=f"{model}, {len(judged['start'])} questions",
        points=tuple(points),
        effect_of="right where it stands first less right where it stands last",
        effect=effect,
        verdict=judge_effect(effect, len(judged["start"])),
        said=(
            f"First against the middle: {100 * middle.value:+.0f} points [{100 * middle.low:.0f}, {100 * middle.high:.0f}]. "
            "A writer that only quotes does not see where a passage stands, but for ties."
        ),
    )


def declared_units(kb: KnowledgeBase) -> Claim:
    """C33: the unit of every manual's formula, as its passages state it, without and with the declaration injected.

    Raises EvalError where no manual states a formula and its unit.
    """
    cases = unit_cases(kb)
    if not cases:
        raise EvalError("no manual states a formula and its unit: there is no unit to declare")
    bare, injected, both = ([case.wrong[way] for case in cases] for way in range(3))
    models = [case.model for case in cases]
    effect = paired_effect(Paired(injected, bare, models))
    return Claim(
        row="C33",
        claim="a unit declaration injected into formula passages ends unit errors",
        source="unit errors 18 % -> 0.7 %",
        subject=f"{len(cases)} manuals of {len(set(models))} models with a formula",
        points=(
            point("formula passage alone", "unit wrong or missing", bare),
            point("declaration injected", "unit wrong or missing", injected),
            point("injected, and the unit asked for beside", "unit wrong or missing", both),
        ),
        effect_of="unit errors without the declaration less those with it",
        effect=effect,
        verdict=judge_effect(effect, len(set(models))),
        said=(
            f"{sum(injected)} of {len(cases)} are wrong with the declaration. The reader of the passages is a rule that takes "
            "the first unit mentioned; without a declaration a language model may guess better than that."
        ),
    )


def _loose(rows: Sequence[Judged]) -> list[bool]:
    return [one.unsupported for one in rows]


def _gain(before: Sequence[Judged], after: Sequence[Judged]) -> float:
    return (sum(one.right for one in after) - sum(one.right for one in before)) / max(len(before), 1)


def _quoted(found: Found, passages: Sequence[Passage]) -> bool:
    return is_right(found.base.case, quote(found.base.case.text, passages))
