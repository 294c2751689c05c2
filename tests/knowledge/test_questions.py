"""Cleaning of questions keeps what is asked."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.questions import MAX_CHARS, clean_question
from knowledge.search import KnowledgeBase


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Please tell me what the red lamp means, thanks!!!", "what the red lamp means"),
        ("Hello, could you please tell me the unit of pressure? Thank you very much.", "the unit of pressure"),
        ("What does Er2 mean?", "What does Er2 mean"),
        ("请问红灯是什么意思呢？谢谢！", "红灯是什么意思"),
        ("您好，我想知道报警值，急！", "报警值"),
        ("unit_declaration", "unit_declaration"),
        ("is the alarm urgent", "is the alarm urgent"),
        ("What is the alarm limit? Urgent!", "What is the alarm limit"),
        ("停电时怎么应急", "停电时怎么应急"),
        ("the insurgent", "the insurgent"),
        ("  a \t b\x00c \n", "a b c"),
        ("please", "please"),
        ("谢谢", "谢谢"),
        ("???", "???"),
        ("", ""),
    ],
)
def test_cleaning(text: str, clean: str) -> None:
    assert clean_question(text) == clean


@given(st.text(max_size=80))
def test_cleaning_is_stable_and_never_empties_a_question(text: str) -> None:
    cleaned = clean_question(text)
    assert clean_question(cleaned) == cleaned
    assert bool(cleaned) == bool("".join(char for char in text if ord(char) > 31 and not 127 <= ord(char) < 160).strip())


@pytest.mark.parametrize("text", ["!" * 100_000 + "x", "please " * 20_000, "谢" * 50_000, " ," * 50_000])
def test_long_nonsense_is_cut_quickly(text: str) -> None:
    began = time.process_time()
    assert len(clean_question(text)) <= MAX_CHARS
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    ("plain", "chatty"),
    [
        ("what the red lamp means", "Hello, please tell me what the red lamp means, thank you very much!"),
        ("红灯是什么意思", "您好，请问红灯是什么意思呢？谢谢您！"),
    ],
)
def test_chatter_does_not_change_the_answer(kb: KnowledgeBase, plain: str, chatty: str) -> None:
    assert kb.search(chatty, model="XYZ-2000") == kb.search(plain, model="XYZ-2000")
