"""Errors of this room: one tree, so that a caller can catch `RagError` and say why no value or sentence came."""

from __future__ import annotations


class RagError(Exception):
    """Anything that this room cannot do with what it was given."""


class TemplateError(RagError, ValueError):
    """A template table that does not hold to its format, or a template with a slot that was not filled."""


class WriterError(RagError):
    """A writer that could not be built or could not write; the pipeline answers with template sentences."""


class TraceError(RagError):
    """A trace that cannot be read: no such id, or a damaged database."""


class RenderError(RagError):
    """A format that a report cannot be written in on this machine."""
