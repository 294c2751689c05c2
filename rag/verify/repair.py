"""What a writer wrote, checked; what is refused is asked for once more with the reasons, then the template stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag.verify.rewrite import check_rewrite

AskAgain = Callable[[Sequence[int], Sequence[str]], Sequence[str | None]]
"""Numbers of the sentences that were refused, and for each what was wrong; the answer is one text for each, in order."""


@dataclass(frozen=True)
class Refused:
    """A text that did not say what it was to say. `index` is the number of its planned sentence."""

    index: int
    written: str
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Repaired:
    """One text for each planned sentence: the writer's where it passed, else the planned one.

    `refused`: every text that was refused, of both rounds; `replaced`: numbers of the sentences for which the template
    stands in the end although something was written.
    """

    texts: tuple[str, ...]
    refused: tuple[Refused, ...] = ()
    replaced: tuple[int, ...] = ()

    def problems(self, index: int) -> tuple[str, ...]:
        """What was wrong with the last text for a sentence; empty where none was refused."""
        return next((one.problems for one in reversed(self.refused) if one.index == index), ())


def repair(planned: Sequence[str], drafts: Sequence[str | None], again: AskAgain | None = None) -> Repaired:
    """The sentences to show. `drafts`: one text for each planned sentence, None where none was written.

    Refused sentences are asked for again in one call, once. Whatever `again` raises or answers, every sentence has a
    text: what is missing or refused twice is the planned one.
    """
    texts, first = _judge(planned, dict(enumerate(drafts)))
    if not first:
        return Repaired(_with_templates(planned, texts))
    second: tuple[Refused, ...] = ()
    if again is not None:
        numbers = [one.index for one in first]
        try:
            answers = list(again(numbers, ["; ".join(one.problems) for one in first]))
        except Exception:  # a writer is foreign code: it gets no third chance
            answers = []
        better, second = _judge(planned, dict(zip(numbers, answers, strict=False)))
        texts |= better
    replaced = tuple(one.index for one in first if one.index not in texts)
    return Repaired(_with_templates(planned, texts), (*first, *second), replaced)


def _judge(planned: Sequence[str], drafts: dict[int, str | None]) -> tuple[dict[int, str], tuple[Refused, ...]]:
    texts: dict[int, str] = {}
    refused: list[Refused] = []
    for index, written in drafts.items():
        if written is None:
            continue
        verdict = check_rewrite(written, planned[index])
        if verdict.supported:
            texts[index] = written
        else:
            refused.append(Refused(index, written, verdict.problems))
    return texts, tuple(refused)


def _with_templates(planned: Sequence[str], texts: dict[int, str]) -> tuple[str, ...]:
    return tuple(texts.get(index, template) for index, template in enumerate(planned))
