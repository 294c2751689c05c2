"""What follows from a photo and its evidence by arithmetic, said in sentences that a report can be held against.

Computed here anew, from the fields that were read and the formula, frame, range, class and limits that the evidence states:
neither the reading's own value nor the report's planning is trusted. What cannot be computed is not said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple, TypeVar

from eval.claims import sentence_spans
from eval.evidence import READING, Fact, make_fact
from eval.quantities import in_unit
from eval.reading_facts import reading_facts, with_intervals
from knowledge.arithmetic import FormulaError
from knowledge.curves import load_curve
from knowledge.formula_text import FormulaText, find_formulas
from knowledge.sentences import parse_table, split_blocks
from knowledge.statements import (
    Band,
    parse_accuracy,
    parse_angle_frame,
    parse_bands,
    parse_range,
    parse_validity,
    statement_sentences,
)
from knowledge.units import find_declarations

T = TypeVar("T")
WITHIN_DEG, DEFAULT_DEG, MOST_DEG = 2.0, 3.0, 20.0
"""A confidence c says "within 2 degrees with probability c"; without one the half width is 3; it is never more than 20."""
SLACK = 1e-3
"""Of a computed value, which the reading rounds differently at most."""
_LEVELS_ZH = {"normal": "正常", "warning": "预警", "alarm": "报警"}
_REMARKS = (("lamp and value contradict each other", "灯色与数值相互矛盾"), ("check both", "两者均需核查"))
_LAMP_LEVEL = {"green": ("warning", "alarm"), "red": ("normal",)}


class Stated(NamedTuple):
    """What the evidence states that arithmetic needs; empty or None where it states none, or two that differ."""

    frame: tuple[int, bool] | None
    validity: tuple[float, float] | None
    formulas: tuple[FormulaText, ...]
    unit: str | None
    span: tuple[float, float, str] | None
    percent: float | None
    bands: tuple[Band, ...]


def derive_facts(instruments: Sequence[Mapping[str, Any]], stated: Stated) -> list[Fact]:
    """Facts of each instrument that follow from its fields and the evidence, in both languages."""
    facts: list[Fact] = []
    for number, one in enumerate(instruments, 1):
        for said in derived_sentences(one, stated, instruments):
            facts += [with_intervals(make_fact(f"{READING}#{number}", span.text)) for span in sentence_spans(said)]
    return facts


def photo_facts(instruments: Sequence[Mapping[str, Any]], texts: Sequence[str]) -> list[Fact]:
    """What a photo bears out together with evidence: the fields, what follows from them, and values that can be trusted.

    A value said to come from the manual's formula is computed again where the evidence holds one that can be: one that does
    not come out is replaced by what does.
    """
    stated = read_statements(texts)
    checked = [_recomputed(one, stated) for one in instruments]
    return [*reading_facts(checked), *derive_facts(checked, stated)]


def _recomputed(one: Mapping[str, Any], stated: Stated) -> Mapping[str, Any]:
    if one.get("value") is None or one.get("value_source") != "calibration_formula":
        return one
    value = computed_value(one, stated)
    told = None if value is None else in_unit(value, stated.unit or one.get("unit"), one.get("unit"))
    if told is None or abs(told - float(one["value"])) <= SLACK * max(1.0, abs(told)):
        return one
    return {**one, "value": told, "value_low": None, "value_high": None}


def read_statements(texts: Iterable[str]) -> Stated:
    """The statements of evidence passages that manuals make in a fixed way."""
    frames: list[tuple[int, bool]] = []
    validities: list[tuple[float, float]] = []
    spans: list[tuple[float, float, str]] = []
    percents: list[float] = []
    units: list[str] = []
    formulas: list[FormulaText] = []
    bands: dict[Band, None] = {}
    for text in texts:
        for sentence in statement_sentences(text):
            frames += [(frame.origin_hour, frame.clockwise)] if (frame := parse_angle_frame(sentence)) else []
            validities += [(valid.low, valid.high)] if (valid := parse_validity(sentence)) else []
            spans += [(span.low, span.high, span.unit)] if (span := parse_range(sentence)) and span.unit else []
            percents += [percent] if (percent := parse_accuracy(sentence)) is not None else []
        units += [one.unit for one in find_declarations(text)]
        formulas += find_formulas(text)
        for block in split_blocks(text):
            table = parse_table(block.text)
            bands |= dict.fromkeys(band for band, _ in parse_bands(table)) if table else {}
    return Stated(
        frame=_agreed(frames),
        validity=_agreed(validities),
        formulas=tuple(dict.fromkeys(formulas)),
        unit=_agreed(units),
        span=_agreed(spans),
        percent=_agreed(percents),
        bands=tuple(bands),
    )


def _agreed(found: Sequence[T]) -> T | None:
    return found[0] if found and len(set(found)) == 1 else None


def derived_sentences(one: Mapping[str, Any], stated: Stated, instruments: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What can be said of one instrument, a language at a time."""
    if one.get("status") == "abstained":
        reason = one.get("reason")
        if reason:
            yield f"This {one.get('kind')} instrument was not read. The reason: {reason}."
            yield f"该仪表未能读数。原因：{reason}。"
        return
    angle = frame_angle(one, stated)
    if angle is not None:
        half = half_width_deg(one)
        yield f"In the manual's frame the pointer stands at {angle:.10g}° ± {half:.4g}°."
        yield f"按说明书的角度约定，指针位于 {angle:.10g}° ± {half:.4g}°。"
    if (one.get("fields") or {}).get("pointer_angle") is not None and not _confidence(one):
        yield "The uncertainty of the pointer angle is an assumed default."
        yield "指针角度的不确定度采用默认值。"
    yield from _computed_sentences(one, stated)
    yield from _accuracy_sentences(one, stated)
    yield from _band_sentences(one, stated, instruments)


