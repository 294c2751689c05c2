"""What can go wrong with the store."""

from __future__ import annotations


class StoreError(Exception):
    """The database or the folder of photos cannot be used now; the message never holds a password.

    `public` is what a stranger may be told: it names no other machine.
    """

    def __init__(self, message: str, public: str | None = None) -> None:
        super().__init__(message)
        self.public = public if public is not None else message


class NotFoundError(StoreError):
    """There is no such thing, or it is another tenant's: the two are told apart by nobody."""


class QuotaError(StoreError):
    """A tenant's limit is reached; `retry_after_s` is when it is worth asking again, None where time alone won't help."""

    def __init__(self, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RefusedError(StoreError):
    """The store will not take this: a name that is none, a key that is taken; the message says what to do."""
