"""A lying writer: true sentences made false in one way each, and the same sentences merely said otherwise.

Every kind of lie is one function of a sentence; it gives None where it finds nothing to lie about. What is exchanged
stands in `lies.toml`. Nothing here knows how sentences are checked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from knowledge.articles import Language
from vision.units import compatible, find_unit

Change = Callable[[np.random.Generator, str, Language], str | None]

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)-?\d+(?:\.\d+)?(?![\d.]*[A-Za-z]*-\d)(?!\.\d)")
_UNIT = (
    r"(?:MPa|kPa|mbar|bar|psi|inHg|°C|°F|kWh|kW|Hz|r/min|m3/h|m3|V|A|% RH|%|°|mm|minutes|hours|months|days|分钟|小时|个月|天|度)"
)
_NUMBER_WITH_UNIT = re.compile(rf"(?P<number>-?\d+(?:\.\d+)?) ?(?P<unit>{_UNIT})(?![A-Za-z])")
_RANGE = re.compile(rf"(?P<low>-?\d+(?:\.\d+)?)(?P<joint> to | and | 至 )(?P<high>-?\d+(?:\.\d+)?)(?P<unit> ?{_UNIT})?")
_OTHER_UNITS = (
    "MPa", "kPa", "bar", "psi", "mbar", "°C", "°F", "V", "A", "kW", "Hz", "r/min", "m3/h", "%", "minutes", "hours", "months", "days",
)  # fmt: skip
_OTHER_UNITS_ZH = (*_OTHER_UNITS[:14], "分钟", "小时", "个月", "天")
_MODEL = re.compile(r"\b[A-Z]{2,3}-\d+\b")
_NEGATIONS_EN = (
    (r"\bmust not\b", "must"), (r"\bmay not\b", "may"), (r"\bdo not (\w)", r"\1"), (r"\bdoes not\b", "does"), (r"\b(is|are|be|has|have|can|was) not\b", r"\1"),
    (r"\bcannot\b", "can"), (r"\bnever (\w)", r"\1"), (r"\bwithout\b", "with"), (r"\bnot\b ?", ""), (r"\bno\b", "a"), (r"\bnothing\b", "something"),
)  # fmt: skip
_NEGATIONS_ZH = (
    ("不得", "应"),
    ("禁止", "允许"),
    ("严禁", "允许"),
    ("不能", "能"),
    ("不会", "会"),
    ("不需要", "需要"),
    ("未", "已"),
    ("无", "有"),
    ("不", ""),
)
_ADD_NOT_EN = (
    (r"\b(is|are|must|can|may|has been|will|should)\b(?! not)", r"\1 not"), (r"\b(shows|means|lies|declares|stands|gives|says|covers|applies)\b", r"does not \1"),
    (r"\b(show|mean|lie|apply|cover)\b", r"do not \1"), (r"\bhas\b", "has no"), (r"^([A-Z][a-z]+)\b(?= the | a | all )", r"Do not \1"),
)  # fmt: skip
_ADD_NOT_ZH = (
    ("必须", "不得"),
    ("可以", "不可以"),
    ("应", "不应"),
    ("位于", "不位于"),
    ("处于", "不处于"),
    ("显示", "未显示"),
    ("表示", "不表示"),
    ("会", "不会"),
    ("为", "不为"),
    ("是", "不是"),
    ("声明", "未声明"),
)
_CONDITION_EN = (
    r"^(?:If|When|Unless|Before|After)\b[^,]{4,}, (?:then )?(\w)",
    r" (?:only )?(?:if|when|unless|until|while) [^,.;]{4,}(?=[,.;])",
    r" only (?=when|if|after|by|in|with)",
    r" (?:above|below) [^,.;]{3,}(?=[,.;])",
)
_CONDITION_ZH = (r"^(?:如果|若|当|一旦)[^，]{2,}，", r"^[^，]{2,}(?:时|之前|之后|前|后)，", r"只有在?", r"仅", r"只")


class Kind(NamedTuple):
    """One way of changing a sentence."""

    name: str
    change: Change


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """`lies.toml`."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def pick(rng: np.random.Generator, options: list[Any]) -> Any:
    """One of the options, or None where there is none."""
    return options[int(rng.integers(len(options)))] if options else None


def replaced(text: str, match: re.Match[str], new: str) -> str:
    """The text with one match replaced; a sentence begins with a capital again."""
    made = text[: match.start()] + new + text[match.end() :]
    return made[:1].upper() + made[1:] if text[:1].isupper() else made


def shown(value: float, like: str) -> str:
    """A number with as many decimals as `like` has."""
    return f"{value:.{len(like.partition('.')[2])}f}"


