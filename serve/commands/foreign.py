"""Answers of other pipelines from a file or an endpoint, scored row by row as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from eval.foreign_rows import Row
    from eval.foreign_scores import ForeignRow


class Scored(NamedTuple):
    """What is printed, and how many rows had a score."""

    text: str
    scored: int


def score_foreign(
    file: Path | None, *, endpoint: str | None, out: Path | None, timeout_s: float, limit: int | None, as_json: bool
) -> Scored:
    """The card as Markdown or JSON; every row also as a line of `out`, written as it is scored. Without a file the endpoint
    is asked the golden anchors' questions.

    Raises EvalError where the file cannot be read, holds no row, or the address is none; OSError where `out` cannot
    be written.
    """
    from eval.foreign_scores import Tally
    from eval.foreign_tables import foreign_markdown
    from eval.score import EvalError

    scored = _scored(islice(_rows(file, endpoint), limit), endpoint, timeout_s)
    tally = Tally()
    with ExitStack() as stack:
        lines = stack.enter_context(out.open("w", encoding="utf-8")) if out is not None else None
        for row in _with_progress(scored):
            tally.add(row)
            if lines is not None:
                lines.write(row.model_dump_json() + "\n")
    card = tally.card()
    if not card.rows:
        raise EvalError(f"{file} holds no rows")
    return Scored(card.model_dump_json() if as_json else foreign_markdown(card), card.scored)


def _rows(file: Path | None, endpoint: str | None) -> Iterator[Row]:
    from eval.foreign_rows import read_rows
    from eval.golden import load_anchors
    from eval.golden_questions import anchor_rows
    from eval.score import EvalError

    if file is not None:
        return read_rows(file, answered=endpoint is None)
    if endpoint is None:
        raise EvalError("there is neither a file of answers nor an endpoint to ask")
    return anchor_rows(load_anchors())


def _scored(rows: Iterable[Row], endpoint: str | None, timeout_s: float) -> Iterator[ForeignRow]:
    from eval.endpoint import Endpoint, EndpointOptions, score_endpoint
    from eval.foreign_scores import score_rows

    if endpoint is None:
        return score_rows(rows)
    return score_endpoint(Endpoint(endpoint, EndpointOptions(timeout_s=timeout_s)), rows)


def _with_progress(rows: Iterable[ForeignRow]) -> Iterable[ForeignRow]:
    from tqdm import tqdm

    return tqdm(rows, desc="scoring", unit="row")
