"""Scores of a state reader alone: the threshold lets through what it may, and shares are of what they say."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import pytest

from eval.score import EvalError
from eval.state_scores import describe, main, score_states
from tests.vision.test_state_training import dataset
from vision.state_reader import StateReader, StateSeen, states_shipped


class Told(StateReader):
    """Says of every box the next of its answers."""

    def __init__(self, answers: list[StateSeen]) -> None:
        self.answers = iter(answers)

    def read_states(self, image: object, boxes: object) -> tuple[StateSeen, ...]:
        return (next(self.answers),)


def said(kinds: tuple[float, float, float], color: int = 0, position: int = 0) -> StateSeen:
    return StateSeen(np.array(kinds), np.eye(4)[color], np.eye(5)[position])


def test_given_is_what_lies_above_all_that_is_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = dataset(tmp_path / "drawn")
    monkeypatch.setattr("eval.state_scores.OTHER", 1)  # the selectors stand for what is neither: their count is known
    lamps = [said((0.9, 0.0, 0.1), 0), said((0.3, 0.0, 0.7), 2), said((0.8, 0.0, 0.2), 1)]
    neither = [said((0.5, 0.0, 0.5))] * 3
    reader = cast("StateReader", Told([*lamps, *neither, *neither]))
    lamp, _ = score_states(reader, folder, let_through=0.0)
    assert (lamp.right.hits, lamp.right.n) == (2, 3)
    assert (lamp.given.hits, lamp.given_right.hits, lamp.given_right.n) == (2, 1, 2)
    assert (lamp.false.hits, lamp.threshold) == (0, 0.5)


def test_numbers_out_of_range_are_named(tmp_path: Path) -> None:
    reader = cast("StateReader", Told([]))
    with pytest.raises(EvalError, match=r"got 0 and 0\.01"):
        score_states(reader, tmp_path, most=0)
    with pytest.raises(EvalError, match=r"got 5 and 1\.0"):
        score_states(reader, tmp_path, most=5, let_through=1.0)


def test_the_command_prints_a_line_a_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not states_shipped():
        pytest.skip("no weights of a state reader come with this package")
    folder = dataset(tmp_path / "drawn")
    main([str(folder), "--most", "4"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == ["kind", "lamp", "selector"]
    assert lines[2].split()[2:4] == ["3", "100.0%"]


def test_nothing_to_score_is_no_line() -> None:
    assert len(describe(()).splitlines()) == 1
