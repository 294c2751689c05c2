"""Unit declarations and formulas as manuals write them."""

from __future__ import annotations

import time

import pytest

from knowledge.formula_text import find_bad_formulas, find_formulas
from knowledge.units import find_declarations, leading_unit


@pytest.mark.parametrize(
    ("text", "quantity", "unit"),
    [
        ("The unit of pressure is MPa.", "pressure", "MPa"),
        ("The unit of pressure is MPa (megapascal). More.", "pressure", "MPa"),
        ("The unit of the oil temperature is °C.", "oil temperature", "°C"),
        ("Unit for flow: L/min.", "flow", "L/min"),
        ("The unit of vacuum is in. Hg.", "vacuum", "inHg"),
        ("The unit of speed is r/min, as printed.", "speed", "r/min"),
        ("压力单位为兆帕。", "压力", "MPa"),
        ("压力的单位为 MPa（兆帕）。", "压力", "MPa"),
        ("温度的计量单位一律为：℃。", "温度", "°C"),
        ("电压单位：V", "电压", "V"),
    ],
)
def test_declarations(text: str, quantity: str, unit: str) -> None:
    (found,) = find_declarations(text)
    assert (found.quantity, found.unit) == (quantity, unit)
    assert found.sentence in text


@pytest.mark.parametrize(
    "text",
    [
        "The unit of pressure is unknown.",
        "The unit of the maintenance team is Manual B.",
        "Each unit is tested.",
        "本单位为先进单位。",
        "The hydraulic unit of plant A is closed.",
        "A reading of 5 MPa is fine.",
    ],
)
def test_what_declares_no_known_unit_declares_nothing(text: str) -> None:
    assert find_declarations(text) == ()


def test_several_declarations_across_paragraphs() -> None:
    text = "## 3 Units\n\nThe unit of pressure is bar.\n\n| a | b |\n\nThe unit of flow is gpm."
    assert [(d.quantity, d.unit, d.sentence) for d in find_declarations(text)] == [
        ("pressure", "bar", "The unit of pressure is bar."),
        ("flow", "gpm", "The unit of flow is gpm."),
    ]


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("MPa and more", "MPa"),
        ("m3/h.", "m3/h"),
        ("Manual", None),
        ("V", "V"),
        ("`bar`", "bar"),
        ("", None),
        ("kgf/cm2 x", "kgf/cm2"),
    ],
)
def test_leading_unit_ends_at_a_word_boundary(text: str, unit: str | None) -> None:
    assert leading_unit(text) == unit


@pytest.mark.parametrize(
    ("text", "quantity", "expression", "unit"),
    [
        ("`pressure = (pointer angle - 30) / 2.5`", "pressure", "(angle - 30) / 2.5", None),
        ("`reading = (pointer angle - 30) / 2.5 MPa`", "reading", "(angle - 30) / 2.5", "MPa"),
        ("`压力 = （指针角度 − 30） ÷ 2.5 兆帕`", "压力", "(angle - 30) / 2.5", "MPa"),
        ("`T = (angle – 45) × 160 / 270 °C`", "t", "(angle - 45) * 160 / 270", "°C"),
        ("```text\nflow = 0.5 * needle angle\n```", "flow", "0.5 * angle", None),
    ],
)
def test_formulas(text: str, quantity: str, expression: str, unit: str | None) -> None:
    (found,) = find_formulas(f"The formula is {text}.")
    assert (found.quantity, found.expression, found.unit) == (quantity, expression, unit)


