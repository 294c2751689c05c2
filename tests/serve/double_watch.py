"""`gauge watch` in a process of its own, with the double behind it: python -m tests.serve.double_watch HOME ARGS..."""

from __future__ import annotations

import sys
from pathlib import Path

from knowledge.search import KnowledgeBase
from serve import service as service_module
from serve.cli import app
from serve.service import Service
from serve.settings import Settings
from tests.serve.doubles import DoubleReader, HashEmbedder


def main(home: Path, arguments: list[str]) -> None:
    """Run the command on a home."""
    settings = Settings(home=home)
    service = Service(settings, reader=DoubleReader(), knowledge=KnowledgeBase.open(home, embedder=HashEmbedder()))
    service_module.open_service = lambda *_, **__: service
    app(["watch", *arguments])


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
