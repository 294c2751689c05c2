"""kill -9 while publishing: always one complete version is served."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eval.kills import HashedWords, measure_kills, write_corpus
from knowledge.manifest import VECTORS, current_folder
from knowledge.publish import publish


def test_some_kills_leave_one_complete_version(tmp_path: Path) -> None:
    report = measure_kills(tmp_path, 3, np.random.default_rng(5))
    assert (report.kills, report.torn, report.lost) == (3, 0, 0), report.faults
    assert 1 <= report.versions <= 3


@pytest.mark.slow
def test_two_hundred_kills_leave_one_complete_version(tmp_path: Path) -> None:
    report = measure_kills(tmp_path, 200, np.random.default_rng(7))
    assert (report.torn, report.lost) == (0, 0), report.faults
    assert report.during > 50
    assert report.versions > 20


def test_what_a_torn_publication_would_look_like_is_told(tmp_path: Path) -> None:
    """The judge must be able to say no: a publisher that tears is caught."""
    from eval import kills

    home = tmp_path / "home"
    publish(home, write_corpus(tmp_path / "corpus", 1), HashedWords())
    assert kills._inspect(home, set()) == (None, 6)
    folder = current_folder(home)
    (folder / VECTORS).write_bytes(b"half")
    fault, documents = kills._inspect(home, set())
    assert fault is not None
    assert documents == 0


def test_vectors_are_the_same_everywhere() -> None:
    one, two = (HashedWords().encode(["relief valve", ""]) for _ in range(2))
    assert np.array_equal(one, two)
    assert np.allclose(np.linalg.norm(one, axis=1), 1.0)