def _confidence(one: Mapping[str, Any]) -> float | None:
    found = (one.get("confidence") or {}).get("pointer_angle")
    return None if found is None else float(found)


def frame_angle(one: Mapping[str, Any], stated: Stated) -> float | None:
    """The pointer's angle in the manual's frame, degrees; by a turn up or down where the formula is valid there."""
    fields = one.get("fields") or {}
    if fields.get("pointer_angle") is None or stated.frame is None:
        return None
    seen = float(fields["pointer_angle"])
    hour, clockwise = stated.frame
    from_bottom = 30.0 * (hour - 6)
    angle = (seen - from_bottom if clockwise else from_bottom - seen) % 360.0
    if stated.validity is not None:
        low, high = stated.validity
        return next((turned for turned in (angle, angle - 360.0, angle + 360.0) if low <= turned <= high), angle)
    return angle


def half_width_deg(one: Mapping[str, Any]) -> float:
    """Half the 95 % interval of the pointer's angle, degrees."""
    confidence = _confidence(one)
    if confidence is None:
        return DEFAULT_DEG
    spread = WITHIN_DEG / NormalDist().inv_cdf((1.0 + min(max(confidence, 0.05), 0.999)) / 2.0)
    return min(NormalDist().inv_cdf(0.975) * spread, MOST_DEG)


def computed_value(one: Mapping[str, Any], stated: Stated) -> float | None:
    """The value that the evidence's formula gives for the fields that were read; None without formula, frame or field."""
    fields, angle = one.get("fields") or {}, frame_angle(one, stated)
    known: dict[str, float] = {}
    if angle is not None:
        known["pointer_angle"] = angle
    if fields.get("scale_fraction") is not None:
        known["scale_fraction"] = float(fields["scale_fraction"])
    if re.fullmatch(r"[-+]?\d+(?:\.\d+)?", str(fields.get("digital_readout") or "")):
        known["digital_readout"] = float(fields["digital_readout"])
    values = set()
    for formula in stated.formulas:
        if _FIELD.get(formula.variable, formula.variable) in known:
            try:
                values.add(load_curve(formula.expression, formula.points).evaluate(known))
            except FormulaError:
                continue
    return values.pop() if len(values) == 1 else None


_FIELD = {"angle": "pointer_angle"}
"""Fields by the names that formulas have for them, where the two differ."""
_ORIGINS = {
    "angle": ("the pointer angle", "指针角度"),
    "digital_readout": ("the display", "显示数值"),
    "scale_fraction": ("the pointer's place on the scale", "指针在刻度上的位置"),
}


