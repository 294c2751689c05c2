"""Texts that a database may refuse: nothing is found by them, or they are refused; never a fault of the database."""

from __future__ import annotations

from contextlib import suppress

import pytest

from serve.store.errors import NotFoundError, RefusedError
from serve.store.store import Store

NUL = "P\0-7"


def test_looking_for_a_nul(store: Store) -> None:
    reports = store.reports
    for look in (lambda: reports.list("local", place=NUL), lambda: reports.history("local", NUL, 5)):
        with suppress(RefusedError):
            assert look() == ()
    for miss in (
        lambda: reports.get("local", NUL),
        lambda: reports.list("local", before=NUL),
        lambda: store.jobs.get("local", NUL),
    ):
        with pytest.raises((NotFoundError, RefusedError)):
            miss()
    assert reports.list("local") == ()
