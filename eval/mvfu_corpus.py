"""Facts of the corpus as MVFUs: what manuals state in a machine-readable way, and the claims of general guidelines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from eval.claims import extract_claims, language_of
from eval.mvfu import FactKind, Mvfu
from knowledge.articles import Chunk, Language
from knowledge.facts import Fact, FormulaFact, LimitFact, ModelFacts
from knowledge.search import KnowledgeBase

_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_COLORS = {
    "en": {"red": "red", "yellow": "yellow", "green": "green", "off": "unlit"},
    "zh": {"red": "红色", "yellow": "黄色", "green": "绿色", "off": "熄灭"},
}
_LEVELS = {
    "en": {"normal": "normal", "warning": "warning", "alarm": "alarm"},
    "zh": {"normal": "正常", "warning": "预警", "alarm": "报警"},
}


class _Said(NamedTuple):
    """A fact of a manual as subject, predicate and object."""

    kind: FactKind
    key: str
    fact: Fact
    subject: str
    predicate: str
    object: str


def corpus_facts(knowledge: KnowledgeBase) -> tuple[Mvfu, ...]:
    """All facts of the documents in force, each once, sorted by id."""
    found: dict[str, Mvfu] = {}
    for model in knowledge.models():
        for language in _LANGUAGES:
            facts = knowledge.facts(model, language)
            if facts is not None and facts.language == language:
                for said in _said(facts):
                    fact = _mvfu(said, knowledge.chunk(said.fact.chunk), language)
                    found.setdefault(fact.id, fact)
    for chunk in knowledge.chunks():
        if not chunk.models:
            found.update((fact.id, fact) for fact in _claims(chunk))
    return tuple(found[id] for id in sorted(found))


def _mvfu(said: _Said, chunk: Chunk, language: Language) -> Mvfu:
    return Mvfu(
        id=":".join(part for part in (chunk.document, said.kind, said.key) if part),
        kind=said.kind,
        key=said.key or said.kind,
        models=chunk.models,
        language=language,
        subject=said.subject,
        predicate=said.predicate,
        object=said.object,
        statement=_statement(said.fact, chunk),
        document=chunk.document,
        section=chunk.section,
        version=chunk.version,
    )


def _statement(fact: Fact, chunk: Chunk) -> str:
    """The source's own words: of a calibration table, which the fact sums up, its lines."""
    if isinstance(fact, FormulaFact) and fact.points:
        return "\n".join(line for line in chunk.verbatim.splitlines() if line.startswith("|"))
    return fact.text


def _claims(chunk: Chunk) -> Iterator[Mvfu]:
    """Claims of a general document that have all three parts and say of what they speak; their key is their text's hash."""
    for claim in extract_claims(chunk.verbatim):
        if not claim.subject or not claim.subject_terms or not claim.predicate or not claim.object or "|" in claim.text:
            continue
        key = hashlib.sha256(claim.text.encode()).hexdigest()[:8]
        yield Mvfu(
            id=f"{chunk.document}:claim:{key}",
            kind="claim",
            key=key,
            language=language_of(claim.text),
            subject=claim.subject,
            predicate=claim.predicate,
            object=claim.object,
            statement=claim.text,
            document=chunk.document,
            section=chunk.section,
            version=chunk.version,
        )


