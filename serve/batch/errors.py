"""What stops a batch as a whole; a photo that cannot be read stops nothing."""

from __future__ import annotations


class BatchError(ValueError):
    """A batch that cannot be begun or continued; the message says what to change."""
