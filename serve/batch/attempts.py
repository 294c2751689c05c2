"""Which photos were begun by workers that came to no end with them: a cluster starts dead workers again, for ever if it may."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


class Attempts:
    """One for all workers of a cluster; each worker has a name of its own, also one that takes a dead one's place."""

    def __init__(self) -> None:
        self._begun: dict[int, str] = {}
        self._current: dict[str, int] = {}
        self._deaths: Counter[int] = Counter()

    def deaths(self, worker: str, numbers: Sequence[int]) -> list[int]:
        """How many workers each of these photos ended: another worker began it, and now it comes to this one."""
        for number in numbers:
            if self._begun.pop(number, worker) != worker:
                self._deaths[number] += 1
        return [self._deaths[number] for number in numbers]

    def begin(self, worker: str, number: int | None) -> None:
        """A worker begins a photo, or None; what it began before has come to its end."""
        before = self._current.pop(worker, None)
        if before is not None and self._begun.get(before) == worker:
            del self._begun[before]
        if number is not None:
            self._current[worker] = number
            self._begun[number] = worker
