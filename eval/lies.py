"""A lying writer: true sentences made false in one way each, and the same sentences merely said otherwise.

Every kind of lie is one function of a sentence; it gives None where it finds nothing to lie about. What is exchanged
stands in `lies.toml`. Nothing here knows how sentences are checked.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from eval.changes import Change, Kind, pick, replaced
from eval.lie_numbers import (
    change_number,
    change_section,
    drop_unit,
    flip_sign,
    shift_decimal,
    swap_bounds,
    swap_digits,
    swap_unit,
    value_for_range,
    widen_range,
)
from knowledge.articles import Language

_STEPS = re.compile(
    r"^(?P<head>.*?[:：] ?)?(?P<one>[^,;:，；：]{4,}?)"
    r"(?P<joint>, then |, and then |; then | and then | and |; |，然后|，再|，并|；|，)"
    r"(?P<two>[^,;:，；：]{4,}?)(?P<end>[.。;；])$"
)
_ONE_WAY = frozenset(("must_to_may", "tense_changed", "source_misattributed", "population_swapped", "quantifier_changed"))
_MODEL = re.compile(r"\b[A-Z]{2,3}-\d+\b")


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """`lies.toml`."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _substitute(rng: np.random.Generator, text: str, rules: Any, language: Language) -> str | None:
    flags = re.IGNORECASE if language == "en" else 0
    possible = [(match, new) for old, new in rules for match in re.finditer(old, text, flags)]
    chosen = pick(rng, possible)
    return None if chosen is None else replaced(text, chosen[0], chosen[0].expand(chosen[1]))


def _by_rules(rng: np.random.Generator, text: str, name: str, language: Language) -> str | None:
    return _substitute(rng, text, tables()["rules"][name][language], language)


def add_negation(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """What is said becomes its contrary."""
    if re.search(r"\b(?:not|no|never|nothing|cannot|without|only|neither)\b|[不未无没禁]|只有|仅", text):
        return None
    return _by_rules(rng, text, "negation_added", language)


def remove_negation(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """A negation goes."""
    if language == "zh" and re.search(r"不(?:同|足|断|锈|确定|良|仅|超过|低于|高于|大于|小于)|无(?:论|线)|未来", text):
        return None
    return _by_rules(rng, text, "negation_removed", language)


def swap_model(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """The sentence speaks of another model."""
    match = pick(rng, list(_MODEL.finditer(text)))
    others = ["XYZ-2000", "XYZ-2100", "BT-160", "SD-6", "RS-5", "DG-30"]
    return None if match is None else replaced(text, match, str(pick(rng, [one for one in others if one != match.group()])))


def drop_condition(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """What holds under a condition holds always."""
    if language == "zh" and re.search(r"只读|只要", text):
        return None
    return _by_rules(rng, text, "condition_dropped", language)


def _append(words: str) -> Change:
    def change(rng: np.random.Generator, text: str, language: Language) -> str | None:
        extra = str(pick(rng, tables()["words"][words][language]))
        return text.rstrip(".。;；") + extra + ("." if language == "en" else "。")

    change.__doc__ = "Something is added that nobody said."
    return change


def swap_steps(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """Two steps change places."""
    match = _STEPS.match(text)
    if match is None or not _is_step(match["one"], language) or not _is_step(match["two"], language):
        return None
    one, two = match["one"], match["two"]
    if language == "en":
        one, two = one[:1].lower() + one[1:], two[:1].upper() + two[1:]
    return f"{match['head'] or ''}{two}{match['joint']}{one}{match['end']}"


def _is_step(text: str, language: Language) -> bool:
    verbs, head = tables()["words"]["verbs"][language], text.strip().lower()
    return any(head.startswith(f"{verb} " if language == "en" else verb) for verb in verbs)


def add_hedge(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """What is certain becomes probable."""
    word = str(pick(rng, tables()["words"]["hedge"][language]))
    if language == "en":
        match = re.search(r"\b(is|are|means|lies|stands|shows|must)\b", text)
        return (
            None
            if match is None
            else replaced(
                text, match, f"{match.group()} {word}" if match.group() in ("is", "are", "must") else f"{word} {match.group()}"
            )
        )
    match = re.search(r"位于|处于|表示|显示|为|是", text)
    return None if match is None else replaced(text, match, f"{word}{match.group()}")


def drop_hedge(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """What is about so, or may be so, is exactly so."""
    return _by_rules(rng, text, "hedge_dropped", language)


def _swap(name: str) -> Change:
    def change(rng: np.random.Generator, text: str, language: Language) -> str | None:
        rules: list[tuple[str, str]] = []
        for first, second in tables()["swaps"][name][language]:
            for old, new in ((first, second), (second, first)):
                if (
                    name in ("must_to_may", "tense_changed", "source_misattributed", "population_swapped", "quantifier_changed")
                    and old != first
                ):
                    continue
                rules.append((rf"\b{old}\b(?! not)" if language == "en" else old, new))
        return _substitute(rng, text, rules, language)

    change.__doc__ = "A word becomes another."
    return change


KINDS: tuple[Kind, ...] = (
    Kind("number_changed", change_number),
    Kind("digits_swapped", swap_digits),
    Kind("decimal_shifted", shift_decimal),
    Kind("unit_swapped", swap_unit),
    Kind("unit_dropped", drop_unit),
    Kind("sign_flipped", flip_sign),
    Kind("negation_added", add_negation),
    Kind("negation_removed", remove_negation),
    Kind("model_swapped", swap_model),
    Kind("condition_dropped", drop_condition),
    Kind("range_widened", widen_range),
    Kind("bounds_swapped", swap_bounds),
    Kind("value_for_range", value_for_range),
    Kind("step_invented", _append("step")),
    Kind("cause_invented", _append("cause")),
    Kind("steps_swapped", swap_steps),
    Kind("hedge_added", add_hedge),
    Kind("hedge_dropped", drop_hedge),
    Kind("place_changed", change_section),
    *(Kind(name, _swap(name)) for name in tables()["swaps"]),
)
"""All kinds of lie."""