@pytest.mark.parametrize(
    ("text", "quantity", "expression", "unit"),
    [
        ("The formula is pressure = (pointer angle − 30) ÷ 2.5 MPa.", "pressure", "(angle - 30) / 2.5", "MPa"),
        ("Pressure = (angle - 30) / 2.5 (kgf/cm2)", "pressure", "(angle - 30) / 2.5", "kgf/cm2"),
        (
            "The flow follows from flow = 100 × √((pointer angle - 30) / 300) m3/h.",
            "flow",
            "100 * sqrt((angle - 30) / 300)",
            "m3/h",
        ),
        ("`p = 0.0005 × angle² + 0.2 × angle - 6 bar`", "p", "0.0005 * angle**2 + 0.2 * angle - 6", "bar"),
        ("`p = 2 * angle^2`", "p", "2 * angle**2", None),
        ("校准公式为：压力 = (指针角度 - 45) / 27，单位为兆帕。", "压力", "(angle - 45) / 27", "MPa"),
        ("流量 = 100 × √((指针角度 - 30) / 300)。", "流量", "100 * sqrt((angle - 30) / 300)", None),
        ("`flow = digital readout × 10 L/min`", "flow", "digital_readout * 10", "L/min"),
        ("Pressure = (angle - 30) / 2.5 where the angle is in degrees.", "pressure", "(angle - 30) / 2.5", None),
    ],
)
def test_formulas_in_running_text_with_roots_and_powers(text: str, quantity: str, expression: str, unit: str | None) -> None:
    (found,) = find_formulas(text)
    assert (found.quantity, found.expression, found.unit) == (quantity, expression, unit)


@pytest.mark.parametrize(
    ("header", "rows", "points", "quantity", "unit"),
    [
        (
            "Pointer angle | Pressure (MPa)",
            ["30 | 0", "330 | 120", "180 | 60"],
            ((30, 0), (180, 60), (330, 120)),
            "pressure",
            "MPa",
        ),
        ("指针角度 | 压力 / 兆帕", ["30 | 0", "180 | 60", "330 | 120"], ((30, 0), (180, 60), (330, 120)), "压力", "MPa"),
        ("Angle | Flow", ["30° | 0 L/min", "90° | 5 L/min", "200° | 9 L/min"], ((30, 0), (90, 5), (200, 9)), "flow", "L/min"),
        ("Point | Angle | Value", ["a | 30 | -1", "b | 90 | 0", "c | 200 | 2"], ((30, -1), (90, 0), (200, 2)), "value", None),
    ],
)
def test_calibration_tables(
    header: str, rows: list[str], points: tuple[tuple[float, float], ...], quantity: str, unit: str | None
) -> None:
    rule = " | ".join("---" for _ in header.split("|"))
    (found,) = find_formulas("\n".join(f"| {line} |" for line in (header, rule, *rows)))
    assert (found.points, found.quantity, found.unit, found.expression) == (points, quantity, unit, "")


@pytest.mark.parametrize("rows", [["30 | 0", "330 | 120"], ["30 | 0", "30 | 5", "90 | 7"], ["a | 0", "b | 5", "c | 7"]])
def test_what_is_no_calibration_table(rows: list[str]) -> None:
    lines = ("Pointer angle | Pressure", "--- | ---", *rows)
    assert find_formulas("\n".join(f"| {line} |" for line in lines)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "The formula is `p = open('/etc/passwd').read()`.",
        "Use `p = angle.__class__ * 2`.",
        "The formula is p = open('/etc/passwd').",
        "`p = angle ** exp(2)`",
        "校准公式为 `压力 = 指针角度 * __import__('os')`。",
    ],
)
def test_bad_formulas_are_told(text: str) -> None:
    (bad,) = find_bad_formulas(text)
    assert "=" in bad.text
    assert bad.reason


def test_ordinary_text_is_no_bad_formula() -> None:
    for text in ("`mode = 3`", "Set `GAUGE_HOME=/var`.", "At 2 = two it stops (see below).", "`flow = (angle - 3) / 2`"):
        assert find_bad_formulas(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "`x = 3 + 4`",
        "`mode = 3`",
        "`p = __import__('os').system('angle')`",
        "`p = angle ** exp(2)`",
        "`p == angle`",
        "`p = angle / 2 furlong`",
    ],
)
def test_other_code_is_no_formula(text: str) -> None:
    assert find_formulas(text) == ()


def test_long_runs_do_not_take_long() -> None:
    began = time.perf_counter()
    assert find_formulas("`" + " " * 20_000 + "= angle") == ()
    assert find_declarations("unit of " + "a " * 20_000) == ()
    assert find_declarations("单位" * 10_000) == ()
    assert time.perf_counter() - began < 2.0
