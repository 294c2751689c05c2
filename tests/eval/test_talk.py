"""Sentences to the reader: set forms only, and never a way to hide a claim."""

from __future__ import annotations

import pytest

from eval.fci import score_answer
from eval.talk import is_talk


@pytest.mark.parametrize(
    "sentence",
    [
        "I hope this helps!",
        "Sure, I can help you with that.",
        "Please let me know if you have any further questions.",
        "Feel free to ask.",
        "Based on the provided passages, here is a brief answer to the question:",
        "Here are the steps to follow:",
        "希望以上内容对您有帮助。",
        "如果您有其他问题，请随时联系我们。",
        "以下是对问题的回答：",
    ],
)
def test_the_reader_is_addressed(sentence: str) -> None:
    assert is_talk(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Sure, the pump runs on diesel.",
        "I hope this helps: the valve is open.",
        "Here is the answer: close the valve, then stop the pump.",
        "Let me know if the pressure exceeds 5 bar.",
        "Based on the passages, the pump is electric.",
        "The answer is in the manual.",
        "希望油泵压力为正常，否则停机。",
        "以下是答案：阀门关闭，油泵停止。",
        "",
    ],
)
def test_claims_are_no_talk(sentence: str) -> None:
    assert not is_talk(sentence)


def test_talk_is_not_scorable_and_changes_no_score() -> None:
    sources = ["The relief valve opens at 6 bar."]
    plain = score_answer("The relief valve opens at 6 bar.", sources)
    polite = score_answer("Sure, I can help you with that. The relief valve opens at 6 bar. I hope this helps!", sources)
    assert (plain.fci, polite.fci, polite.fci_n) == (1, 1, plain.fci_n)
    assert polite.worst_support == plain.worst_support
    assert polite.not_scorable > plain.not_scorable
    talk = score_answer("I hope this helps!", sources)
    assert talk.fci != talk.fci
    assert talk.reason == "the answer makes no claim that could be judged"
