"""True sentences said otherwise: other words, other order, converted or rounded numbers. Nothing changes what is said.

Nothing here knows how sentences are checked; the words stand in `rewordings.toml`.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from eval.changes import Change, Kind, pick, replaced
from knowledge.articles import Language
from vision.units import convert, find_unit

_UNIT = r"(?P<unit>MPa|kPa|mbar|bar|psi|inHg|°C|kWh|kW|V|A|m3/h|Hz)(?![A-Za-z])"
_QUANTITY = re.compile(rf"(?<![A-Za-z0-9_.-])(?P<number>-?\d+(?:\.\d+)?)(?P<space> ?){_UNIT}")
_RANGE = re.compile(rf"(?P<low>-?\d+(?:\.\d+)?)(?P<joint> to | 至 )(?P<high>-?\d+(?:\.\d+)?) ?{_UNIT}")
_INTERVAL = re.compile(r"(?P<low>-?\d+(?:\.\d+)?) and (?P<high>-?\d+(?:\.\d+)?) (?P<unit>[A-Za-z°%/0-9]+)")
_INSTRUCTION = re.compile(
    r"^(?:Check|Close|Open|Press|Inform|Stop|Wait|Reduce|Shut|Read|Clean|Record|Disconnect|Switch|Take|Set|Compare|Keep|Replace|Lock)\b"
)
_INSTRUCTION_ZH = re.compile(r"^(?:检查|关闭|打开|通知|更换|记录|降低|停止|切断|等待|确认|清洁)(?![^。]*[时，])")
_TARGETS: dict[str, tuple[str, ...]] = {
    "MPa": ("bar", "kPa"),
    "kPa": ("MPa", "mbar"),
    "bar": ("kPa", "MPa"),
    "mbar": ("kPa",),
    "psi": ("bar",),
    "inHg": ("kPa",),
    "°C": ("°F",),
    "V": ("kV",),
    "A": ("mA",),
    "m3/h": ("L/min",),
}


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """`rewordings.toml`."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def same(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """The sentence as it is."""
    return text


def convert_unit(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """Every quantity of one unit in another one, to four digits or more."""
    first = pick(rng, [one for one in _QUANTITY.finditer(text) if one["unit"] in _TARGETS])
    if first is None or re.search(r"=|每|every|per |±|公式|formula|\d, -?\d|、-?\d", text, re.IGNORECASE):
        return None
    old, new = first["unit"], str(pick(rng, list(_TARGETS[first["unit"]])))
    ranged = re.compile(
        rf"(?P<low>-?\d+(?:\.\d+)?)(?P<joint> to | and | 至 )(?P<high>-?\d+(?:\.\d+)?) {re.escape(old)}(?![A-Za-z])"
    )
    text = ranged.sub(lambda m: f"{_converted(m['low'], old, new)}{m['joint']}{_converted(m['high'], old, new)} {new}", text)
    single = re.compile(rf"(?<![A-Za-z0-9_.-])(?P<number>-?\d+(?:\.\d+)?) {re.escape(old)}(?![A-Za-z])")
    return single.sub(lambda m: f"{_converted(m['number'], old, new)} {new}", text)


def _converted(number: str, old: str, new: str) -> str:
    value = convert(float(number), find_unit(old) or old, find_unit(new) or new)
    digits = max(4, len(number.strip("-").replace(".", "").lstrip("0")))
    decimals = max(0, digits - len(str(int(abs(value)))) if abs(value) >= 1 else digits)
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def round_number(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """A long number with a unit loses its last digit, where three are left."""
    found = [
        one for one in _QUANTITY.finditer(text) if "." in one["number"] and len(one["number"].strip("-0.").replace(".", "")) >= 4
    ]
    match = pick(rng, found)
    if match is None:
        return None
    decimals = len(match["number"].partition(".")[2]) - 1
    return replaced(text, match, f"{float(match['number']):.{decimals}f}{match['space']}{match['unit']}")


def format_number(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """Thousands set off, a zero behind the point, or full-width digits."""
    long = list(re.finditer(r"(?<![A-Za-z0-9_.-])\d{4,}(?:\.\d+)?(?![\d-])", text))
    match = pick(rng, long)
    if match is not None:
        whole, dot, tail = match.group().partition(".")
        return replaced(text, match, f"{int(whole):,}{dot}{tail}") if not whole.startswith("0") else None
    match = pick(rng, list(_QUANTITY.finditer(text)))
    if match is None:
        return None
    number = match["number"] + ("0" if "." in match["number"] else ".0")
    if rng.random() < 0.4:
        number = match["number"].translate(str.maketrans("0123456789.", "０１２３４５６７８９．"))
    return replaced(text, match, f"{number}{match['space']}{match['unit']}")


def rephrase_range(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """ "0 to 80" as "between 0 and 80" and the like."""
    match = pick(rng, list(_RANGE.finditer(text)))
    if match is None:
        match = pick(rng, list(_INTERVAL.finditer(text))) if language == "en" else None
        made = (
            None
            if match is None
            else replaced(text, match, f"{match['low']} {match['unit']} and {match['high']} {match['unit']}")
        )
        return made if made is not None and "between" in text else None
    low, high, unit = match["low"], match["high"], match["unit"]
    before = text[: match.start()]
    if language == "zh":
        return replaced(
            text, match, str(pick(rng, [f"{low}～{high} {unit}", f"{low} 到 {high} {unit}", f"{low} {unit} 至 {high} {unit}"]))
        )
    options = [f"{low} {unit} to {high} {unit}"]
    if before.endswith((" is ", ", ")):
        options += [f"from {low} to {high} {unit}", f"between {low} and {high} {unit}"]
    return replaced(text, match, str(pick(rng, options)))


def move_clause(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """A condition or a source goes from the front to the back, or from the back to the front."""
    if language == "zh":
        match = re.match(r"^(如果|若)([^，；。]{2,})，(?:应|则)?([^，；。]{3,})。$", text)
        return None if match is None else f"{match[3]}，{match[1]}{match[2]}。"
    front = re.match(r"^(If|When|Before|After|Unless)\b ([^,;:]{4,}), (?:then )?([^;:.]{4,})\.$", text)
    if front is not None and not re.search(r"\b(?:and|or|then)\b", front[3]):
        return f"{front[3][:1].upper()}{front[3][1:]} {front[1].lower()} {front[2]}."
    back = re.match(r"^([A-Z][^,;:]{4,}?),? (if|when|before|after|unless) ([^,;:.]{4,})\.$", text)
    if back is not None and not re.search(r"\b(?:only|even|and|or)\b", back[1]):
        return f"{back[2][:1].upper()}{back[2][1:]} {back[3]}, {back[1][:1].lower()}{back[1][1:]}."
    return None


def say_must(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """An instruction with its "must" spelled out, or a "please" before it."""
    if language == "zh":
        return str(pick(rng, [f"请{text}", f"必须{text}"])) if _INSTRUCTION_ZH.match(text) else None
    if not _INSTRUCTION.match(text):
        return None
    return str(pick(rng, [f"You must {text[:1].lower()}{text[1:]}", f"Please {text[:1].lower()}{text[1:]}"]))


def _exchange(name: str) -> Change:
    def change(rng: np.random.Generator, text: str, language: Language) -> str | None:
        rules = tables()[name][language]
        options = []
        for old, new in rules:
            pattern = re.compile(
                rf"\b{re.escape(old)}\b(?! not)" if old.isascii() and old[0].isalpha() else re.escape(old), re.IGNORECASE
            )
            options += [(match, new) for match in pattern.finditer(text) if old != new]
        chosen = pick(rng, options)
        return None if chosen is None else replaced(text, chosen[0], chosen[1])

    change.__doc__ = "Words become others of the same meaning."
    return change


def reframe(rng: np.random.Generator, text: str, language: Language) -> str | None:
    """A sentence of the report as another writer would put it."""
    fitting = [(re.compile(old), new) for old, new in tables()["frames"][language] if re.search(old, text)]
    chosen = pick(rng, fitting)
    return None if chosen is None else chosen[0].sub(chosen[1], text)


REWORDINGS: tuple[Kind, ...] = (
    Kind("same", same),
    Kind("unit_converted", convert_unit),
    Kind("number_rounded", round_number),
    Kind("number_formatted", format_number),
    Kind("range_rephrased", rephrase_range),
    Kind("clause_moved", move_clause),
    Kind("must_said", say_must),
    Kind("synonym", _exchange("synonyms")),
    Kind("modal_rephrased", _exchange("modals")),
    Kind("comparison_rephrased", _exchange("comparisons")),
    Kind("unit_spelled", _exchange("spellings")),
    Kind("reframed", reframe),
)
"""All ways of saying the same."""
