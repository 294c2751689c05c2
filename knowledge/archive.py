"""Where publications are kept: in folders below a home, or in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from knowledge.embedder import Embedder
from knowledge.manifest import PublishError, current_folder, knowledge_root
from knowledge.publication import Parts, open_folder
from knowledge.publish import publish


class Archive(Protocol):
    """Publications by version; each is whole or not there, and none ever changes."""

    def publish(self, corpus: Path | Sequence[Path], embedder: Embedder) -> str:
        """Publish folders of articles if that is not done yet and make them current. Returns the version.

        Raises ArticleError where the corpus does not hold, PublishError where it cannot be kept; what was current stays so then.
        """
        ...

    def current(self) -> str:
        """The version published last. Raises PublishError where there is none that is whole."""
        ...

    def open(self, version: str) -> Parts:
        """What a version is read from. Raises PublishError where it is not there or not whole."""
        ...


class FolderArchive:
    """Publications as folders below a home: FAISS for the vectors, SQLite for the rest."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def publish(self, corpus: Path | Sequence[Path], embedder: Embedder) -> str:
        """See `Archive.publish`."""
        return publish(self.home, corpus, embedder).name

    def current(self) -> str:
        """See `Archive.current`."""
        return current_folder(self.home).name

    def open(self, version: str) -> Parts:
        """See `Archive.open`."""
        if not version.isalnum():
            raise PublishError(f"{version!r} is no version of the manuals")
        return open_folder(knowledge_root(self.home) / "versions" / version)


def open_archive(home: Path, database: str | None = None, shelf: str = "") -> Archive:
    """The archive in the PostgreSQL database at an address (`postgresql://USER:PASSWORD@HOST/NAME`), else that below `home`.

    Homes that share a database, and do not publish the same, each have a shelf there: what is current on it is theirs alone.
    """
    if database is None:
        return FolderArchive(home)
    # The driver is an extra, and whoever keeps everything in files need not wait for it.
    from knowledge.postgres.archive import PostgresArchive

    return PostgresArchive(home, database, shelf)
