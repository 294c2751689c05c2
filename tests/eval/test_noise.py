"""Noise at four points: logged, drawn from a seed, growing with its level, and never more than it says."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.noise import (
    LEVELS,
    NOISE_OF,
    OCR_RATE,
    Corruption,
    corrupt_anchor,
    corrupt_answer,
    corrupt_chunks,
    corrupt_query,
    corrupt_text,
)
from eval.score import EvalError
from knowledge.articles import Chunk, Language

EN = (
    "Check the warning light of the XYZ-2000: red means 12.5 MPa or more. The manual of 2024-03-01 says so, the 2019 one did not."
)
ZH = "检查 XYZ-2000 的警示灯：红色表示压力高于 12.5 MPa。2024年3月的说明书如此声明。"
TEXT_KINDS = ("synonym", "vague", "numbers_dropped", "ocr", "stale_date")


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


def make_chunk(number: int, text: str = EN, language: Language = "en") -> Chunk:
    return Chunk(
        id=f"doc-{language}:{number}", document=f"doc-{language}", title="T", section="1", section_title="S", text=text,
        language=language, semantic_type="prose", authority="specification", version="1", effective_date=date(2024, 3, 1),
        status="valid", source="doc.md", line=1, paragraph=number,
    )  # fmt: skip


def undo(text: str, log: tuple[Corruption, ...]) -> str:
    """The text before the changes, put back from the end; every change must be found where the log has it."""
    for one in reversed(log):
        at = text.rfind(one.corrupted)
        assert at >= 0
        text = text[:at] + one.original + text[at + len(one.corrupted) :]
    return text


@pytest.mark.parametrize("kind", TEXT_KINDS)
@pytest.mark.parametrize(("text", "language"), [(EN, "en"), (ZH, "zh")])
def test_every_kind_changes_something_and_says_what(kind: str, text: str, language: Language) -> None:
    for level in LEVELS:
        noisy = corrupt_text(rng(), text, kind, level, language)
        assert noisy.text != text
        assert noisy.log
        for one in noisy.log:
            assert one.type == kind
            assert one.original in text
            assert one.original != one.corrupted


@pytest.mark.parametrize("kind", TEXT_KINDS)
def test_a_higher_level_keeps_what_a_lower_one_changed(kind: str) -> None:
    logs = [[one.model_dump_json() for one in corrupt_text(rng(3), EN * 4, kind, level).log] for level in LEVELS]
    for low, high in pairwise(logs):
        assert len(low) <= len(high)
        left = list(high)
        for one in low:
            left.remove(one)


@pytest.mark.parametrize("kind", TEXT_KINDS)
def test_the_same_seed_gives_the_same_noise(kind: str) -> None:
    assert corrupt_text(rng(9), EN, kind, 0.7) == corrupt_text(rng(9), EN, kind, 0.7)


def test_what_each_kind_does() -> None:
    assert "12.5" not in corrupt_text(rng(), EN, "numbers_dropped", 1.0).text
    assert "XYZ-2000" in corrupt_text(rng(), EN, "numbers_dropped", 1.0).text
    vague = corrupt_text(rng(), EN, "vague", 1.0).text
    assert "XYZ-2000" not in vague
    assert "red" not in vague.split()
    stale = corrupt_text(rng(), EN, "stale_date", 1.0)
    years = [int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", stale.text.replace("XYZ-2000", ""))]
    assert 3 <= 2024 - years[0] <= 9
    assert 3 <= 2019 - years[1] <= 9
    assert "12.5 MPa" in stale.text
    assert "XYZ-2000" in stale.text
    assert corrupt_text(rng(), "Check the needle.", "synonym", 1.0).text in ("Verify the pointer.", "Inspect the pointer.")


def test_a_synonym_is_no_change_of_numbers() -> None:
    for text, language in ((EN, "en"), (ZH, "zh")):
        noisy = corrupt_text(rng(), text, "synonym", 1.0, language)  # type: ignore[arg-type]
        assert re.findall(r"\d+", noisy.text) == re.findall(r"\d+", text)


def test_a_poor_scan_confuses_about_the_share_of_characters_it_says() -> None:
    text = "the pressure of the chamber is stated in the manual " * 40
    changed = len(corrupt_text(rng(), text, "ocr", 1.0).log)
    places = sum(text.count(letter) for letter in "lmceuvhitan")
    assert 0.6 * OCR_RATE < changed / places < 1.4 * OCR_RATE


@given(st.text(max_size=120), st.sampled_from(TEXT_KINDS), st.sampled_from(LEVELS), st.sampled_from(["en", "zh"]))
def test_any_text_can_be_made_noisy_and_is_itself_without_changes(text: str, kind: str, level: float, language: Language) -> None:
    noisy = corrupt_text(rng(1), text, kind, level, language)
    assert noisy.log or noisy.text == text
    grown = sum(len(one.corrupted) - len(one.original) for one in noisy.log)
    assert len(noisy.text) == len(text) + grown


def test_the_log_is_enough_to_undo_a_change() -> None:
    noisy = corrupt_text(rng(), EN, "vague", 0.3)
    assert undo(noisy.text, noisy.log) == EN


@pytest.mark.parametrize("kind", NOISE_OF["anchors"])
@pytest.mark.parametrize(
    "pattern", [r"`[^`=]+=[^`]+`", r"(?m)^\| Red \|", r"60 months|2019", r"[Uu]nit of [a-z ]+ is ", r"\d{2}"]
)
def test_a_noisy_anchor_is_still_a_pattern(kind: str, pattern: str) -> None:
    for seed in range(20):
        noisy = corrupt_anchor(rng(seed), pattern, kind, 1.0)
        re.compile(noisy.text)
        assert noisy.log or noisy.text == pattern


def test_what_stands_behind_a_backslash_is_left() -> None:
    assert corrupt_anchor(rng(), r"\c\e\0", "ocr", 1.0).text == r"\c\e\0"


def test_points_have_their_own_kinds() -> None:
    assert corrupt_query(rng(), EN, "vague", 1.0).log
    with pytest.raises(EvalError, match="answer"):
        corrupt_answer(rng(), EN, "vague", 1.0)
    with pytest.raises(EvalError, match="known: synonym"):
        corrupt_anchor(rng(), EN, "distractors", 1.0)
    with pytest.raises(EvalError, match="spelling"):
        corrupt_text(rng(), EN, "spelling", 1.0)


@pytest.mark.parametrize("level", [0.0, -0.1, 1.01, float("nan")])
def test_a_level_outside_is_refused(level: float) -> None:
    with pytest.raises(EvalError, match="level"):
        corrupt_text(rng(), EN, "ocr", level)
    with pytest.raises(EvalError, match="level"):
        corrupt_chunks(rng(), [make_chunk(1)], "redundancy", level)


def test_distractors_are_strangers_and_nothing_is_lost() -> None:
    own = [make_chunk(number) for number in range(4)]
    pool = [*own, *(make_chunk(number, ZH, "zh") for number in range(9))]
    for level, count in zip(LEVELS, (1, 3, 4), strict=True):
        noisy = corrupt_chunks(rng(), own, "distractors", level, pool)
        assert len(noisy.chunks) == 4 + count == 4 + len(noisy.log)
        assert [chunk for chunk in noisy.chunks if chunk in own] == own
        assert {one.corrupted for one in noisy.log} == {chunk.id for chunk in noisy.chunks} - {chunk.id for chunk in own}
    with pytest.raises(EvalError, match="pool"):
        corrupt_chunks(rng(), own, "distractors", 0.7, own)


def test_redundancy_repeats_words_under_another_id() -> None:
    noisy = corrupt_chunks(rng(), [make_chunk(number) for number in range(5)], "redundancy", 1.0)
    assert len(noisy.chunks) == 10
    assert len({chunk.id for chunk in noisy.chunks}) == 10
    assert all(one.corrupted == f"{one.original}~copy" for one in noisy.log)


def test_stale_metadata_leaves_the_words_and_dates_back() -> None:
    before = [make_chunk(number) for number in range(5)]
    noisy = corrupt_chunks(rng(), before, "stale_metadata", 1.0)
    assert [chunk.text for chunk in noisy.chunks] == [chunk.text for chunk in before]
    assert all(chunk.effective_date.year <= 2021 for chunk in noisy.chunks)
    assert {one.original for one in noisy.log} == {"2024-03-01"}
    some = corrupt_chunks(rng(), before, "stale_metadata", 0.3)
    assert 1 <= len(some.log) < 5


def test_noise_in_passages_is_in_their_own_language() -> None:
    noisy = corrupt_chunks(rng(), [make_chunk(1), make_chunk(2, ZH, "zh")], "synonym", 1.0)
    assert [chunk.id for chunk in noisy.chunks] == ["doc-en:1", "doc-zh:2"]
    assert "指示灯" in noisy.chunks[1].text
    assert "warning light" not in noisy.chunks[0].text


def test_nothing_found_stays_nothing() -> None:
    for kind in NOISE_OF["chunks"]:
        assert corrupt_chunks(rng(), [], kind, 1.0) == ((), ())
