"""What stops a batch as a whole; a photo that cannot be read stops nothing."""

from __future__ import annotations


class BatchError(ValueError):
    """A batch that cannot be begun or continued; the message says what to change."""


class BusyError(BatchError):
    """Another process works on the same batch."""


class WeightsError(BatchError):
    """What was read so far was read with other weights."""
