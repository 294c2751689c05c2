"""What a tenant has beside the house: adapters and manuals of its own, asked before or together with the house's.

The house is the home itself: what the command line or the tenant `local` puts there serves every tenant.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from knowledge.archive import open_archive
from knowledge.corpora import default_corpora, user_corpus
from knowledge.embedder import load_embedder
from knowledge.search import KnowledgeBase
from knowledge.weights import WeightBook
from serve.library import open_reranker
from serve.settings import Settings
from vision.fields import PhotoReading, Weights


class ReaderProtocol(Protocol):
    """What the service needs of `vision.reader.Reader`."""

    @property
    def weights(self) -> Weights: ...

    @property
    def together(self) -> int:
        """How many photos of a sequence are looked at in one batch."""
        ...

    def read_photos(
        self,
        sources: Iterable[Path | bytes],
        *,
        names: Sequence[str] | None = None,
        model: str | None = None,
        known_models: Sequence[str] = (),
    ) -> Iterator[PhotoReading]:
        """One reading a photo, in order; a photo that cannot be opened comes out with status `error`."""
        ...


def has_manuals(home: Path) -> bool:
    """Whether a tenant added manuals of its own."""
    return any(user_corpus(home).glob("*.md"))


def open_tenant_knowledge(settings: Settings, house: Path) -> KnowledgeBase:
    """The shipped manuals, those of the house and those of the tenant whose home the settings name, published for that home.

    Raises ArticleError where two claim the same id and version.
    """
    encoder = load_embedder(settings.embedder)
    folders = (*default_corpora(house), user_corpus(settings.home))
    archive = open_archive(settings.home, settings.postgres_url, shelf=settings.home.name)
    version = archive.publish(folders, encoder)
    return KnowledgeBase(archive.open(version), encoder, None, None, open_reranker(settings), WeightBook(house).weights())


def tenant_reader(reader: ReaderProtocol, folder: Path) -> ReaderProtocol:
    """The same reader and model with the adapters of a folder before its own; the reader itself where there are none."""
    if not any(folder.glob("*/*")):
        return reader
    from vision.adapter_files import AdapterFolder
    from vision.reader import Reader

    if not isinstance(reader, Reader) or reader.adapters is None:
        return reader
    view = copy.copy(reader)  # Weights and witnesses are shared; a reader serves one thread at a time, and so do its views.
    view.adapters = AdapterFolder(folder, reader.adapters.base_sha256, reader.adapters.device, reader.adapters)
    return view
