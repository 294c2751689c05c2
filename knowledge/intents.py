"""What a question asks for: the structured route's reading of a query, in English and Chinese.

Works on free text and on the names of meta-knowledge queries (`warning_light_color_meaning_red`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from knowledge.facts import Fact, ModelFacts
from vision.fields import LampColor


class Intent(NamedTuple):
    """Facts asked for, and the lamp colour or selector position where the question names one."""

    topics: tuple[str, ...]
    color: LampColor | None
    position: int | None


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
        ("readout", r"display\b.*\bshows?\b|digital readout|\bdigits\b|显示屏|显示的内容"),
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


def detect_intent(query: str) -> Intent:
    """Topics of a query in a fixed order; empty where it asks for nothing that is kept as a fact."""
    text = query.casefold().replace("_", " ")
    topics = tuple(name for name, pattern in _TOPICS if pattern.search(text))
    color = next((name for name, pattern in _COLORS if pattern.search(text)), None)
    match = _POSITION.search(text)
    position = int(match.group(1) or match.group(2)) if match else None
    return Intent(topics, color, position)


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


def _lamps(intent: Intent, facts: ModelFacts) -> Iterator[tuple[Fact, float]]:
    for fact in facts.lamps:
        # A question after one colour that the table does not have is not answered by the other colours.
        yield fact, 1.0 if intent.color in (fact.color, None) else 0.3


def _modes(intent: Intent, facts: ModelFacts) -> Iterator[tuple[Fact, float]]:
    for fact in facts.modes:
        yield fact, 1.0 if intent.position in (fact.position, None) else 0.3


_FINDERS: dict[str, Callable[[Intent, ModelFacts], Iterator[tuple[Fact, float]]]] = {
    "formula": lambda _, facts: _one(facts.formula),
    "unit": lambda _, facts: _one(facts.unit),
    "lamp": _lamps,
    "mode": _modes,
    "emergency": lambda _, facts: _one(facts.emergency),
    "limits": lambda _, facts: ((fact, 1.0) for fact in facts.limits),
    "angle_frame": lambda _, facts: _one(facts.angle_frame),
    "angle_range": lambda _, facts: _one(facts.angle_range),
    "value_range": lambda _, facts: _one(facts.value_range),
    "accuracy": lambda _, facts: _one(facts.accuracy),
    "readout": lambda _, facts: _one(facts.readout),
    "codes": lambda _, facts: ((fact, 1.0) for fact in facts.codes),
}
