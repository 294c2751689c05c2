"""Every reason that the reader can give has a Chinese text, and what is unknown is shown as it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vision
from knowledge.search import KnowledgeBase
from rag.pipeline import Pipeline
from rag.reasons import localize_reason
from tests.rag.builders import make_photo, make_reading
from vision.doubts import DOUBTS, why_not_stated
from vision.possible import why_impossible

VISION = Path(str(vision.__file__)).parent
GIVING_REASONS = (
    *("cluster", "crop_reading", "dial_value", "digits", "display_folds", "display_value", "doubts", "judge", "looked"),
    *("possible", "reader", "scale_witness"),
)
"""Modules of the reader whose texts become reasons. Photos that cannot be opened (`photos`) get no report."""
CLASSES = ("colour of the lamp", "selector's position")
PARTS = (
    *("the 7 is not clear (confidence 7)", "pointer_angle_by_points", "7 read on the face"),
    *("only 1 number was", "only 2 numbers were", *CLASSES),
)
"""Texts that are put into a reason, or have others put in, and are none themselves."""
PUT_TOGETHER = tuple(f"the {what} is not clear (confidence 7)" for what in CLASSES) + tuple(
    f"{count} read on the face" for count in ("no number was", "only 1 number was", "only 2 numbers were")
)


def literals(module: str) -> Iterator[str]:
    """Texts of a module that read like a sentence, their slots filled with 7: not docstrings, not errors, not log lines."""
    tree = ast.parse((VISION / f"{module}.py").read_text(encoding="utf-8"))
    passed: set[ast.AST] = set()
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_log = (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("debug", "info", "warning")
        )
        if is_text or is_log or isinstance(node, ast.Raise):
            passed |= set(ast.walk(node))
        if isinstance(node, ast.JoinedStr) and node not in passed:
            passed |= set(ast.walk(node)) - {node}
            parts = (part.value if isinstance(part, ast.Constant) else "7" for part in node.values)
            text = "".join(str(part) for part in parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in passed:
            text = node.value
        else:
            continue
        if len(re.findall(r"[A-Za-z']+", text)) >= 4 and text not in PARTS:
            yield text


EVERY_REASON = sorted({text for module in GIVING_REASONS for text in literals(module)})


def test_the_list_of_modules_is_complete() -> None:
    naming = {
        path.stem
        for path in VISION.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "reason" and not isinstance(node.value, ast.Attribute)
    }
    assert naming - {"photos"} <= set(GIVING_REASONS)


def test_reasons_are_found_at_all() -> None:
    assert len(EVERY_REASON) > 35
    assert "the needle was not found on the dial" in EVERY_REASON


@pytest.mark.parametrize("reason", [*EVERY_REASON, *PUT_TOGETHER])
def test_every_reason_has_a_chinese_text(reason: str) -> None:
    shown = localize_reason(reason, "zh")
    assert re.search(r"[\u4e00-\u9fff]", shown), shown
    assert not re.search(r"[A-Za-z]{2,}", shown), shown
    assert shown.count("7") == reason.count("7")
    assert localize_reason(reason, "en") == reason


@pytest.mark.parametrize("name", sorted(DOUBTS))
def test_a_doubt_with_its_probability(name: str) -> None:
    signals = DOUBTS[name][1]
    source = "digits" if name == "digits" else "numerals"
    reason = why_not_stated(source, dict.fromkeys(signals, -1.0), 0.123)
    shown = localize_reason(reason, "zh")
    assert shown.endswith("（给出的数值只有 12% 的概率正确）")
    assert not re.search("[A-Za-z]", shown)


@pytest.mark.parametrize(("value", "unit"), [(-2.0, "bar"), (-300.0, "°C"), (120.0, "% RH")])
def test_an_impossible_value(value: float, unit: str) -> None:
    reason = why_impossible(value, unit)
    assert reason is not None
    shown = localize_reason(reason, "zh")
    assert shown.startswith(f"{value:g} {unit} 不可能出现：")
    assert not re.search("[a-z]{4,}", shown)


def test_joined_reasons_are_told_one_by_one() -> None:
    joined = "this looks like a clock; clocks are not read; the needle was not found on the dial"
    assert localize_reason(joined, "zh") == "这看起来是时钟，时钟不予读数；表盘上没有找到指针"


def test_a_reason_within_a_reason() -> None:
    nested = "from the printed scale as the model reads it; only 2 numbers were read on the face"
    assert localize_reason(nested, "zh") == "数值取自识别模型读出的印刷刻度；表盘上只读出 2 个数字"


def test_an_unknown_reason_is_shown_as_it_is() -> None:
    assert localize_reason("the glass is dirty", "zh") == "the glass is dirty"
    half = localize_reason("the glass is dirty; glare lies over the needle", "zh")
    assert half == "the glass is dirty；指针处有反光"


def test_no_reason_is_said_to_be_none() -> None:
    for text in (None, "", " \u200b ", "。"):
        assert localize_reason(text, "zh") == "未给出原因"
        assert localize_reason(text, "en") == "no reason was given"


def test_a_slot_in_a_reason_is_no_slot() -> None:
    assert "{value}" in localize_reason("the looks at the display disagree: {value}", "zh")


@given(st.text(max_size=300), st.sampled_from(["en", "zh"]))
def test_any_text_has_an_answer(text: str, language: str) -> None:
    assert localize_reason(text, "zh" if language == "zh" else "en").strip()


def test_a_long_reason_is_told_quickly() -> None:
    assert localize_reason("; ".join(["glare lies over the needle"] * 400), "zh")
    assert localize_reason("over " * 4000 + "; a cannot be: " * 50, "zh")


@pytest.mark.parametrize("kind", ["dial", "selector", "lamp", "digital"])
def test_a_chinese_report_says_why_in_chinese(pipeline: Pipeline, corpus_kb: KnowledgeBase, kind: str) -> None:
    assert corpus_kb.models()
    reason = "the selector's position is not clear (confidence 0.41)"
    run = pipeline.run(make_photo(make_reading(kind, None, status="abstained", reason=reason)), "zh")
    assert run.document is not None
    (said,) = run.document.statements
    assert said.supported
    assert "旋钮位置不明确（置信度 0.41）" in said.text
    assert not re.search("[A-Za-z]{3,}", said.text)
