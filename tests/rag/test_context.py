"""The context of a prompt fits the model's window, counted as the model counts; the same question is fitted once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.context import ContextCache, _Key, estimate_messages, fit_context, query_hash, template_counter
from rag.errors import WriterError
from rag.evidence import Piece, Role
from rag.prompt import Message, Task, report_messages
from rag.trim import LIMITING, text_parts
from tests.rag.builders import make_chunk

LONG = " ".join(f"The pump number {n} is painted blue." for n in range(30))


def words(messages: Sequence[Message]) -> int:
    """A tokenizer of one token a word and ten for the format."""
    return 10 + sum(len(message.content.split()) for message in messages)


def piece(id: str, role: Role = "PRIMARY", score: float = 0.5, text: str = LONG) -> Piece:
    return Piece(make_chunk(id, text), score, role, "q", text)


def task(*pieces: Piece, facts: tuple[str, ...] = ("The lamp is red.",), **more: Any) -> Task:
    return Task(facts, "en", tuple(pieces), "what does the lamp mean", **more)


def cost(one: Task) -> int:
    return words(report_messages(one))


def fit(one: Task, budget: int, cache: ContextCache | None = None, model: str = "m") -> Task:
    return fit_context(one, budget, words, cache or ContextCache(), model)


def test_what_fits_is_not_touched() -> None:
    given = task(piece("a"), piece("b"))
    assert fit(given, cost(given)) == given


def test_the_weakest_gives_way_first_and_warnings_last() -> None:
    given = task(piece("a", score=0.9), piece("b", score=0.2), piece("s", "SUPPORTING", 0.99), piece("w", "CRITICAL", 0.1))
    for budget, kept in ((cost(given) - 1, "abw"), (cost(task()) + 2 * 230, "aw"), (cost(task()) + 230, "w"), (cost(task()), "")):
        fitted = fit(given, budget)
        assert "".join(one.chunk.id for one in fitted.pieces) == kept
        assert cost(fitted) <= budget
        assert fitted.sentences == given.sentences


def test_facts_alone_come_before_nothing_and_limits_are_what_stays_longest() -> None:
    text = "The maker wishes you joy with it, dear reader! " * 10 + "Do not open the case. The case is black."
    given = task(piece("a", text=text))
    stays = fit(given, cost(task(piece("a", text="Do not open the case."))))
    assert [one.sent for one in stays.pieces] == ["Do not open the case."]


def test_facts_that_do_not_fit_are_refused_with_both_numbers() -> None:
    given = task(facts=("word " * 500,))
    with pytest.raises(WriterError, match=rf"the facts alone are {cost(given)} tokens; the model has room for 300"):
        fit(given, 300)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["PRIMARY", "SUPPORTING", "CRITICAL"]),
            st.floats(0, 1),
            st.lists(
                st.sampled_from(["It is blue.", "Do not open it.", "The range is 5 m.", "Only if dry, go on.", "Hello you!"]),
                max_size=8,
            ),
        ),
        max_size=5,
    ),
    st.integers(0, 120),
)
def test_any_context_fits_and_no_kept_piece_lost_a_limit(drawn: list[tuple[Any, float, list[str]]], spare: int) -> None:
    pieces = [piece(f"c{n}", role, score, " ".join(text)) for n, (role, score, text) in enumerate(drawn)]
    given = task(*pieces)
    fitted = fit(given, cost(task()) + spare)
    assert cost(fitted) <= cost(task()) + spare
    whole = {one.chunk.id: one.sent for one in pieces}
    for one in fitted.pieces:
        kept = "".join(one.sent.replace("|", "").split())
        limits = [part for part in text_parts(whole[one.chunk.id]) if LIMITING.search(part)]
        # Facts are set apart by bars and may put a condition behind what it limits.
        assert all(all(word.strip(",.") in kept for word in limit.split()) for limit in limits)


def test_a_context_is_fitted_once_for_a_question_a_budget_and_a_model() -> None:
    counted: list[int] = []

    def count(messages: Sequence[Message]) -> int:
        counted.append(1)
        return words(messages)

    cache = ContextCache()
    given = task(piece("a"), piece("b"))
    budget = cost(given) - 5
    first = fit_context(given, budget, count, cache, "m")
    before = len(counted)
    assert fit_context(given, budget, count, cache, "m") == first
    assert (len(counted), cache.hits) == (before, 1)
    fit_context(given, budget - 1, count, cache, "m")
    fit_context(given, budget, count, cache, "n")
    assert cache.hits == 1


def test_a_listener_or_a_complaint_is_not_lost_on_the_way() -> None:
    cache = ContextCache()
    given = task(piece("a"), complaints=("lost words",))
    fit(given, 1000, cache)
    listening = given._replace(on_text=lambda index, text: None)
    assert fit(listening, 1000, cache).on_text is listening.on_text
    assert cache.hits == 1


def test_what_decides_a_context_decides_its_hash() -> None:
    base = task(piece("a"))
    others = [
        base._replace(question="another"),
        base._replace(language="zh"),
        base._replace(sentences=("The lamp is green.",)),
        base._replace(complaints=("x",)),
        task(piece("a", "CRITICAL")),
        task(piece("a", score=0.6)),
        task(piece("a", text=f"{LONG} And more.")),
        task(piece("b")),
        task(),
    ]
    assert len({query_hash(one) for one in (base, *others)}) == len(others) + 1
    assert query_hash(base) == query_hash(task(piece("a")))


def test_the_oldest_gives_way() -> None:
    cache = ContextCache(size=2)
    keys = [_Key(name, 1, "m") for name in "abc"]
    for key in keys[:2]:
        cache.put(key, ())
    assert cache.get(keys[0]) == ()
    cache.put(keys[2], ())
    assert [cache.get(key) is not None for key in keys] == [True, False, True]


def test_threads_share_a_cache() -> None:
    cache = ContextCache(size=4)
    tasks = [task(piece(f"c{n}")) for n in range(8)]
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for one in tasks * 5:
                assert fit(one, 1000, cache) == one
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_the_estimate_counts_chinese_by_the_character_and_never_falls_short_of_words() -> None:
    english, chinese = (Message("user", "The pressure is high."),), (Message("user", "压力过高，立即停机。"),)
    assert estimate_messages(chinese) > len("压力过高，立即停机。")
    assert estimate_messages(english) > 5


def test_a_tokenizer_that_is_not_there_is_one_line(tmp_path: Any) -> None:
    with pytest.raises(WriterError, match="cannot be loaded") as caught:
        template_counter(str(tmp_path))
    assert "\n" not in str(caught.value)