def _numbers(text: str) -> list[re.Match[str]]:
    return list(_NUMBER.finditer(text))


def change_number(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """One number becomes another, 12 to 60 % off."""
    match = pick(rng, _numbers(text))
    if match is None:
        return None
    value = float(match.group())
    moved = value * (1 + float(rng.uniform(0.12, 0.6)) * float(rng.choice((-1, 1)))) if value else float(rng.integers(2, 9))
    new = shown(moved if abs(moved - value) >= 1 or "." in match.group() else value + 1, match.group())
    return replaced(text, match, new) if float(new) != value else None


def swap_digits(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """Two neighbouring digits change places."""
    match = pick(rng, [one for one in _numbers(text) if re.search(r"(\d)(?!\1)\d", one.group())])
    if match is None:
        return None
    pair = pick(rng, list(re.finditer(r"(?=(\d)(?!\1)(\d))", match.group())))
    at, word = pair.start(), match.group()
    new = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return replaced(text, match, new) if float(new) != float(word) else None


def shift_decimal(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """A number becomes ten times as large or small."""
    match = pick(rng, [one for one in _numbers(text) if float(one.group())])
    if match is None:
        return None
    return replaced(text, match, f"{float(match.group()) * float(rng.choice((0.1, 10.0))):.10g}")


def swap_unit(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """The number stays, its unit becomes another."""
    found = [one for one in _NUMBER_WITH_UNIT.finditer(text) if float(one["number"])]
    match = pick(rng, found)
    alone = re.search(rf"(?:unit|单位).*?(?P<unit>{_UNIT})(?![A-Za-z])", text) if match is None else None
    match = match or alone
    if match is None:
        return None
    old = match["unit"]
    units = _OTHER_UNITS_ZH if language == "zh" else _OTHER_UNITS
    same = [unit for unit in units if unit != old and find_unit(unit) and find_unit(old) and compatible(unit, old)]
    others = same if same and rng.random() < 0.7 else [unit for unit in units if unit != old and not (unit == "%" and "%" in old)]
    return text[: match.start("unit")] + str(pick(rng, others)) + text[match.end("unit") :]


def drop_unit(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """A number loses its unit."""
    found = [one for one in _NUMBER_WITH_UNIT.finditer(text) if not re.match(r"\s*(?:to|and|至)\s", text[one.end() :])]
    match = pick(rng, found)
    return None if match is None else replaced(text, match, match["number"])


def flip_sign(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """A plus becomes a minus, in a number or a formula."""
    found = [one for one in re.finditer(r"(?<=[\w)] )[-+](?= [\d(])", text)]
    found += [one for one in _numbers(text) if float(one.group())]
    match = pick(rng, found)
    if match is None:
        return None
    flips = {"+": "-", "-": "+"}
    return replaced(
        text, match, flips.get(match.group()) or (match.group()[1:] if match.group()[0] == "-" else f"-{match.group()}")
    )


def _substitute(rng: np.random.Generator, text: str, rules: Any, language: Language) -> str | None:
    flags = re.IGNORECASE if language == "en" else 0
    possible = [(match, new) for old, new in rules for match in re.finditer(old, text, flags)]
    chosen = pick(rng, possible)
    return None if chosen is None else replaced(text, chosen[0], chosen[0].expand(chosen[1]))


def add_negation(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """What is said becomes its contrary."""
    if re.search(r"\b(?:not|no|never|nothing|cannot|without|only|neither)\b|[不未无没禁]|只有|仅", text):
        return None
    return _substitute(rng, text, _ADD_NOT_EN if language == "en" else _ADD_NOT_ZH, language)


def remove_negation(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """A negation goes."""
    if language == "zh" and re.search(r"不(?:同|足|断|锈|确定|良|仅|超过|低于|高于|大于|小于)|无(?:论|线)|未来", text):
        return None
    return _substitute(rng, text, _NEGATIONS_EN if language == "en" else _NEGATIONS_ZH, language)


def swap_model(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """The sentence speaks of another model."""
    match = pick(rng, list(_MODEL.finditer(text)))
    others = ["XYZ-2000", "XYZ-2100", "BT-160", "SD-6", "RS-5", "DG-30"]
    return None if match is None else replaced(text, match, str(pick(rng, [one for one in others if one != match.group()])))


def drop_condition(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """What holds under a condition holds always."""
    rules = [(rule, r"\1" if "(\\w)" in rule else "") for rule in (_CONDITION_EN if language == "en" else _CONDITION_ZH)]
    if language == "zh" and re.search(r"只读|只要", text):
        return None
    return _substitute(rng, text, rules, language)


def widen_range(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """One end of a range moves outwards."""
    match = pick(rng, [one for one in _RANGE.finditer(text) if float(one["low"]) < float(one["high"])])
    if match is None:
        return None
    low, high = float(match["low"]), float(match["high"])
    step = max((high - low) * float(rng.uniform(0.1, 0.4)), 10.0 ** -len(match["high"].partition(".")[2]))
    ends = (
        (shown(low - step, match["low"]), match["high"])
        if rng.random() < 0.5
        else (match["low"], shown(high + step, match["high"]))
    )
    if [float(end) for end in ends] == [low, high]:
        return None
    return replaced(text, match, f"{ends[0]}{match['joint']}{ends[1]}{match['unit'] or ''}")


def swap_bounds(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """The ends of a range change places with each other, or one of them with the value before it."""
    match = pick(rng, [one for one in _RANGE.finditer(text) if float(one["low"]) < float(one["high"])])
    if match is None:
        return None
    value = next(iter(_NUMBER.finditer(text[: match.start()])), None)
    if value is None or value.group() in (match["low"], match["high"]) or rng.random() < 0.4:
        return replaced(text, match, f"{match['high']}{match['joint']}{match['low']}{match['unit'] or ''}")
    made = replaced(text, match, f"{value.group()}{match['joint']}{match['high']}{match['unit'] or ''}")
    return replaced(made, value, match["low"])


def value_for_range(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """A value within a range stands for the range."""
    match = pick(rng, [one for one in _RANGE.finditer(text) if float(one["low"]) < float(one["high"])])
    if match is None:
        return None
    inside = float(match["low"]) + float(rng.uniform(0.2, 0.8)) * (float(match["high"]) - float(match["low"]))
    made = replaced(text, match, f"{shown(inside, match['high'])}{match['unit'] or ''}")
    return re.sub(r"\bbetween (?=-?\d)|\bfrom (?=-?\d)", "", made)


def _append(words: str) -> Change:
    def change(rng: np.random.Generator, text: str, language: Language) -> str | None:
        extra = str(pick(rng, tables()["words"][words][language]))
        return text.rstrip(".。;；") + extra + ("." if language == "en" else "。")

    change.__doc__ = "Something is added that nobody said."
    return change


def swap_steps(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """Two steps change places."""
    parts = r"^(?P<head>.*?[:：] ?)?(?P<one>[^,;:，；：]{4,}?)(?P<joint>, then |, and then |; then | and then | and |; |，然后|，再|，并|；|，)(?P<two>[^,;:，；：]{4,}?)(?P<end>[.。;；])$"
    match = re.match(parts, text)
    if match is None or not _is_step(match["one"], language) or not _is_step(match["two"], language):
        return None
    one, two = match["one"], match["two"]
    if language == "en":
        one, two = one[:1].lower() + one[1:], two[:1].upper() + two[1:]
    return f"{match['head'] or ''}{two}{match['joint']}{one}{match['end']}"


def _is_step(text: str, language: Language) -> bool:
    verbs = r"(?:close|open|press|check|turn|stop|start|inform|lock|wait|reduce|shut|read|clean|record|disconnect|switch|take|let|set|fill|drain|tag|measure|compare|move|put|run|hang|ask|cut|call|keep|hold|remove)\b"
    if language == "en":
        return re.match(verbs, text.strip(), re.IGNORECASE) is not None
    return (
        re.match(
            r"\s*(?:关|开|打开|按|通知|停|拉|封|等|把|检查|更换|清|记录|降低|核|切|断|锁|挂|读|拍|擦|轻|调|松|拧|放|补|抄)", text
        )
        is not None
    )


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
    rules = (
        (
            (r"\b(?:about|approximately|roughly|usually|normally|probably|nearly|almost|often) ", ""),
            (r"\bmay\b(?! not)", "must"),
            (r"\bcan\b(?! not)", "must"),
        )
        if language == "en"
        else (("大约|约|通常|一般|可能", ""), ("可以", "必须"), ("可能", "必定"))
    )
    return _substitute(rng, text, rules, language)


def change_section(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """The reader is sent to another section, or position, or date."""
    match = re.search(
        r"(?<=section )\d+(?:\.\d+)*|(?<=position )\d|(?<=第 )\d+(?:\.\d+)*(?= 节)|(?<=位置 )\d|\d{4}-\d{2}-\d{2}",
        text,
        re.IGNORECASE,
    )
    if match is None:
        return None
    head, dot, tail = match.group().rpartition("-" if "-" in match.group() else ".")
    return replaced(text, match, f"{head}{dot}{int(tail) % 27 + 1:0{len(tail)}d}")


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
