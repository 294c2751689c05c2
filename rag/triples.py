"""Fact triples: subject, relation, object, and what limits them. Rules alone, English and Chinese, no parser loaded.

What manuals state in a fixed way (`knowledge.statements`) and table rows come out with the relation that they stand for;
other sentences are split at their first finite verb. Modifiers may go, a condition or a negation never: a triple without
its "only if" would be another fact. A sentence that no rule takes apart gives no triple.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from knowledge.formula_text import find_formulas
from knowledge.sentences import CONDITION, Table, parse_table
from knowledge.statements import parse_accuracy, parse_angle_frame, parse_range, parse_validity, statement_sentences
from knowledge.units import find_declarations
from rag.trim import NEGATING, text_parts

_TABLE_LINE = re.compile(r"^\s*\|.*\|\s*$")
_STEP = re.compile(r"^\s*(?:\d+[.)、]|[-*+])\s+")
_VERB = re.compile(
    r"\s(?P<verb>(?:(?:is|are|was|were|has|have|must|may|can|shall|should|does|do)(?: not)?(?: be)?"
    r"|means?|shows?|indicates?|gives?|carries|covers?|needs?|requires?|applies|apply|holds?|runs?|lies|lie|stands?|states?"
    r"|permits?|allows?|measures?|reads?|starts?|stops?|opens?|closes?|contains?|uses?|cannot|never \w+))\s",
)
_ANY_VERB = re.compile(
    r"(?<!\bthe)(?<!\bof)(?<!\bin)\s(?P<verb>[a-z]{3,}s)\s"
    r"(?=(?:the|an?|its?|this|their|no|all|in|on|at|by|to|from|with|through|for|like|only|up|down|back|out|off|\d)\b)"
)
"""Any word in the third person, where what follows makes it likely; a wrong cut loses no word."""
_VERB_ZH = re.compile(
    r"(?P<verb>没有|不得|不应|不能|不可|严禁|禁止|必须|应当|应|须|可以|表示|说明|适用于|位于|采用|具有|包括|允许|要求|大于|小于|不超过|不低于|需要|监视|控制|显示|指示|增加|减少|违反|即|(?<!只)有|为|(?<!只)是)"
)
_DO = re.compile(
    r"^(?P<verb>(?:do not|never|always) [a-z]+|(?:carry out|shut down|switch (?:on|off)|take out|adjust|attach|bring|calibrate"
    r"|call|check|clean|close|compare|connect|continue|disconnect|drain|fit|follow|hold|inform|install|isolate|keep|leave|lock|mount"
    r"|note|open|press|pull|push|read|record|reduce|release|remove|repeat|replace|report|reset|send|set|start|stop|store|suspect"
    r"|take|tap|test|tighten|top up|turn|use|vent|ventilate|wait|warn|wear|wipe"
    r"|write|grease|move|switch|clear|enter|set up|tie))\s+(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_DO_ZH = re.compile(
    r"^(?P<verb>严禁|禁止|不得|不要|请勿|切勿|请|按下|关闭|打开|切断|停止|检查|记录|通知|确认|降低|断开|启动|接通|说明|用)"
    r"(?P<rest>\S+)$"
)
_CONDITION_END = re.compile(r"[,，]\s*(?:then |则)?")
_TRAILING_CONDITION = re.compile(
    r"[,，]?\s+(?P<condition>(?:only )?(?:if|when|unless|until|while|except|provided|without|as long as|only)\b.*)$",
    re.IGNORECASE,
)


class Triple(NamedTuple):
    """One fact. `subject` is "" for an order to the reader; `limit` holds its condition or exception as written."""

    subject: str
    relation: str
    object: str
    limit: str = ""

    @property
    def negated(self) -> bool:
        """Whether the fact says what does not hold or must not be done."""
        return NEGATING.search(self.text()) is not None

    def text(self) -> str:
        """The fact on one line, parts set apart by bars."""
        return " | ".join(part for part in (self.subject, self.relation, self.object, self.limit) if part)


def find_triples(text: str) -> tuple[Triple, ...]:
    """All facts that the rules find in a chunk's text, in reading order, each once."""
    found: dict[Triple, None] = {}
    for table, lines in _blocks(text):
        if table is not None:
            found |= dict.fromkeys(_rows(table))
            continue
        for part in text_parts(lines):
            found |= dict.fromkeys(one for sentence in statement_sentences(part) for one in sentence_triples(sentence))
    return tuple(found)


