"""Writers put planned sentences into words. They rewrite; what is said was decided before and is checked after.

The template writer keeps the sentences as they are. `rag.llm_writer` runs a local language model, `rag.server_writer`
any OpenAI-compatible server; both are behind the same protocol and never have the last word (`rag.verify`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from knowledge.articles import Language
from rag.errors import WriterError
from rag.evidence import Piece
from rag.prompt import Task

if TYPE_CHECKING:
    from rag.chat_client import ServerOptions

WriterKind = Literal["template", "llm", "openai"]


@dataclass(frozen=True)
class Draft:
    """What a writer wrote: one text a sentence, None where it wrote none; the prompts as they were sent."""

    texts: tuple[str | None, ...]
    sent: tuple[str, ...] = ()
    seconds: float = 0.0


class Writer(Protocol):
    """Rewrites sentences. `languages`: those it can write; for others the templates stand.

    `write` may raise WriterError; the pipeline then keeps the template sentences and says so.
    """

    @property
    def name(self) -> str: ...

    @property
    def languages(self) -> tuple[Language, ...]: ...

    def write(self, task: Task) -> Draft:
        """One text for each of `task.sentences`, in order."""
        ...


@dataclass(frozen=True)
class TemplateWriter:
    """The default: every sentence stays as the template made it."""

    name: str = "template"
    languages: tuple[Language, ...] = ("en", "zh")

    def write(self, task: Task) -> Draft:
        """The sentences themselves."""
        return Draft(texts=tuple(task.sentences))


def build_writer(
    kind: WriterKind,
    *,
    home: Path,
    model: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    server: ServerOptions | None = None,
) -> Writer:
    """The writer of a kind. Nothing is loaded or connected before its first sentence.

    `home`: folder for converted weights. `model`: hub id, local folder or the server's model name; None is the
    packaged model. `server`: bounds of its calls. Raises WriterError where a server has no address or no model name.
    """
    if kind == "template":
        return TemplateWriter()
    if kind == "llm":
        from rag.llm_writer import LLMOptions, LocalLLMWriter

        return LocalLLMWriter(home=home, options=LLMOptions(model=model))
    from rag.chat_client import ServerOptions
    from rag.server_writer import OpenAIWriter

    if not base_url:
        raise WriterError("no language server is given: set its address in GAUGE_LLM_URL, e.g. http://localhost:8000/v1")
    return OpenAIWriter(base_url=base_url, model=model or "", api_key=api_key, options=server or ServerOptions())


def make_task(sentences: Sequence[str], language: Language, pieces: Sequence[Piece], question: str) -> Task:
    """The task of one report: its sentences, and the evidence that they rest on."""
    return Task(sentences=tuple(sentences), language=language, pieces=tuple(pieces), question=question)
