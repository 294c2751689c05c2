"""What a question asks for: the structured route's reading of a query, in English and Chinese.

Works on free text and on the names of meta-knowledge queries (`warning_light_color_meaning_red`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from knowledge.articles import Chunk
from knowledge.chunks import find_references
from knowledge.facts import Fact, LimitLevel, ModelFacts
from knowledge.sentences import parse_table
from vision.fields import LampColor
from vision.units import find_unit


class Intent(NamedTuple):
    """Facts asked for, and the lamp colour, selector position, display code or limit level where the question names one.

    `action` says that it asks what to do; `stop` that something is to be brought to a halt; `cause` that it asks why;
    `datum` that it asks for a property of the instrument that is none of the topics.
    """

    topics: tuple[str, ...]
    color: LampColor | None
    position: int | None
    codes: tuple[str, ...] = ()
    level: LimitLevel | None = None
    action: bool = False
    stop: bool = False
    cause: bool = False
    datum: bool = False


_TOPICS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("formula", r"formula|convert (?:the )?(?:pointer )?angle|angle (?:in)?to|公式|换算|由指针角度计算"),
        ("unit", r"\bunits?\b|单位"),
        ("lamp", r"\b(?:lamp|light|indicator|led)s?\b|灯"),
        ("mode", r"\bmodes?\b|selector|mode dial|\bposition \d|模式|档位|旋钮"),
        ("emergency", r"emergency|shut ?down|紧急|停机|急停"),
        ("limits", r"\blimits?\b|threshold|\balarm\b|normal range|限值|上限|下限|报警|正常范围"),
        (
            "angle_frame",
            r"angle (?:origin|direction|start|is counted)|angle .*\b(?:starts?|counted|direction)\b|起算|角度.*(?:方向|起点)",
        ),
        ("angle_range", r"angle range|angles? .*\b(?:valid|between)\b|角度.*范围|范围.*角度|有效角度"),
        ("value_range", r"(?:measuring|display|indicating) range|(?:测量|显示|指示)范围|量程"),
        ("accuracy", r"accuracy|permitted error|准确度|精度|允许误差"),
        ("readout", r"display\b.*\bshows?\b|digital readout|\bdigits (?:mean|show|say|are)\b|显示屏|显示的内容"),
        ("codes", r"error code|\bcodes?\b|\berr\b|代码"),
    )
)
_COLORS: tuple[tuple[LampColor, re.Pattern[str]], ...] = (
    ("red", re.compile(r"\bred\b|红")),
    ("yellow", re.compile(r"\byellow\b|\bamber\b|黄")),
    ("green", re.compile(r"\bgreen\b|绿")),
    ("off", re.compile(r"\boff\b|\bdark\b|熄灭|不亮")),
)
_POSITION = re.compile(r"(?:position|mode|meaning|selector|dial|档位|位置|模式|第)\s*([1-5])(?![\d.])|(?<![\d.])([1-5])\s*[档号]")


_CODE = re.compile(r"(?<![a-z0-9-])(?:e|er|err|error|f|fault|code|代码)[ -]?(\d{1,3})(?![\d.])", re.IGNORECASE)
_LEVELS: tuple[tuple[LimitLevel, re.Pattern[str]], ...] = (
    ("alarm", re.compile(r"\balarms?\b|报警|警报")),
    ("warning", re.compile(r"\bwarning (?:range|band|zone|level|value)|\bin warning\b|预警")),
)
_ACTION = re.compile(
    r"\bsteps?\b|\bsequence\b|\bprocedure\b|what (?:do|should|must|has|is|am|shall|now|next)\b|what to do"
    r"|how (?:do|is|are|to|must|should)\b|\bwhich .*\b(?:do|must|should|is|are)\b|\bwho\b|\bwhen may\b"
    r"|怎么|步骤|处理|怎样|如何|应|要|先|谁|什么时候|程序|流程|该"
)
_STOP = re.compile(
    r"\bstop\b|\bstopped\b|\bhalt\b|\bshut (?:it |.{1,30} )?down\b|\btrip\b|\bemergency\b"
    r"|taken? (?:it )?off (?:the )?(?:line|load|grid)\b|\btaken off|\bdisconnected?\b|停|断开|切断|紧急"
)
_ASKS_CAUSE = re.compile(
    r"\bwhy\b|\bwhat(?: is|'s| went| has)? (?:wrong|happened|broke|the (?:cause|reason))\b|\bcause\b|\breason\b"
    r"|does (?:that|it|this) (?:mean|tell|show|hint)|为什么|为何|原因|怎么回事|说明什么"
)
_GIVES_CAUSE = re.compile(
    r"\bbecause\b|\bso that\b|\bshows? that\b|\bmeans?\b|\bpoints? to\b|\bsuspect\b|\btherefore\b"
    r"|\b(?:is|are) (?:broken|loose|worn|stuck|open|wrong|crossed|damaged|blocked|normal|leaking)\b"
    r"|因为|表明|说明|表示|损坏|松动|所以",
    re.IGNORECASE,
)
_ASKS_DATUM = re.compile(
    r"\b(?:which|what)\b(?! (?:do|should|must|now|next|if|happens|is (?:wrong|to be)))"
    r"|\bhow (?:much|many|high|long|large|big|deep|tight|quick(?:ly)?)\b|多少|多大|多高|多长|哪种|什么样|几"
)
_OTHER_TABLE = re.compile(r"state|code|状态|代码", re.IGNORECASE)
_UNIT_WORD = re.compile(r"(?<![\d.A-Za-z-])(?<!\d )([A-Za-z]{2,5}(?:/[a-z0-9]{1,4})?|[兆千]帕|立方米|公斤)(?![A-Za-z0-9-])")
_COUNTED = re.compile(r"\b(?:an?|one|two|half|few|many|some|each|per|of|a tenth of an?|几|多少|每|一)\s*$", re.IGNORECASE)
"""Words in front of a unit that make it part of an amount: "how many amps", "half a bar"."""


_UNIT_CHOICE = re.compile(r"\b([a-z]{3,12}?)s? or ([a-z]{3,12}?)s?\b|\b([a-z]{3,12}?)s? of what\b", re.IGNORECASE)
_HOW_MUCH = re.compile(r"\bhow (?:much|many|large|big|high|low|far|deep)\b", re.IGNORECASE)


def _asks_unit(query: str) -> bool:
    """Whether units stand in a question without a number: "bar or MPa?" asks for the unit, "how large in MPa?" for a value."""
    if any(find_unit(word) for match in _UNIT_CHOICE.finditer(query) for word in match.groups() if word):
        return True
    how_much = _HOW_MUCH.search(query)
    for match in _UNIT_WORD.finditer(query):
        before = query[: match.start()]
        counted = _COUNTED.search(before) or (how_much and re.search(r"\bin\s*$", before, re.IGNORECASE))
        if find_unit(match.group(1)) and not counted:
            return True
    return False


def detect_intent(query: str) -> Intent:
    """Topics of a query in a fixed order; empty where it asks for nothing that is kept as a fact."""
    text = query.casefold().replace("_", " ")
    codes = tuple(dict.fromkeys(match.group(1) for match in _CODE.finditer(text)))
    asked = {name for name, pattern in _TOPICS if pattern.search(text)}
    if codes:
        asked.add("codes")
    if _asks_unit(query):
        asked.add("unit")
    levels = [level for level, pattern in _LEVELS if pattern.search(text)]
    color = next((name for name, pattern in _COLORS if pattern.search(text)), None)
    match = _POSITION.search(text)
    level = levels[0] if len(levels) == 1 else None
    cause = bool(_ASKS_CAUSE.search(text))
    return Intent(
        topics=tuple(name for name, _ in _TOPICS if name in asked),
        color=color,
        position=int(match.group(1) or match.group(2)) if match else None,
        codes=codes,
        level=level,
        action=bool(_ACTION.search(text)),
        stop=bool(_STOP.search(text)),
        cause=cause,
        datum=not (asked or cause or level) and bool(_ASKS_DATUM.search(text)),
    )


def gives_cause(text: str) -> bool:
    """Whether a passage says why something is or happens."""
    return _GIVES_CAUSE.search(text) is not None


def gives_data(chunk: Chunk) -> bool:
    """Whether a chunk is a table of properties and their values: two columns, neither of states nor of codes."""
    table = parse_table(chunk.text) if chunk.semantic_type == "table" else None
    return table is not None and len(table.header) == 2 and not _OTHER_TABLE.search(table.header[0])


def score_facts(intent: Intent, facts: ModelFacts) -> dict[str, float]:
    """Chunk id -> score: 1 where a chunk states exactly what is asked, less where it only touches the topic."""
    scores: dict[str, float] = {}
    for topic in intent.topics:
        for fact, score in _FINDERS[topic](intent, facts):
            scores[fact.chunk] = max(scores.get(fact.chunk, 0.0), score)
    return scores


def _one(fact: Fact | None) -> Iterator[tuple[Fact, float]]:
    if fact is not None:
        yield fact, 1.0


UNSPECIFIC, TOUCHED = 0.4, 0.3
"""Scores of a table of which no row is named, and of rows other than the one named."""


def _lamps(intent: Intent, facts: ModelFacts) -> Iterator[tuple[Fact, float]]:
    for fact in facts.lamps:
        # A question after one colour that the table does not have is not answered by the other colours.
        yield fact, UNSPECIFIC if intent.color is None else 1.0 if intent.color == fact.color else TOUCHED


def _modes(intent: Intent, facts: ModelFacts) -> Iterator[tuple[Fact, float]]:
    for fact in facts.modes:
        yield fact, UNSPECIFIC if intent.position is None else 1.0 if intent.position == fact.position else TOUCHED


def _codes(intent: Intent, facts: ModelFacts) -> Iterator[tuple[Fact, float]]:
    for fact in facts.codes:
        yield fact, UNSPECIFIC if not intent.codes else 1.0 if _names_code(intent, fact.code) else TOUCHED


def _names_code(intent: Intent, code: str) -> bool:
    return any(re.search(rf"(?<!\d){number}$", code) for number in intent.codes)


def _accuracy(intent: Intent, facts: ModelFacts) -> Iterator[tuple[Fact, float]]:
    for fact, score in _one(facts.accuracy):
        # "Range and accuracy": the range first.
        yield fact, 0.9 * score if "value_range" in intent.topics else score


def called_sections(intent: Intent, facts: ModelFacts) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Chunk id and sections that the row of a named lamp colour, display code or limit level sends its reader to."""
    if intent.color is not None and "lamp" in intent.topics:
        lamp = facts.lamp(intent.color)
        if lamp is not None:
            yield lamp.chunk, find_references(lamp.text)
    for code in facts.codes:
        if _names_code(intent, code.code):
            yield code.chunk, find_references(code.text)
    for limit in facts.limits:
        if limit.level == intent.level:
            yield limit.chunk, find_references(limit.text)


_FINDERS: dict[str, Callable[[Intent, ModelFacts], Iterator[tuple[Fact, float]]]] = {
    "formula": lambda _, facts: _one(facts.formula),
    "unit": lambda _, facts: _one(facts.unit),
    "lamp": _lamps,
    "mode": _modes,
    "emergency": lambda _, facts: _one(facts.emergency),
    "limits": lambda _, facts: ((fact, 1.0) for fact in facts.limits),
    "angle_frame": lambda _, facts: _one(facts.angle_frame),
    "angle_range": lambda _, facts: _one(facts.angle_range or facts.formula),
    "value_range": lambda _, facts: _one(facts.value_range),
    "accuracy": _accuracy,
    "readout": lambda _, facts: _one(facts.readout),
    "codes": _codes,
}
