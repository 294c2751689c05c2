"""What a photo bears out by itself: its reading, said in sentences that a report can be held against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eval.claims import sentence_spans
from eval.evidence import READING, Fact, join_facts, make_fact
from eval.quantities import Quantity


def reading_facts(instruments: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """What the photo itself bears out: the reading of each instrument, said in both languages."""
    facts: list[Fact] = []
    for number, instrument in enumerate(instruments, 1):
        for said in (" ".join(_reading_english(instrument)), "".join(_reading_chinese(instrument))):
            sentences = [with_intervals(make_fact(f"{READING}#{number}", span.text)) for span in sentence_spans(said)]
            facts += sentences
            if len(sentences) > 1:
                facts.append(join_facts(*sentences))
    return facts


def with_intervals(fact: Fact) -> Fact:
    """The fact with its ranges as intervals: a reading's ranges are its uncertainty or its scale, and no number within them
    is thereby said to be shown."""

    def marked(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
        return tuple(q.model_copy(update={"bound": "interval"}) if q.low < q.high else q for q in quantities)

    clauses = tuple(clause.model_copy(update={"quantities": marked(clause.quantities)}) for clause in fact.clauses)
    return fact._replace(clauses=clauses, quantities=marked(fact.quantities))


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
        between = f", between {low} and {high} {unit}" if "?" not in (low, high) else ""
        said.append(f"The reading is {_number(one['value'])} {unit}{between}, taken from {origin}.")
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
        between = f"，区间为 {low} 至 {high} {unit}" if "?" not in (low, high) else ""
        said.append(f"读数为 {_number(one['value'])} {unit}{between}，取自{origin}。")
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
