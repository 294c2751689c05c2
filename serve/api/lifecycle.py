"""Whether the server takes requests: from its start until it is told to end, when it finishes what it took."""

from __future__ import annotations

import threading
from typing import Literal

Phase = Literal["loading", "serving", "stopping"]


class Lifecycle:
    """The phase of a server, and how many requests it has taken and not answered."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._open = 0
        self.last_check: tuple[float, str | None] | None = None
        """When the store was asked last whether it can keep (monotonic seconds), and why it could not."""

    @property
    def is_stopping(self) -> bool:
        """Whether no new request is taken."""
        return self._stopping.is_set()

    @property
    def open_requests(self) -> int:
        """Requests that were taken and are not answered yet."""
        return self._open

    def stop(self) -> None:
        """Take no new requests from now on."""
        self._stopping.set()

    def begin(self) -> None:
        """A request was taken."""
        with self._lock:
            self._open += 1

    def end(self) -> None:
        """A request was answered or given up."""
        with self._lock:
            self._open -= 1
