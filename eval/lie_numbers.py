"""Lies about numbers, units, ranges, sections and dates."""

from __future__ import annotations

import re

import numpy as np

from eval.changes import pick, replaced
from knowledge.articles import Language
from vision.units import compatible, find_unit

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)-?\d+(?:\.\d+)?(?![\d.]*[A-Za-z]*-\d)(?!\.\d)")
_UNIT = (
    r"(?:MPa|kPa|mbar|bar|psi|inHg|°C|°F|kWh|kW|Hz|r/min|m3/h|m3|V|A|% RH|%|°|mm|minutes|hours|months|days|分钟|小时|个月|天|度)"
)
_NUMBER_WITH_UNIT = re.compile(rf"(?P<number>-?\d+(?:\.\d+)?) ?(?P<unit>{_UNIT})(?![A-Za-z])")
_RANGE = re.compile(rf"(?P<low>-?\d+(?:\.\d+)?)(?P<joint> to | and | 至 )(?P<high>-?\d+(?:\.\d+)?)(?P<unit> ?{_UNIT})?")
_OTHER_UNITS = (
    "MPa", "kPa", "bar", "psi", "mbar", "°C", "°F", "V", "A", "kW", "Hz", "r/min", "m3/h", "%",
    "minutes", "hours", "months", "days",
)  # fmt: skip
_OTHER_UNITS_ZH = (*_OTHER_UNITS[:14], "分钟", "小时", "个月", "天")


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
    found = list(re.finditer(r"(?<=[\w)] )[-+](?= [\d(])", text))
    found += [one for one in _numbers(text) if float(one.group())]
    match = pick(rng, found)
    if match is None:
        return None
    flips = {"+": "-", "-": "+"}
    return replaced(
        text, match, flips.get(match.group()) or (match.group()[1:] if match.group()[0] == "-" else f"-{match.group()}")
    )


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
