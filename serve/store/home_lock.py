"""Who works in a home: servers hold it together, a restore holds it alone. The lock goes with the process, however it ends."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from serve.store.errors import RefusedError

LOCK_FILE = "serve.lock"
UNFINISHED = ".restore-unfinished"
"""Stands in a home whose restore was begun and not ended: what lies there is of two times."""


@contextmanager
def hold_home(home: Path, *, alone: bool = False) -> Iterator[None]:
    """Hold a home while the block runs. Raises RefusedError where another process has it in a way that does not go together."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / LOCK_FILE).open("a") as file:
        try:
            fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError as error:
            other = "a server runs with this home: stop it first" if alone else "a restore is under way in this home: wait for it"
            raise RefusedError(f"{home}: {other}") from error
        yield


def check_whole(home: Path) -> None:
    """Raises RefusedError where a restore into a home was broken off."""
    if (home / UNFINISHED).exists():
        raise RefusedError(f"{home}: a restore was broken off half-way; run the same `gauge restore FILE --replace` again")
