"""One batched call: what prompts share is read once, rows end where their sentences do, text is heard as it grows."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rag.context import chat_ids
from rag.local_model import _row_streamer, _sentence_stop, common_start, first_sentences, padded
from rag.prompt import Message


@pytest.mark.parametrize(
    ("prompts", "length"), [([[1, 2, 3], [1, 2, 4]], 2), ([[1, 2], [1, 2, 3]], 1), ([[1, 2, 3]], 2), ([[1], [2]], 0)]
)
def test_common_start_leaves_a_token_to_read(prompts: list[list[int]], length: int) -> None:
    assert common_start(prompts) == length


@given(st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=6), min_size=1, max_size=5))
def test_padding_loses_nothing_and_every_row_ends_with_its_own_last_token(prompts: list[list[int]]) -> None:
    shared = common_start(prompts)
    rows, masks = padded(prompts, shared, pad=0)
    assert len({len(row) for row in rows}) == len({len(mask) for mask in masks}) == 1
    for ids, row, mask in zip(prompts, rows, masks, strict=True):
        assert [token for token, seen in zip(row, mask, strict=True) if seen] == ids
        assert row[-1] == ids[-1]
        assert mask[-1] == 1


@pytest.mark.parametrize(
    ("text", "count", "expected"),
    [
        ("It is red. It is on.", 1, "It is red."),
        ("It is 42.88 MPa. And more", 1, "It is 42.88 MPa."),
        ("a. b. c.", 2, "a. b."),
        ("one\ntwo.", 2, "one"),
        ("  \n ", 1, ""),
        ("灯为红色。停机。", 1, "灯为红色。"),
    ],
)
def test_first_sentences(text: str, count: int, expected: str) -> None:
    assert first_sentences(text, count) == expected


class Letters:
    """A tokenizer of one token a byte, so that a Chinese character takes three."""

    chat_template = "x"

    def __init__(self, *, system: bool = True) -> None:
        self._system = system

    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        return bytes(int(one) for one in ids if int(one)).decode("utf-8", "replace")

    def batch_decode(self, rows: Any, skip_special_tokens: bool = True) -> list[str]:
        return [self.decode(row) for row in rows]

    def apply_chat_template(self, chat: list[dict[str, str]], tokenize: bool, add_generation_prompt: bool) -> str:
        if not self._system and chat[0]["role"] == "system":
            raise ValueError("System role not supported")
        return "".join(f"[{one['role']}]{one['content']}" for one in chat) + "[assistant]"

    def __call__(self, text: str, add_special_tokens: bool) -> dict[str, list[int]]:
        assert not add_special_tokens
        return {"input_ids": list(text.encode())}


def test_a_row_is_heard_in_whole_characters() -> None:
    heard: list[tuple[int, str]] = []
    streamer = _row_streamer(Letters(), lambda row, piece: heard.append((row, piece)))
    streamer.put(torch.zeros((2, 5)))
    first, second = "a红b".encode(), b"xyz"
    for step in range(5):
        streamer.put(torch.tensor([first[step], second[step] if step < 3 else 0]))
    streamer.end()
    assert [piece for row, piece in heard if row == 0] == ["a", "红", "b"]
    assert "".join(piece for row, piece in heard if row == 1) == "xyz"


def test_rows_stop_alone_once_they_say_more_than_asked() -> None:
    stop = _sentence_stop(Letters(), 2, (1, 2, 1))
    width = 10

    def ids(text: str) -> list[int]:
        return [1, 1, *text.encode().ljust(width, b"\0")]

    def done(*texts: str) -> list[bool]:
        return list(stop(torch.tensor([ids(text) for text in texts]), None).tolist())

    assert done("Is red.", "Is red.", "Is 42.") == [False, False, False]
    assert done("Is red. I", "Is red. I", "Is 42.88") == [True, False, False]
    assert done("Is", "a. b. c", "Is\n") == [False, True, True]


CHAT = (Message("system", "Rules."), Message("user", "Hello"))


def test_a_chat_is_counted_in_the_models_own_format() -> None:
    assert bytes(chat_ids(Letters(), CHAT)).decode() == "[system]Rules.[user]Hello[assistant]"


def test_a_format_without_a_system_role_still_gets_the_rules() -> None:
    assert bytes(chat_ids(Letters(system=False), CHAT)).decode() == "[user]Rules.\n\nHello[assistant]"
    with pytest.raises(ValueError, match="System role"):
        chat_ids(Letters(system=False), CHAT[:1])
