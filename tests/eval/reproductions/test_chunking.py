"""Claims about cutting, on a manual whose windows are known to tear it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from eval.query_set import Answer, QueryCase
from eval.reproductions.chunking import (
    COHERENT,
    SHORT,
    Cut,
    ask,
    coherent_chunks,
    embed,
    fixed_windows,
    short_windows,
    torn_conditions,
    whole_answer,
)
from eval.score import EvalError
from knowledge.articles import Article, parse_article
from knowledge.chunks import TARGET_CHARS, build_chunks
from knowledge.embedder import Vectors
from tests.serve.doubles import HashEmbedder

HEAD = """---
id: ab-1-en
title: AB-1 Manual
models: [AB-1]
language: en
authority: specification
status: valid
version: "1.0"
effective_date: 2024-02-01
---
# AB-1 Manual

"""
FILL = "The instrument stands on a plate of steel beside the pump and is painted grey. "
CONDITION = "If the pressure rises above 16 bar, stop the pump and open the valve. Otherwise note the value in the record."
TABLE = "| Lamp | Meaning |\n|---|---|\n| Red | Over-pressure |\n| Green | Normal |"


def article(filling: int) -> Article:
    """A manual whose condition begins after `filling` characters of prose."""
    prose = (FILL * (filling // len(FILL) + 1))[:filling].rsplit(".", 1)[0] + "."
    return parse_article(f"{HEAD}## 1 Place\n\n{prose}\n\n## 2 Limits\n\n{CONDITION}\n\n{TABLE}\n", "ab-1-en.md")


def case(text: str, anchor: str, section: str = "2") -> QueryCase:
    answer = Answer(document="ab-1-en", section=section, anchor=anchor)
    return QueryCase(id="q", slice="english", language="en", text=text, answers=(answer,), authority="ab-1-en", model="AB-1")


STOP = case("When is the pump stopped?", "above 16 bar")
RED = case("What does red mean?", "Over-pressure")


def test_windows_lose_nothing_and_are_full() -> None:
    manual = article(1300)
    windows = fixed_windows(manual)
    assert len(windows) == -(-sum(len(s.title) + len(s.text) + 3 for s in manual.sections) // TARGET_CHARS)
    assert all(len(window.text) <= TARGET_CHARS for window in windows)
    joined = "".join("".join(window.text.split()) for window in windows)
    assert "".join(CONDITION.split()) in joined
    assert len({window.id for window in windows}) == len(windows)
    assert windows[0].section == manual.sections[0].number
    assert windows[-1].section == "2"


def test_a_window_tears_a_condition_where_a_chunk_does_not() -> None:
    torn = [
        filling for filling in range(400, 700, 40) if any(torn_conditions([article(filling)], fixed_windows(article(filling))))
    ]
    assert torn, "a window of 700 characters ends inside the condition for some of these"
    for filling in range(400, 700, 40):
        assert not any(torn_conditions([article(filling)], build_chunks(article(filling))))
    assert torn_conditions([article(400)], []) == [True]


def test_what_must_stand_together_for_an_answer() -> None:
    manual = article(300)
    assert whole_answer(STOP, [manual]) == (CONDITION,)
    assert whole_answer(RED, [manual]) == ("| Lamp | Meaning |", "| Red | Over-pressure |")
    assert whole_answer(case("?", "blue"), [manual]) == ()
    assert whole_answer(case("?", "above 16 bar", section="1"), [manual]) == ()
    assert whole_answer(STOP, []) == ()


class Words:
    """Vectors of words: texts with the same words are near each other."""

    name, dimension = "words", 512

    def encode(self, texts: Sequence[str]) -> Vectors:
        vectors = np.full((len(texts), self.dimension), 1e-6, np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().replace(".", " ").replace("|", " ").split():
                vectors[row, sum(map(ord, word)) % self.dimension] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_an_answer_is_found_whole_or_torn() -> None:
    chunks = build_chunks(article(300))
    cut = embed(chunks, Words())
    question = Words().encode([CONDITION])[0]
    assert ask(cut, STOP, question, (CONDITION,)) == (True, True)
    assert ask(cut, STOP, question, (CONDITION, "and something that stands elsewhere")) == (True, False)
    half = Cut(tuple(c.model_copy(update={"text": c.text[:60]}) for c in chunks), cut.vectors)
    assert ask(half, STOP, question, (CONDITION,)) == (True, False)
    foreign = Cut(tuple(c.model_copy(update={"models": ("CD-2",)}) for c in chunks), cut.vectors)
    assert ask(foreign, STOP, question, (CONDITION,), depth=0) == (False, False)


def test_short_windows_are_as_long_as_chunks_on_average() -> None:
    manual = article(1300)
    chunks, windows = build_chunks(manual), short_windows(manual)
    mean = sum(len(chunk.text) for chunk in chunks) / len(chunks)
    assert max(len(window.text) for window in windows) <= mean + 1
    assert "".join(CONDITION.split()) in "".join("".join(window.text.split()) for window in windows)


def test_the_claim_holds_where_windows_tear_every_answer() -> None:
    filling = next(f for f in range(160, 2400, 79) if any(torn_conditions([article(f)], short_windows(article(f)))))
    claim = coherent_chunks([article(filling)], [STOP] * 20, Words())
    whole = {one.setting: one.share.value for one in claim.points if one.what.startswith("whole")}
    assert (whole[COHERENT], whole[SHORT], len(whole)) == (1.0, 0.0, 3)
    assert claim.verdict == "holds"
    assert "0 in chunks" in claim.said
    assert claim == coherent_chunks([article(filling)], [STOP] * 20, Words())
    with pytest.raises(EvalError, match="no question"):
        coherent_chunks([article(filling)], [case("?", "blue")], HashEmbedder())
