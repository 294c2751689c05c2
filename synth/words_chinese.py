"""Chinese print: names of instruments, makers built from parts, units and marks as Chinese faces carry them.

Makers are invented: a word of two signs that stands for no place and no firm, and what the works make.
"""

from __future__ import annotations

import numpy as np

TITLES = {
    "pressure": (
        "压力表",
        "氨压力表",
        "真空表",
        "压力真空表",
        "氧气压力表",
        "耐震压力表",
        "不锈钢压力表",
        "精密压力表",
        "电接点压力表",
        "差压表",
        "膜盒压力表",
        "六氟化硫气体密度继电器",
        "气体密度表",
        "油压表",
        "水压表",
    ),
    "temperature": ("温度计", "双金属温度计", "油温", "油面温度", "绕组温度", "绕组温度计", "油温计", "室温", "温湿度计"),
    "electric": ("交流", "直流", "整流系", "电磁系", "一次回路"),
    "other": ("一号机", "二号泵", "主轴", "进口", "出口"),
}
UNIT_TITLES = {
    "A": ("电流表", "交流电流表", "安培表"),
    "mA": ("毫安表", "电流表", "泄漏电流"),
    "kA": ("电流表", "千安表"),
    "V": ("电压表", "交流电压表", "直流电压表"),
    "mV": ("毫伏表",),
    "kV": ("电压表", "千伏表"),
    "Hz": ("频率表",),
    "kW": ("功率表", "有功功率表"),
    "% RH": ("湿度计", "温湿度计"),
    "r/min": ("转速表",),
    "km/h": ("车速表",),
    "L/min": ("流量计",),
    "m3/h": ("流量计",),
    "gpm": ("流量计",),
    "cc": ("气体容积",),
    "inHg": ("真空表",),
    "mmHg": ("真空表", "压力真空表"),
}
"""Names of instruments by what they measure, where the unit says it; other units leave it to the topic."""
UNITS = {
    "MPa": ("兆帕", "MPa"),
    "kPa": ("千帕", "kPa"),
    "Pa": ("帕", "Pa"),
    "bar": ("巴", "bar"),
    "kgf/cm2": ("公斤/厘米²", "kgf/cm²"),
    "mmHg": ("毫米汞柱",),
    "°C": ("℃", "摄氏度"),
    "A": ("安", "安培"),
    "mA": ("毫安", "mA"),
    "kA": ("千安", "kA"),
    "V": ("伏", "伏特"),
    "kV": ("千伏", "kV"),
    "mV": ("毫伏",),
    "Hz": ("赫", "赫兹"),
    "kW": ("千瓦",),
    "r/min": ("转/分",),
    "L/min": ("升/分",),
    "m3/h": ("米³/时",),
    "km/h": ("公里/时",),
    "% RH": ("%RH", "湿度 %"),
}
"""Canonical unit -> its spellings on Chinese faces."""

WARNINGS = ("禁油", "严禁沾油", "防爆", "充油", "报警", "闭锁", "额定压力", "注意安全", "小心烫伤", "高压危险")
SMALL = ("中国制造", "出厂编号", "检定合格", "合格", "精度等级", "防护等级 IP65", "使用环境 -40~70℃", "外壳材质 304", "介质 油")
LAMP_LABELS = ("运行", "报警", "跳闸", "重合", "合位", "跳位", "电源", "故障", "风机", "储能", "远方", "就地", "停止", "启动")
BUTTON_LABELS = ("复位", "设定", "确定", "增加", "减少", "消音", "查询", "风机", "手动", "自动", "最大值", "通道")
MODES = (("分", "合"), ("远方", "就地"), ("手动", "停", "自动"), ("停止", "低速", "中速", "高速"))
_HEADS = ("某", "东", "新", "明", "华", "正", "恒", "宏", "永", "泰", "瑞", "嘉", "德", "科", "远", "金", "天", "鼎", "和", "安")
_MIDDLES = ("测", "衡", "仪", "量", "准", "示", "针", "度", "尺", "盘")
_WORKS = ("仪表厂", "仪器仪表有限公司", "自动化仪表厂", "压力表厂", "电气有限公司", "精密仪表厂", "测控设备厂", "电力技术公司")


def _pick(rng: np.random.Generator, items: tuple[str, ...]) -> str:
    return items[int(rng.integers(len(items)))]


def maker(rng: np.random.Generator) -> str:
    """An invented maker's line."""
    return _pick(rng, _HEADS) + _pick(rng, _MIDDLES) + _pick(rng, _WORKS)


def title(rng: np.random.Generator, topic: str, unit: str | None) -> str:
    """What the instrument is called: never the name of another quantity than its unit's."""
    return _pick(rng, UNIT_TITLES.get(unit or "") or TITLES[topic])


def licence(rng: np.random.Generator) -> str:
    """A manufacturing licence number: a made-up region sign and digits."""
    head = _pick(rng, _HEADS)
    return f"{head}制{int(rng.integers(10**7, 10**8)):08d}{'号' if rng.random() < 0.5 else ''}"


def serial(rng: np.random.Generator) -> str:
    """A serial number's line."""
    number = int(rng.integers(100, 10**7))
    return f"{_pick(rng, ('编号', '编号:', '出厂编号', 'No.'))} {number}"


def year_line(rng: np.random.Generator) -> str:
    return f"{int(rng.integers(1988, 2026))}年{int(rng.integers(1, 13))}月"


def small_line(rng: np.random.Generator, topic: str) -> str:
    """A line of small print."""
    kind = int(rng.integers(6))
    if kind == 0:
        return maker(rng)
    if kind == 1:
        return licence(rng)
    if kind == 2:
        return serial(rng)
    if kind == 3:
        return year_line(rng)
    return _pick(rng, WARNINGS if kind == 4 and topic != "temperature" else SMALL)


def unit_text(rng: np.random.Generator, unit: str) -> str | None:
    """A Chinese face's spelling of a canonical unit, or None where there is none of its own."""
    texts = UNITS.get(unit)
    return None if texts is None else _pick(rng, texts)


def all_texts() -> tuple[str, ...]:
    """Every word and part that this file prints: the fonts must have all of their signs."""
    lines = [line for group in (*TITLES.values(), *UNIT_TITLES.values(), *UNITS.values(), *MODES) for line in group]
    parts = (*WARNINGS, *SMALL, *LAMP_LABELS, *BUTTON_LABELS, *_HEADS, *_MIDDLES, *_WORKS)
    return (*lines, *parts, "编号:0123456789制号年月")
