"""HRS beside FCI: both bounds, too few raters, gamed scores, and files that are none."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.ratings import (
    LEAST_FCI,
    LEAST_HRS,
    Rating,
    RatingCard,
    ratings_markdown,
    read_fci,
    read_ratings,
    score_ratings,
)
from eval.score import EvalError


def rated(*scores: float, case: str = "r-1") -> tuple[Rating, ...]:
    return tuple(Rating(case, f"rater {number}", score) for number, score in enumerate(scores))


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("scores", "fci", "state"),
    [
        ((4, 4, 4), 0.85, "supported"),
        ((5, 5, 2), 1.0, "supported"),
        ((4, 4, 3.9), 1.0, "unsupported"),
        ((5, 5, 5), 0.849, "unsupported"),
        ((1, 1, 1), 0.1, "unsupported"),
        ((5, 5), 1.0, "not_scorable"),
        ((5, 5, 5), None, "not_scorable"),
        ((5, 5, 5), math.nan, "not_scorable"),
    ],
)
def test_both_bounds_hold_or_it_fails(scores: tuple[float, ...], fci: float | None, state: str) -> None:
    (case,) = score_ratings(rated(*scores), {} if fci is None else {"r-1": fci}).cases
    assert case.passed.state == state


@given(st.lists(st.floats(1, 5), min_size=3, max_size=6), st.floats(0, 1))
def test_a_pass_needs_both(scores: list[float], fci: float) -> None:
    card = score_ratings(rated(*scores), {"r-1": fci})
    (case,) = card.cases
    if case.passed.state == "supported":
        assert case.hrs >= LEAST_HRS - 1e-8
        assert case.fci >= LEAST_FCI - 1e-8
    assert card.liked_only + card.faithful_only <= 1
    assert not (case.liked_only and case.faithful_only)
    assert card.verdict.state == case.passed.state


def test_a_gamed_score_is_named() -> None:
    card = score_ratings((*rated(2, 1, 2), *rated(5, 5, 5, case="r-2")), {"r-1": 0.98, "r-2": 0.2})
    assert (card.faithful_only, card.liked_only) == (1, 1)
    assert card.passed.hits == 0
    assert card.verdict.state == "unsupported"
    assert card.hrs.value == pytest.approx((5 / 3 + 5) / 2)
    assert (card.hrs.n, card.fci.n) == (2, 2)
    assert card.hrs.stderr > 0


def test_what_cannot_be_judged_is_counted_apart() -> None:
    card = score_ratings((*rated(5, 5, 5), *rated(1, case="r-2")), {"r-1": 0.9, "r-2": 0.0})
    assert (card.passed.hits, card.passed.n, card.not_scorable) == (1, 1, 1)
    assert card.hrs.value == 5.0
    assert card.cases[1].passed.reason == "rated by 1, needs 3"
    assert card.cases[0].spread == 0.0
    assert math.isnan(card.cases[1].spread)


def test_no_ratings_are_no_pass() -> None:
    card = score_ratings((), {})
    assert card.verdict.state == "not_scorable"
    assert "cannot be judged" in ratings_markdown(card)


def test_a_file_is_read_and_its_faults_are_named(tmp_path: Path) -> None:
    text = "\ufeffrequest_id, rater ,score\nr-1,A,4\nr-1,B,5\nr-1,A,1\nr-1,C,six\nr-1,D,6\n,E,3\nr-1,F,nan\nr-2,A,3.5\n"
    ratings, faults = read_ratings(write(tmp_path / "r.csv", text))
    assert ratings == (Rating("r-1", "A", 4.0), Rating("r-1", "B", 5.0), Rating("r-2", "A", 3.5))
    assert faults == (
        "line 4: A rated r-1 before",
        "line 5: 'six' is no rating",
        "line 6: a rating lies between 1 and 5, not 6",
        "line 7: it names no case or no rater",
        "line 8: a rating lies between 1 and 5, not nan",
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no column case or request_id or line; it has none"),
        (b"case,score\nr,3\n", "no column rater"),
        (b"case,rater\nr,A\n", "no column score"),
        (b"\xff\xfe\x00", "no CSV file in UTF-8"),
        (b"case,rater,score\n" + b"x" * 200_000 + b",A,3\n", "no CSV file in UTF-8"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "r.csv").write_bytes(content)
    with pytest.raises(EvalError, match=said):
        read_ratings(tmp_path / "r.csv")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EvalError, match="cannot be read"):
        read_ratings(tmp_path / "none.csv")
    with pytest.raises(EvalError, match="cannot be read"):
        read_fci(tmp_path)


def test_fci_of_inspections_and_of_scored_rows(tmp_path: Path) -> None:
    lines = [
        {"request_id": "r-1", "scores": {"fci": 0.9}},
        {"request_id": "r-2", "scores": {"fci": None}},
        {"request_id": "r-3", "scores": {}},
        {"line": 4, "fci": 0.5},
    ]
    found = read_fci(write(tmp_path / "s.jsonl", "\n".join(map(json.dumps, lines)) + "\n\n"))
    assert found.keys() == {"r-1", "r-2", "r-3", "4"}
    assert (found["r-1"], found["4"]) == (0.9, 0.5)
    assert math.isnan(found["r-2"])
    assert math.isnan(found["r-3"])


@pytest.mark.parametrize(
    "line", ["{", "[]", "3", '{"request_id": 1}', '{"line": 1, "fci": "x"}', '{"line": 1, "fci": 2}', '{"line": 1, "scores": 3}']
)
def test_lines_without_a_fci_are_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(EvalError, match=r"s\.jsonl:2"):
        read_fci(write(tmp_path / "s.jsonl", f'{{"line": 1, "fci": 1}}\n{line}\n'))


def test_the_card_comes_back_from_json_and_reads_well() -> None:
    card = score_ratings((*rated(5, 4, 4), *rated(2, 2, 2, case="r-2")), {"r-1": 0.9, "r-2": 0.95}, ("line 9: no",))
    assert RatingCard.model_validate_json(card.model_dump_json()).model_dump_json() == card.model_dump_json()
    text = ratings_markdown(card)
    assert "Together it does not pass: HRS 3.17 is below 4" in text
    assert "- r-2: HRS 2.00 is below 4" in text
    assert "- line 9: no" in text
    assert "| FCI | 0.925 ± 0.025 | 2 | 0.85 |" in text
