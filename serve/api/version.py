"""The version of the program, as answers and pages state it."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version


@lru_cache(maxsize=1)
def program_version() -> str:
    """The version of the installed package, `0` where it is not installed."""
    try:
        return version("gaugerag")
    except PackageNotFoundError:
        return "0"
