"""Unit errors over synthetic readings: a formula alone, with its unit declaration injected, and with the unit query beside.

A reading's unit is decided from what the first hits of its queries state, as a reader of the passages would; without any
declaration it is the first unit that they mention. None at all is an error too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from knowledge.queryplan import find_quantities
from knowledge.search import KnowledgeBase
from knowledge.units import find_declarations
from vision.fields import Contract

COUNT = 500
_FORMULA = {
    "en": "calibration formula of {model}: reading from the pointer angle",
    "zh": "{model} 的刻度换算公式：由指针角度计算读数",
}
_UNIT = {
    "en": "unit declaration of {model}: in which unit its reading is stated",
    "zh": "{model} 的单位声明：读数采用的单位",
}


class UnitErrors(Contract):
    """Readings whose unit comes out wrong or not at all, of `n`, under the three ways of asking."""

    n: int
    without_declarations: int
    with_injection: int
    with_injection_and_query: int


class UnitCase(NamedTuple):
    """A model's manual in one language that states a formula and its unit, and whether the unit comes out wrong under each
    of the three ways of asking."""

    model: str
    language: str
    wrong: tuple[bool, bool, bool]


def unit_cases(kb: KnowledgeBase) -> list[UnitCase]:
    """Every model and language whose manual states a formula and its unit."""
    cases: list[UnitCase] = []
    for model in kb.models():
        for language in ("en", "zh"):
            facts = kb.facts(model, language)
            if facts is not None and facts.language == language and facts.formula is not None and facts.unit is not None:
                bare, injected, both = (unit != facts.unit.unit for unit in _answers(kb, model, language))
                cases.append(UnitCase(model, language, (bare, injected, both)))
    return cases


def bench_units(kb: KnowledgeBase, count: int = COUNT, seed: int = 10**9) -> UnitErrors:
    """`count` readings of models with a formula, drawn over models and languages."""
    rng = np.random.default_rng(seed)
    cases = unit_cases(kb)
    if not cases:
        return UnitErrors(n=0, without_declarations=0, with_injection=0, with_injection_and_query=0)
    wrong = [0, 0, 0]
    for pick in rng.integers(0, len(cases), count):
        for way, failed in enumerate(cases[pick].wrong):
            wrong[way] += failed
    return UnitErrors(n=count, without_declarations=wrong[0], with_injection=wrong[1], with_injection_and_query=wrong[2])


def _answers(kb: KnowledgeBase, model: str, language: str) -> tuple[str | None, str | None, str | None]:
    formula = kb.search(_FORMULA[language].format(model=model), model=model, language=language, k=3)
    unit = kb.search(_UNIT[language].format(model=model), model=model, language=language, k=1)
    # Without declarations a reader takes the first unit that the passages happen to mention.
    texts = [hit.chunk.verbatim for hit in formula if hit.chunk.semantic_type != "unit"]
    mentioned = [quantity.unit for text in texts for quantity in find_quantities(text) if quantity.unit is not None]
    bare = _stated(texts[:1]) or next(iter(mentioned), None)
    injected = _stated([hit.chunk.text for hit in formula[:1]])
    return bare, injected, _stated([hit.chunk.text for hit in unit]) or injected


def _stated(texts: Sequence[str]) -> str | None:
    """The one unit that texts declare; None where they declare none or several."""
    units = {declaration.unit for text in texts for declaration in find_declarations(text)}
    return units.pop() if len(units) == 1 else None
