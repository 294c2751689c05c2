"""The domain suite: built by rule, bit-identical, halves of whole models, and scores that count what they say."""

from __future__ import annotations

import pytest

from eval.bench_domain import bench_domain
from eval.bench_report_lies import half_of
from eval.domain_suite import SuiteOptions, build_suite, digest, load_options
from eval.probe_scores import FLOOR
from eval.score import EvalError
from knowledge.articles import Chunk
from serve.commands.domain_text import domain_text
from tests.rag.builders import make_chunk

ENGLISH = (
    "The measuring range is 0 to 120 MPa.\nIf the red lamp is lit, close the supply valve at once.\n"
    "Do not open the relief valve above 5 bar.\nThe pointer stands to the left of the mark before the pump is started."
)
CHINESE = (
    "测量范围为 0 至 120 MPa。\n如果红色指示灯亮，应立即关闭进口阀。\n"
    "压力高于 5 bar 时不得打开安全阀。\n启动水泵之前，指针位于左侧刻线。"
)
MODELS = ("XYZ-2000", "BT-160", "SD-6", "RS-5")


def chunks() -> list[Chunk]:
    made = []
    for model in MODELS:
        for language, text in (("en", ENGLISH), ("zh", CHINESE)):
            # Each model's own sentences: the suite takes a sentence once.
            own = text.replace("120", str(100 + len(model) * 7 + ord(model[0]))).replace("5 bar", f"{ord(model[1]) % 7 + 2} bar")
            own = own.replace("lamp", f"lamp of {model}").replace("指示灯", f" {model} 指示灯")
            made.append(
                make_chunk(f"{model}-{language}", own, language=language, models=(model,), document=f"{model}-{language}")
            )
    return made


def small(**changes: object) -> SuiteOptions:
    return SuiteOptions.model_validate({**load_options().model_dump(), "faithful": 40, "corrupted": 40, "passages": 2} | changes)


def test_twenty_kinds_or_more_and_all_exist() -> None:
    kinds = load_options().kinds
    assert len({kind.name for kind in kinds}) == len(kinds) >= 20
    assert load_options().family_of("unit_dropped") == "unit"
    assert load_options().family_of("synonym") is None
    with pytest.raises(EvalError, match="invented_kind"):
        _ = small(families={"number": ["invented_kind"]}).kinds


def test_the_same_corpus_gives_the_same_bytes() -> None:
    first, again = build_suite(chunks(), small()), build_suite(chunks(), small())
    assert first == again
    assert digest(first) == digest(again) != digest(first[1:])


def test_items_are_what_they_say() -> None:
    items = build_suite(chunks(), small())
    assert {item.language for item in items} == {"en", "zh"}
    assert {item.faithful for item in items} == {True, False}
    for item in items:
        assert item.half == half_of(item.owner)
        assert any(item.original in passage for passage in item.passages)
        assert item.faithful or item.text != item.original
        assert (item.kind == "same") == (item.text == item.original)
    assert len({(item.text, item.kind) for item in items}) == len(items)


def test_no_more_than_asked_for_and_no_repeats_where_the_corpus_is_small() -> None:
    items = build_suite(chunks(), small(faithful=8, corrupted=8))
    assert sum(item.faithful for item in items) <= 8
    assert build_suite([], small()) == ()


def test_scores_count_what_was_judged_rightly() -> None:
    items = build_suite(chunks(), small())
    scores = bench_domain(items, rounds=20, progress=False, options=small())
    assert scores.n == len(items) == sum(kind.right.n for kind in scores.kinds)
    assert {one.probe for one in scores.aurocs} == {FLOOR, "fci", "worst support"}
    strict = scores.caught(("number", "unit", "negation"))
    assert strict.n > 10
    assert strict.value >= 0.95, [kind.wrong for kind in scores.kinds if kind.wrong]
    assert scores.caught((None,)).n == sum(item.faithful for item in items)
    text = domain_text(scores)
    assert scores.digest in text
    assert "target" in text
