"""Corpora: folders of articles, the shipped one and the user's own, and the version that they would be published as."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from knowledge.articles import Article, ArticleError, read_corpus
from knowledge.embedder import Embedder

SHIPPED_CORPUS = Path(__file__).parent / "corpus"
# fmt: off
_SHAPING_MODULES = (
    "arithmetic", "articles", "chunks", "edition", "embedder", "facts", "formula_text", "index", "lexical", "passages", "publish",
    "sentences", "statements", "structured", "synonyms", "timeline", "units",
)
# fmt: on


def user_corpus(home: Path) -> Path:
    """Folder of the articles that the user added."""
    return home / "corpus" / "documents"


def default_corpora(home: Path) -> tuple[Path, ...]:
    """What is published where nothing else is named: the shipped corpus and the user's own articles, where there are any."""
    own = user_corpus(home)
    return (SHIPPED_CORPUS, own) if any(own.glob("*.md")) else (SHIPPED_CORPUS,)


def corpus_version(corpus: Path | Sequence[Path], embedder: Embedder) -> str:
    """Version that corpus folders would be published as: 16 hex digits over all that shapes the index."""
    digest = hashlib.sha256(embedder.name.encode())
    code = Path(__file__).parent
    files = [(path.name, path) for path in (*(code / f"{name}.py" for name in _SHAPING_MODULES), code / "synonyms.toml")]
    for number, folder in enumerate(corpus_folders(corpus)):
        files += [(f"{number or ''}{path.relative_to(folder).as_posix()}", path) for path in sorted(folder.rglob("*.md"))]
    for name, path in files:
        digest.update(f"\0{name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def read_corpora(corpus: Path | Sequence[Path]) -> tuple[Article, ...]:
    """Articles of one or several folders, ready to be published side by side.

    Of an id with several versions the newest keeps the id; the older ones are told apart as `id@version`, so that
    their chunks and facts have names of their own. Raises ArticleError on two that claim the same id and version.
    """
    articles = [article for folder in corpus_folders(corpus) for article in read_corpus(folder)]
    seen: dict[tuple[str, str], Article] = {}
    for article in articles:
        other = seen.setdefault((article.id, article.version), article)
        if other is not article:
            raise ArticleError(
                f"{article.source}: id {article.id!r} version {article.version!r} is already taken by {other.source}"
            )
    heads: dict[str, Article] = {}
    for article in articles:
        best = heads.setdefault(article.id, article)
        if _recency(article) > _recency(best):
            heads[article.id] = article
    return tuple(a if heads[a.id] is a else a.model_copy(update={"id": f"{a.id}@{a.version}"}) for a in articles)


def _recency(article: Article) -> tuple[bool, date, str]:
    return article.status == "valid", article.effective_date, article.version


def corpus_folders(corpus: Path | Sequence[Path]) -> tuple[Path, ...]:
    """The folders of a corpus that may be given as one or as several."""
    return (corpus,) if isinstance(corpus, Path) else tuple(corpus)
