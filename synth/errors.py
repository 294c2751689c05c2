"""Errors of the synth room."""

from __future__ import annotations


class SynthError(Exception):
    """Base of everything that this room raises on purpose."""


class RecipeError(SynthError, ValueError):
    """A recipe that does not exist, does not parse, or has a key or value that is not known."""


class FontError(SynthError, RuntimeError):
    """A font that the artwork needs is not installed."""


class FactoryError(SynthError, RuntimeError):
    """A dataset folder that cannot be built or resumed as asked."""


class SpecError(SynthError, ValueError):
    """An instrument that contradicts itself: ends or marks that do not increase."""


class BackgroundError(SynthError, ValueError):
    """A folder of background photos, or a file in it, that cannot be used."""


class BlenderError(SynthError, RuntimeError):
    """Blender is not there, or its worker failed: the message says which scene and what to do."""
