"""How well a state reader alone tells lamps, selectors and what is neither, in boxes that are off as found ones are.

Cheap, for it needs no Donut: hundreds of drawn lamps and selectors and of buttons, signs and parts of instruments in a
minute. How sure it is (kind times label) decides what is given; the threshold is the one that lets through a share of what is
neither. Two readers are compared on the same boxes.

    python -m eval.state_scores FOLDER ... [--weights DIR] [--most N] [--let-through SHARE]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eval.score import EvalError, Share, share_true
from vision.fields import Contract
from vision.state_data import LAMP, OTHER, SELECTOR, StateCase, StateCases, jittered_view
from vision.state_reader import StateReader
from vision.state_wear import StateJitter

FOUND_BOXES = StateJitter(shift=0.022, size=0.16, roll_deg=0.0)
"""How the Donut's boxes of lamps and selectors lie in whole drawn photos."""
LET_THROUGH = 0.01
NAMES = {LAMP: "lamp", SELECTOR: "selector"}


class StateScore(Contract):
    """One kind in one folder: right of all readable ones, given and right of those given; what is neither and was given."""

    folder: str
    kind: str
    right: Share
    given: Share
    given_right: Share
    false: Share
    threshold: float


class _Said(NamedTuple):
    """What the reader says of a case as a lamp and as a selector: how sure it is, and whether that is right."""

    case: StateCase
    sure: dict[int, float]
    right: dict[int, bool]


def score_states(
    reader: StateReader, folder: Path, *, most: int = 250, let_through: float = LET_THROUGH, seed: int = 1
) -> tuple[StateScore, ...]:
    """Scores of lamps and selectors on the first `most` cases of each kind of a drawn folder, twice as many of what is neither.

    Raises EvalError where a number is out of its range, SampleError where the folder is no dataset or has neither kind.
    """
    if most < 1 or not 0.0 <= let_through < 1.0:
        raise EvalError(f"most must be at least 1 and let-through in [0, 1), got {most} and {let_through}")
    cases = [case for case in StateCases([folder], 1 << 30).cases if case.readable]
    chosen = [case for kind, count in ((LAMP, most), (SELECTOR, most), (OTHER, 2 * most)) for case in _first(cases, kind, count)]
    rng = np.random.default_rng(seed)
    said = [_say(reader, case, rng) for case in chosen]
    return tuple(_score(folder.name, kind, said, let_through) for kind in NAMES)


def _first(cases: Sequence[StateCase], kind: int, count: int) -> list[StateCase]:
    return [case for case in cases if case.kind == kind][:count]


def _say(reader: StateReader, case: StateCase, rng: np.random.Generator) -> _Said:
    view = jittered_view(rng, case.box, FOUND_BOXES)
    (x, y), half = view.center, view.side / 2.0 / reader.side_of_box
    (seen,) = reader.read_states(case.image, [(x - half, y - half, x + half, y + half)])
    labels = {LAMP: (seen.colors, case.color), SELECTOR: (seen.positions, case.position)}
    sure = {kind: float(shares.max() * seen.kinds[kind]) for kind, (shares, _) in labels.items()}
    right = {kind: case.kind == kind and int(shares.argmax()) == true for kind, (shares, true) in labels.items()}
    return _Said(case, sure, right)


def _score(folder: str, kind: int, said: Sequence[_Said], let_through: float) -> StateScore:
    shown = [one for one in said if one.case.kind == kind]
    neither = [one for one in said if one.case.kind == OTHER]
    ranked = sorted((one.sure[kind] for one in neither), reverse=True)
    threshold = ranked[int(let_through * len(ranked))] if ranked else 0.0
    given = [one for one in shown if one.sure[kind] > threshold]
    return StateScore(
        folder=folder,
        kind=NAMES[kind],
        right=share_true(one.right[kind] for one in shown),
        given=share_true(one.sure[kind] > threshold for one in shown),
        given_right=share_true(one.right[kind] for one in given),
        false=share_true(one.sure[kind] > threshold for one in neither),
        threshold=round(threshold, 4),
    )


def describe(scores: Sequence[StateScore]) -> str:
    """One line a folder and kind."""
    lines = [f"{'folder':42} {'kind':9} {'n':>4} {'right':>7} {'given':>7} {'of given':>8} {'false':>11} {'from':>6}"]
    for one in scores:
        false = f"{one.false.hits} of {one.false.n}"
        shares = f"{one.right.value:7.1%} {one.given.value:7.1%} {one.given_right.value:8.1%}"
        lines.append(f"{one.folder[:42]:42} {one.kind:9} {one.right.n:4} {shares} {false:>11} {one.threshold:6.3f}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line of the module."""
    parser = argparse.ArgumentParser(prog="python -m eval.state_scores", description="Score a state reader on drawn pictures.")
    parser.add_argument("folders", nargs="+", type=Path, help="dataset folders of drawn pictures")
    parser.add_argument("--weights", type=Path, default=None, help="folder of a state reader; none: the shipped one")
    parser.add_argument("--most", type=int, default=250, help="cases of each kind and folder")
    parser.add_argument("--let-through", type=float, default=LET_THROUGH, help="share of what is neither that is given")
    chosen = parser.parse_args(arguments)
    reader = StateReader.load(chosen.weights)
    scores = [
        score
        for folder in chosen.folders
        for score in score_states(reader, folder, most=chosen.most, let_through=chosen.let_through)
    ]
    print(describe(scores))


if __name__ == "__main__":
    main()
