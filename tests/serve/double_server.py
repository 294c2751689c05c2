"""`gauge serve` with a known reader, as a process of its own that can be killed: `python -m tests.serve.double_server`.

Everything else is the real server: store, limits, signals, sockets. A photo takes `GAUGE_TEST_READ_S` seconds.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import typer

from knowledge.search import KnowledgeBase
from serve.api import server
from serve.service import Service
from serve.settings import Settings
from tests.serve.doubles import DoubleReader, HashEmbedder


class SlowDouble(DoubleReader):
    """Takes its time, so that a server can be ended in the middle."""

    def read_one(self, *args: Any) -> Any:
        time.sleep(float(os.environ.get("GAUGE_TEST_READ_S", "0")))
        return super().read_one(*args)


def open_double(settings: Settings, **_: object) -> Service:
    """The service around the double; the manuals lie in `GAUGE_TEST_MANUALS`, which several servers may share."""
    manuals = Path(os.environ.get("GAUGE_TEST_MANUALS", str(settings.home / "manuals")))
    return Service(settings, reader=SlowDouble(), knowledge=KnowledgeBase.open(manuals, embedder=HashEmbedder()))


def main(host: str = "127.0.0.1", port: int = 8000) -> None:
    """What `gauge serve` runs, with the double in the reader's place."""
    server.open_service = open_double  # type: ignore[assignment]
    server.run_server(host, port)


if __name__ == "__main__":
    typer.run(main)