def sentence_triples(sentence: str) -> tuple[Triple, ...]:
    """Facts of one sentence: those of a known kind of statement, else its subject, verb and rest."""
    sentence = _STEP.sub("", sentence).strip()
    stated = tuple(_stated(sentence))
    if stated:
        return stated
    limit, core = _without_condition(sentence.rstrip(".。!！;； "))
    triple = _order(core, limit) or _clause(core, limit)
    return (triple,) if triple is not None else ()


def _stated(sentence: str) -> list[Triple]:
    """Statements in the manuals' convention, with the relation that they stand for."""
    found = [Triple(one.quantity, "unit", one.unit) for one in find_declarations(sentence)]
    found += [Triple(one.quantity, "formula", one.text) for one in find_formulas(sentence) if one.expression]
    frame = parse_angle_frame(sentence)
    if frame is not None:
        turn = "clockwise" if frame.clockwise else "counter-clockwise"
        found.append(Triple("pointer angle", "counted from", f"{frame.origin_hour} o'clock, {turn}"))
    for name, span in (("formula valid for", parse_validity(sentence)), ("measuring range", parse_range(sentence))):
        if span is not None:
            found.append(Triple("scale", name, f"{span.low:g} to {span.high:g} {span.unit or 'degrees'}"))
    accuracy = parse_accuracy(sentence)
    if accuracy is not None:
        found.append(Triple("error", "permitted", f"{accuracy:g} % of the span"))
    # A statement with a limit of its own is kept whole, so that no part of it is lost.
    return [] if len(found) > 1 or NEGATING.search(sentence) else found


def _blocks(text: str) -> list[tuple[Table | None, str]]:
    blocks: list[tuple[bool, list[str]]] = []
    for line in text.splitlines():
        row = bool(_TABLE_LINE.match(line))
        if not blocks or blocks[-1][0] != row:
            blocks.append((row, []))
        blocks[-1][1].append(line)
    return [(parse_table("\n".join(lines)) if row else None, "\n".join(lines)) for row, lines in blocks]


def _rows(table: Table) -> list[Triple]:
    """A row's first cell is what it speaks of; every other cell is a fact about it, under its column's name."""
    head = table.header
    return [
        Triple(f"{head[0]} {row[0]}".strip(), name, cell)
        for row in table.rows
        for name, cell in zip(head[1:], row[1:], strict=False)
        if row[0] and cell
    ]


def _without_condition(sentence: str) -> tuple[str, str]:
    """The condition that a sentence begins or ends with, and the sentence without it."""
    if CONDITION.match(sentence):
        end = _CONDITION_END.search(sentence)
        if end is not None and sentence[end.end() :].strip():
            return sentence[: end.start()].strip(), sentence[end.end() :].strip()
    trailing = _TRAILING_CONDITION.search(sentence)
    if trailing is not None and sentence[: trailing.start()].strip():
        return trailing.group("condition").strip(), sentence[: trailing.start()].strip()
    return "", sentence


def _order(core: str, limit: str) -> Triple | None:
    match = _DO.match(core) or _DO_ZH.match(core)
    return Triple("", match.group("verb").strip(), match.group("rest").strip(), limit) if match is not None else None


def _clause(core: str, limit: str) -> Triple | None:
    match = _VERB.search(core) or _VERB_ZH.search(core) or _ANY_VERB.search(core)
    if match is None:
        return None
    # What stands before a semicolon speaks of something else.
    subject, rest = re.split(r"[;；]", core[: match.start()])[-1].strip(" ，,"), core[match.end() :].strip()
    return Triple(subject, match.group("verb").strip(), rest, limit) if subject and rest else None


def fact_text(text: str) -> str:
    """A text as its facts, one a line; what no rule takes apart stays as it is."""
    lines: list[str] = []
    for table, block in _blocks(text):
        if table is not None:
            lines += [triple.text() for triple in _rows(table)]
            continue
        for part in text_parts(block):
            found = [one for sentence in statement_sentences(part) for one in sentence_triples(sentence)]
            whole = len(found) == len(statement_sentences(part))
            lines += [triple.text() for triple in found] if whole else [" ".join(part.split())]
    return "\n".join(lines)
