"""What can go wrong with cameras."""

from __future__ import annotations


class CameraError(ValueError):
    """Base of the cameras' errors."""


class RegistryError(CameraError):
    """The file of cameras cannot be used; the message names file, key and value."""


class SourceError(CameraError):
    """No picture came; the message says why and holds no password."""


class OutputError(CameraError):
    """An output cannot be opened."""


class BusyError(CameraError):
    """Another process watches cameras in this home."""