def _computed_sentences(one: Mapping[str, Any], stated: Stated) -> Iterator[str]:
    """A value that comes out of the evidence's formula, with the formula."""
    if one.get("value") is None or one.get("value_low") is None or computed_value(one, stated) is None:
        return
    value, low, high, unit = one["value"], one["value_low"], one["value_high"], one.get("unit") or ""
    for formula in stated.formulas:
        english, chinese = _ORIGINS[formula.variable]
        way, way_zh = ("calibration table", "校准表") if formula.points else (f"formula {formula.text}", f"公式 {formula.text} ")
        yield (
            f"The reading is {value:.10g} {unit}, between {low:.10g} and {high:.10g} {unit}, computed from {english} with the "
            f"manual's {way}."
        )
        origin = f"由{chinese}按说明书{'的' if formula.points else ''}{way_zh}计算得出"
        yield f"读数为 {value:.10g} {unit}，区间为 {low:.10g} 至 {high:.10g} {unit}，{origin}。"


def _accuracy_sentences(one: Mapping[str, Any], stated: Stated) -> Iterator[str]:
    """The permitted error of the class, and whether the photo's interval is wider."""
    if stated.span is None or stated.percent is None:
        return
    low, high, unit = stated.span
    percent, wide = stated.percent, high - low
    error = wide * percent / 100.0
    yield (
        f"The accuracy class permits an error of {error:.10g} {unit}, that is {percent:.10g} % of the span of {wide:.10g} {unit}."
    )
    yield f"准确度等级允许误差为 {error:.10g} {unit}，即量程 {wide:.10g} {unit} 的 {percent:.10g} %。"
    ends = _interval(one, unit)
    if ends is not None and (ends[1] - ends[0]) / 2 > error:
        half = (ends[1] - ends[0]) / 2
        yield (
            f"The photo's interval of ± {half:.10g} {unit} is wider than this error, so the photo decides less than the "
            "instrument shows."
        )
        yield f"照片读数的区间 ± {half:.10g} {unit} 大于该误差，因此照片的判定不如仪表本身精细。"


def _interval(one: Mapping[str, Any], unit: str | None) -> tuple[float, float] | None:
    """The value's interval in a unit, None where there is no value or the units do not convert."""
    if one.get("value") is None or one.get("value_low") is None or one.get("value_high") is None:
        return None
    ends = [in_unit(float(one[name]), one.get("unit"), unit) for name in ("value_low", "value_high")]
    return None if ends[0] is None or ends[1] is None else (min(ends[0], ends[1]), max(ends[0], ends[1]))


def _band_sentences(one: Mapping[str, Any], stated: Stated, instruments: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The state that the limits give the value, where its whole interval lies in one of them."""
    held = [band for band in stated.bands if (ends := _interval(one, band.unit)) and holds(band, ends)]
    if len(held) != 1:
        return
    (band,) = held
    english, chinese = band_text(band)
    yield f"The value lies in the {band.level} range of the manual, {english}."
    yield f"该数值处于说明书规定的{_LEVELS_ZH[band.level]}范围（{chinese}）。"
    colors = {str((other.get("fields") or {}).get("warning_light_color")) for other in instruments}
    for color, zh in (("red", "红色"), ("green", "绿色")):
        if color in colors and band.level in _LAMP_LEVEL[color]:
            for remark, remark_zh in _REMARKS:
                yield f"The warning light is {color} although the value lies in the {band.level} range: {remark}."
                yield f"数值处于{_LEVELS_ZH[band.level]}范围，警示灯却为{zh}：{remark_zh}。"


def holds(band: Band, ends: tuple[float, float]) -> bool:
    """Whether an interval lies within a band."""
    low, high = ends
    above = band.low is None or low > band.low or (band.low_included and low == band.low)
    below = band.high is None or high < band.high or (band.high_included and high == band.high)
    return above and below


def band_text(band: Band) -> tuple[str, str]:
    """A band in English and in Chinese."""
    unit = band.unit or ""
    if band.low is not None and band.high is not None:
        en, zh = ("", "") if band.low_included else ("above ", "高于 ")
        return f"{en}{band.low:.10g} to {band.high:.10g} {unit}", f"{zh}{band.low:.10g} 至 {band.high:.10g} {unit}"
    if band.low is None:
        en, zh = ("at most", "不高于") if band.high_included else ("below", "低于")
        return f"{en} {band.high:.10g} {unit}", f"{zh} {band.high:.10g} {unit}"
    en, zh = ("at least", "不低于") if band.low_included else ("above", "高于")
    return f"{en} {band.low:.10g} {unit}", f"{zh} {band.low:.10g} {unit}"
