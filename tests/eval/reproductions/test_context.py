"""Claims about the context, with answers that are known beforehand."""

from __future__ import annotations

from typing import Any

import pytest

from eval.bench_knowledge_units import UnitCase
from eval.context_questions import Asked, Judged, Questions
from eval.report_llm_cases import ContextCase
from eval.reproductions import context
from eval.reproductions.context import (
    declared_units,
    more_passages_more_invention,
    more_passages_more_wrong_quotes,
    place_matters,
)
from eval.score import EvalError
from eval.score_cache import ScoreCache
from rag.local_model import Loaded
from tests.eval.reproductions.test_retrieval import FOUND, OTHERS

GOOD, BAD = Judged(right=True, unsupported=False, invented=False), Judged(right=False, unsupported=True, invented=True)


class Scripted:
    """Answers by the number of passages and the place of the right one."""

    def __init__(self, good_at: set[tuple[int, str]], count: int = 24) -> None:
        self.good_at, self.count = good_at, count

    def judged(self, way: Asked) -> list[Judged]:
        return [GOOD if (way.chunks, way.place) in self.good_at else BAD] * self.count


def test_more_invention_with_more_passages_is_seen_and_so_is_none() -> None:
    worse: Any = Scripted({(1, "start"), (3, "start")})
    claim = more_passages_more_invention(worse, "m")
    assert (claim.row, claim.verdict, claim.effect.value) == ("D8", "holds", 1)
    assert "-100 points" in claim.said
    same: Any = Scripted({(1, "start"), (3, "start"), (5, "start")})
    assert more_passages_more_invention(same, "m").verdict == "does not hold"


def test_the_place_of_the_right_passage_is_seen() -> None:
    first: Any = Scripted({(5, "start")})
    claim = place_matters(first, "m")
    assert (claim.verdict, claim.effect.value) == ("holds", 1)
    assert [one.share.value for one in claim.points if one.what == "answer right"] == [1, 0, 0]
    last: Any = Scripted({(5, "end")})
    assert place_matters(last, "m").verdict == "does not hold"


def test_quotes_from_more_passages() -> None:
    claim = more_passages_more_wrong_quotes(FOUND)
    assert [one.share.value for one in claim.points] == [0, 0, 0]
    late = [one._replace(passages=(*OTHERS, *one.passages[:1])) for one in FOUND]
    claim = more_passages_more_wrong_quotes(late)
    assert [one.share.value for one in claim.points] == [1, 1, 0]
    assert claim.verdict == "does not hold"


def test_units_are_counted_by_model(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [UnitCase(f"M-{n // 2}", "en" if n % 2 else "zh", (n < 32, n == 0, False)) for n in range(40)]
    monkeypatch.setattr(context, "unit_cases", lambda kb: cases)
    claim = declared_units(None)  # type: ignore[arg-type]
    assert [one.share.hits for one in claim.points] == [32, 1, 0]
    assert claim.verdict == "holds"
    assert "20 models" in claim.subject
    monkeypatch.setattr(context, "unit_cases", lambda kb: [])
    with pytest.raises(EvalError, match="no manual"):
        declared_units(None)  # type: ignore[arg-type]


def test_an_answer_is_asked_for_once(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from eval import context_questions

    asked: list[int] = []

    def write(loaded: Any, rows: list[list[int]], decoding: Any) -> list[str]:
        asked.append(len(rows))
        return [f"Answer of {len(row)}." for row in rows]

    monkeypatch.setattr(context_questions, "write_batch", write)
    monkeypatch.setattr(context_questions, "chat_ids", lambda _, messages: list(messages[1].content.encode()))
    cases = [ContextCase(f"Question {n}?", "", "It is 4 bar.", ("Steel.",) * 4, "4 bar") for n in range(3)]
    loaded = Loaded(None, None)
    questions = Questions(loaded, cases, False, ScoreCache(tmp_path / "s.sqlite", "m"))
    first = questions.answers([["a"], ["b"], ["c"]], "x")
    assert questions.answers([["a"], ["b"], ["c"]], "x") == first
    assert asked == [3]
    assert questions.answers([["a"], ["b"], ["other"]], "x")[:2] == first[:2]
    assert asked == [3, 1]
    anew = Questions(loaded, cases, False)
    assert anew.answers([["a"], ["b"], ["c"]], "x") == first
    assert asked == [3, 1, 3]
    assert [one.right for one in questions.judged(Asked(2))] == [False] * 3
