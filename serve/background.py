"""Work beside the requests: a thread that begins, is asked to end, and is waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Background:
    """`work` on a thread of its own from `start` to `stop`; it ends by itself soon after `stopping` is set."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self.stopping = threading.Event()
        self._name, self._work = name, work
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, also after an earlier end."""
        self.stopping.clear()
        self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        self._thread.start()

    def stop(self, wait_s: float) -> None:
        """Ask the work to end and wait that long for it."""
        self.stopping.set()
        if self._thread is not None:
            self._thread.join(wait_s)
            self._thread = None