def _said(facts: ModelFacts) -> Iterator[_Said]:
    """The facts of one manual. Meaning and action of a lamp are two facts: each can be missing alone."""
    zh = facts.language == "zh"

    def words(english: str, chinese: str) -> str:
        return chinese if zh else english

    if (formula := facts.formula) is not None:
        body = formula.expression or ", ".join(f"{angle:g}: {value:g}" for angle, value in formula.points)
        yield _Said("formula", "", formula, formula.quantity, words("is computed by", "的公式为"), body)
    if (unit := facts.unit) is not None:
        subject = f"{unit.quantity}的单位" if zh else f"the unit of {unit.quantity}"
        yield _Said("unit", "", unit, subject, words("is", "为"), unit.unit)
    if (frame := facts.angle_frame) is not None:
        way = words("clockwise" if frame.clockwise else "counter-clockwise", "顺时针" if frame.clockwise else "逆时针")
        origin = words(f"{frame.origin_hour} o'clock, {way}", f"{frame.origin_hour} 点钟方向起{way}计算")
        yield _Said("angle_frame", "", frame, words("the pointer angle", "指针角度"), words("is counted from", "从"), origin)
    if (valid := facts.angle_range) is not None:
        span = f"{valid.low:g} {words('to', '至')} {valid.high:g} {words('degrees', '度')}"
        subject = words("the formula", "公式")
        yield _Said("angle_range", "", valid, subject, words("is valid for pointer angles from", "适用于指针角度"), span)
    if (reach := facts.value_range) is not None:
        span = f"{reach.low:g} {words('to', '至')} {reach.high:g} {reach.unit}"
        yield _Said("value_range", "", reach, words("the measuring range", "测量范围"), words("is", "为"), span)
    if (accuracy := facts.accuracy) is not None:
        share = words(f"{accuracy.percent_of_span:g} % of the span", f"量程的 {accuracy.percent_of_span:g} %")
        yield _Said("accuracy", "", accuracy, words("the permitted error", "允许误差"), words("is", "为"), share)
    for limit in facts.limits:
        level = _LEVELS[facts.language][limit.level]
        subject = words(f"the {level} range", f"{level}范围")
        yield _Said("limits", _limit_key(limit), limit, subject, words("is", "为"), _band(limit, zh))
    for lamp in facts.lamps:
        color = _COLORS[facts.language][lamp.color]
        subject = words(f"the {color} lamp", f"灯为{color}")
        yield _Said("lamp", lamp.color, lamp, subject, words("means", "表示"), lamp.meaning)
        if lamp.action:
            yield _Said("lamp", f"{lamp.color}-action", lamp, subject, words("requires", "要求"), lamp.action)
    for mode in facts.modes:
        subject = words(f"position {mode.position}", f"位置 {mode.position} ")
        yield _Said("mode", str(mode.position), mode, subject, words("means", "表示"), f"{mode.name}: {mode.meaning}")
    for code in facts.codes:
        subject = words(f"code {code.code}", f"代码 {code.code} ")
        yield _Said("codes", code.code, code, subject, words("means", "表示"), code.meaning)
    if facts.readout is not None:
        yield _Said("readout", "", facts.readout, words("the digits", "数字"), words("are", "即"), words("the reading", "读数"))
    if facts.emergency is not None:
        title = f"{words('section ', '第 ')}{facts.emergency.section}{words('', ' 节')}: {facts.emergency.title}"
        subject = words("the emergency procedure", "紧急程序")
        yield _Said("emergency", "", facts.emergency, subject, words("stands in", "见"), title)


def _limit_key(limit: LimitFact) -> str:
    ends = "..".join("" if end is None else f"{end:g}" for end in (limit.low, limit.high))
    return f"{limit.level}:{ends}"


def _band(limit: LimitFact, zh: bool) -> str:
    unit = f" {limit.unit}" if limit.unit else ""
    above = ("超过 " if zh else "above ") if not limit.low_included else ""
    if limit.low is not None and limit.high is not None:
        return f"{above}{limit.low:g} {'至' if zh else 'to'} {limit.high:g}{unit}"
    if limit.low is not None:
        return f"{above or ('不低于 ' if zh else 'at least ')}{limit.low:g}{unit}"
    below = ("不超过 " if zh else "up to ") if limit.high_included else ("低于 " if zh else "below ")
    return f"{below}{limit.high:g}{unit}"


def facts_by_kind(facts: Iterable[Mvfu]) -> dict[str, int]:
    """How many facts there are of each kind, sorted by name."""
    counts: dict[str, int] = {}
    for fact in facts:
        counts[fact.kind] = counts.get(fact.kind, 0) + 1
    return dict(sorted(counts.items()))
