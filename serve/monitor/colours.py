"""Colours of what is measured: how they are called, and the worst of several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Colour = Literal["green", "yellow", "red"]
Light = Literal["green", "yellow", "red", "unknown"]
"""A colour, or that nothing is known: too little came, or too long ago."""


def worst(colours: Iterable[Light]) -> Light:
    """Red before yellow before what is not known before green; of none, not known."""
    found = set(colours)
    order: tuple[Light, ...] = ("red", "yellow", "unknown", "green")
    return next((one for one in order if one in found), "unknown")
