"""Evidence cut into facts: sentences and table rows with their clauses, terms and quantities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from eval.claims import Claim, Language, Span, extract_claims, language_of, sentence_spans
from eval.quantities import Quantity, units_in

READING = "photo"
_TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$")
_TABLE_RULE = re.compile(r"^\s*\|[\s:|-]+\|\s*$")
_HEADING = re.compile(r"^#{1,6}\s")


class Fact(NamedTuple):
    """One sentence, table row or pair of neighbouring sentences of the evidence.

    `clauses` are its claims, `terms` all its words in both languages' normal forms, `units` those that its
    surroundings name.
    """

    source: str
    text: str
    language: Language
    clauses: tuple[Claim, ...]
    terms: frozenset[str]
    quantities: tuple[Quantity, ...]
    units: frozenset[str]


@lru_cache(maxsize=512)
def text_facts(source: str, text: str) -> tuple[Fact, ...]:
    """Facts of a text: each sentence, each table row with its header, each pair of neighbouring sentences.

    Kept for the last texts: a server holds the same few chunks against every report.
    """
    units = units_in(text)
    sentences = [make_fact(source, span.text, units) for span in _prose(text)]
    pairs = [_joined(first, second) for first, second in pairwise(sentences)]
    rows = [_row_fact(source, row, units) for row in table_rows(text)]
    return (*sentences, *rows, *pairs)


def make_fact(source: str, text: str, units: frozenset[str] = frozenset()) -> Fact:
    """A fact of one sentence."""
    clauses = extract_claims(text)
    quantities = tuple(quantity for clause in clauses for quantity in clause.quantities)
    return Fact(source, text, language_of(text), clauses, all_terms(text), quantities, units | units_in(text))


def _row_fact(source: str, row: str, units: frozenset[str]) -> Fact:
    """A table row: every cell speaks of what the first one names."""
    fact = make_fact(source, row, units)
    key = all_terms(re.split(r"[;；]", row, maxsplit=1)[0])
    clauses = tuple(clause.model_copy(update={"subject_terms": clause.subject_terms | key}) for clause in fact.clauses)
    return fact._replace(clauses=clauses)


def all_terms(text: str) -> frozenset[str]:
    """Terms of a text in either language."""
    from eval.claims_en import english_terms
    from eval.claims_zh import chinese_terms

    return chinese_terms(text) if language_of(text) == "zh" else english_terms(text) | chinese_terms(text)


def table_rows(text: str) -> list[str]:
    """Rows of Markdown tables as sentences that carry their header: `Colour red; Meaning stop.`"""
    rows: list[str] = []
    header: list[str] | None = None
    for line in text.splitlines():
        if not _TABLE_ROW.match(line):
            header = None
        elif header is None:
            header = _cells(line)
        elif not _TABLE_RULE.match(line):
            named = zip(header, _cells(line), strict=False)
            mark, stop = ("；", "。") if language_of(line) == "zh" else ("; ", ".")
            rows.append(mark.join(f"{name}: {cell.rstrip('.。')}" for name, cell in named if cell) + stop)
    return rows


def reading_facts(instruments: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """What the photo itself bears out: the reading of each instrument, said in both languages."""
    facts: list[Fact] = []
    for number, instrument in enumerate(instruments, 1):
        for said in (" ".join(_reading_english(instrument)), "".join(_reading_chinese(instrument))):
            sentences = [_with_intervals(make_fact(f"{READING}#{number}", span.text)) for span in sentence_spans(said)]
            facts += sentences
            if len(sentences) > 1:
                facts.append(_joined(*sentences))
    return facts


def _with_intervals(fact: Fact) -> Fact:
    """Ranges of a reading are its uncertainty or its scale: no number within them is thereby said to be shown."""

    def marked(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
        return tuple(q.model_copy(update={"bound": "interval"}) if q.low < q.high else q for q in quantities)

    clauses = tuple(clause.model_copy(update={"quantities": marked(clause.quantities)}) for clause in fact.clauses)
    return fact._replace(clauses=clauses, quantities=marked(fact.quantities))


def _joined(*facts: Fact) -> Fact:
    return Fact(
        source=facts[0].source,
        text=" ".join(fact.text for fact in facts),
        language=facts[0].language,
        clauses=tuple(clause for fact in facts for clause in fact.clauses),
        terms=frozenset().union(*(fact.terms for fact in facts)),
        quantities=tuple(quantity for fact in facts for quantity in fact.quantities),
        units=frozenset().union(*(fact.units for fact in facts)),
    )


def joined(fact: Fact, others: Iterable[Fact]) -> Fact:
    """The fact with further words and quantities; source and clauses stay its own."""
    rest = list(others)
    whole = _joined(fact, *rest)
    return whole._replace(text=fact.text, clauses=fact.clauses, language=fact.language)


def _prose(text: str) -> list[Span]:
    plain = "\n".join("" if _TABLE_ROW.match(line) or _HEADING.match(line) else line for line in text.splitlines())
    return list(sentence_spans(plain))


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("*` ") for cell in line.strip().strip("|").split("|")]


_SOURCES_EN = {
    "calibration_formula": "the pointer angle with the calibration formula of the manual",
    "numerals": "the printed numbers",
    "printed_scale": "the printed scale",
    "digits": "the digits of the display",
}
_SOURCES_ZH = {
    "calibration_formula": "指针角度和说明书公式",
    "numerals": "印刷数字",
    "printed_scale": "印刷刻度",
    "digits": "显示数字",
}


def _reading_english(one: Mapping[str, Any]) -> list[str]:
    fields, unit = one.get("fields") or {}, one.get("unit") or ""
    said = [f"The instrument is a {one.get('kind')}{_named(one, ' of model ')}."]
    if one.get("value") is not None:
        low, high = _number(one.get("value_low")), _number(one.get("value_high"))
        origin = _SOURCES_EN.get(str(one.get("value_source")), "the photo")
        said.append(f"The reading is {_number(one['value'])} {unit}, between {low} and {high} {unit}, taken from {origin}.")
    if fields.get("pointer_angle") is not None:
        angle = _number(fields["pointer_angle"])
        said.append(
            f"The pointer angle of the needle is {angle} degrees, the pointer stands at {angle}° clockwise from 6 o'clock."
        )
        if (one.get("confidence") or {}).get("pointer_angle") is not None:
            said.append("The uncertainty of the pointer angle comes from the reader's own confidence.")
    if fields.get("scale_min") is not None and fields.get("scale_max") is not None:
        scale_unit = fields.get("unit") or ""
        said.append(f"The printed scale runs from {_number(fields['scale_min'])} to {_number(fields['scale_max'])} {scale_unit}.")
    if fields.get("unit"):
        said.append(f"The unit printed on the face is {fields['unit']}.")
    if fields.get("warning_light_color"):
        said.append(f"The colour of the warning light lamp is {fields['warning_light_color']}.")
    if fields.get("mode_dial_position") is not None:
        said.append(f"The mode selector dial stands at position {fields['mode_dial_position']}.")
    if fields.get("digital_readout"):
        said.append(f"The display shows the digits {fields['digital_readout']} {unit}.")
    return said


_COLORS_ZH = {"red": "红色", "yellow": "黄色", "green": "绿色", "off": "熄灭"}


def _reading_chinese(one: Mapping[str, Any]) -> list[str]:
    fields, unit = one.get("fields") or {}, one.get("unit") or ""
    said = [f"仪表型号为{one['instrument_model']}。"] if one.get("instrument_model") else []
    if one.get("value") is not None:
        low, high = _number(one.get("value_low")), _number(one.get("value_high"))
        origin = _SOURCES_ZH.get(str(one.get("value_source")), "照片")
        said.append(f"读数为 {_number(one['value'])} {unit}，区间为 {low} 至 {high} {unit}，取自{origin}。")
    if fields.get("pointer_angle") is not None:
        angle = _number(fields["pointer_angle"])
        said.append(f"指针角度为 {angle} 度。指针位于从6点钟方向顺时针 {angle} 度处。")
        if (one.get("confidence") or {}).get("pointer_angle") is not None:
            said.append("指针角度的不确定度来自识别置信度。")
    if fields.get("scale_min") is not None and fields.get("scale_max") is not None:
        said.append(f"印刷刻度为 {_number(fields['scale_min'])} 至 {_number(fields['scale_max'])} {fields.get('unit') or ''}。")
    if fields.get("unit"):
        said.append(f"表盘上印刷的单位为 {fields['unit']}。")
    if fields.get("warning_light_color"):
        said.append(f"警示灯为{_COLORS_ZH.get(fields['warning_light_color'], fields['warning_light_color'])}。")
    if fields.get("mode_dial_position") is not None:
        said.append(f"模式旋钮位置为 {fields['mode_dial_position']}。")
    if fields.get("digital_readout"):
        said.append(f"显示屏显示 {fields['digital_readout']} {unit}，显示数字为 {fields['digital_readout']} {unit}。")
    return said


def _named(one: Mapping[str, Any], words: str) -> str:
    return f"{words}{one['instrument_model']}" if one.get("instrument_model") else ""


def _number(value: Any) -> str:
    """The number with all its digits: rounding is the report's right, not the evidence's."""
    return f"{float(value):.10g}" if value is not None else "?"
